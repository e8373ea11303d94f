// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mysql

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/toolverdict/toolverdict/effect/sql/internal/fact"
)

// define adds a statement that changes the schema.
func (w *walker) define(t sqlparser.Statement) bool {
	switch x := t.(type) {
	case *sqlparser.CreateTable:
		w.part.Verb = "create"
		w.change(x.Table)
		if x.OptLike != nil {
			w.read(x.OptLike.LikeTable)
		}
		w.spec(x.TableSpec)
		w.walk(x.Select)
	case *sqlparser.CreateView:
		w.part.Verb, w.part.Unbounded = "create", x.IsReplace
		w.view(x.ViewName, x.Columns, x.Select)
	case *sqlparser.AlterView:
		w.part.Verb, w.part.Unbounded = "alter", true
		w.view(x.ViewName, x.Columns, x.Select)
	case *sqlparser.AlterTable:
		w.part.Verb, w.part.Unbounded = "alter", true
		w.alter(x)
	case *sqlparser.RenameTable:
		w.part.Verb, w.part.Unbounded = "alter", true
		for _, p := range x.TablePairs {
			w.change(p.FromTable)
			w.change(p.ToTable)
		}
	case *sqlparser.TruncateTable:
		w.part.Verb, w.part.Unbounded = "truncate", true
		w.change(x.Table)
	case *sqlparser.DropTable:
		w.drop(x.FromTables)
	case *sqlparser.DropView:
		w.drop(x.FromTables)
	case *sqlparser.DropDatabase:
		w.drop(nil)
		w.part.Changes.Add(fact.All)
	case *sqlparser.DropProcedure:
		w.drop(nil)
	case *sqlparser.CreateDatabase:
		w.part.Verb = "create"
		return x.FullyParsed
	case *sqlparser.AlterDatabase:
		w.part.Verb, w.part.Unbounded = "alter", true
		return x.FullyParsed
	case *sqlparser.CreateProcedure:
		w.part.Verb = "create" // its body runs when it is called
	default:
		return false
	}
	return true
}

func (w *walker) drop(tables sqlparser.TableNames) {
	w.part.Verb, w.part.Unbounded = "drop", true
	for _, t := range tables {
		w.change(t)
	}
}

func (w *walker) view(name sqlparser.TableName, columns sqlparser.Columns, query sqlparser.TableStatement) {
	w.change(name)
	for _, c := range columns {
		w.part.Columns.Add(c.Lowered())
	}
	w.walk(query)
}

// spec adds the columns of a new table, and the tables they refer to.
func (w *walker) spec(s *sqlparser.TableSpec) {
	if s == nil {
		return
	}
	for _, c := range s.Columns {
		w.column(c)
	}
	w.walk(s)
}

// column adds a column that is defined, and what its definition names.
func (w *walker) column(c *sqlparser.ColumnDefinition) {
	w.part.Columns.Add(c.Name.Lowered())
	if o := c.Type.Options; o != nil {
		w.walk(o.Default, o.OnUpdate, o.As, o.Reference)
	}
}

// alter adds every table and column that an ALTER TABLE names.
func (w *walker) alter(x *sqlparser.AlterTable) {
	w.change(x.Table)
	for _, o := range x.AlterOptions {
		switch a := o.(type) {
		case *sqlparser.RenameTableName:
			w.change(a.Table)
			continue
		case *sqlparser.AddColumns:
			for _, c := range a.Columns {
				w.column(c)
			}
		case *sqlparser.ChangeColumn:
			w.column(a.NewColDefinition)
		case *sqlparser.ModifyColumn:
			w.column(a.NewColDefinition)
		}
		w.walk(o)
	}
	if p := x.PartitionSpec; p != nil && !p.TableName.IsEmpty() {
		w.change(p.TableName)
	}
	w.walk(x.PartitionSpec, x.PartitionOption)
}

// tableOptions adds what the options of a table reach outside of it.
func (w *walker) tableOptions(options sqlparser.TableOptions) {
	for _, o := range options {
		switch strings.ToLower(o.Name) {
		case "engine":
			if !ownEngine(strings.ToLower(o.String)) {
				w.part.Unclear("the storage engine may read and write what it is told")
			}
		case "data directory", "index directory":
			w.directory(o.Value)
		case "union":
			for _, t := range o.Tables {
				w.change(t)
			}
		}
	}
}

// directory adds folders of the server that tables are kept in.
func (w *walker) directory(names ...*sqlparser.Literal) {
	for _, name := range names {
		if name != nil {
			w.part.WriteFile(name.Val)
		}
	}
}

// ownEngine reports whether the engine keeps its tables among the server's files
// and nowhere else.
func ownEngine(name string) bool {
	switch name {
	case "", "innodb", "myisam", "memory", "heap", "archive", "csv", "blackhole", "merge", "mrg_myisam", "ndb", "ndbcluster",
		"aria", "rocksdb", "tokudb", "columnstore", "sequence":
		return true
	default:
		return false
	}
}
