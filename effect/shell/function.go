// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"mvdan.cc/sh/v3/syntax"

	"github.com/toolverdict/toolverdict/effect/shell/internal/parse"
	"github.com/toolverdict/toolverdict/effect/shell/internal/state"
	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

// functions are those of the text.
type functions struct {
	declared []*state.Function
	called   map[*state.Function]bool
	calls    []*call // that are under way
}

// call is one that is under way; out collects the states of return.
type call struct {
	fn     *state.Function
	out    *state.State
	locals []string
}

// declare notes a function; its body counts where it is called, and at the
// end of the text if it never was.
func (a *analyser) declare(s *state.State, c *syntax.FuncDecl) flow {
	if c.Name == nil {
		a.found.Opaque("a function without one name")
		return straight(s)
	}
	f := a.functionOf(c)
	s.Own()
	if s.Funcs == nil {
		s.Funcs = map[string]state.Binding{}
	}
	s.Funcs[c.Name.Value] = state.Binding{Function: f}
	return straight(s)
}

// functionOf returns the one value that stands for a declaration, so that
// walking it again, in a loop, is no change.
func (a *analyser) functionOf(c *syntax.FuncDecl) *state.Function {
	for _, f := range a.funcs.declared {
		if f.Body == c.Body {
			return f
		}
	}
	f := &state.Function{Name: c.Name.Value, Body: c.Body, Text: a.words.Src}
	a.funcs.declared = append(a.funcs.declared, f)
	return f
}

// callFunction walks the body of a function with its arguments.
func (a *analyser) callFunction(s *state.State, f *state.Function, argv []word.Word) flow {
	if f.Body == nil {
		a.found.Opaque("a function that is declared in more than one way")
		s.Forget()
		return straight(s)
	}
	if a.funcs.called == nil {
		a.funcs.called = map[*state.Function]bool{}
	}
	a.funcs.called[f] = true
	active := 0
	for _, c := range a.funcs.calls {
		if c.fn == f {
			active++
		}
	}
	if active > 0 {
		// What a recursive call does is covered by a body in which nothing is known.
		s.Forget()
		if active > 1 {
			return straight(s)
		}
	}
	defer func(src *parse.Source) { a.words.Src = src }(a.words.Src)
	a.words.Src = f.Text
	args, known := s.Args, s.Flags.ArgsKnown
	if active == 0 {
		s.Args = append([]word.Word{state.Unknown(word.Env)}, argv[1:]...)
		s.Flags.ArgsKnown = true
	}
	c := &call{fn: f}
	before := s.Fork()
	a.funcs.calls = append(a.funcs.calls, c)
	out := a.stmt(s, f.Body)
	a.funcs.calls = a.funcs.calls[:len(a.funcs.calls)-1]
	end := state.Join(out.any(), c.out)
	if end == nil {
		return flow{}
	}
	end = end.Fork()
	end.Own()
	end.Args, end.Flags.ArgsKnown = args, known
	for _, name := range c.locals {
		outer, _ := before.Get(name)
		inner, _ := end.Get(name)
		end.Vars[name] = state.JoinValues(outer, inner)
	}
	return straight(end)
}

// leftovers walks the functions that nothing called: a later command may.
func (a *analyser) leftovers() {
	for i := 0; i < len(a.funcs.declared); i++ {
		if f := a.funcs.declared[i]; !a.funcs.called[f] && !a.found.Full {
			s := &state.State{}
			s.Forget()
			a.callFunction(s, f, []word.Word{word.Lit(f.Name)})
		}
	}
}
