// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package read

import (
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/schema/internal/pattern"
)

// What one document may hold.
const (
	MaxParts   = 3_000 // objects and booleans anywhere in it
	MaxRefs    = 500
	maxOddRefs = 100 // to places that are no schemas by themselves: each is read once more as one
)

// Document is a schema that was read. A part of it is named by its value, which
// stands at one place only.
type Document struct {
	draft     Draft
	top       *resource
	byAddress map[string]*resource
	homes     map[canon.Value]*resource // what is read as a schema, and where it belongs
	targets   map[canon.Value][]canon.Value
	facts     facts
	patterns  *pattern.Set
}

// Read reads a document, an object or a boolean. Where it names no draft,
// 2020-12 is meant. The patterns of the document are compiled into the set.
func Read(doc canon.Value, patterns *pattern.Set) (*Document, error) {
	facts, err := survey(doc)
	if err != nil {
		return nil, err
	}
	d := &Document{
		draft: Draft2020, top: &resource{place: doc, address: base}, byAddress: map[string]*resource{},
		homes: map[canon.Value]*resource{}, targets: map[canon.Value][]canon.Value{}, facts: facts, patterns: patterns,
	}
	if name, found := doc.Get("$schema"); found {
		if d.draft, found = draftNamed(name.Text()); !found {
			return nil, d.fail(name, unknownDraft(name))
		}
	}
	w := walk{Document: d}
	if err := w.top(); err != nil {
		return nil, err
	}
	if facts.refs == 0 {
		return d, nil
	}
	return d, d.link()
}

// Draft is the draft that the document is written in.
func (d *Document) Draft() Draft { return d.draft }

// Targets are the schemas that a schema refers to.
func (d *Document) Targets(schema canon.Value) []canon.Value { return d.targets[schema] }

// Words are the keywords of a schema that mean something: those that its draft
// has, and that nothing beside them switches off. Targets stand for references.
func (d *Document) Words(schema canon.Value) iter.Seq2[string, canon.Value] {
	return func(yield func(string, canon.Value) bool) {
		if _, found := schema.Get("$ref"); found && d.draft.hidesSiblings() {
			return
		}
		for word, v := range schema.Fields() {
			if formOf(word, d.draft) != unknown && d.means(word, schema) && !yield(word, v) {
				return
			}
		}
	}
}

// means reports whether the schemas under a keyword can apply to a value.
func (d *Document) means(word string, schema canon.Value) bool {
	switch word {
	case "definitions", "$defs", "contentSchema":
		return false
	case "additionalItems":
		items, _ := schema.Get("items") // a list before 2020-12 only
		return items.Kind() == canon.KindArray
	case "then":
		condition, found := schema.Get("if")
		return found && (condition.Kind() != canon.KindBool || condition.Bool())
	case "else":
		condition, found := schema.Get("if")
		return found && !condition.Bool()
	}
	return true
}

// facts are counted in the document before anything is read.
type facts struct {
	refs           int
	dynamicAnchors map[string]int
	recursive      int
}

// survey bounds the document and counts what makes references dynamic. It looks
// at every member, also at those that are only data (enum, default): counting
// too much can only refuse.
func survey(doc canon.Value) (facts, error) {
	f := facts{dynamicAnchors: map[string]int{}}
	parts, odd := 0, 0
	var look func(v canon.Value)
	look = func(v canon.Value) {
		switch v.Kind() {
		case canon.KindObject:
			parts++
			for name, m := range v.Fields() {
				switch {
				case strings.HasSuffix(name, "ef") && strings.HasPrefix(name, "$"):
					f.refs++
					if !usualTarget(m.Text()) {
						odd++
					}
				case name == "$dynamicAnchor" && m.Kind() == canon.KindString:
					f.dynamicAnchors[m.Text()]++
				case name == "$recursiveAnchor" && m.Bool():
					f.recursive++
				}
				look(m)
			}
		case canon.KindArray:
			for _, e := range v.Items() {
				look(e)
			}
		case canon.KindBool:
			parts++
		default:
		}
	}
	look(doc)
	switch {
	case parts > MaxParts:
		return f, fmt.Errorf("it has more than %d parts: split the tool, or simplify its schema", MaxParts)
	case f.refs > MaxRefs || odd > maxOddRefs:
		return f, fmt.Errorf("it has more than %d references: simplify it", MaxRefs)
	}
	return f, nil
}

// usualTarget reports whether a reference goes where schemas are kept.
func usualTarget(ref string) bool {
	for _, prefix := range []string{"#/$defs/", "#/definitions/", "#/properties/"} {
		if strings.HasPrefix(ref, prefix) {
			return true
		}
	}
	return ref == "#"
}

// fail says what is wrong with a part of the document, and where that is.
func (d *Document) fail(part canon.Value, wrong string) error {
	where := pointerTo(d.top.place, part)
	if where == "" {
		return errors.New(wrong)
	}
	return errors.New(where + ": " + wrong)
}
