// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// builder turns what the library read into nodes. The first error stops it.
type builder struct {
	facts   facts
	options Options
	done    map[*jsonschema.Schema]*node
	nodes   []*node
	err     error
}

func (b *builder) build(root *jsonschema.Schema) (*node, error) {
	n := b.node(root)
	return n, b.err
}

func (b *builder) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// node returns the node of a schema, nil for none. It is registered before its
// parts are built, because schemas may refer to themselves.
func (b *builder) node(s *jsonschema.Schema) *node {
	if s == nil || b.err != nil {
		return nil
	}
	if n, ok := b.done[s]; ok {
		return n
	}
	n := &node{id: len(b.nodes)}
	b.done[s] = n
	b.nodes = append(b.nodes, n)
	if len(b.nodes) > 2*MaxSubschemas {
		b.fail(errors.New("it has too many parts once its references are followed"))
		return nil
	}
	if s.Bool != nil {
		n.never = !*s.Bool
		return n
	}
	n.same = b.same(s)
	if s.DraftVersion < 2019 && s.Ref != nil {
		return n // those drafts ignore what stands beside $ref
	}
	b.scalars(n, s)
	n.array = b.array(s)
	n.object = b.object(s)
	n.marks = n.array != nil && n.array.unevaluated != nil || n.object != nil && n.object.unevaluated != nil
	return n
}

func (b *builder) list(in []*jsonschema.Schema) []*node {
	var out []*node
	for _, s := range in {
		out = append(out, b.node(s))
	}
	return out
}

func (b *builder) same(s *jsonschema.Schema) *sameRules {
	r := &sameRules{refs: b.refs(s)}
	if s.DraftVersion >= 2019 || s.Ref == nil {
		r.all, r.any, r.one = b.list(s.AllOf), b.list(s.AnyOf), b.list(s.OneOf)
		r.not = b.node(s.Not)
		r.condition, r.consequence, r.others = b.node(s.If), b.node(s.Then), b.node(s.Else)
	}
	lists := len(r.refs) + len(r.all) + len(r.any) + len(r.one)
	if lists == 0 && r.not == nil && r.condition == nil {
		return nil
	}
	return r
}

// refs resolves dynamic references at once, which is exact where the document
// has a single target of that name. Others are refused.
func (b *builder) refs(s *jsonschema.Schema) []*node {
	var out []*node
	if s.Ref != nil {
		out = append(out, b.node(s.Ref))
	}
	if r := s.RecursiveRef; r != nil {
		if r.RecursiveAnchor && b.facts.recursive != 1 {
			b.fail(errors.New("$recursiveRef has several possible targets, which is not supported: use $ref"))
		}
		out = append(out, b.node(r))
	}
	if d := s.DynamicRef; d != nil {
		if d.Anchor != "" && d.Ref.DynamicAnchor == d.Anchor && b.facts.dynamicAnchors[d.Anchor] != 1 {
			b.fail(errors.New("$dynamicRef has several possible targets, which is not supported: use $ref"))
		}
		out = append(out, b.node(d.Ref))
	}
	return out
}

func (b *builder) scalars(n *node, s *jsonschema.Schema) {
	if s.Types != nil {
		n.kinds = kindsOf(s.Types.ToStrings())
	}
	if s.Enum != nil {
		n.enums = append(n.enums, b.enum(s.Enum.Values))
	}
	if s.Const != nil {
		n.enums = append(n.enums, b.enum([]any{*s.Const}))
	}
	if b.options.Strict && s.Format != nil {
		n.format = &format{s.Format.Name, s.Format.Validate}
	}
	text := textRules{least: bound(s.MinLength), most: bound(s.MaxLength)}
	if p, ok := s.Pattern.(*pattern); ok {
		text.pattern = p
	}
	if text != (textRules{unset, unset, nil}) {
		n.text = &text
	}
	number := numberRules{
		least: b.number(s.Minimum), most: b.number(s.Maximum), above: b.number(s.ExclusiveMinimum),
		below: b.number(s.ExclusiveMaximum), multiple: b.number(s.MultipleOf),
	}
	if number != (numberRules{}) {
		n.number = &number
	}
}

func bound(n *int) int {
	if n == nil {
		return unset
	}
	return max(*n, 0)
}

func (b *builder) enum(values []any) enum {
	e := enum{texts: map[string]struct{}{}}
	for _, x := range values {
		v, err := canon.FromGo(x)
		if err != nil {
			b.fail(fmt.Errorf("enum: %v", err))
			return e
		}
		e.listed = append(e.listed, v)
		if v.Kind() == canon.KindString {
			e.texts[v.Text()] = struct{}{}
			continue
		}
		e.others = append(e.others, v)
		e.size += len(v.RawText())
	}
	return e
}

// number makes a bound exact again: every number of a schema is a decimal.
func (b *builder) number(r *big.Rat) *canon.Number {
	if r == nil {
		return nil
	}
	digits, exact := r.FloatPrec()
	if !exact || digits > canon.MaxExponent {
		b.fail(errors.New("it has a number with too many digits"))
		return nil
	}
	text := strings.TrimRight(r.FloatString(digits), "0")
	if digits == 0 {
		text = r.FloatString(0)
	}
	n, err := canon.ParseNumber(text)
	if err != nil {
		b.fail(fmt.Errorf("it has a number that cannot be kept exactly: %v", err))
		return nil
	}
	return &n
}

func (b *builder) array(s *jsonschema.Schema) *arrayRules {
	a := &arrayRules{
		least: bound(s.MinItems), most: bound(s.MaxItems), unique: s.UniqueItems,
		countContains: s.DraftVersion >= 2020, unevaluated: b.node(s.UnevaluatedItems),
	}
	a.prefix, a.rest = b.list(s.PrefixItems), b.node(s.Items2020)
	if s.DraftVersion < 2020 {
		a.prefix, a.rest = b.itemsBefore2020(s)
	}
	if s.Contains != nil {
		c := contains{node: b.node(s.Contains), least: 1, most: bound(s.MaxContains)}
		if s.MinContains != nil {
			c.least = *s.MinContains
		}
		a.contains = &c
	}
	nothing := a.least == unset && a.most == unset && !a.unique && len(a.prefix) == 0
	if nothing && a.rest == nil && a.contains == nil && a.unevaluated == nil {
		return nil
	}
	return a
}

func (b *builder) itemsBefore2020(s *jsonschema.Schema) (prefix []*node, rest *node) {
	switch items := s.Items.(type) {
	case *jsonschema.Schema:
		return nil, b.node(items)
	case []*jsonschema.Schema:
		return b.list(items), b.boolOrNode(s.AdditionalItems)
	}
	return nil, nil // additionalItems means nothing without a list of items
}

// boolOrNode reads what may be a schema or a boolean.
func (b *builder) boolOrNode(x any) *node {
	switch x := x.(type) {
	case bool:
		n := &node{id: len(b.nodes), never: !x}
		b.nodes = append(b.nodes, n)
		return n
	case *jsonschema.Schema:
		return b.node(x)
	}
	return nil
}

func (b *builder) object(s *jsonschema.Schema) *objectRules {
	o := &objectRules{
		least: bound(s.MinProperties), most: bound(s.MaxProperties), required: slices.Clone(s.Required),
		other: b.boolOrNode(s.AdditionalProperties), names: b.node(s.PropertyNames),
		needs: map[string][]string{}, unevaluated: b.node(s.UnevaluatedProperties),
	}
	o.propertyOrder = slices.Sorted(maps.Keys(s.Properties))
	o.properties = make(map[string]*node, len(s.Properties))
	for _, name := range o.propertyOrder {
		o.properties[name] = b.node(s.Properties[name])
	}
	for re, sub := range s.PatternProperties {
		if p, ok := re.(*pattern); ok {
			o.patterns = append(o.patterns, patternRule{p, b.node(sub)})
		}
	}
	slices.SortFunc(o.patterns, func(x, y patternRule) int { return strings.Compare(x.pattern.source, y.pattern.source) })
	b.dependencies(o, s)
	nothing := o.least == unset && o.most == unset && len(o.required)+len(o.properties)+len(o.patterns) == 0
	if nothing && o.other == nil && o.names == nil && o.unevaluated == nil && len(o.needs)+len(o.needsSchema) == 0 {
		return nil
	}
	return o
}

func (b *builder) dependencies(o *objectRules, s *jsonschema.Schema) {
	for _, name := range slices.Sorted(maps.Keys(s.Dependencies)) {
		switch d := s.Dependencies[name].(type) {
		case []string:
			o.needs[name] = slices.Clone(d)
		case *jsonschema.Schema:
			o.needsSchema = append(o.needsSchema, dependent{name, b.node(d)})
		}
	}
	for name, needs := range s.DependentRequired {
		o.needs[name] = append(o.needs[name], needs...)
	}
	for _, name := range slices.Sorted(maps.Keys(s.DependentSchemas)) {
		o.needsSchema = append(o.needsSchema, dependent{name, b.node(s.DependentSchemas[name])})
	}
}

// finish refuses a schema that applies itself to the same value for ever.
func (b *builder) finish() error {
	if b.err != nil {
		return b.err
	}
	const onPath, done = 1, 2
	state := make([]uint8, len(b.nodes))
	var visit func(n *node) error
	visit = func(n *node) error {
		switch state[n.id] {
		case onPath:
			return errors.New("it refers to itself without going deeper into the value, so no check of it would end")
		case done:
			return nil
		}
		state[n.id] = onPath
		var err error
		n.inPlace(func(m *node) {
			if err == nil {
				err = visit(m)
			}
		})
		state[n.id] = done
		return err
	}
	for _, n := range b.nodes {
		if err := visit(n); err != nil {
			return err
		}
	}
	return nil
}
