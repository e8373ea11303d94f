// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mysql

import (
	"slices"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/toolverdict/toolverdict/effect/sql/internal/truth"
)

func (c *condition) comparison(x *sqlparser.ComparisonExpr) *truth.Expr {
	if e := c.ends(x); e != nil {
		return e
	}
	if q, ok := x.Right.(*sqlparser.Subquery); ok {
		return c.withQuery(x, q)
	}
	if q, ok := x.Left.(*sqlparser.Subquery); ok {
		if s := c.found(q); s != nil {
			return c.itself(s, mirrored(comparisonOp(x.Operator)), x.Right, q)
		}
	}
	if x.Modifier != sqlparser.Missing {
		return c.once(x)
	}
	if x.Escape != nil {
		return negatedIf(x.Operator == sqlparser.NotLikeOp, truth.Make(truth.Like, c.expr(x.Left), c.escaped(x)))
	}
	switch x.Operator {
	case sqlparser.InOp, sqlparser.NotInOp:
		return negatedIf(x.Operator == sqlparser.NotInOp, c.in(x))
	case sqlparser.LikeOp, sqlparser.NotLikeOp:
		return negatedIf(x.Operator == sqlparser.NotLikeOp, truth.Make(truth.Like, c.expr(x.Left), c.expr(x.Right)))
	case sqlparser.RegexpOp, sqlparser.NotRegexpOp:
		return negatedIf(x.Operator == sqlparser.NotRegexpOp, truth.Make(truth.Match, c.expr(x.Left), c.expr(x.Right)))
	default:
	}
	a, aOK := x.Left.(sqlparser.ValTuple)
	b, bOK := x.Right.(sqlparser.ValTuple)
	if aOK && bOK && (x.Operator == sqlparser.EqualOp || x.Operator == sqlparser.NotEqualOp) {
		return negatedIf(x.Operator == sqlparser.NotEqualOp, c.rows(a, b))
	}
	return truth.Make(comparisonOp(x.Operator), c.expr(x.Left), c.expr(x.Right))
}

// escaped is the pattern of LIKE … ESCAPE.
func (c *condition) escaped(x *sqlparser.ComparisonExpr) *truth.Expr {
	pattern, ok := literal(x.Right)
	escape, alsoOK := literal(x.Escape)
	if pattern, read := truth.Escaped(pattern, escape); ok && alsoOK && read {
		return truth.Str(pattern)
	}
	return &truth.Expr{Value: truth.Value{Kind: truth.Undecided}}
}

// special is a function that is written in a way of its own.
func (c *condition) special(e sqlparser.Expr) *truth.Expr {
	switch x := e.(type) {
	case *sqlparser.SubstrExpr:
		args := []*truth.Expr{c.expr(x.Name), c.expr(x.From)}
		if x.To != nil {
			args = append(args, c.expr(x.To))
		}
		return truth.Function("substr", args...)
	case *sqlparser.TrimFuncExpr:
		if x.TrimArg == nil && x.Type == sqlparser.NoTrimType && x.TrimFuncType == sqlparser.NormalTrimType {
			return truth.Function("trim", c.expr(x.StringArg))
		}
		if x.TrimArg == nil {
			return truth.Function("ltrim", c.expr(x.StringArg))
		}
	case *sqlparser.ExtractFuncExpr:
		return truth.Function("extract", truth.Str(x.IntervalType.ToString()), c.expr(x.Expr))
	case *sqlparser.TimestampDiffExpr:
		return truth.Function("timestampdiff", c.expr(x.Expr1), c.expr(x.Expr2))
	case *sqlparser.IntervalDateExpr:
		return truth.Function("date_add", c.expr(x.Date), c.expr(x.Interval))
	case *sqlparser.MatchExpr, *sqlparser.JSONExtractExpr, *sqlparser.JSONUnquoteExpr, *sqlparser.JSONContainsExpr,
		*sqlparser.JSONContainsPathExpr, *sqlparser.JSONValueExpr, *sqlparser.MemberOfExpr, *sqlparser.ValuesFuncExpr:
		return c.once(e)
	}
	return truth.Doubtful(sqlparser.String(e), c.mentions(e))
}

func comparisonOp(op sqlparser.ComparisonExprOperator) truth.Op {
	switch op {
	case sqlparser.EqualOp:
		return truth.Equal
	case sqlparser.NotEqualOp:
		return truth.Differ
	case sqlparser.LessThanOp:
		return truth.Less
	case sqlparser.LessEqualOp:
		return truth.AtMost
	case sqlparser.GreaterThanOp:
		return truth.More
	case sqlparser.GreaterEqualOp:
		return truth.AtLeast
	default:
		return truth.Same
	}
}

// mirrored is the operation with its sides exchanged.
func mirrored(op truth.Op) truth.Op {
	switch op {
	case truth.Less:
		return truth.More
	case truth.AtMost:
		return truth.AtLeast
	case truth.More:
		return truth.Less
	case truth.AtLeast:
		return truth.AtMost
	default:
		return op
	}
}

func (c *condition) in(x *sqlparser.ComparisonExpr) *truth.Expr {
	list, ok := x.Right.(sqlparser.ValTuple)
	if !ok {
		return c.once(x.Left, x.Right)
	}
	if left, ok := x.Left.(sqlparser.ValTuple); ok {
		var some []*truth.Expr
		for _, e := range list {
			row, ok := e.(sqlparser.ValTuple)
			if !ok {
				return c.once(x.Left, x.Right)
			}
			some = append(some, c.rows(left, row))
		}
		return truth.Make(truth.Or, some...)
	}
	return truth.Make(truth.In, append([]*truth.Expr{c.expr(x.Left)}, c.exprs(list)...)...)
}

// rows is the equality of two rows, element by element.
func (c *condition) rows(a, b sqlparser.ValTuple) *truth.Expr {
	if len(a) != len(b) {
		return c.once(a, b)
	}
	var all []*truth.Expr
	for i := range a {
		all = append(all, truth.Make(truth.Equal, c.expr(a[i]), c.expr(b[i])))
	}
	return truth.Make(truth.And, all...)
}

func (c *condition) binary(x *sqlparser.BinaryExpr) *truth.Expr {
	left, right := c.expr(x.Left), c.expr(x.Right)
	switch x.Operator {
	case sqlparser.PlusOp:
		return truth.Make(truth.Add, left, right)
	case sqlparser.MinusOp:
		return truth.Make(truth.Subtract, left, right)
	case sqlparser.MultOp:
		return truth.Make(truth.Multiply, left, right)
	case sqlparser.DivOp:
		return truth.Make(truth.Divide, left, right)
	case sqlparser.ModOp:
		return truth.Make(truth.Modulo, left, right)
	case sqlparser.BitXorOp:
		if c.walker.joins {
			return truth.Make(truth.Concat, left, right)
		}
	default:
	}
	return truth.Operator(x.Operator.ToString(), left, right)
}

func (c *condition) unary(x *sqlparser.UnaryExpr) *truth.Expr {
	e := c.expr(x.Expr)
	switch x.Operator {
	case sqlparser.UPlusOp, sqlparser.NStringOp:
		return e
	case sqlparser.UMinusOp:
		return truth.Make(truth.Negate, e)
	case sqlparser.BangOp:
		return truth.Make(truth.Not, e)
	default:
		return truth.Call("~", e)
	}
}

// withQuery is a comparison with the result of a query.
func (c *condition) withQuery(x *sqlparser.ComparisonExpr, q *sqlparser.Subquery) *truth.Expr {
	switch {
	case x.Operator == sqlparser.InOp, x.Operator == sqlparser.EqualOp && x.Modifier == sqlparser.Any:
		return c.exists(q.Select, x.Left)
	case x.Operator == sqlparser.NotInOp:
		return truth.Make(truth.Not, c.exists(q.Select, x.Left))
	case x.Modifier != sqlparser.Missing:
		return c.once(x.Left, q)
	}
	if s := c.found(q); s != nil {
		return c.itself(s, comparisonOp(x.Operator), x.Left, q)
	}
	return truth.Make(comparisonOp(x.Operator), c.expr(x.Left), c.value(q))
}

// found is the query where it is one for a value that finds a row of the table
// by something of the row.
func (c *condition) found(q *sqlparser.Subquery) *sqlparser.Select {
	s, ok := q.Select.(*sqlparser.Select)
	if !ok || !simple(s) || s.GroupBy != nil || aggregated(s) || len(s.SelectExprs.Exprs) != 1 {
		return nil
	}
	all := everySource(s.From)
	if _, ok := s.SelectExprs.Exprs[0].(*sqlparser.AliasedExpr); !ok || len(all) != 1 || !c.again(all[0].name) || !c.mentions(s) {
		return nil
	}
	return s
}

// itself is a comparison with the value of a query that may have found the row
// itself, or another.
func (c *condition) itself(s *sqlparser.Select, op truth.Op, left sqlparser.Expr, q *sqlparser.Subquery) *truth.Expr {
	inner := c.inside(everySource(s.From)[0])
	e := truth.Make(op, c.expr(left), &truth.Expr{})
	if a, ok := s.SelectExprs.Exprs[0].(*sqlparser.AliasedExpr); ok {
		e = truth.Make(op, c.expr(left), inner.expr(a.Expr))
	}
	if s.Where != nil {
		e = truth.Make(truth.And, inner.expr(s.Where.Expr), e)
	}
	return truth.Make(truth.Or, e, truth.Make(op, c.expr(left), c.once(q)))
}

// inside is the condition in a query of the table, for the row itself.
func (c *condition) inside(s source) *condition {
	inner := *c
	inner.inner = append(slices.Clone(c.inner), s.known)
	inner.same = append(slices.Clone(c.same), s.known)
	return &inner
}

// value is the value of a query.
func (c *condition) value(q *sqlparser.Subquery) *truth.Expr {
	s, ok := q.Select.(*sqlparser.Select)
	if ok && simple(s) && len(s.SelectExprs.Exprs) == 1 && aggregated(s) {
		return c.aggregate(s, c.once(q))
	}
	if ok && simple(s) && !tables(s.From) && s.Where == nil && len(s.SelectExprs.Exprs) == 1 {
		if a, ok := s.SelectExprs.Exprs[0].(*sqlparser.AliasedExpr); ok && !aggregated(s) {
			return c.expr(a.Expr)
		}
	}
	return c.once(q)
}

// simple reports whether the query has a row for each row of its FROM list that
// its WHERE lets through.
func simple(s *sqlparser.Select) bool {
	return s.With == nil && s.Having == nil && (s.Limit == nil || s.Limit.Offset == nil && rows(s.Limit) > 0)
}

// exists is whether the query has a row, or, with a test, one whose value is
// that of the test.
func (c *condition) exists(t sqlparser.TableStatement, test sqlparser.Expr) *truth.Expr {
	unclear := c.once(nodes(test, t)...)
	s, ok := t.(*sqlparser.Select)
	switch {
	case ok && (isZero(s.Limit) || s.Where != nil && fixed(s.Where.Expr) && !aggregated(s) && truth.Never(c.expr(s.Where.Expr), rules())):
		return truth.False()
	case !ok || !simple(s):
		return c.blanket(t, unclear)
	case aggregated(s):
		if test == nil && s.GroupBy == nil {
			return truth.True()
		}
		return unclear
	case s.GroupBy != nil:
		return unclear
	case !tables(s.From):
		return c.row(s, test, unclear)
	}
	all := everySource(s.From)
	if len(all) != 1 || !c.again(all[0].name) {
		return c.blanket(t, unclear)
	}
	// The table again: the row itself may be the one that exists.
	inner := c.inside(all[0])
	itself := inner.row(s, test, unclear)
	return truth.Make(truth.Or, itself, unclear)
}

// isZero reports whether a LIMIT lets no row through.
func isZero(l *sqlparser.Limit) bool {
	if l == nil {
		return false
	}
	n, ok := l.Rowcount.(*sqlparser.Literal)
	return ok && n.Val == "0"
}

func nodes(test sqlparser.Expr, t sqlparser.TableStatement) []sqlparser.SQLNode {
	if test == nil {
		return []sqlparser.SQLNode{t}
	}
	return []sqlparser.SQLNode{test, t}
}

// row is whether one row of the query passes its WHERE and the test.
func (c *condition) row(s *sqlparser.Select, test sqlparser.Expr, unclear *truth.Expr) *truth.Expr {
	e := truth.True()
	if s.Where != nil {
		e = c.expr(s.Where.Expr)
	}
	if test == nil {
		return e
	}
	a, ok := s.SelectExprs.Exprs[0].(*sqlparser.AliasedExpr)
	if !ok || len(s.SelectExprs.Exprs) != 1 {
		return unclear
	}
	return truth.Make(truth.And, e, truth.Make(truth.Equal, c.expr(test), c.expr(a.Expr)))
}

// again reports whether the table is the one whose rows are changed.
func (c *condition) again(t sqlparser.TableName) bool {
	return !t.IsEmpty() && strings.EqualFold(t.Name.String(), c.table.Name.String()) &&
		(t.Qualifier.IsEmpty() || c.table.Qualifier.IsEmpty() || strings.EqualFold(t.Qualifier.String(), c.table.Qualifier.String()))
}

// aggregated reports whether the query makes one row of all.
func aggregated(s *sqlparser.Select) bool {
	for _, e := range s.SelectExprs.Exprs {
		if a, ok := e.(*sqlparser.AliasedExpr); ok {
			if _, ok := a.Expr.(sqlparser.AggrFunc); ok {
				return true
			}
		}
	}
	return false
}

// mentions reports whether the node names a column of the row.
func (c *condition) mentions(n sqlparser.SQLNode) bool {
	found := false
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if !c.work.Spend() {
			return false, errSpent
		}
		switch x := n.(type) {
		case *sqlparser.ColName:
			found = found || c.column(x).Own
		case *sqlparser.Select:
			inner := *c
			for _, s := range everySource(x.From) {
				if !strings.EqualFold(s.known, "dual") {
					inner.inner = append(slices.Clone(inner.inner), s.known)
				}
			}
			found = found || inner.mentionsIn(x)
			return false, nil
		case *sqlparser.ComparisonExpr:
			found = found || c.outerColumn(x)
		}
		return !found, nil
	}, n)
	return found
}

// mentionsIn is mentions for the parts of a query.
func (c *condition) mentionsIn(s *sqlparser.Select) bool {
	found := c.mentions(s.SelectExprs) || c.mentions(s.Where) || c.mentions(s.GroupBy) || c.mentions(s.Having)
	for _, t := range s.From {
		found = found || c.mentions(t)
	}
	return found
}

// outerColumn reports whether an equality joins a query inside to a column that
// is most likely the changed row's: users.id = user_id.
func (c *condition) outerColumn(x *sqlparser.ComparisonExpr) bool {
	a, aOK := x.Left.(*sqlparser.ColName)
	b, bOK := x.Right.(*sqlparser.ColName)
	if !aOK || !bOK || x.Operator != sqlparser.EqualOp || len(c.inner) == len(c.same) {
		return false
	}
	if a.Qualifier.IsEmpty() {
		a, b = b, a
	}
	return b.Qualifier.IsEmpty() && has(c.inner, a.Qualifier.Name.String()) && !a.Name.Equal(b.Name)
}
