// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package index

// handful finds rules by texts where there are so few that a look at each is
// quicker than a table: all of it is in one place of memory. It compares
// lengths and eight bytes, so that it may find a rule too many.
type handful []one

type one struct {
	want uint64 // bytes of the text
	size uint16 // of the text
	from uint16 // where the bytes stand in it
	at   int32  // the rule
}

// Bounds of what is few.
const (
	fewTexts = 12
	fewSize  = 1 << 15 // of a text
	window   = 8
)

// newHandful picks of each text the bytes that the fewest others have in that place.
// There is none where the texts are many.
func newHandful(texts []asked) handful {
	if len(texts) > fewTexts {
		return nil
	}
	type place struct {
		from int
		want uint64
	}
	common := map[place]int{}
	for _, a := range texts {
		if len(a.text) > fewSize {
			return nil
		}
		for from := range max(len(a.text)-window, 0) + 1 {
			common[place{from, load(a.text, from)}]++
		}
	}
	out := make(handful, len(texts))
	for i, a := range texts {
		o := one{want: load(a.text, 0), size: uint16(len(a.text)), at: a.at} //nolint:gosec // bounded by fewSize
		best := common[place{0, o.want}]
		for from := range max(len(a.text)-window, 0) + 1 {
			if n := common[place{from, load(a.text, from)}]; n < best {
				best, o.want, o.from = n, load(a.text, from), uint16(from)
			}
		}
		out[i] = o
	}
	return out
}

// load reads up to eight bytes as a number.
func load(s string, from int) uint64 {
	if from+window <= len(s) {
		s = s[from : from+window]
		return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	}
	out := uint64(0)
	for i := from; i < len(s); i++ {
		out |= uint64(s[i]) << (8 * (i - from))
	}
	return out
}

func (f handful) find(s string, out []int32) []int32 {
	for i := range f {
		if o := &f[i]; len(s) == int(o.size) && load(s, int(o.from)) == o.want {
			out = append(out, o.at)
		}
	}
	return out
}

func (f handful) heads(s string, out []int32) []int32 {
	for i := range f {
		if o := &f[i]; len(s) >= int(o.size) && load(s[:o.size], int(o.from)) == o.want {
			out = append(out, o.at)
		}
	}
	return out
}

func (f handful) tails(s string, out []int32) []int32 {
	for i := range f {
		if o := &f[i]; len(s) >= int(o.size) && load(s[len(s)-int(o.size):], int(o.from)) == o.want {
			out = append(out, o.at)
		}
	}
	return out
}
