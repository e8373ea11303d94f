// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// scanString reads the string at pos and leaves pos after it.
func (p *parser) scanString() (node, *failure) {
	src, start := p.src, p.pos
	var flags uint8
	for i := start + 1; i < len(src); {
		c := src[i]
		switch {
		case c == '"':
			p.pos = i + 1
			return node{kind: KindString, flags: flags, start: uint32(start), end: uint32(p.pos)}, nil
		case c == '\\':
			return p.scanEscaped(i)
		case c < 0x20:
			return node{}, p.fail(ReasonControl, i)
		case c < utf8.RuneSelf:
			i++
		default:
			flags |= flagWide
			size := runeSize(src[i:])
			if size == 0 {
				return node{}, p.fail(ReasonInvalidUTF8, i)
			}
			i += size
		}
	}
	return node{}, p.fail(ReasonTruncated, len(src))
}

// runeSize is the size of the UTF-8 sequence that s starts with, 0 if none.
func runeSize(s string) int {
	r, size := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && size <= 1 {
		return 0
	}
	return size
}

// scanEscaped goes on with the string at pos from its first backslash, at i,
// and keeps the decoded text.
func (p *parser) scanEscaped(i int) (node, *failure) {
	src, start := p.src, p.pos
	if p.dec == nil {
		p.dec = make([]byte, 0, min(len(src)-start, 128))
	}
	from := len(p.dec)
	p.dec = append(p.dec, src[start+1:i]...)
	for i < len(src) {
		c := src[i]
		switch {
		case c == '"':
			p.pos = i + 1
			return node{
				kind: KindString, flags: flagDecoded, start: uint32(start), end: uint32(p.pos),
				count: uint32(len(p.dec) - from), next: uint32(from),
			}, nil
		case c == '\\':
			r, size, reason := unescape(src[i:])
			if reason != "" {
				return node{}, p.fail(reason, min(i, len(src)))
			}
			p.dec = utf8.AppendRune(p.dec, r)
			i += size
		case c < 0x20:
			return node{}, p.fail(ReasonControl, i)
		case c < utf8.RuneSelf:
			p.dec = append(p.dec, c)
			i++
		default:
			size := runeSize(src[i:])
			if size == 0 {
				return node{}, p.fail(ReasonInvalidUTF8, i)
			}
			p.dec = append(p.dec, src[i:i+size]...)
			i += size
		}
	}
	return node{}, p.fail(ReasonTruncated, len(src))
}

// unescape decodes the escape that s starts with and returns how long it is.
func unescape(s string) (rune, int, Reason) {
	if len(s) < 2 {
		return 0, 0, ReasonTruncated
	}
	if s[1] == 'u' {
		return unescapeUnicode(s)
	}
	if i := strings.IndexByte(`"\/bfnrt`, s[1]); i >= 0 {
		return rune("\"\\/\b\f\n\r\t"[i]), 2, ""
	}
	return 0, 0, ReasonEscape
}

func unescapeUnicode(s string) (rune, int, Reason) {
	r, reason := hex4(s)
	if reason != "" || !utf16.IsSurrogate(r) {
		return r, 6, reason
	}
	// Readers differ on half a pair: some keep it, some put U+FFFD, so that two
	// different keys become one. Only a whole pair has one meaning.
	if len(s) < 8 || s[6] != '\\' || s[7] != 'u' {
		return 0, 0, ReasonLoneSurrogate
	}
	low, reason := hex4(s[6:])
	if reason != "" {
		return 0, 0, reason
	}
	pair := utf16.DecodeRune(r, low)
	if pair == utf8.RuneError {
		return 0, 0, ReasonLoneSurrogate
	}
	return pair, 12, ""
}

// hex4 reads the four digits of \uXXXX at the start of s.
func hex4(s string) (rune, Reason) {
	var r rune
	for i := 2; i < 6; i++ {
		if i >= len(s) {
			return 0, ReasonTruncated
		}
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, ReasonEscape
		}
		r = r<<4 | rune(c)
	}
	return r, ""
}

func lowerASCII(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + ('a' - 'A')
	}
	return c
}
