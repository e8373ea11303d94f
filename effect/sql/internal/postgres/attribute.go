// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/toolverdict/toolverdict/effect/sql/internal/fact"
	"github.com/toolverdict/toolverdict/effect/sql/internal/postgres/internal/argument"
	"github.com/toolverdict/toolverdict/effect/sql/internal/postgres/internal/catalog"
)

// PostgreSQL takes (v).f and f(v) for one: where v is no row with a column f, a
// function f is called, with whatever value v has. So ('/etc/passwd'::text).pg_read_file
// reads a file. The text does not tell rows from other values; a name that stands
// for a relation is always a row, and a function in a FROM list often is none.

// value is a name of a FROM list that may stand for a value which is no row.
type value struct {
	name   string // empty for any
	column string // the one column of it, empty where that is not known
}

// member is name.member in the text.
type member struct {
	of, name string
	part     *fact.Statement
}

// memberOf adds what the field of a value may be: a function that is called
// with it.
func (w *walker) memberOf(name string, args []*pg.Node) {
	r := catalog.ReachOf(name)
	if r == catalog.Harmless {
		return
	}
	w.part.Functions.Add(name)
	if r != catalog.Unknown {
		w.reach(r, argument.List{Function: name, Nodes: args})
	}
}

// isRow reports whether the only argument is a row for sure, of columns whose names
// are PostgreSQL's.
func isRow(args []*pg.Node) bool {
	if len(args) != 1 {
		return false
	}
	if args[0].GetRowExpr() != nil {
		return true
	}
	name, r := functionName(args[0].GetFuncCall().GetFuncname())
	return r == catalog.Harmless && catalog.ReturnsRows(name)
}

// fromFunction is a function in a FROM list. Where it returns one value for each
// row, its name there stands for that value.
func (w *walker) fromFunction(x *pg.RangeFunction) {
	w.any(x.ProtoReflect())
	if x.Ordinality || len(x.Functions) != 1 || len(x.Coldeflist) > 0 {
		return // these make rows of several columns
	}
	var call []*pg.Node
	if items := x.Functions[0].GetList().GetItems(); len(items) > 0 {
		call = items[0].GetFuncCall().GetFuncname()
	}
	function, r := functionName(call)
	if r == catalog.Harmless && catalog.ReturnsRows(function) {
		return
	}
	v := value{name: x.Alias.GetAliasname()}
	if parts := texts(call); v.name == "" && len(parts) > 0 {
		v.name = parts[len(parts)-1]
	}
	names := texts(x.Alias.GetColnames())
	switch {
	case len(names) > 1: // it has as many columns
		return
	case len(names) == 1:
		v.column = names[0]
	case r == catalog.Harmless:
		v.column = catalog.Column(function, v.name)
	}
	w.values = append(w.values, v)
}

// members adds the functions that members of values call. They are known once the
// whole statement is: a FROM list follows what it is for.
func (w *walker) members() {
	for _, m := range w.fields {
		if slices.ContainsFunc(w.values, func(v value) bool { return (v.name == "" || v.name == m.of) && v.column != m.name }) {
			part := w.part
			w.part = m.part
			w.memberOf(m.name, nil)
			w.part = part
		}
	}
	w.fields, w.values = nil, nil
}
