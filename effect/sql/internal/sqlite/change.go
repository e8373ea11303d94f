// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict/effect/sql/internal/fact"
	"github.com/toolverdict/toolverdict/effect/sql/internal/sqlite/internal/syntax"
	"github.com/toolverdict/toolverdict/effect/sql/internal/truth"
)

// change reads a statement that changes rows; q holds its WITH clause.
func (p *reader) change(w *walker, q *syntax.Query) {
	outer := w.scope
	w.with(q)
	switch {
	case p.Accept("insert"):
		w.part.Verb = "insert"
		replaces := false
		if p.Accept("or") {
			replaces = p.AcceptAny("rollback", "abort", "replace", "fail", "ignore") == "replace"
		}
		p.insert(w, replaces)
	case p.Accept("replace"):
		w.part.Verb = "replace"
		p.insert(w, true)
	case p.Accept("update"):
		w.part.Verb = "update"
		p.update(w)
	case p.Accept("delete"):
		w.part.Verb = "delete"
		p.delete(w)
	}
	w.scope = outer
}

// target reads the table whose rows are changed. It is never a query of WITH.
func (p *reader) target(w *walker) *syntax.Source {
	s := &syntax.Source{Table: p.Table()}
	if p.Accept("as") {
		s.As = p.Name()
	}
	w.changed(s.Table)
	switch s.Table.Name {
	case "sqlite_master", "sqlite_schema", "sqlite_temp_master", "sqlite_temp_schema", "sqlite_dbpage":
		w.part.Changes.Add(fact.All) // the schema, or any table's pages
	}
	return s
}

func (p *reader) insert(w *walker, replaces bool) {
	p.Expect("into")
	into := p.target(w)
	if p.Symbol("(") {
		w.part.Columns.Add(p.Names()...)
	} else {
		w.part.Columns.Add(fact.All)
	}
	if p.Accept("default", "values") {
		p.returning(w, into)
		return
	}
	rows := p.Query()
	w.query(rows)
	conditional := true // every update on a conflict has a condition that chooses
	for p.Accept("on", "conflict") {
		conditional = p.upsert(w, into) && conditional
	}
	p.returning(w, into)
	w.part.Unbounded = (replaces || !conditional) && !few(rows)
}

// few reports whether rows stand in the text, or come from a query with a
// condition.
func few(q *syntax.Query) bool {
	for _, c := range q.Cores {
		if len(c.From) == 0 {
			continue
		}
		every := condition{everyRow: true, work: truth.NewWork()}
		if len(q.Cores) > 1 || c.Where == nil || !every.chooses(every.expr(c.Where)) {
			return false
		}
	}
	return true
}

// upsert reads what to do on a conflict, and reports whether it changes chosen
// rows only.
func (p *reader) upsert(w *walker, into *syntax.Source) bool {
	if p.AcceptSymbol("(") {
		w.exprs(p.Sorting())
		p.ExpectSymbol(")")
		if p.Accept("where") {
			w.expr(p.Expr())
		}
	}
	p.Expect("do")
	if p.Accept("nothing") {
		return true
	}
	p.Expect("update")
	p.assignments(w)
	if !p.Accept("where") {
		return false
	}
	where := p.Expr()
	w.expr(where)
	return conflicting(into, where)
}

// assignments reads SET and what follows.
func (p *reader) assignments(w *walker) {
	p.Expect("set")
	for {
		if p.Symbol("(") {
			w.part.Columns.Add(p.Names()...)
		} else {
			w.part.Columns.Add(p.Name())
		}
		p.ExpectSymbol("=")
		w.expr(p.Expr())
		if !p.AcceptSymbol(",") {
			return
		}
	}
}

func (p *reader) update(w *walker) {
	if p.Accept("or") && p.AcceptAny("rollback", "abort", "replace", "fail", "ignore") == "" {
		p.Fail(syntax.NotSQLite)
	}
	into := p.target(w)
	p.Indexed()
	p.assignments(w)
	var from []*syntax.Source
	if p.Accept("from") {
		from = p.Sources()
		w.sources(from)
	}
	p.chosen(w, into, from)
}

func (p *reader) delete(w *walker) {
	p.Expect("from")
	into := p.target(w)
	p.Indexed()
	p.chosen(w, into, nil)
}

// chosen reads WHERE and what follows it.
func (p *reader) chosen(w *walker, into *syntax.Source, from []*syntax.Source) {
	var where *syntax.Expr
	if p.Accept("where") {
		where = p.Expr()
		w.expr(where)
	}
	p.returning(w, into)
	if p.Accept("order", "by") {
		w.exprs(p.Sorting())
	}
	limit, offset := p.Limits()
	w.expr(limit)
	w.expr(offset)
	w.part.Limit = count(limit)
	w.wholeRows(from)
	w.part.Unbounded = !chooses(into, from, where)
}

func (p *reader) returning(w *walker, into *syntax.Source) {
	if !p.Accept("returning") {
		return
	}
	w.results(p.Results())
	w.part.Reads.Add(fact.Name(into.Table.Schema, into.Table.Name))
}

// chooses reports whether a condition, and those of inner joins beside it,
// choose rows of the table. A row of the list that is of the table again may be
// the row itself.
func chooses(into *syntax.Source, from []*syntax.Source, where *syntax.Expr) bool {
	c := condition{target: into, work: truth.NewWork()}
	c.twins = c.namesOf(from)
	var all []*truth.Expr
	if !slices.ContainsFunc(from, outer) {
		for _, s := range from {
			if s.On != nil {
				all = append(all, c.expr(s.On))
			}
		}
	}
	if where != nil {
		all = append(all, c.expr(where))
	}
	return len(all) > 0 && c.chooses(truth.Make(truth.And, all...))
}

// outer reports whether the item's join keeps rows that its condition does not
// hold for.
func outer(s *syntax.Source) bool {
	return slices.ContainsFunc(strings.Fields(s.Join), func(word string) bool {
		return word == "left" || word == "right" || word == "full"
	})
}

// conflicting is chooses for a row that another one has met, which has the values
// of its key.
func conflicting(into *syntax.Source, where *syntax.Expr) bool {
	c := condition{target: into, twins: []string{"excluded"}, work: truth.NewWork()}
	return c.chooses(c.expr(where))
}

// namesOf are the names that the table has again in a list.
func (c *condition) namesOf(from []*syntax.Source) []string {
	var names []string
	for _, s := range from {
		again := c.again(s)
		if s.Query != nil { // a query of all of its rows
			reads, narrows := c.scan(s.Query)
			again = reads && !narrows
		}
		if again {
			names = append(names, s.KnownAs())
		}
		names = append(names, c.namesOf(s.List)...)
	}
	return names
}

// chooses reports whether the condition that was translated chooses rows.
func (c *condition) chooses(e *truth.Expr) bool { return !c.work.Spent() && truth.Chooses(e, rules()) }
