// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"slices"
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy/internal/effects"
	"github.com/toolverdict/toolverdict/policy/internal/match"
	"github.com/toolverdict/toolverdict/policy/internal/predicate"
)

// kind is the type of a value. The zero kind is unknown.
type kind uint8

const (
	unknown kind = iota
	null
	boolean
	number
	text
	list   // of values
	array  // of JSON
	object // of JSON
	effect
	moment
	duration
)

// value is what an expression computes with.
type value struct {
	kind   kind
	truth  bool
	text   string
	number canon.Number
	json   canon.Value
	list   []value
	effect *toolverdict.Effect
	at     time.Time
	length time.Duration
}

func of(b bool) value { return value{kind: boolean, truth: b} }

func textual(s string) value { return value{kind: text, text: s} }

// ofTruth turns a truth into a value; unknown stays unknown.
func ofTruth(t match.Truth) value {
	if t == match.Unknown {
		return value{}
	}
	return of(t == match.True)
}

// truthOf is Unknown for everything that is neither true nor false.
func (v *value) truthOf() match.Truth {
	if v.kind != boolean {
		return match.Unknown
	}
	return match.Of(v.truth)
}

func ofJSON(j canon.Value) value {
	switch j.Kind() {
	case canon.KindNull:
		return value{kind: null}
	case canon.KindBool:
		return of(j.Bool())
	case canon.KindNumber:
		return value{kind: number, number: j.Number()}
	case canon.KindString:
		return textual(j.Text())
	case canon.KindArray:
		return value{kind: array, json: j}
	case canon.KindObject:
		return value{kind: object, json: j}
	case canon.KindInvalid:
	}
	return value{}
}

// ofHost takes over what a field of the host or of an effect holds. What is
// known in part only is unknown.
func ofHost(v *predicate.Value, now time.Time) value {
	switch v.Kind {
	case predicate.Boolean:
		return of(v.Truth)
	case predicate.Text:
		return textual(v.Text)
	case predicate.Whole, predicate.Number:
		return value{kind: number, number: v.Number()}
	case predicate.Moment:
		return ofMoment(v, now)
	case predicate.Texts:
		return ofTexts(v)
	default:
		return value{}
	}
}

func ofMoment(v *predicate.Value, now time.Time) value {
	switch at := now.In(v.Zone); v.Form {
	case match.Date:
		return textual(at.Format(time.DateOnly))
	case match.Clock:
		return textual(at.Format(time.TimeOnly))
	default:
		return value{kind: moment, at: at}
	}
}

// ofTexts makes a list. A word that may stand for several leaves the whole list
// unknown, one that is known in part only itself.
func ofTexts(v *predicate.Value) value {
	words, ok := v.Words()
	if !ok {
		return value{}
	}
	out := value{kind: list, list: make([]value, len(words))}
	for i := range words {
		out.list[i] = ofHost(&words[i], time.Time{})
	}
	return out
}

// member is a member of an object, of JSON or an effect; missing ones are
// unknown.
func (v *value) member(name string) value {
	if v.kind != object {
		return value{}
	}
	m, _ := v.json.Get(name)
	return ofJSON(m)
}

// has reports whether there is such a member. Nothing can be told of a value
// that has no inside.
func (v *value) has(name string) match.Truth {
	if v.kind != object {
		return match.Unknown
	}
	_, found := v.json.Get(name)
	return match.Of(found)
}

func (v *value) field(f effects.Field) value {
	if v.kind != effect || !effects.Has(v.effect.Kind, f) {
		return value{}
	}
	var read predicate.Value
	f.Read(v.effect, &read)
	return ofHost(&read, time.Time{})
}

func (v *value) hasField(f effects.Field) match.Truth {
	switch {
	case v.kind != effect:
		return match.Unknown
	case !effects.Has(v.effect.Kind, f):
		return match.False
	}
	var read predicate.Value
	if f.Read(v.effect, &read); read.Kind == predicate.Odd {
		return match.Unknown
	}
	return match.Of(read.Kind != predicate.Absent)
}

// size is how many elements, members or characters there are.
func (v *value) size() int {
	switch v.kind {
	case list:
		return len(v.list)
	case array, object:
		return v.json.Len()
	default:
		return -1
	}
}

// each visits the elements of a list until visit says to stop. It reports
// whether the value is one.
func (v *value) each(visit func(value) bool) bool {
	switch v.kind {
	case list:
		for _, e := range v.list {
			if !visit(e) {
				break
			}
		}
	case array:
		for _, e := range v.json.Items() {
			if !visit(ofJSON(e)) {
				break
			}
		}
	default:
		return false
	}
	return true
}

// names returns the names of an object's members in their order, however they
// were written: the same call, the same answer.
func (v *value) names() value {
	if v.kind != object {
		return value{}
	}
	var all []string
	for name := range v.json.Fields() {
		all = append(all, name)
	}
	slices.Sort(all)
	out := value{kind: list, list: make([]value, len(all))}
	for i, name := range all {
		out.list[i] = textual(name)
	}
	return out
}

// same compares two values. Those of different types are unknown, as are lists
// and objects.
func same(a, b *value) match.Truth {
	if a.kind != b.kind {
		return match.Unknown
	}
	switch a.kind {
	case null:
		return match.True
	case boolean:
		return match.Of(a.truth == b.truth)
	case number:
		return match.Of(a.number.Cmp(b.number) == 0)
	case text:
		return match.Of(a.text == b.text)
	case moment:
		return match.Of(a.at.Equal(b.at))
	case duration:
		return match.Of(a.length == b.length)
	default:
		return match.Unknown
	}
}

// order compares two numbers, times or lengths of time.
func order(a, b *value) (sign int, ok bool) {
	switch {
	case a.kind != b.kind:
	case a.kind == number:
		return a.number.Cmp(b.number), true
	case a.kind == moment:
		return a.at.Compare(b.at), true
	case a.kind == duration:
		switch {
		case a.length < b.length:
			return -1, true
		case a.length > b.length:
			return 1, true
		}
		return 0, true
	}
	return 0, false
}
