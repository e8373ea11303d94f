// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy/internal/predicate"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// Truth is one of three truth values: true, false, or unknown, which is the
// zero value.
type Truth = predicate.Truth

// The truth values.
const (
	Unknown = predicate.Unknown
	False   = predicate.False
	True    = predicate.True
)

// inspected is what a set was made of.
type inspected struct {
	files   []*syntax.File
	tools   []*tool
	options Options
}

// Inspector shows those who write a policy what its rules make of a call, and
// what they would make of it with one thing changed. It decides nothing by
// itself: conditions are compiled and tested by the code that decides, one by
// one. It is safe for concurrent use, but for [Inspector.Mutants].
type Inspector struct {
	set   *Set
	b     *builder
	index toolIndex
	views map[string]*ruleView // by rule id
}

// Inspect prepares a set for inspection.
func (s *Set) Inspect() *Inspector {
	b := newBuilder(s.source.files)
	b.build()
	i := &Inspector{set: b.set(), b: b, views: map[string]*ruleView{}}
	i.set.source = s.source
	i.set.source.tools = newTools(knownTools(s.source.tools)) // with programs of their own
	i.index = newToolIndex(i.set.source.tools)
	covered := map[*rule][]*tool{}
	for _, r := range b.rules {
		covered[r] = i.index.covered(r)
	}
	i.set.addTools(i.set.source.tools, covered)
	for _, f := range b.files {
		b.zone = f.Zone
		for _, r := range f.Rules {
			b.allow = r.Verdict == toolverdict.Allow
			i.views[r.ID] = &ruleView{when: b.view(r.When, true), unless: b.view(r.Unless, false)}
		}
	}
	return i
}

func knownTools(tools []*tool) []*toolverdict.Tool {
	out := make([]*toolverdict.Tool, len(tools))
	for i, t := range tools {
		out[i] = t.known
	}
	return out
}

// ruleView is the conditions of a rule, each of them compiled by itself.
type ruleView struct{ when, unless *view }

type view struct {
	cond  cond
	at    ConditionSeen // where it stands and what it says
	parts []*view
}

// view compiles a condition and each part of it, in the order of the file.
func (b *builder) view(c syntax.Condition, positive bool) *view {
	if c == nil {
		return nil
	}
	at := syntax.Place(c)
	v := &view{cond: b.cond(c, positive), at: ConditionSeen{Line: at.Line, Column: at.Column, Text: syntax.Title(c)}}
	switch c := c.(type) {
	case *syntax.All:
		for _, p := range c.Parts {
			v.parts = append(v.parts, b.view(p, positive))
		}
	case *syntax.Any:
		for _, p := range c.Parts {
			v.parts = append(v.parts, b.view(p, positive))
		}
	case *syntax.Not:
		v.parts = []*view{b.view(c.Part, !positive)}
	case *syntax.Effects:
		v.parts = []*view{b.view(c.Part, positive)}
	}
	return v
}

// Explanation is what the rules make of one call.
type Explanation struct {
	Decision toolverdict.Decision
	Rules    []RuleSeen // all that cover the tool, by id
}

// RuleSeen is one rule and what it makes of a call.
type RuleSeen struct {
	RuleInfo
	Truth   Truth          `json:"condition"` // of when and unless together
	Matched bool           `json:"matched"`
	When    *ConditionSeen `json:"when,omitempty"`
	Unless  *ConditionSeen `json:"unless,omitempty"`
	Limit   string         `json:"limit,omitempty"` // in words: how far it is used up
}

// ConditionSeen is one condition and what it makes of a call.
type ConditionSeen struct {
	Line    int             `json:"line"`
	Column  int             `json:"column"`
	Text    string          `json:"text"`
	Truth   Truth           `json:"truth"`
	Value   string          `json:"value,omitempty"` // of a test: what it looked at
	Parts   []ConditionSeen `json:"parts,omitempty"`
	Effects []EffectSeen    `json:"effects,omitempty"` // of effects.any and effects.every, at most 100
}

// EffectSeen is what the condition of effects.any or effects.every makes of one
// effect.
type EffectSeen struct {
	Effect    int           `json:"effect"`           // from 0
	Passed    bool          `json:"passed,omitempty"` // over: a known program is judged by what it does
	Condition ConditionSeen `json:"condition"`
}

// Shown is what may be shown of a call: the same shape as the call's, with what
// is secret hidden.
type Shown struct {
	Arguments toolverdict.Value
	Effects   []toolverdict.Effect
}

// Explain decides a call and says what each rule made of it. Truths come from
// the request, the values beside them from what may be shown.
func (i *Inspector) Explain(r toolverdict.Request, shown Shown) Explanation {
	out := Explanation{Decision: i.set.Decide(r)}
	if r.Tool == nil {
		return out
	}
	t := i.set.find(r.Tool)
	s := &seeing{eval: eval{req: r, facts: &t.facts, scratch: predicate.Scratch{At: r.At}}}
	s.shown = eval{req: r, facts: &t.facts, scratch: predicate.Scratch{At: r.At}}
	s.shown.req.Arguments, s.shown.req.Effects = shown.Arguments, shown.Effects
	matched := map[string]bool{}
	for _, m := range out.Decision.Rules {
		matched[m.Rule] = true
	}
	for _, rule := range t.program.rules {
		out.Rules = append(out.Rules, i.seen(rule, s, matched[rule.id]))
	}
	return out
}

func (i *Inspector) seen(r *rule, s *seeing, matched bool) RuleSeen {
	v := i.views[r.id]
	return RuleSeen{
		RuleInfo: infoOf(r), Truth: r.eval(&s.eval), Matched: matched,
		When: s.condition(v.when), Unless: s.condition(v.unless), Limit: r.used(&s.eval),
	}
}

// Outline returns every rule with its conditions, of which nothing is known yet.
func (i *Inspector) Outline() []RuleSeen {
	var out []RuleSeen
	for _, r := range i.set.rules {
		v := i.views[r.id]
		out = append(out, RuleSeen{RuleInfo: infoOf(r), When: v.when.outline(), Unless: v.unless.outline()})
	}
	return out
}

func (v *view) outline() *ConditionSeen {
	if v == nil {
		return nil
	}
	out := v.at
	for _, p := range v.parts {
		if v.cond.kind == condEffects {
			out.Effects = []EffectSeen{{Condition: *p.outline()}}
			continue
		}
		out.Parts = append(out.Parts, *p.outline())
	}
	return &out
}

// Examples says what each rule makes of the calls that stand beside it, under
// match and noMatch, by rule. A limit counts as reached.
func (i *Inspector) Examples() []RuleSeen {
	var out []RuleSeen
	for _, r := range i.set.rules {
		c := i.checker(r)
		for _, x := range slices.Concat(r.source.Match, r.source.NoMatch) {
			if e, ok := c.ready(r, x); ok {
				out = append(out, i.seen(r, &seeing{eval: e, shown: e}, r.matches(r.eval(&e))))
			}
		}
	}
	return out
}

// checker holds one rule to examples; what it complains of is nobody's.
func (i *Inspector) checker(r *rule) *checker {
	c := newChecker(newBuilder(nil), nil, i.set.source.options)
	c.tools = i.index
	c.covered[r] = i.index.covered(r)
	return c
}

func infoOf(r *rule) RuleInfo {
	return RuleInfo{ID: r.id, Verdict: r.verdict, Reason: r.reason, Limited: r.limit != nil, File: r.source.File, Line: r.source.Line,
		Examples: len(r.source.Match) + len(r.source.NoMatch), Asks: r.asks,
		CEL: syntax.RestsOnCEL(r.source.When) || syntax.RestsOnCEL(r.source.Unless)}
}

// used says in words how far the rule's limit is used up.
func (r *rule) used(e *eval) string {
	if r.limit == nil {
		return ""
	}
	count := "up to"
	if u := find(e.req.Usage, r.limit.key(r.id, e)); u != nil {
		count = fmt.Sprintf("%d of", u.Count)
	}
	return fmt.Sprintf("%s %d in %s by %s", count, r.limit.max, syntax.Span(r.limit.per), strings.Join(r.limit.by, ", "))
}

// seeing is one call that is looked at twice: as it is, for what is true of it,
// and as it may be shown.
type seeing struct{ eval, shown eval }

func (s *seeing) condition(v *view) *ConditionSeen {
	if v == nil {
		return nil
	}
	out := s.one(v)
	return &out
}

func (s *seeing) one(v *view) ConditionSeen {
	out := v.at
	out.Truth = v.cond.eval(&s.eval)
	switch v.cond.kind {
	case condEffects:
		out.Effects = s.effects(v.parts[0], v.cond.effects)
		return out
	case condTest:
		out.Value = v.cond.field.show(&s.shown)
	case condEffect:
		out.Value = v.cond.of.Show(s.shown.scratch.Effect, s.shown.req.At)
	case condHistory:
		out.Value = s.history(v.cond.history)
	default:
	}
	for _, p := range v.parts {
		out.Parts = append(out.Parts, s.one(p))
	}
	return out
}

// history shows what was answered together with what the call itself adds, unless
// that rests on what is not shown.
func (s *seeing) history(q *predicate.Question) string {
	this := s.eval.own(q)
	if this != nil && *this != *s.shown.own(q) {
		return q.Show(s.eval.req.Past, nil) + ", and this call's, which is not shown"
	}
	return q.Show(s.eval.req.Past, this)
}

// mostEffects bounds how many effects of a call are explained.
const mostEffects = 100

func (s *seeing) effects(v *view, c *effectsCond) []EffectSeen {
	var out []EffectSeen
	for i := range min(len(s.eval.req.Effects), mostEffects) {
		s.eval.scratch.Effect, s.shown.scratch.Effect = &s.eval.req.Effects[i], nil
		if i < len(s.shown.req.Effects) {
			s.shown.scratch.Effect = &s.shown.req.Effects[i]
		}
		out = append(out, EffectSeen{Effect: i, Passed: c.passesOver(s.eval.scratch.Effect), Condition: s.one(v)})
	}
	s.eval.scratch.Effect, s.shown.scratch.Effect = nil, nil
	return out
}

// show writes what a field holds. Of a field with [*] it is the list that it
// spreads.
func (f *field) show(e *eval) string {
	var v predicate.Value
	if f.fan {
		at := slices.IndexFunc(f.Steps, func(s syntax.Step) bool { return s.Kind == syntax.Every })
		v.Descend(e.req.Arguments, f.Steps[:at])
	} else {
		f.read(e, &v)
	}
	return v.Show(e.req.At)
}

// Mutant is the policy with one thing in one rule changed, as a slip of its
// writer could.
type Mutant struct {
	Rule   string `json:"rule"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Change string `json:"change"` // in words

	i    *Inspector
	from *rule
	to   *rule
}

// Mutants returns all that differ from the policy in one thing, in the order of
// the files. Those that would not load are left out.
func (i *Inspector) Mutants() []Mutant {
	var out []Mutant
	for _, f := range i.b.files {
		i.b.zone = f.Zone
		for _, source := range f.Rules {
			from := i.rule(source.ID)
			for _, c := range syntax.Slips(source) {
				i.b.problems = nil
				to := i.b.rule(c.Rule)
				if len(i.b.problems) == 0 {
					out = append(out, Mutant{source.ID, c.File, c.Line, c.Column, c.What, i, from, to})
				}
			}
		}
	}
	return out
}

func (i *Inspector) rule(id string) *rule {
	at, _ := slices.BinarySearchFunc(i.set.rules, id, func(r *rule, id string) int { return strings.Compare(r.id, id) })
	return i.set.rules[at]
}

// Caught reports whether the calls that stand beside the rule, under match and
// noMatch, tell the mutant from the policy.
func (m *Mutant) Caught() bool {
	c := m.i.checker(m.to)
	runExamples(&Set{rules: []*rule{m.to}}, c)
	return len(c.b.problems) > 0
}

// For is the mutant as far as it is about one tool, nil where it is the policy
// itself.
func (m *Mutant) For(t *toolverdict.Tool) *Set {
	known := m.i.set.find(t)
	if !m.from.covers(&known.facts) && !m.to.covers(&known.facts) {
		return nil
	}
	out := *m.i.set
	one := *known
	rules := slices.DeleteFunc(slices.Clone(known.program.rules), func(r *rule) bool { return r == m.from })
	if m.to.covers(&known.facts) {
		rules = append(rules, m.to)
		slices.SortFunc(rules, func(a, b *rule) int { return strings.Compare(a.id, b.id) })
	}
	one.program = newProgram(rules, len(m.i.b.fields))
	out.tools, out.known = map[string]*tool{one.name: &one}, nil
	return &out
}
