// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package syntax

import "fmt"

// maxUsed bounds how many values the lists of a file stand for in all the places
// that use them.
const maxUsed = 200_000

// defined is a list that has a name.
type defined struct {
	pos    Pos
	values []*node
	used   bool
}

// defines reads the lists that the file's rules can use by name. They hold plain
// values, so that no list can stand for more than what is written in it.
func (d *decoder) defines(n *node) {
	if n == nil {
		return
	}
	if n.kind != object || len(n.keys) == 0 {
		d.problem(n.pos, "write it as a mapping of names to lists: staff: [a.example, b.example]", "define is %s", n.kind)
		return
	}
	d.lists = map[string]*defined{}
	for i, k := range n.keys {
		name := d.id(k, "the name of a list")
		if d.lists[name] != nil {
			d.problem(k.pos, "keep one of them", "the list %q is defined twice", shorten(name))
		}
		one := &defined{pos: k.pos}
		seen := map[string]bool{}
		for _, item := range d.items(n.values[i], "the list "+name, true) {
			if item.kind != text && item.kind != number && item.kind != boolean {
				d.problem(item.pos, "write text, a number, true or false", "the list %q holds %s", shorten(name), item.kind)
			}
			if written := string(item.appendJSON(nil)); !seen[written] {
				seen[written] = true
				one.values = append(one.values, item)
			}
		}
		d.lists[name] = one
	}
}

// uses reports whether a node stands for a list by its name.
func (n *node) uses() bool { return n.kind == object && len(n.keys) == 1 && n.keys[0].text == "use" }

// values returns the entries of a list of values, one value or {use: NAME}, with
// the lists that it uses written out. What stands for a list has the place of
// its use.
func (d *decoder) values(n *node, what string) []*node {
	if n == nil {
		return nil
	}
	if n.uses() {
		return d.use(n, what)
	}
	var out []*node
	for _, item := range d.items(n, what, true) {
		if item.uses() {
			out = append(out, d.use(item, what)...)
			continue
		}
		out = append(out, item)
	}
	return out
}

func (d *decoder) use(n *node, what string) []*node {
	name := n.values[0]
	if name.kind != text {
		d.problem(name.pos, "write {use: NAME}", "%s uses %s", what, name.kind)
		return nil
	}
	list := d.lists[name.text]
	if list == nil {
		known := make([]string, 0, len(d.lists))
		for k := range d.lists {
			known = append(known, k)
		}
		hint := "define it at the top of this file: define: {" + shorten(name.text) + ": […]}"
		if near := Nearest(name.text, known); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		d.problem(name.pos, hint, "no list %q is defined", shorten(name.text))
		return nil
	}
	list.used = true
	if d.used += len(list.values); d.used > maxUsed {
		d.problem(n.pos, "use shorter lists, or match them with a pattern", "the lists of this file stand for more than %d values", maxUsed)
		return nil
	}
	out := make([]*node, len(list.values))
	for i, v := range list.values {
		placed := *v
		placed.pos, placed.list = n.pos, name.text
		out[i] = &placed
	}
	return out
}

// unused returns the lists that no rule uses, in no order.
func (d *decoder) unused() []Define {
	var out []Define
	for name, list := range d.lists {
		if !list.used {
			out = append(out, Define{Pos: list.pos, Name: name})
		}
	}
	return out
}
