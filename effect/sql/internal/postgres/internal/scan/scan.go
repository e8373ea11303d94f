// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package scan measures a text of PostgreSQL's SQL before the parser gets it: how
// many tokens it has, and how deep they may nest.
package scan

import "strings"

// Limits of what the parser is given. It is a program of C with a small stack: what nests too deep for it
// ends it for good, and a text of a mebibyte takes it seconds. These are a
// fifth of the nesting that was seen to end it, and what it reads within its
// time.
const (
	MaxTokens  = 5000
	MaxNesting = 300 * chainLinks
	// chainLinks is how many links of a chain such as a+b+c weigh as much as
	// one bracket.
	chainLinks = 3
)

// scanner counts tokens and how deep they may nest. It reads as PostgreSQL's
// own scanner does, but only well enough for that: what the text means is for
// the parser to say.
type scanner struct {
	text    string
	at      int
	tokens  int
	open    []level
	nesting int // of all open levels
	deepest int
	label   bool // the next word is a name, whatever it is
}

// level is an open bracket or CASE, with the links since the last comma.
type level struct {
	closer byte
	links  int
}

// Measure counts the text's tokens and its deepest nesting, and stops where a
// limit is passed.
func Measure(text string) (tokens, nesting int) {
	s := scanner{text: text, open: make([]level, 1, 16)}
	for s.at < len(s.text) && s.tokens <= MaxTokens && s.deepest <= MaxNesting {
		s.next()
	}
	return s.tokens, s.deepest
}

func (s *scanner) next() {
	switch c := s.text[s.at]; {
	case c == ' ' || c >= '\t' && c <= '\r':
		s.at++
	case s.starts("--"):
		s.lineComment()
	case s.starts("/*"):
		s.blockComment()
	default:
		s.tokens++
		label := s.label
		s.label = false
		s.token(c, label)
	}
}

func (s *scanner) token(c byte, label bool) {
	switch {
	case c == '\'':
		s.at++
		s.quoted('\'', false)
	case c == '"':
		s.at++
		s.quoted('"', false)
	case WordStart(c):
		s.word(label)
	case c >= '0' && c <= '9':
		// A dollar is no part of it: a text may start there.
		s.run(func(c byte) bool { return WordPart(c) && c != '$' || c == '.' })
	case c == '$':
		s.dollar()
	default:
		s.symbol(c)
	}
}

func (s *scanner) starts(prefix string) bool { return strings.HasPrefix(s.text[s.at:], prefix) }

func (s *scanner) skipTo(end string) {
	if i := strings.Index(s.text[s.at:], end); i >= 0 {
		s.at += i + len(end)
		return
	}
	s.at = len(s.text)
}

// lineComment skips a comment, which CR ends as well as LF.
func (s *scanner) lineComment() {
	if i := strings.IndexAny(s.text[s.at:], "\r\n"); i >= 0 {
		s.at += i + 1
		return
	}
	s.at = len(s.text)
}

func (s *scanner) blockComment() {
	depth := 0
	for s.at < len(s.text) {
		switch {
		case s.starts("/*"):
			depth++
			s.at += 2
		case s.starts("*/"):
			depth--
			s.at += 2
			if depth == 0 {
				return
			}
		default:
			s.at++
		}
	}
}

// quoted skips what is left of a text or a quoted name.
func (s *scanner) quoted(quote byte, backslash bool) {
	for s.at < len(s.text) {
		c := s.text[s.at]
		s.at++
		switch {
		case backslash && c == '\\':
			s.at = min(s.at+1, len(s.text))
		case c == quote && s.at < len(s.text) && s.text[s.at] == quote:
			s.at++
		case c == quote:
			return
		}
	}
}

// escaped skips what is left of a text in which a backslash escapes, and the texts
// on the lines below that go on with it: there it escapes as well.
func (s *scanner) escaped() {
	for {
		s.quoted('\'', true)
		after := s.at
		if !s.newLine() || s.at == len(s.text) || s.text[s.at] != '\'' {
			s.at = after
			return
		}
		s.at++
	}
}

// newLine skips blanks and comments of lines, and reports whether a line ends
// there.
func (s *scanner) newLine() bool {
	ends := false
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == ' ' || c >= '\t' && c <= '\r':
			ends = ends || c == '\r' || c == '\n'
			s.at++
		case s.starts("--"):
			s.lineComment()
			ends = true
		default:
			return ends
		}
	}
	return ends
}

// WordStart reports whether a word may start with the byte.
func WordStart(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// WordPart reports whether the byte may be in a word.
func WordPart(c byte) bool { return WordStart(c) || c >= '0' && c <= '9' || c == '$' }

func (s *scanner) run(part func(byte) bool) string {
	start := s.at
	for s.at < len(s.text) && part(s.text[s.at]) {
		s.at++
	}
	return s.text[start:s.at]
}

func (s *scanner) word(label bool) {
	word := s.run(WordPart)
	if s.at < len(s.text) && s.text[s.at] == '\'' && (word == "e" || word == "E") {
		s.at++
		s.escaped()
		return
	}
	if label || len(word) > len("intersect") {
		return
	}
	switch strings.ToLower(word) {
	case "as":
		s.label = true
	case "case":
		s.push('E')
	case "end":
		s.pop('E')
	case "not", "is", "isnull", "notnull", "collate", "at", "join", "union", "except", "intersect", "like", "ilike", "in", "between":
		s.link()
	}
}

// dollar skips a text in dollar quotes, or a parameter.
func (s *scanner) dollar() {
	end := s.at + 1
	for end < len(s.text) && WordPart(s.text[end]) && s.text[end] != '$' {
		end++
	}
	if end < len(s.text) && s.text[end] == '$' && (end == s.at+1 || WordStart(s.text[s.at+1])) {
		tag := s.text[s.at : end+1]
		s.at = end + 1
		s.skipTo(tag)
		return
	}
	s.at = max(end, s.at+1)
}

func (s *scanner) symbol(c byte) {
	s.at++
	switch c {
	case '(':
		s.push(')')
	case '[':
		s.push(']')
	case ')', ']':
		s.pop(c)
	case '.':
		s.label = true
	case ',':
		s.unlink()
	case ';':
		s.unlink()
		if len(s.open) > 1 {
			s.open = s.open[:1] // a rule's or a function's body; else it does not parse
			s.nesting = 0
		}
	default:
		s.link()
	}
}

func (s *scanner) link() {
	s.open[len(s.open)-1].links++
	s.deepen(1)
}

func (s *scanner) unlink() {
	top := &s.open[len(s.open)-1]
	s.nesting -= top.links
	top.links = 0
}

func (s *scanner) push(closer byte) {
	s.open = append(s.open, level{closer: closer})
	s.deepen(chainLinks)
}

// pop closes the innermost level where the closer is its own.
func (s *scanner) pop(closer byte) {
	if top := s.open[len(s.open)-1]; len(s.open) > 1 && top.closer == closer {
		s.unlink()
		s.open = s.open[:len(s.open)-1]
		s.nesting -= chainLinks
	}
}

func (s *scanner) deepen(by int) {
	s.nesting += by
	s.deepest = max(s.deepest, s.nesting)
}
