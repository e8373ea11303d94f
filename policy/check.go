// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
	"github.com/toolverdict/toolverdict/policy/internal/typing"
)

// Problem is one thing wrong with a policy: File, Line and Column (from 1), the
// Message, and a Hint that says what to do.
type Problem = syntax.Problem

// Problems is the error of [Compile]: everything that is wrong, by position.
type Problems = syntax.Problems

// Report says what a policy amounts to.
type Report struct {
	Warnings Problems // by position; they stop nothing
	Rules    []RuleInfo
	Tools    []ToolInfo
}

// RuleInfo is one rule as it was loaded.
type RuleInfo struct {
	ID      string              `json:"id"`
	Verdict toolverdict.Verdict `json:"verdict"`
	Reason  string              `json:"reason"`
	File    string              `json:"file"`
	Line    int                 `json:"line"`
	Tools   []string            `json:"tools"`         // known tools it can match, by name
	CEL     bool                `json:"cel,omitempty"` // it rests on an expression, of which less can be proved
}

// ToolInfo is one known tool with the rules that can match its calls.
type ToolInfo struct {
	Name  string   `json:"name"`
	Rules []string `json:"rules"` // by id; empty means that only the default applies
}

// checker holds the rules against the tools that are known.
type checker struct {
	b        *builder
	tools    toolIndex
	covered  map[*rule][]*tool
	trees    map[*tool]*typing.Field
	options  Options
	warnings Problems
}

func newChecker(b *builder, tools []*tool, o Options) *checker {
	return &checker{b: b, tools: newToolIndex(tools), covered: map[*rule][]*tool{}, trees: map[*tool]*typing.Field{}, options: o}
}

func (c *checker) problem(at syntax.Pos, hint, format string, args ...any) {
	c.b.problem(at, hint, format, args...)
}

func (c *checker) warn(at syntax.Pos, hint, format string, args ...any) {
	c.warnings = append(c.warnings, Problem{Pos: at, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// complain reports what is wrong with the tools of now: a problem, or a warning
// where tools may come that make it right.
func (c *checker) complain(r *rule, at syntax.Pos, hint, format string, args ...any) {
	if c.options.Discovery && !r.names() {
		c.warn(at, hint, format, args...)
		return
	}
	c.problem(at, hint, format, args...)
}

// names reports whether the rule names each of its tools, so that others found
// later are not what it was written for.
func (r *rule) names() bool {
	return !slices.ContainsFunc(r.patterns, func(p pattern) bool { return p.Kind != syntax.ByName || p.Glob })
}

func (c *checker) check() {
	for _, f := range c.b.files {
		for _, list := range f.Unused {
			c.warn(list.Pos, "remove it, or write {use: "+list.Name+"} where it is meant", "the list %q is not used", list.Name)
		}
	}
	for _, r := range c.b.rules {
		c.covered[r] = c.tools.covered(r)
		if len(c.tools.all) > 0 {
			c.patterns(r)
		}
		rc := ruleChecker{checker: c, rule: r, guarded: map[string]bool{}}
		rc.guards(r.source.When)
		rc.guards(r.source.Unless)
		rc.condition(r.source.When, true)
		rc.condition(r.source.Unless, false)
	}
}

// patterns finds entries of tools that cover nothing.
func (c *checker) patterns(r *rule) {
	const hint = "check the spelling; names are compared byte for byte, as server/tool or as the tool's own name"
	if len(c.covered[r]) == 0 {
		at, what := r.source.Tools[0].Pos, "rule %q covers no known tool"
		if c.options.Discovery {
			c.warn(at, hint, what, r.id)
			return
		}
		c.problem(at, hint, what, r.id)
		return
	}
	for i := range r.patterns {
		p := &r.patterns[i]
		covered := c.tools.of(p)
		if len(covered) == 0 {
			c.warn(p.Pos, hint, "this entry of rule %q covers no known tool", r.id)
		}
		if r.verdict == toolverdict.Allow && p.Kind == syntax.ByName && !p.Full && !p.Glob && len(covered) > 1 {
			c.warn(p.Pos, "write server/tool: another server can offer a tool of that name at any time", "rule %q allows %s and %s by their short name", r.id, covered[0].name, covered[1].name)
		}
	}
}

// tree returns what the tool's arguments can be, nil where nothing is known.
func (c *checker) tree(t *tool) *typing.Field {
	if tree, done := c.trees[t]; done {
		return tree
	}
	c.trees[t] = typing.Arguments(t.known.Schema(), t.def.InputSchema)
	return c.trees[t]
}

// ruleChecker checks the conditions of one rule.
type ruleChecker struct {
	*checker
	rule    *rule
	guarded map[string]bool // fields whose presence the rule tests somewhere
}

func (c *ruleChecker) strict() bool { return c.rule.verdict != toolverdict.Allow }

// guards notes the fields that are tested with exists.
func (c *ruleChecker) guards(cond syntax.Condition) {
	switch cond := cond.(type) {
	case *syntax.All:
		for _, p := range cond.Parts {
			c.guards(p)
		}
	case *syntax.Any:
		for _, p := range cond.Parts {
			c.guards(p)
		}
	case *syntax.Not:
		c.guards(cond.Part)
	case *syntax.Test:
		if slices.ContainsFunc(cond.Ops, func(o syntax.Op) bool { return o.Name == "exists" }) {
			c.guarded[cond.Field.Text] = true
		}
	case *syntax.CEL:
		for _, one := range c.b.asked[cond] {
			c.guarded[one.Field.Text] = c.guarded[one.Field.Text] || one.Presence
		}
	}
}

func (c *ruleChecker) condition(cond syntax.Condition, positive bool) {
	switch cond := cond.(type) {
	case *syntax.All:
		for _, p := range cond.Parts {
			c.condition(p, positive)
		}
	case *syntax.Any:
		for _, p := range cond.Parts {
			c.condition(p, positive)
		}
	case *syntax.Not:
		c.condition(cond.Part, !positive)
	case *syntax.Test:
		c.test(cond, positive)
	case *syntax.Effects:
		c.effects(cond, positive)
	case *syntax.CEL:
		c.cel(cond, positive)
	}
}

// cel checks what an expression asks of arguments against the tools that are
// known, as if it had been asked by other conditions.
func (c *ruleChecker) cel(x *syntax.CEL, positive bool) {
	for _, one := range c.b.asked[x] {
		found := c.look(one.Field)
		c.missing(one.Field, found, positive && !one.Presence, "has("+one.Field.Text+") &&")
		if len(one.Ops) > 0 {
			c.types(&one.Test, found, positive)
		}
	}
}

func (c *ruleChecker) test(t *syntax.Test, positive bool) {
	if t.Field.Root != "args" {
		f := typing.HostField(t.Field)
		wrongs := typing.Mismatches(t.Ops, f)
		if t.Field.Root == "effects" {
			wrongs = typing.EffectMismatches(t)
		}
		for _, wrong := range wrongs {
			c.problem(wrong.At, wrong.Hint, "%s is %s, and %s", t.Field.Text, typing.Describe(f), wrong.What)
		}
		if !c.strict() && positive && typing.Has(f, "array") && typing.Spreads(t.Ops) {
			c.warn(t.Field.Pos, "write {any: …} if one is enough, {every: …} to confirm it", "%s is a list, and an allow rule needs every element to match", t.Field.Text)
		}
		return
	}
	c.lengths(t.Ops, t.Field.Text)
	found := c.look(t.Field)
	c.missing(t.Field, found, positive, "exists: true")
	c.types(t, found, positive)
}

// lengths holds what length is compared with to numbers, whatever the field is.
func (c *ruleChecker) lengths(ops []syntax.Op, field string) {
	for _, o := range ops {
		if o.Name != "length" {
			c.lengths(o.Ops, field)
			continue
		}
		for _, wrong := range typing.Mismatches(o.Ops, &typing.Field{Types: []string{"integer"}}) {
			c.problem(wrong.At, wrong.Hint, "the length of %s is a whole number, and %s", field, wrong.What)
		}
	}
}

// place is what one tool's schema says of a field.
type place struct {
	typing.Place
	tool *tool
}

func (c *ruleChecker) look(f syntax.Field) []place {
	var out []place
	for _, t := range c.covered[c.rule] {
		out = append(out, place{typing.Locate(c.tree(t), f.Steps), t})
	}
	return out
}

// missing complains about fields that are not there, or may not be.
func (c *ruleChecker) missing(f syntax.Field, found []place, positive bool, guard string) {
	var lacking []string
	var first place
	for _, p := range found {
		if p.Why != "" {
			if lacking == nil {
				first = p
			}
			lacking = append(lacking, p.tool.name)
		}
	}
	switch {
	case len(lacking) > 0 && len(lacking) == len(found):
		c.complain(c.rule, f.Pos, nameHint(f, first.Near), "no tool of this rule has %s: in %s, %s", f.Text, first.tool.name, first.Why)
	case len(lacking) > 0 && c.strict() && !c.guarded[f.Text]:
		c.warn(f.Pos, "name only the tools that have it, or add "+guard, "%s is missing in %s: what is missing counts towards the stricter side there", f.Text, listed(lacking))
	case c.strict() && positive && !c.guarded[f.Text] && slices.ContainsFunc(found, func(p place) bool { return p.Declared && p.Optional }):
		c.warn(f.Pos, "add "+guard+" beside it if a call without it is meant to pass", "%s is optional: rule %q also matches where it is left out", f.Text, c.rule.id)
	}
}

func nameHint(f syntax.Field, near []string) string {
	last := f.Steps[len(f.Steps)-1].Name
	if name := syntax.Nearest(last, near); name != "" {
		return fmt.Sprintf("did you mean %q?", name)
	}
	return "name an argument of the tool"
}

// listed names a few tools.
func listed(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// types complains about operators that do not fit what the field can be. One
// that fits no tool is a problem, one that does not fit some a warning.
func (c *ruleChecker) types(t *syntax.Test, places []place, positive bool) {
	type found struct {
		typing.Mismatch
		place
	}
	type spot struct {
		at syntax.Pos
		of string
	}
	wrong := map[spot][]found{}
	known, warned := 0, false
	for _, p := range places {
		if p.Field == nil || p.Field.Types == nil && p.Field.Enum == nil {
			continue // not there, or anything: another tool's schema decides
		}
		known++
		for _, m := range typing.Mismatches(t.Ops, p.Field) {
			at := spot{m.At, m.Of}
			wrong[at] = append(wrong[at], found{m, p})
		}
		if c.strict() && positive && !warned && typing.OnlyList(p.Field) && typing.Spreads(t.Ops) {
			warned = true
			c.warn(t.Field.Pos, fmt.Sprintf("write %s[*], any or every: then an empty list matches nothing", t.Field.Text), "%s is a list in %s: rule %q also matches where it is empty", t.Field.Text, p.tool.name, c.rule.id)
		}
	}
	for spot, list := range wrong {
		m, at := list[0], spot.at
		if len(list) >= known {
			c.problem(at, m.Hint, "%s is %s in %s, and %s", t.Field.Text, typing.Describe(m.Field), m.tool.name, m.What)
			continue
		}
		c.warn(at, m.Hint, "%s is %s in %s, and %s", t.Field.Text, typing.Describe(m.Field), m.tool.name, m.What)
	}
}

func (c *checker) report(s *Set) Report {
	report := Report{Warnings: c.warnings.Sort()}
	for _, t := range c.tools.all {
		info := ToolInfo{Name: t.name, Rules: make([]string, 0, len(t.program.rules))}
		for _, r := range t.program.rules {
			info.Rules = append(info.Rules, r.id)
		}
		report.Tools = append(report.Tools, info)
	}
	for _, r := range s.rules {
		info := infoOf(r)
		for _, t := range c.covered[r] {
			info.Tools = append(info.Tools, t.name)
		}
		report.Rules = append(report.Rules, info)
	}
	return report
}
