// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package index finds the rules that a value can make match. It knows what each
// rule needs of a field's value, as predicates tell it, and nothing else of
// rules. It may name a rule too many, and never one too few: a rule that it does
// not name does not match, whatever else the call holds. To that end a value
// that a need does not speak of leads to all rules that an unknown makes match.
package index

import (
	"cmp"
	"math"
	"slices"

	"github.com/toolverdict/toolverdict/policy/internal/predicate"
)

// Need is what a rule needs of one field.
type Need struct {
	Field int
	*predicate.Need
}

// Choice is a way to find a rule: it matches only where one of the needs is met.
type Choice []Need

// Rule is what the index knows of a rule.
type Rule struct {
	Strict  bool     // it matches on an unknown, too
	Choices []Choice // one of them is enough; none: it is looked at each time
}

// Index finds rules.
type Index struct {
	Always []int32 // rules that can match whatever the fields hold
	Groups []Group
}

// New makes an index of rules, which it calls by the names given: of each rule's
// choices it takes the one that leads to the fewest rules.
func New(rules []Rule, names []int32) *Index {
	x := &Index{}
	c := census{counts: map[token]int{}, spans: map[int]int{}, members: map[groupID]int{}}
	for i := range rules {
		for _, choice := range rules[i].Choices {
			c.add(choice)
		}
	}
	places := map[groupID]int{}
	for i := range rules {
		if len(rules[i].Choices) == 0 {
			x.Always = append(x.Always, names[i])
			continue
		}
		for _, n := range c.best(rules[i].Choices) {
			for _, id := range n.groups() {
				at, known := places[id]
				if !known {
					at = len(x.Groups)
					places[id], x.Groups = at, append(x.Groups, newGroup(id))
				}
				x.Groups[at].add(&n, names[i], rules[i].Strict)
			}
		}
	}
	for i := range x.Groups {
		x.Groups[i].finish()
	}
	return x
}

// token stands for a value that rules are found by.
type token struct {
	groupID
	text string
}

// census counts how many choices ask for each value.
type census struct {
	counts  map[token]int
	spans   map[int]int // by field: ranges of numbers
	members map[groupID]int
}

// few is how many rules of one value are as good as one: looking in one place
// more costs as much as looking at them.
const few = 3

// best is the choice that leads to the fewest rules, and of those with few the
// one that most rules have: the fewer groups the better.
func (c *census) best(choices []Choice) Choice {
	return slices.MinFunc(choices, func(a, b Choice) int {
		return cmp.Or(cmp.Compare(max(c.found(a), few), max(c.found(b), few)), cmp.Compare(c.shared(b), c.shared(a)))
	})
}

// shared is how many choices are in the least of a choice's groups.
func (c *census) shared(choice Choice) int {
	least := math.MaxInt
	for i := range choice {
		for _, id := range choice[i].groups() {
			least = min(least, c.members[id])
		}
	}
	return least
}

func (c *census) add(choice Choice) {
	for i := range choice {
		c.spans[choice[i].Field] += len(choice[i].Numbers)
		choice[i].tokens(func(t token) { c.counts[t]++ })
		for _, id := range choice[i].groups() {
			c.members[id]++
		}
	}
}

// found estimates how many rules a choice leads to, at a value that meets it.
func (c *census) found(choice Choice) int {
	sum := 0
	for i := range choice {
		n := &choice[i]
		n.tokens(func(t token) { sum += c.counts[t] })
		for _, s := range n.Numbers {
			switch all := c.spans[n.Field]; {
			case !s.HasLow || !s.HasHigh:
				sum += 1 + all/2
			case s.Low.Cmp(s.High) != 0:
				sum += 1 + all/8
			default:
				sum++
			}
		}
	}
	return sum
}
