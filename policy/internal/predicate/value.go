// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package predicate

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy/internal/match"
)

// Kind is the type of a value that a rule looks at.
type Kind uint8

// Kinds of value.
const (
	Absent Kind = iota
	Odd         // on the way to it stands something of another type
	Null
	Boolean
	Number
	Text
	Array
	Object
	Whole  // an integer of the host
	Moment // a time of the host
	Texts  // a list of the host

	// Path and those below it are what effects hold, known in part only.
	Path   // what Scratch.Effect reaches
	Word   // Text in which each NUL is text that is not known
	Name   // of a relation, a column or a function: "table", "schema.table"
	Opaque // the kind of an effect that may be of any
)

// Value is what a field of a request holds.
type Value struct {
	Kind  Kind
	Elem  Kind // of Texts: Word, Name, or Absent for plain text
	Truth bool
	Form  match.MomentKind // of a moment
	near  bool             // float is set
	N     int64            // whole
	float float64          // the nearest to a number
	Text  string
	JSON  canon.Value // number, array, object
	List  []string
	Zone  *time.Location
}

// SetJSON fills an empty value.
func (v *Value) SetJSON(j canon.Value) {
	switch j.Kind() {
	case canon.KindNull:
		v.Kind = Null
	case canon.KindBool:
		v.Kind, v.Truth = Boolean, j.Bool()
	case canon.KindNumber:
		v.Kind, v.JSON = Number, j
	case canon.KindString:
		v.SetText(j.Text())
	case canon.KindArray:
		v.Kind, v.JSON = Array, j
	case canon.KindObject:
		v.Kind, v.JSON = Object, j
	case canon.KindInvalid:
	}
}

// SetText fills an empty value.
func (v *Value) SetText(s string) { v.Kind, v.Text = Text, s }

// SetHost fills an empty value with a text of the host; an empty one is not
// there.
func (v *Value) SetHost(s string) {
	if s != "" {
		v.SetText(s)
	}
}

// Number returns the number that a value of kind Number or Whole is.
func (v *Value) Number() canon.Number {
	if v.Kind == Whole {
		return canon.IntNumber(v.N)
	}
	return v.JSON.Number()
}

// Near is the float next to the number that a value of kind Number or Whole is,
// infinite where that is too large for one.
func (v *Value) Near() float64 {
	switch {
	case v.Kind == Whole:
		return float64(v.N)
	case !v.near:
		v.float, _ = strconv.ParseFloat(v.JSON.RawText(), 64)
		v.near = true
	}
	return v.float
}

// nearest is the float next to a number. The order of numbers stays.
func nearest(n canon.Number) float64 {
	f, _ := strconv.ParseFloat(n.String(), 64) // an overflow is infinite, as it should be
	return f
}

// IsList reports whether tests of single values look at its elements.
func (v *Value) IsList() bool { return v.Kind == Array || v.Kind == Texts }

// IsNumber reports whether it is a number.
func (v *Value) IsNumber() bool { return v.Kind == Number || v.Kind == Whole }

// open reports whether a word stands for any number of words.
func open(word string) bool { return strings.Trim(word, "\x00") == "" && word != "" }

// setElement makes v an element of a list of the host.
func (v *Value) setElement(kind Kind, s string) {
	*v = Value{Kind: Text, Text: s}
	switch {
	case kind == Word && strings.IndexByte(s, 0) >= 0, kind == Name:
		v.Kind = kind
	}
}

// Words returns the elements of a value of kind Texts; ok is false where one of
// them may stand for any number of words.
func (v *Value) Words() (words []Value, ok bool) {
	if _, ok = v.size(); v.Kind != Texts || !ok {
		return nil, false
	}
	words = make([]Value, len(v.List))
	for i, s := range v.List {
		words[i].setElement(v.Elem, s)
	}
	return words, true
}

// SetWord fills an empty value with a text of an effect, in which NUL may stand
// for what is not known; an empty one is not known.
func (v *Value) SetWord(s string) {
	if s != "" {
		v.setElement(Word, s)
	}
}

// size is what the operator length counts: characters, elements or members.
func (v *Value) size() (int, bool) {
	switch v.Kind {
	case Text:
		return utf8.RuneCountInString(v.Text), true
	case Array, Object:
		return v.JSON.Len(), true
	case Texts:
		return len(v.List), !(v.Elem == Word && slices.ContainsFunc(v.List, open) || v.Elem == Name && slices.ContainsFunc(v.List, wild))
	default:
		return 0, false
	}
}

// is reports whether the value is of a JSON type.
func (v *Value) is(typeName string) bool {
	switch v.Kind {
	case Null:
		return typeName == "null"
	case Boolean:
		return typeName == "boolean"
	case Number, Whole:
		return typeName == "number" || typeName == "integer" && v.Number().IsInteger()
	case Text, Moment, Path, Word, Name, Opaque:
		return typeName == "string"
	case Array, Texts:
		return typeName == "array"
	case Object:
		return typeName == "object"
	default:
		return false
	}
}

// moment reads a time of the host, or one written in an argument.
func (v *Value) moment(at time.Time) match.Moment {
	if v.Kind == Text {
		return match.ParseMoment(v.Text)
	}
	switch at = at.In(v.Zone); v.Form {
	case match.Date:
		return match.DateOf(at)
	case match.Clock:
		return match.ClockOf(at)
	default:
		return match.InstantOf(at)
	}
}
