// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"slices"

	"github.com/toolverdict/toolverdict/effect/sql/internal/sqlite/internal/syntax"
	"github.com/toolverdict/toolverdict/effect/sql/internal/truth"
)

// value is the value of a query.
func (c *condition) value(e *syntax.Expr) *truth.Expr {
	s := simple(e.Query)
	if s != nil && len(s.Results) == 1 && aggregated(s) {
		return c.aggregate(s, c.once(e))
	}
	if s != nil && len(s.From) == 0 && s.Where == nil && len(s.Results) == 1 && s.Results[0].Value != nil && !aggregated(s) {
		return c.expr(s.Results[0].Value)
	}
	return c.once(e)
}

// simple is the query's only part, where the query has a row for each row of
// its FROM list that its WHERE lets through; else nil.
func simple(q *syntax.Query) *syntax.Core {
	if len(q.Cores) != 1 || len(q.With) > 0 || q.Offset != nil || q.Limit != nil && count(q.Limit) == 0 {
		return nil
	}
	if s := q.Cores[0]; len(s.Values) == 0 && s.Having == nil {
		return s
	}
	return nil
}

// exists is whether the query has a row, or, with a test, one whose value is
// that of the test.
func (c *condition) exists(e *syntax.Expr, q *syntax.Query, test *syntax.Expr) *truth.Expr {
	unclear := c.once(e)
	s := simple(q)
	switch {
	case isZero(q.Limit), s != nil && constant(s.Where) && len(s.From) > 0 && !aggregated(s) && truth.Never(c.expr(s.Where), rules()):
		return truth.False()
	case s == nil:
		if test == nil && len(q.Cores) == 1 && len(q.Cores[0].Values) > 0 && q.Limit == nil {
			return truth.True()
		}
		return c.blanket(q, unclear)
	case aggregated(s):
		if test == nil && len(s.Group) == 0 {
			return truth.True()
		}
		return unclear
	case len(s.Group) > 0:
		return unclear
	case len(s.From) == 0:
		return c.row(s, test, unclear)
	}
	if len(s.From) > 1 || !c.again(s.From[0]) {
		return c.blanket(q, unclear)
	}
	// The table again: the row itself may be the one that exists.
	inner := c.inside(s.From[0])
	itself := inner.row(s, test, unclear)
	return truth.Make(truth.Or, itself, unclear)
}

// withRow is a comparison with the value of a query that finds a row of the table
// by something of the row: it may be the row itself. Nil where it is no such
// comparison.
func (c *condition) withRow(op truth.Op, left, right *syntax.Expr) *truth.Expr {
	if op < truth.Equal || op > truth.AtLeast {
		return nil
	}
	// No row is less than the least of all, or more than the most.
	if low, high := truth.End(op); low != "" {
		if v := c.bound(right, low); v != nil {
			return truth.Make(truth.Or, truth.Make(op, c.expr(left), v), c.once(left))
		}
		if v := c.bound(left, high); v != nil {
			return truth.Make(truth.Or, truth.Make(op, v, c.expr(right)), c.once(right))
		}
	}
	if s := c.found(right); s != nil {
		return c.itself(s, func(in *condition, v *syntax.Expr) *truth.Expr { return truth.Make(op, c.expr(left), in.expr(v)) },
			truth.Make(op, c.expr(left), c.once(right)))
	}
	if s := c.found(left); s != nil {
		return c.itself(s, func(in *condition, v *syntax.Expr) *truth.Expr { return truth.Make(op, in.expr(v), c.expr(right)) },
			truth.Make(op, c.once(left), c.expr(right)))
	}
	return nil
}

// found is the query where it is one for a value that finds a row of the table
// by something of the row.
func (c *condition) found(e *syntax.Expr) *syntax.Core {
	if e.Op != syntax.Subquery {
		return nil
	}
	s := simple(e.Query)
	if s == nil || len(s.From) != 1 || !c.again(s.From[0]) || len(s.Group) > 0 || aggregated(s) ||
		len(s.Results) != 1 || s.Results[0].Value == nil || !c.mentionsQuery(e.Query) {
		return nil
	}
	return s
}

// itself is a condition with the value of a query that may have found the row
// itself, or another.
func (c *condition) itself(s *syntax.Core, with func(*condition, *syntax.Expr) *truth.Expr, another *truth.Expr) *truth.Expr {
	inner := c.inside(s.From[0])
	e := with(inner, s.Results[0].Value)
	if s.Where != nil {
		e = truth.Make(truth.And, inner.expr(s.Where), e)
	}
	return truth.Make(truth.Or, e, another)
}

// inside is the condition in a query of the table, for the row itself.
func (c *condition) inside(s *syntax.Source) *condition {
	inner := *c
	inner.inner = append(slices.Clone(c.inner), s.KnownAs())
	inner.same = append(slices.Clone(c.same), s.KnownAs())
	return &inner
}

// isZero reports whether a LIMIT lets no row through.
func isZero(limit *syntax.Expr) bool {
	return limit != nil && limit.Op == syntax.NumberLiteral && limit.Text == "0"
}

// row is whether one row of the query passes its WHERE and the test.
func (c *condition) row(s *syntax.Core, test *syntax.Expr, unclear *truth.Expr) *truth.Expr {
	e := truth.True()
	if s.Where != nil {
		e = c.expr(s.Where)
	}
	if test == nil {
		return e
	}
	if len(s.Results) != 1 || s.Results[0].Value == nil {
		return unclear
	}
	return truth.Make(truth.And, e, truth.Make(truth.Equal, c.expr(test), c.expr(s.Results[0].Value)))
}

// again reports whether the item is the table whose rows are changed.
func (c *condition) again(s *syntax.Source) bool {
	return c.target != nil && !s.Function && s.Query == nil && s.List == nil && s.Table.Name == c.target.Table.Name &&
		(s.Table.Schema == "" || c.target.Table.Schema == "" || s.Table.Schema == c.target.Table.Schema)
}

// aggregated reports whether the query makes one row of all.
func aggregated(s *syntax.Core) bool {
	return slices.ContainsFunc(s.Results, func(r syntax.Result) bool {
		return r.Value != nil && r.Value.Op == syntax.Call && r.Value.Text != "over" && aggregate(r.Value.Names[0], len(r.Value.Args))
	})
}

// mentions reports whether the expression names a column of the row.
func (c *condition) mentions(e *syntax.Expr) bool {
	if e == nil || !c.work.Spend() {
		return false
	}
	switch e.Op {
	case syntax.Column:
		return c.column(e).Own
	case syntax.Binary:
		if c.outerColumn(e) {
			return true
		}
	default:
	}
	return slices.ContainsFunc(e.Args, c.mentions) || slices.ContainsFunc(e.Over, c.mentions) || e.Query != nil && c.mentionsQuery(e.Query)
}

func (c *condition) mentionsQuery(q *syntax.Query) bool {
	for _, s := range q.Cores {
		inner := *c
		inner.inner = slices.Clone(c.inner)
		for _, from := range s.From {
			inner.inner = append(inner.inner, from.KnownAs())
		}
		if inner.mentionsCore(s) {
			return true
		}
	}
	return false
}

func (c *condition) mentionsCore(s *syntax.Core) bool {
	for _, r := range s.Results {
		if c.mentions(r.Value) {
			return true
		}
	}
	for _, from := range s.From {
		if c.mentions(from.On) || slices.ContainsFunc(from.Args, c.mentions) || from.Query != nil && c.mentionsQuery(from.Query) {
			return true
		}
	}
	for _, row := range s.Values {
		if slices.ContainsFunc(row, c.mentions) {
			return true
		}
	}
	return c.mentions(s.Where) || slices.ContainsFunc(s.Group, c.mentions) || c.mentions(s.Having)
}

// outerColumn reports whether an equality joins a query inside to a column that
// is most likely the changed row's: users.id = user_id.
func (c *condition) outerColumn(e *syntax.Expr) bool {
	if e.Text != "=" || e.Args[0].Op != syntax.Column || e.Args[1].Op != syntax.Column || len(c.inner) == len(c.same) {
		return false
	}
	a, b := e.Args[0].Names, e.Args[1].Names
	if len(a) == 1 {
		a, b = b, a
	}
	return len(a) == 2 && len(b) == 1 && slices.Contains(c.inner, a[0]) && a[1] != b[0]
}
