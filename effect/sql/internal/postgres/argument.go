// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/toolverdict/toolverdict/effect/sql/internal/postgres/internal/catalog"
)

// arguments are those of a call, by place and by name.
type arguments struct {
	function string // the last part of its name
	list     []*pg.Node
}

// at is the argument for the parameter at the place; nil where none is given, or
// where it is not known which one is.
func (a arguments) at(place int) *pg.Node {
	if place < len(a.list) && a.list[place].GetNamedArgExpr() == nil {
		return a.list[place]
	}
	for _, n := range a.list {
		if x := n.GetNamedArgExpr(); x != nil && x.Name == catalog.Parameter(a.function, place) {
			return x.Arg
		}
	}
	return nil
}

// text is the argument where it is a text that stands in the statement.
func (a arguments) text(place int) (string, bool) {
	n := a.at(place)
	for n.GetTypeCast() != nil {
		if !keepsText(n.GetTypeCast().TypeName) {
			return "", false
		}
		n = n.GetTypeCast().Arg
	}
	s := n.GetAConst().GetSval()
	return s.GetSval(), s != nil
}

// keepsText reports whether a cast to the type leaves a text as it is: one to
// varchar(5) cuts it.
func keepsText(t *pg.TypeName) bool {
	names := texts(t.GetNames())
	if len(names) == 0 || len(t.Typmods) > 0 || len(t.ArrayBounds) > 0 || len(names) == 2 && names[0] != ownSchema {
		return false
	}
	return slices.Contains([]string{"text", "varchar", "bpchar", "regclass"}, names[len(names)-1])
}

// sqlIn adds what the arguments would do that are SQL. One that does not stand in
// the text, or one nobody knows the place of, may be any SQL.
func (w *walker) sqlIn(args arguments) {
	places := catalog.Texts(args.function, len(args.list))
	if len(places) == 0 {
		w.part.Unclear("a function runs SQL that is not known before it runs")
	}
	for _, place := range places {
		n := args.at(place)
		text, known := args.text(place)
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
