// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"errors"
	"slices"

	"github.com/toolverdict/toolverdict/internal/canon"
	formats "github.com/toolverdict/toolverdict/internal/schema/internal/format"
	"github.com/toolverdict/toolverdict/internal/schema/internal/pattern"
	"github.com/toolverdict/toolverdict/internal/schema/internal/read"
)

// builder turns what was read into nodes. Keywords have the forms that their
// draft asks for: that was checked.
type builder struct {
	doc      *read.Document
	patterns *pattern.Set
	strict   bool
	done     map[canon.Value]*node
	nodes    []*node
	err      error // of a pattern: then nothing is ever checked by it
}

// node returns the node of a schema. It is registered before its parts are
// built, because schemas may refer to themselves.
func (b *builder) node(schema canon.Value) *node {
	if n, ok := b.done[schema]; ok {
		return n
	}
	n := &node{id: len(b.nodes)}
	b.done[schema] = n
	b.nodes = append(b.nodes, n)
	if schema.Kind() == canon.KindBool {
		n.never = !schema.Bool()
		return n
	}
	for _, target := range b.doc.Targets(schema) {
		n.inSame().refs = append(n.inSame().refs, b.node(target))
	}
	for word, v := range b.doc.Words(schema) {
		known := b.scalar(n, word, v) || b.number(n, word, v, schema) || b.same(n, word, v) ||
			b.array(n, word, v, schema)
		if !known {
			b.object(n, word, v)
		}
	}
	n.settle()
	return n
}

func (b *builder) list(in canon.Value) []*node {
	out := make([]*node, 0, in.Len())
	for _, s := range in.Items() {
		out = append(out, b.node(s))
	}
	return out
}

func (b *builder) pattern(source string) *pattern.Pattern {
	p, err := b.patterns.Compile(source)
	if err != nil {
		b.err = err
		return &pattern.Pattern{Source: source}
	}
	return p
}

// same reads what applies schemas to the same value.
func (b *builder) same(n *node, word string, v canon.Value) bool {
	switch word {
	case "allOf":
		n.inSame().all = b.list(v)
	case "anyOf":
		n.inSame().any = b.list(v)
	case "oneOf":
		n.inSame().one = b.list(v)
	case "not":
		n.inSame().not = b.node(v)
	case "if":
		n.inSame().condition = b.node(v)
	case "then":
		n.inSame().consequence = b.node(v)
	case "else":
		n.inSame().others = b.node(v)
	default:
		return false
	}
	return true
}

// scalar reads what looks at the value alone, or at its text.
func (b *builder) scalar(n *node, word string, v canon.Value) bool {
	switch word {
	case "type":
		n.kinds = kindsOf(v)
	case "enum":
		n.enums = append(n.enums, enumOf(v.Elems()))
	case "const":
		n.enums = append(n.enums, enumOf([]canon.Value{v}))
	case "format":
		if check := formats.For(v.Text()); b.strict && check != nil {
			n.format = &format{v.Text(), check}
		}
	case "minLength":
		n.inText().least = count(v)
	case "maxLength":
		n.inText().most = count(v)
	case "pattern":
		n.inText().pattern = b.pattern(v.Text())
	default:
		return false
	}
	return true
}

func count(v canon.Value) int {
	i, _ := v.Number().Int64()
	return int(i)
}

func enumOf(values []canon.Value) enum {
	e := enum{texts: map[string]struct{}{}, listed: values}
	for _, v := range values {
		if v.Kind() == canon.KindString {
			e.texts[v.Text()] = struct{}{}
			continue
		}
		e.others = append(e.others, v)
		e.size += len(v.RawText())
	}
	return e
}

// number reads bounds of numbers. In draft 4 a word beside a bound, true or
// false, makes it exclusive.
func (b *builder) number(n *node, word string, v, schema canon.Value) bool {
	bound := v.Number()
	switch word {
	case "minimum":
		if beside, _ := schema.Get("exclusiveMinimum"); beside.Bool() {
			n.inNumber().above = &bound
			break
		}
		n.inNumber().least = &bound
	case "maximum":
		if beside, _ := schema.Get("exclusiveMaximum"); beside.Bool() {
			n.inNumber().below = &bound
			break
		}
		n.inNumber().most = &bound
	case "exclusiveMinimum":
		if v.Kind() == canon.KindNumber {
			n.inNumber().above = &bound
		}
	case "exclusiveMaximum":
		if v.Kind() == canon.KindNumber {
			n.inNumber().below = &bound
		}
	case "multipleOf":
		n.inNumber().multiple = &bound
	default:
		return false
	}
	return true
}

func (b *builder) array(n *node, word string, v, schema canon.Value) bool {
	switch word {
	case "minItems":
		n.inArray().least = count(v)
	case "maxItems":
		n.inArray().most = count(v)
	case "uniqueItems":
		n.inArray().unique = v.Bool()
	case "prefixItems":
		n.inArray().prefix = b.list(v)
	case "items":
		if v.Kind() == canon.KindArray {
			n.inArray().prefix = b.list(v)
			break
		}
		n.inArray().rest = b.node(v)
	case "additionalItems":
		n.inArray().rest = b.node(v)
	case "contains":
		n.inArray().contains = b.contains(v, schema)
		n.inArray().countContains = b.doc.Draft() >= read.Draft2020
	case "unevaluatedItems":
		n.inArray().unevaluated = b.node(v)
	default:
		return false
	}
	return true
}

func (b *builder) contains(v, schema canon.Value) *contains {
	c := &contains{node: b.node(v), least: 1, most: unset}
	for word, v := range b.doc.Words(schema) {
		switch word {
		case "minContains":
			c.least = count(v)
		case "maxContains":
			c.most = count(v)
		}
	}
	return c
}

func (b *builder) object(n *node, word string, v canon.Value) {
	switch word {
	case "minProperties":
		n.inObject().least = count(v)
	case "maxProperties":
		n.inObject().most = count(v)
	case "required":
		n.inObject().required = texts(v)
	case "properties":
		b.properties(n.inObject(), v)
	case "patternProperties":
		for source, sub := range v.Fields() {
			n.inObject().patterns = append(n.inObject().patterns, patternRule{b.pattern(source), b.node(sub)})
		}
	case "additionalProperties":
		n.inObject().other = b.node(v)
	case "propertyNames":
		n.inObject().names = b.node(v)
	case "unevaluatedProperties":
		n.inObject().unevaluated = b.node(v)
	case "dependencies", "dependentRequired", "dependentSchemas":
		b.dependencies(n.inObject(), v)
	}
}

func (b *builder) properties(o *objectRules, v canon.Value) {
	o.properties = make(map[string]*node, v.Len())
	for name, sub := range v.Fields() {
		o.properties[name] = b.node(sub)
		o.propertyOrder = append(o.propertyOrder, name)
	}
	slices.Sort(o.propertyOrder)
}

// dependencies are lists of names, or schemas.
func (b *builder) dependencies(o *objectRules, v canon.Value) {
	for name, d := range v.Fields() {
		if d.Kind() != canon.KindArray {
			o.needsSchema = append(o.needsSchema, dependent{name, b.node(d)})
			continue
		}
		if o.needs == nil {
			o.needs = map[string][]string{}
		}
		o.needs[name] = append(o.needs[name], texts(d)...)
	}
}

func texts(list canon.Value) []string {
	out := make([]string, 0, list.Len())
	for _, v := range list.Items() {
		out = append(out, v.Text())
	}
	return out
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
