// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mysql

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/sql/internal/fact"
	"github.com/toolverdict/toolverdict/effect/sql/internal/mysql/internal/token"
)

// walker goes through one statement.
type walker struct {
	depth    int
	joins    bool // ^ stands for the joining of texts
	part     fact.Statement
	scope    *scope
	database string // that USE chose before it, empty where none did
	sets     bool   // a variable is assigned to on the way
	locks    bool
	locked   fact.Names
	nested   []toolverdict.Effect
}

// scope is the names that WITH gives to queries, innermost first.
type scope struct {
	name  string
	outer *scope
}

// has reports whether the name is one of them. Some servers tell users from Users:
// there the one is a table where only the other is in WITH.
func (s *scope) has(name string) bool {
	for ; s != nil; s = s.outer {
		if s.name == name {
			return true
		}
	}
	return false
}

func (w *walker) effects(place int) []toolverdict.Effect {
	effects := w.part.Effects(place)
	if w.part.Verb == "" {
		effects = w.part.Others
	}
	effects = append(effects, fact.Within(place, w.nested)...)
	if w.sets && w.part.Verb != "set" {
		set := fact.Statement{Verb: "set"}
		effects = append(effects, set.Effects(place)...)
	}
	if w.locks {
		lock := fact.Statement{Verb: "lock", Reads: w.locked}
		effects = append(effects, lock.Effects(place)...)
	}
	return effects
}

// walk adds the facts of nodes and of all that is in them.
func (w *walker) walk(nodes ...sqlparser.SQLNode) {
	for _, n := range nodes {
		// The visitor gives no error, so neither does the walk.
		_ = sqlparser.Walk(w.visit, n)
	}
}

// visit adds the facts of one node, and says whether what is in it is still to
// be visited.
func (w *walker) visit(n sqlparser.SQLNode) (bool, error) {
	switch x := n.(type) {
	case *sqlparser.Select:
		w.query(x)
		return false, nil
	case *sqlparser.Union:
		w.scoped(x.With, func() {
			w.walk(x.Left, x.Right, x.OrderBy, x.Limit)
			w.into(x.Into)
			w.lock(x.Lock, nil)
		})
		return false, nil
	case *sqlparser.ValuesStatement:
		w.scoped(x.With, func() { w.walk(x.Rows, x.Order, x.Limit) })
		return false, nil
	case *sqlparser.ColName:
		w.part.Columns.Add(x.Name.Lowered())
		if !x.Qualifier.IsEmpty() && x.Name.Lowered() == "nextval" { // MariaDB with sql_mode ORACLE
			w.part.Functions.Add("nextval")
			w.change(x.Qualifier)
		}
		return false, nil
	case *sqlparser.StarExpr:
		w.part.Columns.Add(fact.All)
		return false, nil
	case sqlparser.TableName:
		w.read(x)
	case *sqlparser.AliasedTableExpr:
		w.walk(x.Expr) // hints name indexes, and columns rename what is counted already
		return false, nil
	case *sqlparser.JoinTableExpr:
		w.join(x)
	case *sqlparser.AssignmentExpr:
		w.sets = true
	case *sqlparser.FuncExpr:
		w.call(x)
	case *sqlparser.LockingFunc, *sqlparser.GTIDFuncExpr:
		w.part.Functions.Add(functionOf(x))
	case sqlparser.TableOptions:
		w.tableOptions(x)
	case *sqlparser.PartitionDefinitionOptions:
		w.directory(x.DataDirectory, x.IndexDirectory)
	case *sqlparser.Nextval:
		w.part.Unclear("it does not parse as MySQL")
	}
	return true, nil
}

func functionOf(n sqlparser.SQLNode) string {
	head, _, _ := strings.Cut(sqlparser.String(n), "(")
	return strings.ToLower(head)
}

// read adds a table that is read.
func (w *walker) read(t sqlparser.TableName) {
	if t.IsEmpty() || t.Qualifier.IsEmpty() && (w.scope.has(t.Name.String()) || strings.EqualFold(t.Name.String(), "dual")) {
		return
	}
	w.part.Reads.Add(w.spellings(t)...)
}

func (w *walker) change(t sqlparser.TableName) { w.part.Changes.Add(w.spellings(t)...) }

// spellings are the table's name as it is written, and in lower case: whether a
// server tells the two apart depends on the system it runs on. Behind USE, it is
// there with the database, too.
func (w *walker) spellings(t sqlparser.TableName) []string {
	if t.Qualifier.IsEmpty() && !t.IsEmpty() && w.database != "" {
		whole := sqlparser.TableName{Name: t.Name, Qualifier: sqlparser.NewIdentifierCS(w.database)}
		return append(spellings(t), spellings(whole)...)
	}
	return spellings(t)
}

func spellings(t sqlparser.TableName) []string {
	s := fact.Name(t.Qualifier.String(), t.Name.String())
	if folded := strings.ToLower(s); folded != s {
		return []string{s, folded}
	}
	return []string{s}
}

func (w *walker) join(x *sqlparser.JoinTableExpr) {
	if x.Condition != nil {
		for _, c := range x.Condition.Using {
			w.part.Columns.Add(c.Lowered())
		}
	}
	switch x.Join {
	case sqlparser.NaturalJoinType, sqlparser.NaturalLeftJoinType, sqlparser.NaturalRightJoinType:
		w.part.Columns.Add(fact.All)
	default:
	}
}

// query adds the facts of a SELECT, whole or as a part of something.
func (w *walker) query(s *sqlparser.Select) {
	w.scoped(s.With, func() {
		for _, t := range s.From {
			w.walk(t)
		}
		w.walk(s.SelectExprs, s.Where, s.GroupBy, s.Having, s.Windows)
		w.sorting(s)
		w.walk(s.Limit)
		w.into(s.Into)
		w.lock(s.Lock, s.From)
	})
}

// sorting leaves out names of the query's own results.
func (w *walker) sorting(s *sqlparser.Select) {
	for _, o := range s.OrderBy {
		if c, ok := o.Expr.(*sqlparser.ColName); ok && c.Qualifier.IsEmpty() && result(s, c.Name) {
			continue
		}
		w.walk(o)
	}
}

func result(s *sqlparser.Select, name sqlparser.IdentifierCI) bool {
	for _, e := range s.SelectExprs.Exprs {
		if a, ok := e.(*sqlparser.AliasedExpr); ok && a.As.Equal(name) {
			return true
		}
	}
	return false
}

// scoped runs what is in the scope of a WITH clause. Each query of the clause
// sees those before it, and itself where it says RECURSIVE. MariaDB then shows it
// those behind it, too: for MySQL such a name is a table's.
func (w *walker) scoped(c *sqlparser.With, body func()) {
	outer := w.scope
	defer func() { w.scope = outer }()
	if c != nil {
		for _, e := range c.CTEs {
			seen := &scope{e.ID.String(), w.scope}
			if c.Recursive {
				w.scope = seen
			}
			w.walk(e.Subquery)
			w.scope = seen
		}
	}
	body()
}

// into adds where the rows of a query go.
func (w *walker) into(x *sqlparser.SelectInto) {
	if x == nil {
		return
	}
	if x.Type == sqlparser.IntoVariables {
		w.sets = true
		return
	}
	w.part.WriteFile(token.Unquoted(x.FileName)) // the parser keeps the quotes
}

func (w *walker) lock(l sqlparser.Lock, from []sqlparser.TableExpr) {
	if l == sqlparser.NoLock {
		return
	}
	w.locks = true
	found := false
	for _, t := range from {
		for _, s := range sources(t) {
			w.locked.Add(w.spellings(s.name)...)
			found = true
		}
	}
	if !found {
		w.locked.Add(fact.All)
	}
}

// call adds a function and what it does besides computing a value.
func (w *walker) call(f *sqlparser.FuncExpr) {
	name := f.Name.Lowered()
	if f.Qualifier.IsEmpty() && (harmless(name) || name == "last_insert_id" && len(f.Exprs) == 0) {
		return
	}
	w.part.Functions.Add(fact.Name(f.Qualifier.String(), name))
	switch name {
	case "load_file":
		file := ""
		if len(f.Exprs) == 1 {
			file, _ = literal(f.Exprs[0])
		}
		w.part.ReadFile(file)
	case "sys_exec", "sys_eval":
		command := "\x00"
		if len(f.Exprs) == 1 {
			if s, ok := literal(f.Exprs[0]); ok {
				command = s
			}
		}
		w.part.Shell(command)
	case "nextval", "setval", "lastval":
		w.sequence(name, f)
	}
}

// sequence is a call of MariaDB that moves a sequence.
func (w *walker) sequence(name string, f *sqlparser.FuncExpr) {
	if name == "lastval" || len(f.Exprs) == 0 {
		return
	}
	if c, ok := f.Exprs[0].(*sqlparser.ColName); ok {
		w.change(sqlparser.TableName{Name: sqlparser.NewIdentifierCS(c.Name.String()), Qualifier: c.Qualifier.Name})
		return
	}
	w.part.Changes.Add(fact.All)
}

// literal is the expression where it is a text.
func literal(e sqlparser.Expr) (string, bool) {
	if i, ok := e.(*sqlparser.IntroducerExpr); ok {
		e = i.Expr
	}
	l, ok := e.(*sqlparser.Literal)
	if !ok || l.Type != sqlparser.StrVal {
		return "", false
	}
	return l.Val, true
}

// source is a table that a query reads, with the name it is known by there.
type source struct {
	name  sqlparser.TableName
	known string
}

// sources are the tables of an item of a FROM list. A query in it has no name
// but the one it is known by.
func sources(t sqlparser.TableExpr) []source {
	switch x := t.(type) {
	case *sqlparser.AliasedTableExpr:
		name, ok := x.Expr.(sqlparser.TableName)
		known := x.As.String()
		if known == "" {
			known = name.Name.String()
		}
		if !ok {
			return []source{{known: known}}
		}
		return []source{{name: name, known: known}}
	case *sqlparser.JoinTableExpr:
		return append(sources(x.LeftExpr), sources(x.RightExpr)...)
	case *sqlparser.ParenTableExpr:
		var all []source
		for _, e := range x.Exprs {
			all = append(all, sources(e)...)
		}
		return all
	case *sqlparser.JSONTableExpr:
		return []source{{known: x.Alias.String()}}
	default:
		return []source{{}}
	}
}
