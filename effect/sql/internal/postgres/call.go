// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/toolverdict/toolverdict/effect/sql/internal/fact"
	"github.com/toolverdict/toolverdict/effect/sql/internal/postgres/internal/argument"
	"github.com/toolverdict/toolverdict/effect/sql/internal/postgres/internal/catalog"
)

// funcCall adds a function and what it does besides computing a value.
func (w *walker) funcCall(f *pg.FuncCall) {
	if f == nil {
		return
	}
	w.nodes(f.Args)
	w.nodes(f.AggOrder)
	w.node(f.AggFilter)
	if f.Over != nil {
		w.any(f.Over.ProtoReflect())
	}
	name, r := functionName(f.Funcname)
	if r == catalog.Harmless {
		return
	}
	w.part.Functions.Add(name)
	if r == catalog.Unknown {
		w.attribute(f)
		return
	}
	parts := texts(f.Funcname)
	w.reach(r, argument.List{Function: parts[len(parts)-1], Nodes: f.Args})
}

// functionName is the function's name as it is reported, and its reach. In
// another schema a function is what somebody made of it, but an extension's are
// the same wherever they are kept.
func functionName(list []*pg.Node) (string, catalog.Reach) {
	parts := texts(list)
	if len(parts) == 2 && parts[0] == ownSchema {
		parts = parts[1:]
	}
	r := catalog.Unknown
	if len(parts) > 0 {
		r = catalog.ReachOf(parts[len(parts)-1])
	}
	if len(parts) > 1 && r == catalog.Harmless {
		r = catalog.Unknown
	}
	return fact.Name(parts...), r
}

// attribute adds the column that a call may be another way to write: f(t) is
// t.f where there is no such function.
func (w *walker) attribute(f *pg.FuncCall) {
	if parts := texts(f.Funcname); len(f.Args) == 1 && len(parts) == 1 && f.Args[0].GetAConst() == nil {
		w.part.Columns.Add(parts[0])
	}
}

func (w *walker) reach(r catalog.Reach, args argument.List) {
	first, _ := args.Text(0)
	switch r {
	case catalog.ReadsFile:
		w.part.ReadFile(first)
	case catalog.ListsFiles:
		w.part.ListFiles(first)
	case catalog.ImportsFile:
		w.part.ReadFile(first)
		w.part.Changes.Add("pg_largeobject")
	case catalog.ExportsFile:
		second, _ := args.Text(1)
		w.part.WriteFile(second)
		w.part.Reads.Add("pg_largeobject")
	case catalog.WritesFile:
		w.part.WriteFile(first)
	case catalog.Connects:
		w.connect(first)
	case catalog.Fetches:
		w.part.Connect("")
	case catalog.RunsText:
		w.sqlIn(args)
	case catalog.ReadsNamed:
		w.part.Reads.Add(args.Relation(0))
		w.part.Columns.Add(fact.All)
	case catalog.ReadsAny:
		w.part.Reads.Add(fact.All)
		w.part.Columns.Add(fact.All)
	case catalog.SetsNamed:
		w.part.Changes.Add(args.Relation(0))
	case catalog.KeepsObject:
		w.part.Changes.Add("pg_largeobject")
	case catalog.ReadsObject:
		w.part.Reads.Add("pg_largeobject")
	default:
	}
}

// connect is a call that takes a connection string, or a connection's name.
func (w *walker) connect(first string) {
	if !strings.Contains(first, "=") && !strings.Contains(first, "://") {
		first = ""
	}
	w.part.Connect(first)
	w.part.Unclear("what is asked of the other database is not analysed")
}

// sqlIn adds what the arguments would do that are SQL. One that does not stand in
// the text, or one nobody knows the place of, may be any SQL.
func (w *walker) sqlIn(args argument.List) {
	places := catalog.Texts(args.Function, len(args.Nodes))
	if len(places) == 0 {
		w.part.Unclear("a function runs SQL that is not known before it runs")
	}
	for _, place := range places {
		n := args.At(place)
		text, known := args.Text(place)
		switch {
		case n.GetAConst().GetIval() != nil: // of another function with that name
		case !known:
			w.part.Unclear("a function runs SQL that is not known before it runs")
		case w.depth >= maxTexts:
			w.part.Unclear("SQL in SQL in SQL is not analysed")
		default:
			w.nested = append(w.nested, analyse(text, w.depth+1)...)
		}
	}
}
