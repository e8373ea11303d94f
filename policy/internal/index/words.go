// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package index

import (
	"hash/maphash"
	"slices"

	"github.com/toolverdict/toolverdict/policy/internal/match"
)

// words finds rules by texts: a whole one, or what one starts or ends with.
type words struct {
	seed  maphash.Seed
	asked []asked // while it is made
	table table
	sizes []int // distinct lengths, ascending
}

func newWords() *words { return &words{seed: maphash.MakeSeed()} }

func (w *words) add(text string, at int32) { w.asked = append(w.asked, asked{text, at}) }

func (w *words) finish() {
	lists := map[uint64][]int32{}
	for _, a := range w.asked {
		put(lists, maphash.String(w.seed, a.text), a.at)
		if i, known := slices.BinarySearch(w.sizes, len(a.text)); !known {
			w.sizes = slices.Insert(w.sizes, i, len(a.text))
		}
	}
	w.table, w.asked = newTable(lists), nil
}

func (w *words) find(s string, out []int32) []int32 {
	return w.table.find(maphash.String(w.seed, s), out)
}

func (w *words) heads(s string, out []int32) []int32 {
	for _, size := range w.sizes {
		if size > len(s) {
			break
		}
		out = w.find(s[:size], out)
	}
	return out
}

func (w *words) tails(s string, out []int32) []int32 {
	for _, size := range w.sizes {
		if size > len(s) {
			break
		}
		out = w.find(s[len(s)-size:], out)
	}
	return out
}

// folder finds folders that hold a path. It is not ok where the path cannot be
// judged, or leads where no text tells.
func (w *words) folder(s string, out []int32) (found []int32, ok bool) {
	var buf [128]byte
	path, elsewhere, ok := match.AppendFolded(buf[:0], s)
	if !ok {
		return out, false
	}
	for _, size := range w.sizes {
		if size > len(path) {
			break
		}
		if size == len(path) || path[size] == '/' {
			out = w.table.find(maphash.Bytes(w.seed, path[:size]), out)
		}
	}
	return out, !elsewhere
}
