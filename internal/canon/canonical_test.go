// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package canon_test

import (
	"crypto/sha256"
	"encoding/hex"
	"sort"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/toolverdict/toolverdict/internal/canon"
	"pgregory.net/rapid"
)

func parse(t interface {
	Helper()
	Fatalf(string, ...any)
}, s string) canon.Value {
	t.Helper()
	v, err := canon.Parse([]byte(s), canon.Limits{})
	if err != nil {
		t.Fatalf("Parse(%q): %v", s, err)
	}
	return v
}

// The examples in the text of RFC 8785. The number 333333333.33333329 of its
// first example, which a float64 does not keep, is refused here
// (TestParseRefuses) and stands as what it is rounded to.
func TestCanonicalRFC8785(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ in, want string }{
		"serialization (3.2.2)": {
			`{
				"numbers": [333333333.3333333, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
				"string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
				"literals": [null, true, false]
			}`,
			`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
		},
		"sorting (3.2.3)": {
			`{
				"\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh",
				"1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"
			}`,
			"{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\",\"ö\":\"Latin Small Letter O With Diaeresis\"," +
				"\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := canon.Canonicalize([]byte(c.in), canon.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestCanonicalizeRefuses(t *testing.T) {
	t.Parallel()
	if out, err := canon.Canonicalize([]byte(`{"a":1,"a":1}`), canon.Limits{}); err == nil || out != nil {
		t.Errorf("got %s, %v", out, err)
	}
}

func TestEqual(t *testing.T) {
	t.Parallel()
	// Every value is different from every other one.
	different := []string{
		`null`, `true`, `false`, `0`, `1`, `-1`, `0.1`, `1e21`, `9007199254740993`, `9007199254740992`,
		`""`, `"true"`, `"1"`, `"a"`, `"A"`, `"\u0000"`, `"null"`, "\"\u00e9\"", "\"e\u0301\"",
		`[]`, `[null]`, `[1]`, `["1"]`, `[1,2]`, `[2,1]`, `[[1],2]`, `[1,[2]]`, `[[]]`,
		`{}`, `{"a":1}`, `{"a":"1"}`, `{"b":1}`, `{"a":1,"b":2}`, `{"a":2,"b":1}`, `{"a":1,"c":2}`, `{"a":{"b":1}}`, `{"":{}}`,
	}
	for i, a := range different {
		for j, b := range different {
			if got := canon.Equal(parse(t, a), parse(t, b)); got != (i == j) {
				t.Errorf("Equal(%s, %s) = %t", a, b, got)
			}
		}
	}
	for a, b := range map[string]string{
		`{"a":1,"b":[1,2]}`:        ` { "b" : [ 1.0, 20e-1 ], "\u0061" : 1 } `,
		`"\ud83d\ude00"`:           `"😀"`,
		`[1000000000000000000000]`: `[1e21]`,
	} {
		if !canon.Equal(parse(t, a), parse(t, b)) {
			t.Errorf("%s and %s are not equal", a, b)
		}
	}
	var absent canon.Value
	if canon.Equal(absent, absent) || canon.Equal(absent, canon.Null()) || canon.Equal(canon.Null(), absent) {
		t.Error("an absent value equals something")
	}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	got := canon.Digest(parse(t, ` {"b":2.0, "a":"\u00e9"} `))
	if want := sha256.Sum256([]byte(`{"a":"é","b":2}`)); got != want {
		t.Errorf("got %s", hex.EncodeToString(got[:]))
	}
	if canon.Digest(canon.Value{}) != sha256.Sum256(nil) {
		t.Error("the digest of an absent value is not that of no bytes")
	}
}

func TestQuote(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                           `""`,
		"a\"\\/b":                    `"a\"\\/b"`,
		"\b\f\n\r\t\x00\x1b\x1f\x7f": "\"\\b\\f\\n\\r\\t\\u0000\\u001b\\u001f\x7f\"",
		"é😀\u2028<>&":                "\"é😀\u2028<>&\"",
		"a\xffb\xed\xa0\x80":         `"a�b���"`,
	} {
		if got := string(canon.Quote(in)); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
	if got := string(canon.AppendString([]byte("x="), "y")); got != `x="y"` {
		t.Errorf("got %s", got)
	}
}

// Members stand in the order of UTF-16 code units, in small and in large
// objects.
func TestCanonicalOrder(t *testing.T) {
	t.Parallel()
	char := rapid.SampledFrom([]string{"a", "b", "\u00e9", "\ud7ff", "\ue000", "\uffee", "\U00010000", "\U0010ffff", "z"})
	name := rapid.Map(rapid.SliceOfN(char, 0, 4), func(s []string) string { return strings.Join(s, "") })
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(name, 0, 60, rapid.ID).Draw(t, "names")
		var members []canon.Member
		for _, n := range names {
			members = append(members, canon.Member{Name: n, Value: canon.Null()})
		}
		sort.Slice(names, func(i, j int) bool { return lessUTF16(names[i], names[j]) })
		var got []string
		for n := range parse16(t, canon.Append(nil, canon.Object(members...))).Fields() {
			got = append(got, n)
		}
		if strings.Join(got, ",") != strings.Join(names, ",") {
			t.Fatalf("got %q, want %q", got, names)
		}
	})
}

func parse16(t *rapid.T, b []byte) canon.Value {
	v, err := canon.Parse(b, canon.Limits{AllowFoldedSiblings: true})
	if err != nil {
		t.Fatalf("Parse(%s): %v", b, err)
	}
	return v
}

func lessUTF16(a, b string) bool {
	x, y := utf16.Encode([]rune(a)), utf16.Encode([]rune(b))
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return x[i] < y[i]
		}
	}
	return len(x) < len(y)
}
