// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package predicate

import (
	"math"
	"net/netip"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy/internal/match"
)

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
	opBelow
	opDomainName
	opHostName
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
	forms  []match.Operand // for texts of effects
	words  []string        // opType, opPrefix, opSuffix, opContains
	inner  *Predicate      // opLength, opList, opNot
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

func (o *op) eval(s *Scratch, v *Value, element bool) match.Truth {
	t := o.judge(s, v, element)
	if o.negate {
		return t.Not()
	}
	return t
}

func (o *op) judge(s *Scratch, v *Value, element bool) match.Truth {
	switch o.code {
	case opEqual:
		if v.Kind >= Path {
			return o.resembles(s, v)
		}
		return o.equal.has(s, v)
	case opOrder:
		return o.order.holds(s, v)
	case opExists:
		if v.Kind == Odd {
			return match.Unknown
		}
		return match.Of(v.Kind != Absent)
	case opType:
		if v.Kind == Odd || v.Kind == Absent {
			return match.Unknown
		}
		return match.Of(slices.ContainsFunc(o.words, v.is))
	case opLength:
		n, ok := v.size()
		if !ok {
			return match.Unknown
		}
		saved := s.Set(Whole, canon.Value{})
		s.Element.N = int64(n)
		t := o.inner.Eval(s, &s.Element, true)
		s.Element = saved
		return t
	case opList:
		if !v.IsList() {
			return o.inner.one(s, v)
		}
		return o.inner.spread(s, v)
	case opNot:
		return o.inner.Eval(s, v, element).Not()
	default:
		switch v.Kind {
		case Text:
			return o.fits(v.Text)
		case Path, Word:
			return o.partly(s, v)
		case Name:
			if !wild(v.Text) {
				return o.fits(v.Text)
			}
		default: // of another type than the test is for
		}
		return match.Unknown
	}
}

// partly tests a text that is known in part.
func (o *op) partly(s *Scratch, v *Value) match.Truth {
	if len(o.forms) == 0 {
		return match.Unknown
	}
	out := match.False
	if v.Kind == Path {
		t := match.Touched{Path: s.Effect.Path, Deep: s.Effect.Deep, Pattern: s.Effect.Pattern, Folded: s.Effect.Folded}
		for i := range o.forms {
			out = match.Or(out, o.forms[i].Touched(&t))
		}
		return out
	}
	for i := range o.forms {
		out = match.Or(out, o.forms[i].Word(v.Text))
	}
	return out
}

// resembles compares what is known in part with the literals.
func (o *op) resembles(s *Scratch, v *Value) match.Truth {
	switch v.Kind {
	case Path, Word:
		return o.partly(s, v)
	case Opaque:
		if slices.Contains(o.equal.texts, v.Text) {
			return match.True
		}
	case Name:
		out := match.False
		for _, text := range o.equal.texts {
			out = match.Or(out, sameName(text, v.Text))
		}
		return out
	default:
	}
	return match.Unknown
}

// sameName compares names as a database may take them: without their schema, or
// in another case, they may be the same.
func sameName(a, b string) match.Truth {
	switch {
	case a == b:
		return match.True
	case wild(a) || wild(b), endsWith(a, b), endsWith(b, a):
		return match.Unknown
	}
	return match.False
}

func wild(name string) bool { return name == "*" || strings.HasSuffix(name, ".*") }

// endsWith reports whether the last parts of a name are the other, in any case.
func endsWith(name, last string) bool {
	at := len(name) - len(last)
	return at >= 0 && (at == 0 || name[at-1] == '.') && strings.EqualFold(name[at:], last)
}

// fits tests a text.
func (o *op) fits(s string) match.Truth {
	switch o.code {
	case opPrefix:
		for _, w := range o.words {
			if strings.HasPrefix(s, w) {
				return match.True
			}
		}
		return match.False
	case opSuffix:
		for _, w := range o.words {
			if strings.HasSuffix(s, w) {
				return match.True
			}
		}
		return match.False
	case opContains:
		for _, w := range o.words {
			if strings.Contains(s, w) {
				return match.True
			}
		}
		return match.False
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
	case opDomainName, opHostName:
		return match.NameIn(s, o.text.domains)
	case opBelow:
		out := match.False
		for i := range o.forms {
			out = match.Or(out, o.forms[i].Exact(s))
		}
		return out
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
func (l *literals) has(s *Scratch, v *Value) match.Truth {
	switch {
	case v.Kind == Text && len(l.texts) > 0:
		return match.Of(slices.Contains(l.texts, v.Text))
	case v.Kind == Boolean && (l.yes || l.no):
		return match.Of(v.Truth && l.yes || !v.Truth && l.no)
	case v.IsNumber() && len(l.numbers) > 0:
		n := v.Number()
		return match.Of(slices.ContainsFunc(l.numbers, func(m canon.Number) bool { return n.Cmp(m) == 0 }))
	case v.Kind == Moment && len(l.moments) > 0:
		return match.Of(slices.ContainsFunc(l.moments, func(m match.Moment) bool {
			order, ok := v.moment(s.At).Compare(m)
			return ok && order == 0
		}))
	}
	return match.Unknown
}

// holds reports whether the value is in the range. A value of another type is
// Unknown, also a number written as text.
func (s *span) holds(sc *Scratch, v *Value) match.Truth {
	if s.timed {
		if v.Kind != Text && v.Kind != Moment {
			return match.Unknown
		}
		m := v.moment(sc.At)
		return s.within(func(low bool) (int, bool) {
			if low {
				return m.Compare(s.from)
			}
			return m.Compare(s.to)
		})
	}
	if !v.IsNumber() {
		return match.Unknown
	}
	n, low, high := v.Number(), 1, -1
	if s.hasLow {
		low = n.Cmp(s.low)
	}
	if s.hasHigh {
		high = n.Cmp(s.high)
	}
	return match.Of((low > 0 || low == 0 && !s.openLow) && (high < 0 || high == 0 && !s.openHigh))
}

// nearLow and nearHigh are floats next to the bounds.
func (s *span) nearLow() float64 {
	if s.hasLow {
		return nearest(s.low)
	}
	return math.Inf(-1)
}

func (s *span) nearHigh() float64 {
	if s.hasHigh {
		return nearest(s.high)
	}
	return math.Inf(1)
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

func (o *op) cost() int {
	switch o.code {
	case opEqual, opExists, opType:
		return 1
	case opRegex:
		return 16 * len(o.text.regexes)
	case opGlob, opContains, opUnder, opDomain, opHost, opCIDR, opBelow, opDomainName, opHostName:
		return 6
	case opLength, opList, opNot:
		return 2 + o.inner.Cost()
	default:
		return 2
	}
}
