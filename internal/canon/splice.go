// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"cmp"
	"fmt"
	"slices"
)

// Edit replaces the bytes from Start to End (exclusive) of a text with With.
// Where Start equals End it inserts.
type Edit struct {
	Start, End int
	With       []byte
}

// Splice returns src with the edits applied; every other byte stays as it is.
// Offsets are those of src, in whatever order the edits are given; edits that
// insert at one place keep their order. Edits that overlap or lie outside src
// are refused, and src is never changed.
//
// Splice does not read JSON: parse the result again and decide on it.
func Splice(src []byte, edits ...Edit) ([]byte, error) {
	sorted := slices.Clone(edits)
	slices.SortStableFunc(sorted, func(a, b Edit) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	size, at := len(src), 0
	for _, e := range sorted {
		if e.Start < 0 || e.End < e.Start || e.End > len(src) {
			return nil, fmt.Errorf("splice: edit of bytes %d to %d is outside the %d bytes of the text", e.Start, e.End, len(src))
		}
		if e.Start < at {
			return nil, fmt.Errorf("splice: edit of bytes %d to %d overlaps one that ends at %d", e.Start, e.End, at)
		}
		size, at = size+len(e.With)-(e.End-e.Start), e.End
	}
	out, at := make([]byte, 0, size), 0
	for _, e := range sorted {
		out = append(append(out, src[at:e.Start]...), e.With...)
		at = e.End
	}
	return append(out, src[at:]...), nil
}

// Replace is the edit that puts with in the place of v.
func Replace(v Value, with []byte) Edit {
	start, end := v.Span()
	return Edit{Start: start, End: end, With: with}
}

// SetMember is the edit that gives the object v a member name with the value
// with: in the place of its present value, else after the last member. ok is
// false where v is no object. Two edits that add members to the same empty
// object do not fit together.
func SetMember(v Value, name string, with []byte) (e Edit, ok bool) {
	if v.Kind() != KindObject {
		return Edit{}, false
	}
	if old, found := v.Get(name); found {
		return Replace(old, with), true
	}
	_, end := v.Span()
	var text []byte
	if v.Len() > 0 {
		text = append(text, ',')
	}
	text = append(append(AppendString(text, name), ':'), with...)
	return Edit{Start: end - 1, End: end - 1, With: text}, true
}

// RemoveMember is the edit that takes the member name, with one comma, out of
// the object v. ok is false where there is none. Edits that remove neighbours
// overlap and are refused by [Splice]: apply them one after another.
func RemoveMember(v Value, name string) (e Edit, ok bool) {
	members := v.Members()
	for i, m := range members {
		if m.Name != name {
			continue
		}
		start, _, _ := m.Value.NameSpan()
		_, end := m.Value.Span()
		switch {
		case i+1 < len(members):
			end, _, _ = members[i+1].Value.NameSpan()
		case i > 0:
			_, start = members[i-1].Value.Span()
		}
		return Edit{Start: start, End: end}, true
	}
	return Edit{}, false
}
