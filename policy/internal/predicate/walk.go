// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package predicate

import (
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy/internal/match"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// Descend fills an empty value with what a path without [*] leads to.
func (v *Value) Descend(from canon.Value, steps []syntax.Step) {
	for i := range steps {
		next, k := step(from, &steps[i])
		if k != Object {
			v.Kind = k
			return
		}
		from = next
	}
	v.SetJSON(from)
}

// step takes one step. The kind is Object where it led somewhere, else Absent
// or Odd: nothing is inside of null, and what is inside of a value of another
// type cannot be told.
func step(v canon.Value, s *syntax.Step) (canon.Value, Kind) {
	var next canon.Value
	var found bool
	switch k := v.Kind(); {
	case k == canon.KindInvalid || k == canon.KindNull:
		return next, Absent
	case k == canon.KindObject && s.Kind == syntax.Member:
		next, found = v.Get(s.Name)
	case k == canon.KindArray && s.Kind == syntax.Index:
		next, found = v.Index(s.Index)
	default:
		return next, Odd
	}
	if !found {
		return next, Absent
	}
	return next, Object
}

// EvalEach tests every value that a path with [*] leads to.
func (p *Predicate) EvalEach(s *Scratch, from canon.Value, steps []syntax.Step) match.Truth {
	w := walk{test: p, scratch: s, sum: p.Neutral()}
	w.from(from, steps)
	switch {
	case w.count == 0:
		return p.Empty()
	case w.count > MaxElements:
		return match.Unknown
	}
	return w.sum
}

// walk visits the values of a path and joins what the test says of each.
type walk struct {
	test    *Predicate
	scratch *Scratch
	count   int
	sum     match.Truth
}

func (w *walk) from(v canon.Value, steps []syntax.Step) {
	for i := range steps {
		if steps[i].Kind == syntax.Every && v.Kind() == canon.KindArray {
			for _, item := range v.Items() {
				w.from(item, steps[i+1:])
			}
			return
		}
		next, k := step(v, &steps[i])
		if k != Object {
			w.visit(k, next)
			return
		}
		v = next
	}
	w.visit(Object, v)
}

func (w *walk) visit(k Kind, v canon.Value) {
	if w.count++; w.count > MaxElements {
		return
	}
	saved := w.scratch.Set(k, v)
	w.sum = w.test.Join(w.sum, w.test.Eval(w.scratch, &w.scratch.Element, true))
	w.scratch.Element = saved
}
