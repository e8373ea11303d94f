// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package plain makes text of strangers (servers, models, other programs) fit to
// be shown to people, written to a terminal or a log, and read by models. It
// knows characters only, no secrets.
package plain

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hidden reports whether a character is not seen, or changes how others are:
// bidirectional controls, zero-width characters, tags, fillers, variation
// selectors, and everything else that Unicode lets a renderer leave out.
func Hidden(r rune) bool {
	return r >= 0x80 && unicode.In(r, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Text returns text of strangers as it may be shown: without terminal escapes,
// control characters (line breaks and tabs stay), bidirectional and zero-width
// characters, and bytes that are not UTF-8. It is idempotent.
func Text(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		if n := escapeLen(s); n > 0 {
			s = s[n:]
			continue
		}
		r, n := utf8.DecodeRuneInString(s)
		s = s[n:]
		if keeps(r, n) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Line returns [Text] on one line, without space around it.
func Line(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, Text(s)))
}

// Mark returns text of strangers on one line, for records and cards: each
// character that cannot be printed, line breaks included, is marked by U+FFFD.
// Unlike [Text] it hides nothing of what was written.
func Mark(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return utf8.RuneError
	}, s)
}

// Cut shortens a text to so many bytes, leaves no half character, and says so by
// an ellipsis.
func Cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// Clip shortens a text to so many characters, and says so by an ellipsis.
func Clip(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most]) + "…"
}

// Reveal returns text of strangers for a close look, such as a diff: what
// [Text] would drop is written out as \u{202E}.
func Reveal(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case n == 1 && r == utf8.RuneError:
			fmt.Fprintf(&b, `\x%02X`, s[0])
		case keeps(r, n):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\u{%04X}`, r)
		}
		s = s[n:]
	}
	return b.String()
}

func keeps(r rune, size int) bool {
	switch {
	case r == utf8.RuneError && size == 1:
		return false
	case r == '\n' || r == '\t':
		return true
	}
	return !unicode.IsControl(r) && !Hidden(r)
}

func isPlain(s string) bool {
	for i, r := range s {
		size := utf8.RuneLen(r)
		if r == utf8.RuneError {
			_, size = utf8.DecodeRuneInString(s[i:])
		}
		if !keeps(r, size) {
			return false
		}
	}
	return true
}

// escapeLen is the length of the terminal escape sequence that s starts with,
// 0 if there is none: CSI, OSC and its kin up to their end, else two bytes.
func escapeLen(s string) int {
	intro, rest := s[0], s[1:]
	switch {
	case strings.HasPrefix(s, "\u009b"):
		return 2 + csiLen(s[2:])
	case strings.HasPrefix(s, "\u009d"), strings.HasPrefix(s, "\u0090"):
		return 2 + stringLen(s[2:])
	case intro != 0x1b || rest == "":
		return 0
	case rest[0] == '[':
		return 2 + csiLen(s[2:])
	case strings.IndexByte("]PX^_", rest[0]) >= 0:
		return 2 + stringLen(s[2:])
	case rest[0] >= 0x20 && rest[0] <= 0x2f && len(rest) > 1:
		return 3
	case rest[0] >= 0x30 && rest[0] <= 0x7e:
		return 2
	}
	return 1
}

// csiLen counts parameters, intermediates and the final byte.
func csiLen(s string) int {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 0x40 && c <= 0x7e:
			return i + 1
		case c < 0x20 || c > 0x3f:
			return i
		}
	}
	return len(s)
}

// stringLen counts up to BEL or ST. Without an end only the introducer is
// dropped: hostile text must not make the rest of a card vanish.
func stringLen(s string) int {
	for i := range len(s) {
		switch {
		case s[i] == 0x07:
			return i + 1
		case strings.HasPrefix(s[i:], "\x1b\\"), strings.HasPrefix(s[i:], "\u009c"):
			return i + 2
		}
	}
	return 0
}
