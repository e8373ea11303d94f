// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package token

import (
	"maps"
	"strings"
)

// Limits of an analysis. The tokens are those of all readings together.
const (
	maxTokens   = 12000
	maxReadings = 32
	maxNesting  = 200 // of brackets in a statement
)

// Reading is the text as some server reads it.
type Reading struct {
	Statements []Statement
	Fault      Fault
	Joins      bool // || joins texts
}

// Statement is the tokens of one statement.
type Statement []Token

// Read returns the text in every way in which a server may read it, and whether
// there are too many of them.
func Read(source string) (all []Reading, tooMuch bool) {
	budget := maxTokens
	pending := []answers{{}}
	for len(pending) > 0 {
		last := len(pending) - 1
		chosen := pending[last]
		pending = pending[:last]
		l := lex(source, chosen, budget)
		if budget -= len(l.tokens); l.excess || len(all)+len(pending) > maxReadings {
			return nil, true
		}
		if l.raised == "" {
			all = append(all, l.reading())
			continue
		}
		for c := readings(l.raised); c > open; c-- {
			next := maps.Clone(chosen)
			next[l.raised] = c
			pending = append(pending, next)
		}
	}
	return all, false
}

// reading splits the tokens into statements. One that a fault cut off is left
// out: no server runs it.
func (l *lexer) reading() Reading {
	r := Reading{Fault: l.fault, Joins: l.chosen[pipesAreOr] == second}
	start := 0
	for i, t := range l.tokens {
		if t.Kind == Symbol && t.Text == ";" {
			r.add(l.tokens[start:i])
			start = i + 1
		}
	}
	if l.fault == None {
		r.add(l.tokens[start:])
	}
	return r
}

func (r *Reading) add(tokens []Token) {
	if len(tokens) > 0 {
		r.Statements = append(r.Statements, tokens)
	}
}

// String writes the statement so that there is one way to read it.
func (s Statement) String() string {
	var b strings.Builder
	size := 0
	for _, t := range s {
		size += len(t.Text) + len(" ``")
	}
	b.Grow(size)
	for i, t := range s {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch t.Kind {
		case Hint:
		case Name:
			b.WriteString(backquote(t.Text))
		case Text:
			writeText(&b, t.Text)
		case Word:
			writeWord(&b, t.Text)
		default:
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

func writeText(b *strings.Builder, s string) {
	b.WriteByte('\'')
	for {
		i := strings.IndexAny(s, `\'`)
		if i < 0 {
			break
		}
		b.WriteString(s[:i])
		b.WriteByte(s[i])
		b.WriteByte(s[i])
		s = s[i+1:]
	}
	b.WriteString(s)
	b.WriteByte('\'')
}

// writeWord writes a bare word; what only a name can be is put in quotes.
func writeWord(b *strings.Builder, s string) {
	for i := range len(s) {
		if s[i] >= 0x80 || s[i] == '$' {
			b.WriteString(backquote(s))
			return
		}
	}
	b.WriteString(s)
}

func backquote(s string) string { return "`" + strings.ReplaceAll(s, "`", "``") + "`" }

// Is reports whether the statement starts with the keywords; upper case.
func (s Statement) Is(keywords ...string) bool {
	if len(s) < len(keywords) {
		return false
	}
	for i, k := range keywords {
		if !s[i].Is(k) {
			return false
		}
	}
	return true
}
