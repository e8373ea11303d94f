// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"cmp"
	"slices"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy/internal/match"
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

// keyKind says what kind of value a rule needs.
type keyKind uint8

const (
	keyText   keyKind = iota // one of some texts
	keyPrefix                // a text that starts with one of some
	keyLow                   // a number from a bound upwards
	keyHigh                  // a number up to a bound
)

// key is a value that a rule needs: where the field holds a text or number that
// is not it, the rule's condition is false, whatever else is in it.
type key struct {
	field *field
	kind  keyKind
	texts []string
	bound canon.Number
}

// group finds the rules that need a value of one field.
type group struct {
	field  *field
	kind   keyKind
	texts  map[string][]int32 // keyText, keyPrefix
	sizes  []int              // keyPrefix: distinct lengths, ascending
	bounds []bound            // keyLow: ascending; keyHigh: descending
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
	case v.kind == array || v.kind == texts:
		return p.each(e, g.all, out)
	case g.kind <= keyPrefix && v.kind != text, g.kind > keyPrefix && v.kind != number && v.kind != whole:
		return p.each(e, g.strict, out)
	case g.kind == keyText:
		return p.each(e, g.texts[v.text], out)
	case g.kind == keyPrefix:
		s := v.text
		for _, size := range g.sizes {
			if size > len(s) {
				break
			}
			out = p.each(e, g.texts[s[:size]], out)
		}
		return out
	}
	n := v.number()
	for i := range g.bounds {
		order := n.Cmp(g.bounds[i].number)
		if g.kind == keyLow && order < 0 || g.kind == keyHigh && order > 0 {
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
	kind  keyKind
}

func (k *key) id() keyID { return keyID{k.field.id, k.kind} }

func (k *key) count(kinds map[keyID]map[string]bool) {
	if kinds[k.id()] == nil {
		kinds[k.id()] = map[string]bool{}
	}
	for _, s := range k.texts {
		kinds[k.id()][s] = true
	}
}

// score is into how many parts the key divides the rules.
func (k *key) score(kinds map[keyID]map[string]bool) int {
	if k.kind > keyPrefix {
		return 2
	}
	return len(kinds[k.id()]) / len(k.texts)
}

func (p *program) add(groups map[keyID]*group, k key, at int32) {
	g := groups[k.id()]
	if g == nil {
		g = &group{field: k.field, kind: k.kind, texts: map[string][]int32{}}
		groups[k.id()] = g
		p.groups = append(p.groups, g)
	}
	g.all = append(g.all, at)
	if p.rules[at].verdict != toolverdict.Allow {
		g.strict = append(g.strict, at)
	}
	if k.kind > keyPrefix {
		g.bounds = append(g.bounds, bound{k.bound, at})
	}
	for _, s := range k.texts {
		g.texts[s] = append(g.texts[s], at)
		if !slices.Contains(g.sizes, len(s)) {
			g.sizes = append(g.sizes, len(s))
		}
	}
}

func (g *group) finish() {
	slices.Sort(g.sizes)
	slices.SortStableFunc(g.bounds, func(a, b bound) int {
		if g.kind == keyHigh {
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
		for i := range c.test.each {
			if k, ok := c.test.each[i].key(c.field); ok && !c.field.fan && !c.field.list {
				out = append(out, k)
			}
		}
	default:
	}
	return out
}

func (o *op) key(f *field) (key, bool) {
	k := key{field: f}
	switch {
	case o.negate:
		return k, false
	case o.code == opEqual && len(o.equal.texts) > 0 && o.equal.onlyTexts():
		k.kind, k.texts = keyText, slices.Compact(slices.Sorted(slices.Values(o.equal.texts)))
	case o.code == opPrefix:
		k.kind, k.texts = keyPrefix, slices.Compact(slices.Sorted(slices.Values(o.words)))
	case o.code == opOrder && !o.order.timed && o.order.hasLow:
		k.kind, k.bound = keyLow, o.order.low
	case o.code == opOrder && !o.order.timed && o.order.hasHigh:
		k.kind, k.bound = keyHigh, o.order.high
	default:
		return k, false
	}
	return k, true
}

func (l *literals) onlyTexts() bool {
	return len(l.numbers) == 0 && len(l.moments) == 0 && !l.yes && !l.no
}
