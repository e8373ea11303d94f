// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package canon_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/toolverdict/toolverdict/internal/canon"
	"pgregory.net/rapid"
)

// document draws the text of an acceptable value in some spelling: white space,
// escapes, spelling of numbers and order of members vary.
func document() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string { return draw(t, 3) })
}

func draw(t *rapid.T, depth int) string {
	kinds := 6
	if depth == 0 {
		kinds = 4
	}
	space := rapid.SampledFrom([]string{"", "", " ", "\n\t", "\r\n"})
	s := func() string { return space.Draw(t, "space") }
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return rapid.SampledFrom([]string{"null", "true", "false"}).Draw(t, "literal")
	case 1:
		return acceptedNumber().Draw(t, "number")
	case 2, 3:
		return spelled(t, text().Draw(t, "text"))
	case 4:
		n := rapid.IntRange(0, 4).Draw(t, "elements")
		var parts []string
		for range n {
			parts = append(parts, s()+draw(t, depth-1)+s())
		}
		return "[" + s() + strings.Join(parts, ",") + "]"
	}
	names := rapid.SliceOfNDistinct(text(), 0, rapid.SampledFrom([]int{3, 5, 20}).Draw(t, "members"), canon.Fold).Draw(t, "names")
	var parts []string
	for _, name := range names {
		parts = append(parts, s()+spelled(t, name)+s()+":"+s()+draw(t, max(depth-1, 0))+s())
	}
	return "{" + s() + strings.Join(parts, ",") + "}"
}

func text() *rapid.Generator[string] {
	char := rapid.OneOf(rapid.RuneFrom([]rune("abAB\"\\/\b\n\x00\x1f\x7f é€\u2028\ufeff\ufffd😀\U0010ffff\ue000")), rapid.Rune())
	return rapid.Map(rapid.StringOfN(char, 0, 6, -1), func(s string) string { return strings.ToValidUTF8(s, "?") })
}

// spelled writes s as a JSON string, escaping more or less of it.
func spelled(t *rapid.T, s string) string {
	if rapid.Bool().Draw(t, "canonical") {
		return string(canon.Quote(s))
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r > 0xffff && rapid.Bool().Draw(t, "escape"):
			fmt.Fprintf(&b, `\u%04x\u%04X`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		case r <= 0xffff && (r < 0x20 || r == '"' || r == '\\' || rapid.Bool().Draw(t, "escape")):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func TestCanonicalFormIsStable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := parse(t, document().Draw(t, "document"))
		once := canon.Append(nil, v)
		again := parse(t, string(once))
		if !canon.Equal(v, again) || !canon.Equal(again, v) {
			t.Fatalf("%s is not equal to its canonical form %s", v.RawText(), once)
		}
		if twice := canon.Append(nil, again); !bytes.Equal(once, twice) {
			t.Fatalf("canonical form of %s is %s", once, twice)
		}
	})
}

// Equal means the same canonical bytes and the same digest, and nothing else.
func TestEqualIsCanonical(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := parse(t, document().Draw(t, "a"))
		b := a
		switch rapid.IntRange(0, 2).Draw(t, "b is") {
		case 0:
			b = parse(t, respell(t, a))
			if !canon.Equal(a, b) {
				t.Fatalf("%s is not equal to its other spelling %s", a.RawText(), b.RawText())
			}
		case 1:
			b = parse(t, document().Draw(t, "b"))
		case 2:
			b = changed(t, a)
		}
		same := bytes.Equal(canon.Append(nil, a), canon.Append(nil, b))
		if canon.Equal(a, b) != same || canon.Equal(b, a) != same || (canon.Digest(a) == canon.Digest(b)) != same {
			t.Fatalf("%s and %s: equal %t, same bytes %t", a.RawText(), b.RawText(), canon.Equal(a, b), same)
		}
	})
}

// respell writes v differently: members in another order, other escapes.
func respell(t *rapid.T, v canon.Value) string {
	switch v.Kind() {
	case canon.KindString:
		return spelled(t, v.Text())
	case canon.KindNumber:
		if s := v.Number().String(); !strings.ContainsAny(s, ".e") {
			if _, err := canon.ParseNumber(s + ".0"); err == nil {
				return s + ".0"
			}
		}
		return v.RawText()
	case canon.KindArray:
		var parts []string
		for _, e := range v.Items() {
			parts = append(parts, respell(t, e))
		}
		return "[ " + strings.Join(parts, " ,") + "]"
	case canon.KindObject:
		var parts []string
		for name, m := range v.Fields() {
			parts = append(parts, spelled(t, name)+":"+respell(t, m))
		}
		if len(parts) > 0 {
			parts = rapid.Permutation(parts).Draw(t, "order")
		}
		return "{" + strings.Join(parts, ", ") + " }"
	}
	return v.RawText()
}

// changed replaces one value inside v by another one.
func changed(t *rapid.T, v canon.Value) canon.Value {
	with := rapid.SampledFrom([]string{`null`, `"x"`, `0`, `[]`, `{}`, `[null]`}).Draw(t, "with")
	out, err := canon.Splice([]byte(v.Document()), canon.Replace(descend(t, v), []byte(with)))
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(out))
}

// What is accepted, encoding/json reads as the same thing.
func TestAgreesWithEncodingJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		src := document().Draw(t, "document")
		sameAsStandard(t, []byte(src), parse(t, src))
	})
}

func sameAsStandard(t interface {
	Helper()
	Fatalf(string, ...any)
}, src []byte, v canon.Value) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(src))
	dec.UseNumber()
	var want any
	if err := dec.Decode(&want); err != nil || dec.More() {
		t.Fatalf("accepted %q; encoding/json: %v, more %t", src, err, dec.More())
	}
	if path, ok := same(v, want); !ok {
		t.Fatalf("%q is read differently at %q", src, path)
	}
}

func same(v canon.Value, want any) (string, bool) {
	switch want := want.(type) {
	case nil:
		return "", v.Kind() == canon.KindNull
	case bool:
		return "", v.Kind() == canon.KindBool && v.Bool() == want
	case string:
		return "", v.Kind() == canon.KindString && v.Text() == want && utf8.ValidString(want)
	case json.Number:
		return "", v.Kind() == canon.KindNumber && sameNumber(v.Number(), string(want))
	case []any:
		if v.Kind() != canon.KindArray || v.Len() != len(want) {
			return "", false
		}
		for i, e := range v.Items() {
			if path, ok := same(e, want[i]); !ok {
				return fmt.Sprint("/", i, path), false
			}
		}
		return "", true
	case map[string]any:
		if v.Kind() != canon.KindObject || v.Len() != len(want) {
			return "", false
		}
		for name, m := range v.Fields() {
			other, found := want[name]
			if path, ok := same(m, other); !ok || !found {
				return "/" + name + path, false
			}
		}
		return "", true
	}
	return "", false
}

func sameNumber(n canon.Number, text string) bool {
	want, ok := new(big.Rat).SetString(text)
	got, ok2 := new(big.Rat).SetString(n.String())
	return ok && ok2 && want.Cmp(got) == 0
}
