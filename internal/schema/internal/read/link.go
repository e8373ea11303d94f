// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package read

import (
	"strconv"
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// link resolves the references of every schema that a check could come to. One
// that nothing comes to may refer to nowhere.
func (d *Document) link() error {
	seen := map[canon.Value]bool{d.top.place: true}
	queue := []canon.Value{d.top.place}
	add := func(v canon.Value) {
		if !seen[v] {
			seen[v] = true
			queue = append(queue, v)
		}
	}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		home := d.homes[v]
		add(home.place)
		if v == home.place {
			for _, named := range home.dynamic {
				add(named)
			}
		}
		if err := d.refer(v, home); err != nil {
			return err
		}
		for _, target := range d.targets[v] {
			add(target)
		}
		for word, m := range d.Words(v) {
			for part := range formOf(word, d.draft).parts(m) {
				add(part)
			}
		}
	}
	return nil
}

// refer resolves the references of one schema.
func (d *Document) refer(v canon.Value, home *resource) error {
	for _, word := range [3]string{"$ref", "$recursiveRef", "$dynamicRef"} {
		ref, found := v.Get(word)
		if !found || formOf(word, d.draft) == unknown {
			continue
		}
		target, err := d.resolve(ref, home)
		if err != nil {
			return err
		}
		if d.moves(word, ref, target) {
			return d.fail(ref, "has several possible targets, which is not supported: use $ref")
		}
		d.targets[v] = append(d.targets[v], target)
	}
	return nil
}

// moves reports whether the target of a reference depends on how a check came
// to it. It does not where the document has a single target of that name.
func (d *Document) moves(word string, ref, target canon.Value) bool {
	switch word {
	case "$recursiveRef":
		anchor, _ := target.Get("$recursiveAnchor")
		return anchor.Bool() && d.facts.recursive != 1
	case "$dynamicRef":
		_, fragment, _ := splitReference(ref.Text())
		anchor, _ := target.Get("$dynamicAnchor")
		return !isPointer(fragment) && anchor.Text() == fragment && d.facts.dynamicAnchors[fragment] != 1
	}
	return false
}

// resolve finds the schema that a reference goes to.
func (d *Document) resolve(ref canon.Value, home *resource) (canon.Value, error) {
	id, fragment, ok := splitReference(ref.Text())
	if !ok {
		return canon.Value{}, d.fail(ref, badAddress(ref.Text(), unreadable))
	}
	address, wrong := join(home.address, id)
	if wrong != "" {
		return canon.Value{}, d.fail(ref, badAddress(ref.Text(), wrong))
	}
	to := d.byAddress[address]
	if address == base {
		to = d.top
	}
	if to == nil {
		return canon.Value{}, d.fail(ref, "refers to "+quoted(ref.Text())+", which is outside of the schema, and nothing is fetched: put the definition under $defs")
	}
	if isPointer(fragment) {
		return d.follow(ref, fragment, to)
	}
	target, found := to.anchors[fragment]
	if !found {
		return canon.Value{}, d.fail(ref, "refers to "+quoted(ref.Text())+", which is not found: no part has that anchor")
	}
	return target, nil
}

// follow goes where a pointer leads, and reads what stands there as a schema,
// should it be none by where it stands.
func (d *Document) follow(ref canon.Value, pointer string, home *resource) (canon.Value, error) {
	v := home.place
	for pointer != "" {
		var step string
		step, pointer = cutStep(pointer)
		inner, wrong := into(v, step)
		if wrong != "" {
			return canon.Value{}, d.fail(ref, "refers to "+quoted(ref.Text())+", which "+wrong)
		}
		v = inner
		if own := d.homes[v]; own != nil && own.place == v {
			home = own
		}
	}
	if k := v.Kind(); k != canon.KindObject && k != canon.KindBool {
		return canon.Value{}, d.fail(ref, "refers to "+quoted(ref.Text())+", which is no schema")
	}
	w := walk{Document: d, odd: true}
	return v, w.schema(v, home)
}

// cutStep takes the first step off a pointer.
func cutStep(pointer string) (step, rest string) {
	step = pointer[1:]
	if i := strings.IndexByte(step, '/'); i >= 0 {
		return step[:i], step[i:]
	}
	return step, ""
}

// into takes one step of a JSON pointer.
func into(v canon.Value, step string) (inner canon.Value, wrong string) {
	const nowhere = "is not found: nothing stands there"
	if rest := strings.NewReplacer("~0", "", "~1", "").Replace(step); strings.Contains(rest, "~") {
		return canon.Value{}, "is not a JSON pointer: a ~ in a name is written ~0"
	}
	if v.Kind() != canon.KindArray {
		inner, found := v.Get(strings.NewReplacer("~1", "/", "~0", "~").Replace(step))
		return inner, unless(found, nowhere)
	}
	i, err := strconv.Atoi(step)
	if err == nil && strconv.Itoa(i) != step {
		return canon.Value{}, "spells a number in a way that is not supported: write it without sign and leading zeros"
	}
	inner, found := v.Index(i)
	return inner, unless(found && err == nil, nowhere)
}
