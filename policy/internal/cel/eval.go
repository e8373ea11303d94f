// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"math"
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy/internal/effects"
	"github.com/toolverdict/toolverdict/policy/internal/match"
	"github.com/toolverdict/toolverdict/policy/internal/predicate"
)

// operation says what a node computes.
type operation uint8

const (
	opConst operation = iota
	opArguments
	opHost    // the field number at
	opHasHost // whether it is there
	opEffects
	opVariable // of the loop number at
	opMember
	opHas
	opField    // of an effect
	opHasField // whether it is known
	opIndex
	opList
	opAll
	opExists
	opOne
	opAnd
	opOr
	opNot
	opIf
	opSame
	opIsNull
	opLess
	opAtMost
	opIn
	opAdd
	opSubtract
	opMultiply
	opRemainder
	opNegate
	opSize
	opStarts
	opEnds
	opContains
	opMatches
	opTimestamp
)

// node is one step of an expression.
type node struct {
	op    operation
	parts []*node
	at    int
	name  string
	value value
	field effects.Field
	regex match.Regex
	named bool // a loop over the names of an object's members
}

// run is one evaluation.
type run struct {
	in      *Input
	allow   bool
	left    int
	host    []value
	effects value
	loops   [maxNesting]value
}

// spend takes steps for looking at so many bytes.
func (r *run) spend(bytes int) { r.left -= 1 + bytes/64 }

func (r *run) eval(n *node) value {
	if r.left--; r.left < 0 {
		return value{}
	}
	switch n.op {
	case opConst:
		return n.value
	case opArguments:
		return ofJSON(r.in.Arguments)
	case opHost:
		return r.host[n.at]
	case opHasHost:
		return of(r.in.Host[n.at].Kind != predicate.Absent)
	case opEffects:
		return r.effects
	case opVariable:
		return r.loops[n.at]
	case opAll, opExists, opOne:
		return r.loop(n)
	case opAnd, opOr, opIf:
		return r.choose(n)
	case opList:
		out := value{kind: list, list: make([]value, len(n.parts))}
		for i, p := range n.parts {
			out.list[i] = r.eval(p)
		}
		return out
	default:
	}
	a := r.eval(n.parts[0])
	if len(n.parts) == 1 {
		return r.unary(n, &a)
	}
	b := r.eval(n.parts[1])
	return r.binary(n, &a, &b)
}

func (r *run) choose(n *node) value {
	a := r.eval(n.parts[0])
	first := a.truthOf()
	switch {
	case n.op == opIf && first == match.Unknown:
		return value{}
	case n.op == opIf && first == match.True:
		return r.eval(n.parts[1])
	case n.op == opIf:
		return r.eval(n.parts[2])
	case n.op == opAnd && first == match.False, n.op == opOr && first == match.True:
		return a
	}
	b := r.eval(n.parts[1])
	if n.op == opAnd {
		return ofTruth(match.And(first, b.truthOf()))
	}
	return ofTruth(match.Or(first, b.truthOf()))
}

func (r *run) unary(n *node, a *value) value {
	switch n.op {
	case opMember:
		return r.found(a.member(n.name))
	case opHas:
		return ofTruth(a.has(n.name))
	case opField:
		return a.field(n.field)
	case opHasField:
		return ofTruth(a.hasField(n.field))
	case opNot:
		return ofTruth(a.truthOf().Not())
	case opIsNull:
		if a.kind != unknown {
			return of(a.kind == null)
		}
	case opNegate:
		if a.kind == number {
			return add(value{}.number, a.number, -1)
		}
	case opSize:
		return r.size(a)
	case opMatches:
		if a.kind == text {
			if r.left -= len(a.text) * n.regex.Size() / 16; r.left >= 0 {
				return ofTruth(n.regex.Match(a.text))
			}
		}
	case opTimestamp:
		if m := match.ParseMoment(a.text); a.kind == text && m.Kind == match.Instant {
			return value{kind: moment, at: m.Time()}
		}
	default:
	}
	return value{}
}

func (r *run) binary(n *node, a, b *value) value {
	if r.spend(len(a.text) + len(b.text)); r.left < 0 {
		return value{}
	}
	switch n.op {
	case opSame:
		return ofTruth(same(a, b))
	case opLess, opAtMost:
		if sign, ok := order(a, b); ok {
			return of(sign < 0 || sign == 0 && n.op == opAtMost)
		}
	case opIn:
		return r.within(a, b)
	case opIndex:
		return r.index(a, b)
	case opStarts, opEnds, opContains:
		if a.kind == text && b.kind == text {
			return of(n.fits(a.text, b.text))
		}
	default:
		r.left -= 32
		return arithmetic(n.op, a, b)
	}
	return value{}
}

func (n *node) fits(s, part string) bool {
	switch n.op {
	case opStarts:
		return strings.HasPrefix(s, part)
	case opEnds:
		return strings.HasSuffix(s, part)
	default:
		return strings.Contains(s, part)
	}
}

func arithmetic(op operation, a, b *value) value {
	switch {
	case a.kind == number && b.kind == number:
		return calculate(op, a, b)
	case a.kind == text && b.kind == text && op == opAdd && len(a.text)+len(b.text) <= maxText:
		return textual(a.text + b.text)
	case a.kind == moment && b.kind == moment && op == opSubtract:
		length := a.at.Sub(b.at)
		if !b.at.Add(length).Equal(a.at) {
			return value{} // too far apart to be told
		}
		return value{kind: duration, length: length}
	case a.kind == moment && b.kind == duration && op == opAdd:
		return value{kind: moment, at: a.at.Add(b.length)}
	case a.kind == moment && b.kind == duration && op == opSubtract && b.length != math.MinInt64:
		return value{kind: moment, at: a.at.Add(-b.length)}
	}
	return value{}
}

func calculate(op operation, a, b *value) value {
	switch op {
	case opAdd:
		return add(a.number, b.number, 1)
	case opSubtract:
		return add(a.number, b.number, -1)
	case opMultiply:
		return multiply(a.number, b.number)
	default:
		return remainder(a.number, b.number)
	}
}

func (r *run) size(a *value) value {
	n := a.size()
	if a.kind == text {
		r.spend(len(a.text))
		n = len([]rune(a.text))
	}
	if n < 0 {
		return value{}
	}
	return value{kind: number, number: canon.IntNumber(int64(n))}
}

// within asks whether a is an element of a list or the name of a member.
func (r *run) within(a, b *value) value {
	if b.kind == object {
		if a.kind != text {
			return value{}
		}
		return ofTruth(b.has(a.text))
	}
	out := match.False
	if r.left -= max(b.size(), 0) / 8; b.size() > predicate.MaxElements || !b.each(func(e value) bool {
		r.spend(len(a.text) + len(e.text))
		out = match.Or(out, same(a, &e))
		return out != match.True && r.left >= 0
	}) {
		return value{}
	}
	return ofTruth(out)
}

// found pays for what reading a value costs.
func (r *run) found(v value) value {
	r.spend(len(v.text))
	return v
}

func (r *run) index(a, b *value) value {
	switch {
	case a.kind == object && b.kind == text:
		return r.found(a.member(b.text))
	case b.kind != number:
		return value{}
	}
	i, ok := b.number.Int64()
	switch {
	case !ok || i < 0 || i >= int64(max(a.size(), 0)):
		return value{}
	case a.kind == list:
		return a.list[i]
	case a.kind == array:
		e, _ := a.json.Index(int(i)) // which walks there
		r.left -= int(i) / 8
		return r.found(ofJSON(e))
	}
	return value{}
}

// loop asks of each element. All of nothing is unknown, and so is one of nothing
// to a rule that allows: an empty list is no reason to let a call pass.
func (r *run) loop(n *node) value {
	over := r.eval(n.parts[0])
	if n.named {
		r.left -= max(over.size(), 0) / 8
		over = over.names()
	}
	if size := over.size(); size > predicate.MaxElements || size == 0 && (r.allow || n.op == opAll) {
		return value{}
	}
	sum, hits, doubts := match.Of(n.op == opAll), 0, 0
	saved := r.loops[n.at]
	if !over.each(func(e value) bool {
		r.loops[n.at] = e
		v := r.eval(n.parts[1])
		switch t := v.truthOf(); {
		case n.op == opAll:
			sum = match.And(sum, t)
		case n.op == opExists:
			sum = match.Or(sum, t)
		case t == match.True:
			hits++
		case t == match.Unknown:
			doubts++
		}
		return r.left >= 0 && (n.op == opOne || sum != match.Of(n.op == opExists))
	}) {
		return value{}
	}
	r.loops[n.at] = saved
	switch {
	case n.op != opOne:
		return ofTruth(sum)
	case doubts > 0:
		return value{}
	}
	return of(hits == 1)
}

// effectsOf lists what the call would do, where that is known.
func effectsOf(in *Input) value {
	if !in.Known || len(in.Effects) > predicate.MaxElements {
		return value{}
	}
	out := value{kind: list, list: make([]value, len(in.Effects))}
	for i := range in.Effects {
		out.list[i] = value{kind: effect, effect: &in.Effects[i]}
	}
	return out
}
