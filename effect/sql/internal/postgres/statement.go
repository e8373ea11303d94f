// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/toolverdict/toolverdict/effect/sql/internal/fact"
)

// statement adds a statement that runs.
func (w *walker) statement(n *pg.Node) {
	defer w.members()
	switch x := n.GetNode().(type) {
	case *pg.Node_SelectStmt:
		defer w.begin("select")()
		w.query(x.SelectStmt)
		w.part.Limit = limit(x.SelectStmt)
	case *pg.Node_InsertStmt, *pg.Node_UpdateStmt, *pg.Node_DeleteStmt, *pg.Node_MergeStmt:
		w.change(n)
	case *pg.Node_ExplainStmt:
		w.explain(x.ExplainStmt)
	case *pg.Node_CreateTableAsStmt:
		defer w.begin("create")()
		w.into(x.CreateTableAsStmt.Into)
		w.runs(x.CreateTableAsStmt.Query)
	case *pg.Node_CopyStmt:
		w.copy(x.CopyStmt)
	case *pg.Node_PrepareStmt:
		w.later("prepare", x.PrepareStmt.Query)
	case *pg.Node_DeclareCursorStmt:
		w.later("declare", x.DeclareCursorStmt.Query)
	case *pg.Node_ExecuteStmt:
		defer w.begin("execute")()
		w.nodes(x.ExecuteStmt.Params)
		w.anything("what was prepared is not known")
	case *pg.Node_CallStmt:
		defer w.begin("call")()
		w.call(x.CallStmt.Funccall)
	case *pg.Node_DoStmt:
		defer w.begin("do")()
		w.anything("procedural code is not analysed")
	case *pg.Node_TruncateStmt:
		w.touch("truncate", x.TruncateStmt.Relations, x.TruncateStmt.Behavior == pg.DropBehavior_DROP_CASCADE)
	case *pg.Node_VacuumStmt:
		w.vacuum(x.VacuumStmt)
	case *pg.Node_LockStmt:
		defer w.begin("lock")()
		w.nodes(x.LockStmt.Relations)
	default:
		if !w.session(n) {
			w.define(n)
		}
	}
}

// anything says that the current part may do whatever the user may.
func (w *walker) anything(why string) {
	w.part.Reads.Add(fact.All)
	w.part.Changes.Add(fact.All)
	w.part.Unbounded = true
	w.part.Unclear(why)
}

// touch is a statement that changes whole relations.
func (w *walker) touch(verb string, relations []*pg.Node, more bool) {
	defer w.begin(verb)()
	w.part.Unbounded = true
	w.changing = true
	w.nodes(relations)
	if more || len(relations) == 0 {
		w.part.Changes.Add(fact.All)
	}
}

// into is the table that a query's rows go to.
func (w *walker) into(c *pg.IntoClause) {
	if c == nil {
		return
	}
	w.part.Verb = "create"
	w.part.Changes.Add(relation(c.Rel))
	w.part.Columns.Add(texts(c.ColNames)...)
}

// runs adds a query that runs as a part of the current statement.
func (w *walker) runs(n *pg.Node) {
	if x := n.GetExecuteStmt(); x != nil {
		w.anything("what was prepared is not known")
		return
	}
	w.node(n)
}

// later is a statement whose query runs some time after it, as a part of others
// that do not name it: its facts are told here.
func (w *walker) later(verb string, query *pg.Node) {
	inner := walker{depth: w.depth}
	inner.statement(query)
	defer w.begin(verb)()
	for _, p := range inner.parts {
		w.part.Merge(p)
	}
	w.nested = append(w.nested, inner.nested...)
	w.locks = w.locks || inner.locks
	w.locked.Add(inner.locked.List()...)
}

// explain runs the statement only where it says ANALYZE. Without, PostgreSQL
// plans it, and may call functions for that.
func (w *walker) explain(x *pg.ExplainStmt) {
	for _, n := range x.Options {
		if d := n.GetDefElem(); d.GetDefname() == "analyze" && !off(d.GetArg()) {
			w.statement(x.Query)
			return
		}
	}
	inner := walker{depth: w.depth}
	inner.statement(x.Query)
	defer w.begin("explain")()
	for _, p := range inner.parts {
		w.part.Reads.Add(p.Reads.List()...)
		w.part.Reads.Add(p.Changes.List()...)
		w.part.Columns.Add(p.Columns.List()...)
		w.part.Functions.Add(p.Functions.List()...)
	}
}

// off reports whether an option is given a value that PostgreSQL reads as false.
func off(n *pg.Node) bool {
	switch x := n.GetNode().(type) {
	case *pg.Node_Boolean:
		return !x.Boolean.Boolval
	case *pg.Node_Integer:
		return x.Integer.Ival == 0
	case *pg.Node_String_:
		return strings.EqualFold(x.String_.Sval, "false") || strings.EqualFold(x.String_.Sval, "off")
	default:
		return false
	}
}

func (w *walker) copy(x *pg.CopyStmt) {
	if x.Query.GetSelectStmt() == nil && x.Query != nil {
		w.statement(x.Query)
	}
	defer w.begin("copy")()
	w.query(x.Query.GetSelectStmt())
	w.changing = x.IsFrom
	w.rangeVar(x.Relation)
	w.node(x.WhereClause)
	w.part.Columns.Add(texts(x.Attlist)...)
	if len(x.Attlist) == 0 && x.Relation != nil {
		w.part.Columns.Add(fact.All)
	}
	switch {
	case x.IsProgram:
		w.part.Shell(x.Filename)
	case x.Filename == "":
	case x.IsFrom:
		w.part.ReadFile(x.Filename)
	default:
		w.part.WriteFile(x.Filename)
	}
}

func (w *walker) call(f *pg.FuncCall) {
	w.nodes(f.GetArgs())
	name, _ := functionName(f.GetFuncname())
	w.part.Functions.Add(name)
	w.anything("procedural code is not analysed")
}

func (w *walker) vacuum(x *pg.VacuumStmt) {
	verb := "analyze"
	if x.IsVacuumcmd {
		verb = "vacuum"
	}
	w.touch(verb, x.Rels, false)
	for _, n := range x.Rels {
		w.parts[len(w.parts)-1].Columns.Add(texts(n.GetVacuumRelation().GetVaCols())...)
	}
}

// limit is the number of rows that the query says it returns at most.
func limit(s *pg.SelectStmt) int64 {
	if s.LimitOption == pg.LimitOption_LIMIT_OPTION_WITH_TIES {
		return 0
	}
	c := s.LimitCount.GetAConst()
	if c == nil {
		return 0
	}
	if i := c.GetIval(); i != nil {
		return max(int64(i.Ival), 0)
	}
	n, err := strconv.ParseInt(c.GetFval().GetFval(), 10, 64)
	if err != nil {
		return 0
	}
	return max(n, 0)
}
