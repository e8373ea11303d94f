// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package money

import (
	"strconv"
	"strings"
)

// decimal is an exact amount. Its parts have no zeros that say nothing.
type decimal struct {
	negative        bool
	whole, fraction string // digits; "" is zero
}

func newDecimal(negative bool, whole, fraction string) decimal {
	return decimal{negative, strings.TrimLeft(whole, "0"), strings.TrimRight(fraction, "0")}
}

func (d decimal) isZero() bool { return d.whole == "" && d.fraction == "" }

// String returns the canonical form: no exponent, no zeros at its end, no minus
// before a zero.
func (d decimal) String() string {
	s := d.whole
	if s == "" {
		s = "0"
	}
	if d.fraction != "" {
		s += "." + d.fraction
	}
	if d.negative && !d.isZero() {
		s = "-" + s
	}
	return s
}

// shift moves the point to the right by n digits, to the left where n is
// negative.
func (d decimal) shift(n int) decimal {
	digits, point := d.whole+d.fraction, len(d.whole)+n
	switch {
	case d.isZero() || n == 0:
		return d
	case point <= 0:
		return newDecimal(d.negative, "", strings.Repeat("0", -point)+digits)
	case point >= len(digits):
		return newDecimal(d.negative, digits+strings.Repeat("0", point-len(digits)), "")
	}
	return newDecimal(d.negative, digits[:point], digits[point:])
}

// scientific reads the grammar of JSON numbers.
func scientific(s string) (decimal, bool) {
	rest, negative := strings.CutPrefix(s, "-")
	mantissa, exponent := rest, "0"
	if e := strings.IndexAny(rest, "eE"); e >= 0 {
		mantissa, exponent = rest[:e], strings.TrimPrefix(rest[e+1:], "+")
	}
	whole, fraction, point := strings.Cut(mantissa, ".")
	if !digits(whole) || point && !digits(fraction) || !digits(strings.TrimPrefix(exponent, "-")) {
		return decimal{}, false
	}
	d := newDecimal(negative, whole, fraction)
	n, err := strconv.Atoi(exponent)
	if d.isZero() {
		return d, true // times anything
	}
	const most = MaxWhole + MaxFraction // digits are bounded before, so that others cannot fit
	if err != nil || n > most || n < -most || len(d.whole)+len(d.fraction) > 2*most {
		return decimal{}, false
	}
	return d.shift(n), true
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// text reads a number as people and programs write one.
func (r *reading) text(s string) {
	body, negative := strings.CutPrefix(s, "-")
	if !negative {
		body = strings.TrimPrefix(body, "+")
	}
	if strings.Trim(body, "0123456789.,") != "" {
		r.exponent(s)
		return
	}
	commas, dots := strings.Count(body, ","), strings.Count(body, ".")
	switch {
	case strings.Trim(body, ".,") == "":
		r.refuse("no amount: write a plain number")
	case commas == 0 && dots <= 1:
		r.point(negative, body)
	case commas == 1 && dots == 0:
		// Half of the world groups with it and half of it puts the cents behind it.
		r.suspect("a comma that may group digits or be the decimal one: write a point, and no groups")
		whole, fraction, _ := strings.Cut(body, ",")
		r.amount(newDecimal(negative, whole, fraction))
		r.amount(newDecimal(negative, whole+fraction, ""))
	case commas == 0, dots == 0:
		r.grouped(negative, body, body[strings.IndexAny(body, ".,")], "")
	default:
		r.mixed(negative, body)
	}
}

// exponent reads what is no plain number.
func (r *reading) exponent(s string) {
	d, ok := scientific(strings.TrimPrefix(s, "+"))
	if !ok {
		r.refuse("no plain number: write digits with at most one point, and an ISO 4217 code if any")
		return
	}
	r.suspect("an exponent in text, at which some programs stop reading")
	r.amount(d)
}

// point reads digits with at most one point.
func (r *reading) point(negative bool, body string) {
	whole, fraction, point := strings.Cut(body, ".")
	if whole == "" || point && fraction == "" {
		r.suspect("a point without digits on both sides")
	}
	if len(whole) > 1 && whole[0] == '0' {
		r.suspect("leading zeros, after which some programs read octal")
	}
	r.amount(newDecimal(negative, whole, fraction))
	if three, ok := minorDigits(r.code); len(fraction) == 3 && len(whole) <= 3 && strings.Trim(whole, "0") != "" && (three != 3 || !ok) {
		r.suspect("a point that may group digits: write cents with two digits")
		r.amount(newDecimal(negative, whole+fraction, ""))
	}
}

// grouped reads digits in groups, which only a repeated separator proves to be.
func (r *reading) grouped(negative bool, whole string, separator byte, fraction string) {
	groups := strings.Split(whole, string(separator))
	size := len(groups[len(groups)-2]) // 3, or 2 as in India
	for i, group := range groups {
		switch last := i == len(groups)-1; {
		case last && len(group) == 3, !last && i > 0 && len(group) == size && (size == 2 || size == 3):
		case i == 0 && group != "" && group[0] != '0' && len(group) <= 3 && (len(groups) == 2 || len(group) <= size):
		default:
			r.refuse("digits in uneven groups: write the number without them")
			return
		}
	}
	r.amount(newDecimal(negative, strings.Join(groups, ""), fraction))
}

// mixed reads a number with points and commas: the last one is the decimal one.
func (r *reading) mixed(negative bool, body string) {
	at := strings.LastIndexAny(body, ".,")
	decimalMark, group := body[at], byte(',')
	if decimalMark == ',' {
		group = '.'
	}
	if strings.IndexByte(body[:at], decimalMark) >= 0 || at == len(body)-1 {
		r.refuse("points and commas in no order: write the number with one point")
		return
	}
	r.grouped(negative, body[:at], group, body[at+1:])
}
