// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package expand

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

func unescapeQuoted(text, special string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			if text[i+1] == '\n' {
				i++
				continue
			}
			if strings.IndexByte(special, text[i+1]) >= 0 {
				i++
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

func (e *expansion) quotes(p *syntax.DblQuoted) {
	// "$@" is no word at all when there are no arguments; any other quotation is one.
	if len(p.Parts) != 1 || !isList(p.Parts[0]) {
		e.b.Text("")
	}
	for _, part := range p.Parts {
		e.part(part, true)
	}
}

func isList(p syntax.WordPart) bool {
	pe, ok := p.(*syntax.ParamExp)
	if !ok {
		return false
	}
	return pe.Param != nil && pe.Param.Value == "@" || isAll(pe.Index) == '@'
}

// ansi adds the text of $'...'.
func (e *expansion) ansi(s string) {
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			e.b.Text(s[i : i+1])
			continue
		}
		i++
		if at := strings.IndexByte("abeEfnrtv", s[i]); at >= 0 {
			e.b.Text("\a\b\x1b\x1b\f\n\r\t\v"[at : at+1])
			continue
		}
		switch c := s[i]; {
		case strings.IndexByte(`\'"?`, c) >= 0:
			e.b.Text(s[i : i+1])
		case c >= '0' && c <= '7':
			i += e.code(s[i:], 3, 8) - 1
		case c == 'x' && i+1 < len(s) && isHex(s[i+1]):
			i += e.code(s[i+1:], 2, 16)
		case c == 'u' && i+1 < len(s) && isHex(s[i+1]):
			i += e.code(s[i+1:], 4, 16)
		case c == 'U' && i+1 < len(s) && isHex(s[i+1]):
			i += e.code(s[i+1:], 8, 16)
		case c == 'c' || c == 'x' || c == 'u' || c == 'U':
			e.b.Hole(word.Any) // shells disagree
		default:
			e.b.Text(s[i-1 : i+1])
		}
	}
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// code adds the character of up to n digits and returns how many there were.
func (e *expansion) code(s string, n, base int) int {
	end := 0
	for end < n && end < len(s) && (isHex(s[end]) && base == 16 || s[end] >= '0' && s[end] <= '7') {
		end++
	}
	v, err := strconv.ParseUint(s[:end], base, 32)
	if err != nil || v == 0 || v > 0x7f {
		e.b.Hole(word.Any) // the end of the string, or a byte that depends on the locale
		return end
	}
	e.b.Text(string(rune(v)))
	return end
}
