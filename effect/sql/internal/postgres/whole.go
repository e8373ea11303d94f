// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolverdict/toolverdict/effect/sql/internal/truth"
)

// aggregate is the value of a query that makes one row of all: a count is no
// less than nothing.
func (c *condition) aggregate(s *pg.SelectStmt, unclear *truth.Expr) *truth.Expr {
	f := s.TargetList[0].GetResTarget().GetVal().GetFuncCall()
	name, _ := functionName(f.GetFuncname())
	switch {
	case name != "count" || len(s.GroupClause) > 0:
		return unclear
	case f.AggStar && f.AggFilter == nil && c.whole(s) != nil:
		return truth.Make(truth.Greatest, truth.Num(1), unclear)
	}
	return truth.Make(truth.Greatest, truth.Num(0), unclear)
}

// whole is the changed relation where the query reads all of its rows.
func (c *condition) whole(s *pg.SelectStmt) *pg.RangeVar {
	if len(s.FromClause) != 1 || s.WhereClause != nil || len(s.GroupClause) > 0 {
		return nil
	}
	if r := s.FromClause[0].GetRangeVar(); r != nil && c.again(r) {
		return r
	}
	return nil
}

// bound is what the query finds the end of, the least or the most of all rows of
// the changed relation; nil where it is no such query.
func (c *condition) bound(n *pg.Node, end string) *truth.Expr {
	x := n.GetSubLink()
	s := x.GetSubselect().GetSelectStmt()
	if s == nil || x.SubLinkType != pg.SubLinkType_EXPR_SUBLINK || !simple(s) || len(s.TargetList) != 1 {
		return nil
	}
	r, f := c.whole(s), s.TargetList[0].GetResTarget().GetVal().GetFuncCall()
	if name, _ := functionName(f.GetFuncname()); r == nil || name != end || len(f.Args) != 1 || f.AggFilter != nil || f.Over != nil {
		return nil
	}
	return c.inside(r).expr(f.Args[0])
}

// blanket is whether a row is among those of a query that is not looked into:
// all may be, where it reads the changed relation and nothing in it chooses.
func (c *condition) blanket(s *pg.SelectStmt, unclear *truth.Expr) *truth.Expr {
	reads := false
	if c.narrows(s.ProtoReflect(), &reads) || !reads {
		return unclear
	}
	return truth.Make(truth.Or, truth.True(), unclear)
}

// narrows reports whether anything in the message could leave rows out, and
// notes whether the changed relation is read.
func (c *condition) narrows(m protoreflect.Message, reads *bool) bool {
	if !c.work.Spend() {
		return true
	}
	switch x := m.Interface().(type) {
	case *pg.RangeVar:
		*reads = *reads || c.again(x)
	case *pg.SelectStmt:
		if selects(x) {
			return true
		}
	case *pg.JoinExpr:
		if x.IsNatural || len(x.UsingClause) > 0 || x.Quals != nil && x.Quals.GetAConst() == nil {
			return true
		}
	}
	for part := range parts(m) {
		if c.narrows(part, reads) {
			return true
		}
	}
	return false
}

// selects reports whether the query itself could leave out rows of what it reads.
func selects(x *pg.SelectStmt) bool {
	return x.WhereClause != nil || x.HavingClause != nil || x.LimitCount != nil || x.LimitOffset != nil || len(x.GroupClause) > 0 ||
		len(x.DistinctClause) > 0 && x.DistinctClause[0].GetNode() != nil || aggregated(x) ||
		x.Op == pg.SetOperation_SETOP_INTERSECT || x.Op == pg.SetOperation_SETOP_EXCEPT
}

// plainNode reports whether the condition is a constant, or a comparison of two:
// to see that it never holds, no more is looked into.
func plainNode(n *pg.Node) bool {
	switch x := n.GetNode().(type) {
	case *pg.Node_AConst:
		return true
	case *pg.Node_AExpr:
		return x.AExpr.Lexpr.GetAConst() != nil && x.AExpr.Rexpr.GetAConst() != nil
	default:
		return false
	}
}
