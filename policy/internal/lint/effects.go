// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy/internal/effects"
	"github.com/toolverdict/toolverdict/policy/internal/match"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// effects checks what a rule asks of effects.
func (c *ruleChecker) effects(x *syntax.Effects, positive bool) {
	before := len(c.Problems)
	if c.condition(x.Part, positive); len(c.Problems) > before {
		return
	}
	var could []toolverdict.EffectKind
	for _, k := range effects.Kinds() {
		if effects.Could(x.Part, k) != match.False {
			could = append(could, k)
		}
	}
	if len(could) == 0 && !effects.Speaks(x.Part, toolverdict.EffectOpaque) {
		c.problem(x.Pos, fieldsHint(x.Part), "no effect has all of this")
		return
	}
	c.roles(x, could)
	switch every := c.strict() != positive; {
	case x.Every == every:
	case every:
		c.warn(x.Pos, "write effects.every: what else the call does counts, too", "one such effect is enough here for the whole call to pass rule %q", c.rule.ID)
	default:
		c.warn(x.Pos, "write effects.any: one such effect among others is enough to match", "one other effect is enough here for the whole call to pass rule %q", c.rule.ID)
	}
}

// fieldsHint names the kinds of effect that have the fields of a condition.
func fieldsHint(cond syntax.Condition) string {
	var out []string
	var walk func(syntax.Condition)
	walk = func(cond syntax.Condition) {
		switch cond := cond.(type) {
		case *syntax.All:
			for _, p := range cond.Parts {
				walk(p)
			}
		case *syntax.Any:
			for _, p := range cond.Parts {
				walk(p)
			}
		case *syntax.Not:
			walk(cond.Part)
		case *syntax.Test:
			f, _ := effects.Named(cond.Field.Text)
			var have []string
			for _, k := range effects.Kinds() {
				if effects.Has(k, f) {
					have = append(have, string(k))
				}
			}
			if line := fmt.Sprintf("%s belongs to %s", cond.Field.Text, strings.Join(have, ", ")); f > effects.Source && !slices.Contains(out, line) {
				out = append(out, line)
			}
		}
	}
	walk(cond)
	if len(out) == 0 {
		return "an effect has one kind: put kinds in a list"
	}
	return strings.Join(out, "; ") + ": put what belongs to different effects under different effects.any"
}

// roles warns of tools whose arguments cannot lead to such effects.
func (c *ruleChecker) roles(x *syntax.Effects, could []toolverdict.EffectKind) {
	var without, other []string
	for _, t := range c.rule.Tools {
		switch {
		case len(t.Definition.Roles) == 0:
			without = append(without, t.Name)
		case len(could) > 0 && !yields(t, could):
			other = append(other, t.Name)
		}
	}
	if len(without) > 0 {
		c.warn(x.Pos, "declare roles in the catalog, or name only the tools that have them", "no argument of %s has a role, so what its calls would do is not known: that counts towards the stricter side", listed(without))
	}
	if len(other) > 0 && len(other)+len(without) == len(c.rule.Tools) {
		c.warn(x.Pos, "check the roles in the catalog, or name only the tools that it is about", "the roles of %s lead to no effect of this kind", listed(other))
	}
}

// yields reports whether a role of the tool can lead to one of the kinds.
func yields(t *Tool, kinds []toolverdict.EffectKind) bool {
	for _, role := range t.Definition.Roles {
		if slices.ContainsFunc(effects.Yields(role), func(k toolverdict.EffectKind) bool { return slices.Contains(kinds, k) }) {
			return true
		}
	}
	return false
}
