// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
	"github.com/toolverdict/toolverdict/policy/internal/typing"
)

// spelling says what to do about entries of tools that cover none.
func (c *Checker) spelling(entries ...syntax.Pattern) string {
	return Spelling(c.Known, entries...)
}

// Spelling says what to do about entries of tools that cover none of the known
// ones: what was likely meant, where that can be told.
func Spelling(known []*Tool, entries ...syntax.Pattern) string {
	var names, groups []string
	for _, t := range known {
		names, groups = append(names, t.Name), append(groups, t.Definition.Groups...)
	}
	slices.Sort(groups)
	for _, p := range entries {
		switch {
		case p.Kind == syntax.ByName && !p.Glob:
			if meant := syntax.Meant(p.Text, names); len(meant) > 0 {
				return "did you mean " + strings.Join(meant, " or ") + "? If the name is right, no server has offered that tool so far"
			}
		case p.Kind == syntax.ByGroup:
			if meant := syntax.Nearest(p.Text, slices.Compact(groups)); meant != "" {
				return "did you mean group:" + meant + "?"
			}
		}
	}
	return "check the spelling; names are compared byte for byte, as server/tool or as the tool's own name"
}

// history checks what a rule asks of earlier calls.
func (c *ruleChecker) history(h *syntax.History) {
	c.numbers(h, h.Ops)
	if h.Kind == "sum" && !h.AndThis {
		c.warn(h.Pos, "add andThis: true to count this call, too", "this call may be of any size, as long as those before it stay within the bound")
	}
	if c.Covered == nil {
		return
	}
	var all []*Tool
	for _, p := range h.Tools {
		covered := c.Covered(p)
		if len(covered) == 0 && len(h.Tools) > 1 {
			c.warn(p.Pos, c.spelling(p), "this entry of history.%s covers no known tool", h.Kind)
		}
		all = append(all, covered...)
	}
	switch {
	case len(all) == 0 && c.Discovery:
		c.warn(h.Pos, c.spelling(h.Tools...), "history.%s covers no known tool", h.Kind)
	case len(all) == 0:
		c.problem(h.Pos, c.spelling(h.Tools...), "history.%s covers no known tool", h.Kind)
	}
	if h.Of != nil {
		c.summed(h, all)
	}
	for _, t := range all {
		if h.Currency != "" && !yields(t, []toolverdict.EffectKind{toolverdict.EffectSpend}) {
			c.warn(h.Pos, "declare a role in the catalog, such as money, or name only the tools that have one", "no argument of %s has a role that tells what is spent: no sum of it is known", t.Name)
		}
	}
}

// numbers refuses operators that have no meaning for how many, or how much.
func (c *ruleChecker) numbers(h *syntax.History, ops []syntax.Op) {
	for _, o := range ops {
		switch o.Name {
		case "not":
			c.numbers(h, o.Ops)
			continue
		case "eq", "ne", "in", "notIn", "gt", "gte", "lt", "lte", "between":
		default:
			c.problem(o.Pos, "use gt, gte, lt, lte, between, eq, ne, in, notIn or not", "%s does not apply to history.%s, which is a number", o.Name, h.Kind)
			continue
		}
		for _, l := range o.Values {
			switch {
			case l.Kind != syntax.Number:
				c.problem(l.Pos, "write a number", "history.%s is a number, and %s is %s", h.Kind, l, l.Kind)
			case h.Kind == "count" && !syntax.Countable(l):
				c.problem(l.Pos, "use limit for more", "at most %d calls are counted", syntax.MostCounted)
			}
		}
	}
}

// summed holds what is added up to the tools that have it.
func (c *ruleChecker) summed(h *syntax.History, tools []*Tool) {
	for _, t := range tools {
		found := typing.Locate(t.Arguments(), h.Of.Steps)
		switch {
		case h.Hidden(t.Definition.Sensitive):
			c.problem(h.Of.Pos, "leave the tool out, or add up another argument", "%s is sensitive in %s: it is never kept, so no sum of it is known", h.Of.Text, t.Name)
		case found.Why != "":
			c.complain(h.Of.Pos, "name only the tools that have it", "%s is missing in %s, so no sum of it is known: %s", h.Of.Text, t.Name, found.Why)
		case found.Field != nil && !typing.Has(found.Field, "number") && !typing.Has(found.Field, "integer"):
			c.complain(h.Of.Pos, "add up a number", "%s is %s in %s", h.Of.Text, typing.Describe(found.Field), t.Name)
		case found.Declared && found.Optional:
			c.warn(h.Of.Pos, "a call without it makes the sum unknown until it is too long ago", "%s is optional in %s", h.Of.Text, t.Name)
		}
	}
}
