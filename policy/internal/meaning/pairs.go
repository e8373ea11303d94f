// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// pairs finds rules that another one makes useless: it says the same of the same
// calls, or something stricter.
func (f *finder) pairs(rules []Rule) {
	same := map[string][]Rule{}
	for _, r := range rules {
		if r.Limit == nil {
			key := toolsOf(r) + "\n" + canonical(r.When) + "\n" + canonical(r.Unless)
			same[key] = append(same[key], r)
		}
	}
	told := map[string]bool{}
	for _, group := range same {
		f.alike(group, told)
	}
	always := map[string][]Rule{} // which deny every call, by an entry of their tools
	for _, d := range rules {
		if d.Verdict == toolverdict.Deny && d.When == nil && d.Unless == nil && d.Limit == nil {
			for _, p := range d.Rule.Tools {
				always[patternText(p)] = append(always[patternText(p)], d)
			}
		}
	}
	for _, r := range rules {
		if r.Verdict == toolverdict.Deny || told[r.ID] {
			continue
		}
		over := slices.Concat(always[patternText(r.Rule.Tools[0])], always[everyTool])
		if i := slices.IndexFunc(over, func(d Rule) bool { return covers(d, r) }); i >= 0 {
			f.useless(r, over[i], "every call of its tools")
		}
	}
}

// alike compares the verdicts of rules with the same tools and conditions.
func (f *finder) alike(group []Rule, told map[string]bool) {
	strictest := slices.MinFunc(group, func(a, b Rule) int { return int(a.Verdict) - int(b.Verdict) })
	first := map[toolverdict.Verdict]Rule{}
	for _, r := range group {
		other, again := first[r.Verdict]
		switch {
		case strictest.Verdict < r.Verdict:
			told[r.ID] = true
			f.useless(r, strictest, "the same calls")
		case !again:
			first[r.Verdict] = r
		case r.Verdict != toolverdict.Ask: // whose demands add up
			f.warn(r.Pos, "remove one of them", "rule %q says what rule %q says (%s)", r.ID, other.ID, standing(other))
		}
	}
}

// useless tells of a rule that another one always overrides: the stricter
// verdict wins.
func (f *finder) useless(r, by Rule, what string) {
	verb := "denies"
	if by.Verdict == toolverdict.Ask {
		verb = "asks about"
	}
	f.warn(r.Pos, "remove one of them, or tell their calls apart: "+by.Verdict.String()+" always wins over "+r.Verdict.String(),
		"rule %q never has an effect: rule %q (%s) %s %s", r.ID, by.ID, standing(by), verb, what)
}

func standing(r Rule) string { return fmt.Sprintf("%s:%d", r.File, r.Line) }

// covers reports whether each entry of r's tools stands among d's, or is covered
// by its *.
func covers(d, r Rule) bool {
	return !slices.ContainsFunc(r.Rule.Tools, func(p syntax.Pattern) bool {
		return !slices.ContainsFunc(d.Rule.Tools, func(q syntax.Pattern) bool {
			star := q.Kind == syntax.ByName && q.Text == "*" && !q.Meta && p.Kind != syntax.ByGroup && !p.Meta
			return star || patternText(p) == patternText(q)
		})
	})
}

const everyTool = "0:*" // as patternText writes it

func toolsOf(r Rule) string {
	var all []string
	for _, p := range r.Rule.Tools {
		all = append(all, patternText(p))
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ",")
}

func patternText(p syntax.Pattern) string { return fmt.Sprintf("%d:%s", p.Kind, p.Text) }

// canonical writes a condition so that two that say the same in other order are
// one text. What depends on its file's zone is told apart by the file.
func canonical(cond syntax.Condition) string {
	switch cond := cond.(type) {
	case *syntax.All:
		return "all" + canonicals(cond.Parts)
	case *syntax.Any:
		return "any" + canonicals(cond.Parts)
	case *syntax.Not:
		return "not(" + canonical(cond.Part) + ")"
	case *syntax.Effects:
		return syntax.Title(cond) + "(" + canonical(cond.Part) + ")"
	case *syntax.CEL:
		return "cel(" + cond.File + string(canon.AppendString(nil, cond.Text)) + ")"
	case *syntax.Test:
		f := cond.Field
		text := string(canon.AppendString(nil, f.Text))
		if f.Root == "time" {
			text += f.File
		}
		return text + canonicalOps(cond.Ops)
	case nil:
		return ""
	}
	return fmt.Sprintf("%p", cond) // not known here: like no other
}

func canonicals(parts []syntax.Condition) string {
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = canonical(p)
	}
	slices.Sort(out)
	return "(" + strings.Join(out, ",") + ")"
}

func canonicalOps(ops []syntax.Op) string {
	out := make([]string, len(ops))
	for i, o := range ops {
		name := o.Name
		switch name {
		case "eq":
			name = "in"
		case "ne":
			name = "notIn"
		}
		values := make([]string, len(o.Values))
		for j, v := range o.Values {
			values[j] = v.Kind.String() + jsonOf(v).RawText()
		}
		if name != "between" {
			slices.Sort(values)
		}
		out[i] = fmt.Sprintf("%s %t [%s] %s", name, o.Bool, strings.Join(values, ","), canonicalOps(o.Ops))
	}
	slices.Sort(out)
	return "{" + strings.Join(out, ";") + "}"
}
