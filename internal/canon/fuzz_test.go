// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package canon_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"slices"
	"strconv"
	"testing"
	"unicode/utf8"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// FuzzParse: no input makes the reader panic or accept what encoding/json
// refuses or reads differently; the canonical form is stable; a refusal has a
// known reason and a place inside the input.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,2.5,{"b":null}],"c":"\u00e9\n"}`, `{"a":1,"\u0061":2}`, `{"s":1,"ſ":2}`, `"\ud83d\ude00"`, `"\ud800"`, "\"\xff\"",
		`[1e400,-0,1e21,9007199254740993]`, `{"a":1,}`, "\ufeff{}", `"{\"a\":\"{}\"}"`, `[[[[[[]]]]]]`, `{} {}`, `tru`, `{"a b":{"":0}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		v, err := canon.Parse(src, canon.Limits{})
		if err != nil {
			refusedWell(t, src, err)
			return
		}
		if !utf8.Valid(src) {
			t.Fatalf("accepted %q, which is not UTF-8", src)
		}
		sameAsStandard(t, src, v)
		once := canon.Append(nil, v)
		again, err := canon.Parse(once, canon.Limits{MaxBytes: 32 + 6*len(src)})
		if err != nil {
			t.Fatalf("canonical form %q of %q is refused: %v", once, src, err)
		}
		if !canon.Equal(v, again) || !bytes.Equal(once, canon.Append(nil, again)) || canon.Digest(v) != canon.Digest(again) {
			t.Fatalf("canonical form %q of %q is not stable", once, src)
		}
		start, end := v.Span()
		if len(bytes.TrimSpace(src[:start])) > 0 || len(bytes.TrimSpace(src[end:])) > 0 {
			t.Fatalf("%q: span %d to %d leaves something out", src, start, end)
		}
		if _, err := canon.ParseArguments(src, canon.Limits{}); (v.Kind() == canon.KindObject || v.Kind() == canon.KindNull) != (err == nil) && v.Kind() != canon.KindString {
			t.Fatalf("arguments %q: %v", src, err)
		}
	})
}

func refusedWell(t *testing.T, src []byte, err error) {
	t.Helper()
	e, ok := errors.AsType[*canon.SyntaxError](err)
	if !ok || e.Offset < 0 || e.Offset > len(src) || e.Line < 1 || e.Column < 1 {
		t.Fatalf("%q: %#v", src, err)
	}
	if !slices.Contains(canon.Reasons(), e.Reason) {
		t.Fatalf("%q: unknown reason %q", src, e.Reason)
	}
}

// FuzzNumber: a number is what rational arithmetic says it is, however it is
// written, and refused exactly when it should be.
func FuzzNumber(f *testing.F) {
	for _, s := range []string{
		"0", "-0", "1", "-1.50", "1e400", "1e-400", "5e-324", "1e21", "9007199254740993", "0.1", "123456789012345678901234567890", "1e999999999",
		"99.99999999999999999999", "01", "1.", ".5", "+1", "0x1", "1_0", "NaN", "1e+", "0e0", "100000000000000000000e-2",
	} {
		f.Add(s, "10")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, err := canon.ParseNumber(a)
		if standard := json.Valid([]byte(a)) && (a[0] == '-' || a[0] >= '0' && a[0] <= '9') && a[len(a)-1] != ' '; err == nil && !standard {
			t.Fatalf("accepted %q, which is not JSON", a)
		}
		if err != nil {
			refusedWell(t, []byte(a), err)
			return
		}
		text := x.String()
		if again, err := canon.ParseNumber(text); err != nil || again != x || again.String() != text {
			t.Fatalf("%q is written %q, which is read as %s, %v", a, text, again, err)
		}
		ra := rat(a)
		if rat(text).Cmp(ra) != 0 || x.Sign() != ra.Sign() || x.IsInteger() != ra.IsInt() {
			t.Fatalf("%q is written %q", a, text)
		}
		if fl, _ := ra.Float64(); float(t, x) != fl {
			t.Fatalf("%q as a float is %v, want %v", a, float(t, x), fl)
		}
		sameInt64(t, x, ra)
		y, err := canon.ParseNumber(b)
		if err != nil {
			return
		}
		if got, want := x.Cmp(y), ra.Cmp(rat(b)); got != want || y.Cmp(x) != -want || (text == y.String()) != (want == 0) {
			t.Fatalf("Cmp(%q, %q) = %d, want %d", a, b, got, want)
		}
	})
}

func sameInt64(t *testing.T, n canon.Number, want *big.Rat) {
	t.Helper()
	i, ok := n.Int64()
	fits := want.IsInt() && want.Num().IsInt64()
	if ok != fits || ok && (i != want.Num().Int64() || canon.IntNumber(i) != n) {
		t.Fatalf("%s as int64 is %d, %t", n, i, ok)
	}
}

// FuzzFloat: every finite float but negative zero is a number, and is written as
// ECMAScript writes it.
func FuzzFloat(f *testing.F) {
	for _, x := range []float64{0, 1, -1.5, 0.1, 1e21, 1e-7, math.MaxFloat64, math.SmallestNonzeroFloat64, 1 << 53, 123456789012345680000} {
		f.Add(math.Float64bits(x))
	}
	f.Fuzz(func(t *testing.T, bits uint64) {
		x := math.Float64frombits(bits)
		if math.IsNaN(x) || math.IsInf(x, 0) || x == 0 && math.Signbit(x) {
			return
		}
		n, err := canon.ParseNumber(strconv.FormatFloat(x, 'e', -1, 64))
		if err != nil {
			t.Fatalf("%v is refused: %v", x, err)
		}
		if n.String() != es6(x) || float(t, n) != x {
			t.Fatalf("%v is written %s and read as %v; ECMAScript writes %s", x, n, float(t, n), es6(x))
		}
	})
}

// FuzzFold: folding is idempotent and blind to ASCII case, also for text that is
// not UTF-8.
func FuzzFold(f *testing.F) {
	for _, s := range []string{"", "Name", "paramſ", "\u212aey", "ｔｏ", "t\u200bo", "é", "e\u0301", "\xff", "a\x00b", "İ", "straße", "한"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		folded := canon.Fold(s)
		if again := canon.Fold(folded); again != folded {
			t.Fatalf("%+q folds to %+q and then to %+q", s, folded, again)
		}
		if !utf8.ValidString(s) {
			return
		}
		if upper := string(bytes.ToUpper([]byte(folded))); canon.Fold(upper) != folded {
			t.Fatalf("%+q folds to %+q, in capitals to %+q", s, folded, canon.Fold(upper))
		}
	})
}

// FuzzSplice: edits do what replacing them one by one from the end does, or are
// refused; nothing else changes.
func FuzzSplice(f *testing.F) {
	f.Add([]byte(`{"a":1}`), 5, 6, []byte("2"), 1, 4, []byte(`"b"`))
	f.Add([]byte("abc"), 3, 3, []byte("x"), 3, 3, []byte("y"))
	f.Add([]byte("abc"), 0, 2, []byte("x"), 1, 3, []byte("y"))
	f.Add([]byte(""), -1, 0, []byte("x"), 0, 1, []byte("y"))
	f.Fuzz(func(t *testing.T, src []byte, s1, e1 int, w1 []byte, s2, e2 int, w2 []byte) {
		before := bytes.Clone(src)
		got, err := canon.Splice(src, canon.Edit{Start: s1, End: e1, With: w1}, canon.Edit{Start: s2, End: e2, With: w2})
		if !bytes.Equal(src, before) {
			t.Fatal("the source changed")
		}
		if s2 < s1 || s2 == s1 && e2 < e1 {
			s1, e1, w1, s2, e2, w2 = s2, e2, w2, s1, e1, w1
		}
		fits := 0 <= s1 && s1 <= e1 && e1 <= s2 && s2 <= e2 && e2 <= len(src)
		if fits != (err == nil) {
			t.Fatalf("edits %d-%d and %d-%d of %d bytes: %v", s1, e1, s2, e2, len(src), err)
		}
		if !fits {
			return
		}
		want := string(src[:s1]) + string(w1) + string(src[e1:s2]) + string(w2) + string(src[e2:])
		if string(got) != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}
