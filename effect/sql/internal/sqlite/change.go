// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"github.com/toolverdict/toolverdict/effect/sql/internal/fact"
	"github.com/toolverdict/toolverdict/effect/sql/internal/truth"
)

// change reads a statement that changes rows; q holds its WITH clause.
func (p *parser) change(w *walker, q *query) {
	outer := w.scope
	w.with(q)
	switch {
	case p.accept("insert"):
		w.part.Verb = "insert"
		replaces := false
		if p.accept("or") {
			replaces = p.acceptAny("rollback", "abort", "replace", "fail", "ignore") == "replace"
		}
		p.insert(w, replaces)
	case p.accept("replace"):
		w.part.Verb = "replace"
		p.insert(w, true)
	case p.accept("update"):
		w.part.Verb = "update"
		p.update(w)
	case p.accept("delete"):
		w.part.Verb = "delete"
		p.delete(w)
	}
	w.scope = outer
}

// target reads the table whose rows are changed. It is never a query of WITH.
func (p *parser) target(w *walker) *source {
	s := &source{table: p.table()}
	if p.accept("as") {
		s.as = p.name()
	}
	w.changed(s.table)
	switch s.table.name {
	case "sqlite_master", "sqlite_schema", "sqlite_temp_master", "sqlite_temp_schema", "sqlite_dbpage":
		w.part.Changes.Add(fact.All) // the schema, or any table's pages
	}
	return s
}

func (p *parser) insert(w *walker, replaces bool) {
	p.expect("into")
	into := p.target(w)
	if p.symbol("(") {
		w.part.Columns.Add(p.names()...)
	} else {
		w.part.Columns.Add(fact.All)
	}
	if p.accept("default", "values") {
		p.returning(w, into)
		return
	}
	rows := p.query()
	w.query(rows)
	conditional := true // every update on a conflict has a condition that chooses
	for p.accept("on", "conflict") {
		conditional = p.upsert(w, into) && conditional
	}
	p.returning(w, into)
	w.part.Unbounded = (replaces || !conditional) && !few(rows)
}

// few reports whether rows stand in the text, or come from a query with a
// condition.
func few(q *query) bool {
	for _, c := range q.cores {
		if len(c.from) == 0 {
			continue
		}
		every := condition{everyRow: true}
		if len(q.cores) > 1 || c.where == nil || !truth.Chooses(every.expr(c.where), rules()) {
			return false
		}
	}
	return true
}

// upsert reads what to do on a conflict, and reports whether it changes chosen
// rows only.
func (p *parser) upsert(w *walker, into *source) bool {
	if p.acceptSymbol("(") {
		w.exprs(p.sorting())
		p.expectSymbol(")")
		if p.accept("where") {
			w.expr(p.expr())
		}
	}
	p.expect("do")
	if p.accept("nothing") {
		return true
	}
	p.expect("update")
	p.assignments(w)
	if !p.accept("where") {
		return false
	}
	where := p.expr()
	w.expr(where)
	return chooses(into, nil, where)
}

// assignments reads SET and what follows.
func (p *parser) assignments(w *walker) {
	p.expect("set")
	for {
		if p.symbol("(") {
			w.part.Columns.Add(p.names()...)
		} else {
			w.part.Columns.Add(p.name())
		}
		p.expectSymbol("=")
		w.expr(p.expr())
		if !p.acceptSymbol(",") {
			return
		}
	}
}

func (p *parser) update(w *walker) {
	if p.accept("or") && p.acceptAny("rollback", "abort", "replace", "fail", "ignore") == "" {
		p.fail(notSQLite)
	}
	into := p.target(w)
	p.indexed()
	p.assignments(w)
	var from []*source
	if p.accept("from") {
		from = p.sources()
		w.sources(from)
	}
	p.chosen(w, into, from)
}

func (p *parser) delete(w *walker) {
	p.expect("from")
	into := p.target(w)
	p.indexed()
	p.chosen(w, into, nil)
}

// chosen reads WHERE and what follows it.
func (p *parser) chosen(w *walker, into *source, from []*source) {
	var where *expr
	if p.accept("where") {
		where = p.expr()
		w.expr(where)
	}
	p.returning(w, into)
	if p.accept("order", "by") {
		w.exprs(p.sorting())
	}
	limit, offset := p.limits()
	w.expr(limit)
	w.expr(offset)
	w.part.Limit = count(limit)
	w.wholeRows(from)
	w.part.Unbounded = !chooses(into, from, where)
}

func (p *parser) returning(w *walker, into *source) {
	if !p.accept("returning") {
		return
	}
	w.results(p.results())
	w.part.Reads.Add(fact.Name(into.table.schema, into.table.name))
}

// chooses reports whether a condition, and those of inner joins beside it,
// choose rows of the table.
func chooses(into *source, from []*source, where *expr) bool {
	c := condition{target: into}
	var all []*truth.Expr
	for _, s := range from {
		if s.on != nil {
			all = append(all, c.expr(s.on))
		}
	}
	if where != nil {
		all = append(all, c.expr(where))
	}
	return len(all) > 0 && truth.Chooses(truth.Make(truth.And, all...), rules())
}
