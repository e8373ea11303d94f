// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"cmp"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy/internal/effects"
	"github.com/toolverdict/toolverdict/policy/internal/index"
	"github.com/toolverdict/toolverdict/policy/internal/predicate"
)

// program is the rules that can match a tool, by id. Where they are many, most
// of them are found by a value they need: a rule whose condition needs
// args.to to be one of two addresses is looked at only for those two, or where
// args.to holds something that no such test can judge.
type program struct {
	rules  []*rule
	checks []check           // of each rule
	tests  []predicate.Quick // of all checks
	atoms  []*atom           // the most used ones first
	slots  []uint8           // by field id
	fields [maxCached]*field // by slot, which counts from 1
	limits bool
	scan   []int32 // rules that are looked at each time
	groups []group
	memo   []atomic.Pointer[outcome] // what was made of hits before; a power of two, or none
	looks  []*predicate.Question     // what the rules ask of earlier calls
}

// check is what has to be looked at to tell whether a rule matches, close
// together in memory.
type check struct {
	first  int32 // of its tests
	count  int32 // all of them must hold; 0: see the rule
	strict bool
	sure   bool // the rule has no condition
}

// group finds rules by the value of a field, or of a field of effects.
type group struct {
	field *field // nil: of effects
	slot  uint8
	of    effects.Field
	index.Group
}

// ofEffects is where the fields of effects start among the index's fields.
const ofEffects = 1 << 20

// among finds rules by the effects of the call.
func (g *group) among(e *eval, out []int32) []int32 {
	list := e.req.Effects
	if len(list) == 0 && !e.analysed() || len(list) > predicate.MaxElements {
		return g.All(out)
	}
	var v predicate.Value
	for i := range list {
		if !effects.Has(list[i].Kind, g.of) {
			continue
		}
		if g.of.Read(&list[i], &v); v.Kind == predicate.Path && !list[i].Folded {
			out = g.Below(list[i].Path, out)
			continue
		}
		out = g.Partly(&v, out)
	}
	return out
}

// scanAtMost is up to how many rules looking at each is quicker.
const scanAtMost = 6

func newProgram(rules []*rule, fields int) *program {
	p := &program{rules: rules, slots: make([]uint8, fields)}
	p.flatten()
	uses := map[*field]int{}
	for i, r := range rules {
		p.limits = p.limits || r.limit != nil
		p.scan = append(p.scan, int32(i))
		for _, c := range []*cond{r.when, r.unless} {
			if c != nil {
				c.count(uses)
			}
		}
	}
	p.looks = questions(rules)
	p.assign(uses)
	if len(rules) > 1 {
		p.memo = make([]atomic.Pointer[outcome], 1<<min(bits.Len(uint(len(rules)))+1, 10))
	}
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
		p.slots[f.id], p.fields[i] = uint8(i+1), f
	}
	for i := range p.tests {
		if f := p.atoms[p.tests[i].Atom].field; !f.fan {
			p.tests[i].Slot = p.slots[f.id]
		}
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
		if id := g.Field(); id >= ofEffects {
			p.groups = append(p.groups, group{of: effects.Field(id - ofEffects), Group: g}) //nolint:gosec // as it was put in
			continue
		}
		f := fields[g.Field()]
		p.groups = append(p.groups, group{field: f, slot: p.slots[f.id], Group: g})
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
		for i := range c.needs {
			out = append(out, index.Choice{{Field: c.field.id, Need: &c.needs[i]}})
		}
	case condEffects:
		if !c.effects.every {
			return c.effects.part.choices(fields) // an effect that meets it
		}
	case condEffect:
		for i := range c.needs {
			if !c.of.IsList() {
				out = append(out, index.Choice{{Field: ofEffects + int(c.of), Need: &c.needs[i]}})
			}
		}
	default:
	}
	return out
}

// hits appends the rules that match, in order.
func (p *program) hits(e *eval, out []hit) []hit {
	for _, at := range p.scan {
		out = p.try(e, at, out)
	}
	if len(p.groups) == 0 {
		return out
	}
	var buf [48]int32
	found := buf[:0]
	for i := range p.groups {
		g := &p.groups[i]
		if g.field == nil {
			found = g.among(e, found[:0])
		} else {
			found = g.Find(e.read(g.field, g.slot), found[:0])
		}
		for _, at := range found {
			out = p.try(e, at, out)
		}
	}
	return index.Order(out, 2*len(p.rules))
}

func (p *program) try(e *eval, at int32, out []hit) []hit {
	c := p.checks[at]
	t := predicate.True
	if c.count == 0 && !c.sure {
		t = p.rules[at].eval(e)
	}
	tests := p.tests[c.first : c.first+c.count]
	for i := range tests {
		if t = predicate.And(t, p.tell(e, &tests[i])); t == predicate.False {
			return out
		}
	}
	if t == predicate.True || c.strict && t == predicate.Unknown {
		return append(out, hitOf(at, t == predicate.Unknown))
	}
	return out
}

// tell makes a test, and the most used ones of those that take long only once.
func (p *program) tell(e *eval, one *predicate.Quick) predicate.Truth {
	if one.Slot > 0 {
		if t, ok := one.Tell(e.read(p.fields[one.Slot-1], one.Slot)); ok {
			return t
		}
	}
	at := one.Atom
	if at >= maxTold {
		return p.atoms[at].eval(e)
	}
	if e.told&(1<<at) == 0 {
		e.truths[at] = p.atoms[at].eval(e)
		e.told |= 1 << at
	}
	return e.truths[at]
}

// flatten makes the checks.
func (p *program) flatten() {
	var tests []*atom
	uses := map[*atom]int{}
	for _, r := range p.rules {
		first := len(tests)
		tests = r.tests(tests)
		p.checks = append(p.checks, check{int32(first), int32(len(tests) - first), r.verdict != toolverdict.Allow, r.when == nil && r.unless == nil}) //nolint:gosec // far fewer tests fit a policy
	}
	for _, a := range tests {
		if uses[a]++; uses[a] == 1 {
			p.atoms = append(p.atoms, a)
		}
	}
	slices.SortStableFunc(p.atoms, func(a, b *atom) int { return uses[b] - uses[a] })
	places := make(map[*atom]int32, len(p.atoms))
	for i, a := range p.atoms {
		places[a] = int32(i)
	}
	for _, a := range tests {
		one := a.quick
		one.Atom = places[a]
		p.tests = append(p.tests, one)
	}
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
