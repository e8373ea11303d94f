// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy/internal/effects"
	"github.com/toolverdict/toolverdict/policy/internal/predicate"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// effectsCond is a compiled effects.any or effects.every.
type effectsCond struct {
	every  bool
	passes bool            // with every: programs that are known are judged by what they do
	none   predicate.Truth // of a call without effects
	part   cond
}

// nothing is what the rule at hand makes of a list with nothing in it.
func (b *builder) nothing() predicate.Truth {
	if b.allow {
		return predicate.Unknown
	}
	return predicate.False
}

func (b *builder) effectTest(t *syntax.Test, positive bool) cond {
	f, _ := effects.Named(t.Field.Text) // the reader knows no other
	target := predicate.Target{List: true, Effect: t.Field.Text}
	return cond{kind: condEffect, of: f, atom: &atom{test: b.compiler().Compile(t.Ops, target, positive)}}
}

// analysis says whether no effects means that there are none.
type analysis uint8

const (
	knownByRoles analysis = iota // only of a tool whose arguments have roles: what another does is not known
	knownListed                  // an example lists them
	knownNot                     // an example does not say
)

func (e *eval) analysed() bool {
	return e.analysis == knownListed || e.analysis == knownByRoles && len(e.facts.def.Roles) > 0
}

// eval tests the effects of the call.
func (c *effectsCond) eval(e *eval) predicate.Truth {
	list := e.req.Effects
	switch {
	case len(list) == 0 && !e.analysed(), len(list) > predicate.MaxElements:
		return predicate.Unknown
	case len(list) == 0:
		return c.none
	}
	out := predicate.Of(c.every)
	for i := range list {
		e.scratch.Effect = &list[i]
		one := c.part.eval(e)
		switch {
		case !c.every:
			out = predicate.Or(out, one)
		case c.passes && e.scratch.Effect.Kind == toolverdict.EffectExecute && e.scratch.Effect.Known:
			// What it does is among the other effects.
		default:
			out = predicate.And(out, one)
		}
		if out == predicate.Of(!c.every) {
			break
		}
	}
	return out
}

// effect tests one field of the effect at hand. A field that its kind does not
// have fails every test but that of not being there.
func (c *cond) effect(e *eval) predicate.Truth {
	if !effects.Has(e.scratch.Effect.Kind, c.of) {
		return c.test.Missing(&e.scratch)
	}
	var v predicate.Value
	c.of.Read(e.scratch.Effect, &v)
	return c.test.Eval(&e.scratch, &v, false)
}

// asksEffects reports whether a condition looks at effects.
func asksEffects(cond syntax.Condition) bool {
	switch cond := cond.(type) {
	case *syntax.All:
		return slices.ContainsFunc(cond.Parts, asksEffects)
	case *syntax.Any:
		return slices.ContainsFunc(cond.Parts, asksEffects)
	case *syntax.Not:
		return asksEffects(cond.Part)
	case *syntax.Effects:
		return true
	}
	return false
}

// effects checks what a rule asks of effects.
func (c *ruleChecker) effects(x *syntax.Effects, positive bool) {
	before := len(c.b.problems)
	if c.condition(x.Part, positive); len(c.b.problems) > before {
		return
	}
	var could []toolverdict.EffectKind
	for _, k := range effects.Kinds() {
		if effects.Could(x.Part, k) != predicate.False {
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
		c.warn(x.Pos, "write effects.every: what else the call does counts, too", "one such effect is enough here for the whole call to pass rule %q", c.rule.id)
	default:
		c.warn(x.Pos, "write effects.any: one such effect among others is enough to match", "one other effect is enough here for the whole call to pass rule %q", c.rule.id)
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
	for _, t := range c.covered[c.rule] {
		switch {
		case len(t.def.Roles) == 0:
			without = append(without, t.name)
		case len(could) > 0 && !t.yields(could):
			other = append(other, t.name)
		}
	}
	if len(without) > 0 {
		c.warn(x.Pos, "declare roles in the catalog, or name only the tools that have them", "no argument of %s has a role, so what its calls would do is not known: that counts towards the stricter side", listed(without))
	}
	if len(other) > 0 && len(other)+len(without) == len(c.covered[c.rule]) {
		c.warn(x.Pos, "check the roles in the catalog, or name only the tools that it is about", "the roles of %s lead to no effect of this kind", listed(other))
	}
}

// yields reports whether a role of the tool can lead to one of the kinds.
func (t *tool) yields(kinds []toolverdict.EffectKind) bool {
	for _, role := range t.def.Roles {
		if slices.ContainsFunc(effects.Yields(role), func(k toolverdict.EffectKind) bool { return slices.Contains(kinds, k) }) {
			return true
		}
	}
	return false
}
