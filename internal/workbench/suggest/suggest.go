// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package suggest writes a policy that lets through what was seen, and little
// more: a draft of least privilege for a person to review.
//
// Each argument is bounded by what was seen of it: the values themselves where
// they are few, else folders, hosts, a range of numbers, a form, or a length,
// and every bound is told in a comment with its counts. Arguments with a role
// are bounded by what the calls would do. What cannot be bounded is not allowed:
// a person is asked. What is written is compiled and tried on the calls before
// it is handed out.
package suggest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect"
	"github.com/toolverdict/toolverdict/internal/workbench/calls"
	"github.com/toolverdict/toolverdict/internal/workbench/draft"
	"github.com/toolverdict/toolverdict/policy"
)

// Options say how the policy is named and what it is made of.
type Options struct {
	Policy  string
	Version string
	Known   tv.Catalog // nil: no tool is known
	Denied  bool       // calls that were denied count too
}

// Suggested is a draft and what became of the calls.
type Suggested struct {
	File    draft.File
	Calls   int // that it was made of
	Allowed int
	Asked   int
	Left    int // denied then, and so not taken into account
}

// seen is a call with its tool and what it would do.
type seen struct {
	*calls.Call
	tool    *tv.Tool
	effects []tv.Effect
	told    bool // the effects are known
}

// Policy makes a draft of calls.
func Policy(list []calls.Call, o Options) (Suggested, error) {
	byTool := map[string][]*seen{}
	out := Suggested{}
	for i := range list {
		c := &list[i]
		byDefault := c.Ran && c.Rule == "" // observed, and no rule said no
		if c.Verdict == "deny" && !byDefault && !o.Denied {
			out.Left++
			continue
		}
		t, err := calls.Tool(o.Known, c.Tool)
		if err != nil {
			return out, fmt.Errorf("%s: %w", c.At, err)
		}
		s := &seen{Call: c, tool: t}
		s.effects, s.told = effectsOf(t, c)
		byTool[t.Name()] = append(byTool[t.Name()], s)
		out.Calls++
	}
	if out.Calls == 0 {
		return out, fmt.Errorf("there is no call to make a policy of: %d were denied", out.Left)
	}
	out.File = draft.File{
		Comments: []string{
			fmt.Sprintf("Suggested from %s, to be reviewed: it lets through what was seen and what its bounds", howMany(out.Calls)),
			"say. Whether what was seen should have been is for you to tell.",
		},
		Policy: o.Policy, Version: o.Version, Default: tv.Deny,
	}
	w := writer{options: o, ids: map[string]bool{}}
	for _, name := range slices.Sorted(maps.Keys(byTool)) {
		rules, err := w.tool(byTool[name])
		if err != nil {
			return out, err
		}
		out.File.Rules = append(out.File.Rules, rules...)
	}
	return out, w.count(&out, byTool)
}

// effectsOf are what a call would do: as the record tells, else as its arguments
// do where all of them are there.
func effectsOf(t *tv.Tool, c *calls.Call) ([]tv.Effect, bool) {
	switch {
	case !hasRoles(t):
		return nil, false
	case c.Analysed:
		return c.Effects, true
	case len(c.Hidden) > 0:
		return nil, false
	}
	return effect.Effects(t, c.Arguments, c.Host.Environment), true
}

// count decides every call by the whole policy. One that it denies is a fault of
// this package.
func (w *writer) count(out *Suggested, byTool map[string][]*seen) error {
	set, err := w.compile(out.File)
	if err != nil {
		return err
	}
	for _, list := range byTool {
		for _, s := range list {
			switch set.Decide(s.request()).Verdict {
			case tv.Allow:
				out.Allowed++
			case tv.Ask:
				out.Asked++
			default:
				return fmt.Errorf("%s: the policy that was made of this call denies it: please report this", s.At)
			}
		}
	}
	return nil
}

func (s *seen) request() tv.Request {
	r := s.Request(s.tool)
	r.Effects = s.effects
	return r
}

// writer writes the rules of one tool after another.
type writer struct {
	options Options
	ids     map[string]bool
}

func (w *writer) compile(f draft.File) (*policy.Set, error) {
	set, _, err := policy.Compile([]policy.File{{Name: f.Policy + ".yaml", Content: f.YAML()}}, w.options.Known, policy.Options{Discovery: true, Analyse: effect.Effects})
	if err != nil {
		return nil, fmt.Errorf("what was made of the calls does not load: please report this:\n%w", err)
	}
	return set, nil
}

// tool writes the rules of one tool: one by bounds, one with the exact calls that
// no bound fits, and where there are too many of these one that asks.
func (w *writer) tool(list []*seen) ([]draft.Rule, error) {
	var rules []draft.Rule
	rest := list
	if rule, ok := w.bounded(list); ok {
		fits, err := w.fits(rule, list)
		if err != nil {
			return nil, err
		}
		if len(fits) > 0 {
			if err := w.examples(&rule, fits); err != nil {
				return nil, err
			}
			rules = append(rules, rule)
			rest = slices.DeleteFunc(slices.Clone(list), func(s *seen) bool { return slices.Contains(fits, s) })
		}
	}
	if len(rest) == 0 {
		return rules, nil
	}
	if rule, ok := w.exact(rest); ok {
		fits, err := w.fits(rule, rest)
		if err != nil {
			return nil, err
		}
		if len(fits) == len(rest) {
			rules = append(rules, rule)
			return rules, w.examples(&rules[len(rules)-1], fits)
		}
	}
	return append(rules, w.asks(rest)), nil
}

// fits are the calls that a rule lets through.
func (w *writer) fits(r draft.Rule, list []*seen) ([]*seen, error) {
	set, err := w.alone(r)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(list), func(s *seen) bool { return !matches(set, s) }), nil
}

// alone is a policy of one rule.
func (w *writer) alone(r draft.Rule) (*policy.Set, error) {
	r.Match, r.NoMatch = nil, nil
	return w.compile(draft.File{Policy: "p", Version: "v1", Rules: []draft.Rule{r}})
}

// matches reports whether the one rule of a policy matches for sure.
func matches(set *policy.Set, s *seen) bool {
	d := set.Decide(s.request())
	return len(d.Rules) == 1 && !d.Rules[0].Unknown
}

// verdict is ask where a person was asked about one of the calls, else allow.
func verdict(list []*seen) tv.Verdict {
	if slices.ContainsFunc(list, func(s *seen) bool { return s.Verdict == "ask" }) {
		return tv.Ask
	}
	return tv.Allow
}

func (w *writer) rule(list []*seen, suffix string) draft.Rule {
	name := list[0].tool.Name()
	v := verdict(list)
	return draft.Rule{
		ID: w.id(v, name, suffix), Verdict: v, Tools: []string{name},
		Reason: fmt.Sprintf("Seen %s, and kept within what was seen", times(len(list))),
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// id makes a rule's id of a tool's name.
func (w *writer) id(v tv.Verdict, name, suffix string) string {
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '-'
	}, name)
	id := v.String() + "-" + strings.Trim(plain[:min(len(plain), 100)], "-") + suffix
	out := id
	for n := 2; w.ids[out]; n++ {
		out = fmt.Sprintf("%s-%d", id, n)
	}
	w.ids[out] = true
	return out
}

// asks is the rule for calls that nothing bounds: a person sees each of them.
func (w *writer) asks(list []*seen) draft.Rule {
	name := list[0].tool.Name()
	return draft.Rule{
		ID: w.id(tv.Ask, name, "-others"), Verdict: tv.Ask, Tools: []string{name},
		Reason:   "What these calls did has no bound that could be told from them",
		Comments: []string{fmt.Sprintf("%s: %s; bound what is meant, and deny the rest.", strings.ToUpper(times(len(list))[:1])+times(len(list))[1:], why(list))},
	}
}

// why says what kept calls from being bounded.
func why(list []*seen) string {
	hidden, opaque := 0, 0
	for _, s := range list {
		if len(s.Hidden) > 0 {
			hidden++
		}
		if slices.ContainsFunc(s.effects, func(e tv.Effect) bool { return e.Kind == tv.EffectOpaque }) {
			opaque++
		}
	}
	switch {
	case hidden > 0:
		return fmt.Sprintf("of %d the records hide arguments", hidden)
	case opaque > 0:
		return fmt.Sprintf("what %d would do was not understood", opaque)
	}
	return "too many different calls for a list, and no bound for them"
}
