// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"iter"
	"strconv"
	"strings"
)

// Kind is the JSON type of a [Value].
type Kind uint8

// The kinds. The zero Kind is that of the zero Value, which means "absent".
const (
	KindInvalid Kind = iota
	KindNull
	KindBool
	KindNumber
	KindString
	KindArray
	KindObject
)

// String returns the JSON Schema name of the kind, or "absent".
func (k Kind) String() string {
	names := [...]string{"absent", "null", "boolean", "number", "string", "array", "object"}
	if int(k) >= len(names) {
		return names[KindInvalid]
	}
	return names[k]
}

// node is one entry of the tape: values in document order, each object member
// as a string node (its name) followed by its value.
type node struct {
	kind       Kind
	flags      uint8
	start, end uint32 // bytes of doc.src
	count      uint32 // array: elements; object: members; decoded string: bytes in doc.dec
	next       uint32 // array, object: tape index after the last descendant; decoded string: offset in doc.dec
}

const (
	flagDecoded uint8 = 1 << iota // the string had escapes: its text is in doc.dec
	flagWide                      // the string, which had no escapes, holds a byte beyond ASCII: folding it takes more than lower case
	flagMember                    // the value of an object member: the node before it is the name
	flagTrue                      // the boolean is true
)

// doc is one parsed text. Nothing in it changes after it was made.
type doc struct {
	src   string
	dec   string
	nodes []node
	// order holds, for objects of more than smallObject members, the tape
	// indexes of the names in canonical order.
	order map[uint32][]uint32
}

// Value is an immutable view of one JSON value. It is two words, cheap to copy
// and safe for concurrent reads. The zero Value is absent: its Kind is
// KindInvalid and every accessor answers with a zero.
type Value struct {
	d *doc
	i uint32
}

// Member is one member of an object.
type Member struct {
	Name  string
	Value Value
}

// Kind returns the kind of v.
func (v Value) Kind() Kind {
	if v.d == nil {
		return KindInvalid
	}
	return v.d.nodes[v.i].kind
}

// IsZero reports whether v is absent. It lets encoding/json omit absent fields
// marked omitzero.
func (v Value) IsZero() bool { return v.d == nil }

// Bool returns the truth of a boolean, and false for every other kind: check
// Kind first where false and absent differ.
func (v Value) Bool() bool {
	return v.d != nil && v.d.nodes[v.i].flags&flagTrue != 0
}

// Text returns the decoded text of a string, and "" for every other kind.
func (v Value) Text() string {
	if v.Kind() != KindString {
		return ""
	}
	return v.d.text(v.i)
}

func (d *doc) text(i uint32) string {
	n := &d.nodes[i]
	if n.flags&flagDecoded != 0 {
		return d.dec[n.next : n.next+n.count]
	}
	return d.src[n.start+1 : n.end-1]
}

// Number returns the exact value of a number, and zero for every other kind.
func (v Value) Number() Number {
	if v.Kind() != KindNumber {
		return Number{}
	}
	return scanNumber(v.RawText())
}

// Len returns the number of elements of an array or members of an object, the
// number of bytes of a string's text, and 0 for every other kind.
func (v Value) Len() int {
	switch v.Kind() {
	case KindArray, KindObject:
		return int(v.d.nodes[v.i].count)
	case KindString:
		return len(v.d.text(v.i))
	}
	return 0
}

// skip returns the tape index after the value at i.
func (d *doc) skip(i uint32) uint32 {
	if n := &d.nodes[i]; n.kind >= KindArray {
		return n.next
	}
	return i + 1
}

// Items ranges over the elements of an array without allocating.
func (v Value) Items() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		if v.Kind() != KindArray {
			return
		}
		at := v.i + 1
		for i := range v.Len() {
			if !yield(i, Value{v.d, at}) {
				return
			}
			at = v.d.skip(at)
		}
	}
}

// Fields ranges over the members of an object in document order without
// allocating.
func (v Value) Fields() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if v.Kind() != KindObject {
			return
		}
		at := v.i + 1
		for range v.Len() {
			if !yield(v.d.text(at), Value{v.d, at + 1}) {
				return
			}
			at = v.d.skip(at + 1)
		}
	}
}

// Elems returns the elements of an array in a new slice, and nil for every
// other kind.
func (v Value) Elems() []Value {
	if v.Kind() != KindArray {
		return nil
	}
	out := make([]Value, 0, v.Len())
	for _, e := range v.Items() {
		out = append(out, e)
	}
	return out
}

// Members returns the members of an object in document order, in a new slice,
// and nil for every other kind.
func (v Value) Members() []Member {
	if v.Kind() != KindObject {
		return nil
	}
	out := make([]Member, 0, v.Len())
	for name, m := range v.Fields() {
		out = append(out, Member{name, m})
	}
	return out
}

// Get returns the member of an object whose name equals name byte for byte.
func (v Value) Get(name string) (Value, bool) {
	if v.Kind() != KindObject {
		return Value{}, false
	}
	if order := v.d.order[v.i]; order != nil {
		return v.d.search(order, name)
	}
	at := v.i + 1
	for range v.d.nodes[v.i].count {
		if v.d.text(at) == name {
			return Value{v.d, at + 1}, true
		}
		at = v.d.skip(at + 1)
	}
	return Value{}, false
}

// search finds name among the names of a large object.
func (d *doc) search(order []uint32, name string) (Value, bool) {
	lo, hi := 0, len(order)
	for lo < hi {
		mid := (lo + hi) / 2
		switch c := compareUTF16(d.text(order[mid]), name); {
		case c == 0:
			return Value{d, order[mid] + 1}, true
		case c < 0:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return Value{}, false
}

// Index returns the element of an array at i, counted from 0.
func (v Value) Index(i int) (Value, bool) {
	if v.Kind() != KindArray || i < 0 || i >= v.Len() {
		return Value{}, false
	}
	at := v.i + 1
	for range i {
		at = v.d.skip(at)
	}
	return Value{v.d, at}, true
}

// Lookup follows path from v: each step is the exact name of an object member
// or the decimal index of an array element ("0", "17"; no sign, no leading
// zeros). An empty path is v itself, if v is present.
func (v Value) Lookup(path ...string) (Value, bool) {
	for _, step := range path {
		var ok bool
		if v, ok = v.step(step); !ok {
			return Value{}, false
		}
	}
	return v, v.d != nil
}

func (v Value) step(step string) (Value, bool) {
	if v.Kind() != KindArray {
		return v.Get(step)
	}
	i, ok := arrayIndex(step)
	if !ok {
		return Value{}, false
	}
	return v.Index(i)
}

// arrayIndex reads the index form of RFC 6901, section 4.
func arrayIndex(s string) (int, bool) {
	if len(s) > 1 && s[0] == '0' {
		return 0, false
	}
	n, err := strconv.ParseUint(s, 10, 31)
	return int(n), err == nil
}

// Pointer follows a JSON pointer (RFC 6901) from v. A pointer that is not well
// formed finds nothing.
func (v Value) Pointer(ptr string) (Value, bool) {
	for ptr != "" {
		if ptr[0] != '/' {
			return Value{}, false
		}
		token, rest := ptr[1:], ""
		if i := strings.IndexByte(token, '/'); i >= 0 {
			token, rest = token[:i], token[i:]
		}
		token, ok := unescapeToken(token)
		if !ok {
			return Value{}, false
		}
		if v, ok = v.step(token); !ok {
			return Value{}, false
		}
		ptr = rest
	}
	return v, v.d != nil
}

// unescapeToken undoes ~0 and ~1 and refuses any other tilde.
func unescapeToken(s string) (string, bool) {
	for i := range len(s) {
		if s[i] == '~' && (i+1 == len(s) || s[i+1] != '0' && s[i+1] != '1') {
			return "", false
		}
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "~1", "/"), "~0", "~"), true
}

// Span returns the place of v in the bytes given to [Parse]: src[start:end] is
// its text without surrounding white space. For a value made in code, or
// decoded from a string by [ParseArguments], the place is in the text that
// [Value.Document] returns.
func (v Value) Span() (start, end int) {
	if v.d == nil {
		return 0, 0
	}
	n := &v.d.nodes[v.i]
	return int(n.start), int(n.end)
}

// NameSpan returns the place of the quoted name of v where v is an object
// member.
func (v Value) NameSpan() (start, end int, ok bool) {
	if v.d == nil || v.d.nodes[v.i].flags&flagMember == 0 {
		return 0, 0, false
	}
	n := &v.d.nodes[v.i-1]
	return int(n.start), int(n.end), true
}

// Raw returns a copy of the exact text of v, nil where v is absent.
func (v Value) Raw() []byte {
	if v.d == nil {
		return nil
	}
	return []byte(v.RawText())
}

// RawText is Raw as a string, without a copy.
func (v Value) RawText() string {
	start, end := v.Span()
	if v.d == nil {
		return ""
	}
	return v.d.src[start:end]
}

// Document returns the whole text that spans of v refer to.
func (v Value) Document() string {
	if v.d == nil {
		return ""
	}
	return v.d.src
}
