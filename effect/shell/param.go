// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

func one(w word.Word) list { return list{words: []word.Word{w}} }

// param expands $x in all its forms.
func (a *analyser) param(s *state, p *syntax.ParamExp, quoted bool) list {
	if quoted {
		a.quotedParam(p)
	}
	if p.Param == nil || p.Flags != nil || p.NestedParam != nil {
		a.opaque("a form of expansion that is not known")
		return one(unknown(word.Any))
	}
	name := p.Param.Value
	switch {
	case p.Length || p.Width || p.IsSet:
		a.subscript(s, name, p.Index)
		return one(unknown(word.Number))
	case p.Names != 0:
		return list{words: []word.Word{word.Unknown()}}
	case p.Excl:
		return a.indirect(s, p)
	}
	held, set := a.held(s, name, p.Index)
	switch {
	case p.Slice != nil:
		a.arithm(s, p.Slice.Offset)
		a.arithm(s, p.Slice.Length)
		return computed(held)
	case p.Repl != nil:
		a.single(s, p.Repl.Orig)
		a.single(s, p.Repl.With)
		return computed(held)
	case p.Exp != nil:
		return a.expand(s, p, held, set)
	}
	return held
}

// quotedParam refuses quotes inside "${x:-...}": to a shell a single quote is
// text there, to the parser it hides what follows.
func (a *analyser) quotedParam(p *syntax.ParamExp) {
	var words []*syntax.Word
	if p.Exp != nil {
		words = append(words, p.Exp.Word)
	}
	if p.Repl != nil {
		words = append(words, p.Repl.Orig, p.Repl.With)
	}
	for _, w := range words {
		if w == nil {
			continue
		}
		for _, part := range w.Parts {
			if q, ok := part.(*syntax.SglQuoted); ok && (q.Dollar || strings.ContainsAny(q.Value, "$`\"}\\")) {
				a.opaque("a quotation that shells and parsers read differently")
				return
			}
		}
	}
}

// computed is what comes of a value by an operation that is not followed.
func computed(l list) list {
	kind := rune(word.Env)
	for _, w := range l.words {
		if numeric(scalar(w)) {
			continue
		}
		if !w.Open() || w.FromData() {
			kind = word.Any
		}
	}
	return list{words: []word.Word{{Text: string(kind), Many: l.each}}, each: l.each}
}

// indirect expands ${!x}: the value is evaluated as a name.
func (a *analyser) indirect(s *state, p *syntax.ParamExp) list {
	if isAll(p.Index) != 0 {
		return list{words: []word.Word{word.Unknown()}} // the subscripts in use
	}
	held, _ := a.held(s, p.Param.Value, p.Index)
	if len(held.words) == 1 {
		if name, ok := held.words[0].Static(); ok && syntax.ValidName(name) {
			target, _ := a.held(s, name, nil)
			if p.Exp == nil && p.Slice == nil && p.Repl == nil {
				return target
			}
			return computed(target)
		}
	}
	a.opaque("a name that is only known when it runs is evaluated")
	return one(unknown(word.Any))
}

// isAll returns '@' or '*' for the subscripts that mean all elements.
func isAll(index syntax.ArithmExpr) byte {
	w, ok := index.(*syntax.Word)
	if !ok || w == nil {
		return 0
	}
	if lit := w.Lit(); lit == "@" || lit == "*" {
		return lit[0]
	}
	return 0
}

// subscript evaluates the index of an array.
func (a *analyser) subscript(s *state, name string, index syntax.ArithmExpr) {
	if index == nil || isAll(index) != 0 {
		return
	}
	if v, ok := s.vars[name]; ok && v.lost {
		// Perhaps an associative array, whose subscripts are text; commands in them run all the same.
		a.words(s, index)
		return
	}
	a.arithm(s, index)
}

// held returns what a parameter holds; set is false when the text never said.
func (a *analyser) held(s *state, name string, index syntax.ArithmExpr) (list, bool) {
	switch name {
	case "@", "*":
		l := list{words: []word.Word{{Text: string(rune(word.Env)), Many: true}}, each: name == "@"}
		if s.flags.argsKnown && len(s.args) > 0 {
			l.words = s.args[1:]
		}
		return l, s.flags.argsKnown
	case "#", "$", "?", "!":
		return one(unknown(word.Number)), true
	case "-":
		return one(unknown(word.Env)), true
	case "_":
		return one(unknown(word.Any)), true
	}
	if n, err := strconv.Atoi(name); err == nil {
		return s.arg(n)
	}
	v, set := s.get(name)
	if index != nil {
		a.subscript(s, name, index)
		return element(v, index), set
	}
	if v.array {
		if len(v.words) == 0 {
			return list{}, set
		}
		return one(v.words[0]), set
	}
	if set && len(v.words) == 1 && v.words[0] == (word.Word{}) {
		return list{}, true
	}
	return list{words: v.words}, set
}

// arg returns a positional parameter.
func (s *state) arg(n int) (list, bool) {
	if !s.flags.argsKnown || n == 0 && len(s.args) == 0 {
		return one(unknown(word.Env)), false
	}
	for i, w := range s.args {
		if w.Many {
			return s.someArg(w, n == i), true
		}
		if i == n {
			return one(w), true
		}
	}
	return list{}, true
}

// someArg returns a parameter at or behind a word that stands for many.
func (s *state) someArg(w word.Word, first bool) list {
	last := w == s.args[len(s.args)-1]
	switch {
	case w.Glob && first && last:
		w.Many = false
		return one(w)
	case last && w.Text == string(rune(word.Env)):
		return list{words: []word.Word{w}}
	}
	return list{words: []word.Word{word.Unknown()}}
}

func element(v value, index syntax.ArithmExpr) list {
	if all := isAll(index); all != 0 {
		if !v.array && !v.lost {
			words := slices.Clone(v.words)
			for i := range words {
				words[i].Many = words[i].Many || words[i].Open()
			}
			return list{words: words, each: all == '@'}
		}
		if v.lost {
			return list{words: []word.Word{word.Unknown()}, each: all == '@'}
		}
		return list{words: v.words, each: all == '@'}
	}
	w, ok := index.(*syntax.Word)
	if ok && v.array && !v.lost && !slices.ContainsFunc(v.words, func(w word.Word) bool { return w.Many }) {
		if n, err := strconv.Atoi(w.Lit()); err == nil && n >= 0 && n < len(v.words) {
			return one(v.words[n])
		}
	}
	return one(unknown(word.Any))
}

// expand applies the operation behind a parameter's name.
func (a *analyser) expand(s *state, p *syntax.ParamExp, held list, set bool) list {
	arg := a.single(s, p.Exp.Word)
	empty := len(held.words) == 0
	certain := set && !empty && !slices.ContainsFunc(held.words, func(w word.Word) bool { return w.Open() || w.Text == "" })
	if p.Exp.Op == syntax.DefaultUnset || p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AlternateUnset {
		empty = false // set and empty is not unset, and which it is is not followed
	}
	mixed := list{words: []word.Word{{Text: string(rune(word.Any))}}}
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		return choose(empty, certain, one(arg), held, mixed)
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		l := choose(empty, certain, one(arg), held, mixed)
		if !certain && syntax.ValidName(p.Param.Value) {
			a.assign(s, p.Param.Value, scalar(l.words[0]))
		}
		return l
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		switch {
		case certain:
			return one(arg)
		case empty:
			return list{}
		}
		mixed.words[0].Many = true
		return mixed
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return held
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix, syntax.RemSmallPrefix, syntax.RemLargePrefix:
		return trim(p.Exp, held, arg)
	case syntax.OtherParamOps:
		if op := p.Exp.Word.Lit(); op != "Q" && op != "U" && op != "u" && op != "L" && op != "a" && op != "A" && op != "E" && op != "K" && op != "k" {
			a.opaque("a value is expanded as a prompt, which runs the commands in it")
		}
		return computed(held)
	}
	return computed(held)
}

func choose(empty, certain bool, otherwise, held, mixed list) list {
	switch {
	case certain:
		return held
	case empty:
		return otherwise
	}
	return mixed
}

// trim computes the removals that scripts use on paths.
func trim(e *syntax.Expansion, held list, pattern word.Word) list {
	if len(held.words) != 1 {
		return computed(held)
	}
	text, ok1 := held.words[0].Static()
	p, ok2 := pattern.Static()
	if !ok1 || !ok2 || strings.ContainsAny(p, `\`) {
		return computed(held)
	}
	suffix := e.Op == syntax.RemSmallSuffix || e.Op == syntax.RemLargeSuffix
	star := "*"
	if !strings.ContainsAny(p, "*?[") {
		star = ""
	}
	body := strings.TrimSuffix(p, star)
	if !suffix {
		body = strings.TrimPrefix(p, star)
	}
	if body == "" || strings.ContainsAny(body, "*?[") {
		return computed(held)
	}
	return one(word.Lit(cutAt(text, body, e.Op, star != "")))
}

// cutAt removes body from an end of text, and with wild what is outside of it.
func cutAt(text, body string, op syntax.ParExpOperator, wild bool) string {
	switch {
	case op == syntax.RemSmallSuffix && wild:
		if i := strings.LastIndex(text, body); i >= 0 {
			return text[:i]
		}
	case op == syntax.RemLargeSuffix && wild:
		if i := strings.Index(text, body); i >= 0 {
			return text[:i]
		}
	case op == syntax.RemSmallPrefix && wild:
		if i := strings.Index(text, body); i >= 0 {
			return text[i+len(body):]
		}
	case op == syntax.RemLargePrefix && wild:
		if i := strings.LastIndex(text, body); i >= 0 {
			return text[i+len(body):]
		}
	case op == syntax.RemSmallSuffix || op == syntax.RemLargeSuffix:
		return strings.TrimSuffix(text, body)
	default:
		return strings.TrimPrefix(text, body)
	}
	return text
}

// substitute walks $(...) and returns what it prints, where that is certain.
func (a *analyser) substitute(s *state, c *syntax.CmdSubst) list {
	if c.Backquotes && a.unclearBackquotes(c) {
		a.opaque("backquotes inside backquotes, which shells and parsers read differently")
	}
	stdin := a.stdin
	a.inside(s, c.Stmts)
	a.stdin = stdin
	if c.TempFile || c.ReplyVar { // ${ command; } runs in this shell
		s.forget()
	}
	return one(a.printed(s, c.Stmts))
}

// unclearBackquotes reports whether a backquote is inside, which to a shell
// ends the command, be it quoted or not.
func (a *analyser) unclearBackquotes(c *syntax.CmdSubst) bool {
	from, to := int(c.Left.Offset())+1, int(c.Right.Offset()) //nolint:gosec // offsets in a text of 64 KiB
	if from > to || to > len(a.src.text) {
		return true
	}
	inner := a.src.text[from:to]
	for i := 0; i < len(inner); i++ {
		switch inner[i] {
		case '\\':
			i++
		case '`':
			return true
		}
	}
	return false
}

// printed returns the output of the few commands whose output is certain.
func (a *analyser) printed(s *state, stmts []*syntax.Stmt) word.Word {
	some := unknown(word.Any)
	if len(stmts) != 1 {
		return some
	}
	stmt := stmts[0]
	if c, ok := stmt.Cmd.(*syntax.BinaryCmd); ok && c.Op == syntax.Pipe {
		call, ok := c.Y.Cmd.(*syntax.CallExpr)
		if ok && len(c.Y.Redirs) == 0 && a.counts(call) {
			return unknown(word.Number)
		}
		return some
	}
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || stmt.Negated || stmt.Background || len(call.Assigns) > 0 || len(call.Args) == 0 {
		return some
	}
	var argv []string
	for _, w := range call.Args {
		mark, steps := len(a.effects), a.steps
		fields := a.fields(s.fork(), w)
		a.effects, a.steps = a.effects[:min(mark, len(a.effects))], steps
		if len(fields) != 1 {
			return some
		}
		text, ok := fields[0].Static()
		if !ok {
			return some
		}
		argv = append(argv, text)
	}
	if s.funcs[argv[0]] != nil || s.aliases[argv[0]] != "" {
		return some
	}
	if len(stmt.Redirs) > 0 {
		if a.counts(call) && stmt.Redirs[0].Op == syntax.RdrIn {
			return unknown(word.Number)
		}
		return some
	}
	return a.output(s, argv)
}

// counts reports whether a command prints a number of what it is fed.
func (a *analyser) counts(call *syntax.CallExpr) bool {
	if len(call.Args) < 2 || len(call.Assigns) > 0 {
		return false
	}
	name, option := call.Args[0].Lit(), call.Args[1].Lit()
	switch name {
	case "wc":
		return len(call.Args) == 2 && (option == "-l" || option == "-w" || option == "-c" || option == "-m")
	case "grep":
		return len(call.Args) == 3 && option == "-c"
	}
	return false
}

func (a *analyser) output(s *state, argv []string) word.Word {
	rest := argv[1:]
	switch argv[0] {
	case "pwd":
		if len(rest) == 0 && len(s.dirs) == 1 && !s.flags.away {
			return word.Lit(s.dirs[0])
		}
		return somePath()
	case "echo":
		text := strings.Join(rest, " ")
		if len(rest) > 0 && !strings.HasPrefix(text, "-") && !strings.Contains(text, `\`) {
			return word.Lit(strings.TrimRight(text, "\n"))
		}
	case "printf":
		if len(rest) == 1 && !strings.ContainsAny(rest[0], `\%`) && !strings.HasPrefix(rest[0], "-") {
			return word.Lit(strings.TrimRight(rest[0], "\n"))
		}
	case "dirname", "basename":
		return nameOf(argv)
	case "nproc":
		return unknown(word.Number)
	case "id":
		if len(rest) == 1 && (rest[0] == "-u" || rest[0] == "-g") {
			return unknown(word.Number)
		}
	case "date":
		if len(rest) == 1 && len(rest[0]) > 1 && rest[0][0] == '+' && digitsOnly(rest[0][1:]) {
			return unknown(word.Number)
		}
	}
	return unknown(word.Any)
}

func nameOf(argv []string) word.Word {
	if len(argv) != 2 || strings.HasPrefix(argv[1], "-") || argv[1] == "" {
		return unknown(word.Any)
	}
	if argv[0] == "basename" {
		return word.Lit(path.Base(argv[1]))
	}
	dir := strings.TrimRight(argv[1], "/")
	if dir == "" {
		return word.Lit("/")
	}
	return word.Lit(path.Dir(dir))
}

// digitsOnly reports whether a format of date prints digits and dashes alone.
func digitsOnly(format string) bool {
	for i := 0; i < len(format); i++ {
		switch {
		case format[i] == '%' && i+1 < len(format) && strings.IndexByte("sYmdHMSFyjNuwVGUWgC", format[i+1]) >= 0:
			i++
		case format[i] == '-', format[i] >= '0' && format[i] <= '9':
		default:
			return false
		}
	}
	return true
}
