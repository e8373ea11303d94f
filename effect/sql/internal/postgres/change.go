// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolverdict/toolverdict/effect/sql/internal/fact"
	"github.com/toolverdict/toolverdict/effect/sql/internal/postgres/internal/catalog"
	"github.com/toolverdict/toolverdict/effect/sql/internal/truth"
)

// change adds a statement that changes rows, whole or as a part of another.
func (w *walker) change(n *pg.Node) {
	outer := w.scope
	defer func() { w.scope = outer }()
	switch x := n.Node.(type) {
	case *pg.Node_InsertStmt:
		defer w.begin("insert")()
		w.insert(x.InsertStmt)
	case *pg.Node_UpdateStmt:
		defer w.begin("update")()
		w.update(x.UpdateStmt)
	case *pg.Node_DeleteStmt:
		defer w.begin("delete")()
		w.delete(x.DeleteStmt)
	case *pg.Node_MergeStmt:
		defer w.begin("merge")()
		w.mergeInto(x.MergeStmt)
	}
}

// target is the relation whose rows are changed. It is never a query of WITH.
func (w *walker) target(r *pg.RangeVar) { w.part.Changes.Add(relation(r)) }

// assigned adds the columns that values are given to.
func (w *walker) assigned(list []*pg.Node) {
	for _, n := range list {
		t := n.GetResTarget()
		w.part.Columns.Add(nonEmpty(t.GetName())...)
		w.nodes(t.GetIndirection())
		w.node(t.GetVal())
	}
}

// returning adds what is returned: rows that were there before are read.
func (w *walker) returning(r *pg.RangeVar, list []*pg.Node) {
	if len(list) == 0 {
		return
	}
	w.part.Reads.Add(relation(r))
	w.nodes(list)
	if w.part.Columns.Has(knownAs(r)) {
		w.part.Columns.Add(fact.All)
	}
}

func (w *walker) insert(x *pg.InsertStmt) {
	w.with(x.WithClause)
	w.target(x.Relation)
	w.assigned(x.Cols)
	if len(x.Cols) == 0 {
		w.part.Columns.Add(fact.All)
	}
	w.node(x.SelectStmt)
	if c := x.OnConflictClause; c != nil {
		if c.Infer != nil {
			w.any(c.Infer.ProtoReflect())
		}
		w.assigned(c.TargetList)
		w.node(c.WhereClause)
		w.part.Unbounded = c.Action == pg.OnConflictAction_ONCONFLICT_UPDATE && !fewRows(x)
	}
	w.returning(x.Relation, x.ReturningList)
}

// fewRows reports whether an INSERT that changes rows it conflicts with takes
// them from a list, or from a query with a condition.
func fewRows(x *pg.InsertStmt) bool {
	s := x.SelectStmt.GetSelectStmt()
	if s == nil || listed(s) {
		return true
	}
	if conflicting(x.Relation, x.OnConflictClause.WhereClause) {
		return true
	}
	every := condition{everyRow: true, work: truth.NewWork()}
	return s.Op == pg.SetOperation_SETOP_NONE && every.chooses(s.WhereClause)
}

// listed reports whether the query's rows stand in the text: a function that
// returns many makes as many rows.
func listed(s *pg.SelectStmt) bool {
	if s.Op != pg.SetOperation_SETOP_NONE {
		return listed(s.Larg) && listed(s.Rarg)
	}
	return len(s.FromClause) == 0 && !slices.ContainsFunc(s.TargetList, func(n *pg.Node) bool { return manyRows(n.ProtoReflect()) })
}

// manyRows reports whether a function in an expression may return many rows, or
// nobody knows.
func manyRows(m protoreflect.Message) bool {
	switch x := m.Interface().(type) {
	case *pg.FuncCall:
		if name, r := functionName(x.Funcname); r != catalog.Harmless || catalog.ReturnsMany(name) {
			return true
		}
	case *pg.SelectStmt:
		return false // a query for a value has one
	}
	for part := range parts(m) {
		if manyRows(part) {
			return true
		}
	}
	return false
}

func (w *walker) update(x *pg.UpdateStmt) {
	w.with(x.WithClause)
	w.target(x.Relation)
	w.assigned(x.TargetList)
	w.nodes(x.FromClause)
	w.node(x.WhereClause)
	w.wholeRows(x.FromClause)
	w.returning(x.Relation, x.ReturningList)
	w.part.Unbounded = !chooses(x.Relation, x.WhereClause, x.FromClause...)
}

func (w *walker) delete(x *pg.DeleteStmt) {
	w.with(x.WithClause)
	w.target(x.Relation)
	w.nodes(x.UsingClause)
	w.node(x.WhereClause)
	w.wholeRows(x.UsingClause)
	w.returning(x.Relation, x.ReturningList)
	w.part.Unbounded = !chooses(x.Relation, x.WhereClause, x.UsingClause...)
}

func (w *walker) mergeInto(x *pg.MergeStmt) {
	w.with(x.WithClause)
	w.target(x.Relation)
	w.node(x.SourceRelation)
	w.node(x.JoinCondition)
	for _, n := range x.MergeWhenClauses {
		when := n.GetMergeWhenClause()
		w.node(when.Condition)
		w.assigned(when.TargetList)
		w.nodes(when.Values)
		w.part.Unbounded = w.part.Unbounded || !matchChooses(x, when)
	}
	w.wholeRows([]*pg.Node{x.SourceRelation})
	w.returning(x.Relation, x.ReturningList)
}

// matchChooses reports whether a clause of MERGE changes chosen rows: those
// that match, or, where it is for those that nothing matches, those of its own
// condition.
func matchChooses(x *pg.MergeStmt, when *pg.MergeWhenClause) bool {
	if when.CommandType != pg.CmdType_CMD_UPDATE && when.CommandType != pg.CmdType_CMD_DELETE {
		return true
	}
	if chooses(x.Relation, when.Condition, x.SourceRelation) {
		return true
	}
	return when.MatchKind == pg.MergeMatchKind_MERGE_WHEN_MATCHED && chooses(x.Relation, x.JoinCondition, x.SourceRelation)
}
