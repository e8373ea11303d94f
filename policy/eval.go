// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy/internal/match"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// maxCached bounds how many fields of one request are kept while it is decided.
// Fields beyond them are read each time.
const maxCached = 12

// eval is one request being decided. It lives on the stack.
type eval struct {
	req     toolverdict.Request
	facts   *facts
	slots   []uint8 // by field id: its place in cached from 1, 0 for none
	have    uint32
	element value                // see with
	cached  [maxCached + 1]value // the last one is for fields without a slot
}

// value reads a field, once where it has a slot. It is good until the next
// call.
func (e *eval) value(f *field) *value {
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

// set puts a value that is no field, such as an element, where it can be tested
// without an allocation, and returns what was there for the caller to put back.
func (e *eval) set(kind kind, json canon.Value) (saved value) {
	saved = e.element
	e.element = value{kind: kind}
	if kind == object {
		e.element.kind = absent
		e.element.setJSON(json)
	}
	return saved
}

// condKind says how a condition combines.
type condKind uint8

const (
	condAll condKind = iota
	condAny
	condNot
	condTest
)

// cond is a compiled condition.
type cond struct {
	kind  condKind
	parts []cond
	field *field
	test  predicate
}

func (c *cond) eval(e *eval) match.Truth {
	switch c.kind {
	case condTest:
		if c.field.fan {
			return c.fan(e)
		}
		return c.test.eval(e, e.value(c.field), false)
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
	w := walk{test: &c.test, sum: c.test.neutral()}
	w.from(e, e.req.Arguments, c.field.Steps)
	switch {
	case w.count == 0:
		return c.test.empty
	case w.count > maxElements:
		return match.Unknown
	}
	return w.sum
}

// walk visits the values of a path and joins what the test says of each.
type walk struct {
	test  *predicate
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
		if k != object {
			w.visit(e, k, next)
			return
		}
		v = next
	}
	w.visit(e, object, v)
}

func (w *walk) visit(e *eval, k kind, v canon.Value) {
	if w.count++; w.count > maxElements {
		return
	}
	saved := e.set(k, v)
	w.sum = w.test.join(w.sum, w.test.eval(e, &e.element, true))
	e.element = saved
}

// predicate is what one value must satisfy: operators on the value as a whole,
// and operators on each element where it is a list.
type predicate struct {
	whole []op
	each  []op
	every bool        // each element must satisfy, not just one
	list  bool        // the policy says that it is a list
	empty match.Truth // of an empty list that was meant to be one
}

func (p *predicate) neutral() match.Truth { return match.Of(p.every) }

func (p *predicate) join(a, b match.Truth) match.Truth {
	if p.every {
		return match.And(a, b)
	}
	return match.Or(a, b)
}

// eval tests a value. An element of a list is not spread again: a list inside
// of a list is no scalar.
func (p *predicate) eval(e *eval, v *value, element bool) match.Truth {
	out := match.True
	for i := range p.whole {
		if out = match.And(out, p.whole[i].eval(e, v, element)); out == match.False {
			return out
		}
	}
	switch {
	case len(p.each) == 0:
		return out
	case element || v.kind != array && v.kind != texts:
		return match.And(out, p.one(e, v))
	}
	return match.And(out, p.spread(e, v))
}

func (p *predicate) one(e *eval, v *value) match.Truth {
	out := match.True
	for i := range p.each {
		if out = match.And(out, p.each[i].eval(e, v, true)); out == match.False {
			break
		}
	}
	return out
}

// maxElements bounds how many values of one field are tested: a longer list is
// unknown. Without it a call could keep the gate busy.
const maxElements = 10_000

// spread tests the elements of a list.
func (p *predicate) spread(e *eval, v *value) match.Truth {
	switch n, _ := v.size(); {
	case n == 0 && p.list:
		return p.empty
	case n == 0 || n > maxElements:
		return match.Unknown
	}
	sum, saved := p.neutral(), e.element
	for _, s := range v.list {
		e.element = value{kind: text, text: s}
		sum = p.join(sum, p.one(e, &e.element))
	}
	if v.kind == array {
		for _, item := range v.json.Items() {
			e.set(object, item)
			sum = p.join(sum, p.one(e, &e.element))
		}
	}
	e.element = saved
	return sum
}

// opcode names what an operator does.
type opcode uint8

const (
	opEqual opcode = iota // eq, ne, in, notIn
	opOrder               // gt, gte, lt, lte, between
	opPrefix
	opSuffix
	opContains
	opGlob
	opRegex
	opUnder
	opDomain
	opHost
	opCIDR
	opExists
	opType
	opLength
	opList // any, every
	opNot
)

// op is a compiled operator.
type op struct {
	code   opcode
	negate bool
	equal  *literals
	order  *span
	text   *patterns
	words  []string   // opType, opPrefix, opSuffix, opContains
	inner  *predicate // opLength, opList, opNot
}

// literals are the values that one of must be equal.
type literals struct {
	texts   []string
	numbers []canon.Number
	moments []match.Moment
	yes, no bool
}

// span is a range of numbers or of moments.
type span struct {
	low, high       canon.Number
	from, to        match.Moment
	hasLow, hasHigh bool
	openLow         bool // the bound itself is outside
	openHigh        bool
	timed           bool // from and to count, not low and high
}

// patterns are the forms that a text is compared with; one must fit.
type patterns struct {
	globs   []match.Glob
	regexes []match.Regex
	folders []match.Folder
	domains []match.Domain
	ranges  []netip.Prefix
}

func (o *op) eval(e *eval, v *value, element bool) match.Truth {
	t := o.judge(e, v, element)
	if o.negate {
		return t.Not()
	}
	return t
}

func (o *op) judge(e *eval, v *value, element bool) match.Truth {
	switch o.code {
	case opEqual:
		return o.equal.has(e, v)
	case opOrder:
		return o.order.holds(e, v)
	case opExists:
		if v.kind == odd {
			return match.Unknown
		}
		return match.Of(v.kind != absent)
	case opType:
		if v.kind == odd || v.kind == absent {
			return match.Unknown
		}
		return match.Of(slices.ContainsFunc(o.words, v.is))
	case opLength:
		n, ok := v.size()
		if !ok {
			return match.Unknown
		}
		saved := e.set(whole, canon.Value{})
		e.element.n = int64(n)
		t := o.inner.eval(e, &e.element, true)
		e.element = saved
		return t
	case opList:
		if v.kind != array && v.kind != texts {
			return o.inner.one(e, v)
		}
		return o.inner.spread(e, v)
	case opNot:
		return o.inner.eval(e, v, element).Not()
	default:
		if v.kind != text {
			return match.Unknown
		}
		return o.fits(v.text)
	}
}

// fits tests a text.
func (o *op) fits(s string) match.Truth {
	switch o.code {
	case opPrefix:
		return match.Of(slices.ContainsFunc(o.words, func(w string) bool { return strings.HasPrefix(s, w) }))
	case opSuffix:
		return match.Of(slices.ContainsFunc(o.words, func(w string) bool { return strings.HasSuffix(s, w) }))
	case opContains:
		return match.Of(slices.ContainsFunc(o.words, func(w string) bool { return strings.Contains(s, w) }))
	case opGlob:
		out := match.False
		for i := range o.text.globs {
			out = match.Or(out, o.text.globs[i].Fits(s))
		}
		return out
	case opDomain:
		return match.EmailIn(s, o.text.domains)
	case opHost:
		return match.HostIn(s, o.text.domains)
	case opCIDR:
		return match.AddrIn(s, o.text.ranges)
	default:
	}
	out := match.False
	for i := range o.text.regexes {
		out = match.Or(out, o.text.regexes[i].Match(s))
	}
	for i := range o.text.folders {
		out = match.Or(out, o.text.folders[i].Holds(s))
	}
	return out
}

// has reports whether one of the literals equals the value. A value of a type
// that none of them has is Unknown: "true" is not false.
func (l *literals) has(e *eval, v *value) match.Truth {
	switch {
	case v.kind == text && len(l.texts) > 0:
		return match.Of(slices.Contains(l.texts, v.text))
	case v.kind == boolean && (l.yes || l.no):
		return match.Of(v.truth && l.yes || !v.truth && l.no)
	case (v.kind == number || v.kind == whole) && len(l.numbers) > 0:
		n := v.number()
		return match.Of(slices.ContainsFunc(l.numbers, func(m canon.Number) bool { return n.Cmp(m) == 0 }))
	case v.kind == moment && len(l.moments) > 0:
		return match.Of(slices.ContainsFunc(l.moments, func(m match.Moment) bool {
			order, ok := v.moment(e.req.At).Compare(m)
			return ok && order == 0
		}))
	}
	return match.Unknown
}

// holds reports whether the value is in the range. A value of another type is
// Unknown, also a number written as text.
func (s *span) holds(e *eval, v *value) match.Truth {
	if s.timed {
		if v.kind != text && v.kind != moment {
			return match.Unknown
		}
		m := v.moment(e.req.At)
		return s.within(func(low bool) (int, bool) {
			if low {
				return m.Compare(s.from)
			}
			return m.Compare(s.to)
		})
	}
	if v.kind != number && v.kind != whole {
		return match.Unknown
	}
	n := v.number()
	return s.within(func(low bool) (int, bool) {
		if low {
			return n.Cmp(s.low), true
		}
		return n.Cmp(s.high), true
	})
}

func (s *span) within(compare func(low bool) (int, bool)) match.Truth {
	if s.hasLow {
		order, ok := compare(true)
		if !ok {
			return match.Unknown
		}
		if order < 0 || order == 0 && s.openLow {
			return match.False
		}
	}
	if s.hasHigh {
		order, ok := compare(false)
		if !ok {
			return match.Unknown
		}
		if order > 0 || order == 0 && s.openHigh {
			return match.False
		}
	}
	return match.True
}

// cost is a rough measure of what a condition takes.
func (c *cond) cost() int {
	sum := c.test.cost()
	if c.field != nil && c.field.fan {
		sum *= 8
	}
	for i := range c.parts {
		sum += c.parts[i].cost()
	}
	return sum
}

func (p *predicate) cost() int {
	sum := 0
	for _, ops := range [2][]op{p.whole, p.each} {
		for i := range ops {
			sum += ops[i].cost()
		}
	}
	return sum
}

func (o *op) cost() int {
	switch o.code {
	case opEqual, opExists, opType:
		return 1
	case opRegex:
		return 16 * len(o.text.regexes)
	case opGlob, opContains, opUnder, opDomain, opHost, opCIDR:
		return 6
	case opLength, opList, opNot:
		return 2 + o.inner.cost()
	default:
		return 2
	}
}
