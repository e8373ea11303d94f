// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package index

import (
	"math"
	"slices"
	"strconv"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy/internal/predicate"
)

// spans finds rules by ranges that a number is in. Numbers are compared as the
// nearest floats here: what is in a range stays in it, and what is just outside
// may seem to be in it, which the rule itself then tells.
type spans struct {
	list  []span
	edges []float64 // distinct ends, ascending
	tree  []node    // a segment tree over the edges and what is between them
	rules []int32
}

type node struct{ first, count int }

type span struct {
	low, high float64
	at        int32
}

func (s *spans) add(list []predicate.Span, at int32) {
	for _, one := range list {
		next := span{math.Inf(-1), math.Inf(1), at}
		if one.HasLow {
			next.low = nearest(one.Low)
		}
		if one.HasHigh {
			next.high = nearest(one.High)
		}
		s.list = append(s.list, next)
	}
}

// nearest is the float next to a number. The order of numbers stays.
func nearest(n canon.Number) float64 {
	f, _ := strconv.ParseFloat(n.String(), 64) // an overflow is infinite, as it should be
	return f
}

// fewSpans is up to how many a look at each is quicker.
const fewSpans = 16

func (s *spans) finish() {
	if len(s.list) <= fewSpans {
		return
	}
	for _, one := range s.list {
		s.edges = append(s.edges, one.low, one.high)
	}
	slices.Sort(s.edges)
	s.edges = slices.Compact(s.edges)
	lists := make([][]int32, 2*s.places())
	for _, one := range s.list {
		s.spread(lists, one)
	}
	s.tree, s.list = make([]node, len(lists)), nil
	for i, list := range lists {
		s.tree[i] = node{len(s.rules), len(list)}
		s.rules = append(s.rules, list...)
	}
}

// places is how many there are: before the first edge, each edge, between each
// two, and after the last.
func (s *spans) places() int { return 2*len(s.edges) + 1 }

// place is where a number falls.
func (s *spans) place(f float64) int {
	i, exact := slices.BinarySearch(s.edges, f)
	if exact {
		return 2*i + 1
	}
	return 2 * i
}

// spread puts a range on the few nodes of the tree that make it up.
func (s *spans) spread(tree [][]int32, one span) {
	low, high := s.place(one.low)+s.places(), s.place(one.high)+s.places()+1
	for ; low < high; low, high = low/2, high/2 {
		if low&1 == 1 {
			tree[low] = append(tree[low], one.at)
			low++
		}
		if high&1 == 1 {
			high--
			tree[high] = append(tree[high], one.at)
		}
	}
}

func (s *spans) find(f float64, out []int32) []int32 {
	for i := range s.list {
		if one := &s.list[i]; f >= one.low && f <= one.high {
			out = append(out, one.at)
		}
	}
	if s.tree == nil {
		return out
	}
	for at := s.place(f) + s.places(); at > 0; at /= 2 {
		n := s.tree[at]
		out = append(out, s.rules[n.first:n.first+n.count]...)
	}
	return out
}
