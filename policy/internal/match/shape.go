// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package match

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// class is the set of characters that one token stands for.
type class uint8

const (
	one     class = iota // one character, by itself
	anyChar              // every character
	inName               // every character but the slash
	notDot               // every character but the slash and the dot
)

// token is one place of a shape: a character, or with star any run of them. A
// shape stands for all texts that it can be read as.
type token struct {
	r     rune
	class class
	star  bool
}

// hole stands for text that is not known.
const hole = 0

// partly appends the characters of s, in which a hole stands for any text.
func partly(dst []token, s string) []token {
	for i, known := range strings.Split(s, string(rune(hole))) {
		if i > 0 {
			dst = append(dst, token{class: anyChar, star: true})
		}
		dst = literal(dst, known)
	}
	return dst
}

// literal appends the characters of s.
func literal(dst []token, s string) []token {
	dst = slices.Grow(dst, len(s)+1)
	for i, r := range s {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				r = -1 - rune(s[i]) // a byte that is no character is itself alone
			}
		}
		dst = append(dst, token{r: r})
	}
	return dst
}

// globTokens reads a glob of the policy.
func globTokens(s string) []token {
	var out []token
	for _, r := range s {
		switch r {
		case '*':
			out = append(out, token{class: anyChar, star: true})
		case '?':
			out = append(out, token{class: anyChar})
		default:
			out = append(out, token{r: r})
		}
	}
	return out
}

// holds reports whether every character of u is one of t's.
func (t token) holds(u token) bool {
	if u.class == one {
		return t.has(u.r)
	}
	switch t.class {
	case anyChar:
		return true
	case inName:
		return u.class == inName || u.class == notDot
	case notDot:
		return u.class == notDot
	case one:
	}
	return false
}

func (t token) has(r rune) bool {
	switch t.class {
	case anyChar:
		return true
	case inName:
		return r != '/'
	case notDot:
		return r != '/' && r != '.'
	case one:
	}
	return t.r == r
}

// shares reports whether some character is in both.
func (t token) shares(u token) bool {
	switch {
	case t.class == one:
		return u.has(t.r)
	case u.class == one:
		return t.has(u.r)
	}
	return true
}

// apart sees quickly that no text is of both shapes: they start differently.
func apart(a, b []token) bool {
	for i := range min(len(a), len(b)) {
		if a[i].star || b[i].star {
			return false
		}
		if !a[i].shares(b[i]) {
			return true
		}
	}
	return false
}

// meets reports whether some text is of both shapes.
func meets(a, b []token) bool {
	now, next := make([]bool, len(b)+1), make([]bool, len(b)+1)
	now[0] = true
	for i := 0; ; i++ {
		for j := 0; j <= len(b); j++ {
			if !now[j] {
				continue
			}
			if j < len(b) && b[j].star {
				now[j+1] = true
			}
			if i == len(a) {
				continue
			}
			if a[i].star {
				next[j] = true
			}
			if j < len(b) && a[i].shares(b[j]) {
				step(now, next, j, a[i].star, b[j].star)
			}
		}
		if i == len(a) {
			return now[len(b)]
		}
		now, next = next, now
		clear(next)
	}
}

// step marks where one common character leads to.
func step(now, next []bool, j int, aStar, bStar bool) {
	if !bStar {
		j++
	}
	if aStar {
		now[j] = true // j is not behind what is looked at
		return
	}
	next[j] = true
}

// within reports whether it is sure that every text of shape a is of shape b:
// each run of a has to be taken by one run of b.
func within(a, b []token) bool {
	now, next := make([]bool, len(b)+1), make([]bool, len(b)+1)
	now[0] = true
	for i := 0; ; i++ {
		for j := 0; j <= len(b); j++ {
			if !now[j] {
				continue
			}
			if j < len(b) && b[j].star {
				now[j+1] = true
			}
			if i == len(a) || j == len(b) || !b[j].holds(a[i]) {
				continue
			}
			switch {
			case b[j].star:
				next[j] = true
			case !a[i].star:
				next[j+1] = true
			}
		}
		if i == len(a) {
			return now[len(b)]
		}
		now, next = next, now
		clear(next)
	}
}

// Bounds of a glob of the shell: into how many shapes it is taken apart, and its
// length in bytes.
const (
	maxShapes  = 16
	maxPattern = 4096
)

// shellShapes reads an absolute glob as bash does. The shapes stand for at
// least every path that it picks. It is not ok where bash's reading depends on
// options, or where there would be too many.
func shellShapes(pattern string) (shapes [][]token, ok bool) {
	r := shellReader{text: pattern, shapes: [][]token{nil}, ok: strings.HasPrefix(pattern, "/") && len(pattern) <= maxPattern}
	for r.at < len(pattern) && r.ok {
		r.next()
	}
	return r.shapes, r.ok && len(r.shapes) <= maxShapes
}

type shellReader struct {
	text   string
	at     int
	shapes [][]token
	ok     bool
}

// start reports whether a name starts here.
func (r *shellReader) start() bool { return r.at == 0 || r.text[r.at-1] == '/' }

func (r *shellReader) add(tokens ...token) {
	for i := range r.shapes {
		r.shapes[i] = append(r.shapes[i], tokens...)
	}
}

func (r *shellReader) next() {
	c, size := utf8.DecodeRuneInString(r.text[r.at:])
	class := inName
	if r.start() {
		class = notDot // no wildcard picks a leading dot
	}
	switch {
	case strings.ContainsRune("?*+@!", c) && strings.HasPrefix(r.text[r.at+1:], "("):
		r.ok = false // an extended pattern, where that is switched on
	case c == '*':
		r.star()
		return
	case c == '?':
		r.add(token{class: class})
	case c == '[':
		size = bracket(r.text[r.at:])
		if r.ok = size > 0; r.ok {
			r.add(token{class: class})
		}
	case c == '\\':
		if r.at++; r.at == len(r.text) {
			r.ok = false
			return
		}
		c, size = utf8.DecodeRuneInString(r.text[r.at:])
		r.add(token{r: c})
	case c < 3: // text that is not known
		r.add(token{class: anyChar, star: true})
	default:
		r.add(token{r: c})
	}
	r.ok = r.ok && c != utf8.RuneError
	r.at += size
}

// bracket returns the length of a set such as [a-z], 0 where it is not plain.
func bracket(s string) int {
	i := 1
	if strings.HasPrefix(s[i:], "!") || strings.HasPrefix(s[i:], "^") {
		i++
	}
	if strings.HasPrefix(s[i:], "]") {
		i++
	}
	for ; i < len(s); i++ {
		switch s[i] {
		case ']':
			return i + 1
		case '[', '/', '\\':
			return 0
		}
	}
	return 0
}

// star reads a run of stars. At the start of a name it picks no leading dot, so
// that it stands for nothing at all only before something else; ** stands for
// any folders, none included.
func (r *shellReader) star() {
	begin, first := r.start(), r.at
	for r.at < len(r.text) && r.text[r.at] == '*' {
		r.at++
	}
	rest := r.text[r.at:]
	if strings.HasPrefix(rest, "(") {
		r.ok = false
		return
	}
	anything := token{class: anyChar, star: true}
	switch {
	case begin && r.at-first > 1 && rest == "":
		r.below(anything)
	case begin && r.at-first > 1 && rest[0] == '/':
		r.fork(anything, token{r: '/'})
		r.at++
	case begin && (rest == "" || rest[0] == '.' || rest[0] == '/'):
		r.add(token{class: notDot}, token{class: inName, star: true})
	case begin:
		r.fork(token{class: notDot}, token{class: inName, star: true})
	default:
		r.add(token{class: inName, star: true})
	}
}

// fork adds the tokens to every shape, and keeps the shapes without them.
func (r *shellReader) fork(tokens ...token) {
	before := r.copies()
	r.add(tokens...)
	r.shapes = append(r.shapes, before...)
	r.ok = r.ok && len(r.shapes) <= maxShapes
}

func (r *shellReader) copies() [][]token {
	out := make([][]token, len(r.shapes))
	for i, shape := range r.shapes {
		out[i] = slices.Clone(shape)
	}
	return out
}

// below makes every shape end in a folder and in what is below it.
func (r *shellReader) below(anything token) {
	before := r.copies()
	r.add(anything)
	for _, shape := range before {
		r.shapes = append(r.shapes, shape[:max(len(shape)-1, 1)])
	}
	r.ok = r.ok && len(r.shapes) <= maxShapes
}
