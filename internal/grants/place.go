// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package grants

import (
	"slices"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// place is one argument of the call at hand, or a member inside of one: a value
// that is fixed or freed as a whole.
type place struct {
	at      string // JSON pointer
	field   string // how a policy names it
	value   canon.Value
	role    tv.Role     // of it, or of each of its elements; the zero Role where there is none
	mixed   bool        // roles meet in it in a way that no form bounds
	hidden  bool        // the approver does not see it as it is
	effects []tv.Effect // that were found in it
	limits  limits
}

// limits are what the tool's schema says of a value, as far as it says so
// plainly.
type limits struct {
	Type      string        `json:"type,omitempty"`
	Minimum   *canon.Number `json:"minimum,omitempty"`
	Maximum   *canon.Number `json:"maximum,omitempty"`
	MaxLength int           `json:"maxLength,omitempty"`
	Enum      []canon.Value `json:"enum,omitempty"`
}

// placesOf walks the arguments: objects are gone into, and everything else is one
// place.
func placesOf(t *tv.Tool, args canon.Value, effects []tv.Effect) []*place {
	def := t.Definition()
	schema, _ := canon.Parse(def.InputSchema, canon.Limits{})
	var out []*place
	var walk func(v, schema canon.Value, at, field string)
	walk = func(v, schema canon.Value, at, field string) {
		if v.Kind() == canon.KindObject && (v.Len() > 0 || at == "") {
			properties, _ := schema.Get("properties")
			for name, member := range v.Fields() {
				sub, _ := properties.Get(name)
				walk(member, sub, at+"/"+escape(name), field+"["+string(canon.Quote(name))+"]")
			}
			return
		}
		p := &place{at: at, field: field, value: v, limits: limitsOf(schema)}
		p.hidden = slices.ContainsFunc(def.Sensitive, func(s string) bool { return overlaps(s, at) })
		p.takeRole(t)
		for _, e := range effects {
			if e.Source == at || strings.HasPrefix(e.Source, at+"/") {
				p.effects = append(p.effects, e)
			}
		}
		out = append(out, p)
	}
	walk(args, schema, "", "args")
	return out
}

// takeRole finds the one role of the value, or of its elements.
func (p *place) takeRole(t *tv.Tool) {
	found := 0
	for at, role := range t.Roles() {
		if !overlaps(at, p.at) {
			continue
		}
		found++
		p.role = role
		element := p.value.Kind() == canon.KindArray && steps(at) == steps(p.at)+1
		if steps(at) != steps(p.at) && !element {
			p.mixed = true
		}
	}
	p.mixed = p.mixed || found > 1
}

// program reports whether the text is a program: it is bounded by what it does.
func (p *place) program() bool {
	return p.role.Kind == tv.RoleShell || p.role.Kind == tv.RoleSQL || p.role.Kind == tv.RoleCode
}

func steps(pointer string) int { return strings.Count(pointer, "/") }

func escape(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

// overlaps reports whether two JSON pointers name one place, or one of them a
// place inside of the other; a step * of the first stands for any.
func overlaps(pattern, pointer string) bool {
	a, b := strings.Split(pattern, "/"), strings.Split(pointer, "/")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] && a[i] != "*" {
			return false
		}
	}
	return true
}

func limitsOf(schema canon.Value) limits {
	var l limits
	if word, ok := schema.Get("type"); ok {
		l.Type = word.Text()
	}
	number := func(name string) *canon.Number {
		if v, ok := schema.Get(name); ok && v.Kind() == canon.KindNumber {
			n := v.Number()
			return &n
		}
		return nil
	}
	l.Minimum, l.Maximum = number("minimum"), number("maximum")
	if n := number("maxLength"); n != nil {
		most, _ := n.Int64()
		l.MaxLength = int(min(most, 1<<20))
	}
	if enum, ok := schema.Get("enum"); ok && enum.Len() <= maxListed {
		l.Enum = enum.Elems()
	}
	return l
}

// outside says which limit of the schema a value is outside of, or "".
func (l *limits) outside(v canon.Value) string {
	switch k := v.Kind(); {
	case k == canon.KindNumber && l.Minimum != nil && v.Number().Cmp(*l.Minimum) < 0:
		return "at least " + l.Minimum.String()
	case k == canon.KindNumber && l.Maximum != nil && v.Number().Cmp(*l.Maximum) > 0:
		return "at most " + l.Maximum.String()
	case len(l.Enum) > 0 && !slices.ContainsFunc(l.Enum, func(e canon.Value) bool { return canon.Equal(e, v) }):
		return "only its listed values"
	}
	return ""
}

// fixed is what a policy says of a field that must be exactly a value. A number
// is the same however it is written; an object or a list has nothing more in it.
func fixed(field string, v canon.Value) []any {
	switch v.Kind() {
	case canon.KindNull:
		return []any{tests{field: tests{"type": "null"}}}
	case canon.KindArray:
		out := []any{tests{field: tests{"type": "array", "length": v.Len()}}}
		for i, e := range v.Items() {
			out = append(out, fixed(field+"["+number(i)+"]", e)...)
		}
		return out
	case canon.KindObject:
		out := []any{tests{field: tests{"type": "object", "length": v.Len()}}}
		for name, member := range v.Fields() {
			out = append(out, fixed(field+"["+string(canon.Quote(name))+"]", member)...)
		}
		return out
	}
	return []any{tests{field: tests{"type": v.Kind().String(), "eq": v}}}
}

// shape fixes which members there are, all over the arguments: a further one is
// another kind of call.
func shape(args canon.Value) []any {
	out := []any{tests{"cel": "size(args) == " + number(args.Len())}}
	var walk func(v canon.Value, field string)
	walk = func(v canon.Value, field string) {
		for name, member := range v.Fields() {
			if member.Kind() == canon.KindObject && member.Len() > 0 {
				at := field + "[" + string(canon.Quote(name)) + "]"
				out = append(out, tests{at: tests{"type": "object", "length": member.Len()}})
				walk(member, at)
			}
		}
	}
	walk(args, "args")
	return out
}
