// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"slices"

	"github.com/toolverdict/toolverdict/effect/sql/internal/truth"
)

// value is the value of a query.
func (c *condition) value(e *expr) *truth.Expr {
	s := simple(e.query)
	if s != nil && len(s.from) == 0 && s.where == nil && len(s.results) == 1 && s.results[0].value != nil && !aggregated(s) {
		return c.expr(s.results[0].value)
	}
	return c.once(e)
}

// simple is the query's only part, where the query has a row for each row of
// its FROM list that its WHERE lets through; else nil.
func simple(q *query) *core {
	if len(q.cores) != 1 || len(q.with) > 0 || q.offset != nil || q.limit != nil && count(q.limit) == 0 {
		return nil
	}
	if s := q.cores[0]; len(s.values) == 0 && s.having == nil {
		return s
	}
	return nil
}

// exists is whether the query has a row, or, with a test, one whose value is
// that of the test.
func (c *condition) exists(e *expr, q *query, test *expr) *truth.Expr {
	unclear := c.once(e)
	s := simple(q)
	switch {
	case s == nil:
		if test == nil && len(q.cores) == 1 && len(q.cores[0].values) > 0 && q.limit == nil {
			return truth.True()
		}
		return unclear
	case aggregated(s):
		if test == nil && len(s.group) == 0 {
			return truth.True()
		}
		return unclear
	case len(s.group) > 0:
		return unclear
	case len(s.from) == 0:
		return c.row(s, test, unclear)
	}
	if len(s.from) > 1 || !c.again(s.from[0]) {
		return unclear
	}
	// The table again: the row itself may be the one that exists.
	inner := *c
	inner.inner = append(slices.Clone(c.inner), s.from[0].knownAs())
	inner.same = append(slices.Clone(c.same), s.from[0].knownAs())
	itself := inner.row(s, test, unclear)
	c.count = inner.count
	return truth.Make(truth.Or, itself, unclear)
}

// row is whether one row of the query passes its WHERE and the test.
func (c *condition) row(s *core, test *expr, unclear *truth.Expr) *truth.Expr {
	e := truth.True()
	if s.where != nil {
		e = c.expr(s.where)
	}
	if test == nil {
		return e
	}
	if len(s.results) != 1 || s.results[0].value == nil {
		return unclear
	}
	return truth.Make(truth.And, e, truth.Make(truth.Equal, c.expr(test), c.expr(s.results[0].value)))
}

// again reports whether the item is the table whose rows are changed.
func (c *condition) again(s *source) bool {
	return c.target != nil && !s.function && s.query == nil && s.list == nil && s.table.name == c.target.table.name &&
		(s.table.schema == "" || c.target.table.schema == "" || s.table.schema == c.target.table.schema)
}

// aggregated reports whether the query makes one row of all.
func aggregated(s *core) bool {
	return slices.ContainsFunc(s.results, func(r result) bool {
		return r.value != nil && r.value.op == call && r.value.text != "over" && aggregate(r.value.names[0], len(r.value.args))
	})
}

// mentions reports whether the expression names a column of the row.
func (c *condition) mentions(e *expr) bool {
	if e == nil {
		return false
	}
	switch e.op {
	case column:
		return c.column(e).Own
	case binary:
		if c.outerColumn(e) {
			return true
		}
	}
	return slices.ContainsFunc(e.args, c.mentions) || slices.ContainsFunc(e.over, c.mentions) || e.query != nil && c.mentionsQuery(e.query)
}

func (c *condition) mentionsQuery(q *query) bool {
	for _, s := range q.cores {
		inner := *c
		inner.inner = slices.Clone(c.inner)
		for _, from := range s.from {
			inner.inner = append(inner.inner, from.knownAs())
		}
		if inner.mentionsCore(s) {
			return true
		}
	}
	return false
}

func (c *condition) mentionsCore(s *core) bool {
	for _, r := range s.results {
		if c.mentions(r.value) {
			return true
		}
	}
	for _, from := range s.from {
		if c.mentions(from.on) || slices.ContainsFunc(from.args, c.mentions) || from.query != nil && c.mentionsQuery(from.query) {
			return true
		}
	}
	for _, row := range s.values {
		if slices.ContainsFunc(row, c.mentions) {
			return true
		}
	}
	return c.mentions(s.where) || slices.ContainsFunc(s.group, c.mentions) || c.mentions(s.having)
}

// outerColumn reports whether an equality joins a query inside to a column that
// is most likely the changed row's: users.id = user_id.
func (c *condition) outerColumn(e *expr) bool {
	if e.text != "=" || e.args[0].op != column || e.args[1].op != column || len(c.inner) == len(c.same) {
		return false
	}
	a, b := e.args[0].names, e.args[1].names
	if len(a) == 1 {
		a, b = b, a
	}
	return len(a) == 2 && len(b) == 1 && slices.Contains(c.inner, a[0]) && a[1] != b[0]
}
