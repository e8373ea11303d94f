// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package jsontext

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Style is how a text is laid out.
type Style struct {
	Indent  string // of one level
	Newline string
}

// StyleOf finds how a text is laid out; what cannot be told is two spaces.
func StyleOf(src string, root *Node) Style {
	s := Style{Indent: "  ", Newline: "\n"}
	if strings.Contains(src, "\r\n") {
		s.Newline = "\r\n"
	}
	if root != nil && len(root.Members) > 0 {
		at := root.Members[0].Start
		line := strings.LastIndexByte(src[:at], '\n') + 1
		if indent := src[line:at]; line > 0 && indent != "" && strings.Trim(indent, " \t") == "" {
			s.Indent = indent
		}
	}
	return s
}

// Write writes a value for a place that lies so deep.
func (s Style) Write(v any, depth int) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // a shell's signs stay readable
	e.SetIndent(strings.Repeat(s.Indent, depth), s.Indent)
	if err := e.Encode(v); err != nil {
		return "", err
	}
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\n", s.Newline), nil
}

// AppendItem adds a written value at the end of an array that lies so deep.
func (s Style) AppendItem(src string, array *Node, depth int, text string) string {
	last := -1
	if n := len(array.Items); n > 0 {
		last = array.Items[n-1].End
	}
	return s.add(src, array, depth, last, text)
}

// AppendMember adds a member with a written value at the end of an object.
func (s Style) AppendMember(src string, object *Node, depth int, name, text string) string {
	last := -1
	if n := len(object.Members); n > 0 {
		last = object.Members[n-1].Value.End
	}
	quoted, err := s.Write(name, 0)
	if err != nil { // texts always marshal
		return src
	}
	return s.add(src, object, depth, last, quoted+": "+text)
}

// add puts a text behind the last part of an array or object, or into an empty one.
func (s Style) add(src string, in *Node, depth, last int, text string) string {
	begin := s.Newline + strings.Repeat(s.Indent, depth+1)
	if last >= 0 {
		at := behindComment(src, last)
		return src[:last] + "," + src[last:at] + begin + text + src[at:]
	}
	inside := strings.TrimRight(src[in.Start+1:in.End-1], " \t\r\n") // comments, if anything
	return src[:in.Start+1] + inside + begin + text + s.Newline + strings.Repeat(s.Indent, depth) + src[in.End-1:]
}

// behindComment is the end of a comment that stands behind a value on its line.
func behindComment(src string, at int) int {
	rest := src[at:]
	blank := len(rest) - len(strings.TrimLeft(rest, " \t"))
	switch tail := rest[blank:]; {
	case strings.HasPrefix(tail, "//"):
		if end := strings.IndexAny(tail, "\r\n"); end >= 0 {
			return at + blank + end
		}
		return at + len(rest)
	case strings.HasPrefix(tail, "/*"):
		if end := strings.Index(tail, "*/"); end >= 0 && !strings.Contains(tail[:end], "\n") {
			return at + blank + end + 2
		}
	}
	return at
}

// Replace puts a text in the place of a value.
func Replace(src string, n *Node, text string) string { return src[:n.Start] + text + src[n.End:] }

// RemoveItem takes an item out of an array.
func RemoveItem(src string, array *Node, i int) string {
	spans := make([]span, len(array.Items))
	for j, item := range array.Items {
		spans[j] = span{item.Start, item.End}
	}
	return remove(src, array, spans, i)
}

// RemoveMember takes a member out of an object.
func RemoveMember(src string, object *Node, name string) string {
	spans, at := make([]span, len(object.Members)), -1
	for j, m := range object.Members {
		if spans[j] = (span{m.Start, m.Value.End}); m.Name == name {
			at = j
		}
	}
	if at < 0 {
		return src
	}
	return remove(src, object, spans, at)
}

type span struct{ start, end int }

// remove takes out one part with the comma that went with it. Comments stay.
func remove(src string, in *Node, parts []span, i int) string {
	this := parts[i]
	switch {
	case i > 0:
		comma := commaAfter(src, parts[i-1].end)
		between := src[comma+1 : this.start]
		kept := strings.TrimRight(between, " \t\r\n")
		if last := kept[strings.LastIndexByte(kept, '\n')+1:]; strings.Contains(last, "//") {
			kept = between[:len(kept)+strings.IndexByte(between[len(kept):], '\n')+1] // its end is that of the comment
		}
		return src[:comma] + kept + src[this.end:]
	case len(parts) > 1:
		comma := commaAfter(src, this.end)
		rest := strings.TrimLeft(src[comma+1:], " \t\r\n")
		return src[:this.start] + src[this.end:comma] + rest
	}
	before, after := src[in.Start+1:this.start], src[this.end:in.End-1]
	if strings.TrimSpace(before+after) == "" {
		before, after = "", ""
	}
	return src[:in.Start+1] + before + after + src[in.End-1:]
}

// commaAfter is where the comma behind a part stands; comments may stand before it.
func commaAfter(src string, at int) int {
	p := &parser{src: src, at: at, comments: true}
	if p.space() != nil || p.at >= len(src) {
		return at
	}
	return p.at
}
