// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"slices"
	"strconv"
	"strings"

	"github.com/toolverdict/toolverdict/effect/sql/internal/sqlite/internal/syntax"
	"github.com/toolverdict/toolverdict/effect/sql/internal/truth"
)

// condition turns a WHERE into an expression over the rows of one table.
type condition struct {
	target   *syntax.Source
	twins    []string // other names beside it that may stand for the same row
	everyRow bool     // all tables are as good as the one
	inner    []string // what queries inside the condition read from
	same     []string // of those, the ones that are the table again
	work     *truth.Work
}

func rules() truth.Dialect {
	return truth.Dialect{LooseBool: true, LiteralTypes: true, WholeDivision: true}
}

func (c *condition) exprs(list []*syntax.Expr) []*truth.Expr {
	out := make([]*truth.Expr, 0, len(list))
	for _, e := range list {
		out = append(out, c.expr(e))
	}
	return out
}

// once is a value of which nothing is known but how it is written, and whether
// the row has a part in it.
func (c *condition) once(e *syntax.Expr) *truth.Expr {
	var b strings.Builder
	write(&b, e)
	c.work.Take(b.Len() / 16)
	return truth.Written(b.String(), c.mentions(e))
}

func write(b *strings.Builder, e *syntax.Expr) {
	for _, t := range e.Tokens {
		b.WriteByte('0' + byte(t.Kind))
		b.WriteString(t.Text)
		b.WriteByte(0)
	}
	if len(e.Tokens) > 0 {
		return
	}
	for _, a := range e.Args {
		write(b, a)
	}
}

func (c *condition) expr(e *syntax.Expr) *truth.Expr {
	if !c.work.Spend() {
		return &truth.Expr{}
	}
	switch e.Op {
	case syntax.NullLiteral:
		return &truth.Expr{}
	case syntax.NumberLiteral:
		return numeral(e.Text)
	case syntax.TextLiteral:
		return truth.Str(e.Text)
	case syntax.Parameter, syntax.Special:
		return &truth.Expr{Op: truth.Unknown, Name: e.Text}
	case syntax.Column:
		return c.column(e)
	case syntax.Unary:
		return c.unary(e)
	case syntax.Binary:
		return c.binary(e)
	case syntax.Call:
		return c.call(e)
	case syntax.Between:
		v, low, high := c.expr(e.Args[0]), c.expr(e.Args[1]), c.expr(e.Args[2])
		return truth.Make(truth.And, truth.Make(truth.AtLeast, v, low), truth.Make(truth.AtMost, v, high))
	case syntax.InList:
		return c.in(e)
	case syntax.InQuery:
		return c.exists(e, e.Query, e.Args[0])
	case syntax.Exists:
		return c.exists(e, e.Query, nil)
	case syntax.Subquery:
		return c.value(e)
	case syntax.Choice:
		return c.choice(e)
	case syntax.Cast:
		return c.expr(e.Args[0])
	case syntax.Row:
		return truth.Any("row", c.exprs(e.Args)...)
	default:
		return c.once(e)
	}
}

func numeral(s string) *truth.Expr {
	if strings.HasPrefix(s, "0x") {
		if n, err := strconv.ParseUint(s, 0, 64); err == nil {
			return truth.Num(float64(n))
		}
	} else if n, err := strconv.ParseFloat(s, 64); err == nil {
		return truth.Num(n)
	}
	return &truth.Expr{Value: truth.Value{Kind: truth.Undecided}}
}

// column tells the table's columns from all others. One without a table is taken
// for the one's, but in a query inside that reads from somewhere.
func (c *condition) column(e *syntax.Expr) *truth.Expr {
	name := e.Names[len(e.Names)-1]
	if len(e.Names) == 1 {
		if !e.Quote && (name == "true" || name == "false") {
			return truth.Num(map[string]float64{"true": 1, "false": 0}[name])
		}
		own := c.everyRow || len(c.inner) == len(c.same)
		if !own {
			name = "." + name
		}
		x := &truth.Expr{Op: truth.Column, Name: name, Own: own, Never: own && truth.NeverNull(name)}
		if e.Quote {
			x.Text = &e.Text
		}
		return x
	}
	from := e.Names[len(e.Names)-2]
	own := c.everyRow || slices.Contains(c.same, from) ||
		!slices.Contains(c.inner, from) && c.target != nil && (from == c.target.KnownAs() || slices.Contains(c.twins, from))
	if !own {
		name = from + "." + name
	}
	return &truth.Expr{Op: truth.Column, Name: name, Own: own, Never: own && truth.NeverNull(name)}
}

func (c *condition) unary(e *syntax.Expr) *truth.Expr {
	v := c.expr(e.Args[0])
	switch e.Text {
	case "not":
		return truth.Make(truth.Not, v)
	case "isnull":
		return truth.Make(truth.IsNull, v)
	case "-":
		return truth.Make(truth.Negate, v)
	case "+":
		return v
	default:
		return truth.Call(e.Text, v)
	}
}

func (c *condition) binary(e *syntax.Expr) *truth.Expr {
	a, b := e.Args[0], e.Args[1]
	switch e.Text {
	case "is", "isnot":
		x := c.is(a, b)
		if e.Text == "isnot" {
			return truth.Make(truth.Not, x)
		}
		return x
	case "=", "<>":
		if a.Op == syntax.Row && b.Op == syntax.Row {
			x := c.rows(a, b)
			if e.Text == "<>" {
				return truth.Make(truth.Not, x)
			}
			return x
		}
	case "like":
		if len(e.Args) == 2 {
			return truth.Make(truth.Like, c.expr(a), c.expr(b))
		}
		return truth.Make(truth.Like, c.expr(a), escaped(b, e.Args[2]))
	case "glob":
		if b.Op == syntax.TextLiteral && !strings.ContainsAny(b.Text, `[]%_\`) {
			return truth.Make(truth.Like, c.expr(a), truth.Str(strings.NewReplacer("*", "%", "?", "_").Replace(b.Text)))
		}
		return truth.Doubtful(e.Text, c.mentions(e))
	case "regexp":
		return truth.Make(truth.Match, c.expr(a), c.expr(b))
	}
	if op, ok := operation(e.Text); ok {
		if x := c.withRow(op, a, b); x != nil {
			return x
		}
		return truth.Make(op, c.expr(a), c.expr(b))
	}
	return truth.Operator(e.Text, c.expr(a), c.expr(b))
}

// escaped is the pattern of LIKE … ESCAPE.
func escaped(pattern, escape *syntax.Expr) *truth.Expr {
	if pattern.Op == syntax.TextLiteral && escape.Op == syntax.TextLiteral {
		if p, ok := truth.Escaped(pattern.Text, escape.Text); ok {
			return truth.Str(p)
		}
	}
	return &truth.Expr{Value: truth.Value{Kind: truth.Undecided}}
}

// is is IS: with TRUE or FALSE it asks for a truth value, else it compares.
func (c *condition) is(a, b *syntax.Expr) *truth.Expr {
	if b.Op == syntax.Column && len(b.Names) == 1 && !b.Quote {
		switch b.Names[0] {
		case "true":
			return truth.Make(truth.IsTrue, c.expr(a))
		case "false":
			return truth.Make(truth.IsFalse, c.expr(a))
		}
	}
	return truth.Make(truth.Same, c.expr(a), c.expr(b))
}

func operation(operator string) (truth.Op, bool) {
	switch operator {
	case "or":
		return truth.Or, true
	case "and":
		return truth.And, true
	default:
		return truth.Sign(operator)
	}
}

func (c *condition) rows(a, b *syntax.Expr) *truth.Expr {
	if len(a.Args) != len(b.Args) {
		return c.once(&syntax.Expr{Op: syntax.Row, Args: []*syntax.Expr{a, b}})
	}
	var all []*truth.Expr
	for i := range a.Args {
		all = append(all, truth.Make(truth.Equal, c.expr(a.Args[i]), c.expr(b.Args[i])))
	}
	return truth.Make(truth.And, all...)
}

func (c *condition) in(e *syntax.Expr) *truth.Expr {
	if e.Args[0].Op != syntax.Row {
		return truth.Make(truth.In, c.exprs(e.Args)...)
	}
	return c.once(e)
}

func (c *condition) choice(e *syntax.Expr) *truth.Expr {
	operand, otherwise := e.Args[0], e.Args[len(e.Args)-1]
	var args []*truth.Expr
	for i := 1; i+1 < len(e.Args); i += 2 {
		test := c.expr(e.Args[i])
		if operand != nil {
			test = truth.Make(truth.Equal, c.expr(operand), test)
		}
		args = append(args, test, c.expr(e.Args[i+1]))
	}
	if otherwise != nil {
		args = append(args, c.expr(otherwise))
	}
	return truth.Make(truth.Case, args...)
}

func (c *condition) call(e *syntax.Expr) *truth.Expr {
	args := c.exprs(e.Args)
	if e.Text == "over" {
		return c.once(e)
	}
	switch name := e.Names[0]; {
	case len(args) == 1 && name == "abs":
		return truth.Make(truth.Abs, args...)
	case len(args) == 1 && name == "lower":
		return truth.Make(truth.Lower, args...)
	case len(args) == 1 && name == "upper":
		return truth.Make(truth.Upper, args...)
	case len(args) == 1 && (name == "length" || name == "octet_length"):
		return truth.Make(truth.Length, args...)
	case len(args) > 1 && (name == "coalesce" || name == "ifnull"):
		return truth.Make(truth.Coalesce, args...)
	case len(args) == 2 && name == "nullif":
		return truth.Make(truth.NullIf, args...)
	case len(args) > 1 && (name == "iif" || name == "if"):
		return truth.Make(truth.Case, args...)
	case len(args) == 1 && (name == "likely" || name == "unlikely"):
		return args[0]
	case len(args) == 2 && name == "likelihood":
		return args[0]
	case len(args) > 1 && name == "max":
		return truth.Make(truth.Greatest, args...)
	case len(args) > 1 && name == "min":
		return truth.Make(truth.Least, args...)
	case len(args) == 2 && name == "instr":
		return truth.Make(truth.Find, args...)
	case len(args) == 2 && name == "like":
		return truth.Make(truth.Like, args[1], args[0])
	default:
		return truth.Function(name, args...)
	}
}
