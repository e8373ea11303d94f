// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package plain_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict/internal/plain"
)

func TestText(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                         "",
		"Reads a file.\n\tReally.": "Reads a file.\n\tReally.",
		"查询订单 🙂 é":                 "查询订单 🙂 é",
		"\x1b[31mred\x1b[0m":       "red",
		"\x1b[2K\x1b[1A gone":      " gone",
		"\u009b31mred":             "red",
		"a\x1b]0;title\x07b":       "ab",
		"a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\b": "alinkb",
		"a\u009d0;t\u009cb":                          "ab",
		"a\x1bPq#0\x1b\\b":                           "ab",
		"a\x1b]0;never ends":                         "a0;never ends",
		"a\x1b(Bb":                                   "ab",
		"a\x1bcb":                                    "ab",
		"a\x1b":                                      "a",
		"a\x1b\x1b[31mb":                             "ab",
		"pay\u202eresu\u202c":                        "payresu",
		"zero\u200bwidth\u200d\ufeff":                "zerowidth",
		"tag\U000e0068\U000e0069":                    "tag",
		"a\rb":                                       "ab",
		"a\x00b\x08c\x7f":                            "abc",
		"bad\xff\xc3":                                "bad",
		"keeps \ufffd":                               "keeps \ufffd",
		"line\u2028sep":                              "linesep",
	} {
		if got := plain.Text(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                             "",
		"one\ntwo\tthree\r\n":          "one two three",
		" \x1b[1m \u200b":              "",
		"\x1b]0;title\aname\u202e\xff": "name",
	} {
		if got := plain.Line(in); got != want {
			t.Errorf("Line(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestMark(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a b 查":               "a b 查",
		"a\nb\t\x1b[1m":       "a\ufffdb\ufffd\ufffd[1m",
		"pay\u202eresu\u00a0": "pay\ufffdresu\ufffd",
		"bad\xff":             "bad\ufffd",
	} {
		if got := plain.Mark(in); got != want {
			t.Errorf("Mark(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestTextIsShortened(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text           string
		most           int
		bytes, letters string
	}{
		{"", 0, "", ""},
		{"abc", 3, "abc", "abc"},
		{"abcd", 3, "abc…", "abc…"},
		{"aé", 2, "a…", "aé"},
		{"éé", 1, "…", "é…"},
		{"中文", 4, "中…", "中文"},
		{"a\xffb", 2, "a…", "a\ufffd…"},
	} {
		if got := plain.Cut(c.text, c.most); got != c.bytes {
			t.Errorf("cut %q to %d bytes: %q, want %q", c.text, c.most, got, c.bytes)
		}
		if got := plain.Clip(c.text, c.most); got != c.letters {
			t.Errorf("clip %q to %d characters: %q, want %q", c.text, c.most, got, c.letters)
		}
	}
}

func TestReveal(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain\n":       "plain\n",
		"pay\u202eresu": `pay\u{202E}resu`,
		"\x1b[31m":      `\u{001B}[31m`,
		"bad\xff":       `bad\xFF`,
		"a\U000e0041\r": `a\u{E0041}\u{000D}`,
	} {
		if got := plain.Reveal(in); got != want {
			t.Errorf("Reveal(%q) = %q, want %q", in, got, want)
		}
	}
}

// Whatever a server writes, nothing that is hidden, or that a terminal obeys, is
// left, and cleaning twice changes nothing.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	pieces := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"\x1b", "[", "]", "31m", "\u009b", "\u009d", "\x07", "\x1b\\", "\u202e", "\u200b", "\xff", "\x1b[", "P", "\u009c", "\r", "(", "\U000e0001",
	}))
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOf(pieces).Draw(t, "pieces"), "")
		check(t, s)
	})
}

func check(t interface{ Fatalf(string, ...any) }, s string) {
	out := plain.Text(s)
	if !utf8.ValidString(out) || plain.Text(out) != out {
		t.Fatalf("Text(%q) = %q is not final", s, out)
	}
	line := plain.Line(s)
	if plain.Line(line) != line || strings.ContainsAny(line, "\n\t") {
		t.Fatalf("Line(%q) = %q is not final", s, line)
	}
	for _, text := range []string{out, line, plain.Reveal(s)} {
		for _, r := range text {
			if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r)) {
				t.Fatalf("%q became %q, with %U", s, text, r)
			}
		}
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"a\x1b[31mb", "\u009d0;x\u009c", "\x1b]8;;\x07", "\xff\u202e", "\x1b\x1b\x1b["} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { check(t, s) })
}
