// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package syntax

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxCEL bounds an expression in bytes.
const maxCEL = 4096

// cel reads an expression in the Common Expression Language. What stands in it
// is for others to say.
func (d *decoder) cel(n *node) Condition {
	c := &CEL{Pos: n.pos, Text: n.text}
	switch {
	case n.kind != text:
		d.problem(n.pos, `write an expression in quotes: cel: "args.amount * 2 > 100"`, "cel is %s", n.kind)
		return nil
	case strings.TrimSpace(n.text) == "":
		d.problem(n.pos, "leave it out if there is no condition", "cel is empty")
		return nil
	case len(n.text) > maxCEL:
		d.problem(n.pos, "split it: all, any and not combine several", "the expression has %d bytes, at most %d", len(n.text), maxCEL)
		return nil
	}
	c.Origin = d.origins(n)
	return c
}

// RestsOnCEL reports whether a condition holds an expression.
func RestsOnCEL(cond Condition) bool {
	switch cond := cond.(type) {
	case *All:
		return slices.ContainsFunc(cond.Parts, RestsOnCEL)
	case *Any:
		return slices.ContainsFunc(cond.Parts, RestsOnCEL)
	case *Not:
		return RestsOnCEL(cond.Part)
	case *CEL:
		return true
	}
	return false
}

// origins finds where in the file each character of a text was written, and
// where it ends. Quotes, escapes and line breaks that YAML takes away stand in
// between; a character that was written as an escape has the place of the one
// after it.
func (r *reader) origins(n *node) []Pos {
	src, at := r.source, Pos{File: n.pos.File, Line: n.pos.Line, Column: 1}
	for range at.Line - 1 {
		_, src, _ = bytes.Cut(src, []byte("\n"))
	}
	next := func() rune { c, _ := utf8.DecodeRune(src); return c }
	step := func() {
		c, size := utf8.DecodeRune(src)
		src = src[size:]
		if at.Column++; c == '\n' {
			at.Line, at.Column = at.Line+1, 1
		}
	}
	for at.Column < n.pos.Column && len(src) > 0 {
		step()
	}
	out := make([]Pos, 0, len(n.text)+1)
	for _, c := range n.text {
		for len(src) > 0 && next() != c && strings.ContainsRune(" \t\r\n\"'\\|>-+", next()) {
			step()
		}
		out = append(out, at)
		if len(src) > 0 && next() == c {
			step()
		}
	}
	return append(out, at)
}
