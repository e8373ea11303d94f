// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package match_test

import (
	"path"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict/policy/internal/match"
)

func operand(t testing.TB, form match.Form, text string, folds bool) match.Operand {
	t.Helper()
	o, err := match.NewOperand(form, text, folds)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return o
}

func TestOperandsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		form match.Form
		text string
	}{
		{match.Head, ""}, {match.Tail, ""}, {match.Inside, ""}, {match.Wild, ""}, {match.Wild, "*"}, {match.Wild, "**/a"}, {match.Wild, "[a]"},
		{match.Below, ""}, {match.Below, "a"}, {match.Below, "/a/../b"}, {match.Below, "/./a"}, {match.Below, "C:a"}, {match.Below, "1:/a"},
		{match.Below, "C://a"}, {match.Below, "//a/b"}, {match.Below, `C:\a`}, {match.Whole, "/a\uff0fb"}, {match.Inside, "\uff0a"}, {match.Tail, "\uff1f"},
	} {
		if _, err := match.NewOperand(c.form, c.text, true); err == nil {
			t.Errorf("form %d of %q is accepted", c.form, c.text)
		}
	}
	operand(t, match.Whole, "", true)
	operand(t, match.Whole, "\uff0a", false)
}

// TestWords: text that is not known before it runs is told apart from text that
// is.
func TestWords(t *testing.T) {
	t.Parallel()
	const u, n, y = match.Unknown, match.False, match.True
	for _, c := range []struct {
		form       match.Form
		text, word string
		want       match.Truth
	}{
		{match.Whole, "abc", "abc", y}, {match.Whole, "abc", "a\x00", u}, {match.Whole, "abc", "b\x00", n}, {match.Whole, "abc", "\x00x", n},
		{match.Whole, "abc", "\x00b\x00", u}, {match.Whole, "abc", "ab\x00c", u}, {match.Whole, "", "\x00", u}, {match.Whole, "", "a\x00", n},
		{match.Head, "ab", "abc\x00", y}, {match.Head, "ab", "a\x00", u}, {match.Head, "ab", "b\x00ab", n}, {match.Head, "ab", "\x00", u},
		{match.Tail, "ab", "\x00ab", y}, {match.Tail, "ab", "\x00b", u}, {match.Tail, "ab", "ab\x00c", n},
		{match.Inside, "ab", "x\x00ab\x00", y}, {match.Inside, "ab", "x\x00", u}, {match.Inside, "ab", "xyz", n},
		{match.Wild, "a*z", "a\x00z", y}, {match.Wild, "a?z", "a\x00z", u}, {match.Wild, "a*z", "a\x00", u}, {match.Wild, "a*z", "\x00y", n},
		{match.Wild, "--?*", "--\x00", u}, {match.Wild, "--*", "--\x00", y}, {match.Whole, "\xff\x00", "\xff\x00", u}, {match.Whole, "\x00", "ab", n}, {match.Wild, "\x00*", "ab", n}, {match.Whole, "\xfe", "\xff", n},
	} {
		o := operand(t, c.form, c.text, false)
		if got := o.Word(c.word); got != c.want {
			t.Errorf("form %d of %q on %q: %s, want %s", c.form, c.text, c.word, got, c.want)
		}
	}
}

// TestTouched: what is at or below a path, or what a shell's glob picks there.
func TestTouched(t *testing.T) {
	t.Parallel()
	const u, n, y = match.Unknown, match.False, match.True
	for _, c := range []struct {
		form                match.Form
		text, path, pattern string
		want                match.Truth
	}{
		{match.Whole, "/a", "/a", "", u}, {match.Whole, "/a/b", "/a", "", u}, {match.Whole, "/b", "/a", "", n}, {match.Whole, "/ab", "/a", "", n},
		{match.Head, "/a", "/a", "", y}, {match.Head, "/a/", "/a", "", u}, {match.Head, "/a/b", "/a", "", u}, {match.Head, "/ab", "/a", "", n},
		{match.Tail, "a", "/a", "", u}, {match.Tail, "x", "/a", "", u}, {match.Inside, "a", "/a", "", y}, {match.Inside, "x", "/a", "", u},
		{match.Wild, "/a*", "/a", "", y}, {match.Wild, "/a/*", "/a", "", u}, {match.Wild, "/b/*", "/a", "", n}, {match.Wild, "*/x", "/a", "", u},
		{match.Below, "/a", "/a", "", y}, {match.Below, "/a", "/a/b", "", y}, {match.Below, "/a/b", "/a", "", u}, {match.Below, "/b", "/a", "", n},
		{match.Below, "/ab", "/a", "", n}, {match.Below, "/a", "/ab", "", n}, {match.Below, "/a", "/", "", u}, {match.Below, "/", "/a", "", y},
		{match.Below, "/A", "/a/b", "", u}, {match.Below, "/a", "/b/../a", "", u}, {match.Below, "C:/", "C:/a", "", y}, {match.Below, "C:/a", "C:/", "", u},
		{match.Below, "/a", "/a", "/a/*", y}, {match.Below, "/a/b", "/a", "/a/*", u}, {match.Below, "/a/b", "/a", "/a/c*", n}, {match.Below, "/a/b", "/a", "/a/*/c", u},
		{match.Whole, "/a/b", "/a", "/a/?", u}, {match.Whole, "/a/bc", "/a", "/a/?", n}, {match.Whole, "/a/.b", "/a", "/a/?b", n}, {match.Whole, "/a/.b", "/a", "/a/*", n},
		{match.Whole, "/a/.b", "/a", "/a/*b", n}, {match.Whole, "/a/b", "/a", "/a/*b", u}, {match.Whole, "/a/.b", "/a", "/a/[.]b", n}, {match.Whole, "/a/cb", "/a", "/a/[c]b", u},
		{match.Tail, ".go", "/a", "/a/*.go", y}, {match.Tail, ".pem", "/a", "/a/*.go", n}, {match.Tail, "/b", "/a", "/a/**/b", y}, {match.Whole, "/a/b", "/a", "/a/**/b", u},
		{match.Whole, "/a/c/d/b", "/a", "/a/**/b", u}, {match.Whole, "/a", "/a", "/a/**", u}, {match.Whole, "/a/.x/y", "/a", "/a/**", u}, {match.Whole, "/ab", "/a", "/a/**", n},
		{match.Whole, "/a/*", "/a", `/a/\**`, u}, {match.Whole, "/a/b", "/a", `/a/\**`, n}, {match.Wild, "*/.env", "/a", "/a/.e*", u}, {match.Wild, "*/.env", "/a", "/a/*", n},
		{match.Inside, "b", "/a", "/a/*b*", y}, {match.Inside, "c", "/a", "/a/*b", u}, {match.Inside, "c", "/a", "/a/b", n}, {match.Head, "/a/b", "/a", "/a/b*", y},
		// What depends on options of the shell, or is more than is looked at.
		{match.Whole, "/a/b", "/a", "/a/@(b|c)", u}, {match.Whole, "/b", "/a", "/a/!(b)", n}, {match.Tail, "x", "/a", "/a/[[:alpha:]]", u}, {match.Tail, "x", "/a", "/a/[b", u},
		{match.Tail, "x", "/a", `/a/b\`, u}, {match.Tail, "x", "/a", "/a" + strings.Repeat("/*a", 9), u}, {match.Tail, "x", "/a", "/a/" + strings.Repeat("b", 5000), u},
	} {
		o := operand(t, c.form, c.text, true)
		if got := o.Touched(&match.Touched{Path: c.path, Deep: true, Pattern: c.pattern}); got != c.want {
			t.Errorf("form %d of %q below %q, %q: %s, want %s", c.form, c.text, c.path, c.pattern, got, c.want)
		}
	}
}

// paths are all paths of at most five characters in a small alphabet.
func paths() []string {
	var out []string
	var grow func(string)
	grow = func(s string) {
		if path.Clean(s) == s {
			out = append(out, s)
		}
		if len(s) == 6 {
			return
		}
		for _, c := range []string{"a", "b", "/", "."} {
			grow(s + c)
		}
	}
	grow("/")
	return out
}

// bash turns a glob into an expression, the way the manual says it.
func bash(pattern string) *regexp.Regexp {
	var b strings.Builder
	for name := range strings.SplitSeq(pattern[1:], "/") {
		if name == "**" {
			b.WriteString(`(/.*)?`)
			continue
		}
		for strings.Contains(name, "**") {
			name = strings.ReplaceAll(name, "**", "*")
		}
		b.WriteString("/")
		for j := range len(name) {
			dot := `[^/]`
			if j == 0 {
				dot = `[^/.]`
			}
			switch c := name[j]; {
			case c == '?':
				b.WriteString(dot)
			case c == '*' && j == 0 && (strings.HasPrefix(name, "*.") || strings.Trim(name, "*") == ""):
				b.WriteString(`[^/.][^/]*`)
			case c == '*' && j == 0:
				b.WriteString(`([^/.][^/]*)?`)
			case c == '*':
				b.WriteString(`[^/]*`)
			default:
				b.WriteString(regexp.QuoteMeta(string(c)))
			}
		}
	}
	return regexp.MustCompile(`^` + b.String() + `$`)
}

// TestTouchedLaw: True and False hold for every path that is meant, by the plain
// meaning of both sides.
func TestTouchedLaw(t *testing.T) {
	t.Parallel()
	every := paths()
	name := rapid.StringMatching(`[ab.?*]{1,3}|\*\*`)
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(name, 1, 3).Draw(t, "names")
		touched := match.Touched{Path: "/", Deep: true, Pattern: "/" + strings.Join(names, "/")}
		if rapid.IntRange(0, 3).Draw(t, "plain") == 0 {
			touched = match.Touched{Path: rapid.SampledFrom(every).Draw(t, "path"), Deep: true}
		}
		form := match.Form(rapid.IntRange(int(match.Whole), int(match.Below)).Draw(t, "form"))
		text := rapid.StringMatching(map[match.Form]string{match.Wild: `[ab/.?]{0,3}\*?[ab/.?]{1,3}\*?`, match.Below: `(/a|/b|/\.a){1,2}`}[form]).Draw(t, "text")
		if form < match.Wild {
			text = rapid.StringMatching(`[ab/.]{1,4}`).Draw(t, "text")
		}
		o, err := match.NewOperand(form, text, true)
		if err != nil {
			return // what cannot be written in a rule
		}
		got := o.Touched(&touched)
		yes, no := 0, 0
		for _, p := range every {
			if touched.Pattern != "" && !bash(touched.Pattern).MatchString(p) ||
				touched.Pattern == "" && p != touched.Path && !strings.HasPrefix(p, strings.TrimSuffix(touched.Path, "/")+"/") {
				continue
			}
			switch o.Exact(p) {
			case match.True:
				yes++
			case match.False:
				no++
			default:
			}
		}
		if got == match.True && no > 0 || got == match.False && yes > 0 {
			t.Fatalf("form %d of %q on %+v is %s, although %d paths fit and %d do not", form, text, touched, got, yes, no)
		}
	})
}

// FuzzOperand: never a panic, never without end, and a text that is known is
// compared like any other.
func FuzzOperand(f *testing.F) {
	f.Add(uint8(4), "*/.env", "/srv/app", "/srv/app/**/.e[n]v", true, false)
	f.Add(uint8(5), "/srv", "/", `/s\rv/*/[!a]*`, true, true)
	f.Add(uint8(0), "rm\x00", "/tmp/x", "", false, false)
	f.Add(uint8(3), "\xff", "C:/a", "/**/**/**/**/**", true, false)
	f.Fuzz(func(t *testing.T, form uint8, text, p, pattern string, deep, folded bool) {
		o, err := match.NewOperand(match.Form(form%6), text, true)
		if err != nil {
			return
		}
		touched := match.Touched{Path: p, Deep: deep, Pattern: pattern, Folded: folded}
		first := o.Touched(&touched)
		if o.Touched(&touched) != first {
			t.Error("two answers")
		}
		if !deep && !folded && first != o.Exact(p) {
			t.Error("a plain path is compared otherwise")
		}
		if deep && !folded && pattern == "" && first != match.Unknown && first != o.Exact(p) {
			t.Errorf("%s below, %s at %q", first, o.Exact(p), p)
		}
		o.Word(p)
	})
}
