// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"slices"
	"strconv"
	"strings"

	"github.com/toolverdict/toolverdict/effect/sql/internal/truth"
)

// condition turns a WHERE into an expression over the rows of one table.
type condition struct {
	target   *source
	everyRow bool     // all tables are as good as the one
	inner    []string // what queries inside the condition read from
	same     []string // of those, the ones that are the table again
	count    int
}

func rules() truth.Dialect {
	return truth.Dialect{LooseBool: true, LiteralTypes: true, WholeDivision: true}
}

func (c *condition) exprs(list []*expr) []*truth.Expr {
	out := make([]*truth.Expr, 0, len(list))
	for _, e := range list {
		out = append(out, c.expr(e))
	}
	return out
}

// once is a value of which nothing is known but whether the row has a part in
// it.
func (c *condition) once(e *expr) *truth.Expr {
	c.count++
	return truth.Once(c.count, c.mentions(e))
}

func (c *condition) expr(e *expr) *truth.Expr {
	switch e.op {
	case nullLiteral:
		return &truth.Expr{}
	case numberLiteral:
		return numeral(e.text)
	case textLiteral:
		return truth.Str(e.text)
	case parameter, special:
		return &truth.Expr{Op: truth.Unknown, Name: e.text}
	case column:
		return c.column(e)
	case unary:
		return c.unary(e)
	case binary:
		return c.binary(e)
	case call:
		return c.call(e)
	case between:
		v, low, high := c.expr(e.args[0]), c.expr(e.args[1]), c.expr(e.args[2])
		return truth.Make(truth.And, truth.Make(truth.AtLeast, v, low), truth.Make(truth.AtMost, v, high))
	case inList:
		return c.in(e)
	case inQuery:
		return c.exists(e, e.query, e.args[0])
	case exists:
		return c.exists(e, e.query, nil)
	case subquery:
		return c.value(e)
	case choice:
		return c.choice(e)
	case cast:
		return c.expr(e.args[0])
	case row:
		return truth.Call("row", c.exprs(e.args)...)
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
func (c *condition) column(e *expr) *truth.Expr {
	name := e.names[len(e.names)-1]
	if len(e.names) == 1 {
		if !e.quote && (name == "true" || name == "false") {
			return truth.Num(map[string]float64{"true": 1, "false": 0}[name])
		}
		own := c.everyRow || len(c.inner) == len(c.same)
		if !own {
			name = "." + name
		}
		x := &truth.Expr{Op: truth.Column, Name: name, Own: own}
		if e.quote {
			x.Text = &e.text
		}
		return x
	}
	from := e.names[len(e.names)-2]
	own := c.everyRow || slices.Contains(c.same, from) ||
		!slices.Contains(c.inner, from) && c.target != nil && from == c.target.knownAs()
	if !own {
		name = from + "." + name
	}
	return &truth.Expr{Op: truth.Column, Name: name, Own: own}
}

func (c *condition) unary(e *expr) *truth.Expr {
	v := c.expr(e.args[0])
	switch e.text {
	case "not":
		return truth.Make(truth.Not, v)
	case "isnull":
		return truth.Make(truth.IsNull, v)
	case "-":
		return truth.Make(truth.Negate, v)
	case "+":
		return v
	default:
		return truth.Call(e.text, v)
	}
}

func (c *condition) binary(e *expr) *truth.Expr {
	a, b := e.args[0], e.args[1]
	switch e.text {
	case "is", "isnot":
		x := c.is(a, b)
		if e.text == "isnot" {
			return truth.Make(truth.Not, x)
		}
		return x
	case "=", "<>":
		if a.op == row && b.op == row {
			x := c.rows(a, b)
			if e.text == "<>" {
				return truth.Make(truth.Not, x)
			}
			return x
		}
	case "like":
		if len(e.args) == 2 {
			return truth.Make(truth.Like, c.expr(a), c.expr(b))
		}
		return c.once(e)
	case "glob":
		if b.op == textLiteral && !strings.ContainsAny(b.text, `[]%_\`) {
			return truth.Make(truth.Like, c.expr(a), truth.Str(strings.NewReplacer("*", "%", "?", "_").Replace(b.text)))
		}
		return c.once(e)
	case "regexp":
		return truth.Make(truth.Match, c.expr(a), c.expr(b))
	}
	if op, ok := operation(e.text); ok {
		return truth.Make(op, c.expr(a), c.expr(b))
	}
	return truth.Call(e.text, c.expr(a), c.expr(b))
}

// is is IS: with TRUE or FALSE it asks for a truth value, else it compares.
func (c *condition) is(a, b *expr) *truth.Expr {
	if b.op == column && len(b.names) == 1 && !b.quote {
		switch b.names[0] {
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
	case "=":
		return truth.Equal, true
	case "<>":
		return truth.Differ, true
	case "<":
		return truth.Less, true
	case "<=":
		return truth.AtMost, true
	case ">":
		return truth.More, true
	case ">=":
		return truth.AtLeast, true
	case "+":
		return truth.Add, true
	case "-":
		return truth.Subtract, true
	case "*":
		return truth.Multiply, true
	case "/":
		return truth.Divide, true
	case "%":
		return truth.Modulo, true
	case "||":
		return truth.Concat, true
	default:
		return 0, false
	}
}

func (c *condition) rows(a, b *expr) *truth.Expr {
	if len(a.args) != len(b.args) {
		return c.once(&expr{op: row, args: []*expr{a, b}})
	}
	var all []*truth.Expr
	for i := range a.args {
		all = append(all, truth.Make(truth.Equal, c.expr(a.args[i]), c.expr(b.args[i])))
	}
	return truth.Make(truth.And, all...)
}

func (c *condition) in(e *expr) *truth.Expr {
	if e.args[0].op != row {
		return truth.Make(truth.In, c.exprs(e.args)...)
	}
	return c.once(e)
}

func (c *condition) choice(e *expr) *truth.Expr {
	operand, otherwise := e.args[0], e.args[len(e.args)-1]
	var args []*truth.Expr
	for i := 1; i+1 < len(e.args); i += 2 {
		test := c.expr(e.args[i])
		if operand != nil {
			test = truth.Make(truth.Equal, c.expr(operand), test)
		}
		args = append(args, test, c.expr(e.args[i+1]))
	}
	if otherwise != nil {
		args = append(args, c.expr(otherwise))
	}
	return truth.Make(truth.Case, args...)
}

func (c *condition) call(e *expr) *truth.Expr {
	args := c.exprs(e.args)
	if e.text == "over" {
		return c.once(e)
	}
	switch name := e.names[0]; {
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
	case len(args) == 2 && name == "like":
		return truth.Make(truth.Like, args[1], args[0])
	default:
		return truth.Call(name, args...)
	}
}
