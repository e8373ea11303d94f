// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"encoding/json"
	"slices"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy/internal/match"
	"github.com/toolverdict/toolverdict/policy/internal/sample"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// Bounds of the values of one variable.
const (
	maxLists   = 200 // lists of different outcomes
	maxSamples = 4000
)

// spread gives a variable its values: one for each outcome of the tests of it,
// found by asking both policies.
func (m *model) spread(at int) {
	v := m.vars[at]
	if v.limit != "" {
		return
	}
	found := &outcomes{m: m, at: at, seen: map[string]bool{}}
	v.values = nil
	for _, one := range m.singles(v) {
		found.try(one)
	}
	switch {
	case v.field.Root == sample.Effects:
		found.lists(func(list []value) value {
			var out value
			for _, e := range list {
				out.effects = append(out.effects, e.effects...)
			}
			return out
		})
	case v.lists() || v.field.Root == "args" && m.mayBeList(v):
		for _, n := range v.field.Lengths {
			found.try(value{json: repeated(canon.String("x"), n)})
		}
		found.lists(func(list []value) value {
			items := make([]canon.Value, len(list))
			for i, e := range list {
				items[i] = e.json
			}
			return value{json: canon.Array(items...)}
		})
	}
	if len(v.values) == 0 {
		found.try(value{})
	}
	if len(v.values) == 0 {
		v.values = []value{{}}
	}
	for i := range m.leaves {
		if l := &m.leaves[i]; l.of == at {
			l.any = 0
			for _, t := range l.truth {
				l.any |= one(t)
			}
		}
	}
}

func repeated(v canon.Value, n int) canon.Value {
	return canon.Array(slices.Repeat([]canon.Value{v}, n)...)
}

// outcomes collects the values of a variable that differ in what the tests say.
type outcomes struct {
	m    *model
	at   int
	seen map[string]bool
}

// seen is what the tests say of a value.
type seen struct {
	value
	all []match.Truth // of all leaves
	key string        // of those about the variable
}

// look asks both policies about a value; it is not ok where a call cannot have
// it.
func (o *outcomes) look(v value) (out seen, ok bool) {
	variable := o.m.vars[o.at]
	before := variable.values
	variable.values = []value{v}
	r, _, ok := build(o.m.tool.Tool, o.m.vars, make([]int, len(o.m.vars)))
	variable.values = before
	if !ok {
		return seen{}, false
	}
	out = seen{value: v, all: o.m.ask(r)}
	for i, l := range o.m.leaves {
		if l.of == o.at {
			out.key += string(rune('0' + out.all[i]))
		}
	}
	return out, true
}

// try looks at a value and keeps it if its outcome is a new one.
func (o *outcomes) try(v value) {
	if found, ok := o.look(v); ok {
		o.keep(found)
	}
}

// keep adds a value with what each leaf says of it, if that is new.
func (o *outcomes) keep(v seen) {
	variable := o.m.vars[o.at]
	switch {
	case o.seen[v.key]:
		return
	case len(variable.values) >= maxSamples:
		o.m.c.doubt(o.m.tool.Name(), "a field has more outcomes than are searched")
		return
	}
	o.seen[v.key] = true
	variable.values = append(variable.values, v.value)
	for i := range o.m.leaves {
		if l := &o.m.leaves[i]; l.of == o.at {
			l.truth = append(l.truth, v.all[i])
		}
	}
}

// lists adds lists of single values. What a test says of a list follows from
// what it says of the list without its last element and of that element, so
// lists of outcomes that were seen already need not be made longer.
func (o *outcomes) lists(join func([]value) value) {
	var elements []value
	var queue []seen
	grown := [][]value{}
	met := map[string]bool{}
	reach := func(list []value) bool {
		found, ok := o.look(join(list))
		if !ok || met[found.key] {
			return false
		}
		met[found.key] = true
		queue, grown = append(queue, found), append(grown, list)
		return true
	}
	if found, ok := o.look(join(nil)); ok {
		o.keep(found)
	}
	for _, e := range o.m.elements(o.m.vars[o.at]) {
		if reach([]value{e}) {
			elements = append(elements, e)
		}
	}
	for at := 0; at < len(queue); at++ {
		if len(queue) > maxLists {
			o.m.c.doubt(o.m.tool.Name(), "a list has more outcomes than are searched")
			return
		}
		o.keep(queue[at])
		for _, e := range elements {
			reach(append(slices.Clone(grown[at]), e))
		}
	}
}

// elements are single values as parts of a list.
func (m *model) elements(v *variable) []value {
	var out []value
	for _, j := range v.field.Values {
		out = append(out, value{json: j})
	}
	for _, e := range v.field.Effects {
		out = append(out, value{effects: []toolverdict.Effect{e}})
	}
	return out
}

// singles are the values of a variable that are no lists of others.
func (m *model) singles(v *variable) []value {
	var out []value
	switch {
	case v.field.Root == sample.Time:
		for _, t := range v.field.Times {
			out = append(out, value{at: t})
		}
		return out
	case v.field.Root == sample.Effects:
		return []value{{}}
	case v.lists():
		return []value{{json: canon.Array()}}
	case v.field.Root != "args":
		return m.said(v)
	}
	types, required := declared(m.tool.Tool, v.field.Steps)
	if !required || len(v.field.Steps) > 1 {
		out = append(out, value{})
	}
	if len(v.field.Steps) > 1 {
		out = append(out, value{odd: true})
	}
	for _, j := range v.field.Values {
		if fits(types, j) {
			out = append(out, value{json: j})
		}
	}
	if v.field.Fan >= 0 || fits(types, canon.Array()) {
		out = append(out, value{json: canon.Array()})
	}
	return out
}

// said are the values of what the host says.
func (m *model) said(v *variable) []value {
	switch v.field.Root + "." + v.name() {
	case "subject.authenticated", "run.readOnly":
		return []value{{json: canon.Bool(v.name() == "authenticated")}, {json: canon.Bool(v.name() != "authenticated")}}
	case "subject.kind":
		return []value{{}, {json: canon.String("person")}, {json: canon.String("agent")}, {json: canon.String("service")}}
	}
	out := []value{{}}
	if v.field.Key == `subject/"id"` {
		out = nil // everybody has one
	}
	for _, j := range v.field.Values {
		if j.Text() != "" || v.field.Root == "env" {
			out = append(out, value{json: j})
		}
	}
	return out
}

func (m *model) mayBeList(v *variable) bool {
	types, _ := declared(m.tool.Tool, v.field.Steps)
	return v.field.Fan >= 0 || fits(types, canon.Array())
}

// declared returns the types that the tool's schema names for an argument, none
// where it does not say, and whether a call must have it.
func declared(t *toolverdict.Tool, steps []syntax.Step) (types []string, required bool) {
	at := t.Definition().InputSchema
	for _, step := range steps {
		var s struct {
			Type       any                        `json:"type"`
			Required   []string                   `json:"required"`
			Properties map[string]json.RawMessage `json:"properties"`
		}
		if step.Kind != syntax.Member || json.Unmarshal(at, &s) != nil {
			return nil, false
		}
		at, required = s.Properties[step.Name], slices.Contains(s.Required, step.Name)
	}
	var last struct {
		Type any `json:"type"`
	}
	if len(at) == 0 || json.Unmarshal(at, &last) != nil {
		return nil, required
	}
	switch t := last.Type.(type) {
	case string:
		types = []string{t}
	case []any:
		for _, one := range t {
			if text, ok := one.(string); ok {
				types = append(types, text)
			}
		}
	}
	return types, required
}

func fits(types []string, j canon.Value) bool {
	kind := j.Kind().String()
	return len(types) == 0 || slices.Contains(types, kind) || kind == "number" && j.Number().IsInteger() && slices.Contains(types, "integer")
}
