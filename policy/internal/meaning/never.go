// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"slices"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// A condition is written out as branches: it is true only where every literal of
// one branch is. What is not understood here is left out of a branch, which can
// only make it hold more often: where no branch can hold, the condition cannot.

// literal is a test that must be true, or false.
type literal struct {
	test     *syntax.Test
	negated  bool
	positive bool // as the test is compiled: whether its truth helps the rule to match
}

type branch []literal

// Bounds: beyond them nothing is said.
const (
	maxBranches = 64
	maxLiterals = 64
)

// branches writes a condition out; ok is false where there are too many.
func branches(c syntax.Condition, negated, positive bool) (out []branch, ok bool) {
	switch c := c.(type) {
	case *syntax.All:
		return joined(c.Parts, negated, positive, !negated)
	case *syntax.Any:
		return joined(c.Parts, negated, positive, negated)
	case *syntax.Not:
		return branches(c.Part, !negated, !positive)
	case *syntax.Test:
		return []branch{{{c, negated, positive}}}, true
	}
	return []branch{{}}, true
}

func joined(parts []syntax.Condition, negated, positive, both bool) ([]branch, bool) {
	var out []branch
	if both {
		out = []branch{{}}
	}
	for _, p := range parts {
		more, ok := branches(p, negated, positive)
		if !ok {
			return nil, false
		}
		if both {
			out, ok = times(out, more)
		} else {
			out = append(out, more...)
		}
		if !ok || len(out) > maxBranches {
			return nil, false
		}
	}
	return out, true
}

func times(a, b []branch) ([]branch, bool) {
	if len(a)*len(b) > maxBranches {
		return nil, false
	}
	out := make([]branch, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			if len(x)+len(y) > maxLiterals {
				return nil, false
			}
			out = append(out, slices.Concat(x, y))
		}
	}
	return out, true
}

// never finds rules whose condition is true of no call, and tests that no value
// passes.
func (f *finder) never(r Rule) {
	f.single(r, r.When, true)
	f.single(r, r.Unless, false)
	when, ok := branches(r.When, false, true)
	if !ok {
		return
	}
	unless, ok := branches(r.Unless, r.Unless != nil, false)
	if !ok {
		return
	}
	all, ok := times(when, unless)
	if !ok {
		return
	}
	field := ""
	for _, b := range all {
		clash, contradicts := b.contradicts(r.Verdict == toolverdict.Allow)
		if !contradicts {
			return
		}
		if field == "" {
			field = clash.Text
		}
	}
	if r.Verdict == toolverdict.Allow {
		f.warn(r.Pos, "change one of its conditions, or remove the rule", "rule %q can never match: what it asks of %s contradicts itself", r.ID, field)
		return
	}
	f.warn(r.Pos, "change one of its conditions, or remove the rule", "rule %q is true of no call, and matches only where something is missing or cannot be told: what it asks of %s contradicts itself", r.ID, field)
}

// single finds tests that no value passes, wherever they stand.
func (f *finder) single(r Rule, cond syntax.Condition, positive bool) {
	switch cond := cond.(type) {
	case *syntax.All:
		for _, p := range cond.Parts {
			f.single(r, p, positive)
		}
	case *syntax.Any:
		for _, p := range cond.Parts {
			f.single(r, p, positive)
		}
	case *syntax.Not:
		f.single(r, cond.Part, !positive)
	case *syntax.Test:
		if _, contradicts := (branch{{cond, false, positive}}).contradicts(r.Verdict == toolverdict.Allow); contradicts {
			f.warn(cond.Field.Pos, "all operators of one test must hold: write any: […] for alternatives", "no value of %s passes this test", cond.Field.Text)
		}
	}
}

// contradicts reports whether the literals cannot all hold, and the field for
// which they do not.
func (b branch) contradicts(allow bool) (syntax.Field, bool) {
	for i := range b {
		f := b[i].test.Field
		if slices.ContainsFunc(b[:i], func(l literal) bool { return l.test.Field.Text == f.Text }) {
			continue
		}
		var group []literal
		for _, l := range b {
			if l.test.Field.Text == f.Text {
				group = append(group, l)
			}
		}
		s := subject{field: f, allow: allow}
		if s.absent(group) || s.clash(group) {
			return f, true
		}
		for _, l := range group {
			if s.absent([]literal{l}) || s.clash([]literal{l}) || s.within(l) {
				return f, true
			}
		}
	}
	return syntax.Field{}, false
}
