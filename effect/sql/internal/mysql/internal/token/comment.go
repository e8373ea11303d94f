// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package token

import "strings"

// comment reads a comment between /* and */. One that starts with /*! or /*M!
// is read, or not, by the server's make and version, which the text cannot know:
// each header is a question of its own, and all comments with the same header
// are read alike.
func (l *lexer) comment() {
	header, marked := l.header()
	if !marked {
		l.at += 2
		start := l.at
		if l.skip(false); l.fault == None && l.text[start] == '+' {
			l.add(Hint, l.text[start+1:l.at-2])
		}
		return
	}
	if l.inside {
		l.fault = Strange // servers do not agree on what such a comment ends
		return
	}
	digits := strings.TrimLeft(header, "M!")
	if n := len(digits); n > 6 || n > 0 && n < 5 {
		l.fault = Strange
		return
	}
	switch l.ask(header) {
	case first: // it runs
		l.at += len("/*") + len(header)
		l.inside = true
	case second: // it is a comment
		l.at += len("/*") + len(header)
		l.skip(true)
	case third: // a server that knows five digits runs the sixth
		l.at += len("/*") + len(header) - 1
		l.inside = true
	default:
	}
}

// header is what an executable comment starts with behind /*.
func (l *lexer) header() (string, bool) {
	rest := l.text[l.at+2:]
	var n int
	switch {
	case strings.HasPrefix(rest, "!"):
		n = 1
	case strings.HasPrefix(rest, "M!"):
		n = 2
	default:
		return "", false
	}
	for n < len(rest) && digit(rest[n]) {
		n++
	}
	return rest[:n], true
}

// readings are how many ways there are to read what the question is about.
func readings(question string) choice {
	if strings.HasPrefix(question, "!") && len(question) == len("!")+6 {
		return third
	}
	return second
}

// skip skips the rest of a comment. Servers skip a comment within an executable
// one that does not run, and some do not: then what follows is not clear.
func (l *lexer) skip(marked bool) {
	end := strings.Index(l.text[l.at:], "*/")
	if end < 0 || marked && strings.Contains(l.text[l.at:l.at+end], "/*") {
		l.fault = Strange
		return
	}
	l.at += end + 2
}
