// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy"
)

// TestLawOfLists: a rule decides the same with its values written out and with
// the same values in a list that it uses.
func TestLawOfLists(t *testing.T) {
	t.Parallel()
	one := tool(t, "s/one", "true")
	rapid.Check(t, func(t *rapid.T) {
		d := drawing{t: t}
		p := d.policy()
		var lists []string
		named := oPolicy{}
		for _, r := range p {
			r.when, r.unless = inLists(r.when, &lists), inLists(r.unless, &lists)
			named = append(named, r)
		}
		text := named.yaml("p")
		if len(lists) > 0 {
			text = strings.Replace(text, "rules:\n", "define:\n"+strings.Join(lists, "")+"rules:\n", 1)
		}
		written, used := engine(t, one, p.yaml("p")), engine(t, one, text)
		for range 4 {
			call := d.arguments()
			want, got := written(call), used(call)
			if len(lists) > 0 && want.PolicyHash == got.PolicyHash {
				t.Fatal("two texts with one hash")
			}
			want.PolicyHash = got.PolicyHash
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s\n%s", text, diff)
			}
		}
	})
}

// useOf is written in the place of a list.
type useOf struct {
	Use string `json:"use"`
}

// inLists moves the values of in, prefix and the like into lists of the file.
func inLists(c *oCond, lists *[]string) *oCond {
	if c == nil {
		return nil
	}
	out := *c
	out.not = inLists(c.not, lists)
	out.all, out.any = nil, nil
	for _, p := range c.all {
		out.all = append(out.all, *inLists(&p, lists))
	}
	for _, p := range c.any {
		out.any = append(out.any, *inLists(&p, lists))
	}
	out.ops = opsInLists(c.ops, lists)
	return &out
}

func opsInLists(ops []oOp, lists *[]string) []oOp {
	var out []oOp
	for _, o := range ops {
		o.ops = opsInLists(o.ops, lists)
		switch o.name {
		case "in", "notIn", "prefix", "suffix", "contains":
			name := fmt.Sprintf("l%d", len(*lists))
			*lists = append(*lists, fmt.Sprintf("  %s: %s\n", name, strings.TrimSuffix(strings.TrimPrefix(opsYAML([]oOp{{name: "x", values: o.values}}), "{x: "), "}")))
			o.values = []any{useOf{name}}
		}
		out = append(out, o)
	}
	return out
}

func TestNamedLists(t *testing.T) {
	t.Parallel()
	text := func(define, rule string) string {
		return "policy: p\nversion: v1\ndefine: " + define + "\nrules:\n  - {id: r, verdict: deny, reason: why, " + rule + "}\n"
	}
	const rule = "tools: a/b, when: {args.x: {use: staff}}"
	// A list that no rule uses is a warning, at its place.
	_, report, err := load(t, nil, policy.Options{}, text("{staff: [a], stuff: [b]}", rule))
	if err != nil || len(report.Warnings) != 1 || report.Warnings[0].String() != `f0.yaml:3:22: the list "stuff" is not used: remove it, or write {use: stuff} where it is meant` {
		t.Errorf("%v %v", err, report.Warnings)
	}
	// What is in a list counts for the hash, and lists of another file do not count.
	first, second := compile(t, text("{staff: [a]}", rule), nil), compile(t, text("{staff: [a, b]}", rule), nil)
	_, a := first.Identity()
	if _, b := second.Identity(); a == b {
		t.Error("two lists with one hash")
	}
	other := strings.Replace(strings.Replace(text("{stuff: [b]}", "tools: a/b, when: {args.x: {use: staff}}"), "policy: p", "policy: q", 1), "id: r", "id: s", 1)
	if _, _, err := load(t, nil, policy.Options{}, text("{staff: [a]}", rule), other); err == nil || !strings.Contains(err.Error(), `f1.yaml:5:74: no list "staff" is defined`) {
		t.Errorf("a list of another file: %v", err)
	}
	// Tools by a list.
	s := compile(t, text("{shells: [a/sh, b/sh]}", "tools: [{use: shells}, c/sh]"), catalog{tool(t, "a/sh", "true"), tool(t, "b/sh", "true"), tool(t, "c/sh", "true")})
	for _, name := range []string{"a/sh", "b/sh", "c/sh"} {
		if d := s.Decide(toolverdict.Request{Tool: tool(t, name, "true")}); d.Rule != "r" {
			t.Errorf("%s: %q", name, d.Rule)
		}
	}
}

// TestListBomb: short text never stands for more values than can be compiled.
func TestListBomb(t *testing.T) {
	t.Parallel()
	var list, uses strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&list, "v%d, ", i)
	}
	for range 11 {
		uses.WriteString("{use: big}, ")
	}
	_, _, err := load(t, nil, policy.Options{}, "policy: p\nversion: v1\ndefine: {big: ["+list.String()+"]}\nrules:\n  - {id: r, verdict: deny, reason: why, tools: a/b, when: {args.x: ["+uses.String()+"]}}\n")
	if err == nil || !strings.Contains(err.Error(), "stand for more than 200000 values") {
		t.Errorf("%.300v", err)
	}
}

// TestListTypes: each value of a list is judged by itself, by each tool.
func TestListTypes(t *testing.T) {
	t.Parallel()
	tools := catalog{
		tool(t, "s/text", `{"type":"object","properties":{"x":{"type":"string"}},"required":["x"]}`), tool(t, "s/number", `{"type":"object","properties":{"x":{"type":"number"}},"required":["x"]}`),
	}
	text := func(values string) string {
		return "policy: p\nversion: v1\ndefine: {odd: " + values + "}\nrules:\n  - {id: r, verdict: deny, reason: why, tools: [s/text, s/number], when: {args.x: {use: odd}}}\n"
	}
	_, report, err := load(t, tools, policy.Options{}, text("[a, 1, a]"))
	if err != nil || len(report.Warnings) != 2 {
		t.Errorf("values that fit one tool each: %v %v", err, report.Warnings)
	}
	if _, _, err := load(t, tools, policy.Options{}, text("[a, true]")); err == nil || !strings.Contains(err.Error(), "true is a boolean") || strings.Contains(err.Error(), `"a" is text`) {
		t.Errorf("a value that fits no tool: %v", err)
	}
}
