// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"slices"

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
		case c.passesOver(e.scratch.Effect):
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

// passesOver reports whether an effect says nothing to effects.every: what a
// program does that is known is among the other effects.
func (c *effectsCond) passesOver(e *toolverdict.Effect) bool {
	return c.passes && e.Kind == toolverdict.EffectExecute && e.Known
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
