// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolverdict/toolverdict/effect/shell/internal/state"
	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

// loop collects the states of break and continue; call those of return.
type loop struct{ out, again *state.State }

// again walks the body of a loop until another round would change nothing. The
// effects that stay are those of the last round.
func (a *analyser) again(s *state.State, body func(*state.State) (end *state.State)) {
	head := s
	for round := 0; ; round++ {
		mark := a.found.Mark()
		end := body(head.Fork())
		next := state.Join(head, end)
		if state.Same(next, head) || a.found.Full || round > 6 {
			return
		}
		switch {
		case round == 6:
			next = next.Fork()
			next.Forget()
		case round >= 2:
			next = state.Widen(head, next)
		}
		a.found.Drop(mark)
		head = next
	}
}

func (a *analyser) while(s *state.State, c *syntax.WhileClause) flow {
	l := &loop{}
	a.loops = append(a.loops, l)
	var out *state.State
	a.again(s, func(head *state.State) *state.State {
		*l = loop{}
		cond := a.condition(head, c.Cond)
		do, done := cond.ok, cond.fail
		if c.Until {
			do, done = done, do
		}
		out = done
		return state.Join(a.stmts(do.OrDead(), c.Do).any(), l.again)
	})
	a.loops = a.loops[:len(a.loops)-1]
	return straight(state.Join(out, l.out))
}

// maxUnrolled is how many items of a list are walked one by one.
const maxUnrolled = 12

func (a *analyser) forClause(s *state.State, c *syntax.ForClause) flow {
	l := &loop{}
	a.loops = append(a.loops, l)
	defer func() { a.loops = a.loops[:len(a.loops)-1] }()
	switch iter := c.Loop.(type) {
	case *syntax.CStyleLoop:
		a.words.Arithm(s, iter.Init)
		var out *state.State
		a.again(s, func(head *state.State) *state.State {
			*l = loop{}
			a.words.Arithm(head, iter.Cond)
			out = head.Fork()
			end := state.Join(a.stmts(head, c.Do).any(), l.again)
			if end != nil {
				a.words.Arithm(end, iter.Post)
			}
			return end
		})
		return straight(state.Join(out, l.out))
	case *syntax.WordIter:
		return a.forWords(s, c, iter, l)
	}
	return straight(s)
}

func (a *analyser) forWords(s *state.State, c *syntax.ForClause, iter *syntax.WordIter, l *loop) flow {
	items := a.items(s, iter)
	if c.Select {
		a.stdin = nil
	}
	few := !c.Select && len(items) <= maxUnrolled && !slices.ContainsFunc(items, func(w word.Word) bool { return w.Many && !w.Glob })
	if few && !a.found.Spent(len(items)*len(c.Do)*20) {
		return a.unroll(s, c, iter.Name.Value, items)
	}
	item := state.Value{Words: []word.Word{oneOf(items)}}
	var out *state.State
	a.again(s, func(head *state.State) *state.State {
		*l = loop{}
		out = head.Fork()
		a.Assign(head, iter.Name.Value, item)
		return state.Join(a.stmts(head, c.Do).any(), l.again)
	})
	return straight(state.Join(out, l.out))
}

// unroll walks the body once for each item, as the shell does.
func (a *analyser) unroll(s *state.State, c *syntax.ForClause, name string, items []word.Word) flow {
	l := a.loops[len(a.loops)-1]
	var left *state.State
	for _, item := range items {
		*l = loop{}
		before := s.Fork()
		item.Many = false
		a.Assign(s, name, state.Scalar(item))
		s = state.Join(a.stmts(s, c.Do).any(), l.again)
		left = state.Join(left, l.out)
		if item.Glob { // it may match several names, or with nullglob none
			s = state.Join(s, before)
		}
		if s == nil {
			break
		}
	}
	return straight(state.Join(s, left))
}

func (a *analyser) items(s *state.State, iter *syntax.WordIter) []word.Word {
	if iter.InPos.IsValid() {
		var items []word.Word
		for _, w := range iter.Items {
			items = append(items, a.words.Fields(s, w)...)
		}
		return items
	}
	if s.Flags.ArgsKnown && len(s.Args) > 0 {
		return s.Args[1:]
	}
	return []word.Word{{Text: string(rune(word.Env)), Many: true}}
}

// oneOf returns a word that stands for any of the items.
func oneOf(items []word.Word) word.Word {
	kind := rune(word.Number)
	for _, w := range items {
		switch {
		case w.FromData() || w.Glob:
			return state.Unknown(word.Any)
		case w.Many || w.Open():
			kind = word.Env
		case !state.Numeric(state.Scalar(w)):
			return state.Unknown(word.Any)
		}
	}
	return state.Unknown(kind)
}
