// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy/internal/match"
	"github.com/toolverdict/toolverdict/policy/internal/predicate"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
	"github.com/toolverdict/toolverdict/policy/internal/typing"
)

// subject is a field of which several things are asked at once.
type subject struct {
	field syntax.Field
	allow bool
}

// fans reports whether the field stands for several values.
func (s subject) fans() bool {
	return slices.ContainsFunc(s.field.Steps, func(t syntax.Step) bool { return t.Kind == syntax.Every })
}

// alike reports whether tests that stand apart are about the same value. Of a
// list, a rule that allows asks all of every element; a strict rule is content
// with one element for each of its tests.
func (s subject) alike() bool {
	return s.allow || s.field.Root != "args" && s.field.Root != "effects" && !slices.Contains(typing.HostField(s.field).Types, "array")
}

// whole reports whether an operator looks at a list as one thing.
func whole(o syntax.Op) bool {
	switch o.Name {
	case "exists", "type", "length", "any", "every":
		return true
	case "not":
		return slices.ContainsFunc(o.Ops, whole)
	}
	return false
}

// plainTest reports whether a test consists of operators on single values.
func plainTest(ops []syntax.Op) bool {
	return !slices.ContainsFunc(ops, func(o syntax.Op) bool { return whole(o) || o.Name == "not" })
}

// absent reports whether the value would have to be there and not be there.
func (s subject) absent(group []literal) bool {
	if s.fans() && !s.allow && len(group) > 1 {
		return false
	}
	there, gone := false, false
	for _, l := range group {
		only := len(l.test.Ops) == 1 && l.test.Ops[0].Name == "exists"
		switch {
		case only:
			wanted := l.test.Ops[0].Bool != l.negated
			there, gone = there || wanted, gone || !wanted
		case l.negated:
			there = there || plainTest(l.test.Ops) // of what is not there, nothing is false
		default:
			for _, o := range l.test.Ops {
				there = there || !whole(o) && o.Name != "not" || o.Name == "length" || o.Name == "type" || o.Name == "exists" && o.Bool
				gone = gone || o.Name == "exists" && !o.Bool
			}
		}
	}
	return there && gone
}

// within looks inside of operators that have operators of their own.
func (s subject) within(l literal) bool {
	if l.negated {
		return false
	}
	for _, o := range l.test.Ops {
		inner := o.Ops
		switch o.Name {
		case "any", "every":
		case "length":
			inner = append(slices.Clone(inner), syntax.Op{Name: "gte", Values: []syntax.Literal{{Kind: syntax.Number}}})
		default:
			continue
		}
		element := subject{field: syntax.Field{Root: "args", Text: s.field.Text}, allow: s.allow}
		if element.clash([]literal{{test: &syntax.Test{Field: element.field, Ops: inner}, positive: l.positive}}) {
			return true
		}
	}
	return false
}

// clash reports whether no single value satisfies all the literals. What looks
// at a list as one thing is left aside.
func (s subject) clash(group []literal) bool {
	if len(group) > 1 && !s.alike() {
		return false
	}
	var ops []syntax.Op // which must hold
	for _, l := range group {
		if l.negated {
			if o, ok := inverse(l.test.Ops); ok {
				ops = append(ops, o)
			}
			continue
		}
		for _, o := range l.test.Ops {
			if !whole(o) && o.Name != "not" {
				ops = append(ops, o)
			}
		}
	}
	if kinds(ops) == 0 || disjoint(ops) || empty(ops) {
		return true
	}
	candidates, ok := s.candidates(ops)
	return ok && !slices.ContainsFunc(candidates, func(v predicate.Value) bool { return s.possible(group, v) })
}

// kinds of single value, as a set.
const (
	aText = 1 << iota
	aNumber
	aBool
)

// kinds returns which kinds of value could satisfy all the operators: of any
// other kind one of them is unknown.
func kinds(ops []syntax.Op) int {
	all := aText | aNumber | aBool
	for _, o := range ops {
		one := 0
		for _, v := range o.Values {
			one |= [...]int{syntax.Text: aText, syntax.Number: aNumber, syntax.Bool: aBool}[v.Kind]
		}
		all &= one
	}
	return all
}

// inverse is the operator that holds where a test of one comparison is false.
func inverse(ops []syntax.Op) (syntax.Op, bool) {
	if len(ops) != 1 {
		return syntax.Op{}, false
	}
	out := ops[0]
	out.Name = map[string]string{"gt": "lte", "gte": "lt", "lt": "gte", "lte": "gt"}[out.Name]
	return out, out.Name != ""
}

// empty reports whether the comparisons leave no value between them.
func empty(ops []syntax.Op) bool {
	for _, low := range ops {
		for _, high := range ops {
			from, to := low.Values[0], high.Values[len(high.Values)-1]
			if !slices.Contains([]string{"gt", "gte", "between"}, low.Name) || !slices.Contains([]string{"lt", "lte", "between"}, high.Name) {
				continue
			}
			order, ok := compare(from, to)
			if ok && (order > 0 || order == 0 && (low.Name == "gt" || high.Name == "lt")) {
				return true
			}
		}
	}
	return false
}

func compare(a, b syntax.Literal) (order int, ok bool) {
	switch {
	case a.Kind == syntax.Number && b.Kind == syntax.Number:
		return a.Number.Cmp(b.Number), true
	case a.Kind == syntax.Text && b.Kind == syntax.Text:
		return match.ParseMoment(a.Text).Compare(match.ParseMoment(b.Text))
	}
	return 0, false
}

// disjoint reports whether two operators on text leave nothing between them.
func disjoint(ops []syntax.Op) bool {
	for i, a := range ops {
		for _, b := range ops[:i] {
			if a.Name == b.Name && apart(a, b) {
				return true
			}
		}
	}
	return false
}

func apart(a, b syntax.Op) bool {
	var meet func(x, y string) bool
	switch a.Name {
	case "prefix":
		meet = strings.HasPrefix
	case "suffix":
		meet = strings.HasSuffix
	case "under":
		meet = func(x, folder string) bool {
			f, err := match.ParseFolder(folder)
			return err != nil || f.Holds(x) != match.False
		}
	default:
		return false
	}
	for _, x := range a.Values {
		for _, y := range b.Values {
			if meet(x.Text, y.Text) || meet(y.Text, x.Text) {
				return false
			}
		}
	}
	return true
}

// maxCandidates bounds the values that are tried.
const maxCandidates = 200

// candidates returns all values that could satisfy the operators, where they are
// few: those of one of eq and in, or all that the host has.
func (s subject) candidates(ops []syntax.Op) ([]predicate.Value, bool) {
	if s.field.Root == "time" && slices.Contains([]string{"time.now", "time.date", "time.clock"}, s.field.Text) {
		return nil, false // compared by what they mean
	}
	for _, o := range ops {
		if (o.Name == "eq" || o.Name == "in") && len(o.Values) <= maxCandidates {
			out := make([]predicate.Value, len(o.Values))
			for i, v := range o.Values {
				out[i].SetJSON(jsonOf(v))
			}
			return out, true
		}
	}
	if s.field.Root == "args" || s.field.Root == "effects" {
		return nil, false
	}
	host := typing.HostField(s.field)
	var out []predicate.Value
	switch {
	case host.Enum != nil:
		for _, v := range host.Enum {
			var one predicate.Value
			one.SetJSON(v)
			out = append(out, one)
		}
	case slices.Contains(host.Types, "boolean"):
		out = []predicate.Value{{Kind: predicate.Boolean, Truth: true}, {Kind: predicate.Boolean}}
	case s.field.Text == "time.hour" || s.field.Text == "time.minute":
		last := int64(23)
		if s.field.Text == "time.minute" {
			last = 59
		}
		for n := range last + 1 {
			out = append(out, predicate.Value{Kind: predicate.Whole, N: n})
		}
	}
	return out, out != nil
}

func jsonOf(l syntax.Literal) canon.Value {
	switch l.Kind {
	case syntax.Number:
		return l.Number.Value()
	case syntax.Bool:
		return canon.Bool(l.Bool)
	case syntax.Text:
	}
	return canon.String(l.Text)
}

// possible reports whether one value satisfies all literals, as far as they are
// about single values.
func (s subject) possible(group []literal, v predicate.Value) bool {
	for _, l := range group {
		ops := l.test.Ops
		if l.negated && !plainTest(ops) {
			continue
		}
		ops = slices.DeleteFunc(slices.Clone(ops), func(o syntax.Op) bool { return whole(o) || o.Name == "not" })
		c := predicate.Compiler{Allow: s.allow, Problem: func(syntax.Pos, string, string, ...any) {}}
		p := c.Compile(ops, predicate.Target{Timed: s.field.Root == "time"}, l.positive)
		t := p.Eval(&predicate.Scratch{}, &v, true)
		if t == match.Unknown || (t == match.True) == l.negated {
			return false
		}
	}
	return true
}
