// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

import "github.com/toolverdict/toolverdict/effect/sql/internal/fact"

// define reads statements that change the schema.
func (p *parser) define(w *walker) bool {
	switch {
	case p.accept("create"):
		w.part.Verb = "create"
		p.create(w)
	case p.accept("drop"):
		w.part.Verb, w.part.Unbounded = "drop", true
		p.drop(w)
	case p.accept("alter"):
		w.part.Verb, w.part.Unbounded = "alter", true
		p.alter(w)
	default:
		return false
	}
	return true
}

func (w *walker) changed(t table) { w.part.Changes.Add(fact.Name(t.schema, t.name)) }

func (p *parser) create(w *walker) {
	temporary := p.acceptAny("temp", "temporary") != ""
	switch {
	case p.accept("table"):
		w.changed(p.newName(temporary))
		p.newTable(w)
	case p.accept("view"):
		w.changed(p.newName(temporary))
		if p.symbol("(") {
			w.part.Columns.Add(p.eidlist()...)
		}
		p.expect("as")
		w.query(p.query())
	case p.accept("trigger"):
		p.newName(temporary)
		p.trigger(w)
	case temporary:
		p.fail(notSQLite)
	case p.accept("virtual"):
		p.expect("table")
		w.changed(p.newName(false))
		p.module(w)
	case p.accept("unique", "index"), p.accept("index"):
		t := p.newName(false)
		p.expect("on")
		w.changed(table{schema: t.schema, name: p.name()})
		p.expectSymbol("(")
		w.exprs(p.sorting())
		p.expectSymbol(")")
		if p.accept("where") {
			w.expr(p.expr())
		}
	default:
		p.fail(notSQLite)
	}
}

// newName reads the name of what is created.
func (p *parser) newName(temporary bool) table {
	p.accept("if", "not", "exists")
	t := p.table()
	if temporary && t.schema == "" {
		t.schema = "temp"
	}
	return t
}

func (p *parser) newTable(w *walker) {
	if p.accept("as") {
		w.query(p.query())
		return
	}
	p.expectSymbol("(")
	for p.why == "" {
		if p.constraintNext() {
			p.tableConstraints(w)
			break
		}
		w.part.Columns.Add(p.name())
		p.columnDefinition(w)
		if !p.acceptSymbol(",") {
			break
		}
	}
	p.expectSymbol(")")
	for named(p.peek()) {
		if p.accept("without") {
			p.name()
		} else {
			p.name() // STRICT
		}
		if !p.acceptSymbol(",") {
			break
		}
	}
}

func (p *parser) constraintNext() bool {
	return p.keyword("constraint") || p.keyword("primary") || p.keyword("unique") || p.keyword("check") || p.keyword("foreign")
}

func (p *parser) columnDefinition(w *walker) {
	p.typeName()
	for p.why == "" && p.columnConstraint(w) {
		continue
	}
}

// columnConstraint reads one, where there is one.
func (p *parser) columnConstraint(w *walker) bool {
	switch {
	case p.accept("constraint"):
		p.name()
	case p.accept("default"):
		p.defaultValue(w)
	case p.accept("null"), p.accept("not", "null"), p.accept("unique"):
		p.onConflict()
	case p.accept("primary", "key"):
		p.acceptAny("asc", "desc")
		p.onConflict()
		p.accept("autoincrement")
	case p.accept("check"):
		p.inBrackets(w)
		p.onConflict()
	case p.accept("references"):
		p.references(w)
	case p.keyword("deferrable"), p.keyword("not", "deferrable"):
		p.deferrable()
	case p.accept("collate"):
		p.name()
	case p.accept("generated", "always", "as"), p.accept("as"):
		p.inBrackets(w)
		if t := p.peek(); t.kind == word && (t.text == "stored" || t.text == "virtual") {
			p.next()
		}
	default:
		return false
	}
	return true
}

func (p *parser) inBrackets(w *walker) {
	p.expectSymbol("(")
	w.expr(p.expr())
	p.expectSymbol(")")
}

func (p *parser) defaultValue(w *walker) {
	switch {
	case p.symbol("("):
		p.inBrackets(w)
	case p.symbol("-"), p.symbol("+"):
		p.next()
		p.primary()
	default:
		w.expr(p.primary())
	}
}

func (p *parser) onConflict() {
	if p.accept("on", "conflict") && p.acceptAny("rollback", "abort", "fail", "ignore", "replace") == "" {
		p.fail(notSQLite)
	}
}

func (p *parser) references(w *walker) {
	w.part.Reads.Add(p.name())
	if p.symbol("(") {
		w.part.Columns.Add(p.eidlist()...)
	}
	for p.why == "" {
		switch {
		case p.accept("match"):
			p.name()
		case p.keyword("on", "delete"), p.keyword("on", "update"), p.keyword("on", "insert"):
			p.next()
			p.next()
			switch {
			case p.accept("set", "null"), p.accept("set", "default"), p.accept("cascade"), p.accept("restrict"), p.accept("no", "action"):
			default:
				p.fail(notSQLite)
			}
		default:
			p.deferrable()
			return
		}
	}
}

func (p *parser) deferrable() {
	if !p.accept("deferrable") && !p.accept("not", "deferrable") {
		return
	}
	if p.accept("initially") && p.acceptAny("deferred", "immediate") == "" {
		p.fail(notSQLite)
	}
}

// tableConstraints reads what stands behind the columns.
func (p *parser) tableConstraints(w *walker) {
	for p.why == "" {
		switch {
		case p.accept("constraint"):
			p.name()
			continue
		case p.accept("primary", "key"):
			p.keyColumns(w)
		case p.accept("unique"):
			p.keyColumns(w)
		case p.accept("check"):
			p.inBrackets(w)
			p.onConflict()
		case p.accept("foreign", "key"):
			w.part.Columns.Add(p.eidlist()...)
			p.expect("references")
			p.references(w)
		default:
			p.fail(notSQLite)
		}
		p.acceptSymbol(",")
		if p.symbol(")") {
			return
		}
	}
}

func (p *parser) keyColumns(w *walker) {
	p.expectSymbol("(")
	w.exprs(p.sorting())
	p.accept("autoincrement")
	p.expectSymbol(")")
	p.onConflict()
}

// module reads the rest of CREATE VIRTUAL TABLE. What its arguments mean is for
// the module to say.
func (p *parser) module(w *walker) {
	p.expect("using")
	module := p.name()
	if p.acceptSymbol("(") {
		for depth := 1; depth > 0 && p.why == ""; {
			switch t := p.next(); {
			case t.kind == end:
				p.fail(notSQLite)
			case t.kind == symbol && t.text == "(":
				depth++
			case t.kind == symbol && t.text == ")":
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
func (p *parser) trigger(w *walker) {
	if p.acceptAny("before", "after") == "" {
		p.accept("instead", "of")
	}
	switch p.acceptAny("delete", "insert", "update") {
	case "":
		p.fail(notSQLite)
	case "update":
		if p.accept("of") {
			w.part.Columns.Add(p.name())
			for p.acceptSymbol(",") {
				w.part.Columns.Add(p.name())
			}
		}
	}
	p.expect("on")
	w.changed(p.table())
	p.accept("for", "each", "row")
	if p.accept("when") {
		w.expr(p.expr())
	}
	p.expect("begin")
	for p.why == "" && !p.accept("end") {
		var inner walker
		p.command(&inner)
		p.expectSymbol(";")
		w.part.Merge(&inner.part)
	}
}

func (p *parser) drop(w *walker) {
	kind := p.acceptAny("table", "view", "index", "trigger")
	if kind == "" {
		p.fail(notSQLite)
	}
	p.accept("if", "exists")
	t := p.table()
	if kind != "trigger" {
		w.changed(t)
	}
}

func (p *parser) alter(w *walker) {
	p.expect("table")
	t := p.table()
	w.changed(t)
	switch {
	case p.accept("rename", "to"):
		w.changed(table{schema: t.schema, name: p.name()})
	case p.accept("rename"):
		p.columnWordOptional()
		w.part.Columns.Add(p.name())
		p.expect("to")
		w.part.Columns.Add(p.name())
	case p.accept("add"):
		p.columnWordOptional()
		w.part.Columns.Add(p.name())
		p.columnDefinition(w)
	case p.accept("drop"):
		p.columnWordOptional()
		w.part.Columns.Add(p.name())
	default:
		p.fail(notSQLite)
	}
}

// columnWordOptional takes the word COLUMN where a name follows it.
func (p *parser) columnWordOptional() {
	if p.keyword("column") && named(p.ahead(1)) && !(p.ahead(1).kind == word && p.ahead(1).text == "to" && reserved("to")) {
		p.next()
	}
}
