// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package index

// table leads from hashes to rules. It is a few bytes in one place, unlike a
// map. Two values of one hash lead to the rules of both, which is allowed here.
type table struct {
	slots []slot // a power of two, at least half of them empty
	mask  uint64 // one less than there are
	rules []int32
}

type slot struct {
	hash  uint64
	first int32
	count int32 // 0: empty
}

// newTable makes a table of lists.
func newTable(lists map[uint64][]int32) table {
	t, size := table{}, 1
	for size < 2*len(lists) {
		size, t.mask = 2*size, 2*t.mask+1
	}
	t.slots = make([]slot, size)
	for hash, list := range lists {
		i := t.place(hash)
		t.slots[i] = slot{hash, int32(len(t.rules)), int32(len(list))} //nolint:gosec // far fewer rules fit a policy
		t.rules = append(t.rules, list...)
	}
	return t
}

// place is where the hash stands, or would.
func (t *table) place(hash uint64) uint64 {
	i := hash & t.mask
	for t.slots[i].count > 0 && t.slots[i].hash != hash {
		i = (i + 1) & t.mask
	}
	return i
}

func (t *table) find(hash uint64, out []int32) []int32 {
	if len(t.slots) == 0 {
		return out
	}
	s := &t.slots[t.place(hash)]
	if s.count == 0 {
		return out
	}
	return append(out, t.rules[s.first:s.first+s.count]...)
}

// put adds a rule to a list that it is not the last of already.
func put[K comparable](lists map[K][]int32, key K, at int32) {
	if known := lists[key]; len(known) == 0 || known[len(known)-1] != at {
		lists[key] = append(known, at)
	}
}
