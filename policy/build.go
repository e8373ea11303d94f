// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy/internal/cel"
	"github.com/toolverdict/toolverdict/policy/internal/effects"
	"github.com/toolverdict/toolverdict/policy/internal/predicate"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// rule is a compiled rule.
type rule struct {
	id       string
	verdict  toolverdict.Verdict
	reason   string
	patterns []pattern
	when     *cond // nil: always
	unless   *cond // nil: no exception
	limit    *limit
	asks     []toolverdict.Requirement // one, of an ask rule
	sure     []toolverdict.Match       // this rule alone, matching for certain
	doubtful []toolverdict.Match       // this rule alone, matching on an unknown
	source   *syntax.Rule
}

// limit is a counter in front of a rule.
type limit struct {
	max int
	per time.Duration
	by  []string
}

// eval says whether the rule's conditions hold. An unknown counts towards the
// stricter side: see [rule.matches].
func (r *rule) eval(e *eval) predicate.Truth {
	out := predicate.True
	if r.when != nil {
		out = r.when.eval(e)
	}
	if r.unless != nil && out != predicate.False {
		out = predicate.And(out, r.unless.eval(e).Not())
	}
	return out
}

// matches applies the three-valued rule: what cannot be told makes deny and ask
// match, and allow not match.
func (r *rule) matches(t predicate.Truth) bool {
	if r.verdict == toolverdict.Allow {
		return t == predicate.True
	}
	return t != predicate.False
}

// builder turns syntax into rules and collects what is wrong.
type builder struct {
	files    []*syntax.File
	problems Problems
	rules    []*rule
	fields   map[string]*field
	atoms    map[string]*atom
	zone     *time.Location // of the file being built
	allow    bool           // of the rule being built
	language *cel.Environment
	asked    map[*syntax.CEL][]cel.Asked // what expressions ask of arguments
}

func newBuilder(files []*syntax.File) *builder {
	return &builder{files: files, fields: map[string]*field{}, atoms: map[string]*atom{}, asked: map[*syntax.CEL][]cel.Asked{}}
}

func (b *builder) problem(at syntax.Pos, hint, format string, args ...any) {
	b.problems = append(b.problems, Problem{Pos: at, Message: fmt.Sprintf(format, args...), Hint: hint})
}

func (b *builder) build() {
	for _, f := range b.files {
		b.zone = f.Zone
		for _, r := range f.Rules {
			b.rules = append(b.rules, b.rule(r))
		}
	}
	slices.SortFunc(b.rules, func(x, y *rule) int { return strings.Compare(x.id, y.id) })
}

// set makes the set of what was built. Of several defaults the strictest holds.
func (b *builder) set() *Set {
	s := &Set{rules: b.rules, fields: len(b.fields), fallback: toolverdict.Allow, tools: map[string]*tool{}, known: map[*toolverdict.Tool]*tool{}}
	for _, f := range b.files {
		s.fallback = toolverdict.Stricter(s.fallback, f.Default)
	}
	s.sums = sums(b.rules)
	s.version, s.hash = identity(b.files)
	return s
}

func (b *builder) rule(r *syntax.Rule) *rule {
	b.allow = r.Verdict == toolverdict.Allow
	out := &rule{
		id: r.ID, verdict: r.Verdict, reason: r.Reason, source: r,
		sure:     []toolverdict.Match{{Rule: r.ID, Verdict: r.Verdict}},
		doubtful: []toolverdict.Match{{Rule: r.ID, Verdict: r.Verdict, Unknown: true}},
	}
	for _, p := range r.Tools {
		out.patterns = append(out.patterns, b.pattern(p))
	}
	out.when, out.unless = b.optional(r.When, true), b.optional(r.Unless, false)
	if r.Verdict == toolverdict.Ask {
		out.asks = []toolverdict.Requirement{r.Ask.Requirement(r.ID)}
	}
	if l := r.Limit; l != nil {
		out.limit = &limit{max: l.Max, per: l.Per, by: l.By}
	}
	return out
}

func (b *builder) pattern(p syntax.Pattern) pattern {
	out := pattern{Pattern: p}
	if p.Glob && p.Text != "*" {
		g, err := predicate.ParseGlob(p.Text)
		if err != nil {
			b.problem(p.Pos, err.Error(), "the tool pattern does not parse")
		}
		out.glob = g
	}
	return out
}

func (b *builder) optional(c syntax.Condition, positive bool) *cond {
	if c == nil {
		return nil
	}
	out := b.cond(c, positive)
	return &out
}

// cond compiles a condition. Positive says whether its truth helps the rule to
// match: not and unless turn it around, and with it how lists are taken, so
// that a list never helps an allow rule or hinders a deny rule by one element.
func (b *builder) cond(c syntax.Condition, positive bool) cond {
	switch c := c.(type) {
	case *syntax.All:
		return cond{kind: condAll, parts: cheapFirst(b.conds(c.Parts, positive))}
	case *syntax.Any:
		return cond{kind: condAny, parts: cheapFirst(b.conds(c.Parts, positive))}
	case *syntax.Not:
		return cond{kind: condNot, parts: b.conds([]syntax.Condition{c.Part}, !positive)}
	case *syntax.Effects:
		part := b.cond(c.Part, positive)
		return cond{kind: condEffects, effects: &effectsCond{
			every: c.Every, none: b.nothing(), part: part, kinds: part.suits(),
			passes: c.Every && !effects.Speaks(c.Part, toolverdict.EffectExecute),
		}}
	case *syntax.CEL:
		return b.cel(c)
	case *syntax.History:
		return b.history(c, positive)
	case *syntax.Test:
		if c.Field.Root == "effects" {
			return b.effectTest(c, positive)
		}
		return cond{kind: condTest, atom: b.atom(c, positive)}
	}
	return cond{kind: condAny} // unreachable; an empty any is never true
}

func (b *builder) conds(in []syntax.Condition, positive bool) []cond {
	out := make([]cond, len(in))
	for i, c := range in {
		out[i] = b.cond(c, positive)
	}
	return out
}

// cheapFirst orders parts by what they cost: the result is the same in any
// order, and most end at the first.
func cheapFirst(parts []cond) []cond {
	slices.SortStableFunc(parts, func(x, y cond) int { return x.cost() - y.cost() })
	return parts
}

// field returns the one field of that path, so that equal ones are read once.
func (b *builder) field(f syntax.Field) *field {
	key := strings.Builder{}
	key.WriteString(f.Root)
	for _, s := range f.Steps {
		fmt.Fprintf(&key, "/%d:%d:%q", s.Kind, s.Index, s.Name)
	}
	out := &field{Field: f, id: len(b.fields), zone: b.zone}
	out.source = predicate.SourceOf(&f)
	out.list = out.source.IsList()
	out.fan = slices.ContainsFunc(f.Steps, func(s syntax.Step) bool { return s.Kind == syntax.Every })
	if f.Root == "time" {
		key.WriteString(b.zone.String())
	}
	if known := b.fields[key.String()]; known != nil {
		return known
	}
	b.fields[key.String()] = out
	return out
}

// atom returns the one test of that field and those operators, so that equal
// ones are made once. One with a problem is not kept: each place is told.
func (b *builder) atom(t *syntax.Test, positive bool) *atom {
	f := b.field(t.Field)
	key := fmt.Appendf(nil, "%d %t %t ", f.id, b.allow, positive)
	key = syntax.AppendOps(key, t.Ops)
	if known := b.atoms[string(key)]; known != nil {
		return known
	}
	before := len(b.problems)
	target := predicate.Target{List: f.fan || f.list, Timed: f.Root == "time"}
	a := &atom{field: f, test: b.compiler().Compile(t.Ops, target, positive)}
	if len(b.problems) == before {
		a.needs, a.quick = a.test.Needs(), a.test.Quick()
		b.atoms[string(key)] = a
	}
	return a
}

// compiler compiles the tests of the rule at hand.
func (b *builder) compiler() *predicate.Compiler {
	return &predicate.Compiler{Allow: b.allow, Problem: b.problem}
}

func (b *builder) cel(c *syntax.CEL) cond {
	out := cond{kind: condAny} // never true, should there be a problem
	if b.language == nil {
		language, err := cel.NewEnvironment()
		if err != nil {
			b.problem(c.Pos, "this is a defect of the gate: leave the expression out", "expressions cannot be read: %v", err)
			return out
		}
		b.language = language
	}
	x, problems := b.language.Compile(c, b.allow)
	if len(problems) > 0 {
		b.problems = append(b.problems, problems...)
		return out
	}
	out.kind, out.cel = condCEL, &celCond{expression: x}
	for _, f := range x.Host {
		out.cel.fields = append(out.cel.fields, b.field(f))
	}
	b.asked[c] = x.Arguments
	return out
}

// nothing is what the rule at hand makes of a list with nothing in it.
func (b *builder) nothing() predicate.Truth {
	if b.allow {
		return predicate.Unknown
	}
	return predicate.False
}

func (b *builder) effectTest(t *syntax.Test, positive bool) cond {
	f, _ := effects.Named(t.Field.Text) // the reader knows no other
	target := predicate.Target{List: true, Effect: t.Field.Text}
	before := len(b.problems)
	a := &atom{test: b.compiler().Compile(t.Ops, target, positive)}
	if len(b.problems) == before {
		a.quick, a.needs = a.test.Quick(), a.test.Needs()
	}
	return cond{kind: condEffect, of: f, atom: a}
}
