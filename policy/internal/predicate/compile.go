// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package predicate

import (
	"fmt"
	"slices"

	"github.com/toolverdict/toolverdict/policy/internal/match"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// Compiler compiles the tests of one rule.
type Compiler struct {
	Allow   bool // the rule allows
	Problem func(at syntax.Pos, hint, format string, args ...any)
}

// Target is what a test is about.
type Target struct {
	List   bool   // the policy says that it is a list
	Timed  bool   // texts are times
	Effect string // a field of an effect
}

// Compile compiles operators. Positive says whether their truth helps the rule
// to match. Those that look at a list as one thing are kept
// apart from those that look at its elements.
func (c *Compiler) Compile(ops []syntax.Op, t Target, positive bool) Predicate {
	p := Predicate{every: c.Allow == positive, list: t.List, empty: match.False}
	if c.Allow {
		p.empty = match.Unknown // nothing in a list is no reason to allow
	}
	for _, one := range ops {
		compiled, onWhole := c.op(one, t, positive)
		if onWhole {
			p.whole = append(p.whole, compiled)
			continue
		}
		p.each = append(p.each, compiled)
	}
	p.bare = len(p.each) == 0 && !slices.ContainsFunc(p.whole, func(o op) bool {
		return o.code != opExists && (o.code != opNot || !o.inner.bare)
	})
	return p
}

// op compiles an operator and says whether it looks at a list as a whole.
func (c *Compiler) op(o syntax.Op, t Target, positive bool) (out op, onWhole bool) {
	switch o.Name {
	case "exists":
		return op{code: opExists, negate: !o.Bool}, true
	case "type":
		return op{code: opType, words: textsOf(o.Values)}, true
	case "length":
		inner := c.Compile(o.Ops, t, positive)
		return op{code: opLength, inner: &inner}, true
	case "any", "every":
		inner := c.Compile(o.Ops, t, positive)
		inner.each = append(inner.each, inner.whole...)
		inner.whole, inner.list, inner.every = nil, true, o.Name == "every"
		return op{code: opList, inner: &inner}, true
	case "not":
		inner := c.Compile(o.Ops, t, !positive)
		return op{code: opNot, inner: &inner}, len(inner.whole) > 0
	case "eq", "ne", "in", "notIn":
		out = op{code: opEqual, negate: o.Name == "ne" || o.Name == "notIn", equal: c.literals(o, t)}
		if t.Effect != "" {
			out.forms = c.forms(match.Whole, o, t)
		}
		return out, false
	case "gt", "gte", "lt", "lte", "between":
		return op{code: opOrder, order: c.span(o)}, false
	}
	return c.textOp(o, t), false
}

func textsOf(values []syntax.Literal) []string {
	out := make([]string, len(values))
	for i, l := range values {
		out[i] = l.Text
	}
	return out
}

func (c *Compiler) literals(o syntax.Op, t Target) *literals {
	l := &literals{}
	for _, v := range o.Values {
		switch {
		case v.Kind == syntax.Number:
			l.numbers = append(l.numbers, v.Number)
		case v.Kind == syntax.Bool:
			l.yes, l.no = l.yes || v.Bool, l.no || !v.Bool
		case t.Timed:
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

func (c *Compiler) span(o syntax.Op) *span {
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
			c.Problem(o.Pos, "write the lowest value first", "between has no value in it")
		}
	case low.Kind == syntax.Text && high.Kind == syntax.Text && s.from.Kind == s.to.Kind && s.from.Kind != match.NoMoment:
		s.timed = true
		if order, _ := s.from.Compare(s.to); order > 0 {
			c.Problem(o.Pos, "write the earliest value first; a night is any: [{time.clock: {gte: \"22:00\"}}, {time.clock: {lt: \"06:00\"}}]", "between has no value in it")
		}
	default:
		c.Problem(o.Pos, "use numbers, RFC 3339 times, dates (2025-01-15) or times of day (22:00), both of one kind; texts have no order here", "%s cannot order these", o.Name)
	}
	return s
}

// textOp compiles an operator on text.
func (c *Compiler) textOp(o syntax.Op, t Target) op {
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
		if t.Effect != "" {
			out.code = opBelow // what an analyser emits is canonical
		}
	case "domainIn":
		out.code = opDomain
		if t.Effect == "domain" || t.Effect == "host" {
			out.code = opDomainName
		}
	case "hostIn":
		out.code = opHost
		if t.Effect == "host" {
			out.code = opHostName
		}
	case "cidr":
		out.code = opCIDR
	}
	for _, v := range o.Values {
		if v.Kind != syntax.Text {
			c.Problem(v.Pos, "quote it if it is meant as text", "%s needs text, and %s is a %s", o.Name, v, v.Kind)
			continue
		}
		if err := out.accept(v.Text); err != nil {
			c.Problem(v.Pos, err.Error(), "%s cannot use %s", o.Name, v)
		}
	}
	if form, ok := formOf(out.code); ok && t.Effect != "" {
		out.forms = c.forms(form, o, t)
	}
	return out
}

// formOf says how texts that are known in part are compared.
func formOf(code opcode) (form match.Form, ok bool) {
	switch code {
	case opPrefix:
		return match.Head, true
	case opSuffix:
		return match.Tail, true
	case opContains:
		return match.Inside, true
	case opGlob:
		return match.Wild, true
	case opBelow:
		return match.Below, true
	default:
		return match.Whole, false
	}
}

// forms makes operands of an operator's texts.
func (c *Compiler) forms(form match.Form, o syntax.Op, t Target) []match.Operand {
	var out []match.Operand
	for _, v := range o.Values {
		if v.Kind != syntax.Text {
			continue
		}
		f, err := match.NewOperand(form, v.Text, t.Effect == "path")
		if err != nil {
			c.Problem(v.Pos, err.Error(), "%s cannot use %s", o.Name, v)
		}
		out = append(out, f)
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
	case opDomain, opHost, opDomainName, opHostName:
		var d match.Domain
		if d, err = match.ParseDomain(s); o.code == opHost || o.code == opHostName {
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
