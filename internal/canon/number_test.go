// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package canon_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/toolverdict/toolverdict/internal/canon"
	"pgregory.net/rapid"
)

func number(t interface {
	Helper()
	Fatalf(string, ...any)
}, s string) canon.Number {
	t.Helper()
	n, err := canon.ParseNumber(s)
	if err != nil {
		t.Fatalf("ParseNumber(%q): %v", s, err)
	}
	return n
}

func TestNumberCanonicalForm(t *testing.T) {
	t.Parallel()
	nines, zeros := strings.Repeat("9", 400), strings.Repeat("0", 299)
	cases := map[string][]string{
		"0":                       {"0", "0.0", "0e5", "0E-5", "0.000e10"},
		"10":                      {"10", "10.0", "1e1", "100e-1", "0.1e2", "1E+1", "1e01", "10.000"},
		"-1.5":                    {"-1.5", "-15e-1", "-1.50"},
		"0.1":                     {"0.1", "1e-1", "0.10"},
		"0.000001":                {"0.000001", "1e-6", "1E-06"},
		"1e-7":                    {"0.0000001", "1e-7"},
		"1.25e-7":                 {"0.000000125", "125e-9"},
		"5e-324":                  {"5e-324", "0." + strings.Repeat("0", 323) + "5"},
		"1.7976931348623157e+308": {"1.7976931348623157e308", "17976931348623157" + strings.Repeat("0", 292)},
		"100000000000000000000":   {"1e20", "100000000000000000000"},
		"1e+21":                   {"1e21", "1000000000000000000000", "10E20"},
		"1e+300":                  {"1e300", "1" + zeros + "0"},
		"-1e+300":                 {"-1e300", "-1" + zeros + "0"},
		"9007199254740991":        {"9007199254740991", "9007199254740991.0"},
		"9007199254740992":        {"9007199254740992", "9007199254740992e0"},
		"9007199254740993":        {"9007199254740993"},
		"-9007199254740993":       {"-9007199254740993"},
		"12345678901234567890":    {"12345678901234567890"},
		"18446744073709551616":    {"18446744073709551616"},
		// 22 digits that no float64 has, and 22 that one prints.
		"1234567890123456789012":       {"1234567890123456789012"},
		"1.23e+21":                     {"1230000000000000000000", "1.23e21"},
		"1" + zeros + "1":              {"1" + zeros + "1"},
		nines:                          {nines},
		"-" + nines:                    {"-" + nines},
		"1" + strings.Repeat("0", 399): {"1" + strings.Repeat("0", 399)},
		"0.30000000000000004":          {"0.30000000000000004", "30000000000000004e-17"},
	}
	for want, spellings := range cases {
		for _, s := range spellings {
			got, err := canon.Canonicalize([]byte(s), canon.Limits{})
			if err != nil || string(got) != want {
				t.Errorf("%.40s: got %.40s, %v; want %.40s", s, got, err, want)
			}
			n := number(t, s)
			if n.String() != want {
				t.Errorf("%.40s: String gives %.40s", s, n.String())
			}
			if m := number(t, want); m != n {
				t.Errorf("%.40s and its canonical form have different representations", s)
			}
		}
	}
}

// The numbers of RFC 8785, appendix B: what ECMAScript prints for a double.
func TestNumberRFC8785(t *testing.T) {
	t.Parallel()
	cases := map[uint64]string{
		0x0000000000000000: "0",
		0x0000000000000001: "5e-324",
		0x8000000000000001: "-5e-324",
		0x7fefffffffffffff: "1.7976931348623157e+308",
		0xffefffffffffffff: "-1.7976931348623157e+308",
		0x4340000000000000: "9007199254740992",
		0xc340000000000000: "-9007199254740992",
		0x4430000000000000: "295147905179352830000",
		0x44b52d02c7e14af5: "9.999999999999997e+22",
		0x44b52d02c7e14af6: "1e+23",
		0x44b52d02c7e14af7: "1.0000000000000001e+23",
		0x444b1ae4d6e2ef4e: "999999999999999700000",
		0x444b1ae4d6e2ef4f: "999999999999999900000",
		0x444b1ae4d6e2ef50: "1e+21",
		0x3eb0c6f7a0b5ed8c: "9.999999999999997e-7",
		0x3eb0c6f7a0b5ed8d: "0.000001",
		0x41b3de4355555553: "333333333.3333332",
		0x41b3de4355555554: "333333333.33333325",
		0x41b3de4355555555: "333333333.3333333",
		0x41b3de4355555556: "333333333.3333334",
		0x41b3de4355555557: "333333333.33333343",
		0xbecbf647612f3696: "-0.0000033333333333333333",
		0x43143ff3c1cb0959: "1424953923781206.2",
	}
	for bits, want := range cases {
		for _, format := range []byte("eg") {
			text := strconv.FormatFloat(math.Float64frombits(bits), format, -1, 64)
			if got := number(t, text).String(); got != want {
				t.Errorf("%016x, written %s: got %s, want %s", bits, text, got, want)
			}
		}
	}
}

func TestParseNumberRefuses(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]canon.SyntaxError{
		"":          {Reason: canon.ReasonTruncated, Line: 1, Column: 1},
		" 1":        {Reason: canon.ReasonNumber, Line: 1, Column: 1},
		"1 ":        {Reason: canon.ReasonNumber, Offset: 1, Line: 1, Column: 2},
		"1,2":       {Reason: canon.ReasonNumber, Offset: 1, Line: 1, Column: 2},
		"-0":        {Reason: canon.ReasonNegativeZero, Line: 1, Column: 1},
		"1e400":     {Reason: canon.ReasonInexact, Line: 1, Column: 1},
		"0x1p-2":    {Reason: canon.ReasonNumber, Offset: 1, Line: 1, Column: 2},
		"Infinity":  {Reason: canon.ReasonNumber, Line: 1, Column: 1},
		"1e-999999": {Reason: canon.ReasonNumberLong, Line: 1, Column: 1},
	} {
		_, err := canon.ParseNumber(in)
		got, ok := errors.AsType[*canon.SyntaxError](err)
		if !ok {
			t.Errorf("accepted %q", in)
			continue
		}
		if diff := cmp.Diff(want, *got); diff != "" {
			t.Errorf("%q (-want +got)\n%s", in, diff)
		}
	}
}

func TestNumberInt64(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		want int64
		ok   bool
	}{
		"0": {0, true}, "1": {1, true}, "-1": {-1, true}, "1e3": {1000, true}, "10.0": {10, true},
		"9223372036854775807": {math.MaxInt64, true}, "-9223372036854775808": {math.MinInt64, true},
		"9223372036854775808": {0, false}, "-9223372036854775809": {0, false},
		"1e18": {1e18, true}, "1e19": {0, false}, "1e300": {0, false}, "10000000000000000000": {0, false},
		"18446744073709551615": {0, false}, "20000000000000000000": {0, false}, "1.5": {0, false}, "1e-1": {0, false},
		"123456789012345678901": {0, false},
	}
	for in, c := range cases {
		n := number(t, in)
		if got, ok := n.Int64(); got != c.want || ok != c.ok {
			t.Errorf("%s: %d, %t; want %d, %t", in, got, ok, c.want, c.ok)
		}
		if c.ok && canon.IntNumber(c.want) != n {
			t.Errorf("IntNumber(%d) is not the number %s", c.want, in)
		}
	}
}

func TestNumberIsInteger(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]bool{
		"0": true, "-3": true, "1.0": true, "1e1": true, "15e-1": false, "150e-1": true, "0.5": false, "1e300": true, "5e-324": false,
	} {
		if got := number(t, in).IsInteger(); got != want {
			t.Errorf("%s: %t", in, got)
		}
	}
}

func TestZeroNumber(t *testing.T) {
	t.Parallel()
	var zero canon.Number
	if zero.Sign() != 0 || zero.String() != "0" || !zero.IsInteger() {
		t.Error("the zero Number is not 0")
	}
}

// numberText draws a number that may or may not be acceptable, with a liking
// for what is near to each other.
func numberText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		digits := rapid.StringMatching(`0|[1-9][0-9]{0,3}|[1-9]0{0,30}|[1-9][0-9]{14,25}|9007199254740[0-9]{3}|[1-9][0-9]{300,399}`)
		s := rapid.SampledFrom([]string{"", "", "-"}).Draw(t, "sign") + digits.Draw(t, "digits")
		s += rapid.OneOf(rapid.Just(""), rapid.StringMatching(`\.[0-9]{1,4}|\.0{1,20}[0-9]|\.[0-9]{15,25}`)).Draw(t, "fraction")
		return s + rapid.OneOf(rapid.Just(""), rapid.StringMatching(`[eE][+-]?[0-9]{1,2}|[eE][+-]?[1-3][0-9]{2}`)).Draw(t, "exponent")
	})
}

func acceptedNumber() *rapid.Generator[string] {
	return numberText().Filter(func(s string) bool {
		_, err := canon.ParseNumber(s)
		return err == nil
	})
}

// Cmp is exact: it agrees with rational arithmetic.
func TestNumberCmpIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := acceptedNumber().Draw(t, "a"), acceptedNumber().Draw(t, "b")
		if rapid.Bool().Draw(t, "near") {
			b = neighbour(t, a)
		}
		x, y := number(t, a), number(t, b)
		want := rat(a).Cmp(rat(b))
		if got := x.Cmp(y); got != want {
			t.Fatalf("Cmp(%s, %s) = %d, want %d", a, b, got, want)
		}
		if y.Cmp(x) != -want {
			t.Fatalf("Cmp is not antisymmetric for %s, %s", a, b)
		}
		if (x.String() == y.String()) != (want == 0) {
			t.Fatalf("%s is written %s, %s is written %s", a, x, b, y)
		}
		if x.Sign() != rat(a).Sign() || x.IsInteger() != rat(a).IsInt() {
			t.Fatalf("%s: sign %d, integer %t", a, x.Sign(), x.IsInteger())
		}
	})
}

// neighbour spells a number close to a: the same one, or one digit away.
func neighbour(t *rapid.T, a string) string {
	b := []byte(a)
	i := rapid.IntRange(0, len(b)-1).Draw(t, "at")
	if b[i] >= '0' && b[i] <= '9' {
		b[i] = byte(rapid.IntRange('0', '9').Draw(t, "digit"))
	}
	if _, err := canon.ParseNumber(string(b)); err != nil {
		return number(t, a).String()
	}
	return string(b)
}

func rat(s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		panic("not a number: " + s)
	}
	return r
}

// float is the nearest float64, an infinity where there is none.
func float(t interface{ Fatal(...any) }, n canon.Number) float64 {
	f, err := strconv.ParseFloat(n.String(), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		t.Fatal(err)
	}
	return f
}

// What the canonical form denotes is the number, and ECMAScript would print it
// so, unless it is an integer that ECMAScript cannot print.
func TestNumberFormDenotesTheNumber(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := acceptedNumber().Draw(t, "number")
		n := number(t, text)
		if rat(n.String()).Cmp(rat(text)) != 0 {
			t.Fatalf("%s is written %s", text, n)
		}
		if want := es6(float(t, n)); n.String() != want && (!n.IsInteger() || rat(want).Cmp(rat(text)) == 0) {
			t.Fatalf("%s is written %s, ECMAScript writes %s", text, n, want)
		}
	})
}

// es6 is Number::toString of ECMAScript, built on the standard library alone.
func es6(f float64) string {
	if math.IsInf(f, 0) {
		return "0"
	}
	abs := math.Abs(f)
	if f == 0 || abs >= 1e-6 && abs < 1e21 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	s := strconv.FormatFloat(f, 'e', -1, 64)
	mantissa, exp, _ := strings.Cut(s, "e")
	return mantissa + "e" + exp[:1] + strings.TrimLeft(exp[1:], "0")
}

// Numbers are refused for being inexact exactly when their shortest float is
// another number.
func TestNumberInexact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := numberText().Draw(t, "number")
		_, err := canon.ParseNumber(text)
		r := rat(text)
		f, _ := r.Float64()
		exact := !math.IsInf(f, 0) && rat(strconv.FormatFloat(f, 'g', -1, 64)).Cmp(r) == 0
		plain := !strings.ContainsAny(text, ".eE")
		negativeZero := r.Sign() == 0 && text[0] == '-'
		if want := (exact || plain) && !negativeZero; want != (err == nil) {
			t.Fatalf("%s: %v; want accepted: %t", text, err, want)
		}
	})
}

// TestAdd: sums are exact, whatever lies between the digits, and are numbers
// like any other.
func TestAdd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ a, b, want string }{
		{"0", "0", "0"}, {"0.1", "0.2", "0.3"}, {"99.99", "0.01", "100"}, {"-5", "5", "0"}, {"-1.5", "0.25", "-1.25"},
		{"1e21", "1", "1000000000000000000001"}, {"18446744073709551615", "1", "18446744073709551616"},
		{"9007199254740993", "0.5", "9007199254740993.5"}, {"1e300", "-1e300", "0"},
	} {
		a, b, want := number(t, c.a), number(t, c.b), mustDecimal(t, c.want)
		if got := a.Add(b); got.Cmp(want) != 0 || got != want {
			t.Errorf("%s + %s = %s, want %s", c.a, c.b, got, c.want)
		}
		if got := b.Add(a); got != want {
			t.Errorf("%s + %s = %s, want %s", c.b, c.a, got, c.want)
		}
	}
	for _, bad := range []string{"", "1 ", " 1", "1.", "x", "1e", "--1", "NaN"} {
		if n, ok := canon.ParseDecimal(bad); ok {
			t.Errorf("%q is read as %s", bad, n)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) (canon.Number, *big.Rat) {
			text := fmt.Sprintf("%d.%0*d", rapid.IntRange(-1e6, 1e6).Draw(t, name), rapid.IntRange(1, 6).Draw(t, "places"), rapid.IntRange(0, 9).Draw(t, "fraction"))
			n, ok := canon.ParseDecimal(text)
			r, sure := new(big.Rat).SetString(text)
			if !ok || !sure {
				t.Fatal(text)
			}
			return n, r
		}
		a, x := draw("a")
		b, y := draw("b")
		got, ok := new(big.Rat).SetString(a.Add(b).String())
		if want := new(big.Rat).Add(x, y); !ok || got.Cmp(want) != 0 {
			t.Fatalf("%s + %s = %s, want %s", a, b, a.Add(b), want)
		}
	})
}

func mustDecimal(t *testing.T, s string) canon.Number {
	t.Helper()
	n, ok := canon.ParseDecimal(s)
	if !ok {
		t.Fatal(s)
	}
	return n
}
