// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package email

import (
	"strings"

	"github.com/toolverdict/toolverdict"
)

// parser reads one address field.
type parser struct {
	o       *Options
	effects []toolverdict.Effect
	found   int    // addresses, those included that could not be read
	doubt   string // why some library would read other recipients
	inGroup bool
	closed  bool // a group ended, and no comma yet
}

// suspect notes the first reason to think that libraries disagree.
func (p *parser) suspect(why string) {
	if p.doubt == "" {
		p.doubt = why
	}
}

// list splits the field where every library does, and also where only some do.
func (p *parser) list(text string) {
	var s scanner
	start := 0
	for i := range len(text) {
		c := text[i]
		if s.inside(c) || c != ',' && c != ';' && c != ':' {
			continue
		}
		p.separated(text[start:i], c, start > 0 && text[start-1] == ':')
		start, p.closed, p.inGroup = i+1, c == ';' && p.inGroup, c == ':' || c == ',' && p.inGroup
		if p.found > MaxRecipients {
			p.suspect("more recipients than are looked at")
			return
		}
	}
	if s.open() {
		p.suspect("a quote, a bracket or a comment that is not closed")
	}
	if p.inGroup {
		p.suspect("a group that is not closed, or a URL")
	}
	switch rest := text[start:]; {
	case !p.closed:
		p.item(rest)
	case strings.Trim(rest, " ") != "":
		p.suspect(behindGroup)
		p.item(rest)
	}
}

const behindGroup = "text behind a group: put a comma between them"

// separated reads what stands before a separator. first is said of the first
// thing in a group.
func (p *parser) separated(part string, separator byte, first bool) {
	blank := strings.Trim(part, " ") == ""
	if p.closed && (!blank || separator != ',') {
		p.suspect(behindGroup)
	}
	switch separator {
	case ',':
		if !p.closed || !blank {
			p.item(part)
		}
	case ';':
		switch {
		case !p.inGroup:
			p.suspect("a semicolon, which some libraries take for a comma")
		case blank && first:
			p.suspect("a group of nobody")
			return
		}
		p.item(part)
	case ':':
		p.group(part, blank)
	}
}

// group starts a group by its name.
func (p *parser) group(name string, blank bool) {
	switch {
	case p.inGroup || blank || strings.ContainsAny(name, "@<>()"):
		p.suspect("a colon where no group starts")
		p.item(name)
	case p.o.Single:
		p.suspect("a group where one address is expected")
	}
	p.display(name)
}

// scanner knows what is inside of quotes, comments and angle brackets.
type scanner struct {
	quoted, escaped, angle bool
	comment                int
}

// inside reports whether c is no separator at its place.
func (s *scanner) inside(c byte) bool {
	switch {
	case s.escaped:
		s.escaped = false
	case c == '\\' && (s.quoted || s.comment > 0):
		s.escaped = true
	case s.quoted:
		s.quoted = c != '"'
	case s.comment > 0 && c == ')':
		s.comment--
	case c == '(':
		s.comment++
	case s.comment > 0:
	case c == '"':
		s.quoted = true
	case c == '<':
		s.angle = true
	case c == '>':
		s.angle = false
	default:
		return s.angle
	}
	return true
}

func (s *scanner) open() bool { return s.quoted || s.escaped || s.angle || s.comment > 0 }

// item reads what stands between two separators.
func (p *parser) item(raw string) {
	raw = strings.Trim(p.withoutComments(raw), " ")
	if raw == "" {
		p.suspect("a comma with no address beside it")
		return
	}
	for raw != "" && p.found <= MaxRecipients {
		open := unquoted(raw, '<')
		if open < 0 {
			p.address(raw)
			return
		}
		p.display(raw[:open])
		end := strings.IndexByte(raw[open:], '>')
		if end < 0 {
			p.suspect("a bracket that is not closed")
			p.address(raw[open+1:])
			return
		}
		p.address(p.withoutRoute(raw[open+1 : open+end]))
		if raw = strings.Trim(raw[open+end+1:], " "); raw != "" {
			p.suspect("text behind an address in brackets")
		}
	}
}

// withoutComments takes comments out. Some libraries do, others read addresses
// in them.
func (p *parser) withoutComments(s string) string {
	if !strings.ContainsAny(s, "()") {
		return s
	}
	var kept strings.Builder
	var scan scanner
	for i := range len(s) {
		before := scan.comment
		if scan.inside(s[i]); before == 0 && scan.comment == 0 {
			kept.WriteByte(s[i])
		}
	}
	if kept.Len() < len(s) {
		p.suspect("a comment, or a bracket in a name: put the name in quotes")
	}
	return kept.String()
}

// unquoted returns the first place of c outside of quotes.
func unquoted(s string, c byte) int {
	quoted, escaped := false, false
	for i := range len(s) {
		switch {
		case escaped:
			escaped = false
		case quoted && s[i] == '\\':
			escaped = true
		case s[i] == '"':
			quoted = !quoted
		case s[i] == c && !quoted:
			return i
		}
	}
	return -1
}

// withoutRoute takes a source route off, <@relay:user@domain>.
func (p *parser) withoutRoute(s string) string {
	if !strings.HasPrefix(s, "@") {
		return s
	}
	p.suspect("a route by way of other servers")
	if colon := strings.LastIndexByte(s, ':'); colon >= 0 {
		return s[colon+1:]
	}
	return s
}

// display checks a name before an address or a group.
func (p *parser) display(s string) {
	if strings.Contains(s, "=?") {
		p.suspect("an encoded word, which libraries decode before or after they look for addresses")
	}
	for s = strings.Trim(s, " "); s != ""; {
		if s[0] == '"' {
			end := strings.IndexByte(s[1:], '"')
			if end < 0 {
				p.suspect("a quote that is not closed")
				return
			}
			p.quotedName(s[1 : 1+end])
			s = s[end+2:]
			continue
		}
		end := strings.IndexByte(s, '"')
		if end < 0 {
			end = len(s)
		}
		if strings.ContainsAny(s[:end], `@,;:<>[]\()`) {
			p.suspect("a name with characters that need quotes")
		}
		s = s[end:]
	}
}

// quotedName checks a name in quotes, for libraries that split before they look
// at the quotes.
func (p *parser) quotedName(s string) {
	switch {
	case strings.Contains(s, `\`):
		p.suspect("a name with a backslash in quotes")
	case strings.ContainsAny(s, "<>"), strings.Contains(s, "@") && strings.ContainsAny(s, ",;:"):
		p.suspect("a name in quotes that some libraries find an address in")
	}
}
