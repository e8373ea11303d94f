// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mysql

import (
	"errors"

	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/toolverdict/toolverdict/effect/sql/internal/truth"
)

// aggregate is the value of a query that makes one row of all: a count is no less
// than nothing.
func (c *condition) aggregate(s *sqlparser.Select, unclear *truth.Expr) *truth.Expr {
	a, ok := s.SelectExprs.Exprs[0].(*sqlparser.AliasedExpr)
	if !ok || s.GroupBy != nil {
		return unclear
	}
	switch a.Expr.(type) {
	case *sqlparser.CountStar:
		if c.whole(s) {
			return truth.Make(truth.Greatest, truth.Num(1), unclear)
		}
		return truth.Make(truth.Greatest, truth.Num(0), unclear)
	case *sqlparser.Count:
		return truth.Make(truth.Greatest, truth.Num(0), unclear)
	}
	return unclear
}

// whole reports whether the query reads all rows of the table.
func (c *condition) whole(s *sqlparser.Select) bool {
	all := everySource(s.From)
	return len(all) == 1 && s.Where == nil && s.GroupBy == nil && c.again(all[0].name)
}

// bound is what the query finds the end of, the least or the most of all rows of
// the table; nil where it is no such query.
func (c *condition) bound(e sqlparser.Expr, end string) *truth.Expr {
	q, ok := e.(*sqlparser.Subquery)
	if !ok {
		return nil
	}
	s, ok := q.Select.(*sqlparser.Select)
	if !ok || !simple(s) || len(s.SelectExprs.Exprs) != 1 || !c.whole(s) {
		return nil
	}
	a, ok := s.SelectExprs.Exprs[0].(*sqlparser.AliasedExpr)
	if !ok {
		return nil
	}
	inner := c.inside(everySource(s.From)[0])
	if f, ok := a.Expr.(*sqlparser.Min); ok && end == "min" {
		return inner.expr(f.Arg)
	}
	if f, ok := a.Expr.(*sqlparser.Max); ok && end == "max" {
		return inner.expr(f.Arg)
	}
	return nil
}

// ends is a comparison with the least or the most of all rows: no row is less
// than the one, or more than the other. Nil where it is none.
func (c *condition) ends(x *sqlparser.ComparisonExpr) *truth.Expr {
	op := comparisonOp(x.Operator)
	low, high := truth.End(op)
	if low == "" || x.Modifier != sqlparser.Missing {
		return nil
	}
	if v := c.bound(x.Right, low); v != nil {
		return truth.Make(truth.Or, truth.Make(op, c.expr(x.Left), v), c.once(x.Left))
	}
	if v := c.bound(x.Left, high); v != nil {
		return truth.Make(truth.Or, truth.Make(op, v, c.expr(x.Right)), c.once(x.Right))
	}
	return nil
}

// blanket is whether a row is among those of a query that is not looked into:
// all may be, where it reads the table and nothing in it chooses.
func (c *condition) blanket(t sqlparser.TableStatement, unclear *truth.Expr) *truth.Expr {
	reads, narrows := false, false
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if !c.work.Spend() {
			narrows = true
			return false, errSpent
		}
		switch x := n.(type) {
		case sqlparser.TableName:
			reads = reads || c.again(x)
		case *sqlparser.Select:
			narrows = narrows || x.Where != nil || x.Having != nil || x.GroupBy != nil || x.Limit != nil || aggregated(x)
		case *sqlparser.Union:
			narrows = narrows || x.Limit != nil
		case *sqlparser.JoinTableExpr:
			narrows = narrows || joinNarrows(x)
		}
		return !narrows, nil
	}, t)
	if narrows || !reads {
		return unclear
	}
	return truth.Make(truth.Or, truth.True(), unclear)
}

// joinNarrows reports whether a join could leave rows out.
func joinNarrows(x *sqlparser.JoinTableExpr) bool {
	switch x.Join {
	case sqlparser.NaturalJoinType, sqlparser.NaturalLeftJoinType, sqlparser.NaturalRightJoinType:
		return true
	default:
	}
	if x.Condition == nil || x.Condition.On == nil {
		return x.Condition != nil && len(x.Condition.Using) > 0
	}
	switch x.Condition.On.(type) {
	case *sqlparser.Literal, sqlparser.BoolVal:
		return false
	default:
		return true
	}
}

// errSpent ends a walk.
var errSpent = errors.New("no step is left")

// fixed reports whether the condition is a constant, or a comparison of two: to
// see that it never holds, no more is looked into.
func fixed(e sqlparser.Expr) bool {
	if x, ok := e.(*sqlparser.ComparisonExpr); ok {
		return isLiteral(x.Left) && isLiteral(x.Right)
	}
	return isLiteral(e)
}

func isLiteral(e sqlparser.Expr) bool {
	switch e.(type) {
	case *sqlparser.Literal, sqlparser.BoolVal, *sqlparser.NullVal:
		return true
	default:
		return false
	}
}
