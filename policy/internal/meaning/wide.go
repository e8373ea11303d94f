// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
	"github.com/toolverdict/toolverdict/policy/internal/typing"
)

// held is what rules that deny or ask test of one tool, by the field's text: the
// field and the first such rule.
type held map[string]tested

type tested struct {
	field syntax.Field
	rule  Rule
	on    *typing.Tool
}

// note keeps a test, that of the first rule by id where there are several.
func (h held) note(text string, t tested) {
	if known, is := h[text]; !is || t.rule.ID < known.rule.ID {
		h[text] = t
	}
}

// wide finds rules that allow more tools than a strict rule holds to account:
// of two tools that one rule allows, an argument of the first is tested by a rule
// that denies or asks, and the second has the same argument, which no such rule
// tests, nor the allow rule itself.
func (f *finder) wide(rules []Rule) {
	strict := map[*typing.Tool]held{}
	for _, r := range rules {
		if r.Verdict == toolverdict.Allow {
			continue
		}
		for _, field := range append(arguments(r.When), arguments(r.Unless)...) {
			for _, t := range r.Tools {
				if strict[t] == nil {
					strict[t] = held{}
				}
				strict[t].note(field.Text, tested{field, r, t})
			}
		}
	}
	for _, r := range rules {
		if r.Verdict == toolverdict.Allow && len(r.Tools) > 1 {
			f.loose(r, strict)
		}
	}
}

// loose holds the tools of one allow rule against each other.
func (f *finder) loose(r Rule, strict map[*typing.Tool]held) {
	tests := held{}
	for _, t := range r.Tools {
		for text, one := range strict[t] {
			tests.note(text, one)
		}
	}
	for _, own := range append(arguments(r.When), arguments(r.Unless)...) {
		delete(tests, own.Text)
	}
	for text, one := range tests {
		for _, t := range r.Tools {
			at := typing.Locate(t.Arguments(), one.field.Steps)
			if _, is := strict[t][text]; !is && at.Declared && at.Why == "" && at.Field != nil {
				f.warn(r.Pos, "name "+t.Name+" in that rule, too, or leave it out of this one",
					"rule %q also allows %s, where no rule tests %s as rule %q (%s) does in %s", r.ID, t.Name, text, one.rule.ID, standing(one.rule), one.on.Name)
				break
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
