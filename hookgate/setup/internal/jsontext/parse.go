// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package jsontext changes a JSON text that a person wrote and leaves the rest of
// it as it stands: the order of members, the spelling of numbers, white space and,
// where they are allowed, comments. What is not valid JSON, or names a member
// twice, is refused with its line: to read it otherwise than the program that it
// is for would be worse than not to change it.
package jsontext

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Kind says what a value is.
type Kind byte

// Kinds.
const (
	Scalar Kind = iota
	Text
	Array
	Object
)

// maxDepth bounds how deep values may lie in each other.
const maxDepth = 200

// Node is a value and where it stands: src[Start:End].
type Node struct {
	Kind       Kind
	Start, End int
	Text       string   // of a text
	Members    []Member // of an object
	Items      []*Node  // of an array
}

// Member is one of an object. It begins at Start, with its name.
type Member struct {
	Name  string
	Start int
	Value *Node
}

// Get finds a member; nil where there is none.
func (n *Node) Get(names ...string) *Node {
	for _, name := range names {
		if n == nil {
			return nil
		}
		var next *Node
		for i := range n.Members {
			if n.Members[i].Name == name {
				next = n.Members[i].Value
			}
		}
		n = next
	}
	return n
}

// String is the text of a text, "" of all else.
func (n *Node) String() string {
	if n == nil {
		return ""
	}
	return n.Text
}

// SyntaxError says where a text is no JSON.
type SyntaxError struct {
	Line int
	Text string
}

// Error implements error.
func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Text) }

type parser struct {
	src      string
	at       int
	comments bool
}

// Parse reads a text. Comments are those of JavaScript.
func Parse(src string, comments bool) (*Node, error) {
	p := &parser{src: src, comments: comments}
	if !utf8.ValidString(src) {
		return nil, &SyntaxError{1, "the file is not UTF-8"}
	}
	n, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if err := p.space(); err != nil {
		return nil, err
	}
	if p.at < len(src) {
		return nil, p.fail("something stands behind the value")
	}
	return n, nil
}

func (p *parser) fail(text string) error { return &SyntaxError{Line(p.src, p.at), text} }

// Line is the line of an offset.
func Line(src string, at int) int { return 1 + strings.Count(src[:min(at, len(src))], "\n") }

// space passes over white space and comments.
func (p *parser) space() error {
	for p.at < len(p.src) {
		rest := p.src[p.at:]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			p.at++
		case p.comments && strings.HasPrefix(rest, "//"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			p.at += end
		case p.comments && strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return p.fail("a comment does not end")
			}
			p.at += end + 4
		default:
			return nil
		}
	}
	return nil
}

func (p *parser) value(depth int) (*Node, error) {
	if err := p.space(); err != nil {
		return nil, err
	}
	if depth > maxDepth {
		return nil, p.fail("the values lie too deep in each other")
	}
	if p.at == len(p.src) {
		return nil, p.fail("a value is missing")
	}
	switch p.src[p.at] {
	case '{':
		return p.object(depth)
	case '[':
		return p.array(depth)
	case '"':
		return p.text()
	}
	start := p.at
	for p.at < len(p.src) && strings.IndexByte(" \t\r\n,]}:/\"[{", p.src[p.at]) < 0 {
		p.at++
	}
	if word := p.src[start:p.at]; !json.Valid([]byte(word)) {
		p.at = start
		return nil, p.fail("this is no JSON")
	}
	return &Node{Kind: Scalar, Start: start, End: p.at}, nil
}

func (p *parser) text() (*Node, error) {
	start := p.at
	for p.at++; p.at < len(p.src); p.at++ {
		switch p.src[p.at] {
		case '\\':
			p.at++
		case '"':
			p.at++
			n := &Node{Kind: Text, Start: start, End: p.at}
			if json.Unmarshal([]byte(p.src[start:p.at]), &n.Text) != nil {
				p.at = start
				return nil, p.fail("a text is not written as JSON writes it")
			}
			return n, nil
		}
	}
	p.at = start
	return nil, p.fail("a text does not end")
}

// next passes over a comma; done says that the closing sign came instead.
func (p *parser) next(closing byte, first bool) (done bool, err error) {
	if err := p.space(); err != nil {
		return false, err
	}
	if p.at < len(p.src) && p.src[p.at] == closing && first {
		p.at++
		return true, nil
	}
	if first {
		return false, nil
	}
	if p.at == len(p.src) || p.src[p.at] != ',' && p.src[p.at] != closing {
		return false, p.fail("a comma or the end of a list or object is missing")
	}
	done = p.src[p.at] == closing
	p.at++
	return done, nil
}

func (p *parser) array(depth int) (*Node, error) {
	n := &Node{Kind: Array, Start: p.at}
	p.at++
	for {
		done, err := p.next(']', len(n.Items) == 0)
		if err != nil {
			return nil, err
		}
		if done {
			n.End = p.at
			return n, nil
		}
		item, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		n.Items = append(n.Items, item)
	}
}

func (p *parser) object(depth int) (*Node, error) {
	n := &Node{Kind: Object, Start: p.at}
	p.at++
	seen := map[string]bool{}
	for {
		done, err := p.next('}', len(n.Members) == 0)
		if err != nil {
			return nil, err
		}
		if done {
			n.End = p.at
			return n, nil
		}
		m, err := p.member(depth)
		if err != nil {
			return nil, err
		}
		if seen[m.Name] {
			p.at = m.Start
			return nil, p.fail("a member is named twice, and programs differ in which one counts")
		}
		seen[m.Name] = true
		n.Members = append(n.Members, m)
	}
}

func (p *parser) member(depth int) (Member, error) {
	if err := p.space(); err != nil {
		return Member{}, err
	}
	if p.at == len(p.src) || p.src[p.at] != '"' {
		return Member{}, p.fail("the name of a member is missing")
	}
	name, err := p.text()
	if err != nil {
		return Member{}, err
	}
	if err := p.space(); err != nil {
		return Member{}, err
	}
	if p.at == len(p.src) || p.src[p.at] != ':' {
		return Member{}, p.fail("a colon is missing")
	}
	p.at++
	v, err := p.value(depth + 1)
	return Member{Name: name.Text, Start: name.Start, Value: v}, err
}
