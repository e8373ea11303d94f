// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package effects

import (
	"slices"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy/internal/match"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// Could says whether an effect of a kind, of which nothing else is known,
// satisfies a condition.
func Could(c syntax.Condition, k toolverdict.EffectKind) match.Truth {
	switch c := c.(type) {
	case *syntax.All:
		out := match.True
		for _, p := range c.Parts {
			out = match.And(out, Could(p, k))
		}
		return out
	case *syntax.Any:
		out := match.False
		for _, p := range c.Parts {
			out = match.Or(out, Could(p, k))
		}
		return out
	case *syntax.Not:
		return Could(c.Part, k).Not()
	case *syntax.Test:
		f, _ := Named(c.Field.Text)
		switch {
		case f == Kind:
			return ofKind(c.Ops, k)
		case !Has(k, f) && !slices.ContainsFunc(c.Ops, func(o syntax.Op) bool { return o.Name == "exists" }):
			return match.False
		}
	}
	return match.Unknown
}

func ofKind(ops []syntax.Op, k toolverdict.EffectKind) match.Truth {
	out := match.True
	for _, o := range ops {
		one := match.Unknown
		switch named := slices.ContainsFunc(o.Values, func(l syntax.Literal) bool { return l.Text == string(k) }); {
		case o.Name == "not":
			one = ofKind(o.Ops, k).Not()
		case named || k != toolverdict.EffectOpaque:
			one = match.Of(named == (o.Name == "eq" || o.Name == "in"))
		}
		out = match.And(out, one)
	}
	return out
}

// Speaks reports whether a condition names a kind of effect, or a field that no
// other kind has.
func Speaks(c syntax.Condition, k toolverdict.EffectKind) bool {
	switch c := c.(type) {
	case *syntax.All:
		return slices.ContainsFunc(c.Parts, func(p syntax.Condition) bool { return Speaks(p, k) })
	case *syntax.Any:
		return slices.ContainsFunc(c.Parts, func(p syntax.Condition) bool { return Speaks(p, k) })
	case *syntax.Not:
		return Speaks(c.Part, k)
	case *syntax.Test:
		f, _ := Named(c.Field.Text)
		if f == Kind {
			return names(c.Ops, k)
		}
		return Has(k, f) && !slices.ContainsFunc(Kinds(), func(other toolverdict.EffectKind) bool { return other != k && Has(other, f) })
	}
	return false
}

func names(ops []syntax.Op, k toolverdict.EffectKind) bool {
	return slices.ContainsFunc(ops, func(o syntax.Op) bool {
		return names(o.Ops, k) || slices.ContainsFunc(o.Values, func(l syntax.Literal) bool { return l.Text == string(k) })
	})
}
