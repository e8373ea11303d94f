// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"math/big"
	"unicode/utf8"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/schema/internal/pattern"
)

// maxSteps bounds one check: a step is one schema applied to one value, one
// name looked up, or some bytes matched. It is a tenth of a second's work; real
// calls need a few dozen steps.
const maxSteps = 500_000

// run is one check. Without errs it stops at the first thing wrong and
// allocates next to nothing; with errs it finds all.
type run struct {
	steps int
	over  bool
	errs  *[]problem
}

// spend counts work. Once the budget is gone every check fails, whichever way a
// not or an if would turn it: see valid.
func (r *run) spend(n int) bool {
	if r.steps -= n; r.steps < 0 {
		r.over = true
	}
	return !r.over
}

// valid reports whether v is valid. Nothing is valid once the budget is gone.
func (r *run) valid(n *node, v canon.Value) bool {
	return r.eval(n, v, nil, nil) && !r.over
}

// quietly tells whether v matches, without finding out why not.
func (r *run) quietly(n *node, v canon.Value, seen *marks) bool {
	errs := r.errs
	r.errs = nil
	ok := r.eval(n, v, nil, seen)
	r.errs = errs
	return ok && !r.over
}

// goOn reports whether there is a reason to look further.
func (r *run) goOn(ok bool) bool { return !r.over && (ok || r.errs != nil) }

// eval applies a schema to a value. Members and items that it evaluated are
// marked in seen, where that is not nil, if the value is valid.
func (r *run) eval(n *node, v canon.Value, at *place, seen *marks) bool {
	if !r.spend(1) {
		return false
	}
	if n.never {
		return r.fail(at, notAllowed)
	}
	if n.kinds != 0 && !n.kinds.has(v) {
		return r.failKind(at, n.kinds)
	}
	if !r.listed(n, v, at) {
		return false
	}
	mine := seen
	if n.marks {
		mine = &marks{}
	}
	ok := true
	if n.same != nil {
		ok = r.same(n.same, v, at, mine)
	}
	if r.goOn(ok) {
		ok = r.own(n, v, at, mine) && ok
	}
	if ok && n.marks {
		seen.merge(mine)
	}
	return ok && !r.over
}

// listed checks enum, const and format, which make everything else moot.
func (r *run) listed(n *node, v canon.Value, at *place) bool {
	for i := range n.enums {
		e := &n.enums[i]
		if v.Kind() != canon.KindString && !r.spend(e.size/64) {
			return false
		}
		if !e.has(v) {
			return r.failEnum(at, e)
		}
	}
	if n.format != nil && v.Kind() == canon.KindString && !n.format.check(v.Text()) {
		return r.failFormat(at, n.format)
	}
	return true
}

// own checks what the schema itself says of values of this kind.
func (r *run) own(n *node, v canon.Value, at *place, mine *marks) bool {
	switch v.Kind() {
	case canon.KindString:
		return n.text == nil || r.text(n.text, v.Text(), at)
	case canon.KindNumber:
		return n.number == nil || r.number(n.number, v.Number(), at)
	case canon.KindArray:
		return n.array == nil || r.array(n.array, v, at, mine)
	case canon.KindObject:
		return n.object == nil || r.object(n.object, v, at, mine)
	default:
		return true
	}
}

func (r *run) text(t *textRules, s string, at *place) bool {
	ok := true
	if t.least != unset || t.most != unset {
		count := utf8.RuneCountInString(s)
		if count < t.least {
			ok = r.failCount(at, "must have at least", t.least, "character")
		}
		if t.most != unset && count > t.most {
			ok = r.failCount(at, "must have at most", t.most, "character")
		}
	}
	if t.pattern != nil && r.goOn(ok) && !r.matches(t.pattern, s) {
		ok = r.failPattern(at, t.pattern)
	}
	return ok
}

// matches charges for the work that RE2 may do: text times program.
func (r *run) matches(p *pattern.Pattern, s string) bool {
	return r.spend(1+len(s)*p.Cost/1024) && p.MatchString(s)
}

func (r *run) number(rules *numberRules, n canon.Number, at *place) bool {
	ok := true
	if b := rules.least; b != nil && n.Cmp(*b) < 0 {
		ok = r.failBound(at, "must be at least", b)
	}
	if b := rules.most; b != nil && n.Cmp(*b) > 0 {
		ok = r.failBound(at, "must be at most", b)
	}
	if b := rules.above; b != nil && n.Cmp(*b) <= 0 {
		ok = r.failBound(at, "must be more than", b)
	}
	if b := rules.below; b != nil && n.Cmp(*b) >= 0 {
		ok = r.failBound(at, "must be less than", b)
	}
	if b := rules.multiple; b != nil && !multipleOf(n, *b) {
		ok = r.failBound(at, "must be a multiple of", b)
	}
	return ok
}

func multipleOf(n, of canon.Number) bool {
	a, exact := n.Int64()
	b, both := of.Int64()
	if exact && both && b != 0 {
		return a%b == 0
	}
	x, known := new(big.Rat).SetString(n.String())
	y, good := new(big.Rat).SetString(of.String())
	return known && good && y.Sign() != 0 && new(big.Rat).Quo(x, y).IsInt()
}

func (r *run) array(a *arrayRules, v canon.Value, at *place, mine *marks) bool {
	ok := true
	if v.Len() < a.least {
		ok = r.failCount(at, "must have at least", a.least, "item")
	}
	if a.most != unset && v.Len() > a.most {
		ok = r.failCount(at, "must have at most", a.most, "item")
	}
	if a.unique && r.goOn(ok) && !r.unique(v) {
		ok = r.fail(at, "must not hold the same item twice")
	}
	if r.goOn(ok) {
		ok = r.items(a, v, at, mine) && ok
	}
	if a.contains != nil && r.goOn(ok) {
		ok = r.contains(a, v, at, mine) && ok
	}
	if a.unevaluated != nil && r.goOn(ok) {
		ok = r.unevaluatedItems(a, v, at, mine) && ok
	}
	return ok
}

func (r *run) items(a *arrayRules, v canon.Value, at *place, mine *marks) bool {
	ok := true
	if len(a.prefix) == 0 && a.rest == nil {
		return true
	}
	for i, e := range v.Items() {
		sub := a.rest
		if i < len(a.prefix) {
			sub = a.prefix[i]
		}
		if sub == nil {
			break
		}
		mine.add(i)
		if !r.eval(sub, e, r.index(at, i), nil) {
			ok = false
		}
		if !r.goOn(ok) {
			return false
		}
	}
	return ok
}

func (r *run) contains(a *arrayRules, v canon.Value, at *place, mine *marks) bool {
	c, found := a.contains, 0
	for i, e := range v.Items() {
		if r.quietly(c.node, e, nil) {
			found++
			if a.countContains {
				mine.add(i)
			}
		}
	}
	switch {
	case r.over:
		return false
	case found < c.least:
		return r.failCount(at, "must hold at least", c.least, "item of the kind the schema asks for")
	case c.most != unset && found > c.most:
		return r.failCount(at, "must hold at most", c.most, "item of the kind the schema names")
	}
	return true
}

func (r *run) unevaluatedItems(a *arrayRules, v canon.Value, at *place, mine *marks) bool {
	ok := true
	for i, e := range v.Items() {
		if mine.has(i) {
			continue
		}
		mine.add(i)
		if !r.eval(a.unevaluated, e, r.index(at, i), nil) {
			ok = false
		}
		if !r.goOn(ok) {
			return false
		}
	}
	return ok
}

// unique compares canonical forms, so that 1 and 1.0 are the same.
func (r *run) unique(v canon.Value) bool {
	if !r.spend(len(v.RawText()) / 32) {
		return false
	}
	seen := make(map[string]struct{}, v.Len())
	var buf []byte
	for _, e := range v.Items() {
		buf = canon.Append(buf[:0], e)
		if _, twice := seen[string(buf)]; twice {
			return false
		}
		seen[string(buf)] = struct{}{}
	}
	return true
}
