// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package index

import (
	"math/bits"
	"slices"
)

// Order sorts what was found, each less than end, and takes out what is there
// twice.
func Order[T ~int32](found []T, end int) []T {
	var few [8]uint64
	words := (end + 63) / 64
	if len(found) < max(8, words/4) {
		slices.Sort(found)
		return slices.Compact(found)
	}
	marks := few[:min(words, len(few))]
	if words > len(few) {
		marks = make([]uint64, words)
	}
	for _, h := range found {
		marks[h/64] |= 1 << (h % 64)
	}
	out := found[:0]
	base := T(0)
	for _, word := range marks {
		for ; word != 0; word &= word - 1 {
			out = append(out, base+T(bits.TrailingZeros64(word)&63))
		}
		base += 64
	}
	return out
}
