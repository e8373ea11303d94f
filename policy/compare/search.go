// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"slices"
	"strconv"
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy/internal/sample"
)

// Bounds of a search, in conditions that are looked at.
const (
	workPerTool = 20_000_000
	workAtAll   = 200_000_000
	triesOfPair = 200    // assignments that turn out not to differ, or that the schema refuses
	workMore    = 60_000 // after the first witness, to find what other rules do
	workRepeat  = 2_000  // what another witness of the same rules costs
)

// none is no verdict yet: milder than all.
const none = toolverdict.Allow + 1

// pair is an old verdict and a new one.
type pair struct{ before, after toolverdict.Verdict }

// rulePair is what decides before and after.
type rulePair struct {
	pair
	before, after string
}

// search looks for witnesses about one tool.
type search struct {
	*model
	order  []int
	found  map[pair]int     // work at which no more is looked for
	shown  map[rulePair]int // place among the report's witnesses
	tries  int
	ends   int // work at which it gives up
	capped bool
	missed bool // an assignment differs by the rules and not by the policies, or cannot be built
	barred bool // the gate refuses the call before the rules
}

// tool looks for calls of one tool that are decided differently, one for each
// pair of verdicts, and for each pair of rules that decide as far as they are
// soon found.
func (c *comparison) tool(t *candidate) {
	c.report.Tools++
	if c.work > workAtAll {
		c.doubt(t.Name(), "the search was ended before this tool")
		return
	}
	doubts := len(c.report.Doubts)
	s := &search{model: c.model(t), found: map[pair]int{}, shown: map[rulePair]int{}, ends: c.work + workPerTool}
	s.order = s.ordered()
	picked := make([]int, len(s.vars))
	for i := range picked {
		picked[i] = -1
	}
	s.walk(picked)
	switch {
	case s.capped:
		c.doubt(t.Name(), "the search was ended before everything was tried")
	case s.barred:
		c.doubt(t.Name(), "calls that would differ were found, and the gate refuses them before the rules: the tool's schema, or that it only reads")
	case s.missed:
		c.doubt(t.Name(), "calls that would differ by their rules were found, and could not be made")
	}
	if !s.sides() {
		c.report.Doubts = c.report.Doubts[:doubts] // nothing about this tool can differ
	}
}

// sides reports whether some difference was possible before anything was picked.
func (s *search) sides() bool {
	open := make([]int, len(s.vars))
	for i := range open {
		open[i] = -1
	}
	return !s.settled(open)
}

// ordered puts the variables of differing rules first.
func (s *search) ordered() []int {
	weight := make([]int, len(s.vars))
	var count func(n *node, by int)
	count = func(n *node, by int) {
		if n == nil {
			return
		}
		if n.kind == 't' && s.leaves[n.leaf].of >= 0 {
			weight[s.leaves[n.leaf].of] += by
		}
		for _, p := range n.parts {
			count(p, by)
		}
	}
	for _, r := range s.rules {
		by := 1
		if r.side != inBoth {
			by = 1000
		}
		count(r.when, by)
		count(r.unless, by)
		if r.limit >= 0 {
			weight[r.limit] += by
		}
	}
	var out []int
	for range weight {
		best := -1
		for i, w := range weight {
			if w > 0 && (best < 0 || w > weight[best]) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		weight[best] = 0
		out = append(out, best)
	}
	return out
}

// span is the verdict that rules give for sure, and the strictest they could.
type span struct{ sure, could toolverdict.Verdict }

func (p *span) add(v toolverdict.Verdict, sure, could bool) {
	if sure {
		p.sure = min(p.sure, v)
	}
	if could {
		p.could = min(p.could, v)
	}
}

// spans are what the rules of the old policy alone, of the new alone, and of
// both say.
func (s *search) spans(picked []int) (before, after, both span) {
	open := span{none, none}
	of := [...]span{inOld: open, inNew: open, inBoth: open}
	for _, r := range s.rules {
		sure, could := s.matches(r, picked)
		of[r.side].add(r.verdict, sure, could)
	}
	return of[inOld], of[inNew], of[inBoth]
}

// verdicts are all that a policy could say.
func verdicts(own, both span, fallback toolverdict.Verdict) []toolverdict.Verdict {
	var out []toolverdict.Verdict
	for v := min(own.could, both.could); v <= min(own.sure, both.sure); v++ {
		said := v
		if v == none {
			said = fallback
		}
		out = append(out, said)
	}
	return out
}

// settled reports whether nothing that is still open can bring a difference of a
// kind that has no witness yet.
func (s *search) settled(picked []int) bool {
	before, after, both := s.spans(picked)
	same := s.c.before.fallback == s.c.after.fallback
	strictest := min(before.could, after.could)
	switch {
	case both.sure < none && both.sure <= strictest:
		return true
	case before == after && before.sure == before.could && (same || before.sure < none):
		return true
	}
	for _, a := range verdicts(before, both, s.c.before.fallback) {
		for _, b := range verdicts(after, both, s.c.after.fallback) {
			if ends, found := s.found[pair{a, b}]; a != b && (!found || s.c.work < ends) {
				return false
			}
		}
	}
	return true
}

// walk assigns one variable after another.
func (s *search) walk(picked []int) {
	if s.c.work > s.ends || s.tries > triesOfPair {
		s.capped = true
		return
	}
	s.c.work++
	if s.settled(picked) {
		return
	}
	before, after, both := s.spans(picked)
	a := verdicts(before, both, s.c.before.fallback)
	b := verdicts(after, both, s.c.after.fallback)
	next := -1
	for _, v := range s.order {
		if picked[v] < 0 {
			next = v
			break
		}
	}
	if len(a) == 1 && len(b) == 1 || next < 0 {
		s.witness(picked)
		return
	}
	for i := range s.vars[next].values {
		picked[next] = i
		s.walk(picked)
		if s.capped {
			break
		}
	}
	picked[next] = -1
}

// witness decides the call by both policies and keeps it if they differ.
func (s *search) witness(picked []int) {
	r, counts, ok := build(s.tool.Tool, s.vars, picked)
	if !ok {
		s.tries++
		s.missed = true
		return
	}
	if s.tool.known {
		if r.Arguments, ok = completed(s.tool.Tool, r.Arguments); !ok {
			s.tries++
			s.barred = true
			return
		}
	}
	before, after := decide(s.c.before, r, counts, 0), decide(s.c.after, r, counts, 1)
	if before.Verdict == after.Verdict {
		s.tries++
		s.missed = true
		return
	}
	p := rulePair{pair{before.Verdict, after.Verdict}, before.Rule, after.Rule}
	at, again := s.shown[p]
	if again {
		if s.c.work += workRepeat; !s.c.report.Witnesses[at].Assumed {
			return
		}
	}
	made := s.makeable(&r, counts, p)
	if again && !made {
		return
	}
	if !made && s.tool.known && toolverdict.RefuseEffects(s.tool.Tool, r.Effects, strconv.Quote) != nil {
		s.tries++
		s.barred = true
		return
	}
	w := Witness{
		Tool: s.tool.Name(), Known: s.tool.known, Call: example(&r, counts, s.vars, !made), Assumed: !made && s.effects(),
		Old: Side{before.Verdict, before.Rule}, New: Side{after.Verdict, after.Rule}, Stricter: after.Verdict < before.Verdict,
	}
	if again { // one that can be made takes the place of one that is assumed
		s.c.report.Witnesses[at] = w
		return
	}
	s.shown[p] = len(s.c.report.Witnesses)
	if _, found := s.found[p.pair]; !found {
		s.found[p.pair] = s.c.work + workMore
	}
	s.c.report.Witnesses = append(s.c.report.Witnesses, w)
}

// effects reports whether rules look at effects.
func (s *search) effects() bool {
	return slices.ContainsFunc(s.vars, func(v *variable) bool { return v.field.Root == sample.Effects })
}

// makeable puts arguments into the request that really have effects of which the
// same comes, where they can be found.
func (s *search) makeable(r *toolverdict.Request, counts map[string][2]int, want rulePair) bool {
	if s.c.maker.Make == nil || !s.tool.known || !s.effects() {
		return false
	}
	for _, args := range s.c.maker.Make(s.tool.Tool, r.Arguments, r.Effects) {
		one := *r
		if one.Arguments = args; toolverdict.RefuseArguments(s.tool.Tool, args) != nil {
			continue
		}
		one.Effects = s.c.maker.Analyse(s.tool.Tool, args, one.Environment)
		before, after := decide(s.c.before, one, counts, 0), decide(s.c.after, one, counts, 1)
		got := rulePair{pair{before.Verdict, after.Verdict}, before.Rule, after.Rule}
		if got == want && toolverdict.RefuseEffects(s.tool.Tool, one.Effects, strconv.Quote) == nil {
			*r = one
			return true
		}
	}
	return false
}

// decide asks as the gate does: the counters that the policy wants are read, and
// it is asked once more. No call was made before.
func decide(l *loaded, r toolverdict.Request, counts map[string][2]int, at int) toolverdict.Decision {
	r.Past = l.set.Remember(r, nil)
	d := l.set.Decide(r)
	if len(d.Limits) == 0 || d.Verdict == toolverdict.Deny {
		return d
	}
	for _, limit := range d.Limits {
		r.Usage = append(r.Usage, toolverdict.Usage{Key: limit.Key, Count: counts[limit.Rule][at], Oldest: r.At.Add(-time.Second)})
	}
	return l.set.Decide(r)
}
