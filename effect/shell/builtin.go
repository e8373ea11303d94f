// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/shell/internal/expand"
	"github.com/toolverdict/toolverdict/effect/shell/internal/state"
	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

type builtin func(a *analyser, s *state.State, argv []word.Word) flow

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
	a.found.Emit(toolverdict.Effect{Kind: toolverdict.EffectExecute, Program: name, Argv: shown(argv), Known: true})
}

// cd moves to another folder, or fails and stays.
func (a *analyser) cd(s *state.State, argv []word.Word) flow {
	a.ran(argv)
	name := argv[0].Text
	args := argv[1:]
	for len(args) > 0 && len(args[0].Prefix()) > 1 && args[0].Prefix()[0] == '-' {
		args = args[1:]
	}
	to := s.Fork()
	to.Own()
	to.Old = s.Dirs
	switch {
	case name == "popd" || name == "pushd" && (len(args) == 0 || strings.HasPrefix(args[0].Prefix(), "+")):
		to.Dirs = nil
	case s.Flags.LostCd || len(args) > 1:
		to.Dirs = nil
	case len(args) == 0:
		home, _ := s.Text("HOME")
		to.Dirs = a.folders(s, home)
	case args[0].Text == "-" && !args[0].Glob:
		to.Dirs = s.Old
		if old, set := s.Text("OLDPWD"); set {
			to.Dirs = a.folders(s, old)
		}
	default:
		to.Dirs = a.folders(s, args[0])
	}
	delete(to.Vars, "PWD") // they are set anew
	delete(to.Vars, "OLDPWD")
	return flow{ok: to, fail: s}
}

// folders returns where cd to the word may lead; none when that is not known.
func (a *analyser) folders(s *state.State, w word.Word) []string {
	var dirs []string
	for _, t := range a.targets(s, w) {
		if t.Path == "" || t.Deep {
			return nil
		}
		dirs = append(dirs, t.Path)
	}
	if len(dirs) > state.MaxDirs {
		return nil
	}
	return dirs
}

// eval reads its arguments as commands of this shell.
func (a *analyser) eval(s *state.State, argv []word.Word) flow {
	a.ran(argv[:1])
	text := word.Text(argv[1:])
	f := a.text(s, text, a.dialect())
	if _, ok := text.Static(); !ok {
		out := f.any().OrDead()
		out.Forget()
		return straight(out)
	}
	return f
}

// source runs a file in this shell.
func (a *analyser) source(s *state.State, argv []word.Word) flow {
	a.found.Emit(toolverdict.Effect{Kind: toolverdict.EffectExecute, Program: "source", Argv: shown(argv)})
	if len(argv) > 1 {
		a.runFile(s, argv[1])
	}
	s.Forget()
	return straight(s)
}

// wrapper runs what follows, past aliases and functions.
func (a *analyser) wrapper(s *state.State, argv []word.Word) flow {
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

func (a *analyser) exit(s *state.State, argv []word.Word) flow {
	a.ran(argv)
	return flow{}
}

func (a *analyser) returns(s *state.State, argv []word.Word) flow {
	a.ran(argv)
	if len(a.funcs.calls) == 0 {
		return straight(s)
	}
	c := a.funcs.calls[len(a.funcs.calls)-1]
	c.out = state.Join(c.out, s)
	return flow{}
}

func (a *analyser) breaks(s *state.State, argv []word.Word) flow {
	a.ran(argv)
	if len(a.loops) == 0 {
		return straight(s)
	}
	first := len(a.loops) - 1
	if len(argv) > 1 {
		first = 0 // how many levels is not looked at
	}
	for _, l := range a.loops[first:] {
		l.out, l.again = state.Join(l.out, s), state.Join(l.again, s)
	}
	return flow{}
}

func (a *analyser) setOptions(s *state.State, argv []word.Word) flow {
	a.ran(argv)
	for i, w := range argv[1:] {
		opt, ok := w.Static()
		switch {
		case !ok:
			s.Args, s.Flags.ArgsKnown = nil, false
			if w.Loose() != word.Firm {
				s.Flags.Exit = false
				return straight(s)
			}
		case opt == "--":
			a.setArgs(s, argv[i+2:])
			return straight(s)
		case len(opt) > 1 && opt[0] == '-':
			s.Flags.Exit = s.Flags.Exit || strings.Contains(opt, "e")
			s.Flags.Leads = s.Flags.Leads || strings.Contains(opt, "a") // every variable is exported from here on
			if strings.Contains(opt, "H") {
				a.found.Opaque(historyExpanded)
			}
			if strings.Contains(opt, "k") {
				a.found.Opaque("set -k takes words after the command for its environment")
			}
		case len(opt) > 1 && opt[0] == '+':
			s.Flags.Exit = s.Flags.Exit && !strings.Contains(opt, "e")
		case opt == "errexit":
			s.Flags.Exit = i > 0 && argv[i].Text == "-o" || s.Flags.Exit && argv[i].Text != "+o"
		case opt == "histexpand", opt == "history":
			a.found.Opaque(historyExpanded)
		case opt == "allexport":
			s.Flags.Leads = true
		case opt == "keyword":
			a.found.Opaque("set -k takes words after the command for its environment")
		case i > 0 && strings.HasSuffix(argv[i].Text, "o"):
		default:
			a.setArgs(s, argv[i+1:])
			return straight(s)
		}
	}
	return straight(s)
}

const historyExpanded = "set lets lines stand for earlier ones"

func (a *analyser) setArgs(s *state.State, args []word.Word) {
	s.Args = append([]word.Word{state.Unknown(word.Env)}, expand.Few(args)...)
	s.Flags.ArgsKnown = true
}

func (a *analyser) shift(s *state.State, argv []word.Word) flow {
	a.ran(argv)
	if s.Flags.ArgsKnown && len(argv) == 1 && len(s.Args) > 1 && !s.Args[1].Many {
		s.Args = append([]word.Word{s.Args[0]}, s.Args[2:]...)
		return straight(s)
	}
	s.Args, s.Flags.ArgsKnown = nil, false
	return straight(s)
}

// shopt changes options of the shell; with -o those of set.
func (a *analyser) shopt(s *state.State, argv []word.Word) flow {
	set, other := argv[:1:1], false
	for _, w := range argv[1:] {
		if strings.HasPrefix(w.Text, "-") {
			other = other || strings.Contains(w.Text, "o")
			continue
		}
		name, _ := w.Static()
		s.Flags.Shopt(name)
		set = append(set, word.Lit("-o"), w)
	}
	if other {
		return a.setOptions(s, set)
	}
	a.ran(argv)
	return straight(s)
}

// trap runs its text later, when nothing is known about the state.
func (a *analyser) trap(s *state.State, argv []word.Word) flow {
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
	later := s.Fork()
	later.Forget()
	loops, calls := a.loops, a.funcs.calls
	a.text(later, args[0], a.dialect())
	a.loops, a.funcs.calls = loops, calls
	for _, w := range args[1:] {
		name, ok := w.Static()
		if name = strings.ToUpper(name); !ok || name == "DEBUG" || name == "ERR" || name == "RETURN" {
			s.Forget() // it runs between the commands that follow
		}
	}
	return straight(s)
}

// alias notes the text of a name; what it runs counts where it is used, and
// here too: a later command may use it.
func (a *analyser) alias(s *state.State, argv []word.Word) flow {
	a.ran(argv)
	for _, w := range argv[1:] {
		name, _, ok := strings.Cut(w.Prefix(), "=")
		if !ok {
			if _, static := w.Static(); !static {
				a.found.Opaque("an alias whose name is not known")
			}
			continue
		}
		text, static := w.Cut(len(name) + 1).Static()
		if !static {
			a.found.Opaque("an alias whose text is not known")
			text = state.UnclearAlias
		}
		s.Alias(name, text)
		if !a.found.Step(len(s.Aliases)) { // they were copied
			return straight(s)
		}
		if strings.TrimSpace(text) != "" && !slices.Contains(a.aliasing, name) {
			a.aliasing = append(a.aliasing, name)
			a.text(s.Fork(), word.Lit(text), a.dialect())
			a.aliasing = a.aliasing[:len(a.aliasing)-1]
		}
	}
	return straight(s)
}

// remaps are builtins that change what names run, or run something themselves.
func (a *analyser) remaps(s *state.State, argv []word.Word) flow {
	a.ran(argv)
	name := argv[0].Text
	for _, w := range argv[1:] {
		opt := w.Prefix()
		switch {
		case len(opt) < 2 && w.Loose() != word.Firm:
			a.found.Opaque(name + " is given an option that is not known")
		case name == "hash" && strings.HasPrefix(opt, "-") && strings.Contains(opt, "p"),
			name == "enable" && strings.HasPrefix(opt, "-") && strings.ContainsAny(opt, "fd"),
			name == "zmodload" || name == "autoload" || name == "emulate" || name == "sched":
			a.found.Opaque(name + " changes what programs run")
			return straight(s)
		case (name == "complete" || name == "compgen") && (strings.HasPrefix(opt, "-C") || strings.HasPrefix(opt, "-F") || strings.HasPrefix(opt, "-W")),
			name == "bind" && (strings.HasPrefix(opt, "-x") || strings.HasPrefix(opt, "-f")),
			name == "fc":
			a.found.Opaque(name + " runs a command of its own")
			return straight(s)
		}
	}
	return straight(s)
}
