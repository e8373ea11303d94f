// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"cmp"
	"crypto/sha256"
	"strings"
	"unicode/utf8"
)

// Append appends the canonical form of v: RFC 8785, with exact integers. See
// the package comment for the rule. It can be longer than what was parsed, by
// less than six times: 1e20 becomes 21 digits. An absent value appends nothing.
func Append(dst []byte, v Value) []byte {
	switch v.Kind() {
	case KindNumber:
		return v.Number().append(dst)
	case KindString:
		return v.d.appendString(dst, v.i)
	case KindArray:
		return appendArray(dst, v)
	case KindObject:
		return appendObject(dst, v)
	}
	return append(dst, v.RawText()...) // null, true, false: one spelling each
}

// appendString writes the text at tape index i. A string that was written
// without escapes needed none: it is canonical as it stands.
func (d *doc) appendString(dst []byte, i uint32) []byte {
	n := &d.nodes[i]
	if n.flags&flagDecoded == 0 {
		return append(dst, d.src[n.start:n.end]...)
	}
	return AppendString(dst, d.text(i))
}

func appendArray(dst []byte, v Value) []byte {
	dst = append(dst, '[')
	at := v.i + 1
	for i := range v.d.nodes[v.i].count {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = Append(dst, Value{v.d, at})
		at = v.d.skip(at)
	}
	return append(dst, ']')
}

func appendObject(dst []byte, v Value) []byte {
	var buf [smallObject]uint32
	dst = append(dst, '{')
	for i, name := range v.d.sorted(v.i, buf[:0]) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(v.d.appendString(dst, name), ':')
		dst = Append(dst, Value{v.d, name + 1})
	}
	return append(dst, '}')
}

// names appends the tape indexes of the names of the object at i, in document
// order.
func (d *doc) names(i uint32, dst []uint32) []uint32 {
	at := i + 1
	for range d.nodes[i].count {
		dst = append(dst, at)
		at = d.skip(at + 1)
	}
	return dst
}

// sorted returns the names of the object at i in canonical order, in buf where
// the object is small.
func (d *doc) sorted(i uint32, buf []uint32) []uint32 {
	if order := d.order[i]; order != nil {
		return order
	}
	names := d.names(i, buf)
	for n := 1; n < len(names); n++ {
		for k := n; k > 0 && d.compareNames(names[k-1], names[k]) > 0; k-- {
			names[k-1], names[k] = names[k], names[k-1]
		}
	}
	return names
}

func (d *doc) compareNames(a, b uint32) int { return compareUTF16(d.text(a), d.text(b)) }

// compareUTF16 orders valid UTF-8 by UTF-16 code units, as RFC 8785 wants. The
// two orders differ only where a character beyond U+FFFF (lead byte 0xf0 and
// up) meets one from U+E000 to U+FFFF (lead byte 0xee or 0xef): its first
// surrogate is the smaller.
func compareUTF16(a, b string) int {
	for i := range min(len(a), len(b)) {
		x, y := a[i], b[i]
		if x == y {
			continue
		}
		if x >= 0xee && y >= 0xee && (x >= 0xf0) != (y >= 0xf0) {
			return cmp.Compare(y, x)
		}
		return cmp.Compare(x, y)
	}
	return cmp.Compare(len(a), len(b))
}

// Canonicalize parses b strictly and returns its canonical form. The error is a
// *[SyntaxError].
func Canonicalize(b []byte, l Limits) ([]byte, error) {
	v, err := Parse(b, l)
	if err != nil {
		return nil, err
	}
	return Append(make([]byte, 0, len(b)), v), nil
}

// Digest returns the SHA-256 of the canonical form of v. An absent value has
// the digest of no bytes, which no present value has.
func Digest(v Value) [32]byte {
	return sha256.Sum256(Append(make([]byte, 0, len(v.RawText())+16), v))
}

// Equal reports whether a and b have the same canonical form: the same kind and
// meaning, whatever the order of members, white space, escapes and spelling of
// numbers. An absent value equals nothing, not even another absent one, so that
// two missing facts never look like a match.
func Equal(a, b Value) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case KindNull:
		return true
	case KindBool:
		return a.Bool() == b.Bool()
	case KindNumber:
		return a.Number().Cmp(b.Number()) == 0
	case KindString:
		return a.Text() == b.Text()
	case KindArray:
		return equalArrays(a, b)
	case KindObject:
		return equalObjects(a, b)
	}
	return false
}

func equalArrays(a, b Value) bool {
	if a.Len() != b.Len() {
		return false
	}
	x, y := a.i+1, b.i+1
	for range a.Len() {
		if !Equal(Value{a.d, x}, Value{b.d, y}) {
			return false
		}
		x, y = a.d.skip(x), b.d.skip(y)
	}
	return true
}

func equalObjects(a, b Value) bool {
	if a.Len() != b.Len() {
		return false
	}
	for name, x := range a.Fields() {
		y, ok := b.Get(name)
		if !ok || !Equal(x, y) {
			return false
		}
	}
	return true
}

// Quote returns s as a canonical JSON string.
func Quote(s string) []byte { return AppendString(make([]byte, 0, len(s)+2), s) }

// AppendString appends s as a canonical JSON string: only the quote, the
// backslash and control characters are escaped, in the shortest way. Bytes that
// are not UTF-8 become U+FFFD; text from [Parse] has none.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			if size := runeSize(s[i:]); size > 0 {
				i += size
				continue
			}
			dst = append(append(dst, s[from:i]...), "\ufffd"...)
		} else {
			dst = appendEscape(append(dst, s[from:i]...), c)
		}
		i++
		from = i
	}
	return append(append(dst, s[from:]...), '"')
}

func appendEscape(dst []byte, c byte) []byte {
	if i := strings.IndexByte("\"\\\b\f\n\r\t", c); i >= 0 {
		return append(dst, '\\', `"\bfnrt`[i])
	}
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}
