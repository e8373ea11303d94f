// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package canon_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/toolverdict/toolverdict/internal/canon"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

func TestFold(t *testing.T) {
	t.Parallel()
	cases := map[string][]string{
		"":                   {"", "\u200b", "\ufeff", "\u2060\u202e\u00ad", "\U000e0041", "\x00", "\x00abc", "\u3164", "\uffa0", "\ufff0"},
		"params":             {"params", "PARAMS", "Param\u017f", "ｐａｒａｍｓ", "ＰＡＲＡＭＳ", "pa\u200dra\ufe0fms", "𝐩𝒂𝓇𝔞𝕞𝗌", "ⓟⓐⓡⓐⓜⓢ", "params\x00", "params\x00x", "p\u034fa\U0001d173rams"},
		"key":                {"key", "\u212aey", "KEY"},
		"id":                 {"id", "ID", "\u0131d", "\u0130d", "I\u0307d", "i\u0307D"},
		"i\u0300":            {"i\u0300", "\u0130\u0300", "I\u0300\u0307", "ì\u0307"},
		"fi":                 {"fi", "ﬁ", "FI", "F\u0131"},
		"strasse":            {"strasse", "straße", "STRAẞE", "straſſe"},
		"a ":                 {"a ", "A\u00a0", "a\u3000"},
		"e\u0301":            {"é", "É", "e\u0301", "E\u0301"},
		"o\u0302\u0323":      {"\u1ed9", "\u1ecd\u0302", "\u00f4\u0323", "O\u0323\u0302", "o\u0302\u034f\u0323"},
		"σσ":                 {"ΣΣ", "σς"},
		"μ":                  {"\u00b5", "\u03bc", "\u039c"},
		"α\u0301ι":           {"\u1fb4", "\u03b1\u0301\u0345", "\u03b1\u0345\u0301", "\u1fb3\u0301"},
		"α\u05bcι":           {"\u1fb3\u05bc", "α\u05bc\u0345", "α\u0345\u05bc", "Α\u05bcΙ"},
		"\u1112\u1161\u11ab": {"\ud55c", "\u1112\u1161\u11ab"},
		"\u1100\u1161":       {"\uac00", "\u1100\u1161"},
		"\u1112\u1175\u11c2": {"\ud7a3"},
		"豈":                  {"\uf900", "\u8c48"},
		"a\tb\x7f":           {"a\tb\x7f", "A\tB\x7f"},
		"а":                  {"А", "а"}, // Cyrillic: another letter than a
		"\ufffd":             {"\xff", "\ufffd"},
	}
	for want, names := range cases {
		for _, name := range names {
			if got := canon.Fold(name); got != want {
				t.Errorf("Fold(%+q) = %+q, want %+q", name, got, want)
			}
		}
	}
}

// Every character of Unicode: folding what is folded changes nothing, and what
// Unicode calls the same folds to the same.
func TestFoldOfEveryCharacter(t *testing.T) {
	t.Parallel()
	for r := rune(1); r <= unicode.MaxRune; r++ {
		s := string(r)
		if invisible(r) != (canon.Fold(s) == "") {
			t.Errorf("%U folds to %+q", r, canon.Fold(s))
		}
		if norm.NFKD.IsNormalString(s) && unicode.SimpleFold(r) == r && unicode.ToUpper(r) == r && unicode.ToLower(r) == r {
			if folded := canon.Fold(s); folded != s && folded != "" {
				t.Errorf("%U, which has no case and does not decompose, folds to %+q", r, folded)
			}
			continue
		}
		folded := canon.Fold(s)
		if again := canon.Fold(folded); again != folded {
			t.Errorf("%U folds to %+q and then to %+q", r, folded, again)
		}
		for _, same := range []string{
			norm.NFC.String(s), norm.NFD.String(s), norm.NFKC.String(s), norm.NFKD.String(s),
			string(unicode.ToLower(r)), string(unicode.ToUpper(r)), string(unicode.SimpleFold(r)),
			strings.ToUpper(s), strings.ToLower(s), s + "\u200b", "\ufe0f" + s,
		} {
			if canon.Fold(same) != folded {
				t.Errorf("%U folds to %+q, %+q to %+q", r, folded, same, canon.Fold(same))
			}
		}
	}
}

// invisible is Unicode's Default_Ignorable_Code_Point and all format characters.
func invisible(r rune) bool {
	unassigned := r >= 0xfff0 && r <= 0xfff8 || r >= 0xe0000 && r <= 0xe0fff
	for _, r := range norm.NFKD.String(string(r)) { // fillers of half width become fillers
		if !unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) && !unassigned {
			return false
		}
	}
	return true
}

// Names that some program takes for one name fold to one.
func TestFoldJoins(t *testing.T) {
	t.Parallel()
	char := rapid.OneOf(
		rapid.RuneFrom([]rune("aAiIkKsSßẞİıſ\u212aéÉΣσςµ한글ﬁ豈\u00a0")),
		rapid.RuneFrom([]rune("\u0301\u0302\u0307\u0323\u0345\u0327\u05bc\u0f71\u3099\u200d\u034f\ufe0f\u00ad")),
		rapid.RuneFrom(nil, unicode.Latin, unicode.Greek, unicode.Hangul, unicode.M, unicode.So),
		rapid.Rune(),
	)
	text := rapid.StringOfN(char, 0, 8, -1).Filter(func(s string) bool { return !strings.Contains(s, "\x00") })
	rapid.Check(t, func(t *rapid.T) {
		s := text.Draw(t, "s")
		folded := canon.Fold(s)
		if again := canon.Fold(folded); again != folded {
			t.Fatalf("%+q folds to %+q and then to %+q", s, folded, again)
		}
		d := norm.NFD.String(s)
		if strings.Contains(d, "\u0345") {
			d = "" // a mark whose capital is a letter: in TestFold
		}
		for form, same := range map[string]string{
			"NFC": norm.NFC.String(s), "NFD": norm.NFD.String(s), "NFKC": norm.NFKC.String(s), "NFKD": norm.NFKD.String(s),
			"invisible": "\u200b" + s + "\u2060", "nul": s + "\x00more",
		} {
			if canon.Fold(same) != folded {
				t.Fatalf("%+q folds to %+q, its %s %+q to %+q", s, folded, form, same, canon.Fold(same))
			}
		}
		for _, b := range []string{strings.ToUpper(d), strings.ToLower(d), otherCase(t, d)} {
			if d != "" && canon.Fold(b) != folded {
				t.Fatalf("%+q and %+q are equal but for case and fold to %+q and %+q", s, b, folded, canon.Fold(b))
			}
		}
	})
}

// otherCase spells s with other characters that simple case folding joins.
func otherCase(t *rapid.T, s string) string {
	var b strings.Builder
	for _, r := range s {
		for range rapid.IntRange(0, 3).Draw(t, "steps") {
			if next := unicode.SimpleFold(r); next != 0x345 { // a mark, which would have to stand elsewhere
				r = next
			}
		}
		b.WriteRune(r)
	}
	return b.String()
}

func TestFoldClash(t *testing.T) {
	t.Parallel()
	type clash struct {
		Member, With string
		Found        bool
	}
	cases := map[string]struct {
		in    string
		names []string
		want  clash
	}{
		"exact":          {`{"message":1}`, []string{"message"}, clash{}},
		"case":           {`{"id":0,"Message":1}`, []string{"message"}, clash{"Message", "message", true}},
		"schema in case": {`{"userid":1}`, []string{"userId"}, clash{"userid", "userId", true}},
		"long s":         {`{"paramſ":1}`, []string{"method", "params"}, clash{"paramſ", "params", true}},
		"invisible":      {`{"to\u200b":1}`, []string{"to"}, clash{"to\u200b", "to", true}},
		"first":          {`{"B":1,"A":2}`, []string{"a", "b"}, clash{"B", "b", true}},
		"other":          {`{"x":1,"":2}`, []string{"a", "b"}, clash{}},
		"not deeper":     {`{"x":{"A":1}}`, []string{"a"}, clash{}},
		"both in schema": {`{"a":1}`, []string{"A", "a"}, clash{}},
		"third of them":  {`{"ａ":1}`, []string{"A", "a"}, clash{"ａ", "A", true}},
		"no names":       {`{"a":1}`, nil, clash{}},
		"empty name":     {`{"\u200b":1}`, []string{""}, clash{"\u200b", "", true}},
		"no object":      {`["A"]`, []string{"a"}, clash{}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got clash
			got.Member, got.With, got.Found = canon.FoldClash(parse(t, c.in), c.names)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	if _, _, found := canon.FoldClash(canon.Value{}, []string{"a"}); found {
		t.Error("an absent value has a member")
	}
	if _, _, found := (canon.NameSet{}).Clash(parse(t, `{"a":1}`)); found {
		t.Error("the empty set clashes")
	}
}
