// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"slices"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// Field says what a value at one place can be, for checks of policies at load.
// It promises in one direction only: whatever is valid under the schema fits
// it. What it cannot tell it leaves open.
type Field struct {
	Types    []string            // JSON Schema type names; nil: any; empty: no value is valid here
	Enum     []toolverdict.Value // the only values allowed; nil: any
	Required bool                // the object it is a member of must have it
	Fields   map[string]*Field   // members that a schema names
	Closed   bool                // members that Fields does not name are not allowed
	Other    *Field              // what those members can be; nil: anything
	Items    *Field              // what elements of an array can be; nil: anything
}

// Bounds of a tree: beyond them anything is possible.
const (
	maxTreeDepth = 16
	maxTreeNodes = 5_000
)

// Tree returns what the arguments can be, as a new tree that the caller may
// change. Recursive schemas are unfolded a few levels deep.
func (s *Schema) Tree() *Field {
	b := treeBuilder{left: maxTreeNodes}
	return b.node(s.root, 0).field()
}

const allKinds = kindNull | kindBoolean | kindNumber | kindInteger | kindString | kindArray | kindObject

// possible is a Field with its types as a set, ready to be combined.
type possible struct {
	kinds    kinds
	enum     []canon.Value
	required bool
	fields   map[string]*possible
	closed   bool
	other    *possible
	items    *possible
}

func anything() *possible { return &possible{kinds: allKinds} }

func (p *possible) field() *Field {
	if p == nil {
		return nil
	}
	f := &Field{Enum: p.enum, Required: p.required, Closed: p.closed, Other: p.other.field(), Items: p.items.field()}
	if p.kinds != allKinds {
		f.Types = p.kinds.names()
	}
	if len(p.fields) > 0 {
		f.Fields = make(map[string]*Field, len(p.fields))
		for name, m := range p.fields {
			f.Fields[name] = m.field()
		}
	}
	return f
}

func (k kinds) names() []string {
	names := []string{}
	for i, name := range kindNames() {
		if k&(1<<i) != 0 && (name != "integer" || k&kindNumber == 0) {
			names = append(names, name)
		}
	}
	return names
}

type treeBuilder struct{ left int }

func (b *treeBuilder) node(n *node, depth int) *possible {
	if b.left--; b.left < 0 || depth > maxTreeDepth || n == nil {
		return anything()
	}
	if n.never {
		return &possible{}
	}
	p := &possible{kinds: allKinds}
	if n.kinds != 0 {
		p.kinds = n.kinds
		if p.kinds&kindNumber != 0 {
			p.kinds |= kindInteger
		}
	}
	for i := range n.enums {
		p = intersect(p, ofEnum(&n.enums[i]))
	}
	b.array(p, n.array, depth)
	b.object(p, n.object, depth)
	p = b.same(p, n, depth)
	if n.object != nil && n.object.unevaluated != nil && n.object.unevaluated.never && len(n.object.patterns) == 0 {
		p.closed = true
	}
	return p
}

func ofEnum(e *enum) *possible {
	p := &possible{enum: slices.Clone(e.listed)}
	for _, v := range e.listed {
		p.kinds |= narrowest(v)
	}
	return p
}

// narrowest is the narrowest type that a value has.
func narrowest(v canon.Value) kinds {
	if kindInteger.has(v) {
		return kindInteger
	}
	for i := range kindNames() {
		if k := kinds(1 << i); k.has(v) && k != kindNumber {
			return k
		}
	}
	return kindNumber | kindInteger
}

func (b *treeBuilder) array(p *possible, a *arrayRules, depth int) {
	if a == nil || len(a.prefix) == 0 && a.rest == nil {
		return
	}
	var items *possible
	for _, n := range a.prefix {
		items = unionOrFirst(items, b.node(n, depth+1))
	}
	if a.rest == nil || !a.rest.never {
		items = unionOrFirst(items, b.node(a.rest, depth+1))
	}
	p.items = items
}

func (b *treeBuilder) object(p *possible, o *objectRules, depth int) {
	if o == nil {
		return
	}
	p.fields = make(map[string]*possible, len(o.properties))
	for _, name := range o.propertyOrder {
		p.fields[name] = b.node(o.properties[name], depth+1)
	}
	if len(o.patterns) == 0 && o.other != nil {
		p.closed = o.other.never
		if !p.closed {
			p.other = b.node(o.other, depth+1)
		}
	}
	for _, name := range o.required {
		m, known := p.fields[name]
		switch {
		case !known && p.other != nil:
			m = p.other.copied()
		case !known:
			m = anything()
		}
		m.required = true
		p.fields[name] = m
	}
}

// same narrows p by the schemas that look at the same value. Those that apply
// only sometimes narrow nothing, but the members they name are known.
func (b *treeBuilder) same(p *possible, n *node, depth int) *possible {
	if n.object != nil {
		for _, d := range n.object.needsSchema {
			p = intersect(p, union(b.node(d.node, depth), anything()))
		}
	}
	s := n.same
	if s == nil {
		return p
	}
	for _, m := range slices.Concat(s.refs, s.all) {
		p = intersect(p, b.node(m, depth))
	}
	for _, list := range [2][]*node{s.any, s.one} {
		var forms *possible
		for _, m := range list {
			forms = unionOrFirst(forms, b.node(m, depth))
		}
		if forms != nil {
			p = intersect(p, forms)
		}
	}
	if s.condition != nil {
		p = intersect(p, union(b.node(s.consequence, depth), b.node(s.others, depth)))
		p = intersect(p, union(b.node(s.condition, depth), anything()))
	}
	return p
}

func unionOrFirst(a, b *possible) *possible {
	if a == nil {
		return b
	}
	return union(a, b)
}

// member returns what a member of that name can be under p.
func (p *possible) member(name string) *possible {
	if m, ok := p.fields[name]; ok {
		return m
	}
	switch {
	case p.kinds&kindObject == 0 || p.closed:
		return &possible{}
	case p.other != nil:
		return p.other
	}
	return anything()
}

// intersect is what both allow.
func intersect(a, b *possible) *possible {
	p := &possible{
		kinds: a.kinds & b.kinds, required: a.required || b.required, closed: a.closed || b.closed,
		enum: a.enum, items: both(a.items, b.items), other: both(a.other, b.other), fields: map[string]*possible{},
	}
	switch {
	case a.enum == nil:
		p.enum = b.enum
	case b.enum != nil:
		p.enum = slices.DeleteFunc(slices.Clone(a.enum), func(v canon.Value) bool {
			return !slices.ContainsFunc(b.enum, func(w canon.Value) bool { return canon.Equal(v, w) })
		})
	}
	for _, name := range names(a, b) {
		_, inA := a.fields[name]
		_, inB := b.fields[name]
		if !inA && a.closed || !inB && b.closed {
			continue
		}
		x, y := a.member(name), b.member(name)
		if a.kinds&kindObject == 0 || b.kinds&kindObject == 0 {
			continue
		}
		p.fields[name] = intersect(x, y)
	}
	return p
}

func both(a, b *possible) *possible {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return intersect(a, b)
}

// union is what either allows.
func union(a, b *possible) *possible {
	switch {
	case a.kinds == 0:
		return b
	case b.kinds == 0:
		return a
	}
	p := &possible{
		kinds: a.kinds | b.kinds, required: a.required && b.required, fields: map[string]*possible{},
	}
	p.closed = p.kinds&kindObject != 0 && (a.closed || a.kinds&kindObject == 0) && (b.closed || b.kinds&kindObject == 0)
	if a.enum != nil && b.enum != nil {
		p.enum = slices.Concat(a.enum, b.enum)
	}
	p.items = either(a.kinds&kindArray != 0, a.items, b.kinds&kindArray != 0, b.items)
	p.other = either(a.kinds&kindObject != 0 && !a.closed, a.other, b.kinds&kindObject != 0 && !b.closed, b.other)
	for _, name := range names(a, b) {
		m := union(a.member(name), b.member(name)).copied()
		m.required = requires(a, name) && requires(b, name)
		p.fields[name] = m
	}
	return p
}

// either is the union of two parts, of which only those count that exist.
func either(hasA bool, a *possible, hasB bool, b *possible) *possible {
	switch {
	case !hasA:
		return b
	case !hasB:
		return a
	case a == nil || b == nil:
		return nil
	}
	return union(a, b)
}

// copied is a copy whose own facts may be changed.
func (p *possible) copied() *possible {
	c := *p
	return &c
}

func requires(p *possible, name string) bool {
	m, ok := p.fields[name]
	return ok && m.required || p.kinds&kindObject == 0
}

func names(a, b *possible) []string {
	var out []string
	for name := range a.fields {
		out = append(out, name)
	}
	for name := range b.fields {
		if _, twice := a.fields[name]; !twice {
			out = append(out, name)
		}
	}
	return out
}
