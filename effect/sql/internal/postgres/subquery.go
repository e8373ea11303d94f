// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolverdict/toolverdict/effect/sql/internal/postgres/internal/catalog"
	"github.com/toolverdict/toolverdict/effect/sql/internal/truth"
)

// subquery is EXISTS, IN or a query for a value.
func (c *condition) subquery(n *pg.Node, x *pg.SubLink) *truth.Expr {
	s := x.Subselect.GetSelectStmt()
	unclear := c.result(n)
	switch {
	case s != nil && x.SubLinkType == pg.SubLinkType_EXISTS_SUBLINK && isZero(s.LimitCount):
		return truth.False()
	case s == nil:
		return unclear
	case !simple(s) && x.SubLinkType != pg.SubLinkType_EXPR_SUBLINK:
		return c.blanket(s, unclear)
	case !simple(s):
		return unclear
	}
	switch x.SubLinkType {
	case pg.SubLinkType_EXISTS_SUBLINK:
		return c.exists(s, nil, unclear)
	case pg.SubLinkType_ANY_SUBLINK:
		if len(x.OperName) == 0 && len(s.TargetList) == 1 {
			return c.exists(s, x.Testexpr, unclear)
		}
	case pg.SubLinkType_EXPR_SUBLINK:
		switch {
		case len(s.TargetList) != 1:
		case aggregated(s):
			return c.aggregate(s, unclear)
		case len(s.FromClause) == 0 && s.WhereClause == nil:
			return c.expr(s.TargetList[0].GetResTarget().GetVal())
		}
	default:
	}
	return unclear
}

// isZero reports whether a LIMIT lets no row through.
func isZero(n *pg.Node) bool {
	c := n.GetAConst()
	return c != nil && c.GetIval() != nil && c.GetIval().Ival == 0
}

// result is what a query gives of which nothing is known but whether the row
// has a part in it.
func (c *condition) result(n *pg.Node) *truth.Expr {
	x := n.GetSubLink()
	s := x.GetSubselect().GetSelectStmt()
	own := s != nil && c.mentions(s.ProtoReflect())
	if x.Testexpr != nil {
		own = own || c.expr(x.Testexpr).Depends()
	}
	return truth.Written(c.written(n.ProtoReflect()), own)
}

// simple reports whether the query has a row for each row of its FROM list that
// its WHERE lets through, or one where there is no FROM list.
func simple(s *pg.SelectStmt) bool {
	return s.Op == pg.SetOperation_SETOP_NONE && s.WithClause == nil && s.HavingClause == nil && s.LimitOffset == nil &&
		(s.LimitCount == nil || limit(s) > 0)
}

// exists is whether the query has a row, or, with a test, one whose value is
// that of the test.
func (c *condition) exists(s *pg.SelectStmt, test *pg.Node, unclear *truth.Expr) *truth.Expr {
	switch {
	case len(s.ValuesLists) > 0:
		if test == nil {
			return truth.True()
		}
		return unclear
	case aggregated(s):
		if test == nil && len(s.GroupClause) == 0 {
			return truth.True()
		}
		return unclear
	case len(s.GroupClause) > 0:
		return unclear
	case len(s.FromClause) == 0:
		return c.row(s, test)
	case s.WhereClause != nil && plainNode(s.WhereClause) && truth.Never(c.expr(s.WhereClause), rules()):
		return truth.False()
	}
	r := s.FromClause[0].GetRangeVar()
	if len(s.FromClause) > 1 || r == nil || !c.again(r) {
		return c.blanket(s, unclear)
	}
	// The changed relation again: the row itself may be the one that exists.
	inner := c.inside(r)
	itself := inner.row(s, test)
	return truth.Make(truth.Or, itself, unclear)
}

// withRow is a comparison with the value of a query that finds a row of the
// changed relation by something of the row: it may be the row itself. Nil where
// it is no such comparison.
func (c *condition) withRow(op truth.Op, left, right *pg.Node) *truth.Expr {
	if op < truth.Equal || op > truth.AtLeast {
		return nil
	}
	// No row is less than the least of all, or more than the most.
	if low, high := truth.End(op); low != "" {
		if v := c.bound(right, low); v != nil {
			return truth.Make(truth.Or, truth.Make(op, c.expr(left), v), c.once(left, left))
		}
		if v := c.bound(left, high); v != nil {
			return truth.Make(truth.Or, truth.Make(op, v, c.expr(right)), c.once(right, right))
		}
	}
	if s := c.found(right); s != nil {
		return c.itself(s, func(in *condition, v *pg.Node) *truth.Expr { return truth.Make(op, c.expr(left), in.expr(v)) },
			truth.Make(op, c.expr(left), c.result(right)))
	}
	if s := c.found(left); s != nil {
		return c.itself(s, func(in *condition, v *pg.Node) *truth.Expr { return truth.Make(op, in.expr(v), c.expr(right)) },
			truth.Make(op, c.result(left), c.expr(right)))
	}
	return nil
}

// found is the query where it is one for a value that finds a row of the changed
// relation by something of the row.
func (c *condition) found(n *pg.Node) *pg.SelectStmt {
	x := n.GetSubLink()
	s := x.GetSubselect().GetSelectStmt()
	if s == nil || x.SubLinkType != pg.SubLinkType_EXPR_SUBLINK || !simple(s) || len(s.TargetList) != 1 ||
		len(s.FromClause) != 1 || len(s.GroupClause) > 0 || aggregated(s) || !c.mentions(s.ProtoReflect()) {
		return nil
	}
	if r := s.FromClause[0].GetRangeVar(); r == nil || !c.again(r) {
		return nil
	}
	return s
}

// itself is a condition with the value of a query that may have found the row
// itself, or another.
func (c *condition) itself(s *pg.SelectStmt, with func(*condition, *pg.Node) *truth.Expr, another *truth.Expr) *truth.Expr {
	inner := c.inside(s.FromClause[0].GetRangeVar())
	e := with(inner, s.TargetList[0].GetResTarget().GetVal())
	if s.WhereClause != nil {
		e = truth.Make(truth.And, inner.expr(s.WhereClause), e)
	}
	return truth.Make(truth.Or, e, another)
}

// inside is the condition in a query of the changed relation, for the row
// itself.
func (c *condition) inside(r *pg.RangeVar) *condition {
	inner := *c
	inner.inner = append(slices.Clone(c.inner), knownAs(r))
	inner.same = append(slices.Clone(c.same), knownAs(r))
	return &inner
}

// row is whether one row of the query passes its WHERE and the test.
func (c *condition) row(s *pg.SelectStmt, test *pg.Node) *truth.Expr {
	e := truth.True()
	if s.WhereClause != nil {
		e = c.expr(s.WhereClause)
	}
	if test != nil {
		e = truth.Make(truth.And, e, truth.Make(truth.Equal, c.expr(test), c.expr(s.TargetList[0].GetResTarget().GetVal())))
	}
	return e
}

// again reports whether the relation is the changed one.
func (c *condition) again(r *pg.RangeVar) bool {
	return c.relation != nil && r.Relname == c.relation.Relname &&
		(r.Schemaname == c.relation.Schemaname || r.Schemaname == "" || c.relation.Schemaname == "")
}

// aggregated reports whether the query makes one row of all.
func aggregated(s *pg.SelectStmt) bool {
	for _, n := range s.TargetList {
		if f := n.GetResTarget().GetVal().GetFuncCall(); f != nil && f.Over == nil {
			if name, _ := functionName(f.Funcname); catalog.Aggregate(name) {
				return true
			}
		}
	}
	return false
}

// mentions reports whether the message names a column of the changed row by its
// relation, and no query on the way there gives that name to something else; or
// compares a column of such a query with one that stands alone under another
// name.
func (c *condition) mentions(m protoreflect.Message) bool {
	return m != nil && c.find(m, nil)
}

func (c *condition) find(m protoreflect.Message, hidden []string) bool {
	if !c.work.Spend() {
		return false
	}
	switch x := m.Interface().(type) {
	case *pg.ColumnRef:
		parts := texts(x.Fields)
		if len(parts) == 1 {
			return len(hidden) == 0 && len(c.inner) == 0 && len(x.Fields) == 1
		}
		if len(parts) < 2 {
			return false
		}
		table := parts[len(parts)-2]
		return (table == c.target || slices.Contains(c.twins, table)) && !slices.Contains(hidden, table) && !slices.Contains(c.inner, table)
	case *pg.A_Expr:
		if outerColumn(x, hidden) {
			return true
		}
	case *pg.SelectStmt:
		hidden = slices.Clone(hidden)
		for _, n := range x.FromClause {
			hidden = append(hidden, tables(n)...)
		}
	}
	for part := range parts(m) {
		if c.find(part, hidden) {
			return true
		}
	}
	return false
}

// outerColumn reports whether an equality joins a query inside to a column that
// is most likely the changed row's: users.id = user_id.
func outerColumn(x *pg.A_Expr, hidden []string) bool {
	if x.Kind != pg.A_Expr_Kind_AEXPR_OP || !slices.Equal(texts(x.Name), []string{"="}) {
		return false
	}
	a, b := texts(x.Lexpr.GetColumnRef().GetFields()), texts(x.Rexpr.GetColumnRef().GetFields())
	if len(a) == 1 {
		a, b = b, a
	}
	return len(a) == 2 && len(b) == 1 && slices.Contains(hidden, a[0]) && a[1] != b[0]
}
