// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// comment is one comment of a file.
type comment struct {
	line, column int // from 1, in characters
	start        int // in bytes
	text         string
	own          bool // nothing else is on its line
}

// source is a file with its comments found. The YAML library's own idea of
// which comment belongs where loses some.
type source struct {
	text     string
	lines    []int          // where each starts
	quoted   map[int]string // scalars in quotes, by their start, as they are written
	blocks   map[int]block
	comments []comment
}

// block is a scalar of several lines, indented below its key.
type block struct {
	header string // | or > with what follows
	lines  []string
	after  int // the line behind it
}

func scan(text string, root *yaml.Node) *source {
	s := &source{text: text, quoted: map[int]string{}, blocks: map[int]block{}}
	for at := 0; at <= len(text); {
		s.lines = append(s.lines, at)
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			break
		}
		at += next + 1
	}
	s.scalars(root)
	s.find()
	return s
}

// offset is where a place is, in bytes.
func (s *source) offset(line, column int) int {
	if line < 1 || line > len(s.lines) {
		return len(s.text)
	}
	at := s.lines[line-1]
	for ; column > 1 && at < len(s.text); column-- {
		_, size := utf8.DecodeRuneInString(s.text[at:])
		at += size
	}
	return at
}

func (s *source) line(n int) string {
	if n < 1 || n > len(s.lines) {
		return ""
	}
	end := len(s.text)
	if n < len(s.lines) {
		end = s.lines[n] - 1
	}
	return s.text[s.lines[n-1]:end]
}

// scalars notes the scalars in which a # is no comment.
func (s *source) scalars(n *yaml.Node) {
	for _, c := range n.Content {
		s.scalars(c)
	}
	if n.Kind != yaml.ScalarNode {
		return
	}
	at := s.offset(n.Line, n.Column)
	switch {
	case n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		s.quoted[at] = s.text[at:s.quoteEnd(at)]
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		s.blocks[at] = s.block(n)
	}
}

func (s *source) quoteEnd(at int) int {
	mark := s.text[at]
	for i := at + 1; i < len(s.text); i++ {
		switch {
		case mark == '"' && s.text[i] == '\\':
			i++
		case s.text[i] == mark && mark == '\'' && strings.HasPrefix(s.text[i+1:], "'"):
			i++
		case s.text[i] == mark:
			return i + 1
		}
	}
	return len(s.text)
}

func (s *source) block(n *yaml.Node) block {
	header, _, _ := strings.Cut(s.text[s.offset(n.Line, n.Column):], "\n")
	header, _, _ = strings.Cut(header, " ")
	out := block{header: strings.TrimSpace(header), after: n.Line + 1}
	if strings.TrimSpace(n.Value) == "" {
		return out
	}
	indent := -1
	for i := n.Line + 1; i <= len(s.lines); i++ {
		line := strings.TrimRight(s.line(i), "\r")
		trimmed := strings.TrimLeft(line, " ")
		switch in := len(line) - len(trimmed); {
		case trimmed == "" && i < len(s.lines):
			out.lines = append(out.lines, "")
			continue
		case indent < 0:
			indent = in
		case in < indent:
			trimmed = ""
		}
		if trimmed == "" || len(line) < indent {
			break
		}
		out.lines = append(out.lines, line[indent:])
		out.after = i + 1
	}
	out.lines = out.lines[:max(out.after-n.Line-1, 0)]
	return out
}

// find finds all comments: what starts with a # after a blank or at the start
// of a line, outside of scalars that can hold one.
func (s *source) find() {
	line, skip := 1, 0
	for at := 0; at < len(s.text); at++ {
		if q, ok := s.quoted[at]; ok {
			line += strings.Count(q, "\n")
			at += max(len(q), 1) - 1
			continue
		}
		if b, ok := s.blocks[at]; ok {
			skip = b.after
			at += max(len(b.header), 1) - 1
			continue
		}
		switch s.text[at] {
		case '\n':
			if line++; skip > line {
				line, at = skip, max(s.offset(skip, 1)-1, at)
			}
			skip = 0
		case '#':
			before := s.text[s.lines[line-1]:at]
			if before != "" && !strings.HasSuffix(before, " ") && !strings.HasSuffix(before, "\t") {
				continue
			}
			text, _, _ := strings.Cut(s.text[at:], "\n")
			s.comments = append(s.comments, comment{
				line: line, column: utf8.RuneCountInString(before) + 1, start: at, text: strings.TrimRight(text, " \t\r"), own: strings.TrimSpace(before) == "",
			})
			at += len(text) - 1
		}
	}
}

// flowEnd is where a collection in brackets ends.
func (s *source) flowEnd(at int) int {
	depth, next := 0, 0
	for next < len(s.comments) && s.comments[next].start < at {
		next++
	}
	for ; at < len(s.text); at++ {
		if q, ok := s.quoted[at]; ok {
			at += max(len(q), 1) - 1
			continue
		}
		if next < len(s.comments) && s.comments[next].start == at {
			rest, _, _ := strings.Cut(s.text[at:], "\n")
			at += max(len(rest), 1) - 1
			next++
			continue
		}
		switch s.text[at] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
	return at
}

// holdsComment reports whether a comment stands between two places.
func (s *source) holdsComment(from, to int) bool {
	for i := range s.comments {
		if s.comments[i].start >= from && s.comments[i].start < to {
			return true
		}
	}
	return false
}
