// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package layout gives YAML files of policies and of their tests one layout:
// two spaces, one order of keys, a blank line between rules, brackets as long as
// a line holds them. It keeps every comment, and scalars as they are written.
// It knows nothing of what they mean: who calls it compares.
package layout

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// width is up to where a collection in brackets goes on one line.
const width = 120

// Order is the order of keys: of the file, and of the entries of some lists in
// it, by the list's key.
type Order struct {
	File    []string
	Entries map[string][]string
}

// Format lays out a file that is one mapping.
func Format(content []byte, o Order) ([]byte, error) {
	text := strings.ReplaceAll(string(content), "\r\n", "\n")
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return nil, fmt.Errorf("format: %v", err)
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("format: the file holds no mapping")
	}
	f := &formatter{source: scan(text, doc.Content[0])}
	root := f.node(doc.Content[0])
	root.block = true
	f.attach()
	sortKeys(root, o.File)
	for _, e := range root.entries {
		known, ok := o.Entries[e.key]
		if !ok || e.value.y.Kind != yaml.SequenceNode {
			continue
		}
		e.value.block, e.value.apart = true, true
		for _, item := range e.value.entries {
			sortKeys(item.value, known)
			for _, e := range item.value.entries {
				e.blank = e.blank && len(e.head) > 0
			}
		}
	}
	lines := f.lines(root, 0)
	lines = append(lines, comments(f.foot, 0)...)
	return []byte(strings.Join(lines, "\n") + "\n"), nil
}

// sortKeys orders the entries of a mapping. What stands above the first stays at
// the top.
func sortKeys(n *node, order []string) {
	if n.y.Kind != yaml.MappingNode || len(n.entries) == 0 {
		return
	}
	place := func(e *entry) int {
		if i := slices.Index(order, e.key); i >= 0 {
			return i
		}
		return len(order)
	}
	was := n.entries[0]
	slices.SortStableFunc(n.entries, func(a, b *entry) int { return place(a) - place(b) })
	if first := n.entries[0]; first != was {
		first.head, was.head = append(was.head, first.head...), nil
	}
}

// node is a value with its entries.
type node struct {
	y       *yaml.Node
	raw     string // of a scalar
	entries []*entry
	block   bool // one entry a line
	apart   bool // with a blank line between entries of several lines
}

// entry is a key with its value, or an item of a list.
type entry struct {
	key, rawKey  string // "" of an item
	value        *node
	parent       *entry
	line, column int
	top          int      // the line of the first comment before it, 0 without one
	head, foot   []string // comments before and after it; "" is a blank line
	trail        string   // the comment at the end of its first line
	blank        bool     // a blank line stands before it
}

type formatter struct {
	*source
	foot []string // comments at the end of the file
	all  []*entry // in the order of the file
}

func (f *formatter) node(y *yaml.Node) *node {
	n := &node{y: y}
	if y.Kind == yaml.ScalarNode {
		n.raw = f.scalar(y)
		return n
	}
	start := f.offset(y.Line, y.Column)
	n.block = y.Style&yaml.FlowStyle == 0 || f.holdsComment(start, f.flowEnd(start))
	if len(y.Content) == 0 {
		n.block = false
	}
	step := 1
	if y.Kind == yaml.MappingNode {
		step = 2
	}
	for i := 0; i+step <= len(y.Content); i += step {
		at := y.Content[i]
		e := &entry{line: at.Line, column: at.Column}
		if step == 1 {
			e.column = y.Column // that of the hyphens
		} else {
			e.key, e.rawKey = at.Value, f.scalar(at)
		}
		if n.block {
			f.all = append(f.all, e)
		}
		e.value = f.node(y.Content[i+step-1])
		for _, child := range e.value.entries {
			child.parent = e
		}
		n.entries = append(n.entries, e)
	}
	return n
}

// scalar is a scalar as it is written, on one line.
func (f *formatter) scalar(y *yaml.Node) string {
	at := f.offset(y.Line, y.Column)
	raw, quoted := f.quoted[at]
	_, block := f.blocks[at]
	switch {
	case quoted && !strings.Contains(raw, "\n"):
		return raw
	case block:
		return ""
	case !quoted && y.Value == "" && y.ShortTag() == "!!null":
		return "null"
	case !quoted && strings.HasPrefix(f.text[at:], y.Value):
		return y.Value
	}
	return quote(y.Value)
}

// quote writes text in double quotes.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r > 0x7f && r < 0xa0 || r >= 0x200b && r <= 0x206f || r == 0xfeff || r == 0xad:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}

// attach gives every comment to an entry: one on a line of its own to the entry
// after it, unless it is indented deeper; one behind something to that.
func (f *formatter) attach() {
	next := 0
	for i := range f.comments {
		c := &f.comments[i]
		for next < len(f.all) && (f.all[next].line < c.line || !c.own && f.all[next].line == c.line) {
			next++
		}
		var before, after *entry
		if next > 0 {
			before = f.all[next-1]
		}
		if next < len(f.all) {
			after = f.all[next]
		}
		f.place(c, before, after)
	}
	for _, e := range f.all {
		top := e.line
		if e.top > 0 {
			top = e.top
		}
		if e.blank = f.blankAbove(top); len(e.head) > 0 && f.blankAbove(e.line) {
			e.head = append(e.head, "")
		}
	}
}

// place gives a comment to the entry before it or the one after it.
func (f *formatter) place(c *comment, before, after *entry) {
	if !c.own && before != nil && before.trail == "" {
		before.trail = c.text
		return
	}
	under := before // what the comment is indented like
	for under != nil && under.parent != nil && under.column > c.column {
		under = under.parent
	}
	lines := []string{c.text}
	if c.own && f.blankAbove(c.line) {
		lines = []string{"", c.text}
	}
	switch {
	case after != nil && (under == nil || !c.own || c.column <= after.column || under.column <= after.column):
		if len(after.head) == 0 {
			after.top, lines = c.line, lines[len(lines)-1:]
		}
		after.head = append(after.head, lines...)
	case after == nil && (under == nil || c.column == 1):
		f.foot = append(f.foot, lines...)
	default:
		under.foot = append(under.foot, lines...)
	}
}

func (f *formatter) blankAbove(line int) bool {
	return line > 1 && strings.TrimSpace(f.line(line-1)) == ""
}

func comments(list []string, indent int) []string {
	var out []string
	for _, c := range list {
		if c != "" {
			c = strings.Repeat(" ", indent) + c
		}
		out = append(out, c)
	}
	return out
}

// lines writes a collection, one entry after the other.
func (f *formatter) lines(n *node, indent int) []string {
	var out []string
	long := false
	for i, e := range n.entries {
		head, body := f.entry(e, n.y.Kind == yaml.SequenceNode, indent)
		tall := len(body) > 1
		if i > 0 && (e.blank || n.apart && (tall || long)) && out[len(out)-1] != "" {
			out = append(out, "")
		}
		out = append(append(append(out, comments(head, indent)...), body...), comments(e.foot, indent)...)
		long = tall
	}
	return out
}

// entry writes an entry: the comments before it, and its lines.
func (f *formatter) entry(e *entry, item bool, indent int) (head, body []string) {
	pad, head := strings.Repeat(" ", indent), e.head
	start := pad + e.rawKey + ":"
	if item {
		start = pad + "-"
	}
	trail := ""
	if e.trail != "" {
		trail = " " + e.trail
	}
	if b, ok := f.blocks[f.offset(e.value.y.Line, e.value.y.Column)]; ok && e.value.y.Kind == yaml.ScalarNode {
		return head, f.blockScalar(e.value, b, start, trail, indent)
	}
	flat := start + " " + e.value.flat()
	if !e.value.block && (len(e.value.entries) == 0 || utf8.RuneCountInString(flat) <= width) {
		return head, []string{flat + trail}
	}
	if !item || e.trail != "" && e.value.y.Kind == yaml.SequenceNode {
		return head, append([]string{start + trail}, f.lines(e.value, indent+2)...)
	}
	// The first line of what is in the item stands behind its hyphen.
	if first := e.value.entries[0]; len(first.head) > 0 {
		head = append(slices.Clone(head), first.head...)
		first.head = nil
	}
	body = f.lines(e.value, indent+2)
	body[0] = start + " " + strings.TrimLeft(body[0], " ")
	if trail != "" {
		head = append(slices.Clone(head), e.trail)
	}
	return head, body
}

// blockScalar writes a scalar of several lines. One whose indentation is told by
// a number, or that keeps blank lines at its end, is written in quotes.
func (f *formatter) blockScalar(n *node, b block, start, trail string, indent int) []string {
	if len(b.lines) == 0 || strings.ContainsAny(b.header, "123456789+") {
		return []string{start + " " + quote(n.y.Value) + trail}
	}
	out := []string{start + " " + b.header + trail}
	for _, line := range b.lines {
		if line != "" {
			line = strings.Repeat(" ", indent+2) + line
		}
		out = append(out, line)
	}
	return out
}

// flat writes a value on one line.
func (n *node) flat() string {
	if n.y.Kind == yaml.ScalarNode {
		return n.raw
	}
	parts := make([]string, len(n.entries))
	for i, e := range n.entries {
		parts[i] = e.value.flat()
		if n.y.Kind == yaml.MappingNode {
			parts[i] = e.rawKey + ": " + parts[i]
		}
	}
	if n.y.Kind == yaml.MappingNode {
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// Comments returns the comments of a file, in order.
func Comments(content []byte) []string {
	text := strings.ReplaceAll(string(content), "\r\n", "\n")
	var doc yaml.Node
	if yaml.Unmarshal([]byte(text), &doc) != nil || len(doc.Content) == 0 {
		return nil
	}
	var out []string
	for _, c := range scan(text, doc.Content[0]).comments {
		out = append(out, c.text)
	}
	return out
}
