// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package index

import (
	"math/bits"
	"strings"
)

// grams finds rules by a text that a value must contain, wherever in it. Each
// text stands in a table under a few of its bytes, those that it shares with the
// fewest others; a value is read once for each length that stands there.
type grams struct {
	asked  []asked               // while it is made, and where they are few
	tables *[maxGram + 1]grammar // by length
}

// grammar is the table of one length. Its filter tells most bytes of a value
// that they are not in it.
type grammar struct {
	lists  map[uint64][]int32 // while it is made
	table  table
	filter []uint64
	shift  int // of a hash, to the filter's size
}

type asked struct {
	text string
	at   int32
}

const maxGram = 4

func (g *grams) add(text string, at int32) {
	g.asked = append(g.asked, asked{text, at})
}

// gram is the bytes of s at i as a number.
func gram(s string, i, size int) uint32 {
	out := uint32(0)
	for j := range size {
		out = out<<8 | uint32(s[i+j])
	}
	return out
}

// hashOf spreads grams over a table. No two have one hash.
func hashOf(g uint32) uint64 { return uint64(g) * 0x9E3779B97F4A7C15 }

// bit is where the filter keeps a hash.
func (t *grammar) bit(hash uint64) (word int, mask uint64) {
	h := hash >> t.shift
	return int(h >> 6), 1 << (h & 63)
}

// fewInside is up to how many texts are looked for one by one.
const fewInside = 4

func (g *grams) finish() {
	if len(g.asked) <= fewInside {
		return
	}
	g.tables = &[maxGram + 1]grammar{}
	common := map[uint32]int{}
	for _, a := range g.asked {
		for i := range len(a.text) - min(len(a.text), maxGram) + 1 {
			common[gram(a.text, i, min(len(a.text), maxGram))]++
		}
	}
	for _, a := range g.asked {
		size := min(len(a.text), maxGram)
		best := gram(a.text, 0, size)
		for i := 1; i+size <= len(a.text); i++ {
			if next := gram(a.text, i, size); common[next] < common[best] {
				best = next
			}
		}
		t := &g.tables[size]
		if t.lists == nil {
			t.lists = map[uint64][]int32{}
		}
		put(t.lists, hashOf(best), a.at)
	}
	for size := range g.tables {
		g.tables[size].sift()
	}
	g.asked = nil
}

// sift makes the table and its filter: of sixteen bits at most one is set.
func (t *grammar) sift() {
	if t.lists == nil {
		return
	}
	size := max(bits.Len(uint(len(t.lists)*16)), 6)
	t.filter, t.shift = make([]uint64, 1<<(size-6)), 64-size
	for hash := range t.lists {
		word, mask := t.bit(hash)
		t.filter[word] |= mask
	}
	t.table, t.lists = newTable(t.lists), nil
}

// find tells all rules where it would tell more than there are, as a text may
// that says the same thing many times.
func (g *grams) find(s string, all, out []int32) []int32 {
	first := len(out)
	for _, a := range g.asked {
		if strings.Contains(s, a.text) {
			out = append(out, a.at)
		}
	}
	if g.tables == nil {
		return out
	}
	for size := range g.tables {
		t := &g.tables[size]
		if t.filter == nil {
			continue
		}
		if size == 0 {
			out = t.table.find(0, out) // every text contains nothing
			continue
		}
		keep := ^uint32(0) >> (8 * (maxGram - size))
		last := uint32(0)
		for i := range len(s) {
			last = (last<<8 | uint32(s[i])) & keep
			if i < size-1 {
				continue
			}
			hash := hashOf(last)
			word, mask := t.bit(hash)
			if t.filter[word]&mask == 0 {
				continue
			}
			if out = t.table.find(hash, out); len(out)-first > len(all) {
				return append(out[:first], all...)
			}
		}
	}
	return out
}
