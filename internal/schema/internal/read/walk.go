// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package read

import (
	"net/url"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// walk goes through everything that is a schema by where it stands, checks it,
// and finds the parts that have addresses or anchors.
type walk struct {
	*Document
	// odd says that the walk started at a place that is a schema only because
	// something refers to it. Whether names in there count depends, in other
	// programs, on what is read first.
	odd bool
}

// top walks the whole document.
func (w walk) top() error {
	top := w.Document.top
	if id, _ := w.draft.id(top.place); id != "" {
		address, wrong := join(base, id)
		if wrong != "" {
			return w.fail(top.place, badAddress(id, wrong))
		}
		top.address = address
	}
	w.byAddress[top.address] = top
	return w.schema(top.place, top)
}

// schema reads a schema that is not known yet.
func (w walk) schema(v canon.Value, home *resource) error {
	if _, known := w.homes[v]; known {
		return nil
	}
	switch v.Kind() {
	case canon.KindBool:
		if w.draft == Draft4 {
			return w.fail(v, "must be a schema, which in draft 4 is an object")
		}
		w.homes[v] = home
		return nil
	case canon.KindObject:
	default:
		return w.fail(v, notSchema)
	}
	home, err := w.identity(v, home)
	if err != nil {
		return err
	}
	w.homes[v] = home
	for word, m := range v.Fields() {
		f := formOf(word, w.draft)
		if wrong := w.wrong(f, m); wrong != "" {
			return w.fail(m, wrong)
		}
		if f == exclusive {
			if bound := boundOf(word); !has(v, bound) {
				return w.fail(m, "means nothing without "+bound+" in draft 4")
			}
		}
		if err := w.inside(f, m, home); err != nil {
			return err
		}
	}
	return nil
}

func boundOf(exclusive string) string {
	if exclusive == "exclusiveMaximum" {
		return "maximum"
	}
	return "minimum"
}

func has(v canon.Value, word string) bool {
	_, found := v.Get(word)
	return found
}

// inside reads the schemas in the value of a keyword.
func (w walk) inside(f form, v canon.Value, home *resource) error {
	for part := range f.parts(v) {
		if f == schemaOrFlag && part.Kind() == canon.KindBool {
			w.homes[part] = home
			continue
		}
		if err := w.schema(part, home); err != nil {
			return err
		}
	}
	return nil
}

// identity finds what a schema is called, and the resource that it belongs to.
func (w walk) identity(v canon.Value, home *resource) (*resource, error) {
	id, fragment := w.draft.id(v)
	if err := w.sameDraft(v); err != nil {
		return nil, err
	}
	if id != "" && v != w.Document.top.place {
		address, wrong := join(home.address, id)
		switch {
		case wrong != "":
			return nil, w.fail(v, badAddress(id, wrong))
		case w.odd:
			return nil, w.fail(v, namedInData)
		case w.byAddress[address] != nil:
			return nil, w.fail(v, "has the address "+quoted(id)+" that another part has: give each its own")
		}
		home = &resource{place: v, address: address}
		w.byAddress[address] = home
	}
	return home, w.anchors(v, fragment, home)
}

// sameDraft refuses a part that is written in another draft. Without an address
// of its own a part cannot change its draft, whatever it says.
func (w walk) sameDraft(v canon.Value) error {
	name, found := v.Get("$schema")
	if !found || name.Kind() != canon.KindString {
		return nil
	}
	draft, known := draftNamed(name.Text())
	if !known {
		return w.fail(name, unknownDraft(name))
	}
	if id, _ := draft.id(v); draft != w.draft && id != "" {
		return w.fail(name, "names another draft than the document, which is not supported: write all of it in one")
	}
	return nil
}

// anchors gives a place its names: those of keywords, and in old drafts the
// fragment of its id.
func (w walk) anchors(v canon.Value, fragment string, home *resource) error {
	var names []string
	if w.draft < Draft2019 {
		name, err := url.PathUnescape(fragment)
		if err != nil {
			return w.fail(v, badAddress(fragment, unreadable))
		}
		names = append(names, name)
	} else {
		name, _ := v.Get("$anchor")
		names = append(names, name.Text())
	}
	dynamic, _ := v.Get("$dynamicAnchor")
	if w.draft >= Draft2020 && dynamic.Text() != "" {
		names = append(names, dynamic.Text())
		home.dynamic = append(home.dynamic, v)
	}
	for _, name := range names {
		switch {
		case isPointer(name):
		case w.odd:
			return w.fail(v, namedInData)
		case !home.name(name, v):
			return w.fail(v, "has the anchor "+quoted(name)+" that another part has: give each its own")
		}
	}
	return nil
}
