// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"cmp"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// MaxDigits is the largest number of digits a number may be written with before
// its exponent, and MaxExponent the largest exponent either way. They bound what
// a number can cost here and in a reader that expands it, 0e999999999 included.
const (
	MaxDigits   = 400
	MaxExponent = 400
)

// Number is an exact decimal number. The zero Number is 0. Numbers are values:
// they can be copied and read concurrently; compare them with Cmp, not ==.
type Number struct {
	neg bool
	exp int32
	// coef holds the digits where there are at most 19, big where there are
	// more. Neither ends in a zero digit, so a number has one representation:
	// ± digits × 10^exp.
	coef uint64
	big  string
}

// ParseNumber reads s as [Parse] reads a number: the same grammar, the same
// refusals, nothing around it. The error is a *[SyntaxError].
func ParseNumber(s string) (Number, error) {
	end, reason, at := checkNumber(s, 0)
	if reason == "" && end != len(s) {
		reason, at = ReasonNumber, end
	}
	if reason != "" {
		e := &SyntaxError{Reason: reason, Offset: at}
		e.Line, e.Column = position(s, at)
		return Number{}, e
	}
	return scanNumber(s), nil
}

// ParseDecimal reads a number that was reckoned here, such as a sum: its digits
// are exact whether or not a float holds them.
func ParseDecimal(s string) (Number, bool) {
	l, reason, _ := lexNumber(s, 0)
	if reason != "" || l.end != len(s) {
		return Number{}, false
	}
	return l.number(s, 0), true
}

// IntNumber returns the number i.
func IntNumber(i int64) Number {
	n := Number{neg: i < 0, coef: uint64(i)}
	if n.neg {
		n.coef = -n.coef
	}
	for n.coef != 0 && n.coef%10 == 0 {
		n.coef /= 10
		n.exp++
	}
	return n
}

// literal is what one pass over a number's text finds.
type literal struct {
	neg    bool
	plain  bool   // neither fraction nor exponent
	coef   uint64 // the significant digits; meaningless where sig > maxCoef
	sig    int    // how many there are
	zeros  int    // zeros after the last of them
	digits int    // digits of integer and fraction
	frac   int    // digits of the fraction
	exp    int    // as written, clamped
	end    int
}

const (
	maxCoef  = 19  // any 19 digits fit a uint64
	sureSig  = 15  // digits that every float64 of sureMag keeps
	sureMag  = 290 // decimal magnitude well inside the normal floats
	es6Plain = 21  // digits up to which ECMAScript prints an integer plainly
)

// lexNumber reads the number at pos by the grammar of RFC 8259.
func lexNumber(s string, pos int) (l literal, reason Reason, at int) {
	start := pos
	l.plain = true
	if pos < len(s) && s[pos] == '-' {
		l.neg = true
		pos++
	}
	first := pos
	if pos = l.run(s, pos); pos == first {
		return l, numberEnd(s, pos), pos
	}
	if s[first] == '0' && pos > first+1 {
		return l, ReasonNumber, first + 1
	}
	if pos < len(s) && s[pos] == '.' {
		first, l.plain = pos+1, false
		if pos = l.run(s, first); pos == first {
			return l, numberEnd(s, pos), pos
		}
		l.frac = pos - first
	}
	if pos < len(s) && (s[pos] == 'e' || s[pos] == 'E') {
		l.plain = false
		if pos, reason = l.exponent(s, pos+1); reason != "" {
			return l, reason, pos
		}
	}
	if pos < len(s) && numberish(s[pos]) {
		return l, ReasonNumber, pos
	}
	if l.digits > MaxDigits || l.exp > MaxExponent || l.exp < -MaxExponent {
		return l, ReasonNumberLong, start
	}
	l.end = pos
	return l, "", 0
}

// numberish reports whether c, right after a number, means that the sender had
// another grammar in mind (0x10, 1_000, 1.2.3, 10n).
func numberish(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' ||
		c == '.' || c == '_' || c == '+' || c == '-'
}

// numberEnd is the reason why no digit stands at pos.
func numberEnd(s string, pos int) Reason {
	if pos >= len(s) {
		return ReasonTruncated
	}
	return ReasonNumber
}

// run takes in the digits at pos and returns the place after them.
func (l *literal) run(s string, pos int) int {
	start := pos
	for ; pos < len(s); pos++ {
		c := s[pos] - '0'
		if c > 9 {
			break
		}
		if c == 0 {
			if l.sig > 0 {
				l.zeros++
			}
			continue
		}
		l.sig += l.zeros + 1
		for ; l.zeros > 0; l.zeros-- {
			l.coef *= 10
		}
		l.coef = l.coef*10 + uint64(c)
	}
	l.digits += pos - start
	return pos
}

func (l *literal) exponent(s string, pos int) (int, Reason) {
	sign := 1
	if pos < len(s) && (s[pos] == '+' || s[pos] == '-') {
		if s[pos] == '-' {
			sign = -1
		}
		pos++
	}
	first := pos
	for ; pos < len(s) && s[pos] >= '0' && s[pos] <= '9'; pos++ {
		l.exp = min(l.exp*10+int(s[pos]-'0'), MaxExponent+1)
	}
	l.exp *= sign
	if pos == first {
		return pos, numberEnd(s, pos)
	}
	return pos, ""
}

// scale is the power of ten of the last significant digit.
func (l *literal) scale() int { return l.exp - l.frac + l.zeros }

// checkNumber reports where the number at pos ends, or why it is refused.
func checkNumber(s string, pos int) (end int, reason Reason, at int) {
	l, reason, at := lexNumber(s, pos)
	if reason != "" {
		return 0, reason, at
	}
	switch {
	case l.sig == 0 && l.neg:
		return 0, ReasonNegativeZero, pos
	case l.sig == 0 || l.plain:
		return l.end, "", 0
	case l.sig <= sureSig && l.sig+l.scale() <= sureMag && l.sig+l.scale() >= -sureMag:
		return l.end, "", 0
	case !survives(s[pos:l.end], l.number(s, pos)):
		return 0, ReasonInexact, pos
	}
	return l.end, "", 0
}

// survives reports whether the float64 nearest to text, printed shortest, is n
// again: then every program that reads numbers as floats agrees on it.
func survives(text string, n Number) bool {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return false
	}
	var buf [32]byte
	shortest := string(strconv.AppendFloat(buf[:0], f, 'e', -1, 64))
	return scanNumber(shortest).Cmp(n) == 0
}

// scanNumber reads a number that was accepted before.
func scanNumber(s string) Number {
	l, _, _ := lexNumber(s, 0)
	return l.number(s, 0)
}

func (l *literal) number(s string, pos int) Number {
	if l.sig == 0 {
		return Number{}
	}
	n := Number{neg: l.neg, exp: int32(l.scale()), coef: l.coef}
	if l.sig > maxCoef {
		n.coef, n.big = 0, significant(s[pos:l.end], l.sig)
	}
	return n
}

// significant collects the first sig digits of text from its first digit that
// is not zero.
func significant(text string, sig int) string {
	var b strings.Builder
	b.Grow(sig)
	for i := 0; b.Len() < sig; i++ {
		c := text[i]
		if c >= '1' && c <= '9' || c == '0' && b.Len() > 0 {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// digitsOf appends the significant digits of n, "0" for zero.
func (n Number) digitsOf(dst []byte) []byte {
	if n.big != "" {
		return append(dst, n.big...)
	}
	return strconv.AppendUint(dst, n.coef, 10)
}

// count is the number of significant digits.
func (n Number) count() int {
	if n.big != "" {
		return len(n.big)
	}
	k := 1
	for c := n.coef; c >= 10; c /= 10 {
		k++
	}
	return k
}

// Sign returns -1, 0 or 1.
func (n Number) Sign() int {
	switch {
	case n.coef == 0 && n.big == "":
		return 0
	case n.neg:
		return -1
	}
	return 1
}

// Cmp compares exactly and returns -1, 0 or 1. It costs at most MaxDigits
// steps, whatever the exponents.
func (n Number) Cmp(m Number) int {
	a, b := n.Sign(), m.Sign()
	if a != b || a == 0 {
		return cmp.Compare(a, b)
	}
	return a * n.cmpAbs(m)
}

func (n Number) cmpAbs(m Number) int {
	if n.exp == m.exp && n.big == "" && m.big == "" {
		return cmp.Compare(n.coef, m.coef)
	}
	if c := cmp.Compare(n.count()+int(n.exp), m.count()+int(m.exp)); c != 0 {
		return c
	}
	if n.big == "" && m.big == "" {
		if a, b, ok := aligned(n, m); ok {
			return cmp.Compare(a, b)
		}
	}
	// The first digits stand at the same place, and neither ends in zeros: the
	// order of the digits is the order of the texts.
	var a, b [maxCoef + 1]byte
	return cmp.Compare(string(n.digitsOf(a[:0])), string(m.digitsOf(b[:0])))
}

// Add returns the exact sum. It costs what the digits between the highest and
// the lowest of both numbers cost.
func (n Number) Add(m Number) Number {
	exp := min(n.exp, m.exp)
	sum := n.scaled(exp)
	sum.Add(sum, m.scaled(exp))
	return scanNumber(sum.String() + "e" + strconv.Itoa(int(exp)))
}

// scaled returns n as a multiple of 10^exp, which is at most n's own.
func (n Number) scaled(exp int32) *big.Int {
	out, _ := new(big.Int).SetString(string(n.digitsOf(nil)), 10) // digits always are a number
	out.Mul(out, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n.exp-exp)), nil))
	if n.neg {
		out.Neg(out)
	}
	return out
}

// aligned writes two short numbers with the same exponent, where they fit.
func aligned(n, m Number) (a, b uint64, ok bool) {
	if n.exp < m.exp {
		b, a, ok = aligned(m, n)
		return a, b, ok
	}
	if n.exp-m.exp > maxCoef {
		return 0, 0, false
	}
	a, b = n.coef, m.coef
	for range n.exp - m.exp {
		if a > math.MaxUint64/10 {
			return 0, 0, false
		}
		a *= 10
	}
	return a, b, true
}

// IsInteger reports whether n has no fraction: 10, 10.0 and 1e1 have none.
func (n Number) IsInteger() bool { return n.exp >= 0 }

// Int64 returns n as an int64; ok is false where n is no integer or does not fit.
func (n Number) Int64() (i int64, ok bool) {
	if n.exp < 0 || n.big != "" || n.exp > maxCoef {
		return 0, false
	}
	u := n.coef
	for range n.exp {
		if u > math.MaxUint64/10 {
			return 0, false
		}
		u *= 10
	}
	switch {
	case !n.neg && u <= math.MaxInt64:
		return int64(u), true
	case n.neg && u <= 1<<63:
		return -int64(u), true
	}
	return 0, false
}

// String returns the canonical form of n; see [Append].
func (n Number) String() string {
	var buf [32]byte
	return string(n.append(buf[:0]))
}

// append writes the canonical form. Every accepted number with a fraction is
// the shortest form of its float, so its own digits are ECMAScript's.
func (n Number) append(dst []byte) []byte {
	if n.neg {
		dst = append(dst, '-')
	}
	var buf [maxCoef + 1]byte
	digits := n.digitsOf(buf[:0])
	k, point := len(digits), len(digits)+int(n.exp)
	switch {
	case n.exp >= 0 && (point <= es6Plain || !n.exactES6()):
		return appendZeros(append(dst, digits...), int(n.exp))
	case point > 0 && point <= es6Plain:
		dst = append(append(dst, digits[:point]...), '.')
		return append(dst, digits[point:]...)
	case point <= 0 && point > -6:
		return append(appendZeros(append(dst, "0."...), -point), digits...)
	}
	dst = append(dst, digits[0])
	if k > 1 {
		dst = append(append(dst, '.'), digits[1:]...)
	}
	dst = append(dst, 'e')
	if point > 0 {
		dst = append(dst, '+')
	}
	return strconv.AppendInt(dst, int64(point-1), 10)
}

// exactES6 reports whether an integer survives as a float64.
func (n Number) exactES6() bool {
	if n.big == "" && n.count() <= sureSig && n.count()+int(n.exp) <= sureMag {
		return true
	}
	text := n.digitsOf(make([]byte, 0, MaxDigits))
	text = strconv.AppendInt(append(text, 'e'), int64(n.exp), 10)
	n.neg = false
	return survives(string(text), n)
}

func appendZeros(dst []byte, count int) []byte {
	for range count {
		dst = append(dst, '0')
	}
	return dst
}
