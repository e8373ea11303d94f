// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy/internal/match"
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
func (r *rule) eval(e *eval) match.Truth {
	out := match.True
	if r.when != nil {
		out = r.when.eval(e)
	}
	if r.unless != nil && out != match.False {
		out = match.And(out, r.unless.eval(e).Not())
	}
	return out
}

// matches applies the three-valued rule: what cannot be told makes deny and ask
// match, and allow not match.
func (r *rule) matches(t match.Truth) bool {
	if r.verdict == toolverdict.Allow {
		return t == match.True
	}
	return t != match.False
}

// builder turns syntax into rules and collects what is wrong.
type builder struct {
	files    []*syntax.File
	problems Problems
	rules    []*rule
	fields   map[string]*field
	zone     *time.Location // of the file being built
	allow    bool           // of the rule being built
}

func newBuilder(files []*syntax.File) *builder {
	return &builder{files: files, fields: map[string]*field{}}
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
	s := &Set{rules: b.rules, fields: len(b.fields), fallback: toolverdict.Allow, tools: map[string]*tool{}}
	for _, f := range b.files {
		s.fallback = toolverdict.Stricter(s.fallback, f.Default)
	}
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
		need := toolverdict.Requirement{Rule: r.ID, Quorum: 1}
		if a := r.Ask; a != nil {
			need.Approvers, need.Quorum, need.Expires, need.SelfApproval = a.Approvers, a.Quorum, a.Expires, a.SelfApproval
		}
		out.asks = []toolverdict.Requirement{need}
	}
	if l := r.Limit; l != nil {
		out.limit = &limit{max: l.Max, per: l.Per, by: l.By}
	}
	return out
}

func (b *builder) pattern(p syntax.Pattern) pattern {
	out := pattern{Pattern: p}
	if p.Glob && p.Text != "*" {
		g, err := match.ParseGlob(p.Text)
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
	case *syntax.Test:
		f := b.field(c.Field)
		return cond{kind: condTest, field: f, test: b.predicate(c.Ops, f, positive)}
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
	out.source = sourceOf(&f)
	out.list = out.source == toolGroups || out.source == subjectRoles || out.source == subjectPermissions
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

// predicate compiles operators. Those that look at a list as one thing are kept
// apart from those that look at its elements.
func (b *builder) predicate(ops []syntax.Op, f *field, positive bool) predicate {
	p := predicate{every: b.allow == positive, list: f.fan || f.list, empty: match.False}
	if b.allow {
		p.empty = match.Unknown // nothing in a list is no reason to allow
	}
	for _, one := range ops {
		compiled, onWhole := b.op(one, f, positive)
		if onWhole {
			p.whole = append(p.whole, compiled)
			continue
		}
		p.each = append(p.each, compiled)
	}
	return p
}

// op compiles an operator and says whether it looks at a list as a whole.
func (b *builder) op(o syntax.Op, f *field, positive bool) (out op, onWhole bool) {
	switch o.Name {
	case "exists":
		return op{code: opExists, negate: !o.Bool}, true
	case "type":
		return op{code: opType, words: textsOf(o.Values)}, true
	case "length":
		inner := b.predicate(o.Ops, f, positive)
		return op{code: opLength, inner: &inner}, true
	case "any", "every":
		inner := b.predicate(o.Ops, f, positive)
		inner.each = append(inner.each, inner.whole...)
		inner.whole, inner.list, inner.every = nil, true, o.Name == "every"
		return op{code: opList, inner: &inner}, true
	case "not":
		inner := b.predicate(o.Ops, f, !positive)
		return op{code: opNot, inner: &inner}, len(inner.whole) > 0
	case "eq", "ne", "in", "notIn":
		return op{code: opEqual, negate: o.Name == "ne" || o.Name == "notIn", equal: b.literals(o, f)}, false
	case "gt", "gte", "lt", "lte", "between":
		return op{code: opOrder, order: b.span(o)}, false
	}
	return b.textOp(o), false
}

func textsOf(values []syntax.Literal) []string {
	out := make([]string, len(values))
	for i, l := range values {
		out[i] = l.Text
	}
	return out
}

func (b *builder) literals(o syntax.Op, f *field) *literals {
	l := &literals{}
	for _, v := range o.Values {
		switch {
		case v.Kind == syntax.Number:
			l.numbers = append(l.numbers, v.Number)
		case v.Kind == syntax.Bool:
			l.yes, l.no = l.yes || v.Bool, l.no || !v.Bool
		case f.Root == "time":
			l.texts = append(l.texts, v.Text)
			if m := match.ParseMoment(v.Text); m.Kind != match.NoMoment {
				l.moments = append(l.moments, m)
			}
		default:
			l.texts = append(l.texts, v.Text)
		}
	}
	return l
}

func (b *builder) span(o syntax.Op) *span {
	s := &span{}
	low, high := o.Values[0], o.Values[len(o.Values)-1]
	s.hasLow = o.Name == "gt" || o.Name == "gte" || o.Name == "between"
	s.hasHigh = o.Name == "lt" || o.Name == "lte" || o.Name == "between"
	s.openLow, s.openHigh = o.Name == "gt", o.Name == "lt"
	s.from, s.to = match.ParseMoment(low.Text), match.ParseMoment(high.Text)
	s.low, s.high = low.Number, high.Number
	switch {
	case low.Kind == syntax.Number && high.Kind == syntax.Number:
		if s.low.Cmp(s.high) > 0 {
			b.problem(o.Pos, "write the lowest value first", "between has no value in it")
		}
	case low.Kind == syntax.Text && high.Kind == syntax.Text && s.from.Kind == s.to.Kind && s.from.Kind != match.NoMoment:
		s.timed = true
		if order, _ := s.from.Compare(s.to); order > 0 {
			b.problem(o.Pos, "write the earliest value first; a night is any: [{time.clock: {gte: \"22:00\"}}, {time.clock: {lt: \"06:00\"}}]", "between has no value in it")
		}
	default:
		b.problem(o.Pos, "use numbers, RFC 3339 times, dates (2025-01-15) or times of day (22:00), both of one kind; texts have no order here", "%s cannot order these", o.Name)
	}
	return s
}

// textOp compiles an operator on text.
func (b *builder) textOp(o syntax.Op) op {
	out := op{text: &patterns{}}
	switch o.Name {
	case "prefix":
		out.code = opPrefix
	case "suffix":
		out.code = opSuffix
	case "contains":
		out.code = opContains
	case "glob":
		out.code = opGlob
	case "regex":
		out.code = opRegex
	case "under":
		out.code = opUnder
	case "domainIn":
		out.code = opDomain
	case "hostIn":
		out.code = opHost
	case "cidr":
		out.code = opCIDR
	}
	for _, v := range o.Values {
		if v.Kind != syntax.Text {
			b.problem(v.Pos, "quote it if it is meant as text", "%s needs text, not a %s", o.Name, v.Kind)
			continue
		}
		if err := out.accept(v.Text); err != nil {
			b.problem(v.Pos, err.Error(), "%s cannot use this", o.Name)
		}
	}
	return out
}

// accept adds one operand of an operator on text.
func (o *op) accept(s string) (err error) {
	switch o.code {
	case opGlob:
		var g match.Glob
		g, err = match.ParseGlob(s)
		o.text.globs = append(o.text.globs, g)
	case opRegex:
		var r match.Regex
		r, err = match.ParseRegex(s)
		o.text.regexes = append(o.text.regexes, r)
	case opUnder:
		var f match.Folder
		f, err = match.ParseFolder(s)
		o.text.folders = append(o.text.folders, f)
	case opDomain, opHost:
		var d match.Domain
		if d, err = match.ParseDomain(s); o.code == opHost {
			d, err = match.ParseHost(s)
		}
		o.text.domains = append(o.text.domains, d)
	case opCIDR:
		r, problem := match.ParseCIDR(s)
		err = problem
		o.text.ranges = append(o.text.ranges, r)
	default:
		if s == "" {
			err = fmt.Errorf("the text is empty: every text would match")
		}
		o.words = append(o.words, s)
	}
	return err
}
