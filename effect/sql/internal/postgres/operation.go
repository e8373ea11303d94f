// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/toolverdict/toolverdict/effect/sql/internal/truth"
)

// operation is an expression with an operator, or with a word like BETWEEN.
func (c *condition) operation(n *pg.Node, x *pg.A_Expr) *truth.Expr {
	parts := texts(x.Name)
	name := ""
	if len(parts) > 0 {
		name = parts[len(parts)-1]
	}
	if len(parts) == 2 && parts[0] != ownSchema {
		return truth.Call(c.written(n.ProtoReflect()), c.expr(x.Lexpr), c.expr(x.Rexpr)) // somebody's own operator
	}
	switch x.Kind {
	case pg.A_Expr_Kind_AEXPR_OP:
		return c.plain(n, name)
	case pg.A_Expr_Kind_AEXPR_OP_ANY, pg.A_Expr_Kind_AEXPR_OP_ALL:
		return c.array(n, x, name)
	case pg.A_Expr_Kind_AEXPR_SIMILAR:
		return c.similar(x, name)
	case pg.A_Expr_Kind_AEXPR_DISTINCT:
		return truth.Make(truth.Not, truth.Make(truth.Same, c.expr(x.Lexpr), c.expr(x.Rexpr)))
	case pg.A_Expr_Kind_AEXPR_NOT_DISTINCT:
		return truth.Make(truth.Same, c.expr(x.Lexpr), c.expr(x.Rexpr))
	case pg.A_Expr_Kind_AEXPR_NULLIF:
		return truth.Make(truth.NullIf, c.expr(x.Lexpr), c.expr(x.Rexpr))
	case pg.A_Expr_Kind_AEXPR_IN:
		return negatedIf(name == "<>", c.in(x.Lexpr, x.Rexpr.GetList().GetItems()))
	case pg.A_Expr_Kind_AEXPR_LIKE:
		return negatedIf(name == "!~~", truth.Make(truth.Like, c.expr(x.Lexpr), c.expr(x.Rexpr)))
	case pg.A_Expr_Kind_AEXPR_ILIKE:
		like := truth.Make(truth.Like, truth.Make(truth.Lower, c.expr(x.Lexpr)), truth.Make(truth.Lower, c.expr(x.Rexpr)))
		return negatedIf(name == "!~~*", like)
	case pg.A_Expr_Kind_AEXPR_BETWEEN, pg.A_Expr_Kind_AEXPR_NOT_BETWEEN, pg.A_Expr_Kind_AEXPR_BETWEEN_SYM, pg.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM:
		return c.between(n, x)
	default:
		return c.once(n, x.Lexpr, x.Rexpr)
	}
}

// array compares a value with the elements of an array.
func (c *condition) array(n *pg.Node, x *pg.A_Expr, name string) *truth.Expr {
	elements, known := elementsOf(x.Rexpr)
	op, ok := binary(name)
	if !known || !ok {
		return c.once(n, x.Lexpr, x.Rexpr)
	}
	compared := make([]*truth.Expr, len(elements))
	for i, e := range elements {
		compared[i] = truth.Make(op, c.expr(x.Lexpr), c.expr(e))
	}
	if x.Kind == pg.A_Expr_Kind_AEXPR_OP_ALL {
		return truth.Make(truth.And, compared...)
	}
	return truth.Make(truth.Or, compared...)
}

// elementsOf are the elements of an array that the text lists.
func elementsOf(n *pg.Node) (list []*pg.Node, known bool) {
	for n.GetTypeCast() != nil {
		n = n.GetTypeCast().Arg
	}
	if a := n.GetAArrayExpr(); a != nil {
		return a.Elements, true
	}
	s := n.GetAConst().GetSval()
	return nil, s != nil && strings.TrimSpace(s.Sval) == "{}"
}

// similar is SIMILAR TO, whose patterns are regular expressions with % and _.
func (c *condition) similar(x *pg.A_Expr, name string) *truth.Expr {
	var pattern, escape *pg.A_Const
	switch args := x.Rexpr.GetFuncCall().GetArgs(); len(args) {
	case 1:
		pattern, escape = args[0].GetAConst(), &pg.A_Const{Val: &pg.A_Const_Sval{Sval: &pg.String{Sval: `\`}}}
	case 2:
		pattern, escape = args[0].GetAConst(), args[1].GetAConst()
	}
	similar, ok := truth.Similar(pattern.GetSval().GetSval(), escape.GetSval().GetSval())
	if pattern.GetSval() == nil || escape.GetSval() == nil || !ok {
		return truth.Call("similar", c.expr(x.Lexpr), c.expr(x.Rexpr))
	}
	return negatedIf(name == "!~", truth.Make(truth.Match, c.expr(x.Lexpr), truth.Str(similar)))
}

func (c *condition) in(left *pg.Node, list []*pg.Node) *truth.Expr {
	if row := left.GetRowExpr(); row != nil {
		var some []*truth.Expr
		for _, n := range list {
			some = append(some, c.rows(row, n))
		}
		return truth.Make(truth.Or, some...)
	}
	return truth.Make(truth.In, append([]*truth.Expr{c.expr(left)}, c.exprs(list)...)...)
}

// rows is the equality of two rows, element by element.
func (c *condition) rows(a *pg.RowExpr, n *pg.Node) *truth.Expr {
	b := n.GetRowExpr()
	if b == nil || len(a.Args) != len(b.Args) || len(a.Args) == 0 {
		return c.once(n, append(slices.Clone(a.Args), n)...)
	}
	var all []*truth.Expr
	for i := range a.Args {
		all = append(all, truth.Make(truth.Equal, c.expr(a.Args[i]), c.expr(b.Args[i])))
	}
	return truth.Make(truth.And, all...)
}

func (c *condition) between(n *pg.Node, x *pg.A_Expr) *truth.Expr {
	ends := x.Rexpr.GetList().GetItems()
	if len(ends) != 2 {
		return c.once(n, x.Lexpr, x.Rexpr)
	}
	v, low, high := c.expr(x.Lexpr), c.expr(ends[0]), c.expr(ends[1])
	e := truth.Make(truth.And, truth.Make(truth.AtLeast, v, low), truth.Make(truth.AtMost, v, high))
	if x.Kind == pg.A_Expr_Kind_AEXPR_BETWEEN_SYM || x.Kind == pg.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM {
		e = truth.Make(truth.Or, e, truth.Make(truth.And, truth.Make(truth.AtLeast, v, high), truth.Make(truth.AtMost, v, low)))
	}
	return negatedIf(x.Kind == pg.A_Expr_Kind_AEXPR_NOT_BETWEEN || x.Kind == pg.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM, e)
}

// plain is an ordinary operator.
func (c *condition) plain(n *pg.Node, name string) *truth.Expr {
	left, right := n.GetAExpr().Lexpr, n.GetAExpr().Rexpr
	if left == nil {
		return c.prefix(name, right)
	}
	if a, b := left.GetRowExpr(), right.GetRowExpr(); a != nil && b != nil {
		switch name {
		case "=", "<>":
			return negatedIf(name == "<>", c.rows(a, right))
		}
		return c.once(n, left, right)
	}
	switch name {
	case "^@":
		return truth.Make(truth.Equal, truth.Make(truth.Find, c.expr(left), c.expr(right)), truth.Num(1))
	case "~*", "!~*":
		pattern := c.expr(right)
		if pattern.Op == truth.Literal && pattern.Value.Kind == truth.Text {
			pattern = truth.Str("(?i)" + pattern.Value.Text)
		}
		return negatedIf(name == "!~*", truth.Make(truth.Match, c.expr(left), pattern))
	case "!~":
		return truth.Make(truth.Not, truth.Make(truth.Match, c.expr(left), c.expr(right)))
	}
	if op, ok := binary(name); ok {
		if e := c.withRow(op, left, right); e != nil {
			return e
		}
		return truth.Make(op, c.expr(left), c.expr(right))
	}
	return truth.Operator(name, c.expr(left), c.expr(right))
}

func (c *condition) prefix(name string, n *pg.Node) *truth.Expr {
	switch name {
	case "-":
		return truth.Make(truth.Negate, c.expr(n))
	case "+":
		return c.expr(n)
	case "@":
		return truth.Make(truth.Abs, c.expr(n))
	}
	return truth.Call("operator "+name, c.expr(n))
}

func binary(name string) (truth.Op, bool) {
	switch name {
	case "!=":
		return truth.Differ, true
	case "~":
		return truth.Match, true
	case "~~":
		return truth.Like, true
	default:
		return truth.Sign(name)
	}
}
