// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"github.com/toolverdict/toolverdict/effect/sql/internal/sqlite/internal/syntax"
	"github.com/toolverdict/toolverdict/effect/sql/internal/truth"
)

// aggregate is the value of a query that makes one row of all: a count is no less
// than nothing.
func (c *condition) aggregate(s *syntax.Core, unclear *truth.Expr) *truth.Expr {
	f := s.Results[0].Value
	switch {
	case f.Names[0] != "count" || len(s.Group) > 0:
		return unclear
	case len(f.Args) == 0 && len(f.Over) == 0 && c.whole(s):
		return truth.Make(truth.Greatest, truth.Num(1), unclear)
	}
	return truth.Make(truth.Greatest, truth.Num(0), unclear)
}

// whole reports whether the query reads all rows of the table.
func (c *condition) whole(s *syntax.Core) bool {
	return len(s.From) == 1 && s.Where == nil && len(s.Group) == 0 && c.again(s.From[0])
}

// bound is what the query finds the end of, the least or the most of all rows of
// the table; nil where it is no such query.
func (c *condition) bound(e *syntax.Expr, end string) *truth.Expr {
	if e.Op != syntax.Subquery {
		return nil
	}
	s := simple(e.Query)
	if s == nil || !c.whole(s) || len(s.Results) != 1 || !aggregated(s) {
		return nil
	}
	f := s.Results[0].Value
	if f.Names[0] != end || len(f.Over) > 0 {
		return nil
	}
	return c.inside(s.From[0]).expr(f.Args[0])
}

// blanket is whether a row is among those of a query that is not looked into:
// all may be, where it reads the table and nothing in it chooses.
func (c *condition) blanket(q *syntax.Query, unclear *truth.Expr) *truth.Expr {
	if reads, narrows := c.scan(q); !reads || narrows {
		return unclear
	}
	return truth.Make(truth.Or, truth.True(), unclear)
}

// scan reports whether the query reads the table, and whether anything in it
// could leave rows out.
func (c *condition) scan(q *syntax.Query) (reads, narrows bool) {
	narrows = q.Limit != nil || q.Narrows || !c.work.Spend()
	for _, w := range q.With {
		r, n := c.scan(w.Query)
		reads, narrows = reads || r, narrows || n
	}
	for _, s := range q.Cores {
		r, n := c.scanSources(s.From)
		reads = reads || r
		narrows = narrows || n || s.Where != nil || s.Having != nil || len(s.Group) > 0 || aggregated(s)
	}
	return reads, narrows
}

func (c *condition) scanSources(list []*syntax.Source) (reads, narrows bool) {
	for _, s := range list {
		r, n := c.scanSources(s.List)
		if s.Query != nil {
			r, n = c.scan(s.Query)
		}
		reads = reads || r || c.again(s)
		narrows = narrows || n || joinNarrows(s)
	}
	return reads, narrows
}

// joinNarrows reports whether the item's join could leave rows out.
func joinNarrows(s *syntax.Source) bool {
	switch s.Join {
	case "", "cross ", "inner ":
		return len(s.Using) > 0 || s.On != nil && s.On.Op != syntax.NumberLiteral && !constantName(s.On)
	default:
		return true
	}
}

// constantName reports whether the expression is one of the names of a truth
// value.
func constantName(e *syntax.Expr) bool {
	return e.Op == syntax.Column && len(e.Names) == 1 && (e.Names[0] == "true" || e.Names[0] == "false")
}

// constant reports whether the condition is a constant, or a comparison of two:
// to see that it never holds, no more is looked into.
func constant(e *syntax.Expr) bool {
	switch {
	case e == nil:
		return false
	case e.Op == syntax.Binary:
		return isLiteral(e.Args[0]) && isLiteral(e.Args[1])
	default:
		return isLiteral(e) || constantName(e)
	}
}

func isLiteral(e *syntax.Expr) bool {
	return e.Op == syntax.NullLiteral || e.Op == syntax.NumberLiteral || e.Op == syntax.TextLiteral
}
