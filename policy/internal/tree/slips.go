// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"fmt"
	"slices"

	"github.com/toolverdict/toolverdict"
)

// A policy's tests are as good as the slips that they notice: this file changes
// one thing in a rule, in every way that a slip of its writer could.

// Slip is a rule in which one thing is another.
type Slip struct {
	Pos
	What string // in words
	Rule *Rule
}

// Slips returns the slips in a rule, in the order in which it is read. The
// rule's examples stay as they are.
func Slips(r *Rule) []Slip {
	var out []Slip
	add := func(at Pos, what string, edit func(*Rule)) {
		if at.Line == 0 {
			at = r.Pos
		}
		changed := *r
		edit(&changed)
		out = append(out, Slip{at, what, &changed})
	}
	verdict := opposite(r)
	add(r.Pos, fmt.Sprintf("verdict %s becomes %s", r.Verdict, verdict), func(c *Rule) {
		if c.Verdict = verdict; verdict != toolverdict.Ask {
			c.Ask = nil
		}
	})
	for i, p := range r.Tools {
		if len(r.Tools) > 1 {
			add(p.Pos, "one of its tools is dropped: "+written(p), func(c *Rule) { c.Tools = without(c.Tools, i) })
		}
	}
	if r.When != nil {
		add(Place(r.When), "when is dropped", func(c *Rule) { c.When = nil })
		for _, v := range slips(r.When) {
			add(v.Pos, v.what, func(c *Rule) { c.When = v.cond })
		}
	}
	if r.Unless != nil {
		add(Place(r.Unless), "unless is dropped", func(c *Rule) { c.Unless = nil })
		for _, v := range slips(r.Unless) {
			add(v.Pos, v.what, func(c *Rule) { c.Unless = v.cond })
		}
	}
	if r.Limit != nil {
		add(r.Pos, "the limit is one more", func(c *Rule) { l := *c.Limit; l.Max++; c.Limit = &l })
		add(r.Pos, "the limit is dropped", func(c *Rule) { c.Limit = nil })
	}
	return out
}

// opposite is the verdict that a slip would hurt most by.
func opposite(r *Rule) toolverdict.Verdict {
	switch {
	case r.Verdict == toolverdict.Allow:
		return toolverdict.Deny
	case r.Verdict == toolverdict.Deny && r.Limit != nil:
		return toolverdict.Ask // an allow rule has no limit
	case r.Verdict == toolverdict.Ask && r.Limit != nil:
		return toolverdict.Deny
	}
	return toolverdict.Allow
}

func written(p Pattern) string {
	prefix := map[PatternKind]string{ByGroup: "group:", BySafety: "safety:", ByRisk: "risk:"}
	return prefix[p.Kind] + p.Text
}

// variant is a condition in which one thing is another.
type variant struct {
	Pos
	what string
	cond Condition
}

func slips(c Condition) []variant {
	switch c := c.(type) {
	case *All:
		return append([]variant{{Place(c), "all becomes any", &Any{Parts: c.Parts}}},
			parts(c.Parts, func(p []Condition) Condition { return &All{Parts: p} })...)
	case *Any:
		return append([]variant{{Place(c), "any becomes all", &All{Parts: c.Parts}}},
			parts(c.Parts, func(p []Condition) Condition { return &Any{Parts: p} })...)
	case *Not:
		out := []variant{{Place(c), "not is dropped", c.Part}}
		for _, v := range slips(c.Part) {
			out = append(out, variant{v.Pos, v.what, &Not{Part: v.cond}})
		}
		return out
	case *Effects:
		turned := &Effects{Pos: c.Pos, Every: !c.Every, Part: c.Part}
		out := []variant{{c.Pos, Title(c) + " becomes " + Title(turned), turned}}
		for _, v := range slips(c.Part) {
			out = append(out, variant{v.Pos, v.what, &Effects{Pos: c.Pos, Every: c.Every, Part: v.cond}})
		}
		return out
	case *History:
		out := []variant{negated(c)}
		for _, o := range slippedOps(c.Ops) {
			changed := *c
			changed.Ops = o.ops
			out = append(out, variant{o.Pos, "history." + c.Kind + ": " + o.what, &changed})
		}
		return out
	case *Test:
		out := []variant{negated(c)}
		for _, o := range slippedOps(c.Ops) {
			out = append(out, variant{o.Pos, c.Field.Text + ": " + o.what, &Test{Field: c.Field, Ops: o.ops}})
		}
		return out
	}
	return []variant{negated(c)}
}

func negated(c Condition) variant {
	return variant{Place(c), "negated: " + Title(c), &Not{Part: c}}
}

// parts drops and changes the parts of a list of conditions. One that holds a
// single part stands for it.
func parts(list []Condition, join func([]Condition) Condition) []variant {
	var out []variant
	for i, p := range list {
		if len(list) > 1 {
			out = append(out, variant{Place(p), "dropped: " + Title(p), join(without(list, i))})
		}
		for _, v := range slips(p) {
			changed := slices.Clone(list)
			changed[i] = v.cond
			out = append(out, variant{v.Pos, v.what, join(changed)})
		}
	}
	return out
}

func without[T any](list []T, i int) []T { return slices.Delete(slices.Clone(list), i, i+1) }

// slippedTest is the operators of a test in which one thing is another.
type slippedTest struct {
	Pos
	what string
	ops  []Op
}

func slippedOps(ops []Op) []slippedTest {
	var out []slippedTest
	for i, o := range ops {
		if len(ops) > 1 {
			out = append(out, slippedTest{o.Pos, o.Name + " is dropped", without(ops, i)})
		}
		for _, v := range slipsOf(o) {
			changed := slices.Clone(ops)
			changed[i] = v.op
			out = append(out, slippedTest{o.Pos, v.what, changed})
		}
	}
	return out
}

// slippedOp is an operator in which one thing is another.
type slippedOp struct {
	what string
	op   Op
}

// mostValues bounds from how long a list each value is dropped in turn.
const mostValues = 6

func slipsOf(o Op) []slippedOp {
	var out []slippedOp
	if to := neighbour(o.Name); to != "" {
		renamed := o
		renamed.Name = to
		out = append(out, slippedOp{o.Name + " becomes " + to, renamed})
	}
	switch o.Name {
	case "exists":
		turned := o
		turned.Bool = !o.Bool
		return []slippedOp{{fmt.Sprintf("exists: %t becomes %t", o.Bool, turned.Bool), turned}}
	case "any", "every", "length", "not":
		for _, inner := range slippedOps(o.Ops) {
			changed := o
			changed.Ops = inner.ops
			out = append(out, slippedOp{o.Name + ": " + inner.what, changed})
		}
		return out
	case "between":
		low, high := o, o
		low.Name, low.Values = "gte", o.Values[:1]
		high.Name, high.Values = "lte", o.Values[1:]
		return []slippedOp{{"between keeps its lower bound only", low}, {"between keeps its upper bound only", high}}
	}
	return append(out, fewer(o)...)
}

// neighbour is the operator that one slips to.
func neighbour(operator string) string {
	return map[string]string{
		"gt": "gte", "gte": "gt", "lt": "lte", "lte": "lt", "any": "every", "every": "any",
		"prefix": "contains", "suffix": "contains", "under": "prefix",
	}[operator]
}

// fewer drops values, one at a time. A list with a name goes as a whole.
func fewer(o Op) []slippedOp {
	var out []slippedOp
	seen := map[string]bool{}
	for i, l := range o.Values {
		if l.List != "" && seen[l.List] || l.List == "" && i >= mostValues {
			continue
		}
		dropped, text := o, "the list "+l.List
		if l.List != "" {
			seen[l.List] = true
			dropped.Values = slices.DeleteFunc(slices.Clone(o.Values), func(v Literal) bool { return v.List == l.List })
		} else {
			dropped.Values = without(o.Values, i)
			text = l.show()
		}
		if len(dropped.Values) > 0 {
			out = append(out, slippedOp{o.Name + " loses " + text, dropped})
		}
	}
	return out
}
