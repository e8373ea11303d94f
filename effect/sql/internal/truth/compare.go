// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"math"
	"strconv"
	"strings"
)

// Outcomes of a comparison.
const (
	before = iota - 1
	equal
	after
	unequal // and which comes first depends on the collation
	withNull
	notSaid
	notBefore // equal or after
	notAfter
)

// nearly is the relative difference below which two numbers may be the same
// one: databases compute decimals exactly, this package does not.
const nearly = 1e-9

func compared(op Op, outcome int) Value {
	switch outcome {
	case withNull:
		return Value{}
	case notSaid:
		return Value{Kind: Undecided}
	case notBefore:
		return oneOf(op == AtLeast, op == Less)
	case notAfter:
		return oneOf(op == AtMost, op == More)
	}
	switch {
	case op == Equal:
		return truthOf(outcome == equal)
	case op == Differ:
		return truthOf(outcome != equal)
	case outcome == unequal:
		return Value{Kind: Undecided}
	}
	switch op {
	case Less:
		return truthOf(outcome == before)
	case AtMost:
		return truthOf(outcome != after)
	case More:
		return truthOf(outcome == after)
	default:
		return truthOf(outcome != before)
	}
}

func oneOf(holds, fails bool) Value {
	if holds == fails {
		return Value{Kind: Undecided}
	}
	return truthOf(holds)
}

// compare orders two values, where the dialect says how. A guess is said to be no
// value that it is compared with, and whether it is empty is not known.
func (r *row) compare(a, b Value) int {
	outcome := r.order(a, b)
	switch g := max(a.Guess, b.Guess); {
	case g == Known:
		return outcome
	case outcome == equal:
		return notSaid
	case b.Kind == Text && b.Text == "" && a.Kind == Text:
		return notBefore
	case a.Kind == Text && a.Text == "" && b.Kind == Text:
		return notAfter
	case g == Some && (outcome == before || outcome == after):
		return unequal
	default:
		return outcome
	}
}

func (r *row) order(a, b Value) int {
	switch {
	case a.Kind == Null || b.Kind == Null:
		return withNull
	case a.Kind == Undecided || b.Kind == Undecided:
		return notSaid
	case a.Kind == Text && b.Kind == Text:
		return r.compareText(a.Text, b.Text)
	case a.Kind == Text || b.Kind == Text:
		return r.compareMixed(a, b)
	}
	return compareNumbers(asNumber(a), asNumber(b))
}

func asNumber(v Value) float64 {
	if v.Kind == Bool {
		if v.Bool {
			return 1
		}
		return 0
	}
	return v.Num
}

func compareNumbers(a, b float64) int {
	switch {
	case a == b:
		return equal
	case math.Abs(a-b) <= nearly*math.Max(math.Abs(a), math.Abs(b)):
		return notSaid
	case a < b:
		return before
	default:
		return after
	}
}

// compareText decides what every collation that this package knows of agrees
// about.
func (r *row) compareText(a, b string) int {
	if !r.spend((len(a) + len(b)) / bytesPerStep) {
		return notSaid
	}
	if a == b {
		return equal
	}
	if r.dialect.FoldText && (!plain(a) || !plain(b) || strings.EqualFold(strings.TrimRight(a, " "), strings.TrimRight(b, " "))) {
		return notSaid
	}
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	switch {
	case same == len(a):
		return before
	case same == len(b):
		return after
	case orderly(a[same]) && orderly(b[same]):
		return strings.Compare(a, b)
	}
	return unequal
}

// plain reports whether no collation ignores or merges characters of the text
// but for their case.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// orderly are the characters that all collations put in the same order.
func orderly(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' }

// compareMixed compares a text with something else.
func (r *row) compareMixed(a, b Value) int {
	if r.dialect.LiteralTypes {
		return notSaid // the column's affinity decides
	}
	text, other, swap := a, b, 1
	if b.Kind == Text {
		text, other, swap = b, a, -1
	}
	if !r.spend(len(text.Text) / bytesPerStep) {
		return notSaid
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(text.Text), 64)
	switch {
	case r.dialect.LooseBool:
		n = leadingNumber(text.Text)
	case other.Kind == Bool:
		v := boolText(text.Text)
		if v.Kind != Bool {
			return notSaid
		}
		n = asNumber(v)
	case err != nil:
		return notSaid
	}
	return swap * compareNumbers(n, asNumber(other))
}

func (r *row) same(a, b Value) Value {
	if a.Kind == Null || b.Kind == Null {
		if a.Kind == Undecided || b.Kind == Undecided {
			return Value{Kind: Undecided}
		}
		return truthOf(a.Kind == b.Kind)
	}
	return compared(Equal, r.compare(a, b))
}

func (r *row) in(e *Expr) Value {
	first, rest := r.eval(e.Args[0]), truthOf(false)
	for _, a := range e.Args[1:] {
		v := compared(Equal, r.compare(first, r.eval(a)))
		switch {
		case v.Kind == Bool && v.Bool:
			return v
		case v.Kind != Bool:
			rest = v
		}
	}
	return rest
}
