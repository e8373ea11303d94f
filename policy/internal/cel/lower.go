// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"slices"
	"strings"
	"time"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy/internal/effects"
	"github.com/toolverdict/toolverdict/policy/internal/match"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// read lowers an expression whose value is looked at.
func (l *lowering) read(e ast.Expr) *node {
	n, p := l.lower(e)
	l.ask(p, false)
	return n
}

// ask notes what is asked of an argument.
func (l *lowering) ask(p *path, presence bool, ops ...syntax.Op) {
	if p == nil || len(p.steps) == 0 {
		return
	}
	f := syntax.Field{Pos: l.pos(p.id), Text: p.text, Root: "args", Steps: p.steps}
	l.x.Arguments = append(l.x.Arguments, Asked{Test: syntax.Test{Field: f, Ops: ops}, Presence: presence})
}

// lower returns the node of an expression and, where its value is part of the
// arguments, where that is.
func (l *lowering) lower(e ast.Expr) (*node, *path) {
	l.nodes++
	switch e.Kind() {
	case ast.LiteralKind:
		return l.literal(e), nil
	case ast.IdentKind:
		return l.name(e)
	case ast.SelectKind:
		return l.member(e)
	case ast.CallKind:
		return l.call(e)
	case ast.ComprehensionKind:
		return l.loop(e), nil
	case ast.ListKind:
		n := &node{op: opList}
		for _, item := range e.AsList().Elements() {
			n.parts = append(n.parts, l.read(item))
		}
		return folded(n), nil
	default:
		return l.refuse(e.ID(), "this is not used here"), nil
	}
}

func (l *lowering) refuse(id int64, what string) *node {
	l.problem(id, "numbers, text, true, false, null and lists of them can be written in an expression", "%s", what)
	return &node{}
}

// folded makes a list of constants a constant.
func folded(n *node) *node {
	out := value{kind: list, list: []value{}}
	for _, p := range n.parts {
		if p.op != opConst {
			return n
		}
		out.list = append(out.list, p.value)
	}
	return &node{value: out}
}

func (l *lowering) literal(e ast.Expr) *node {
	switch v := e.AsLiteral().(type) {
	case types.Bool:
		return &node{value: of(bool(v))}
	case types.String:
		return &node{value: textual(string(v))}
	case types.Null:
		return &node{value: value{kind: null}}
	case types.Int:
		return &node{value: value{kind: number, number: canon.IntNumber(int64(v))}}
	case types.Double:
		n, err := canon.ParseNumber(l.written(e.ID()))
		if err != nil {
			return l.refuse(e.ID(), "this number is not one that every program reads alike: write it like 12 or 0.5")
		}
		return &node{value: value{kind: number, number: n}}
	default:
		return l.refuse(e.ID(), "bytes and unsigned numbers are not used here")
	}
}

// written returns a number as it stands in the text: its exact value, where the
// library only has the nearest float.
func (l *lowering) written(id int64) string {
	r, _ := l.ast.SourceInfo().GetOffsetRange(id)
	all := []rune(l.source.Text)
	sign, s := "", string(all[min(int(r.Start), len(all)):])
	if rest, negative := strings.CutPrefix(s, "-"); negative {
		sign, s = "-", strings.TrimLeft(rest, " \t\n")
	}
	end := 0
	for end < len(s) && (s[end] >= '0' && s[end] <= '9' || strings.IndexByte(".eE", s[end]) >= 0 || end > 0 && (s[end] == '-' || s[end] == '+') && (s[end-1]|0x20) == 'e') {
		end++
	}
	return sign + s[:end]
}

func (l *lowering) name(e ast.Expr) (*node, *path) {
	name := e.AsIdent()
	if v, ok := l.variables[name]; ok {
		return &node{op: opVariable, at: v.at}, v.path
	}
	switch name {
	case "args":
		return &node{op: opArguments}, &path{text: "args", id: e.ID()}
	case "effects":
		l.x.Effects = true
		return &node{op: opEffects}, nil
	}
	l.problem(e.ID(), "write "+name+".NAME", "%s alone has no value", name)
	return &node{}, nil
}

// member lowers a.b and has(a.b).
func (l *lowering) member(e ast.Expr) (*node, *path) {
	s := e.AsSelect()
	inside := l.ast.GetType(s.Operand().ID()).TypeName()
	switch {
	case inside == "effect" || inside == "query":
		return l.ofEffect(e.ID(), s, inside), nil
	case s.Operand().Kind() == ast.IdentKind && l.roots[s.Operand().AsIdent()] && s.Operand().AsIdent() != "args":
		return l.host(e.ID(), s.Operand().AsIdent(), s.FieldName(), s.IsTestOnly()), nil
	case fieldsOf(inside) != nil:
		l.problem(e.ID(), "write it like subject.user", "the fields of %s are read from it directly", inside)
		return &node{}, nil
	}
	operand, p := l.lower(s.Operand())
	p = p.step(syntax.Step{Kind: syntax.Member, Name: s.FieldName()})
	if s.IsTestOnly() {
		l.ask(p, true)
		return &node{op: opHas, name: s.FieldName(), parts: []*node{operand}}, nil
	}
	return &node{op: opMember, name: s.FieldName(), parts: []*node{operand}}, p
}

// host lowers a field that the host fills.
func (l *lowering) host(id int64, root, name string, presence bool) *node {
	f := syntax.Field{Pos: l.pos(id), Text: root + "." + name, Root: root, Steps: []syntax.Step{{Kind: syntax.Member, Name: name}}}
	at, known := l.hosts[f.Text]
	if !known {
		at = len(l.x.Host)
		l.hosts[f.Text] = at
		l.x.Host = append(l.x.Host, f)
	}
	if presence {
		return &node{op: opHasHost, at: at}
	}
	return &node{op: opHost, at: at}
}

func (l *lowering) ofEffect(id int64, s ast.SelectExpr, inside string) *node {
	name, of := s.FieldName(), s.Operand()
	if inside == "query" {
		if of.Kind() != ast.SelectKind || of.AsSelect().IsTestOnly() {
			return l.refuse(id, "query is no value: write it like e.query.verb")
		}
		name, of = "query."+name, of.AsSelect().Operand()
	}
	f, ok := effects.Named(name)
	if !ok {
		return l.refuse(id, "query is no value: write it like e.query.verb")
	}
	n := &node{op: opField, field: f, parts: []*node{l.read(of)}}
	if s.IsTestOnly() {
		n.op = opHasField
	}
	return n
}

// loop lowers what all, exists and exists_one stand for.
func (l *lowering) loop(e ast.Expr) *node {
	c := e.AsComprehension()
	over, p := l.lower(c.IterRange())
	l.ask(p, false)
	n := &node{op: opOne, at: l.nested}
	step := c.LoopStep().AsCall().Args()
	condition := step[0]
	if start, ok := c.AccuInit().AsLiteral().(types.Bool); ok {
		condition = step[1]
		n.op = opExists
		if start {
			n.op = opAll
		}
	}
	name := c.IterVar()
	if _, taken := l.variables[name]; taken || l.roots[name] {
		l.problem(e.ID(), "choose another name", "the name %q is taken", name)
		return n
	}
	if l.nested == maxNesting {
		l.problem(e.ID(), "split it", "all, exists and exists_one stand inside each other more than %d deep", maxNesting)
		return n
	}
	l.variables[name] = variable{l.nested, p.step(syntax.Step{Kind: syntax.Every})}
	if l.ast.GetType(c.IterRange().ID()).Kind() == types.MapKind {
		n.named, l.variables[name] = true, variable{at: l.nested}
	}
	l.nested++
	n.parts = []*node{over, l.read(condition)}
	l.nested--
	delete(l.variables, name)
	return n
}

func (l *lowering) call(e ast.Expr) (*node, *path) {
	c := e.AsCall()
	args := slices.Clone(c.Args())
	if c.IsMemberFunction() {
		args = append([]ast.Expr{c.Target()}, args...)
	}
	switch name := c.FunctionName(); name {
	case operators.Index:
		return l.index(args)
	case operators.Equals, operators.NotEquals, operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals,
		operators.In, "startsWith", "endsWith", "contains":
		return l.compare(name, args), nil
	case "matches":
		return l.matches(args), nil
	case "duration":
		return l.duration(args[0]), nil
	case "timestamp":
		n := &node{op: opTimestamp, parts: []*node{l.read(args[0])}}
		if written := n.parts[0]; written.op == opConst && match.ParseMoment(written.value.text).Kind != match.Instant {
			l.problem(args[0].ID(), "write it like 2025-01-15T22:30:00+08:00", "this is no RFC 3339 time")
		}
		return n, nil
	default:
		return l.simple(e, operationOf(name), args), nil
	}
}

// simple lowers an operation that needs no more than its parts. An argument holds
// no time, so what is reckoned with is a number, but for texts that are joined.
func (l *lowering) simple(e ast.Expr, op operation, args []ast.Expr) *node {
	n := &node{op: op}
	paths := make([]*path, len(args))
	numbers := op == opSubtract || op == opMultiply || op == opRemainder || op == opNegate
	for i, a := range args {
		var part *node
		part, paths[i] = l.lower(a)
		n.parts = append(n.parts, part)
		numbers = numbers || op == opAdd && numeric(part)
	}
	for _, p := range paths {
		if numbers {
			l.ask(p, false, syntax.Op{Pos: l.pos(e.ID()), Name: "arithmetic"})
			continue
		}
		l.ask(p, false)
	}
	return n
}

// numeric reports whether what a part comes to can only be a number.
func numeric(n *node) bool {
	switch n.op {
	case opConst:
		return n.value.kind == number
	case opMultiply, opRemainder, opSize:
		return true
	case opAdd:
		return slices.ContainsFunc(n.parts, numeric)
	default:
		return false
	}
}

// operationOf returns the operation of what needs no more than its parts.
func operationOf(function string) operation {
	switch function {
	case operators.LogicalAnd:
		return opAnd
	case operators.LogicalOr:
		return opOr
	case operators.LogicalNot:
		return opNot
	case operators.Conditional:
		return opIf
	case operators.Add:
		return opAdd
	case operators.Subtract:
		return opSubtract
	case operators.Multiply:
		return opMultiply
	case operators.Modulo:
		return opRemainder
	case operators.Negate:
		return opNegate
	}
	return opSize
}

// index lowers a[b], which is a member where b is a name that is written there.
func (l *lowering) index(args []ast.Expr) (*node, *path) {
	root := args[0]
	by := l.read(args[1])
	if root.Kind() == ast.IdentKind && root.AsIdent() == "env" {
		if by.op != opConst {
			return l.refuse(args[1].ID(), "name the fact: env.NAME"), nil
		}
		return l.host(root.ID(), "env", by.value.text, false), nil
	}
	operand, p := l.lower(root)
	switch i, whole := by.value.number.Int64(); {
	case by.op == opConst && by.value.kind == text:
		p = p.step(syntax.Step{Kind: syntax.Member, Name: by.value.text})
	case by.op == opConst && by.value.kind == number && whole && i >= 0 && i <= 1_000_000:
		p = p.step(syntax.Step{Kind: syntax.Index, Index: int(i)})
	default:
		l.ask(p, false)
		p = nil
	}
	return &node{op: opIndex, parts: []*node{operand, by}}, p
}

// compare lowers operators that compare two values, and notes what they ask of
// an argument that is compared with what is written there.
func (l *lowering) compare(name string, args []ast.Expr) *node {
	a, p := l.lower(args[0])
	b, q := l.lower(args[1])
	literals, written := l.literals(args[1], b)
	turned, other := l.literals(args[0], a)
	if op := nameOf(name); written && p != nil {
		l.ask(p, false, syntax.Op{Pos: l.pos(args[1].ID()), Name: op, Values: literals})
	} else if op := nameOf(mirrored(name)); other && q != nil && op != "" && name != operators.In {
		l.ask(q, false, syntax.Op{Pos: l.pos(args[0].ID()), Name: op, Values: turned})
	} else {
		l.ask(p, false)
		l.ask(q, false)
	}
	switch name {
	case operators.Equals:
		return equal(a, b)
	case operators.NotEquals:
		return &node{op: opNot, parts: []*node{equal(a, b)}}
	case operators.Less:
		return &node{op: opLess, parts: []*node{a, b}}
	case operators.LessEquals:
		return &node{op: opAtMost, parts: []*node{a, b}}
	case operators.Greater:
		return &node{op: opLess, parts: []*node{b, a}}
	case operators.GreaterEquals:
		return &node{op: opAtMost, parts: []*node{b, a}}
	case operators.In:
		return &node{op: opIn, parts: []*node{a, b}}
	case "startsWith":
		return &node{op: opStarts, parts: []*node{a, b}}
	case "endsWith":
		return &node{op: opEnds, parts: []*node{a, b}}
	}
	return &node{op: opContains, parts: []*node{a, b}}
}

// equal asks whether two values are the same. Whether one is null is known of
// every value; a null that a call holds is of another type than all others.
func equal(a, b *node) *node {
	switch {
	case a.op == opConst && a.value.kind == null:
		return &node{op: opIsNull, parts: []*node{b}}
	case b.op == opConst && b.value.kind == null:
		return &node{op: opIsNull, parts: []*node{a}}
	}
	return &node{op: opSame, parts: []*node{a, b}}
}

// nameOf returns the operator of other conditions that asks the same.
func nameOf(function string) string {
	switch function {
	case operators.Equals:
		return "eq"
	case operators.NotEquals:
		return "ne"
	case operators.Less:
		return "lt"
	case operators.LessEquals:
		return "lte"
	case operators.Greater:
		return "gt"
	case operators.GreaterEquals:
		return "gte"
	case operators.In:
		return "in"
	case "startsWith":
		return "prefix"
	case "endsWith":
		return "suffix"
	case "contains":
		return "contains"
	}
	return ""
}

// mirrored is the operator that says the same with its sides exchanged.
func mirrored(function string) string {
	switch function {
	case operators.Equals, operators.NotEquals:
		return function
	case operators.Less:
		return operators.Greater
	case operators.LessEquals:
		return operators.GreaterEquals
	case operators.Greater:
		return operators.Less
	case operators.GreaterEquals:
		return operators.LessEquals
	}
	return ""
}

// literals returns what is written there, a value or a list of them.
func (l *lowering) literals(e ast.Expr, n *node) ([]syntax.Literal, bool) {
	if n.op != opConst {
		return nil, false
	}
	values := []value{n.value}
	if n.value.kind == list {
		values = n.value.list
	}
	var out []syntax.Literal
	for _, v := range values {
		one := syntax.Literal{Pos: l.pos(e.ID()), Text: v.text, Number: v.number, Bool: v.truth}
		switch v.kind {
		case text:
		case number:
			one.Kind, one.Text = syntax.Number, v.number.String()
		case boolean:
			one.Kind = syntax.Bool
		default:
			return nil, false
		}
		out = append(out, one)
	}
	return out, len(out) > 0
}

// matches lowers a search for an expression, which must be written there: one
// that comes from a call could take any time.
func (l *lowering) matches(args []ast.Expr) *node {
	of, p := l.lower(args[0])
	by, _ := l.lower(args[1])
	l.ask(p, false, syntax.Op{Pos: l.pos(args[1].ID()), Name: "regex", Values: []syntax.Literal{{Text: by.value.text}}})
	if by.op != opConst {
		return l.refuse(args[1].ID(), "the expression that matches looks for is not written here")
	}
	re, err := match.ParseSearch(by.value.text)
	if err != nil {
		l.problem(args[1].ID(), err.Error(), "matches cannot use this")
	}
	return &node{op: opMatches, parts: []*node{of}, regex: re}
}

func (l *lowering) duration(e ast.Expr) *node {
	n := l.read(e)
	length, err := time.ParseDuration(n.value.text)
	if n.op != opConst || err != nil || length.Abs() > 366*24*time.Hour {
		return l.refuse(e.ID(), "the length of time is not one: write it like duration('1h30m'), at most 366 days")
	}
	return &node{value: value{kind: duration, length: length}}
}
