// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/shell/internal/program"
	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

type builtin func(a *analyser, s *state, argv []word.Word) flow

// builtinNamed returns the builtins that change the shell or run something;
// the harmless ones are rows of the table.
func builtinNamed(name string) builtin {
	switch name {
	case "cd", "pushd", "popd", "chdir":
		return (*analyser).cd
	case "eval":
		return (*analyser).eval
	case "source", ".":
		return (*analyser).source
	case "exec", "command", "builtin", "noglob", "nocorrect":
		return (*analyser).wrapper
	case "exit", "logout":
		return (*analyser).exit
	case "return":
		return (*analyser).returns
	case "break", "continue":
		return (*analyser).breaks
	case "set":
		return (*analyser).setOptions
	case "shift":
		return (*analyser).shift
	case "shopt", "setopt", "unsetopt":
		return (*analyser).shopt
	case "trap":
		return (*analyser).trap
	case "alias":
		return (*analyser).alias
	case "read", "mapfile", "readarray", "getopts", "printf", "wait", "unset", "vared":
		return (*analyser).assigning
	case "export", "declare", "typeset", "local", "readonly", "integer", "float":
		return (*analyser).declaring
	case "let":
		return (*analyser).letWords
	case "hash", "enable", "bind", "complete", "compgen", "fc", "zmodload", "autoload", "emulate", "sched":
		return (*analyser).remaps
	}
	return nil
}

// ran notes a builtin as a program that is known.
func (a *analyser) ran(argv []word.Word) {
	name, _ := argv[0].Static()
	a.emit(toolverdict.Effect{Kind: toolverdict.EffectExecute, Program: name, Argv: shown(argv), Known: true})
}

// cd moves to another folder, or fails and stays.
func (a *analyser) cd(s *state, argv []word.Word) flow {
	a.ran(argv)
	name := argv[0].Text
	args := argv[1:]
	for len(args) > 0 && len(args[0].Prefix()) > 1 && args[0].Prefix()[0] == '-' {
		args = args[1:]
	}
	to := s.fork()
	to.own()
	to.old = s.dirs
	switch {
	case name == "popd" || name == "pushd" && (len(args) == 0 || strings.HasPrefix(args[0].Prefix(), "+")):
		to.dirs = nil
	case s.flags.lostCd || len(args) > 1:
		to.dirs = nil
	case len(args) == 0:
		v, _ := s.get("HOME")
		to.dirs = a.folders(s, v.words[0])
	case args[0].Text == "-" && !args[0].Glob:
		to.dirs = s.old
	default:
		to.dirs = a.folders(s, args[0])
	}
	return flow{ok: to, fail: s}
}

// folders returns where cd to the word may lead; none when that is not known.
func (a *analyser) folders(s *state, w word.Word) []string {
	var dirs []string
	for _, t := range a.targets(s, w) {
		if t.Path == "" || t.Deep {
			return nil
		}
		dirs = append(dirs, t.Path)
	}
	if len(dirs) > maxDirs {
		return nil
	}
	return dirs
}

// eval reads its arguments as commands of this shell.
func (a *analyser) eval(s *state, argv []word.Word) flow {
	a.ran(argv[:1])
	text := program.Text(argv[1:])
	f := a.text(s, text, a.dialect())
	if _, ok := text.Static(); !ok {
		out := f.any().orDead()
		out.forget()
		return straight(out)
	}
	return f
}

// source runs a file in this shell.
func (a *analyser) source(s *state, argv []word.Word) flow {
	a.emit(toolverdict.Effect{Kind: toolverdict.EffectExecute, Program: "source", Argv: shown(argv)})
	if len(argv) > 1 {
		a.runFile(s, argv[1])
	}
	s.forget()
	return straight(s)
}

// wrapper runs what follows, past aliases and functions.
func (a *analyser) wrapper(s *state, argv []word.Word) flow {
	name := argv[0].Text
	rest := argv[1:]
	for len(rest) > 0 {
		opt, ok := rest[0].Static()
		if !ok || len(opt) < 2 || opt[0] != '-' {
			break
		}
		rest = rest[1:]
		if opt == "--" {
			break
		}
		if name == "command" && strings.ContainsAny(opt, "vV") {
			a.ran(argv)
			return straight(s)
		}
		if name == "exec" && strings.HasSuffix(opt, "a") && len(rest) > 0 {
			rest = rest[1:]
		}
	}
	a.ran(argv)
	if len(rest) == 0 {
		return straight(s)
	}
	f := straight(s)
	if text, ok := rest[0].Static(); ok && name != "exec" {
		if b := builtinNamed(text); b != nil {
			return b(a, s, rest)
		}
	}
	a.run(s, rest)
	if name == "exec" {
		f.ok = nil
	}
	return f
}

func (a *analyser) exit(s *state, argv []word.Word) flow {
	a.ran(argv)
	return flow{}
}

func (a *analyser) returns(s *state, argv []word.Word) flow {
	a.ran(argv)
	if len(a.calls) == 0 {
		return straight(s)
	}
	c := a.calls[len(a.calls)-1]
	c.out = join(c.out, s)
	return flow{}
}

func (a *analyser) breaks(s *state, argv []word.Word) flow {
	a.ran(argv)
	if len(a.loops) == 0 {
		return straight(s)
	}
	first := len(a.loops) - 1
	if len(argv) > 1 {
		first = 0 // how many levels is not looked at
	}
	for _, l := range a.loops[first:] {
		l.out, l.again = join(l.out, s), join(l.again, s)
	}
	return flow{}
}

func (a *analyser) setOptions(s *state, argv []word.Word) flow {
	a.ran(argv)
	for i, w := range argv[1:] {
		opt, ok := w.Static()
		switch {
		case !ok:
			s.args, s.flags.argsKnown = nil, false
			if w.Loose() != word.Firm {
				s.flags.exit = false
				return straight(s)
			}
		case opt == "--":
			a.setArgs(s, argv[i+2:])
			return straight(s)
		case len(opt) > 1 && opt[0] == '-':
			s.flags.exit = s.flags.exit || strings.Contains(opt, "e")
			if strings.Contains(opt, "k") {
				a.opaque("set -k takes words after the command for its environment")
			}
		case len(opt) > 1 && opt[0] == '+':
			s.flags.exit = s.flags.exit && !strings.Contains(opt, "e")
		case opt == "errexit":
			s.flags.exit = i > 0 && argv[i].Text == "-o" || s.flags.exit && argv[i].Text != "+o"
		case opt == "keyword":
			a.opaque("set -k takes words after the command for its environment")
		case i > 0 && strings.HasSuffix(argv[i].Text, "o"):
		default:
			a.setArgs(s, argv[i+1:])
			return straight(s)
		}
	}
	return straight(s)
}

func (a *analyser) setArgs(s *state, args []word.Word) {
	s.args = append([]word.Word{unknown(word.Env)}, few(args)...)
	s.flags.argsKnown = true
}

func (a *analyser) shift(s *state, argv []word.Word) flow {
	a.ran(argv)
	if s.flags.argsKnown && len(argv) == 1 && len(s.args) > 1 && !s.args[1].Many {
		s.args = append([]word.Word{s.args[0]}, s.args[2:]...)
		return straight(s)
	}
	s.args, s.flags.argsKnown = nil, false
	return straight(s)
}

func (a *analyser) shopt(s *state, argv []word.Word) flow {
	a.ran(argv)
	s.flags.dotGlob, s.flags.lastPipe = true, true // dotglob and lastpipe may be among them
	return straight(s)
}

// trap runs its text later, when nothing is known about the state.
func (a *analyser) trap(s *state, argv []word.Word) flow {
	a.ran(argv)
	args := argv[1:]
	if len(args) > 0 && args[0].Text == "--" {
		args = args[1:]
	}
	if len(args) < 2 {
		return straight(s)
	}
	if text, ok := args[0].Static(); ok && (text == "" || strings.HasPrefix(text, "-")) {
		return straight(s)
	}
	later := s.fork()
	later.forget()
	loops, calls := a.loops, a.calls
	a.text(later, args[0], a.dialect())
	a.loops, a.calls = loops, calls
	for _, w := range args[1:] {
		name, ok := w.Static()
		if name = strings.ToUpper(name); !ok || name == "DEBUG" || name == "ERR" || name == "RETURN" {
			s.forget() // it runs between the commands that follow
		}
	}
	return straight(s)
}

// alias notes the text of a name; what it runs counts where it is used, and
// here too: a later command may use it.
func (a *analyser) alias(s *state, argv []word.Word) flow {
	a.ran(argv)
	for _, w := range argv[1:] {
		name, _, ok := strings.Cut(w.Prefix(), "=")
		if !ok {
			if _, static := w.Static(); !static {
				a.opaque("an alias whose name is not known")
			}
			continue
		}
		text, static := w.Cut(len(name) + 1).Static()
		if !static {
			a.opaque("an alias whose text is not known")
			text = unclearAlias
		}
		s.own()
		if s.aliases == nil {
			s.aliases = map[string]string{}
		}
		s.aliases[name] = text
		if strings.TrimSpace(text) != "" && !slices.Contains(a.aliasing, name) {
			a.aliasing = append(a.aliasing, name)
			a.text(s.fork(), word.Lit(text), a.dialect())
			a.aliasing = a.aliasing[:len(a.aliasing)-1]
		}
	}
	return straight(s)
}

// assigning are builtins that set variables which their words name.
func (a *analyser) assigning(s *state, argv []word.Word) flow {
	plan := a.table.Plan(argv[0].Text, argv[1:])
	plan.Known = true
	a.ran(argv)
	a.apply(s, &plan)
	args := argv[1:]
	switch name := argv[0].Text; name {
	case "printf":
		if len(args) < 2 || !strings.HasPrefix(args[0].Prefix(), "-v") {
			return straight(s)
		}
		args = args[:2]
	case "unset":
		for _, w := range args {
			if f, ok := w.Static(); ok && s.funcs[f] != nil {
				s.own()
				s.funcs[f] = &function{name: f}
			}
		}
	case "read":
		s.set("REPLY", scalar(unknown(word.Any)))
	}
	for i, w := range args {
		if callback, ok := strings.CutPrefix(w.Prefix(), "-C"); ok && argv[0].Text != "read" {
			a.callback(s, callback, args[i+1:])
		}
		a.setByName(s, w)
	}
	return straight(s)
}

// callback runs what mapfile -C calls for every line.
func (a *analyser) callback(s *state, text string, after []word.Word) {
	w := word.Lit(text)
	if text == "" && len(after) > 0 {
		w = after[0]
	}
	a.text(s.fork(), program.Text([]word.Word{w}), a.dialect())
	a.opaque("a command is called with lines that are only known when it runs")
}

// setByName makes a variable unknown whose name a word gives. A subscript in
// the name is evaluated.
func (a *analyser) setByName(s *state, w word.Word) {
	text, ok := w.Static()
	switch {
	case !ok && (w.FromData() || w.Many):
		a.opaque("a variable is set whose name is only known when it runs")
		s.forget()
	case !ok:
		s.forget()
	case syntax.ValidName(text):
		a.assign(s, text, value{words: []word.Word{unknown(word.Any)}, array: s.vars[text].array})
	case strings.Contains(text, "["):
		name, index, _ := strings.Cut(text, "[")
		if strings.ContainsAny(index, "$`[") {
			a.opaque("a subscript that may hold a command is evaluated")
		}
		if syntax.ValidName(name) {
			a.assign(s, name, value{words: []word.Word{word.Unknown()}, array: true})
		}
	}
}

// declClause walks declare, export, local and the like with their assignments.
func (a *analyser) declClause(s *state, c *syntax.DeclClause) flow {
	name := c.Variant.Value
	if fn := s.funcs[name]; fn != nil {
		return a.callFunction(s, fn, []word.Word{word.Lit(name), word.Unknown()})
	}
	argv := []word.Word{word.Lit(name)}
	flags := ""
	defer func(old string) { a.where = old }(a.where)
	a.where = a.at(c.Pos())
	var named []*syntax.Assign
	for _, as := range c.Args {
		if as.Name != nil {
			named = append(named, as)
			argv = append(argv, word.Lit(as.Name.Value))
			continue
		}
		for _, w := range a.fields(s, as.Value) {
			argv = append(argv, w)
			if opt := w.Prefix(); strings.HasPrefix(opt, "-") || strings.HasPrefix(opt, "+") {
				flags += opt
			} else {
				a.declareWord(s, w)
			}
		}
	}
	a.ran(argv)
	for _, as := range named {
		a.declareOne(s, name, flags, as)
	}
	return straight(s)
}

func (a *analyser) declareOne(s *state, builtin, flags string, as *syntax.Assign) {
	name := as.Name.Value
	local := builtin == "local" || (builtin == "declare" || builtin == "typeset") && !strings.Contains(flags, "g")
	if len(a.calls) > 0 && local {
		c := a.calls[len(a.calls)-1]
		c.locals = append(c.locals, name)
	}
	switch {
	case strings.ContainsAny(flags, "n"):
		a.opaque("a name for another variable, so that any assignment may be to any variable")
		s.forget()
	case strings.ContainsAny(flags, "iluAcr") || builtin == "readonly":
		a.assignment(s, as)
		if strings.Contains(flags, "i") && as.Value != nil {
			a.evaluate(s, a.single(s, as.Value), 0)
		}
		v, _ := s.get(name)
		v.fixed = builtin == "readonly" || strings.Contains(flags, "r")
		v.lost = v.lost || strings.ContainsAny(flags, "iluAc")
		s.set(name, v)
	case strings.Contains(flags, "f"):
		s.flags.exported = true
	case as.Naked && local && len(a.calls) > 0:
		a.assign(s, name, scalar(word.Word{}))
	default:
		a.assignment(s, as)
	}
}

// declareWord reads a word that turns out to be a declaration.
func (a *analyser) declareWord(s *state, w word.Word) {
	name, _, assigns := strings.Cut(w.Prefix(), "=")
	switch {
	case assigns && syntax.ValidName(name):
		a.assign(s, name, scalar(w.Cut(len(name)+1)))
	case assigns:
		a.setByName(s, word.Lit(name))
	default:
		if _, ok := w.Static(); !ok {
			a.opaque("a variable is set whose name is only known when it runs")
			s.forget()
		}
	}
}

// declaring is a declaration that only turned out to be one when its words
// were expanded.
func (a *analyser) declaring(s *state, argv []word.Word) flow {
	a.ran(argv)
	for _, w := range argv[1:] {
		if strings.HasPrefix(w.Prefix(), "-") {
			if strings.ContainsAny(w.Prefix(), "nf") {
				s.forget()
				s.flags.exported = true
			}
			continue
		}
		a.declareWord(s, w)
	}
	return straight(s)
}

func (a *analyser) let(s *state, c *syntax.LetClause) flow {
	if fn := s.funcs["let"]; fn != nil {
		return a.callFunction(s, fn, []word.Word{word.Lit("let"), word.Unknown()})
	}
	a.emit(toolverdict.Effect{Kind: toolverdict.EffectExecute, Program: "let", Known: true})
	for _, x := range c.Exprs {
		a.arithm(s, x)
	}
	return straight(s)
}

func (a *analyser) letWords(s *state, argv []word.Word) flow {
	a.ran(argv)
	for _, w := range argv[1:] {
		text, ok := w.Static()
		if !ok || strings.ContainsAny(text, "[$`") {
			a.opaque("arithmetic evaluates text that may hold a command")
		}
		name, _, _ := strings.Cut(text, "=")
		if name = strings.Trim(name, "+-*/%&|^<> "); syntax.ValidName(name) {
			a.assign(s, name, scalar(unknown(word.Any)))
		}
	}
	return straight(s)
}

// remaps are builtins that change what names run, or run something themselves.
func (a *analyser) remaps(s *state, argv []word.Word) flow {
	a.ran(argv)
	name := argv[0].Text
	for _, w := range argv[1:] {
		opt := w.Prefix()
		switch {
		case len(opt) < 2 && w.Loose() != word.Firm:
			a.opaque(name + " is given an option that is not known")
		case name == "hash" && strings.HasPrefix(opt, "-") && strings.Contains(opt, "p"),
			name == "enable" && strings.HasPrefix(opt, "-") && strings.ContainsAny(opt, "fd"),
			name == "zmodload" || name == "autoload" || name == "emulate" || name == "sched":
			a.opaque(name + " changes what programs run")
			return straight(s)
		case (name == "complete" || name == "compgen") && (strings.HasPrefix(opt, "-C") || strings.HasPrefix(opt, "-F") || strings.HasPrefix(opt, "-W")),
			name == "bind" && (strings.HasPrefix(opt, "-x") || strings.HasPrefix(opt, "-f")),
			name == "fc":
			a.opaque(name + " runs a command of its own")
			return straight(s)
		}
	}
	return straight(s)
}
