// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/sql/internal/fact"
	"github.com/toolverdict/toolverdict/effect/sql/internal/sqlite/internal/syntax"
)

// reader reads statements, each with its facts.
type reader struct{ *syntax.Parser }

// Analyse returns the effects of every statement of the text.
func Analyse(source string) []toolverdict.Effect { return analyse(source, 0) }

// maxTexts is how deep a text of SQL inside a text of SQL is followed.
const maxTexts = 3

func analyse(source string, depth int) []toolverdict.Effect {
	p := &reader{syntax.New(source)}
	var effects []toolverdict.Effect
	for place := 1; p.Why == ""; place++ {
		for p.AcceptSymbol(";") {
			continue
		}
		if p.Peek().Kind == syntax.End {
			break
		}
		w := walker{depth: depth}
		p.statement(&w)
		if p.Why == "" && p.Peek().Kind != syntax.End && !p.Symbol(";") {
			p.Fail(syntax.NotSQLite)
		}
		if p.Why == "" {
			effects = append(effects, w.effects(place)...)
		}
	}
	switch {
	case p.Why != "":
		// Those before the fault run.
		effects = append(effects, fact.Opaque(p.Why))
	case len(effects) == 0:
		effects = append(effects, fact.Opaque("it holds no statement"))
	}
	return effects
}

// statement reads one statement and adds its facts.
func (p *reader) statement(w *walker) {
	if p.Accept("explain") {
		p.Accept("query", "plan")
		if p.Keyword("pragma") {
			p.command(w) // much of what a PRAGMA does is done before it runs
			return
		}
		inner := walker{depth: w.depth}
		p.command(&inner)
		w.plan(&inner)
		return
	}
	p.command(w)
}

func (p *reader) command(w *walker) {
	if p.QueryNext() || p.Keyword("with") {
		p.withData(w)
		return
	}
	switch t := p.Peek(); {
	case t.Kind != syntax.Word:
		p.Fail(syntax.NotSQLite)
	case t.Text == "insert", t.Text == "replace", t.Text == "update", t.Text == "delete":
		p.change(w, &syntax.Query{})
	case p.transaction(w):
	case p.define(w):
	default:
		p.other(w)
	}
}

// withData reads a SELECT, or a statement that changes rows behind WITH.
func (p *reader) withData(w *walker) {
	start := p.At
	q := &syntax.Query{}
	p.With(q)
	if p.Keyword("insert") || p.Keyword("replace") || p.Keyword("update") || p.Keyword("delete") {
		p.change(w, q)
		return
	}
	p.At = start
	q = p.Query()
	w.part.Verb = "select"
	w.query(q)
	w.part.Limit = count(q.Limit)
}

// transaction reads statements about transactions.
func (p *reader) transaction(w *walker) bool {
	switch {
	case p.Accept("begin"):
		w.part.Verb = "begin"
		p.AcceptAny("deferred", "immediate", "exclusive")
		p.inTransaction()
	case p.Accept("commit"), p.Accept("end"):
		w.part.Verb = "commit"
		p.inTransaction()
	case p.Accept("rollback"):
		w.part.Verb = "rollback"
		p.inTransaction()
		if p.Accept("to") {
			p.savepoint()
		}
	case p.Accept("savepoint"):
		w.part.Verb = "savepoint"
		p.Name()
	case p.Accept("release"):
		w.part.Verb = "release"
		p.savepoint()
	default:
		return false
	}
	return true
}

func (p *reader) inTransaction() {
	if p.Accept("transaction") && syntax.Named(p.Peek()) && !p.Keyword("to") {
		p.Name()
	}
}

func (p *reader) savepoint() {
	if p.Keyword("savepoint") && syntax.Named(p.Ahead(1)) {
		p.Next()
	}
	p.Name()
}

// other reads the statements that are none of the above.
func (p *reader) other(w *walker) {
	switch {
	case p.Accept("attach"):
		p.Accept("database")
		w.part.Verb = "attach"
		file := p.Expr()
		p.Expect("as")
		w.value(file)
		w.value(p.Expr())
		if p.Accept("key") {
			w.value(p.Expr())
		}
		w.attach(file)
	case p.Accept("detach"):
		p.Accept("database")
		w.part.Verb = "detach"
		w.value(p.Expr())
	case p.Accept("vacuum"):
		p.vacuum(w)
	case p.Accept("pragma"):
		p.pragma(w)
	case p.Accept("analyze"):
		p.whole(w, "analyze")
	case p.Accept("reindex"):
		p.whole(w, "reindex")
	default:
		p.Fail(syntax.NotSQLite)
	}
}

// value adds an expression of a statement without tables: a name in it is a text.
func (w *walker) value(e *syntax.Expr) {
	if e.Op != syntax.Column {
		w.expr(e)
	}
}

func (p *reader) vacuum(w *walker) {
	w.part.Verb = "vacuum"
	w.part.Changes.Add(fact.All)
	if syntax.Named(p.Peek()) {
		p.Name()
	}
	if p.Accept("into") {
		w.part.Changes = fact.Names{} // it writes a copy of everything
		w.part.Reads.Add(fact.All)
		w.part.Columns.Add(fact.All)
		file := p.Expr()
		w.value(file)
		w.part.WriteFile(path(file))
		return
	}
	w.part.Unbounded = true
}

// whole reads a statement about a table, an index or the whole database.
func (p *reader) whole(w *walker, verb string) {
	w.part.Verb, w.part.Unbounded = verb, true
	if syntax.Named(p.Peek()) {
		t := p.Table()
		w.part.Changes.Add(fact.Name(t.Schema, t.Name))
		return
	}
	w.part.Changes.Add(fact.All)
}

// attach is a file that becomes a part of the database.
func (w *walker) attach(file *syntax.Expr) {
	name, known := file.Literal()
	if known && (name == "" || syntax.Lower(name) == ":memory:") {
		return
	}
	w.part.ReadFile(path(file))
	w.part.WriteFile(path(file))
}

// path is the file that an expression names; empty where that is not known, or
// where it is a URL, which says more than a name.
func path(e *syntax.Expr) string {
	name, _ := e.Literal()
	if strings.HasPrefix(syntax.Lower(name), "file:") {
		return ""
	}
	return name
}

// pragma reads a PRAGMA. Some only tell something.
func (p *reader) pragma(w *walker) {
	t := p.Table()
	given, argument := false, ""
	switch {
	case p.AcceptSymbol("="):
		given, argument = true, p.setting()
	case p.AcceptSymbol("("):
		given, argument = true, p.setting()
		p.ExpectSymbol(")")
	}
	switch tellsAbout(t.Name) {
	case aTable:
		w.part.Verb = "show"
		if given {
			w.part.Reads.Add(fact.Name(t.Schema, argument))
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
func (p *reader) setting() string {
	if p.Symbol("-") || p.Symbol("+") || p.Peek().Kind == syntax.Number {
		p.Signed()
		return ""
	}
	if p.AcceptAny("on", "delete", "default") != "" {
		return ""
	}
	return p.Name()
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
func count(e *syntax.Expr) int64 {
	if e == nil || e.Op != syntax.NumberLiteral || len(e.Text) > 18 || strings.Trim(e.Text, "0123456789") != "" {
		return 0
	}
	var n int64
	for _, c := range e.Text {
		n = n*10 + int64(c-'0')
	}
	return n
}
