// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

import "github.com/toolverdict/toolverdict/effect/sql/internal/sqlite/internal/syntax"
import "github.com/toolverdict/toolverdict/effect/sql/internal/fact"

// define reads statements that change the schema.
func (p *reader) define(w *walker) bool {
	switch {
	case p.Accept("create"):
		w.part.Verb = "create"
		p.create(w)
	case p.Accept("drop"):
		w.part.Verb, w.part.Unbounded = "drop", true
		p.drop(w)
	case p.Accept("alter"):
		w.part.Verb, w.part.Unbounded = "alter", true
		p.alter(w)
	default:
		return false
	}
	return true
}

func (w *walker) changed(t syntax.Table) { w.part.Changes.Add(fact.Name(t.Schema, t.Name)) }

func (p *reader) create(w *walker) {
	temporary := p.AcceptAny("temp", "temporary") != ""
	switch {
	case p.Accept("table"):
		w.changed(p.newName(temporary))
		p.newTable(w)
	case p.Accept("view"):
		w.changed(p.newName(temporary))
		if p.Symbol("(") {
			w.part.Columns.Add(p.Eidlist()...)
		}
		p.Expect("as")
		w.query(p.Query())
	case p.Accept("trigger"):
		p.newName(temporary)
		p.trigger(w)
	case temporary:
		p.Fail(syntax.NotSQLite)
	case p.Accept("virtual"):
		p.Expect("table")
		w.changed(p.newName(false))
		p.module(w)
	case p.Accept("unique", "index"), p.Accept("index"):
		t := p.newName(false)
		p.Expect("on")
		w.changed(syntax.Table{Schema: t.Schema, Name: p.Name()})
		p.ExpectSymbol("(")
		w.exprs(p.Sorting())
		p.ExpectSymbol(")")
		if p.Accept("where") {
			w.expr(p.Expr())
		}
	default:
		p.Fail(syntax.NotSQLite)
	}
}

// newName reads the name of what is created.
func (p *reader) newName(temporary bool) syntax.Table {
	p.Accept("if", "not", "exists")
	t := p.Table()
	if temporary && t.Schema == "" {
		t.Schema = "temp"
	}
	return t
}

func (p *reader) newTable(w *walker) {
	if p.Accept("as") {
		w.query(p.Query())
		return
	}
	p.ExpectSymbol("(")
	for p.Why == "" {
		if p.constraintNext() {
			p.tableConstraints(w)
			break
		}
		w.part.Columns.Add(p.Name())
		p.columnDefinition(w)
		if !p.AcceptSymbol(",") {
			break
		}
	}
	p.ExpectSymbol(")")
	for syntax.Named(p.Peek()) {
		if p.Accept("without") {
			p.Name()
		} else {
			p.Name() // STRICT
		}
		if !p.AcceptSymbol(",") {
			break
		}
	}
}

func (p *reader) constraintNext() bool {
	return p.Keyword("constraint") || p.Keyword("primary") || p.Keyword("unique") || p.Keyword("check") || p.Keyword("foreign")
}

func (p *reader) columnDefinition(w *walker) {
	p.TypeName()
	for p.Why == "" && p.columnConstraint(w) {
		continue
	}
}

// columnConstraint reads one, where there is one.
func (p *reader) columnConstraint(w *walker) bool {
	switch {
	case p.Accept("constraint"):
		p.Name()
	case p.Accept("default"):
		p.defaultValue(w)
	case p.Accept("null"), p.Accept("not", "null"), p.Accept("unique"):
		p.onConflict()
	case p.Accept("primary", "key"):
		p.AcceptAny("asc", "desc")
		p.onConflict()
		p.Accept("autoincrement")
	case p.Accept("check"):
		p.inBrackets(w)
		p.onConflict()
	case p.Accept("references"):
		p.references(w)
	case p.Keyword("deferrable"), p.Keyword("not", "deferrable"):
		p.deferrable()
	case p.Accept("collate"):
		p.Name()
	case p.Accept("generated", "always", "as"), p.Accept("as"):
		p.inBrackets(w)
		if t := p.Peek(); t.Kind == syntax.Word && (t.Text == "stored" || t.Text == "virtual") {
			p.Next()
		}
	default:
		return false
	}
	return true
}

func (p *reader) inBrackets(w *walker) {
	p.ExpectSymbol("(")
	w.expr(p.Expr())
	p.ExpectSymbol(")")
}

func (p *reader) defaultValue(w *walker) {
	switch {
	case p.Symbol("("):
		p.inBrackets(w)
	case p.Symbol("-"), p.Symbol("+"):
		p.Next()
		p.Primary()
	default:
		w.expr(p.Primary())
	}
}

func (p *reader) onConflict() {
	if p.Accept("on", "conflict") && p.AcceptAny("rollback", "abort", "fail", "ignore", "replace") == "" {
		p.Fail(syntax.NotSQLite)
	}
}

func (p *reader) references(w *walker) {
	w.part.Reads.Add(p.Name())
	if p.Symbol("(") {
		w.part.Columns.Add(p.Eidlist()...)
	}
	for p.Why == "" {
		switch {
		case p.Accept("match"):
			p.Name()
		case p.Keyword("on", "delete"), p.Keyword("on", "update"), p.Keyword("on", "insert"):
			p.Next()
			p.Next()
			switch {
			case p.Accept("set", "null"), p.Accept("set", "default"), p.Accept("cascade"), p.Accept("restrict"), p.Accept("no", "action"):
			default:
				p.Fail(syntax.NotSQLite)
			}
		default:
			p.deferrable()
			return
		}
	}
}

func (p *reader) deferrable() {
	if !p.Accept("deferrable") && !p.Accept("not", "deferrable") {
		return
	}
	if p.Accept("initially") && p.AcceptAny("deferred", "immediate") == "" {
		p.Fail(syntax.NotSQLite)
	}
}

// tableConstraints reads what stands behind the columns.
func (p *reader) tableConstraints(w *walker) {
	for p.Why == "" {
		switch {
		case p.Accept("constraint"):
			p.Name()
			continue
		case p.Accept("primary", "key"):
			p.keyColumns(w)
		case p.Accept("unique"):
			p.keyColumns(w)
		case p.Accept("check"):
			p.inBrackets(w)
			p.onConflict()
		case p.Accept("foreign", "key"):
			w.part.Columns.Add(p.Eidlist()...)
			p.Expect("references")
			p.references(w)
		default:
			p.Fail(syntax.NotSQLite)
		}
		p.AcceptSymbol(",")
		if p.Symbol(")") {
			return
		}
	}
}

func (p *reader) keyColumns(w *walker) {
	p.ExpectSymbol("(")
	w.exprs(p.Sorting())
	p.Accept("autoincrement")
	p.ExpectSymbol(")")
	p.onConflict()
}

// module reads the rest of CREATE VIRTUAL TABLE. What its arguments mean is for
// the module to say.
func (p *reader) module(w *walker) {
	p.Expect("using")
	module := p.Name()
	if p.AcceptSymbol("(") {
		for depth := 1; depth > 0 && p.Why == ""; {
			switch t := p.Next(); {
			case t.Kind == syntax.End:
				p.Fail(syntax.NotSQLite)
			case t.Kind == syntax.Symbol && t.Text == "(":
				depth++
			case t.Kind == syntax.Symbol && t.Text == ")":
				depth--
			}
		}
	}
	switch module {
	case "fts3", "fts4", "fts5", "rtree", "rtree_i32", "geopoly":
	default:
		w.part.Functions.Add(module)
		w.part.Unclear("the module of a virtual table may read and write what it is told")
	}
}

// trigger reads the rest of CREATE TRIGGER. What other statements will make it
// do is told as if it were done.
func (p *reader) trigger(w *walker) {
	if p.AcceptAny("before", "after") == "" {
		p.Accept("instead", "of")
	}
	switch p.AcceptAny("delete", "insert", "update") {
	case "":
		p.Fail(syntax.NotSQLite)
	case "update":
		if p.Accept("of") {
			w.part.Columns.Add(p.Name())
			for p.AcceptSymbol(",") {
				w.part.Columns.Add(p.Name())
			}
		}
	}
	p.Expect("on")
	w.changed(p.Table())
	p.Accept("for", "each", "row")
	if p.Accept("when") {
		w.expr(p.Expr())
	}
	p.Expect("begin")
	for p.Why == "" && !p.Accept("end") {
		inner := walker{depth: w.depth}
		p.command(&inner)
		p.ExpectSymbol(";")
		w.part.Merge(&inner.part)
		w.nested = append(w.nested, inner.nested...)
	}
}

func (p *reader) drop(w *walker) {
	kind := p.AcceptAny("table", "view", "index", "trigger")
	if kind == "" {
		p.Fail(syntax.NotSQLite)
	}
	p.Accept("if", "exists")
	t := p.Table()
	if kind != "trigger" {
		w.changed(t)
	}
}

func (p *reader) alter(w *walker) {
	p.Expect("table")
	t := p.Table()
	w.changed(t)
	switch {
	case p.Accept("rename", "to"):
		w.changed(syntax.Table{Schema: t.Schema, Name: p.Name()})
	case p.Accept("rename"):
		p.columnWordOptional()
		w.part.Columns.Add(p.Name())
		p.Expect("to")
		w.part.Columns.Add(p.Name())
	case p.Accept("add"):
		p.columnWordOptional()
		w.part.Columns.Add(p.Name())
		p.columnDefinition(w)
	case p.Accept("drop"):
		p.columnWordOptional()
		w.part.Columns.Add(p.Name())
	default:
		p.Fail(syntax.NotSQLite)
	}
}

// columnWordOptional takes the word COLUMN where a name follows it.
func (p *reader) columnWordOptional() {
	if p.Keyword("column") && syntax.Named(p.Ahead(1)) && !(p.Ahead(1).Kind == syntax.Word && p.Ahead(1).Text == "to" && syntax.Reserved("to")) {
		p.Next()
	}
}
