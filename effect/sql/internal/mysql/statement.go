// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mysql

import (
	"strconv"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/toolverdict/toolverdict/effect/sql/internal/fact"
	"github.com/toolverdict/toolverdict/effect/sql/internal/mysql/internal/token"
)

// tokens adds one statement.
func (w *walker) tokens(s token.Statement) {
	s, w.sets = withoutHints(s)
	if s.Is("DELETE", "HISTORY", "FROM") {
		// In MariaDB the word is an option, in MySQL the name of a table.
		other := walker{depth: w.depth, joins: w.joins, database: w.database}
		other.plain(append(token.Statement{s[0]}, s[2:]...))
		w.plain(plain(s))
		w.part.Merge(&other.part)
		return
	}
	w.plain(plain(s))
}

// plain adds a statement without modifiers.
func (w *walker) plain(s token.Statement) {
	switch {
	case s.Is("DO"):
		// The parser drops what is done; it is an expression list, as of a query.
		if tree := parse(append(token.Statement{keyword("SELECT")}, s[1:]...)); tree != nil {
			w.part.Verb = "do"
			w.walk(tree)
			return
		}
	case s.Is("TABLE"):
		s = append(token.Statement{keyword("SELECT"), symbol("*"), keyword("FROM")}, s[1:]...)
	case s.Is("SHOW"):
		w.shown(s)
		return
	}
	if !w.parsed(s) {
		w.unparsed(s)
	}
}

// parsed adds a statement that the parser reads, as it is or written in another
// way, and reports whether it does.
func (w *walker) parsed(s token.Statement) bool {
	if tree := parse(s); tree != nil {
		if !w.tree(tree) {
			return false
		}
		switch { // for the parser, indexes are changes of their table
		case w.part.Verb == "alter" && s.Is("CREATE"):
			w.part.Verb, w.part.Unbounded = "create", false
		case w.part.Verb == "alter" && s.Is("DROP"):
			w.part.Verb = "drop"
		}
		return true
	}
	if changed, returned := returning(s); changed != nil {
		tree, result := parse(changed), parse(returned)
		if tree == nil || result == nil || !w.tree(tree) {
			return false
		}
		w.walk(result)
		w.part.Reads.Add(w.part.Changes.List()...)
		return true
	}
	s, ok := alike(s)
	return ok && w.parsed(s)
}

// tree adds a statement that was parsed, and reports whether it is one of
// MySQL's that the parser tells enough about.
func (w *walker) tree(t sqlparser.Statement) bool {
	switch x := t.(type) {
	case *sqlparser.Select, *sqlparser.Union, *sqlparser.ValuesStatement:
		w.part.Verb = "select"
		w.walk(x)
		w.part.Limit = limitOf(t)
	case *sqlparser.Insert:
		w.insert(x)
	case *sqlparser.Update:
		w.scoped(x.With, func() { w.update(x) })
	case *sqlparser.Delete:
		w.scoped(x.With, func() { w.delete(x) })
	case *sqlparser.ExplainStmt:
		return w.explain(x)
	case *sqlparser.ExplainTab:
		w.part.Verb = "explain"
		w.read(x.Table)
	case *sqlparser.Show:
		return w.show(x)
	case *sqlparser.Set:
		w.set(x)
	case *sqlparser.CallProc:
		w.part.Verb = "call"
		w.part.Functions.Add(fact.Name(x.Name.Qualifier.String(), strings.ToLower(x.Name.Name.String())))
		for _, e := range x.Params {
			w.walk(e)
		}
		w.anything("procedural code is not analysed")
	case *sqlparser.PrepareStmt:
		w.prepare(x)
	case *sqlparser.ExecuteStmt:
		w.part.Verb = "execute"
		w.anything("what was prepared is not known")
	case *sqlparser.LockTables:
		w.part.Verb = "lock"
		for _, l := range x.Tables {
			w.walk(l.Table)
		}
	default:
		return w.session(t) || w.define(t)
	}
	return true
}

// anything says that the statement may do whatever the user may.
func (w *walker) anything(why string) {
	w.part.Reads.Add(fact.All)
	w.part.Changes.Add(fact.All)
	w.part.Unbounded = true
	w.part.Unclear(why)
}

// session adds a statement about the session, its transaction or the server.
func (w *walker) session(t sqlparser.Statement) bool {
	switch x := t.(type) {
	case *sqlparser.Begin:
		w.part.Verb = "begin"
	case *sqlparser.Commit:
		w.part.Verb = "commit"
	case *sqlparser.Rollback, *sqlparser.SRollback:
		w.part.Verb = "rollback"
	case *sqlparser.Savepoint:
		w.part.Verb = "savepoint"
	case *sqlparser.Release:
		w.part.Verb = "release"
	case *sqlparser.Use:
		w.part.Verb = "use"
		w.database = x.DBName.String()
	case *sqlparser.UnlockTables:
		w.part.Verb = "unlock"
	case *sqlparser.Kill:
		w.part.Verb = "kill"
	case *sqlparser.DeallocateStmt:
		w.part.Verb = "deallocate"
	case *sqlparser.Flush:
		w.part.Verb = "flush"
		for _, t := range x.TableNames {
			w.read(t)
		}
	case *sqlparser.PurgeBinaryLogs:
		w.part.Verb = "purge"
	case *sqlparser.Analyze:
		w.part.Verb, w.part.Unbounded = "analyze", true
		w.change(x.Table)
	default:
		return false
	}
	return true
}

// explain runs the statement only where it says ANALYZE.
func (w *walker) explain(x *sqlparser.ExplainStmt) bool {
	if x.Type == sqlparser.AnalyzeType {
		return w.tree(x.Statement)
	}
	inner := walker{depth: w.depth, joins: w.joins, database: w.database}
	if !inner.tree(x.Statement) {
		return false
	}
	w.part.Verb = "explain"
	w.part.Reads.Add(inner.part.Reads.List()...)
	w.part.Reads.Add(inner.part.Changes.List()...)
	w.part.Columns.Add(inner.part.Columns.List()...)
	w.part.Functions.Add(inner.part.Functions.List()...)
	return true
}

// set is SET. A setting that changes how a text is read makes what follows
// another text than the one analysed here.
func (w *walker) set(x *sqlparser.Set) {
	w.part.Verb = "set"
	for _, e := range x.Exprs {
		w.walk(e.Expr)
		switch name := e.Var.Name.Lowered(); {
		case e.Var.Scope == sqlparser.VariableScope:
		case name == "sql_mode", name == "names", name == "charset", strings.HasPrefix(name, "character_set_"), name == "collation_connection":
			w.part.Unclear("it changes how the texts after it are read")
		case e.Var.Scope != sqlparser.SessionScope && e.Var.Scope != sqlparser.NoScope && e.Var.Scope != sqlparser.NextTxScope:
			w.part.Unclear("it changes settings of the server")
		}
	}
}

// prepare tells what the prepared text would do: EXECUTE does not name it.
func (w *walker) prepare(x *sqlparser.PrepareStmt) {
	w.part.Verb = "prepare"
	source, ok := literal(x.Statement)
	switch {
	case !ok:
		w.anything("what is prepared is not known before it runs")
	case w.depth >= maxTexts:
		w.anything("SQL in SQL in SQL is not analysed")
	default:
		w.nested = analyse(source, w.depth+1, w.database)
	}
}

// limitOf is the number of rows that a query says it returns at most.
func limitOf(t sqlparser.Statement) int64 {
	o, ok := t.(sqlparser.OrderAndLimit)
	if !ok || o.GetLimit() == nil {
		return 0
	}
	return rows(o.GetLimit())
}

func rows(l *sqlparser.Limit) int64 {
	if l == nil {
		return 0
	}
	c, ok := l.Rowcount.(*sqlparser.Literal)
	if !ok || c.Type != sqlparser.IntVal {
		return 0
	}
	n, err := strconv.ParseInt(c.Val, 10, 64)
	if err != nil {
		return 0
	}
	return n
}
