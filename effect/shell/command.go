// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/shell/internal/parse"
	"github.com/toolverdict/toolverdict/effect/shell/internal/program"
	"github.com/toolverdict/toolverdict/effect/shell/internal/state"
	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

// simple walks "a=b command words".
func (a *analyser) simple(s *state.State, c *syntax.CallExpr) flow {
	if len(c.Args) == 0 {
		defer func(old string) { a.found.Where = old }(a.found.Where)
		a.found.Where = a.at(c.Pos())
		for _, as := range c.Assigns {
			a.assignment(s, as)
		}
		return straight(s)
	}
	where := a.at(c.Args[0].Pos())
	var argv []word.Word
	for _, w := range c.Args {
		argv = append(argv, a.words.Fields(s, w)...)
	}
	sub := s
	if len(c.Assigns) > 0 {
		sub = s.Fork()
		for _, as := range c.Assigns {
			if c.Args[0].Lit() == "read" && as.Name != nil && as.Name.Value == "IFS" {
				a.words.Single(sub, as.Value)
				continue
			}
			a.assignment(sub, as)
			a.exportedNow(sub, as)
		}
	}
	defer func(old string) { a.found.Where = old }(a.found.Where)
	a.found.Where = where
	f := a.dispatch(sub, argv, c)
	if len(c.Assigns) == 0 {
		return f
	}
	return a.withoutPrefix(s, f, c, argv)
}

// withoutPrefix takes the assignments before a command back. A function or a
// special builtin may keep them.
func (a *analyser) withoutPrefix(s *state.State, f flow, c *syntax.CallExpr, argv []word.Word) flow {
	undo := func(t *state.State) *state.State {
		if t == nil {
			return nil
		}
		t = t.Fork()
		t.Own()
		t.Flags.LostIFS, t.Flags.LostCd = s.Flags.LostIFS, s.Flags.LostCd
		t.Flags.Doubt, t.Flags.Leads = s.Flags.Doubt, s.Flags.Leads
		for _, as := range c.Assigns {
			if as.Name == nil {
				continue
			}
			before, _ := s.Get(as.Name.Value)
			now, _ := t.Get(as.Name.Value)
			if a.keepsPrefix(s, argv) {
				before = state.JoinValues(before, now)
			}
			if t.Vars == nil {
				t.Vars = map[string]state.Value{}
			}
			if _, had := s.Vars[as.Name.Value]; !had && !a.keepsPrefix(s, argv) {
				delete(t.Vars, as.Name.Value)
				continue
			}
			t.Vars[as.Name.Value] = before
		}
		return t
	}
	if f.ok == f.fail {
		return straight(undo(f.ok))
	}
	return flow{ok: undo(f.ok), fail: undo(f.fail)}
}

func (a *analyser) keepsPrefix(s *state.State, argv []word.Word) bool {
	if len(argv) == 0 {
		return true
	}
	name, ok := argv[0].Static()
	if !ok || s.Funcs[name].Function != nil {
		return true
	}
	switch name {
	case ":", ".", "source", "break", "continue", "eval", "exec", "exit", "export", "readonly", "return", "set",
		"shift", "times", "trap", "unset":
		return true
	}
	return false
}

// dispatch finds out what the first word names: an alias, a function, a
// builtin, a program.
func (a *analyser) dispatch(s *state.State, argv []word.Word, c *syntax.CallExpr) flow {
	// A word that may vanish lets the next one be the command.
	for len(argv) > 0 && argv[0].Many && !argv[0].Glob && argv[0].Text == "" {
		argv = argv[1:]
	}
	if len(argv) == 0 {
		return straight(s)
	}
	name, ok := argv[0].Static()
	if !ok {
		a.execute(s, argv, false)
		return straight(s)
	}
	if c != nil && !slices.Contains(a.aliasing, name) {
		// Whether aliases are in use is not certain: all readings count.
		start := s
		for _, text := range s.Aliases[name] {
			f := a.expandAlias(start.Fork(), name, text, c)
			s = state.Join(s, f.any())
		}
	}
	fn := s.Funcs[name]
	switch {
	case fn.Function == nil:
		return a.withoutFunction(s, name, argv)
	case fn.Body != nil && !fn.Perhaps:
		return a.callFunction(s, fn.Function, argv)
	}
	called := a.callFunction(s.Fork(), fn.Function, argv)
	other := a.withoutFunction(s, name, argv)
	return flow{ok: state.Join(called.ok, other.ok), fail: state.Join(called.fail, other.fail)}
}

// withoutFunction runs a builtin or a program.
func (a *analyser) withoutFunction(s *state.State, name string, argv []word.Word) flow {
	b := builtinNamed(name)
	switch {
	case b == nil:
		a.execute(s, argv, false)
		return straight(s)
	case a.words.Src.Lang != syntax.LangPOSIX || !notEverywhere(name):
		return b(a, s, argv)
	}
	f := b(a, s.Fork(), argv) // or a shell that has no such builtin does nothing
	return flow{ok: state.Join(f.ok, s), fail: state.Join(f.fail, s)}
}

// notEverywhere reports whether plain shells lack a builtin.
func notEverywhere(name string) bool {
	switch name {
	case "declare", "typeset", "integer", "float", "local", "let", "shopt", "setopt", "unsetopt", "mapfile", "readarray",
		"pushd", "popd", "source", "builtin", "enable", "noglob", "nocorrect", "vared":
		return true
	}
	return false
}

// expandAlias walks the alias's text with the source of the arguments behind it.
func (a *analyser) expandAlias(s *state.State, name, text string, c *syntax.CallExpr) flow {
	from, to := parse.Offset(c.Args[0].End()), parse.Offset(c.End())
	if from > to || to > len(a.words.Src.Text) {
		a.found.Opaque("an alias that cannot be followed")
		return straight(s)
	}
	if strings.HasSuffix(text, " ") || strings.HasSuffix(text, "\t") || strings.ContainsAny(text, "#\n\\") || syntax.IsKeyword(name) {
		a.found.Opaque("an alias that changes how the words after it are read")
	}
	a.aliasing = append(a.aliasing, name)
	defer func() { a.aliasing = a.aliasing[:len(a.aliasing)-1] }()
	return a.text(s, word.Lit(text+a.words.Src.Text[from:to]), a.dialect())
}

func (a *analyser) dialect() program.Shell {
	if a.words.Src.POSIX {
		return program.POSIX
	}
	return program.Bash
}

// at says where in the text something is, for people.
func (a *analyser) at(p syntax.Pos) string {
	if a.found.Where != "" {
		return a.found.Where
	}
	return p.String()
}

// run starts a command that another program starts: no aliases, functions or
// builtins.
func (a *analyser) run(s *state.State, argv []word.Word) {
	defer a.found.Leave()
	if !a.found.Enter() || !a.found.Step(1) || len(argv) == 0 {
		return
	}
	a.execute(s, argv, false)
}

// execute notes that a program runs, and what the table says it does. quiet
// leaves the program itself out.
func (a *analyser) execute(s *state.State, argv []word.Word, quiet bool) {
	name, ok := argv[0].Static()
	if !a.found.Step(len(argv)) {
		return
	}
	if !ok || name == "" {
		a.found.Emit(toolverdict.Effect{Kind: toolverdict.EffectExecute})
		a.found.Opaque("a program whose name is only known when it runs")
		return
	}
	base := path.Base(name)
	plan := a.table.Plan(base, argv[1:])
	display, system := a.programName(s, name)
	if !system || s.Flags.Doubt {
		plan.Known = false
	}
	a.wasWritten(s, argv[0], base)
	if plan.Builds && s.Flags.Leads {
		a.found.Opaque("a variable in the environment of " + base + " names a place elsewhere")
	}
	if plan.Settings && a.wroteSettings(s) {
		a.found.Opaque(base + " may read settings that the same command wrote")
	}
	if !quiet {
		e := toolverdict.Effect{Kind: toolverdict.EffectExecute, Program: display, Verb: plan.Verb, Known: plan.Known}
		e.Argv = shown(argv)
		a.found.Emit(e)
		a.spelledOut(e, &plan)
	}
	a.apply(s, &plan)
}

// spelledOut adds the same command with each option by itself and by its full
// name, so that a rule about --force meets -uf and --forc as well.
func (a *analyser) spelledOut(e toolverdict.Effect, plan *program.Plan) {
	if plan.Verb == "" || len(e.Argv) == 0 {
		return
	}
	argv := append([]string{e.Argv[0]}, shown(plan.Spelled)...)
	if !slices.Equal(argv, e.Argv) {
		e.Argv = argv
		a.found.Emit(e)
	}
}

const maxShown = 1000

// shown returns an argument list for an effect.
func shown(argv []word.Word) []string {
	out := make([]string, 0, min(len(argv), maxShown+1))
	for i, w := range argv {
		if i == maxShown {
			return append(out, "\x00")
		}
		out = append(out, w.Show())
	}
	return out
}

// programName returns the name to show: a program in a folder that is not the
// system's goes by its path, so that no rule takes it for its namesake.
func (a *analyser) programName(s *state.State, name string) (shown string, system bool) {
	if !strings.Contains(name, "/") {
		return name, true
	}
	targets := a.targets(s, word.Lit(name))
	if len(targets) != 1 || targets[0].Path == "" {
		return name, false
	}
	p := targets[0].Path
	if program.SystemFolder(path.Dir(p)) {
		return path.Base(p), path.Base(p) == path.Base(name)
	}
	return p, false
}

// wroteSettings reports whether the text wrote files with names that programs
// look for settings under, or into the git repository at hand.
func (a *analyser) wroteSettings(s *state.State) bool {
	for _, wrote := range a.written {
		if wrote.careful {
			continue
		}
		if program.NamesSettings(wrote.path) {
			return true
		}
		for _, here := range a.targets(s, word.Lit(".")) {
			for _, repository := range a.repositories(here) {
				if wrote.deep && wrote.path != "" && under(repository.Path, wrote.path) {
					return true
				}
			}
		}
	}
	return false
}

// wasWritten notes that a command runs a file that the text itself wrote, so
// that what it does cannot be known.
func (a *analyser) wasWritten(s *state.State, w word.Word, base string) {
	if len(a.written) == 0 {
		return
	}
	name, _ := w.Static()
	byPath := strings.Contains(name, "/")
	var targets []word.Target
	if byPath || base == "" {
		targets = a.targets(s, w)
	}
	for _, wrote := range a.written {
		hit := !byPath && base != "" && path.Base(wrote.path) == base && program.SystemFolder(path.Dir(wrote.path))
		for _, t := range targets {
			hit = hit || t.Path == "" || wrote.path == "" && !program.SystemFolder(path.Dir(t.Path)) || t.Path == wrote.path ||
				wrote.deep && strings.HasPrefix(t.Path, strings.TrimSuffix(wrote.path, "/")+"/")
		}
		if hit {
			a.found.Opaque("runs a file that the same command wrote")
			return
		}
	}
}
