// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/sql/internal/fact"
	"github.com/toolverdict/toolverdict/effect/sql/internal/sqlite/internal/syntax"
)

// walker collects the facts of one statement.
type walker struct {
	depth  int // of texts of SQL within texts of SQL
	part   fact.Statement
	scope  *scope
	nested []toolverdict.Effect // of texts of SQL within the statement
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

func (w *walker) effects(place int) []toolverdict.Effect {
	return append(w.part.Effects(place), fact.Within(place, w.nested)...)
}

// plan adds a statement that is explained, not run.
func (w *walker) plan(inner *walker) {
	w.part.Verb = "explain"
	w.part.Reads.Add(inner.part.Reads.List()...)
	w.part.Reads.Add(inner.part.Changes.List()...)
	w.part.Columns.Add(inner.part.Columns.List()...)
	w.part.Functions.Add(inner.part.Functions.List()...)
}

func (w *walker) exprs(list []*syntax.Expr) {
	for _, e := range list {
		w.expr(e)
	}
}

func (w *walker) expr(e *syntax.Expr) {
	if e == nil {
		return
	}
	switch e.Op {
	case syntax.Column:
		w.column(e)
	case syntax.Call:
		w.call(e.Names[0], e.Args)
		w.exprs(e.Over)
	case syntax.InTable:
		w.inTable(e)
	default:
	}
	w.exprs(e.Args)
	w.query(e.Query)
}

func (w *walker) column(e *syntax.Expr) {
	last := e.Names[len(e.Names)-1]
	if len(e.Names) == 1 && !e.Quote && (last == "true" || last == "false") {
		return
	}
	w.part.Columns.Add(last)
}

func (w *walker) inTable(e *syntax.Expr) {
	if e.Text == "function" {
		w.tableFunction(e.Table, e.Args[1:])
		return
	}
	w.part.Columns.Add(fact.All)
	w.read(e.Table)
}

func (w *walker) read(t syntax.Table) {
	if t.Schema == "" && w.scope.has(t.Name) {
		return
	}
	w.part.Reads.Add(fact.Name(t.Schema, t.Name))
	w.virtual(t.Name)
}

// virtual adds what reading a table does that is always there and is no table:
// some are functions whose arguments are columns (WHERE path = '/etc'), some show
// the pages or the content of the whole file.
func (w *walker) virtual(name string) {
	switch name {
	case "fsdir", "lsdir", "zipfile", "bytecode", "tables_used", "completion":
		w.call(name, nil)
	case "sqlite_dbpage", "sqlite_dbdata", "sqlite_dbptr":
		w.part.Reads.Add(fact.All)
		w.part.Columns.Add(fact.All)
	default:
		if strings.HasPrefix(name, "pragma_") {
			w.tableFunction(syntax.Table{Name: name}, nil)
		}
	}
}

// query adds the facts of a SELECT.
func (w *walker) query(q *syntax.Query) {
	if q == nil {
		return
	}
	outer := w.scope
	defer func() { w.scope = outer }()
	w.with(q)
	for _, c := range q.Cores {
		w.core(c)
	}
	for _, e := range q.Order {
		if !ownResult(q, e) {
			w.expr(e)
		}
	}
	w.expr(q.Limit)
	w.expr(q.Offset)
}

// ownResult reports whether an expression is the name of a result of the first
// part of the query.
func ownResult(q *syntax.Query, e *syntax.Expr) bool {
	if e.Op != syntax.Column || len(e.Names) != 1 {
		return false
	}
	for _, r := range q.Cores[0].Results {
		if r.As == e.Names[0] {
			return true
		}
	}
	return false
}

// with adds the queries of a WITH clause. SQLite lets each of them see all of
// them, those behind it and itself as well.
func (w *walker) with(q *syntax.Query) {
	for _, c := range q.With {
		w.scope = &scope{c.Name, w.scope}
	}
	for _, c := range q.With {
		w.query(c.Query)
	}
}

func (w *walker) core(c *syntax.Core) {
	for _, row := range c.Values {
		w.exprs(row)
	}
	w.sources(c.From)
	w.results(c.Results)
	w.expr(c.Where)
	w.exprs(c.Group)
	w.expr(c.Having)
	w.exprs(c.Windows)
	w.wholeRows(c.From)
}

func (w *walker) results(list []syntax.Result) {
	for _, r := range list {
		if r.Value == nil {
			w.part.Columns.Add(fact.All)
		}
		w.expr(r.Value)
	}
}

// wholeRows adds all columns where a name is that of a table of the list: the
// hidden column of some modules, which holds a whole row, has it.
func (w *walker) wholeRows(list []*syntax.Source) {
	for _, s := range list {
		if w.part.Columns.Has(s.Table.Name) {
			w.part.Columns.Add(fact.All)
		}
	}
}

func (w *walker) sources(list []*syntax.Source) {
	for _, s := range list {
		switch {
		case s.Query != nil:
			w.query(s.Query)
		case s.List != nil:
			w.sources(s.List)
		case s.Function:
			w.tableFunction(s.Table, s.Args)
			w.exprs(s.Args)
		default:
			w.read(s.Table)
		}
		w.expr(s.On)
		w.part.Columns.Add(s.Using...)
		if strings.Contains(s.Join, "natural") {
			w.part.Columns.Add(fact.All)
		}
	}
}

// tableFunction adds a function that gives rows.
func (w *walker) tableFunction(t syntax.Table, args []*syntax.Expr) {
	if pragma, ok := strings.CutPrefix(t.Name, "pragma_"); ok && tellsAbout(pragma) != nothing {
		if tellsAbout(pragma) == aTable {
			w.part.Reads.Add(namedBy(args))
		}
		return
	}
	if t.Name == "pragma_optimize" {
		w.part.Changes.Add(fact.All)
	}
	w.call(t.Name, args)
}

// namedBy is the table that the first argument names.
func namedBy(args []*syntax.Expr) string {
	if len(args) > 0 {
		if s, ok := args[0].Literal(); ok {
			return fact.Name(syntax.Lower(s))
		}
	}
	return fact.All
}

// call adds a function and what it does besides computing a value.
func (w *walker) call(name string, args []*syntax.Expr) {
	if harmless(name) {
		return
	}
	w.part.Functions.Add(name)
	first, known := "", false
	if len(args) > 0 {
		first, known = args[0].Literal()
	}
	switch name {
	case "load_extension":
		w.part.Library(first)
	case "readfile", "csv", "zipfile", "sqlar_uncompress":
		w.part.ReadFile(first)
	case "writefile":
		w.part.WriteFile(first)
	case "fsdir": // it has a column with what is in each file
		w.part.ReadFiles(first)
	case "lsdir":
		w.part.ListFiles(first)
	case "edit":
		w.part.Shell("\x00")
	case "eval":
		switch {
		case !known:
			w.part.Unclear("a function runs SQL that is not known before it runs")
		case w.depth >= maxTexts:
			w.part.Unclear("SQL in SQL in SQL is not analysed")
		default:
			w.eval(first)
		}
	}
}

// eval adds what a text of SQL would do that a function runs.
func (w *walker) eval(source string) { w.nested = append(w.nested, analyse(source, w.depth+1)...) }
