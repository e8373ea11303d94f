// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package pattern_test

import (
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict/internal/schema/internal/pattern"
)

// A set compiles each pattern once, and says no when they cost too much together.
func TestSet(t *testing.T) {
	t.Parallel()
	s := pattern.NewSet(100)
	const large = "^a{50}$"
	first, err := s.Compile(large)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		again, err := s.Compile(large)
		if err != nil || again != first {
			t.Fatalf("compiled twice, or refused: %v", err)
		}
	}
	if _, err := s.Compile("^b{50}$"); err == nil || !strings.Contains(err.Error(), "too large together") {
		t.Errorf("got %v", err)
	}
}

// TestECMA: a pattern means what it means to ECMA-262 with the flag u, and with what
// browsers take beyond it where RE2 would take something else.
func TestECMA(t *testing.T) {
	t.Parallel()
	for source, c := range map[string]struct{ good, bad string }{
		`^[a-z[^]+$`:                           {"a[^", "A1;"}, // not [a-z[\s\S]+$
		`^[[^]$`:                               {"^", "a"},
		`^[\]^]$`:                              {"]", "a"},
		`^a[^]b$`:                              {"a\nb", "ab"},
		`^a[]|b$`:                              {"b", "a"},
		`^[]a]$`:                               {"", "]"},
		`^(?:[]|x)$`:                           {"x", "]"},
		`^[^^]$`:                               {"a", "^"},
		`^[[:]$`:                               {":", "a"},
		`^[[:a-z]$`:                            {":", "A"},
		`^[a&&b]$`:                             {"&", "c"},
		`^\[.*]$`:                              {"[x]", "[x"},
		`^.$`:                                  {"\u0085", "\u2028"},
		`^a.b$`:                                {"a\fb", "a\rb"},
		`^\s$`:                                 {"\ufeff", "\u0085"},
		`^\s+$`:                                {"\u00a0\v\u3000\u2003\u2029", "\u200b"},
		`^\S+$`:                                {"a\x00\x1c\u0085\u200b\U0010ffff", "\u00a0"},
		`^\S$`:                                 {"\U0001f600", "\v"},
		`^[\s_]$`:                              {"\u2028", "a"},
		`^[^\s]$`:                              {"a", "\u202f"},
		`^[\S]$`:                               {"a", "\u1680"},
		`^[^\S]$`:                              {"\u205f", "a"},
		`^[\s\S]$`:                             {"\n", ""},
		`^[^\s\S]|a$`:                          {"a", "b"},
		`^[\w-.]+$`:                            {"a-.", "/"},
		`^[\d-a-z]$`:                           {"z", "b"}, // a dash, an a, a dash and a z
		`^[a-\d]$`:                             {"-", "b"},
		`^[+--]$`:                              {",", "*"},
		`^[-a]$`:                               {"-", "b"},
		`^[a-]$`:                               {"-", "b"},
		`^[\b]$`:                               {"\b", "b"},
		`^[\-\.\/]+$`:                          {"-./", "\\"},
		`\bfoo\B`:                              {"fool", "foo"},
		`^\0$`:                                 {"\x00", "0"},
		`^\cj\cJ[\cJ]$`:                        {"\n\n\n", "jJJ"},
		`^\x41\u0042$`:                         {"AB", "x41"},
		`^\ud83d\ude00$`:                       {"\U0001f600", "\ufffd"},
		`^[\ud83d\ude00-\uD83D\uDE02]$`:        {"\U0001f601", "\U0001f603"},
		`^\u{1F600}$`:                          {"\U0001f600", "u"},
		`^[^\ud800-\udfff]$`:                   {"\U0001f600", "ab"},
		`^\t\n\v\f\r$`:                         {"\t\n\v\f\r", "tnvfr"},
		`^\p{L}\p{Lu}\p{Letter}$`:              {"\u00e9A\u67e5", "111"},
		`^\P{L}[\p{Nd}\P{N}]$`:                 {"1a", "a1"},
		`^\p{Script=Greek}\p{gc=Lu}\p{ASCII}$`: {"\u03b1Aa", "aAa"},
		`^a{02}$`:                              {"aa", "a{02}"},
		`^a{1,02}$`:                            {"aa", "aaa"},
		`^a{,2}$`:                              {"a{,2}", "aa"},
		`^{}$`:                                 {"{}", ""},
		`^a{x}$`:                               {"a{x}", "a"},
		`^a{2}?a*?$`:                           {"aaa", "a"},
		`^(?<y>a)(?:b)(?P<z>c)$`:               {"abc", "ab"},
		`a$`:                                   {"a", "a\n"},
		`^\(\)\[\]\{\}\^\$\.\|\*\+\?\\\/$`:     {`()[]{}^$.|*+?\/`, ""},
	} {
		p, err := pattern.Compile(source)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		if strings.Contains(source, "[]a]") {
			if p.MatchString(c.bad) || p.MatchString("a") {
				t.Errorf("%s matches something", source)
			}
			continue
		}
		if !p.MatchString(c.good) || p.MatchString(c.bad) {
			t.Errorf("%s: %q %v, %q %v", source, c.good, p.MatchString(c.good), c.bad, p.MatchString(c.bad))
		}
	}
}

// TestForeign: what other dialects have, and ECMA-262 reads otherwise or not at all.
func TestForeign(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		`\Aa\z`, `a\Z`, `\Qa.b\E`, `\a`, `\e`, `\C`, `\h`, `\G`, `\X`, `(?i)a`, `(?i:a)`, `(?s).`, `(?m)^a$`, `(?U)a+`, `(?-i)a`,
		`[[:alpha:]]`, `[^[:^alpha:]x]`, `\pL`, `\PL`, `[\pL]`, `\p{^L}`, `\p{Greek}`, `\p{letter}`, `\p{}`, `\p{Script=greek}`, `\p{scx=Greek}`, `\p{Alphabetic}`,
		`\x{41}`, `\x4`, `\u12`, `\u{}`, `\u{110000}`, `\u{ffffffffffff}`, `\u{fffffffffffffffffffffffffff}`, `\c1`, `\c`, `[\c1]`, `\00`, `\012`, `[\01]`, `[\1]`, `(a)\1`, `(?<a>b)\k<a>`,
		`[\B]`, `[\A]`, `\é`, `a\`, `[a\`, `[a`, `[a-`, `[^`, `[`, `[z-a]`, `(?=a)`, `(?!a)`, `(?<=a)`, `(?<!a)`, `(?#a)`, `(?>a)`, `a**`, `a++`, `a{2}{3}`, `(a`, `a)`, `(?`,
		`^*a`, `^?`, `a$+`, `a\b?`, `\B{0}`, `^{1,2}a`,
	} {
		if _, err := pattern.Compile(source); err == nil {
			t.Errorf("%s is read", source)
		} else if strings.Contains(err.Error(), source) && len(source) > 2 {
			t.Errorf("the pattern is told: %v", err)
		}
	}
}
