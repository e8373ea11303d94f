// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import "strings"

// Escaped writes the text so that PostgreSQL's parser reads it as a server does
// that is set to standard_conforming_strings = off, or that knows no other way: a
// backslash escapes in every text. ok is false where that is the same, or where
// no such server reads it.
func Escaped(text string) (out string, ok bool) {
	if !strings.Contains(text, `\'`) {
		return "", false
	}
	e := escaper{scanner: scanner{text: text, open: make([]level, 1, 16)}}
	for e.at < len(text) {
		start := e.at
		switch c := text[start]; {
		case c == '\'':
			if !e.literal(start) {
				return "", false
			}
		case c <= ' ' || e.starts("--") || e.starts("/*"):
			e.next()
			e.out = append(e.out, text[start:e.at]...)
		default:
			e.next()
			e.out = append(e.out, text[start:e.at]...)
			e.behind = strings.HasSuffix(text[start:e.at], "'")
		}
	}
	return string(e.out), true
}

// escaper copies a text and marks its texts.
type escaper struct {
	scanner

	out    []byte
	behind bool // the last token is a text: one on the next line goes on with it
}

// literal copies a text without E in front of it, and reports whether it is one
// that such servers read.
func (e *escaper) literal(start int) bool {
	prefix := byte(0) // a letter right before it that is no part of a longer word
	if start > 0 && (start < 2 || !WordPart(e.text[start-2])) {
		prefix = e.text[start-1] | 0x20
	}
	bits := prefix == 'b' || prefix == 'x'
	e.at = start + 1
	e.quoted('\'', !bits)
	switch {
	case start > 1 && e.text[start-1] == '&' && e.text[start-2]|0x20 == 'u':
		return false
	case bits, e.behind:
	case prefix == 'n':
		e.out = append(e.out[:len(e.out)-1], " E"...)
	default:
		e.out = append(e.out, " E"...)
	}
	e.out = append(e.out, e.text[start:e.at]...)
	e.behind = true
	return true
}
