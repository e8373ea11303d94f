// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"cmp"
	"slices"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy/internal/match"
	"github.com/toolverdict/toolverdict/policy/internal/predicate"
)

// program is the rules that can match a tool, by id. Where they are many, most
// of them are found by a value they need: a rule whose condition needs
// args.to to be one of two addresses is looked at only for those two, or where
// args.to holds something that no such test can judge.
type program struct {
	rules  []*rule
	slots  []uint8 // by field id
	limits bool
	scan   []int32 // rules without such a value: looked at each time
	groups []*group
}

// scanAtMost is up to how many rules looking at each is quicker.
const scanAtMost = 8

func newProgram(rules []*rule, fields int) *program {
	p := &program{rules: rules, slots: make([]uint8, fields)}
	next := uint8(0)
	for _, r := range rules {
		p.limits = p.limits || r.limit != nil
		for _, c := range []*cond{r.when, r.unless} {
			if c != nil {
				next = c.assign(p.slots, next)
			}
		}
	}
	p.index()
	return p
}

// assign gives the fields of a condition their slots.
func (c *cond) assign(slots []uint8, next uint8) uint8 {
	if c.kind == condTest && !c.field.fan && slots[c.field.id] == 0 && next < maxCached {
		next++
		slots[c.field.id] = next
	}
	for i := range c.parts {
		next = c.parts[i].assign(slots, next)
	}
	return next
}

// hits appends the rules that match, in order.
func (p *program) hits(e *eval, out []hit) []hit {
	for _, at := range p.scan {
		out = p.try(e, at, out)
	}
	if len(p.groups) == 0 {
		return out
	}
	for _, g := range p.groups {
		out = g.hits(p, e, out)
	}
	slices.SortFunc(out, func(a, b hit) int { return cmp.Compare(a.at, b.at) })
	return slices.CompactFunc(out, func(a, b hit) bool { return a.at == b.at })
}

func (p *program) try(e *eval, at int32, out []hit) []hit {
	r := p.rules[at]
	if t := r.eval(e); r.matches(t) {
		return append(out, hit{at, t == match.Unknown})
	}
	return out
}

// key is a value that a rule needs: where the field holds a text or number that
// is not it, the rule's condition is false, whatever else is in it.
type key struct {
	field *field
	predicate.Key
}

// group finds the rules that need a value of one field.
type group struct {
	field  *field
	kind   predicate.KeyKind
	texts  map[string][]int32 // predicate.KeyText, predicate.KeyPrefix
	sizes  []int              // predicate.KeyPrefix: distinct lengths, ascending
	bounds []bound            // predicate.KeyLow: ascending; predicate.KeyHigh: descending
	strict []int32            // its deny and ask rules
	all    []int32
}

type bound struct {
	number canon.Number
	at     int32
}

// hits tries the rules that the field's value leads to. A value of another type
// leads to all of them that an unknown can make match, a list to all.
func (g *group) hits(p *program, e *eval, out []hit) []hit {
	v := e.value(g.field)
	switch {
	case v.IsList():
		return p.each(e, g.all, out)
	case g.kind <= predicate.KeyPrefix && v.Kind != predicate.Text, g.kind > predicate.KeyPrefix && !v.IsNumber():
		return p.each(e, g.strict, out)
	case g.kind == predicate.KeyText:
		return p.each(e, g.texts[v.Text], out)
	case g.kind == predicate.KeyPrefix:
		s := v.Text
		for _, size := range g.sizes {
			if size > len(s) {
				break
			}
			out = p.each(e, g.texts[s[:size]], out)
		}
		return out
	}
	n := v.Number()
	for i := range g.bounds {
		order := n.Cmp(g.bounds[i].number)
		if g.kind == predicate.KeyLow && order < 0 || g.kind == predicate.KeyHigh && order > 0 {
			break
		}
		out = p.try(e, g.bounds[i].at, out)
	}
	return out
}

func (p *program) each(e *eval, list []int32, out []hit) []hit {
	for _, at := range list {
		out = p.try(e, at, out)
	}
	return out
}

// index decides by which value each rule is found: the one that tells most
// rules apart.
func (p *program) index() {
	if len(p.rules) <= scanAtMost {
		for i := range p.rules {
			p.scan = append(p.scan, int32(i))
		}
		return
	}
	keys := make([][]key, len(p.rules))
	kinds := map[keyID]map[string]bool{}
	for i, r := range p.rules {
		if r.when != nil {
			keys[i] = r.when.keys(nil)
		}
		for _, k := range keys[i] {
			k.count(kinds)
		}
	}
	groups := map[keyID]*group{}
	for i := range p.rules {
		best, most := -1, 1
		for j, k := range keys[i] {
			if n := k.score(kinds); n > most {
				best, most = j, n
			}
		}
		if best < 0 {
			p.scan = append(p.scan, int32(i))
			continue
		}
		p.add(groups, keys[i][best], int32(i))
	}
	for _, g := range p.groups {
		g.finish()
	}
}

type keyID struct {
	field int
	kind  predicate.KeyKind
}

func (k *key) id() keyID { return keyID{k.field.id, k.Kind} }

func (k *key) count(kinds map[keyID]map[string]bool) {
	if kinds[k.id()] == nil {
		kinds[k.id()] = map[string]bool{}
	}
	for _, s := range k.Texts {
		kinds[k.id()][s] = true
	}
}

// score is into how many parts the key divides the rules.
func (k *key) score(kinds map[keyID]map[string]bool) int {
	if k.Kind > predicate.KeyPrefix {
		return 2
	}
	return len(kinds[k.id()]) / len(k.Texts)
}

func (p *program) add(groups map[keyID]*group, k key, at int32) {
	g := groups[k.id()]
	if g == nil {
		g = &group{field: k.field, kind: k.Kind, texts: map[string][]int32{}}
		groups[k.id()] = g
		p.groups = append(p.groups, g)
	}
	g.all = append(g.all, at)
	if p.rules[at].verdict != toolverdict.Allow {
		g.strict = append(g.strict, at)
	}
	if k.Kind > predicate.KeyPrefix {
		g.bounds = append(g.bounds, bound{k.Bound, at})
	}
	for _, s := range k.Texts {
		g.texts[s] = append(g.texts[s], at)
		if !slices.Contains(g.sizes, len(s)) {
			g.sizes = append(g.sizes, len(s))
		}
	}
}

func (g *group) finish() {
	slices.Sort(g.sizes)
	slices.SortStableFunc(g.bounds, func(a, b bound) int {
		if g.kind == predicate.KeyHigh {
			a, b = b, a
		}
		return a.number.Cmp(b.number)
	})
}

// keys appends the values that the condition needs: those of tests that must
// all hold.
func (c *cond) keys(out []key) []key {
	switch c.kind {
	case condAll:
		for i := range c.parts {
			out = c.parts[i].keys(out)
		}
	case condTest:
		if c.field.fan || c.field.list {
			return out
		}
		for _, k := range c.test.Keys() {
			out = append(out, key{c.field, k})
		}
	default:
	}
	return out
}
