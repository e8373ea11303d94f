// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package coverage says what the tests of a policy leave open: rules that match
// in none of them, conditions that are never seen true or false, and slips of
// the writer that none of them would notice.
package coverage

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/toolverdict/toolverdict/internal/workbench/cases"
	"github.com/toolverdict/toolverdict/policy"
)

// Part is how much of something is covered.
type Part struct {
	All     int `json:"all"`
	Covered int `json:"covered"`
}

// Percent is the part that is covered, rounded down: of nothing, all is.
func (p Part) Percent() int {
	if p.All == 0 {
		return 100
	}
	return p.Covered * 100 / p.All
}

// Gap is something that the tests leave open, at its place.
type Gap struct {
	File   string   `json:"file"`
	Line   int      `json:"line"`
	Column int      `json:"column,omitempty"`
	Rule   string   `json:"rule"`
	What   string   `json:"what,omitempty"`  // the condition, or the change
	Never  []string `json:"never,omitempty"` // truths that a condition was never seen with
}

// Report is what the tests of policies cover. Gaps are by place.
type Report struct {
	Rules      Part  `json:"rules"`      // matched by some test
	Conditions Part  `json:"conditions"` // seen true and false
	Mutants    Part  `json:"mutants"`    // noticed by some test
	Left       int   `json:"left"`       // mutants that were not tried, for they are too many
	Unmatched  []Gap `json:"unmatched"`
	Unseen     []Gap `json:"unseen"` // conditions; those never seen unknown count as seen
	Survived   []Gap `json:"survived"`

	Unknown Part `json:"unknown"` // conditions seen unknown
}

// Options bound the work.
type Options struct {
	Most    int // mutants that are tried, evenly over the policy; 0: all
	Workers int // at least 1
}

// Of measures what suites cover. All of their cases must hold.
func Of(suites []cases.Suite, o Options) (Report, error) {
	out := Report{Unmatched: []Gap{}, Unseen: []Gap{}, Survived: []Gap{}}
	var order []*policy.Set
	bySet := map[*policy.Set][]cases.Suite{}
	for _, s := range suites {
		if bySet[s.Bench.Set] == nil {
			order = append(order, s.Bench.Set)
		}
		bySet[s.Bench.Set] = append(bySet[s.Bench.Set], s)
	}
	for _, set := range order {
		tests, err := ready(bySet[set])
		if err != nil {
			return out, err
		}
		inspector := set.Inspect()
		out.seen(bySet[set][0].Bench.Report.Rules, inspector, tests)
		out.mutants(inspector, tests, o)
	}
	return out, nil
}

// test is a case made ready.
type test struct {
	*policy.Case
	call cases.Call
}

func ready(suites []cases.Suite) ([]test, error) {
	var out []test
	for _, s := range suites {
		for i := range s.Cases {
			c := &s.Cases[i]
			call, err := s.Bench.Ready(c)
			if err != nil {
				return nil, cases.At(s.File, c, err)
			}
			d := cases.Decide(s.Bench.Set, &call)
			if !cases.Holds(c, &d, &call) {
				return nil, cases.At(s.File, c, fmt.Errorf("it fails: what tests cover is known once all hold"))
			}
			if call.Refused == nil {
				out = append(out, test{c, call})
			}
		}
	}
	return out, nil
}

// spot is one condition of a policy.
type spot struct {
	rule, path string
}

// sight is how a condition was seen.
type sight struct {
	gap   Gap
	truth [3]bool // by policy.Truth
}

// sights collects what tests see.
type sights struct {
	matched map[string]bool
	spots   map[spot]*sight
}

// seen adds which rules matched and how each condition was seen.
func (r *Report) seen(rules []policy.RuleInfo, inspector *policy.Inspector, tests []test) {
	all := sights{map[string]bool{}, map[spot]*sight{}}
	for _, rule := range inspector.Outline() {
		all.rule(&rule, false)
	}
	for _, rule := range inspector.Examples() {
		all.rule(&rule, true)
	}
	for i := range tests {
		req := tests[i].call.Request
		for _, rule := range inspector.Explain(req, policy.Shown{Arguments: req.Arguments, Effects: req.Effects}).Rules {
			all.rule(&rule, true)
		}
	}
	for _, rule := range rules {
		if r.Rules.All++; all.matched[rule.ID] {
			r.Rules.Covered++
			continue
		}
		r.Unmatched = append(r.Unmatched, Gap{File: rule.File, Line: rule.Line, Rule: rule.ID})
	}
	for _, s := range all.spots {
		r.Conditions.All++
		r.Unknown.All++
		if s.truth[policy.Unknown] {
			r.Unknown.Covered++
		}
		for _, truth := range []policy.Truth{policy.True, policy.False} {
			if !s.truth[truth] {
				s.gap.Never = append(s.gap.Never, truth.String())
			}
		}
		if len(s.gap.Never) == 0 {
			r.Conditions.Covered++
			continue
		}
		r.Unseen = append(r.Unseen, s.gap)
	}
	sort(r.Unmatched)
	sort(r.Unseen)
}

func (s *sights) rule(r *policy.RuleSeen, really bool) {
	s.matched[r.ID] = s.matched[r.ID] || really && r.Matched
	s.condition(r, "when", r.When, really)
	s.condition(r, "unless", r.Unless, really)
}

// condition notes the tests in a condition, each by its path. What all, any and
// not join is theirs to be seen.
func (s *sights) condition(r *policy.RuleSeen, path string, c *policy.ConditionSeen, really bool) {
	if c == nil {
		return
	}
	if at := (spot{r.ID, path}); len(c.Parts) == 0 {
		if s.spots[at] == nil {
			s.spots[at] = &sight{gap: Gap{File: r.File, Line: c.Line, Column: c.Column, Rule: r.ID, What: c.Text}}
		}
		s.spots[at].truth[c.Truth] = s.spots[at].truth[c.Truth] || really
	}
	for i := range c.Parts {
		s.condition(r, fmt.Sprintf("%s/%d", path, i), &c.Parts[i], really)
	}
	for i := range c.Effects {
		s.condition(r, path+"/effect", &c.Effects[i].Condition, really && !c.Effects[i].Passed)
	}
}

func sort(gaps []Gap) {
	slices.SortFunc(gaps, func(a, b Gap) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.What, b.What))
	})
}
