// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"slices"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
	"github.com/toolverdict/toolverdict/policy/internal/typing"
)

// wide finds rules that allow more tools than a strict rule holds to account:
// of two tools that one rule allows, an argument of the first is tested by a rule
// that denies or asks, and the second has the same argument, which no such rule
// tests, nor the allow rule itself.
func (c *Checker) wide(rules []Rule) {
	type tested struct {
		field syntax.Field
		rule  Rule
		on    *Tool
	}
	held := map[*Tool]map[string]tested{} // by field, what strict rules test
	for _, r := range rules {
		if r.Verdict == toolverdict.Allow {
			continue
		}
		for _, f := range append(arguments(r.When), arguments(r.Unless)...) {
			for _, t := range r.Tools {
				if held[t] == nil {
					held[t] = map[string]tested{}
				}
				if _, known := held[t][f.Text]; !known {
					held[t][f.Text] = tested{f, r, t}
				}
			}
		}
	}
	for _, r := range rules {
		if r.Verdict != toolverdict.Allow || len(r.Tools) < 2 {
			continue
		}
		own := append(arguments(r.When), arguments(r.Unless)...)
		fields := map[string]tested{}
		for _, t := range r.Tools {
			for text, one := range held[t] {
				if first, known := fields[text]; !known || one.rule.ID < first.rule.ID {
					fields[text] = one
				}
			}
		}
		for text, one := range fields {
			if slices.ContainsFunc(own, func(f syntax.Field) bool { return f.Text == text }) {
				continue
			}
			for _, t := range r.Tools {
				at := typing.Locate(t.arguments(), one.field.Steps)
				if _, is := held[t][text]; !is && at.Declared && at.Why == "" && at.Field != nil {
					c.warn(r.Pos, "name "+t.Name+" in that rule, too, or leave it out of this one",
						"rule %q also allows %s, where no rule tests %s as rule %q (%s) does in %s", r.ID, t.Name, text, one.rule.ID, standing(one.rule), one.on.Name)
					break
				}
			}
		}
	}
}

// arguments returns the arguments that a condition tests.
func arguments(cond syntax.Condition) []syntax.Field {
	var out []syntax.Field
	switch cond := cond.(type) {
	case *syntax.All:
		for _, p := range cond.Parts {
			out = append(out, arguments(p)...)
		}
	case *syntax.Any:
		for _, p := range cond.Parts {
			out = append(out, arguments(p)...)
		}
	case *syntax.Not:
		return arguments(cond.Part)
	case *syntax.Test:
		if cond.Field.Root == "args" {
			return []syntax.Field{cond.Field}
		}
	}
	return out
}
