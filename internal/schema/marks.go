// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package schema

// marks remember which members or items, by their place in the document, were
// evaluated. A nil *marks forgets everything.
type marks struct {
	bits []uint64
}

func (m *marks) add(i int) {
	if m == nil {
		return
	}
	for len(m.bits) <= i/64 {
		m.bits = append(m.bits, 0)
	}
	m.bits[i/64] |= 1 << (i % 64)
}

func (m *marks) has(i int) bool {
	return m != nil && i/64 < len(m.bits) && m.bits[i/64]&(1<<(i%64)) != 0
}

func (m *marks) merge(other *marks) {
	if m == nil || other == nil {
		return
	}
	for len(m.bits) < len(other.bits) {
		m.bits = append(m.bits, 0)
	}
	for i, b := range other.bits {
		m.bits[i] |= b
	}
}

// mark is one place of marks.
type mark struct {
	in *marks
	i  int
}

func (m *marks) at(i int) mark { return mark{m, i} }

func (m mark) set() { m.in.add(m.i) }
