// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolverdict/toolverdict/effect/shell/internal/parse"
	"github.com/toolverdict/toolverdict/effect/shell/internal/state"
)

// flow is where a command leaves the shell: when it succeeds and when it
// fails. Both may be one state, and then must be forked before use.
type flow struct {
	ok, fail *state.State
	soft     bool // failing does not end a shell with set -e
}

func straight(s *state.State) flow { return flow{ok: s, fail: s} }

// any returns the state after the command, however it ended.
func (f flow) any() *state.State { return state.Join(f.ok, f.fail) }

// after returns the state in which the next command of a list starts.
func (a *analyser) after(f flow) *state.State {
	if a.guarded == 0 && !f.soft && f.ok != nil && f.ok.Flags.Exit && f.fail != nil && f.fail.Flags.Exit {
		return f.ok
	}
	return f.any()
}

func (a *analyser) sequence(f flow, stmt *syntax.Stmt) flow {
	next := a.after(f)
	if next != nil {
		return a.stmt(next, stmt)
	}
	// Behind an exit nothing runs, but a mistake about that must not hide anything.
	if last := state.Join(f.ok, f.fail); last != nil {
		a.stmt(last.Fork(), stmt)
	} else {
		a.stmt(&state.State{Flags: state.Flags{LostVars: true}}, stmt)
	}
	return flow{}
}

func (a *analyser) stmts(s *state.State, list []*syntax.Stmt) flow {
	f := straight(s)
	for _, stmt := range list {
		f = a.sequence(f, stmt)
	}
	return f
}

// inside walks statements in a shell of their own, whose state is lost.
func (a *analyser) Inside(s *state.State, list []*syntax.Stmt) {
	if !a.found.Enter() {
		return
	}
	defer a.found.Leave()
	loops, calls := a.loops, a.funcs.calls
	a.stmts(s.Fork(), list)
	a.loops, a.funcs.calls = loops, calls
}

func (a *analyser) stmt(s *state.State, stmt *syntax.Stmt) flow {
	defer a.found.Leave()
	if !a.found.Enter() || !a.found.Step(1) {
		return straight(s)
	}
	parse.Unswallow(stmt)
	if stmt.Background || stmt.Coprocess || stmt.Disown {
		a.command(s.Fork(), stmt)
		return straight(s)
	}
	if stmt.Negated {
		a.guarded++
		defer func() { a.guarded-- }()
	}
	f := a.command(s, stmt)
	if stmt.Negated {
		f.ok, f.fail = f.fail, f.ok
	}
	_, call := stmt.Cmd.(*syntax.CallExpr)
	f.soft = !call || stmt.Negated
	return f
}

// command walks a command with its redirections.
func (a *analyser) command(s *state.State, stmt *syntax.Stmt) flow {
	if len(stmt.Redirs) == 0 {
		return a.compound(s, stmt.Cmd)
	}
	stdin := a.stdin
	for _, r := range stmt.Redirs {
		a.redirect(s, r)
	}
	before := s.Fork()
	f := a.compound(s, stmt.Cmd)
	a.stdin = stdin
	f.fail = state.Join(f.fail, before) // a redirection that fails keeps the command from running
	return f
}

func (a *analyser) compound(s *state.State, cmd syntax.Command) flow {
	switch c := cmd.(type) {
	case nil:
		return straight(s)
	case *syntax.CallExpr:
		return a.simple(s, c)
	case *syntax.BinaryCmd:
		return a.chain(s, c)
	case *syntax.Block:
		return a.stmts(s, c.Stmts)
	case *syntax.Subshell:
		a.Inside(s, c.Stmts)
		return straight(s)
	case *syntax.IfClause:
		return a.ifClause(s, c)
	case *syntax.WhileClause:
		return a.while(s, c)
	case *syntax.ForClause:
		return a.forClause(s, c)
	case *syntax.CaseClause:
		return a.caseClause(s, c)
	case *syntax.FuncDecl:
		return a.declare(s, c)
	case *syntax.ArithmCmd:
		a.words.Arithm(s, c.X)
		return straight(s)
	case *syntax.TestClause:
		a.words.Test(s, c.X)
		return straight(s)
	case *syntax.DeclClause:
		return a.declClause(s, c)
	case *syntax.LetClause:
		return a.let(s, c)
	case *syntax.TimeClause:
		return a.timed(s, c.Stmt)
	case *syntax.CoprocClause:
		if _, call := c.Stmt.Cmd.(*syntax.CallExpr); c.Name != nil && (call || c.Stmt.Cmd == nil) {
			a.found.Opaque("a coprocess whose name may be its command")
		}
		a.stmt(s.Fork(), c.Stmt)
		return straight(s)
	}
	a.found.Opaque("a kind of command that is not known")
	return straight(s)
}

// timed walks the command behind time, which may have a "--" before it that the
// parser takes for the command.
func (a *analyser) timed(s *state.State, stmt *syntax.Stmt) flow {
	if stmt == nil {
		return straight(s)
	}
	if call, ok := stmt.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 && strings.HasPrefix(call.Args[0].Lit(), "-") {
		if call.Args = call.Args[1:]; len(call.Args) == 0 {
			return straight(s)
		}
		return a.timed(s, stmt)
	}
	return a.stmt(s, stmt)
}

// chain walks a && b || c and a | b | c without recursing into the left: a
// chain may be as long as the text.
func (a *analyser) chain(s *state.State, c *syntax.BinaryCmd) flow {
	links := []*syntax.BinaryCmd{c}
	first := c.X
	for {
		left, ok := first.Cmd.(*syntax.BinaryCmd)
		if !ok || len(first.Redirs) > 0 || first.Negated || first.Background || isPipe(left) != isPipe(c) {
			break
		}
		links = append(links, left)
		first = left.X
	}
	slices.Reverse(links)
	if isPipe(c) {
		return a.pipeline(s, first, links)
	}
	a.guarded++
	f := a.stmt(s, first)
	for i, l := range links {
		if !a.found.Step(1) {
			break
		}
		if i == len(links)-1 {
			a.guarded--
		}
		f = a.andOr(f, l)
	}
	if a.found.Full {
		a.guarded = 0
	}
	return f
}

func isPipe(c *syntax.BinaryCmd) bool { return c.Op == syntax.Pipe || c.Op == syntax.PipeAll }

func (a *analyser) andOr(f flow, l *syntax.BinaryCmd) flow {
	start, other := f.ok, f.fail
	if l.Op == syntax.OrStmt {
		start, other = f.fail, f.ok
	}
	if start == nil {
		start = other // it cannot run; what it would do counts all the same
		if start != nil {
			a.stmt(start.Fork(), l.Y)
		}
		return f
	}
	if start == other {
		other = start.Fork()
	}
	g := a.stmt(start, l.Y)
	if l.Op == syntax.OrStmt {
		return flow{ok: state.Join(other, g.ok), fail: g.fail}
	}
	return flow{ok: g.ok, fail: state.Join(other, g.fail)}
}

// pipeline walks commands side by side, each in a shell of its own; some
// shells run the last in this one.
func (a *analyser) pipeline(s *state.State, first *syntax.Stmt, links []*syntax.BinaryCmd) flow {
	stdin := a.stdin
	a.piped(s, first)
	a.stdin = nil
	last := s
	for _, l := range links {
		last = a.piped(s, l.Y)
	}
	a.stdin = stdin
	if !s.Flags.LastPipe && a.words.Src.Lang != syntax.LangPOSIX {
		last = s
	}
	return straight(state.Join(s, last))
}

func (a *analyser) piped(s *state.State, stmt *syntax.Stmt) *state.State {
	loops, calls := a.loops, a.funcs.calls
	defer func() { a.loops, a.funcs.calls = loops, calls }()
	out := a.stmt(s.Fork(), stmt).any()
	if out == nil {
		return s
	}
	return out
}

func (a *analyser) ifClause(s *state.State, c *syntax.IfClause) flow {
	var out flow
	a.found.Step(len(s.Vars) / 4) // they are copied and joined
	for c != nil {
		if len(c.Cond) == 0 { // else
			f := a.stmts(s, c.Then)
			return flow{ok: state.Join(out.ok, f.ok), fail: state.Join(out.fail, f.fail)}
		}
		cond := a.condition(s, c.Cond)
		then := a.stmts(cond.ok.OrDead(), c.Then)
		if cond.ok != nil {
			out = flow{ok: state.Join(out.ok, then.ok), fail: state.Join(out.fail, then.fail)}
		}
		s, c = cond.fail.OrDead(), c.Else
		if cond.fail == nil && c == nil {
			return out
		}
	}
	return flow{ok: state.Join(out.ok, s), fail: out.fail}
}

// condition walks statements whose success is asked for; set -e does not
// count in them.
func (a *analyser) condition(s *state.State, list []*syntax.Stmt) flow {
	a.guarded++
	f := a.stmts(s, list)
	a.guarded--
	if f.ok == f.fail {
		f.fail = f.fail.Fork()
	}
	return f
}

func (a *analyser) caseClause(s *state.State, c *syntax.CaseClause) flow {
	a.words.Single(s, c.Word)
	a.found.Step(len(s.Vars) / 4)
	var out flow
	var through *state.State
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			a.words.Single(s, p)
		}
		f := a.stmts(state.Join(s.Fork(), through), item.Stmts)
		through = nil
		if item.Op != syntax.Break {
			through = f.any()
		}
		out = flow{ok: state.Join(out.ok, f.ok), fail: state.Join(out.fail, f.fail)}
	}
	return flow{ok: state.Join(out.ok, s), fail: out.fail}
}
