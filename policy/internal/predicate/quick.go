// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package predicate

import (
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict/policy/internal/match"
)

// Quick is the short form of a predicate, in one place of memory: it answers
// for the values that most calls hold, and leaves all others to the predicate.
// What it says is what the predicate says. The zero Quick answers nothing.
//
// It fills a line of a processor's cache, with what its owner knows of it.
type Quick struct {
	Atom   int32 // its owner's
	Slot   uint8 // its owner's
	code   quickCode
	negate bool
	every  bool // of a list: each element must satisfy
	text   string
	more   []string // where there is not just one text
	low    float64  // the nearest to the bounds
	high   float64
}

type quickCode uint8

const (
	quickNone quickCode = iota
	quickEqual
	quickPrefix
	quickSuffix
	quickContains
	quickNeeds // a text without this one does not fit; one with it may
	quickOrder
	quickTruth
	quickExists
)

// Quick returns the short form of the predicate.
func (p *Predicate) Quick() Quick {
	switch {
	case len(p.whole) == 0 && len(p.each) == 1:
		return p.each[0].quick(p.every)
	case len(p.whole) == 1 && len(p.each) == 0:
		o := &p.whole[0]
		switch inner := o.inner; {
		case o.code == opExists:
			return Quick{code: quickExists, negate: o.negate}
		case o.code == opList && !o.negate && len(inner.whole) == 0 && len(inner.each) == 1:
			if q := inner.each[0].quick(inner.every); q.code == quickEqual && !q.negate {
				return q
			}
		}
	}
	return Quick{}
}

func (o *op) quick(every bool) Quick {
	q := Quick{negate: o.negate, every: every}
	switch o.code {
	case opEqual:
		return o.equal.quick(q)
	case opOrder:
		if o.order.timed {
			return Quick{}
		}
		q.code, q.low, q.high = quickOrder, o.order.nearLow(), o.order.nearHigh()
		return q
	case opPrefix:
		return q.with(quickPrefix, o.words)
	case opSuffix:
		return q.with(quickSuffix, o.words)
	case opContains:
		return q.with(quickContains, o.words)
	case opRegex:
		if len(o.text.regexes) == 1 && o.text.regexes[0].Needs() != "" {
			return q.with(quickNeeds, []string{o.text.regexes[0].Needs()})
		}
	default:
	}
	return Quick{}
}

// quick finds the form of literals that are all of one type.
func (l *literals) quick(q Quick) Quick {
	switch texts, numbers, truths := len(l.texts), len(l.numbers), l.yes || l.no; {
	case numbers == 0 && !truths:
		return q.with(quickEqual, l.texts)
	case numbers == 1 && texts == 0 && !truths:
		q.code, q.low = quickOrder, nearest(l.numbers[0])
		q.high = q.low
		return q
	case numbers == 0 && texts == 0 && l.yes != l.no:
		q.code, q.negate = quickTruth, q.negate != l.no
		return q
	}
	return Quick{}
}

func (q Quick) with(code quickCode, words []string) Quick {
	q.code = code
	switch len(words) {
	case 0:
		return Quick{}
	case 1:
		q.text = words[0]
	default:
		q.more = words
	}
	return q
}

// Tell judges a value; it is not ok where the predicate must be asked.
func (q *Quick) Tell(v *Value) (t match.Truth, ok bool) {
	var holds bool
	switch {
	case q.code == quickNone:
		return match.Unknown, false
	case v.Kind == Text && q.code <= quickNeeds:
		if holds = q.fits(v.Text); holds && q.code == quickNeeds {
			return match.Unknown, false
		}
	case q.code == quickOrder && v.IsNumber():
		n := v.Near()
		if n == q.low || n == q.high {
			return match.Unknown, false // floats cannot tell
		}
		holds = n > q.low && n < q.high
	case q.code == quickEqual && v.Kind == Texts && v.Elem == Absent && !q.negate && len(v.List) > 0 && len(v.List) <= MaxElements:
		holds = q.list(v.List)
	case q.code == quickTruth && v.Kind == Boolean:
		holds = v.Truth
	case q.code == quickExists && v.Kind != Odd:
		holds = v.Kind != Absent
	default:
		return match.Unknown, false
	}
	return match.Of(holds != q.negate), true
}

func (q *Quick) fits(s string) bool {
	if q.more != nil {
		return slices.ContainsFunc(q.more, func(text string) bool { return q.one(s, text) })
	}
	return q.one(s, q.text)
}

func (q *Quick) one(s, text string) bool {
	switch q.code {
	case quickEqual:
		return s == text
	case quickPrefix:
		return strings.HasPrefix(s, text)
	case quickSuffix:
		return strings.HasSuffix(s, text)
	default:
		return strings.Contains(s, text)
	}
}

func (q *Quick) list(elements []string) bool {
	for _, s := range elements {
		if q.fits(s) != q.every {
			return !q.every
		}
	}
	return q.every
}
