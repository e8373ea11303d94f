// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"cmp"
	"slices"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy/internal/index"
	"github.com/toolverdict/toolverdict/policy/internal/predicate"
)

// program is the rules that can match a tool, by id. Where they are many, most
// of them are found by a value they need: a rule whose condition needs
// args.to to be one of two addresses is looked at only for those two, or where
// args.to holds something that no such test can judge.
type program struct {
	rules  []*rule
	checks []check // of each rule
	slots  []uint8 // by field id
	limits bool
	always []hit   // rules without a condition
	scan   []int32 // rules that can match whatever the fields hold: looked at each time
	groups []group
}

// check is what has to be looked at to tell whether a rule matches, close
// together in memory.
type check struct {
	strict bool
	tests  []*atom // all of them must hold; nil: see the rule
}

// group finds rules by the value of a field.
type group struct {
	field *field
	*index.Group
}

// scanAtMost is up to how many rules looking at each is quicker.
const scanAtMost = 8

func newProgram(rules []*rule, fields int) *program {
	p := &program{rules: rules, slots: make([]uint8, fields), checks: make([]check, len(rules))}
	uses := map[*field]int{}
	var tests []*atom
	for i, r := range rules {
		first := len(tests)
		tests = r.tests(tests)
		p.checks[i] = check{r.verdict != toolverdict.Allow, tests[first:len(tests):len(tests)]}
		p.limits = p.limits || r.limit != nil
		if r.when == nil && r.unless == nil {
			p.always = append(p.always, hit{at: int32(i)})
			continue
		}
		p.scan = append(p.scan, int32(i))
		for _, c := range []*cond{r.when, r.unless} {
			if c != nil {
				c.count(uses)
			}
		}
	}
	p.assign(uses)
	if len(p.scan) > scanAtMost {
		p.index()
	}
	return p
}

// count tells how often a condition looks at each field.
func (c *cond) count(uses map[*field]int) {
	if c.kind == condTest && !c.field.fan {
		uses[c.field]++
	}
	for i := range c.parts {
		c.parts[i].count(uses)
	}
}

// assign gives the fields that are looked at most their slots.
func (p *program) assign(uses map[*field]int) {
	fields := make([]*field, 0, len(uses))
	for f := range uses {
		fields = append(fields, f)
	}
	slices.SortFunc(fields, func(a, b *field) int { return cmp.Or(uses[b]-uses[a], a.id-b.id) })
	for i, f := range fields[:min(len(fields), maxCached)] {
		p.slots[f.id] = uint8(i + 1)
	}
}

// index moves the rules that need a value from those that are looked at each
// time to where the value leads.
func (p *program) index() {
	fields := map[int]*field{}
	rules := make([]index.Rule, len(p.scan))
	for i, at := range p.scan {
		r := p.rules[at]
		rules[i].Strict = r.verdict != toolverdict.Allow
		if r.when != nil {
			rules[i].Choices = r.when.choices(fields)
		}
	}
	x := index.New(rules, p.scan)
	p.scan = x.Always
	for _, g := range x.Groups {
		p.groups = append(p.groups, group{fields[g.Field()], g})
	}
}

// choices tells by which values a rule with this condition can be found. Each
// part of all is enough; of any, every part has to be found.
func (c *cond) choices(fields map[int]*field) []index.Choice {
	var out []index.Choice
	switch c.kind {
	case condAll:
		for i := range c.parts {
			out = append(out, c.parts[i].choices(fields)...)
		}
	case condAny:
		var sum index.Choice
		for i := range c.parts {
			of := c.parts[i].choices(fields)
			if len(of) == 0 {
				return nil
			}
			sum = append(sum, of[0]...)
		}
		out = append(out, sum)
	case condTest:
		if c.field.fan {
			return nil
		}
		fields[c.field.id] = c.field
		for _, n := range c.test.Needs() {
			out = append(out, index.Choice{{Field: c.field.id, Need: n}})
		}
	default:
	}
	return out
}

// hits appends the rules that match, in order.
func (p *program) hits(e *eval, out []hit) []hit {
	out = append(out, p.always...)
	for _, at := range p.scan {
		out = p.try(e, at, out)
	}
	var buf [48]int32
	found := buf[:0]
	for i := range p.groups {
		g := &p.groups[i]
		found = g.Find(e.value(g.field), found[:0])
		for _, at := range found {
			out = p.try(e, at, out)
		}
	}
	if len(out) < 2 || len(p.groups) == 0 && len(p.always) == 0 {
		return out
	}
	slices.SortFunc(out, func(a, b hit) int { return cmp.Compare(a.at, b.at) })
	return slices.CompactFunc(out, func(a, b hit) bool { return a.at == b.at })
}

func (p *program) try(e *eval, at int32, out []hit) []hit {
	c := &p.checks[at]
	t := predicate.True
	if len(c.tests) == 0 {
		t = p.rules[at].eval(e)
	}
	for _, a := range c.tests {
		if t = predicate.And(t, a.eval(e)); t == predicate.False {
			return out
		}
	}
	if t == predicate.True || c.strict && t == predicate.Unknown {
		return append(out, hit{at, t == predicate.Unknown})
	}
	return out
}

// tests appends the tests that must all hold for the rule to match, where there
// is nothing else to it.
func (r *rule) tests(out []*atom) []*atom {
	switch {
	case r.when == nil || r.unless != nil:
	case r.when.kind == condTest:
		return append(out, r.when.atom)
	case r.when.kind == condAll:
		for i := range r.when.parts {
			if r.when.parts[i].kind != condTest {
				return out
			}
		}
		for i := range r.when.parts {
			out = append(out, r.when.parts[i].atom)
		}
	}
	return out
}
