// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package schema

import "github.com/toolverdict/toolverdict/internal/canon"

func (r *run) object(o *objectRules, v canon.Value, at *place, mine *marks) bool {
	ok := r.required(o.required, v, at, "")
	if v.Len() < o.least {
		ok = r.failCount(at, "must have at least", o.least, "field")
	}
	if o.most != unset && v.Len() > o.most {
		ok = r.failCount(at, "must have at most", o.most, "field")
	}
	if r.goOn(ok) {
		ok = r.members(o, v, at, mine) && ok
	}
	for name, needs := range o.needs {
		if _, present := v.Get(name); present && r.goOn(ok) {
			ok = r.required(needs, v, at, name) && ok
		}
	}
	for _, d := range o.needsSchema {
		if _, present := v.Get(d.name); present && r.goOn(ok) {
			ok = r.apply(d.node, v, at, mine) && ok
		}
	}
	if o.unevaluated != nil && r.goOn(ok) {
		ok = r.unevaluatedMembers(o, v, at, mine) && ok
	}
	return ok
}

// required finds members that are not there. Where because is a name, its
// presence is what makes them needed.
func (r *run) required(names []string, v canon.Value, at *place, because string) bool {
	if !r.spend(len(names)) {
		return false
	}
	ok := true
	for _, name := range names {
		if _, present := v.Get(name); !present {
			ok = r.failMissing(at, name, because)
		}
		if !r.goOn(ok) {
			return false
		}
	}
	return ok
}

func (r *run) members(o *objectRules, v canon.Value, at *place, mine *marks) bool {
	ok, i := true, -1
	for name, m := range v.Fields() {
		i++
		if !r.member(o, name, m, at, mine.at(i)) {
			ok = false
		}
		if !r.goOn(ok) {
			return false
		}
	}
	return ok
}

// member applies all schemas that are meant for one member.
func (r *run) member(o *objectRules, name string, v canon.Value, at *place, mark mark) bool {
	ok := o.names == nil || r.nameAllowed(o.names, name, at)
	sub, found := o.properties[name]
	if found {
		ok = r.eval(sub, v, r.in(at, name), nil) && ok
	}
	for _, p := range o.patterns {
		if !r.goOn(ok) {
			return false
		}
		if r.matches(p.pattern, name) {
			found = true
			ok = r.eval(p.node, v, r.in(at, name), nil) && ok
		}
	}
	if !found && o.other != nil {
		found = true
		if o.other.never {
			ok = r.failUnknown(at, name, o)
		} else {
			ok = r.eval(o.other, v, r.in(at, name), nil) && ok
		}
	}
	if found {
		mark.set()
	}
	return ok
}

func (r *run) nameAllowed(names *node, name string, at *place) bool {
	if r.quietly(names, canon.String(name), nil) {
		return true
	}
	return r.fail(r.in(at, name), "is not an allowed name for a field")
}

func (r *run) unevaluatedMembers(o *objectRules, v canon.Value, at *place, mine *marks) bool {
	ok, i := true, -1
	for name, m := range v.Fields() {
		i++
		if mine.has(i) {
			continue
		}
		mine.add(i)
		if o.unevaluated.never {
			ok = r.failUnknown(at, name, o)
		} else if !r.eval(o.unevaluated, m, r.in(at, name), nil) {
			ok = false
		}
		if !r.goOn(ok) {
			return false
		}
	}
	return ok
}

// apply applies a further schema to the same value. What it evaluated counts
// only if the value is valid under it.
func (r *run) apply(n *node, v canon.Value, at *place, mine *marks) bool {
	if mine == nil {
		return r.eval(n, v, at, nil)
	}
	theirs := &marks{}
	ok := r.eval(n, v, at, theirs)
	if ok {
		mine.merge(theirs)
	}
	return ok
}

// same applies the schemas that look at the same value.
func (r *run) same(s *sameRules, v canon.Value, at *place, mine *marks) bool {
	ok := true
	for _, list := range [2][]*node{s.refs, s.all} {
		for _, n := range list {
			if r.goOn(ok) {
				ok = r.apply(n, v, at, mine) && ok
			}
		}
	}
	if len(s.any) > 0 && r.goOn(ok) {
		ok = r.anyOf(s.any, v, at, mine) && ok
	}
	if len(s.one) > 0 && r.goOn(ok) {
		ok = r.oneOf(s.one, v, at, mine) && ok
	}
	if s.not != nil && r.goOn(ok) && r.quietly(s.not, v, nil) {
		ok = r.fail(at, "is of a kind that the schema rules out")
	}
	if s.condition != nil && r.goOn(ok) {
		ok = r.conditional(s, v, at, mine) && ok
	}
	return ok && !r.over
}

func (r *run) anyOf(list []*node, v canon.Value, at *place, mine *marks) bool {
	found := false
	for _, n := range list {
		if r.matchQuietly(n, v, mine) {
			found = true
			if mine == nil {
				return true // marks need every branch that holds
			}
		}
	}
	return found || r.failForms(list, v, at)
}

func (r *run) oneOf(list []*node, v canon.Value, at *place, mine *marks) bool {
	count := 0
	for _, n := range list {
		if r.matchQuietly(n, v, mine) {
			count++
		}
		if count > 1 {
			return r.fail(at, "fits more than one of the forms of which the schema allows exactly one")
		}
	}
	return count == 1 || r.failForms(list, v, at)
}

func (r *run) matchQuietly(n *node, v canon.Value, mine *marks) bool {
	if mine == nil {
		return r.quietly(n, v, nil)
	}
	theirs := &marks{}
	ok := r.quietly(n, v, theirs)
	if ok {
		mine.merge(theirs)
	}
	return ok
}

func (r *run) conditional(s *sameRules, v canon.Value, at *place, mine *marks) bool {
	next := s.others
	if r.matchQuietly(s.condition, v, mine) {
		next = s.consequence
	}
	return next == nil || r.apply(next, v, at, mine)
}
