// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy"
	"github.com/toolverdict/toolverdict/policy/internal/match"
	"github.com/toolverdict/toolverdict/policy/internal/sample"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// truths is a set of truth values.
type truths uint8

func one(t match.Truth) truths { return 1 << t }

const anything3 = truths(1<<match.True | 1<<match.False | 1<<match.Unknown)

func (a truths) has(t match.Truth) bool { return a&one(t) != 0 }

// joined is what And or Or can make of two sets.
func joined(a, b truths, with func(a, b match.Truth) match.Truth) truths {
	var out truths
	for _, x := range [...]match.Truth{match.True, match.False, match.Unknown} {
		for _, y := range [...]match.Truth{match.True, match.False, match.Unknown} {
			if a.has(x) && b.has(y) {
				out |= one(with(x, y))
			}
		}
	}
	return out
}

func (a truths) not() truths {
	out := a & one(match.Unknown)
	if a.has(match.True) {
		out |= one(match.False)
	}
	if a.has(match.False) {
		out |= one(match.True)
	}
	return out
}

// node is a condition, or a test at its end.
type node struct {
	kind  byte // '&', '|', '!', and 't' for a test
	parts []*node
	leaf  int
}

// leaf is one test of one field: what it says of each value of its variable.
type leaf struct {
	of    int // variable, -1 where no sample stands for it
	truth []match.Truth
	any   truths // of all its values
}

// ruled is a rule that covers the tool.
type ruled struct {
	id           string
	verdict      toolverdict.Verdict
	when, unless *node
	limit        int // variable, -1 for none
	max          int
	side         side
}

// side says in which policy a rule is.
type side uint8

const (
	inOld side = iota
	inNew
	inBoth
)

// model is what both policies make of one tool.
type model struct {
	c      *comparison
	tool   *candidate
	vars   []*variable
	byKey  map[string]int
	leaves []leaf
	rules  []*ruled
}

// fields are what [sample.Fields] returns, which takes long where there are many
// patterns and is the same for all tools that the same rules cover.
type fields struct {
	list   []sample.Field
	beyond sample.Beyond
}

func (c *comparison) fieldsOf(t *candidate) ([]sample.Field, sample.Beyond) {
	key := strings.Join(t.before, " ") + "\n" + strings.Join(t.after, " ")
	f, ok := c.fields[key]
	if !ok {
		f.list, f.beyond = sample.Fields(append(c.before.conditions(t.before), c.after.conditions(t.after)...))
		c.fields[key] = f
	}
	return f.list, f.beyond
}

func (c *comparison) model(t *candidate) *model {
	m := &model{c: c, tool: t, byKey: map[string]int{}}
	fields, beyond := c.fieldsOf(t)
	for _, f := range fields {
		if f.Root == "tool" {
			f.Values, f.Exact = nil, true // the tool is given
		}
		m.byKey[f.Key] = len(m.vars)
		m.vars = append(m.vars, &variable{field: f, values: []value{{}}})
	}
	m.limits()
	m.structure()
	for i := range m.vars {
		m.spread(i)
	}
	if beyond.History {
		c.doubt(t.Name(), "a rule rests on earlier calls: only calls without any were tried")
	}
	if beyond.Other {
		c.doubt(t.Name(), "a rule rests on CEL, which is not searched")
	}
	m.doubts()
	return m
}

// doubts tells why the search for this tool is not complete.
func (m *model) doubts() {
	var prefixes []string
	for _, v := range m.vars {
		text := v.field.Root + fieldText(v.field.Steps)
		switch {
		case v.limit != "":
			continue
		case v.field.Root == sample.Effects:
			m.c.doubt(m.tool.Name(), "rules about effects are searched with many effects, not with all")
		case !v.field.Exact:
			m.c.doubt(m.tool.Name(), "the values of %s that were tried are not all that its tests could tell apart", text)
		}
		if v.field.Root == "args" {
			prefixes = append(prefixes, text)
		}
	}
	slices.Sort(prefixes)
	for i := 1; i < len(prefixes); i++ {
		if strings.HasPrefix(prefixes[i], prefixes[i-1]) {
			m.c.doubt(m.tool.Name(), "%s is inside of %s: not every combination was tried", prefixes[i], prefixes[i-1])
		}
	}
}

func fieldText(steps []syntax.Step) string {
	var b strings.Builder
	for _, s := range steps {
		switch s.Kind {
		case syntax.Member:
			b.WriteString("." + s.Name)
		case syntax.Index:
			b.WriteString("[" + canon.IntNumber(int64(s.Index)).String() + "]")
		case syntax.Every:
			b.WriteString("[*]")
		}
	}
	return b.String()
}

// limits makes a variable of what each limit rule has counted.
func (m *model) limits() {
	for _, id := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(m.tool.before, m.tool.after)))) {
		var of [2]*syntax.Limit
		for i, l := range []*loaded{m.c.before, m.c.after} {
			if r := l.rules[id]; r != nil {
				of[i] = r.Limit
			}
		}
		if of[0] == nil && of[1] == nil {
			continue
		}
		v := &variable{limit: id, values: []value{{}}}
		counts := [2][]int{{0}, {0}}
		for i, l := range of {
			if l != nil {
				counts[i] = append(counts[i], l.Max)
			}
		}
		together := of[0] != nil && of[1] != nil && of[0].Per == of[1].Per && slices.Equal(of[0].By, of[1].By)
		for _, a := range counts[0] {
			for _, b := range counts[1] {
				if together {
					v.values = append(v.values, value{counts: [2]int{a, a}}, value{counts: [2]int{b, b}})
					continue
				}
				v.values = append(v.values, value{counts: [2]int{a, b}})
			}
		}
		m.byKey["limit "+id] = len(m.vars)
		m.vars = append(m.vars, v)
	}
}

// structure reads the conditions of the rules: those that are the same in both
// once.
func (m *model) structure() {
	for _, id := range m.tool.before {
		at := inOld
		if !m.c.differing[id] {
			at = inBoth
		}
		m.rule(m.c.before.rules[id], at)
	}
	for _, id := range m.tool.after {
		if m.c.differing[id] {
			m.rule(m.c.after.rules[id], inNew)
		}
	}
}

func (m *model) rule(r *rule, at side) {
	out := &ruled{id: r.ID, verdict: r.Verdict, limit: -1, side: at}
	out.when, out.unless = m.node(r.When), m.node(r.Unless)
	if r.Limit != nil {
		out.limit, out.max = m.byKey["limit "+r.ID], r.Limit.Max
	}
	m.rules = append(m.rules, out)
}

func (m *model) node(c syntax.Condition) *node {
	all := func(kind byte, parts []syntax.Condition) *node {
		n := &node{kind: kind}
		for _, p := range parts {
			n.parts = append(n.parts, m.node(p))
		}
		return n
	}
	switch c := c.(type) {
	case nil:
		return nil
	case *syntax.All:
		return all('&', c.Parts)
	case *syntax.Any:
		return all('|', c.Parts)
	case *syntax.Not:
		return all('!', []syntax.Condition{c.Part})
	}
	of, known := m.byKey[sample.Key(c)]
	if !known {
		of = -1
	}
	m.leaves = append(m.leaves, leaf{of: of, any: anything3})
	return &node{kind: 't', leaf: len(m.leaves) - 1}
}

// ask returns what every leaf says of one request, in the order of the leaves.
func (m *model) ask(r toolverdict.Request) []match.Truth {
	seen := map[side]map[string]policy.RuleSeen{}
	for at, l := range map[side]*loaded{inOld: m.c.before, inNew: m.c.after} {
		seen[at] = map[string]policy.RuleSeen{}
		r.Past = l.set.Remember(r, nil)
		for _, rs := range l.inspect.Explain(r, policy.Shown{}).Rules {
			seen[at][rs.ID] = rs
		}
	}
	out := make([]match.Truth, len(m.leaves))
	for _, ruled := range m.rules {
		at := ruled.side
		if at == inBoth {
			at = inOld
		}
		rs := seen[at][ruled.id]
		read(ruled.when, rs.When, out)
		read(ruled.unless, rs.Unless, out)
	}
	return out
}

func read(n *node, seen *policy.ConditionSeen, out []match.Truth) {
	if n == nil || seen == nil {
		return
	}
	if n.kind == 't' {
		out[n.leaf] = seen.Truth
		return
	}
	for i, p := range n.parts {
		read(p, &seen.Parts[i], out)
	}
}

// could is what a condition can be while some variables are open (-1).
func (m *model) could(n *node, picked []int) truths {
	switch {
	case n == nil:
		return one(match.True)
	case n.kind == 't':
		l := &m.leaves[n.leaf]
		if l.of < 0 || picked[l.of] < 0 {
			return l.any
		}
		return one(l.truth[picked[l.of]])
	case n.kind == '!':
		return m.could(n.parts[0], picked).not()
	}
	with, out, ends := match.And, one(match.True), one(match.False)
	if n.kind == '|' {
		with, out, ends = match.Or, one(match.False), one(match.True)
	}
	for _, p := range n.parts {
		m.c.work++
		if out = joined(out, m.could(p, picked), with); out == ends {
			break
		}
	}
	return out
}

// matches says whether a rule matches for sure, and whether it could.
func (m *model) matches(r *ruled, picked []int) (sure, could bool) {
	t := m.could(r.when, picked)
	if r.unless != nil && t != one(match.False) {
		t = joined(t, m.could(r.unless, picked).not(), match.And)
	}
	if r.verdict == toolverdict.Allow {
		return t == one(match.True), t.has(match.True)
	}
	sure, could = !t.has(match.False), t&^one(match.False) != 0
	if r.limit >= 0 && could {
		if picked[r.limit] < 0 {
			return false, true
		}
		counts := m.vars[r.limit].values[picked[r.limit]].counts
		full := counts[0] >= r.max
		if r.side == inNew {
			full = counts[1] >= r.max
		}
		return sure && full, full
	}
	return sure, could
}
