// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package index

import (
	"slices"

	"github.com/toolverdict/toolverdict/policy/internal/match"
)

// words finds rules by texts: a whole one, or what one starts or ends with.
type words struct {
	rules map[string][]int32
	sizes []int // distinct lengths, ascending
}

func (w *words) add(text string, at int32) {
	if w.rules == nil {
		w.rules = map[string][]int32{}
	}
	if known := w.rules[text]; len(known) == 0 || known[len(known)-1] != at {
		w.rules[text] = append(known, at)
	}
}

func (w *words) finish() {
	seen := map[int]bool{}
	for text := range w.rules {
		seen[len(text)] = true
	}
	for size := range seen {
		w.sizes = append(w.sizes, size)
	}
	slices.Sort(w.sizes)
}

func (w *words) find(s string, out []int32) []int32 { return append(out, w.rules[s]...) }

func (w *words) heads(s string, out []int32) []int32 {
	for _, size := range w.sizes {
		if size > len(s) {
			break
		}
		out = append(out, w.rules[s[:size]]...)
	}
	return out
}

func (w *words) tails(s string, out []int32) []int32 {
	for _, size := range w.sizes {
		if size > len(s) {
			break
		}
		out = append(out, w.rules[s[len(s)-size:]]...)
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
			out = append(out, w.rules[string(path[:size])]...)
		}
	}
	return out, !elsewhere
}
