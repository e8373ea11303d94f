// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package truth

// Work bounds what is spent on translating one condition: queries in queries
// could be gone through more often than anyone waits for.
type Work struct{ left int }

// NewWork is enough for every condition that is tried.
func NewWork() *Work { return &Work{left: 4 * maxNodes} }

// Spend takes one step, and reports whether there was one left.
func (w *Work) Spend() bool {
	if w.left > 0 {
		w.left--
	}
	return w.left > 0
}

// Take takes as many steps as there are, up to n.
func (w *Work) Take(n int) { w.left = max(w.left-n, 0) }

// Spent reports whether no step is left: what was translated is not the whole
// condition then.
func (w *Work) Spent() bool { return w.left == 0 }
