// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpwire

import (
	"encoding/json"
	"iter"
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// Node is a place in a message: the text of one JSON value, and where it
// stands. It is lenient about numbers and depth, so that it can look at results
// that the strict reader refuses. The zero Node is absent.
type Node struct {
	src        []byte
	start, end int
	name       int // where the quoted name of the member starts, or -1
}

// Exists reports whether the node is there.
func (n Node) Exists() bool { return n.src != nil }

// Bytes returns the text of the value. It must not be changed.
func (n Node) Bytes() []byte { return n.src[n.start:n.end:n.end] }

// Span returns the place of the value in the bytes of its message.
func (n Node) Span() (start, end int) { return n.start, n.end }

// Kind returns the kind of the value.
func (n Node) Kind() canon.Kind {
	if !n.Exists() {
		return canon.KindInvalid
	}
	switch n.src[n.start] {
	case '{':
		return canon.KindObject
	case '[':
		return canon.KindArray
	case '"':
		return canon.KindString
	case 't', 'f':
		return canon.KindBool
	case 'n':
		return canon.KindNull
	}
	return canon.KindNumber
}

// IsTrue reports whether the value is true.
func (n Node) IsTrue() bool { return n.Exists() && n.src[n.start] == 't' }

// Text returns the decoded text of a string, "" for everything else.
func (n Node) Text() string {
	if n.Kind() != canon.KindString {
		return ""
	}
	return unquote(n.Bytes())
}

func unquote(quoted []byte) string {
	inner := string(quoted[1 : len(quoted)-1])
	if !strings.ContainsRune(inner, '\\') {
		return inner
	}
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		return ""
	}
	return s
}

// Get returns the member of an object with exactly this name, the first one
// where a lenient sender wrote it twice.
func (n Node) Get(name string) Node {
	for at, m := range n.Members() {
		if at == name {
			return m
		}
	}
	return Node{}
}

// Lookup follows names from object to object.
func (n Node) Lookup(path ...string) Node {
	for _, name := range path {
		n = n.Get(name)
	}
	return n
}

// Members ranges over the members of an object in order.
func (n Node) Members() iter.Seq2[string, Node] {
	return func(yield func(string, Node) bool) {
		if n.Kind() != canon.KindObject {
			return
		}
		at := skipSpace(n.src, n.start+1)
		for n.src[at] != '}' {
			nameAt := at
			nameEnd := skipValue(n.src, at)
			at = skipSpace(n.src, nameEnd)    // the colon
			at = skipSpace(n.src, at+1)       // the value
			end := skipValue(n.src, at)       //
			m := Node{n.src, at, end, nameAt} //
			if !yield(unquote(n.src[nameAt:nameEnd]), m) {
				return
			}
			at = skipComma(n.src, end)
		}
	}
}

// Items ranges over the elements of an array in order.
func (n Node) Items() iter.Seq2[int, Node] {
	return func(yield func(int, Node) bool) {
		if n.Kind() != canon.KindArray {
			return
		}
		at := skipSpace(n.src, n.start+1)
		for i := 0; n.src[at] != ']'; i++ {
			end := skipValue(n.src, at)
			if !yield(i, Node{n.src, at, end, -1}) {
				return
			}
			at = skipComma(n.src, end)
		}
	}
}

// Root returns the whole of src, which must be valid JSON.
func Root(src []byte) (Node, bool) {
	if !json.Valid(src) {
		return Node{}, false
	}
	at := skipSpace(src, 0)
	return Node{src, at, skipValue(src, at), -1}, true
}

func skipSpace(src []byte, at int) int {
	for src[at] == ' ' || src[at] == '\t' || src[at] == '\n' || src[at] == '\r' {
		at++
	}
	return at
}

// skipComma returns the start of the next element, or the closing bracket.
func skipComma(src []byte, at int) int {
	at = skipSpace(src, at)
	if src[at] == ',' {
		return skipSpace(src, at+1)
	}
	return at
}

// skipValue returns the end of the value that starts at at. The text is known
// to be valid, so that counting brackets is enough.
func skipValue(src []byte, at int) int {
	switch src[at] {
	case '"':
		return skipString(src, at)
	case '{', '[':
		depth := 0
		for {
			switch src[at] {
			case '"':
				at = skipString(src, at)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			}
			at++
			if depth == 0 {
				return at
			}
		}
	}
	for at < len(src) && !strings.ContainsRune(" \t\r\n,]}", rune(src[at])) {
		at++
	}
	return at
}

func skipString(src []byte, at int) int {
	for at++; src[at] != '"'; at++ {
		if src[at] == '\\' {
			at++
		}
	}
	return at + 1
}
