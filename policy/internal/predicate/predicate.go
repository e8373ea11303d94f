// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package predicate is what a policy asks of one field: operators that are
// compiled once and tested against values. It knows nothing of rules. What a
// test cannot tell is unknown; what that means is the rule's to say.
package predicate

import (
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy/internal/match"
)

// Scratch is what one decision needs while it tests. It lives on the stack of
// whoever decides.
type Scratch struct {
	At      time.Time           // of the decision
	Effect  *toolverdict.Effect // the one that is looked at
	Element Value               // see Set
}

// Set puts a value that is no field, such as an element, where it can be tested
// without an allocation, and returns what was there for the caller to put back.
func (s *Scratch) Set(kind Kind, json canon.Value) (saved Value) {
	saved = s.Element
	s.Element = Value{Kind: kind}
	if kind == Object {
		s.Element.Kind = Absent
		s.Element.SetJSON(json)
	}
	return saved
}

// Predicate is what one value must satisfy: operators on the value as a whole,
// and operators on each element where it is a list.
type Predicate struct {
	whole []op
	each  []op
	bare  bool        // it asks whether the value is there, and nothing else
	every bool        // each element must satisfy, not just one
	list  bool        // the policy says that it is a list
	empty match.Truth // of an empty list that was meant to be one
}

// Empty is what the predicate says of a list with nothing in it.
func (p *Predicate) Empty() match.Truth { return p.empty }

// Neutral is where joining starts.
func (p *Predicate) Neutral() match.Truth { return match.Of(p.every) }

// Join combines what the predicate says of two elements.
func (p *Predicate) Join(a, b match.Truth) match.Truth {
	if p.every {
		return match.And(a, b)
	}
	return match.Or(a, b)
}

// Missing is what the predicate says where there is no such value, nor could
// be: nothing that is asked of it holds, but that it is not there.
func (p *Predicate) Missing(s *Scratch) match.Truth {
	if !p.bare {
		return match.False
	}
	return p.Eval(s, &Value{}, false)
}

// Eval tests a value. An element of a list is not spread again: a list inside
// of a list is no scalar.
func (p *Predicate) Eval(s *Scratch, v *Value, element bool) match.Truth {
	if len(p.whole) == 0 && len(p.each) == 1 && (element || !v.IsList()) {
		return p.each[0].eval(s, v, true) // what most tests are
	}
	out := match.True
	for i := range p.whole {
		if out = match.And(out, p.whole[i].eval(s, v, element)); out == match.False {
			return out
		}
	}
	switch {
	case len(p.each) == 0:
		return out
	case element || !v.IsList():
		return match.And(out, p.one(s, v))
	}
	return match.And(out, p.spread(s, v))
}

func (p *Predicate) one(s *Scratch, v *Value) match.Truth {
	out := match.True
	for i := range p.each {
		if out = match.And(out, p.each[i].eval(s, v, true)); out == match.False {
			break
		}
	}
	return out
}

// MaxElements bounds how many values of one field are tested: a longer list is
// unknown. Without it a call could keep the gate busy.
const MaxElements = 10_000

// spread tests the elements of a list.
func (p *Predicate) spread(s *Scratch, v *Value) match.Truth {
	switch n, _ := v.size(); {
	case n == 0 && p.list:
		return p.empty
	case n == 0 || n > MaxElements:
		return match.Unknown
	}
	sum, saved := p.Neutral(), s.Element
	for _, text := range v.List {
		s.Element.setElement(v.Elem, text)
		sum = p.Join(sum, p.one(s, &s.Element))
	}
	if v.Kind == Array {
		for _, item := range v.JSON.Items() {
			s.Set(Object, item)
			sum = p.Join(sum, p.one(s, &s.Element))
		}
	}
	s.Element = saved
	return sum
}

// Cost is a rough measure of what a test takes.
func (p *Predicate) Cost() int {
	sum := 0
	for _, ops := range [2][]op{p.whole, p.each} {
		for i := range ops {
			sum += ops[i].cost()
		}
	}
	return sum
}
