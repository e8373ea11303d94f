// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy/internal/cel"
	"github.com/toolverdict/toolverdict/policy/internal/effects"
	"github.com/toolverdict/toolverdict/policy/internal/predicate"
)

// maxCached bounds how many fields of one request are kept while it is decided.
// Fields beyond them are read each time.
const maxCached = 8

// maxTold bounds how many tests of a program are made once for a request,
// however many rules make them.
const maxTold = 64

// eval is one request being decided. It lives on the stack.
type eval struct {
	req      toolverdict.Request
	facts    *facts
	slots    []uint8 // by field id: its place in cached from 1, 0 for none
	have     uint32
	analysis analysis // whether there are effects to look at
	told     uint64   // which of the program's first tests were made
	truths   [maxTold]predicate.Truth
	scratch  predicate.Scratch
	cached   [maxCached + 1]predicate.Value // the last one is for fields without a slot
}

// value reads a field, once where it has a slot. It is good until the next
// call.
func (e *eval) value(f *field) *predicate.Value {
	if f.id < len(e.slots) {
		return e.read(f, e.slots[f.id])
	}
	return e.read(f, 0)
}

// read is value for a field whose slot is known.
func (e *eval) read(f *field, slot uint8) *predicate.Value {
	if slot == 0 {
		v := &e.cached[maxCached]
		*v = predicate.Value{}
		f.read(e, v)
		return v
	}
	v := &e.cached[slot-1]
	if e.have&(1<<slot) == 0 {
		f.read(e, v)
		e.have |= 1 << slot
	}
	return v
}

// condKind says how a condition combines.
type condKind uint8

const (
	condAll condKind = iota
	condAny
	condNot
	condTest
	condEffects
	condEffect // a test of one field of an effect
	condCEL
	condHistory
)

// cond is a compiled condition.
type cond struct {
	kind    condKind
	of      effects.Field // condEffect
	parts   []cond
	*atom                       // condTest; condEffect, without a field
	effects *effectsCond        // condEffects
	cel     *celCond            // condCEL
	history *predicate.Question // condHistory
}

// atom is a test of a field. Rules that make the same test share it.
type atom struct {
	field *field
	test  predicate.Predicate
	quick predicate.Quick
	needs []predicate.Need // of the field, for the test not to be false
}

func (a *atom) eval(e *eval) predicate.Truth {
	if a.field.fan {
		return a.test.EvalEach(&e.scratch, e.req.Arguments, a.field.Steps)
	}
	v := e.value(a.field)
	if t, ok := a.quick.Tell(v); ok {
		return t
	}
	return a.test.Eval(&e.scratch, v, false)
}

func (c *cond) eval(e *eval) predicate.Truth {
	switch c.kind {
	case condTest:
		return c.atom.eval(e)
	case condEffects:
		return c.effects.eval(e)
	case condEffect:
		return c.effect(e)
	case condCEL:
		return c.cel.eval(e)
	case condHistory:
		return e.lookBack(c.history)
	case condNot:
		return c.parts[0].eval(e).Not()
	case condAny:
		out := predicate.False
		for i := range c.parts {
			if out = predicate.Or(out, c.parts[i].eval(e)); out == predicate.True {
				break
			}
		}
		return out
	case condAll:
	}
	out := predicate.True
	for i := range c.parts {
		if out = predicate.And(out, c.parts[i].eval(e)); out == predicate.False {
			break
		}
	}
	return out
}

// cost is a rough measure of what a condition takes.
func (c *cond) cost() int {
	sum := 0
	if c.atom != nil {
		sum = c.test.Cost()
	}
	if c.kind == condTest && c.field.fan {
		sum *= 8
	}
	for i := range c.parts {
		sum += c.parts[i].cost()
	}
	if c.effects != nil {
		sum += 16 * c.effects.part.cost()
	}
	if c.cel != nil {
		sum += 200
	}
	if c.history != nil {
		sum += 20
	}
	return sum
}

// celCond is a compiled expression with the fields of the host that it reads.
type celCond struct {
	expression *cel.Expression
	fields     []*field
}

// eval hands the expression copies: were it given the evaluation itself, every
// decision would pay for that with an allocation.
func (c *celCond) eval(e *eval) predicate.Truth {
	in := cel.Input{Arguments: e.req.Arguments, At: e.req.At, Host: make([]predicate.Value, len(c.fields)), Effects: e.req.Effects}
	for i, f := range c.fields {
		in.Host[i] = *e.value(f)
	}
	in.Known = len(in.Effects) > 0 || e.analysed()
	return c.expression.Eval(&in)
}

// effectsCond is a compiled effects.any or effects.every.
type effectsCond struct {
	every  bool
	kinds  uint16          // of effects that can satisfy it, see effects.Bit
	passes bool            // with every: programs that are known are judged by what they do
	none   predicate.Truth // of a call without effects
	part   cond
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
		one := predicate.False
		if c.kinds&effects.Bit(list[i].Kind) != 0 {
			one = c.part.eval(e)
		}
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
	if t, ok := c.quick.Tell(&v); ok {
		return t
	}
	return c.test.Eval(&e.scratch, &v, false)
}

// suits returns the kinds of effect that do not make the condition false by
// their kind alone.
func (c *cond) suits() uint16 {
	out := effects.Bit(toolverdict.EffectOpaque)
	for _, k := range effects.Kinds() {
		if c.could(k) != predicate.False {
			out |= effects.Bit(k)
		}
	}
	return out
}

// could is what is known of the condition for an effect of which the kind is.
func (c *cond) could(k toolverdict.EffectKind) predicate.Truth {
	switch c.kind {
	case condNot:
		return c.parts[0].could(k).Not()
	case condAll, condAny:
		out := predicate.Of(c.kind == condAll)
		for i := range c.parts {
			if c.kind == condAll {
				out = predicate.And(out, c.parts[i].could(k))
				continue
			}
			out = predicate.Or(out, c.parts[i].could(k))
		}
		return out
	case condEffect:
		var s predicate.Scratch
		if !effects.Has(k, c.of) {
			return c.test.Missing(&s)
		}
		if c.of == effects.Kind {
			return c.test.Eval(&s, &predicate.Value{Kind: predicate.Text, Text: string(k)}, false)
		}
	default:
	}
	return predicate.Unknown
}
