// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/sql/internal/fact"
)

// Analyse returns the effects of every statement of the text.
func Analyse(source string) []toolverdict.Effect {
	tokens, why := lex(source)
	if why != "" {
		return []toolverdict.Effect{fact.Opaque(why)}
	}
	p := &parser{tokens: tokens}
	var effects []toolverdict.Effect
	for place := 1; p.why == ""; place++ {
		for p.acceptSymbol(";") {
			continue
		}
		if p.peek().kind == end {
			break
		}
		w := walker{}
		p.statement(&w)
		if p.why == "" && p.peek().kind != end && !p.symbol(";") {
			p.fail(notSQLite)
		}
		if p.why == "" {
			effects = append(effects, w.effects(place)...)
		}
	}
	switch {
	case p.why != "":
		// Those before the fault run.
		effects = append(effects, fact.Opaque(p.why))
	case len(effects) == 0:
		effects = append(effects, fact.Opaque("it holds no statement"))
	}
	return effects
}

// statement reads one statement and adds its facts.
func (p *parser) statement(w *walker) {
	if p.accept("explain") {
		p.accept("query", "plan")
		var inner walker
		p.command(&inner)
		w.plan(&inner)
		return
	}
	p.command(w)
}

func (p *parser) command(w *walker) {
	if p.queryNext() || p.keyword("with") {
		p.withData(w)
		return
	}
	switch t := p.peek(); {
	case t.kind != word:
		p.fail(notSQLite)
	case t.text == "insert", t.text == "replace", t.text == "update", t.text == "delete":
		p.change(w, &query{})
	case p.transaction(w):
	case p.define(w):
	default:
		p.other(w)
	}
}

// withData reads a SELECT, or a statement that changes rows behind WITH.
func (p *parser) withData(w *walker) {
	start := p.at
	q := &query{}
	p.with(q)
	if p.keyword("insert") || p.keyword("replace") || p.keyword("update") || p.keyword("delete") {
		p.change(w, q)
		return
	}
	p.at = start
	q = p.query()
	w.part.Verb = "select"
	w.query(q)
	w.part.Limit = count(q.limit)
}

// transaction reads statements about transactions.
func (p *parser) transaction(w *walker) bool {
	switch {
	case p.accept("begin"):
		w.part.Verb = "begin"
		p.acceptAny("deferred", "immediate", "exclusive")
		p.inTransaction()
	case p.accept("commit"), p.accept("end"):
		w.part.Verb = "commit"
		p.inTransaction()
	case p.accept("rollback"):
		w.part.Verb = "rollback"
		p.inTransaction()
		if p.accept("to") {
			p.savepoint()
		}
	case p.accept("savepoint"):
		w.part.Verb = "savepoint"
		p.name()
	case p.accept("release"):
		w.part.Verb = "release"
		p.savepoint()
	default:
		return false
	}
	return true
}

func (p *parser) inTransaction() {
	if p.accept("transaction") && named(p.peek()) && !p.keyword("to") {
		p.name()
	}
}

func (p *parser) savepoint() {
	if p.keyword("savepoint") && named(p.ahead(1)) {
		p.next()
	}
	p.name()
}

// other reads the statements that are none of the above.
func (p *parser) other(w *walker) {
	switch {
	case p.accept("attach"):
		p.accept("database")
		w.part.Verb = "attach"
		file := p.expr()
		p.expect("as")
		w.value(file)
		w.value(p.expr())
		if p.accept("key") {
			w.value(p.expr())
		}
		w.attach(file)
	case p.accept("detach"):
		p.accept("database")
		w.part.Verb = "detach"
		w.value(p.expr())
	case p.accept("vacuum"):
		p.vacuum(w)
	case p.accept("pragma"):
		p.pragma(w)
	case p.accept("analyze"):
		p.whole(w, "analyze")
	case p.accept("reindex"):
		p.whole(w, "reindex")
	default:
		p.fail(notSQLite)
	}
}

// value adds an expression of a statement without tables: a name in it is a text.
func (w *walker) value(e *expr) {
	if e.op != column {
		w.expr(e)
	}
}

func (p *parser) vacuum(w *walker) {
	w.part.Verb = "vacuum"
	w.part.Changes.Add(fact.All)
	if named(p.peek()) {
		p.name()
	}
	if p.accept("into") {
		w.part.Changes = fact.Names{} // it writes a copy
		file := p.expr()
		w.value(file)
		w.part.WriteFile(path(file))
		return
	}
	w.part.Unbounded = true
}

// whole reads a statement about a table, an index or the whole database.
func (p *parser) whole(w *walker, verb string) {
	w.part.Verb, w.part.Unbounded = verb, true
	if named(p.peek()) {
		t := p.table()
		w.part.Changes.Add(fact.Name(t.schema, t.name))
		return
	}
	w.part.Changes.Add(fact.All)
}

// attach is a file that becomes a part of the database.
func (w *walker) attach(file *expr) {
	name, known := file.literal()
	if known && (name == "" || lower(name) == ":memory:") {
		return
	}
	w.part.ReadFile(path(file))
	w.part.WriteFile(path(file))
}

// path is the file that an expression names; empty where that is not known, or
// where it is a URL, which says more than a name.
func path(e *expr) string {
	name, _ := e.literal()
	if strings.HasPrefix(lower(name), "file:") {
		return ""
	}
	return name
}

// literal is the expression where it is a text, or may be one.
func (e *expr) literal() (string, bool) {
	if e.op == textLiteral || e.op == column && e.quote {
		return e.text, true
	}
	return "", false
}

// pragma reads a PRAGMA. Some only tell something.
func (p *parser) pragma(w *walker) {
	t := p.table()
	given, argument := false, ""
	switch {
	case p.acceptSymbol("="):
		given, argument = true, p.setting()
	case p.acceptSymbol("("):
		given, argument = true, p.setting()
		p.expectSymbol(")")
	}
	switch tellsAbout(t.name) {
	case aTable:
		w.part.Verb = "show"
		if given {
			w.part.Reads.Add(fact.Name(t.schema, argument))
		}
	case something:
		w.part.Verb = "show"
	case unlessGiven:
		w.part.Verb = "show"
		if given {
			w.part.Verb = "pragma"
		}
	default:
		w.part.Verb = "pragma"
		w.part.Changes.Add(fact.All)
		w.part.Unbounded = true
	}
}

// setting reads the value of a PRAGMA.
func (p *parser) setting() string {
	if p.symbol("-") || p.symbol("+") || p.peek().kind == number {
		p.signed()
		return ""
	}
	if p.acceptAny("on", "delete", "default") != "" {
		return ""
	}
	return p.name()
}

// subject is what a PRAGMA tells about.
type subject uint8

const (
	nothing     subject = iota // it changes something, or is not known
	something                  // always
	unlessGiven                // but for a value, which it sets
	aTable                     // the one that it is given
)

func tellsAbout(pragma string) subject {
	switch pragma {
	case "table_info", "table_xinfo", "index_list", "foreign_key_list", "index_info", "index_xinfo":
		return aTable
	case "table_list", "database_list", "collation_list", "compile_options", "function_list", "module_list", "pragma_list",
		"page_count", "freelist_count", "data_version", "foreign_key_check", "integrity_check", "quick_check", "lock_status",
		"stats":
		return something
	case "user_version", "application_id", "schema_version", "page_size", "encoding", "journal_mode", "foreign_keys",
		"synchronous", "cache_size", "auto_vacuum", "busy_timeout", "locking_mode", "recursive_triggers", "query_only",
		"temp_store", "mmap_size", "wal_autocheckpoint", "max_page_count", "secure_delete", "case_sensitive_like",
		"read_uncommitted", "writable_schema", "trusted_schema", "defer_foreign_keys", "journal_size_limit",
		"ignore_check_constraints", "legacy_alter_table", "cell_size_check", "automatic_index", "threads":
		return unlessGiven
	default:
		return nothing
	}
}

// count is the number of rows that a LIMIT says.
func count(e *expr) int64 {
	if e == nil || e.op != numberLiteral || len(e.text) > 18 || strings.Trim(e.text, "0123456789") != "" {
		return 0
	}
	var n int64
	for _, c := range e.text {
		n = n*10 + int64(c-'0')
	}
	return n
}
