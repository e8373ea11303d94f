// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"slices"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// nameIndex holds every name that the schema declares anywhere. Most calls use
// no other, and are cleared by it alone.
type nameIndex struct {
	all canon.NameSet
	// twins says that two declared names fold onto each other: then a name that
	// is declared somewhere may still clash where it stands.
	twins bool
}

// declared are the names that a schema gives to members of an object.
func (n *node) declared(f func(string)) {
	if n.object == nil {
		return
	}
	for _, name := range n.object.propertyOrder {
		f(name)
	}
	for _, name := range n.object.required {
		f(name)
	}
	for name, needs := range n.object.needs {
		f(name)
		for _, need := range needs {
			f(need)
		}
	}
	for _, d := range n.object.needsSchema {
		f(d.name)
	}
}

func indexNames(nodes []*node) nameIndex {
	var names []string
	byFold := map[string]string{}
	twins := false
	for _, n := range nodes {
		n.declared(func(name string) {
			fold := canon.Fold(name)
			other, known := byFold[fold]
			twins = twins || known && other != name
			byFold[fold] = name
			names = append(names, name)
		})
	}
	return nameIndex{canon.NewNameSet(names), twins}
}

// Clash implements [toolverdict.Schema]: it looks at every depth, and at every
// schema that could apply there, also those of branches that do not hold. When
// in doubt it reports a clash.
func (s *Schema) Clash(v toolverdict.Value) (toolverdict.FieldError, bool) {
	if !s.names.twins && !s.suspicious(v) {
		return toolverdict.FieldError{}, false
	}
	w := clashWalk{steps: maxSteps}
	if !w.value(v, []*node{s.root}, nil) {
		return toolverdict.FieldError{}, false
	}
	return toolverdict.FieldError{Path: pointer(w.path), Message: w.message}, true
}

// suspicious reports whether any member folds onto any declared name.
func (s *Schema) suspicious(v canon.Value) bool {
	switch v.Kind() {
	case canon.KindObject:
		if _, _, found := s.names.all.Clash(v); found {
			return true
		}
		for _, m := range v.Fields() {
			if m.Kind() >= canon.KindArray && s.suspicious(m) {
				return true
			}
		}
	case canon.KindArray:
		for _, e := range v.Items() {
			if e.Kind() >= canon.KindArray && s.suspicious(e) {
				return true
			}
		}
	default:
	}
	return false
}

// clashWalk looks for a clash with the names declared at each place.
type clashWalk struct {
	steps   int
	path    []string
	message string
}

func (w *clashWalk) found(at *place, message string) bool {
	w.path, w.message = at.path(), message
	return true
}

// value walks one value under all schemas that could apply to it.
func (w *clashWalk) value(v canon.Value, roots []*node, at *place) bool {
	if v.Kind() < canon.KindArray || len(roots) == 0 {
		return false
	}
	nodes := closure(roots)
	if w.steps -= 1 + len(nodes)*(1+v.Len()); w.steps < 0 {
		return w.found(nil, tooCostly)
	}
	if v.Kind() == canon.KindArray {
		for i, e := range v.Items() {
			r := run{errs: &[]problem{}}
			if w.value(e, itemNodes(nodes, i), r.index(at, i)) {
				return true
			}
		}
		return false
	}
	var names []string
	for _, n := range nodes {
		n.declared(func(name string) { names = append(names, name) })
	}
	if member, with, clash := canon.NewNameSet(names).Clash(v); clash {
		return w.found(&place{at, member}, "is spelt almost like the field "+quoted(with)+": use exactly that name")
	}
	for name, m := range v.Fields() {
		if w.value(m, memberNodes(nodes, name), &place{at, name}) {
			return true
		}
	}
	return false
}

// closure adds all schemas that look at the same value.
func closure(roots []*node) []*node {
	var out []*node
	seen := map[*node]bool{}
	var add func(n *node)
	add = func(n *node) {
		if n == nil || seen[n] {
			return
		}
		seen[n] = true
		out = append(out, n)
		n.inPlace(add)
	}
	for _, n := range roots {
		add(n)
	}
	slices.SortFunc(out, func(a, b *node) int { return a.id - b.id })
	return out
}

// itemNodes are the schemas that could apply to the item at i.
func itemNodes(nodes []*node, i int) []*node {
	var out []*node
	for _, n := range nodes {
		a := n.array
		if a == nil {
			continue
		}
		if i < len(a.prefix) {
			out = append(out, a.prefix[i])
		} else if a.rest != nil {
			out = append(out, a.rest)
		}
		if a.contains != nil {
			out = append(out, a.contains.node)
		}
		if a.unevaluated != nil {
			out = append(out, a.unevaluated)
		}
	}
	return out
}

// memberNodes are the schemas that could apply to the member of that name.
func memberNodes(nodes []*node, name string) []*node {
	var out []*node
	for _, n := range nodes {
		o := n.object
		if o == nil {
			continue
		}
		sub, found := o.properties[name]
		if found {
			out = append(out, sub)
		}
		for _, p := range o.patterns {
			if p.pattern.MatchString(name) {
				found = true
				out = append(out, p.node)
			}
		}
		if !found && o.other != nil {
			out = append(out, o.other)
		}
		if o.unevaluated != nil {
			out = append(out, o.unevaluated)
		}
	}
	return out
}
