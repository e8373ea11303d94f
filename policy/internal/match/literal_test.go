// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package match_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/policy/internal/match"
)

// has reports whether a text has one of the literals.
func has(choice []match.Literal, text string) bool {
	return slices.ContainsFunc(choice, func(l match.Literal) bool {
		switch l.Form {
		case match.Head:
			return strings.HasPrefix(text, l.Text)
		case match.Tail:
			return strings.HasSuffix(text, l.Text)
		case match.Inside:
			return strings.Contains(text, l.Text)
		default:
			return text == l.Text
		}
	})
}

func TestLiterals(t *testing.T) {
	t.Parallel()
	type choices = [][]match.Literal
	for pattern, want := range map[string]choices{
		"git (push|pull)":     {{{match.Whole, "git push"}, {match.Whole, "git pull"}}},
		"(git|ls) .*":         {{{match.Head, "git "}, {match.Head, "ls "}}, {{match.Inside, " "}}},
		".*area7":             {{{match.Inside, "area7"}}, {{match.Tail, "area7"}}},
		"x.*area7.*":          {{{match.Inside, "area7"}}, {{match.Head, "x"}}},
		"a?":                  {{{match.Whole, "a"}, {match.Whole, ""}}},
		"[ab]c":               {{{match.Whole, "ac"}, {match.Whole, "bc"}}},
		"a{2,}":               {{{match.Head, "a"}}, {{match.Inside, "a"}}},
		"(?i)git":             nil,
		"[a-z]+":              nil,
		".*":                  nil,
		"(a|b|c|d)(a|b|c|d).": {{{match.Head, "aa"}, {match.Head, "ab"}, {match.Head, "ac"}, {match.Head, "ad"}, {match.Head, "ba"}, {match.Head, "bb"}, {match.Head, "bc"}, {match.Head, "bd"}, {match.Head, "ca"}, {match.Head, "cb"}, {match.Head, "cc"}, {match.Head, "cd"}, {match.Head, "da"}, {match.Head, "db"}, {match.Head, "dc"}, {match.Head, "dd"}}},
	} {
		r, err := match.ParseRegex(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, r.Literals()); diff != "" {
			t.Errorf("%s: %s", pattern, diff)
		}
	}
	for pattern, want := range map[string]choices{
		"/srv/*":    {{{match.Head, "/srv/"}}},
		"*/.env":    {{{match.Tail, "/.env"}}},
		"a*secret*": {{{match.Inside, "secret"}}, {{match.Head, "a"}}},
		"a?bc*":     {{{match.Inside, "bc"}}, {{match.Head, "a"}}},
		"*?":        nil,
	} {
		g, err := match.ParseGlob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, g.Literals()); diff != "" {
			t.Errorf("%s: %s", pattern, diff)
		}
	}
}

// FuzzLiterals: a text that a pattern does not fail for sure has a literal of
// every choice, unless it is longer than the pattern promises.
func FuzzLiterals(f *testing.F) {
	for _, seed := range [][2]string{
		{"a?", ""}, {"(git|ls) (status|log)[a-z -]*x7", "git status --short x7"}, {"a*b?c*d", "axxbyczzd"}, {"*?\uFFFD", "a\xff"}, {"\uFFFD+", "\xff"},
		{"^a$|b\\b", "b"}, {"(?i)k", "\u212A"}, {"(|a)b", "b"}, {"[\uFFFCa]", "a"}, {"(?m)^a\\n^b", "a\nb"}, {"x{0}y", "y"}, {"(a|)(b|)", "ab"}, {"\\Qa.b\\E", "a.b"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		check := func(truth match.Truth, longest int, choices [][]match.Literal) {
			if truth == match.False || longest > 0 && len(text) > longest {
				return
			}
			for _, choice := range choices {
				if !has(choice, text) {
					t.Errorf("%q against %q is %s, and none of %q is in it", text, pattern, truth, choice)
				}
			}
		}
		if r, err := match.ParseRegex(pattern); err == nil {
			check(r.Match(text), r.Longest(), r.Literals())
		}
		if g, err := match.ParseGlob(pattern); err == nil {
			check(g.Fits(text), g.Longest(), g.Literals())
		}
	})
}
