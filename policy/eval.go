// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy/internal/effects"
	"github.com/toolverdict/toolverdict/policy/internal/match"
	"github.com/toolverdict/toolverdict/policy/internal/predicate"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// maxCached bounds how many fields of one request are kept while it is decided.
// Fields beyond them are read each time.
const maxCached = 12

// eval is one request being decided. It lives on the stack.
type eval struct {
	req      toolverdict.Request
	facts    *facts
	slots    []uint8 // by field id: its place in cached from 1, 0 for none
	have     uint32
	analysis analysis // whether there are effects to look at
	scratch  predicate.Scratch
	cached   [maxCached + 1]predicate.Value // the last one is for fields without a slot
}

// value reads a field, once where it has a slot. It is good until the next
// call.
func (e *eval) value(f *field) *predicate.Value {
	slot := 0
	if f.id < len(e.slots) {
		slot = int(e.slots[f.id])
	}
	if slot == 0 {
		v := &e.cached[maxCached]
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
)

// cond is a compiled condition.
type cond struct {
	kind    condKind
	of      effects.Field // condEffect
	parts   []cond
	field   *field
	test    predicate.Predicate
	effects *effectsCond // condEffects
}

func (c *cond) eval(e *eval) match.Truth {
	switch c.kind {
	case condTest:
		if c.field.fan {
			return c.fan(e)
		}
		return c.test.Eval(&e.scratch, e.value(c.field), false)
	case condEffects:
		return c.effects.eval(e)
	case condEffect:
		return c.effect(e)
	case condNot:
		return c.parts[0].eval(e).Not()
	case condAny:
		out := match.False
		for i := range c.parts {
			if out = match.Or(out, c.parts[i].eval(e)); out == match.True {
				break
			}
		}
		return out
	case condAll:
	}
	out := match.True
	for i := range c.parts {
		if out = match.And(out, c.parts[i].eval(e)); out == match.False {
			break
		}
	}
	return out
}

// fan tests every value that a path with [*] leads to.
func (c *cond) fan(e *eval) match.Truth {
	w := walk{test: &c.test, sum: c.test.Neutral()}
	w.from(e, e.req.Arguments, c.field.Steps)
	switch {
	case w.count == 0:
		return c.test.Empty()
	case w.count > predicate.MaxElements:
		return match.Unknown
	}
	return w.sum
}

// walk visits the values of a path and joins what the test says of each.
type walk struct {
	test  *predicate.Predicate
	count int
	sum   match.Truth
}

func (w *walk) from(e *eval, v canon.Value, steps []syntax.Step) {
	for i := range steps {
		if steps[i].Kind == syntax.Every && v.Kind() == canon.KindArray {
			for _, item := range v.Items() {
				w.from(e, item, steps[i+1:])
			}
			return
		}
		next, k := step(v, &steps[i])
		if k != predicate.Object {
			w.visit(e, k, next)
			return
		}
		v = next
	}
	w.visit(e, predicate.Object, v)
}

func (w *walk) visit(e *eval, k predicate.Kind, v canon.Value) {
	if w.count++; w.count > predicate.MaxElements {
		return
	}
	saved := e.scratch.Set(k, v)
	w.sum = w.test.Join(w.sum, w.test.Eval(&e.scratch, &e.scratch.Element, true))
	e.scratch.Element = saved
}

// cost is a rough measure of what a condition takes.
func (c *cond) cost() int {
	sum := c.test.Cost()
	if c.field != nil && c.field.fan {
		sum *= 8
	}
	for i := range c.parts {
		sum += c.parts[i].cost()
	}
	if c.effects != nil {
		sum += 16 * c.effects.part.cost()
	}
	return sum
}
