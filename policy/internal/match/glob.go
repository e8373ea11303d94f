// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package match

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxGlob bounds a glob in bytes.
const maxGlob = 256

// Glob is a pattern for a whole text: * stands for any run of characters, also
// across slashes, ? for exactly one character.
type Glob struct {
	parts []string // between the stars
	text  string
}

// ParseGlob reads a glob. What other programs give a meaning of its own there
// is refused rather than taken literally.
func ParseGlob(s string) (Glob, error) {
	switch {
	case s == "":
		return Glob{}, fmt.Errorf("the pattern is empty: it would match only an empty text")
	case len(s) > maxGlob:
		return Glob{}, fmt.Errorf("the pattern is longer than %d bytes: shorten it", maxGlob)
	case strings.Contains(s, "**"):
		return Glob{}, fmt.Errorf("** is not used here: one * already crosses slashes")
	case strings.ContainsAny(s, `[]{}\`):
		return Glob{}, fmt.Errorf("only * and ? are special in a pattern: use regex for sets, alternatives and escapes")
	case strings.Trim(s, "*") == "":
		return Glob{}, fmt.Errorf("the pattern matches every text: use exists: true, or leave the condition out")
	}
	return Glob{parts: strings.Split(s, "*"), text: s}, nil
}

// String returns the pattern.
func (g Glob) String() string { return g.text }

// Match reports whether the whole text matches.
func (g Glob) Match(s string) bool {
	first, last := g.parts[0], g.parts[len(g.parts)-1]
	n, ok := headLen(s, first)
	if !ok {
		return false
	}
	s = s[n:]
	if len(g.parts) == 1 {
		return s == ""
	}
	for _, part := range g.parts[1 : len(g.parts)-1] {
		_, after, found := search(s, part)
		if !found {
			return false
		}
		s = s[after:]
	}
	return hasTail(s, last)
}

// maxGlobWork bounds the bytes of text times those of a pattern with ? in it.
const maxGlobWork = 1 << 24

// Fits is Match for a text of any length: one that would take too long for the
// pattern is Unknown.
func (g Glob) Fits(s string) Truth {
	if len(s)*len(g.text) > maxGlobWork && strings.Contains(g.text, "?") {
		return Unknown
	}
	return Of(g.Match(s))
}

// headLen matches a part without stars at the start of s.
func headLen(s, part string) (int, bool) {
	if !strings.Contains(part, "?") {
		return len(part), strings.HasPrefix(s, part)
	}
	at := 0
	for _, r := range part {
		got, size := utf8.DecodeRuneInString(s[at:])
		if size == 0 || r != '?' && got != r {
			return 0, false
		}
		at += size
	}
	return at, true
}

// search finds the first place where part matches.
func search(s, part string) (start, end int, found bool) {
	if !strings.Contains(part, "?") {
		i := strings.Index(s, part)
		return i, i + len(part), i >= 0
	}
	for i := range s {
		if n, ok := headLen(s[i:], part); ok {
			return i, i + n, true
		}
	}
	return 0, 0, false
}

// hasTail matches a part without stars at the end of s.
func hasTail(s, part string) bool {
	if !strings.Contains(part, "?") {
		return strings.HasSuffix(s, part)
	}
	at := len(s)
	for range utf8.RuneCountInString(part) {
		_, size := utf8.DecodeLastRuneInString(s[:at])
		if size == 0 {
			return false
		}
		at -= size
	}
	_, ok := headLen(s[at:], part)
	return ok
}
