// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package script

import "strings"

// Sed returns what a sed script does beside editing the text that flows through.
func Sed(script string) []Finding {
	r := sedReader{src: script}
	for r.at < len(r.src) && r.why == "" {
		r.command()
	}
	if r.why != "" {
		r.found = append(r.found, opaque("sed script: "+r.why))
	}
	return r.found
}

type sedReader struct {
	src   string
	at    int
	why   string
	found []Finding
}

func (r *sedReader) peek() byte {
	if r.at < len(r.src) {
		return r.src[r.at]
	}
	return 0
}

func (r *sedReader) skip(set string) {
	for r.at < len(r.src) && strings.IndexByte(set, r.src[r.at]) >= 0 {
		r.at++
	}
}

func (r *sedReader) command() {
	r.skip(" \t\n;")
	if r.at == len(r.src) {
		return
	}
	r.addresses()
	r.skip(" \t!")
	c := r.peek()
	r.at++
	switch c {
	case '{', '}', '=', 'd', 'D', 'F', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z':
	case '#':
		r.line()
	case 'a', 'i', 'c':
		r.text()
	case ':', 'b', 't', 'T', 'q', 'Q', 'l', 'L', 'v':
		r.word()
	case 'r', 'R':
		r.file(Read)
	case 'w', 'W':
		r.file(Write)
	case 'e':
		r.execute()
	case 's':
		r.substitute()
	case 'y':
		r.transliterate()
	default:
		r.why = "a command that is not known"
	}
}

// addresses skips one or two addresses.
func (r *sedReader) addresses() {
	for range 2 {
		switch c := r.peek(); {
		case c == '/':
			r.at++
			r.delimited('/')
			r.skip("IM")
		case c == '\\':
			r.at++
			if r.at < len(r.src) {
				d := r.src[r.at]
				r.at++
				r.delimited(d)
				r.skip("IM")
			}
		default:
			r.skip("0123456789$~+")
		}
		r.skip(" \t")
		if r.peek() != ',' {
			return
		}
		r.at++
		r.skip(" \t")
	}
}

// delimited skips to after the next delimiter.
func (r *sedReader) delimited(d byte) {
	if d == '\n' || d == '\\' {
		r.why = "a delimiter that cannot be"
		return
	}
	start, open := r.at, false
	for ; r.at < len(r.src); r.at++ {
		switch c := r.src[r.at]; {
		case c == d:
			if open {
				r.why = "a delimiter in brackets, which seds read differently"
				return
			}
			r.at++
			return
		case c == '\\':
			r.at++
		case c == '[':
			open = true
		case c == ']' && r.at > start && r.src[r.at-1] != '[' && !strings.HasSuffix(r.src[start:r.at], "[^"):
			open = false
		}
	}
	r.why = "a pattern that does not end"
}

// replacement is delimited too, and has no brackets.
func (r *sedReader) replacement(d byte) {
	for ; r.at < len(r.src); r.at++ {
		switch r.src[r.at] {
		case d:
			r.at++
			return
		case '\\':
			r.at++
		}
	}
	r.why = "a replacement that does not end"
}

func (r *sedReader) line() string {
	rest := r.src[r.at:]
	end := strings.IndexByte(rest, '\n')
	if end < 0 {
		end = len(rest)
	}
	r.at += end
	return rest[:end]
}

// text skips the lines that a, i and c insert: a backslash keeps the newline.
func (r *sedReader) text() {
	for r.at < len(r.src) {
		line := r.line()
		if trailing := len(line) - len(strings.TrimRight(line, `\`)); trailing%2 == 0 {
			return
		}
		r.at++
	}
	r.at = min(r.at, len(r.src))
}

func (r *sedReader) word() {
	r.skip(" \t")
	for r.at < len(r.src) && strings.IndexByte(" \t\n;}", r.src[r.at]) < 0 {
		r.at++
	}
}

func (r *sedReader) file(kind Kind) {
	name := strings.TrimLeft(r.line(), " \t")
	r.found = append(r.found, Finding{Kind: kind, Text: name, Known: name != ""})
}

func (r *sedReader) execute() {
	command := strings.TrimLeft(r.line(), " \t")
	r.found = append(r.found, Finding{Kind: Run, Text: command, Known: command != ""})
}

func (r *sedReader) substitute() {
	d := r.peek()
	r.at++
	r.delimited(d)
	if r.why != "" {
		return
	}
	r.replacement(d)
	for r.at < len(r.src) && r.why == "" {
		c := r.src[r.at]
		switch {
		case strings.IndexByte("gpiImM0123456789", c) >= 0:
			r.at++
		case c == 'e':
			r.at++
			r.found = append(r.found, Finding{Kind: Run})
		case c == 'w':
			r.at++
			r.file(Write)
			return
		default:
			return
		}
	}
}

func (r *sedReader) transliterate() {
	d := r.peek()
	r.at++
	if d == 0 || d == '\n' || d == '\\' {
		r.why = "a delimiter that cannot be"
		return
	}
	r.replacement(d)
	r.replacement(d)
}
