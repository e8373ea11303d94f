// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package expand

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolverdict/toolverdict/effect/shell/internal/state"
	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

func one(w word.Word) list { return list{words: []word.Word{w}} }

// param expands $x in all its forms.
func (a *Expander) param(s *state.State, p *syntax.ParamExp, quoted bool) list {
	if quoted {
		a.quotedParam(p)
	}
	if p.Param == nil || p.Flags != nil || p.NestedParam != nil {
		a.Found.Opaque("a form of expansion that is not known")
		return one(state.Unknown(word.Any))
	}
	name := p.Param.Value
	switch {
	case p.Length || p.Width || p.IsSet:
		a.Subscript(s, name, p.Index)
		return one(state.Unknown(word.Number))
	case p.Names != 0:
		return list{words: []word.Word{word.Unknown()}}
	case p.Excl:
		return a.indirect(s, p)
	}
	held, set := a.held(s, name, p.Index)
	switch {
	case p.Slice != nil:
		a.Arithm(s, p.Slice.Offset)
		a.Arithm(s, p.Slice.Length)
		return computed(held)
	case p.Repl != nil:
		a.Single(s, p.Repl.Orig)
		a.Single(s, p.Repl.With)
		return computed(held)
	case p.Exp != nil:
		return a.expand(s, p, held, set)
	}
	return held
}

// quotedParam refuses quotes inside "${x:-...}": to a shell a single quote is
// text there, to the parser it hides what follows.
func (a *Expander) quotedParam(p *syntax.ParamExp) {
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
				a.Found.Opaque("a quotation that shells and parsers read differently")
				return
			}
		}
	}
}

// computed is what comes of a value by an operation that is not followed.
func computed(l list) list {
	kind := rune(word.Env)
	for _, w := range l.words {
		if state.Numeric(state.Scalar(w)) {
			continue
		}
		if !w.Open() || w.FromData() {
			kind = word.Any
		}
	}
	return list{words: []word.Word{{Text: string(kind), Many: l.each}}, each: l.each}
}

// indirect expands ${!x}: the value is evaluated as a name.
func (a *Expander) indirect(s *state.State, p *syntax.ParamExp) list {
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
	a.Found.Opaque("a name that is only known when it runs is evaluated")
	return one(state.Unknown(word.Any))
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

// Subscript evaluates the index of an array.
func (a *Expander) Subscript(s *state.State, name string, index syntax.ArithmExpr) {
	if index == nil || isAll(index) != 0 {
		return
	}
	if v, ok := s.Vars[name]; ok && v.Lost {
		// Perhaps an associative array, whose subscripts are text; commands in them run all the same.
		a.words(s, index)
		return
	}
	a.Arithm(s, index)
}

// held returns what a parameter holds; set is false when the text never said.
func (a *Expander) held(s *state.State, name string, index syntax.ArithmExpr) (list, bool) {
	switch name {
	case "@", "*":
		l := list{words: []word.Word{{Text: string(rune(word.Env)), Many: true}}, each: name == "@"}
		if s.Flags.ArgsKnown && len(s.Args) > 0 {
			l.words = s.Args[1:]
		}
		return l, s.Flags.ArgsKnown
	case "#", "$", "?", "!":
		return one(state.Unknown(word.Number)), true
	case "-":
		return one(state.Unknown(word.Env)), true
	case "_":
		return one(state.Unknown(word.Any)), true
	}
	if n, err := strconv.Atoi(name); err == nil {
		return arg(s, n)
	}
	v, set := s.Get(name)
	if index != nil {
		a.Subscript(s, name, index)
		return element(v, index), set
	}
	if v.Array {
		if len(v.Words) == 0 {
			return list{}, set
		}
		return one(v.Words[0]), set
	}
	if set && len(v.Words) == 1 && v.Words[0] == (word.Word{}) {
		return list{}, true
	}
	return list{words: v.Words}, set
}

// arg returns a positional parameter.
func arg(s *state.State, n int) (list, bool) {
	if !s.Flags.ArgsKnown || n == 0 && len(s.Args) == 0 {
		return one(state.Unknown(word.Env)), false
	}
	for i, w := range s.Args {
		if w.Many {
			return someArg(s, w, n == i), true
		}
		if i == n {
			return one(w), true
		}
	}
	return list{}, true
}

// someArg returns a parameter at or behind a word that stands for many.
func someArg(s *state.State, w word.Word, first bool) list {
	last := w == s.Args[len(s.Args)-1]
	switch {
	case w.Glob && first && last:
		w.Many = false
		return one(w)
	case last && w.Text == string(rune(word.Env)):
		return list{words: []word.Word{w}}
	}
	return list{words: []word.Word{word.Unknown()}}
}

func element(v state.Value, index syntax.ArithmExpr) list {
	if all := isAll(index); all != 0 {
		if !v.Array && !v.Lost {
			words := slices.Clone(v.Words)
			for i := range words {
				words[i].Many = words[i].Many || words[i].Open()
			}
			return list{words: words, each: all == '@'}
		}
		if v.Lost {
			return list{words: []word.Word{word.Unknown()}, each: all == '@'}
		}
		return list{words: v.Words, each: all == '@'}
	}
	w, ok := index.(*syntax.Word)
	if ok && v.Array && !v.Lost && !slices.ContainsFunc(v.Words, func(w word.Word) bool { return w.Many }) {
		if n, err := strconv.Atoi(w.Lit()); err == nil && n >= 0 && n < len(v.Words) {
			return one(v.Words[n])
		}
	}
	return one(state.Unknown(word.Any))
}

// expand applies the operation behind a parameter's name.
func (a *Expander) expand(s *state.State, p *syntax.ParamExp, held list, set bool) list {
	arg := a.Single(s, p.Exp.Word)
	empty := len(held.words) == 0
	certain := set && !empty && !slices.ContainsFunc(held.words, func(w word.Word) bool { return w.Open() || w.Digits() })
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
			a.Shell.Assign(s, p.Param.Value, state.Scalar(l.words[0]))
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
			a.Found.Opaque("a value is expanded as a prompt, which runs the commands in it")
		}
		return computed(held)
	default:
		return computed(held)
	}
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
	suffix := op == syntax.RemSmallSuffix || op == syntax.RemLargeSuffix
	if !wild && suffix {
		return strings.TrimSuffix(text, body)
	}
	if !wild {
		return strings.TrimPrefix(text, body)
	}
	at := strings.Index(text, body)
	if op == syntax.RemSmallSuffix || op == syntax.RemLargePrefix {
		at = strings.LastIndex(text, body)
	}
	switch {
	case at < 0:
		return text
	case suffix:
		return text[:at]
	}
	return text[at+len(body):]
}
