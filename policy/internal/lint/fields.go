// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
	"github.com/toolverdict/toolverdict/policy/internal/typing"
)

// ruleChecker checks the conditions of one rule.
type ruleChecker struct {
	*Checker
	rule    Rule
	guarded map[string]bool // fields whose presence the rule tests somewhere
}

func (c *ruleChecker) strict() bool { return c.rule.Verdict != toolverdict.Allow }

// complain reports what is wrong with the tools of now: a problem, or a warning
// where tools may come that make it right.
func (c *ruleChecker) complain(at syntax.Pos, hint, format string, args ...any) {
	if c.Discovery && !c.rule.Named {
		c.warn(at, hint, format, args...)
		return
	}
	c.problem(at, hint, format, args...)
}

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
		for _, one := range c.Asked[cond] {
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
	case *syntax.History:
		c.history(cond)
	case *syntax.CEL:
		c.cel(cond, positive)
	}
}

// cel checks what an expression asks of arguments against the tools that are
// known, as if it had been asked by other conditions.
func (c *ruleChecker) cel(x *syntax.CEL, positive bool) {
	for _, one := range c.Asked[x] {
		found := c.look(one.Field)
		c.missing(one.Field, found, positive && !one.Presence, "has("+one.Field.Text+") &&")
		if len(one.Ops) > 0 {
			c.types(&one.Test, found, positive)
		}
		for _, o := range one.Ops {
			if o.Name == "regex" && !c.strict() && positive && !anchored(o.Values[0].Text) {
				c.warn(o.Pos, "write ^ before and $ behind it, in a group where it has alternatives: ^(?:a|b)$", "matches finds this anywhere in %s, and rule %q allows", one.Field.Text, c.rule.ID)
			}
		}
	}
}

// anchored reports whether an expression fits whole texts only, as far as its
// ends show.
func anchored(s string) bool {
	return (strings.HasPrefix(s, "^") || strings.HasPrefix(s, `\A`)) && (strings.HasSuffix(s, "$") || strings.HasSuffix(s, `\z`)) &&
		(!strings.Contains(s, "|") || strings.Contains(s, "("))
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
	tool *Tool
}

func (c *ruleChecker) look(f syntax.Field) []place {
	var out []place
	for _, t := range c.rule.Tools {
		out = append(out, place{typing.Locate(t.Arguments(), f.Steps), t})
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
			lacking = append(lacking, p.tool.Name)
		}
	}
	switch {
	case len(lacking) > 0 && len(lacking) == len(found):
		c.complain(f.Pos, nameHint(f, first.Near), "no tool of this rule has %s: in %s, %s", f.Text, first.tool.Name, first.Why)
	case len(lacking) > 0 && c.strict() && !c.guarded[f.Text]:
		c.warn(f.Pos, "name only the tools that have it, or add "+guard, "%s is missing in %s: what is missing counts towards the stricter side there", f.Text, listed(lacking))
	case c.strict() && positive && !c.guarded[f.Text] && slices.ContainsFunc(found, func(p place) bool { return p.Declared && p.Optional }):
		c.warn(f.Pos, "add "+guard+" beside it if a call without it is meant to pass", "%s is optional: rule %q also matches where it is left out", f.Text, c.rule.ID)
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
			c.warn(t.Field.Pos, fmt.Sprintf("write %s[*], any or every: then an empty list matches nothing", t.Field.Text), "%s is a list in %s: rule %q also matches where it is empty", t.Field.Text, p.tool.Name, c.rule.ID)
		}
	}
	for spot, list := range wrong {
		m, at := list[0], spot.at
		if len(list) >= known {
			c.problem(at, m.Hint, "%s is %s in %s, and %s", t.Field.Text, typing.Describe(m.Field), m.tool.Name, m.What)
			continue
		}
		c.warn(at, m.Hint, "%s is %s in %s, and %s", t.Field.Text, typing.Describe(m.Field), m.tool.Name, m.What)
	}
}
