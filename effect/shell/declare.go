// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/shell/internal/expand"
	"github.com/toolverdict/toolverdict/effect/shell/internal/state"
	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

// assigning are builtins that set variables which their words name.
func (a *analyser) assigning(s *state.State, argv []word.Word) flow {
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
			if f, ok := w.Static(); ok && s.Funcs[f].Function != nil {
				s.Own()
				s.Funcs[f] = state.Binding{Function: s.Funcs[f].Function, Perhaps: true} // unset -v leaves it
			}
		}
	case "read":
		s.Set("REPLY", state.Scalar(state.Unknown(word.Any)))
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
func (a *analyser) callback(s *state.State, text string, after []word.Word) {
	w := word.Lit(text)
	if text == "" && len(after) > 0 {
		w = after[0]
	}
	a.text(s.Fork(), word.Text([]word.Word{w}), a.dialect())
	a.found.Opaque("a command is called with lines that are only known when it runs")
}

// setByName makes a variable unknown whose name a word gives. A subscript in
// the name is evaluated.
func (a *analyser) setByName(s *state.State, w word.Word) {
	text, ok := w.Static()
	switch {
	case !ok && (w.FromData() || w.Many):
		a.found.Opaque("a variable is set whose name is only known when it runs")
		s.Forget()
	case !ok:
		s.Forget()
	case syntax.ValidName(text):
		a.Assign(s, text, state.Value{Words: []word.Word{state.Unknown(word.Any)}, Array: s.Vars[text].Array})
	case strings.Contains(text, "["):
		name, index, _ := strings.Cut(text, "[")
		if strings.ContainsAny(index, "$`[") {
			a.found.Opaque("a subscript that may hold a command is evaluated")
		}
		if syntax.ValidName(name) {
			a.Assign(s, name, state.Value{Words: []word.Word{word.Unknown()}, Array: true})
		}
	}
}

// declClause walks declare, export, local and the like with their assignments.
func (a *analyser) declClause(s *state.State, c *syntax.DeclClause) flow {
	name := c.Variant.Value
	if fn := s.Funcs[name].Function; fn != nil {
		return a.callFunction(s, fn, []word.Word{word.Lit(name), word.Unknown()})
	}
	argv := []word.Word{word.Lit(name)}
	var flags strings.Builder
	defer func(old string) { a.found.Where = old }(a.found.Where)
	a.found.Where = a.at(c.Pos())
	var named []*syntax.Assign
	for _, as := range c.Args {
		if as.Name != nil {
			named = append(named, as)
			argv = append(argv, word.Lit(as.Name.Value))
			continue
		}
		for _, w := range a.words.Fields(s, as.Value) {
			argv = append(argv, w)
			if opt := w.Prefix(); strings.HasPrefix(opt, "-") || strings.HasPrefix(opt, "+") {
				flags.WriteString(opt)
			} else {
				a.declareWord(s, w)
			}
		}
	}
	a.ran(argv)
	for _, as := range named {
		a.declareOne(s, name, flags.String(), as)
		if name == "export" || strings.Contains(flags.String(), "x") {
			a.exportedNow(s, as)
		}
		if as.Value != nil && expand.HasBrace(as.Value) {
			a.Assign(s, as.Name.Value, state.Scalar(state.Unknown(word.Any))) // x={1,2} is two declarations
		}
	}
	return straight(s)
}

func (a *analyser) declareOne(s *state.State, builtin, flags string, as *syntax.Assign) {
	name := as.Name.Value
	local := builtin == "local" || (builtin == "declare" || builtin == "typeset") && !strings.Contains(flags, "g")
	if len(a.funcs.calls) > 0 && local {
		c := a.funcs.calls[len(a.funcs.calls)-1]
		c.locals = append(c.locals, name)
	}
	if strings.Contains(flags, "i") {
		a.found.Opaque("a variable that counts: what it is given later is evaluated, with the commands in it")
	}
	switch {
	case strings.ContainsAny(flags, "n"):
		a.found.Opaque("a name for another variable, so that any assignment may be to any variable")
		s.Forget()
	case strings.ContainsAny(flags, "iluAcr") || builtin == "readonly":
		a.assignment(s, as)
		if strings.Contains(flags, "i") && as.Value != nil {
			a.words.Evaluate(s, a.words.Single(s, as.Value), 0)
		}
		v, _ := s.Get(name)
		v.Fixed = builtin == "readonly" || strings.Contains(flags, "r")
		v.Lost = v.Lost || strings.ContainsAny(flags, "iluAc")
		s.Set(name, v)
	case strings.Contains(flags, "f"):
		s.Flags.Exported = true
	case as.Naked && local && len(a.funcs.calls) > 0:
		a.Assign(s, name, state.Scalar(word.Word{}))
	default:
		a.assignment(s, as)
	}
}

// declareWord reads a word that turns out to be a declaration.
func (a *analyser) declareWord(s *state.State, w word.Word) {
	name, _, assigns := strings.Cut(w.Prefix(), "=")
	switch {
	case assigns && syntax.ValidName(name):
		a.Assign(s, name, state.Scalar(w.Cut(len(name)+1)))
	case assigns:
		a.setByName(s, word.Lit(name))
	default:
		if _, ok := w.Static(); !ok {
			a.found.Opaque("a variable is set whose name is only known when it runs")
			s.Forget()
		}
	}
}

// declaring is a declaration that only turned out to be one when its words
// were expanded.
func (a *analyser) declaring(s *state.State, argv []word.Word) flow {
	a.ran(argv)
	for _, w := range argv[1:] {
		if strings.HasPrefix(w.Prefix(), "-") {
			if strings.ContainsAny(w.Prefix(), "nf") {
				s.Forget()
				s.Flags.Exported = true
			}
			continue
		}
		a.declareWord(s, w)
	}
	return straight(s)
}

func (a *analyser) let(s *state.State, c *syntax.LetClause) flow {
	if fn := s.Funcs["let"].Function; fn != nil {
		return a.callFunction(s, fn, []word.Word{word.Lit("let"), word.Unknown()})
	}
	a.found.Emit(toolverdict.Effect{Kind: toolverdict.EffectExecute, Program: "let", Known: true})
	for _, x := range c.Exprs {
		a.words.Arithm(s, x)
	}
	return straight(s)
}

func (a *analyser) letWords(s *state.State, argv []word.Word) flow {
	a.ran(argv)
	for _, w := range argv[1:] {
		text, ok := w.Static()
		if !ok || strings.ContainsAny(text, "[$`") {
			a.found.Opaque("arithmetic evaluates text that may hold a command")
		}
		name, _, _ := strings.Cut(text, "=")
		if name = strings.Trim(name, "+-*/%&|^<> "); syntax.ValidName(name) {
			a.Assign(s, name, state.Scalar(state.Unknown(word.Any)))
		}
	}
	return straight(s)
}

// assignment walks name=value.
func (a *analyser) assignment(s *state.State, as *syntax.Assign) {
	if as.Name == nil {
		return
	}
	name := as.Name.Value
	if as.Array != nil {
		a.Assign(s, name, a.array(s, as))
		return
	}
	a.words.Subscript(s, name, as.Index)
	if as.Naked {
		return
	}
	w := a.words.Single(s, as.Value)
	before, _ := s.Get(name)
	switch {
	case as.Index != nil:
		before.Words, before.Array = []word.Word{word.Unknown()}, true
		a.Assign(s, name, before)
		return
	case as.Append && before.Array:
		before.Words = expand.Few(append(slices.Clip(before.Words), word.Unknown()))
		a.Assign(s, name, before)
		return
	case as.Append:
		var b word.Builder
		for _, held := range before.Words {
			b.Word(held)
		}
		b.Word(w)
		w = b.Done()
	}
	a.Assign(s, name, state.Scalar(w))
}

func (a *analyser) array(s *state.State, as *syntax.Assign) state.Value {
	v := state.Value{Array: true}
	if as.Append {
		v, _ = s.Get(as.Name.Value)
		v.Array = true
		v.Words = slices.Clip(v.Words)
	}
	for _, elem := range as.Array.Elems {
		v.Words = expand.Few(v.Words)
		if elem.Index != nil {
			a.words.Subscript(s, as.Name.Value, elem.Index)
			v.Lost = true
		}
		if elem.Value != nil {
			v.Words = append(v.Words, a.words.Fields(s, elem.Value)...)
		}
	}
	return v
}

// assign sets a variable, and notes where that changes what runs.
func (a *analyser) Assign(s *state.State, name string, v state.Value) {
	if !a.found.Step(1 + len(s.Vars)/16) {
		return
	}
	for _, w := range v.Words {
		a.environment(s, name, w)
	}
	s.Set(name, v)
}
