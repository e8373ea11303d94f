// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/sql/internal/fact"
)

// walker collects the facts of one statement.
type walker struct {
	part  fact.Statement
	scope *scope
}

// scope is the names that WITH gives to queries, innermost first.
type scope struct {
	name  string
	outer *scope
}

func (s *scope) has(name string) bool {
	for ; s != nil; s = s.outer {
		if s.name == name {
			return true
		}
	}
	return false
}

func (w *walker) effects(place int) []toolverdict.Effect { return w.part.Effects(place) }

// plan adds a statement that is explained, not run.
func (w *walker) plan(inner *walker) {
	w.part.Verb = "explain"
	w.part.Reads.Add(inner.part.Reads.List()...)
	w.part.Reads.Add(inner.part.Changes.List()...)
	w.part.Columns.Add(inner.part.Columns.List()...)
	w.part.Functions.Add(inner.part.Functions.List()...)
}

func (w *walker) exprs(list []*expr) {
	for _, e := range list {
		w.expr(e)
	}
}

func (w *walker) expr(e *expr) {
	if e == nil {
		return
	}
	switch e.op {
	case column:
		w.column(e)
	case call:
		w.call(e.names[0], e.args)
		w.exprs(e.over)
	case inTable:
		w.inTable(e)
	}
	w.exprs(e.args)
	w.query(e.query)
}

func (w *walker) column(e *expr) {
	last := e.names[len(e.names)-1]
	if len(e.names) == 1 && !e.quote && (last == "true" || last == "false") {
		return
	}
	w.part.Columns.Add(last)
}

func (w *walker) inTable(e *expr) {
	if e.text == "function" {
		w.tableFunction(e.table, e.args[1:])
		return
	}
	w.part.Columns.Add(fact.All)
	w.read(e.table)
}

func (w *walker) read(t table) {
	if t.schema == "" && w.scope.has(t.name) {
		return
	}
	w.part.Reads.Add(fact.Name(t.schema, t.name))
}

// query adds the facts of a SELECT.
func (w *walker) query(q *query) {
	if q == nil {
		return
	}
	outer := w.scope
	defer func() { w.scope = outer }()
	w.with(q)
	for _, c := range q.cores {
		w.core(c)
	}
	for _, e := range q.order {
		if !ownResult(q, e) {
			w.expr(e)
		}
	}
	w.expr(q.limit)
	w.expr(q.offset)
}

// ownResult reports whether an expression is the name of a result of the first
// part of the query.
func ownResult(q *query, e *expr) bool {
	if e.op != column || len(e.names) != 1 {
		return false
	}
	for _, r := range q.cores[0].results {
		if r.as == e.names[0] {
			return true
		}
	}
	return false
}

// with adds the queries of a WITH clause. SQLite lets each of them see all of
// them, those behind it and itself as well.
func (w *walker) with(q *query) {
	for _, c := range q.with {
		w.scope = &scope{c.name, w.scope}
	}
	for _, c := range q.with {
		w.query(c.query)
	}
}

func (w *walker) core(c *core) {
	for _, row := range c.values {
		w.exprs(row)
	}
	w.sources(c.from)
	w.results(c.results)
	w.expr(c.where)
	w.exprs(c.group)
	w.expr(c.having)
	w.exprs(c.windows)
	w.wholeRows(c.from)
}

func (w *walker) results(list []result) {
	for _, r := range list {
		if r.value == nil {
			w.part.Columns.Add(fact.All)
		}
		w.expr(r.value)
	}
}

// wholeRows adds all columns where a name is that of a table of the list: the
// hidden column of some modules, which holds a whole row, has it.
func (w *walker) wholeRows(list []*source) {
	for _, s := range list {
		if w.part.Columns.Has(s.table.name) {
			w.part.Columns.Add(fact.All)
		}
	}
}

func (w *walker) sources(list []*source) {
	for _, s := range list {
		switch {
		case s.query != nil:
			w.query(s.query)
		case s.list != nil:
			w.sources(s.list)
		case s.function:
			w.tableFunction(s.table, s.args)
			w.exprs(s.args)
		default:
			w.read(s.table)
		}
		w.expr(s.on)
		w.part.Columns.Add(s.using...)
		if strings.Contains(s.join, "natural") {
			w.part.Columns.Add(fact.All)
		}
	}
}

// tableFunction adds a function that gives rows.
func (w *walker) tableFunction(t table, args []*expr) {
	if pragma, ok := strings.CutPrefix(t.name, "pragma_"); ok && tellsAbout(pragma) != nothing {
		if tellsAbout(pragma) == aTable {
			w.part.Reads.Add(namedBy(args))
		}
		return
	}
	w.call(t.name, args)
}

// namedBy is the table that the first argument names.
func namedBy(args []*expr) string {
	if len(args) > 0 {
		if s, ok := args[0].literal(); ok {
			return fact.Name(lower(s))
		}
	}
	return fact.All
}

// call adds a function and what it does besides computing a value.
func (w *walker) call(name string, args []*expr) {
	if harmless(name) {
		return
	}
	w.part.Functions.Add(name)
	first, known := "", false
	if len(args) > 0 {
		first, known = args[0].literal()
	}
	switch name {
	case "load_extension":
		w.part.Library(first)
	case "readfile", "csv", "zipfile", "sqlar_uncompress":
		w.part.ReadFile(first)
	case "writefile":
		w.part.WriteFile(first)
	case "fsdir", "lsdir":
		w.part.ListFiles(first)
	case "edit":
		w.part.Shell("\x00")
	case "eval":
		if known {
			w.eval(first)
			return
		}
		w.part.Unclear("a function runs SQL that is not known before it runs")
	}
}

// eval adds what a text of SQL would do that a function runs.
func (w *walker) eval(source string) {
	for _, e := range Analyse(source) {
		if e.Query != nil {
			e.Query.Statement = 0
		}
		w.part.Other(e)
	}
}
