// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/schema/internal/pattern"
)

// kinds is a set of JSON Schema types.
type kinds uint8

const (
	kindNull kinds = 1 << iota
	kindBoolean
	kindNumber
	kindInteger
	kindString
	kindArray
	kindObject
)

// kindNames are in the order of the bits.
func kindNames() []string {
	return []string{"null", "boolean", "number", "integer", "string", "array", "object"}
}

// kindsOf reads the value of the keyword type: one name, or a list of them.
func kindsOf(v canon.Value) kinds {
	var k kinds
	for i, name := range kindNames() {
		if name == v.Text() {
			k |= 1 << i
		}
	}
	for _, name := range v.Items() {
		k |= kindsOf(name)
	}
	return k
}

// has reports whether a value is of one of the types.
func (k kinds) has(v canon.Value) bool {
	switch v.Kind() {
	case canon.KindNull:
		return k&kindNull != 0
	case canon.KindBool:
		return k&kindBoolean != 0
	case canon.KindNumber:
		return k&kindNumber != 0 || k&kindInteger != 0 && v.Number().IsInteger()
	case canon.KindString:
		return k&kindString != 0
	case canon.KindArray:
		return k&kindArray != 0
	case canon.KindObject:
		return k&kindObject != 0
	default:
		return false
	}
}

// node is one schema of the graph. Parts that a schema does not use are nil.
// Nothing in it changes after it was built.
type node struct {
	id     int
	never  bool // the schema false
	kinds  kinds
	enums  []enum // enum and const: each must hold
	format *format
	text   *textRules
	number *numberRules
	array  *arrayRules
	object *objectRules
	same   *sameRules // what applies to the same value
	marks  bool       // unevaluatedItems or unevaluatedProperties needs to know what was evaluated
}

// enum is a list of allowed values. Strings, the usual case, are looked up.
type enum struct {
	texts  map[string]struct{}
	others []canon.Value
	listed []canon.Value // in the schema's order
	size   int           // of others, in bytes: what a comparison may cost
}

func (e *enum) has(v canon.Value) bool {
	if v.Kind() == canon.KindString {
		_, found := e.texts[v.Text()]
		return found
	}
	for _, o := range e.others {
		if o.Kind() == v.Kind() && canon.Equal(o, v) {
			return true
		}
	}
	return false
}

type format struct {
	name  string
	check func(string) bool
}

// unset is the bound that is not there.
const unset = -1

type textRules struct {
	least, most int // characters
	pattern     *pattern.Pattern
}

type numberRules struct {
	least, most, above, below *canon.Number
	multiple                  *canon.Number
}

type arrayRules struct {
	least, most   int
	unique        bool
	prefix        []*node
	rest          *node // items after the prefix
	contains      *contains
	unevaluated   *node
	countContains bool // contains marks what it matched as evaluated (2020-12)
}

type contains struct {
	node        *node
	least, most int
}

type objectRules struct {
	least, most   int
	required      []string
	properties    map[string]*node
	patterns      []patternRule
	other         *node // additionalProperties
	names         *node
	needs         map[string][]string // dependentRequired
	needsSchema   []dependent
	unevaluated   *node
	propertyOrder []string // sorted, for stable walks
}

type patternRule struct {
	pattern *pattern.Pattern
	node    *node
}

type dependent struct {
	name string
	node *node
}

// sameRules apply further schemas to the same value.
type sameRules struct {
	refs                []*node // $ref and its dynamic kin
	all, any, one       []*node
	not                 *node
	condition           *node
	consequence, others *node // then, else
}

// Rules come into being with the first word that needs them.

func (n *node) inSame() *sameRules {
	if n.same == nil {
		n.same = &sameRules{}
	}
	return n.same
}

func (n *node) inText() *textRules {
	if n.text == nil {
		n.text = &textRules{least: unset, most: unset}
	}
	return n.text
}

func (n *node) inNumber() *numberRules {
	if n.number == nil {
		n.number = &numberRules{}
	}
	return n.number
}

func (n *node) inArray() *arrayRules {
	if n.array == nil {
		n.array = &arrayRules{least: unset, most: unset}
	}
	return n.array
}

func (n *node) inObject() *objectRules {
	if n.object == nil {
		n.object = &objectRules{least: unset, most: unset}
	}
	return n.object
}

// settle is called once a node has all its rules.
func (n *node) settle() {
	n.marks = n.array != nil && n.array.unevaluated != nil || n.object != nil && n.object.unevaluated != nil
	if n.object != nil {
		slices.SortFunc(n.object.patterns, func(x, y patternRule) int { return strings.Compare(x.pattern.Source, y.pattern.Source) })
	}
}

// inPlace calls f for every schema that n applies to the same value.
func (n *node) inPlace(f func(*node)) {
	if n.object != nil {
		for _, d := range n.object.needsSchema {
			f(d.node)
		}
	}
	s := n.same
	if s == nil {
		return
	}
	for _, list := range [][]*node{s.refs, s.all, s.any, s.one} {
		for _, m := range list {
			f(m)
		}
	}
	for _, m := range []*node{s.not, s.condition, s.consequence, s.others} {
		if m != nil {
			f(m)
		}
	}
}
