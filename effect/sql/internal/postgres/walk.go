// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"iter"

	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/sql/internal/fact"
	"github.com/toolverdict/toolverdict/effect/sql/internal/postgres/internal/catalog"
)

// walker goes through one statement.
type walker struct {
	depth    int // of texts of SQL within texts of SQL
	parts    []*fact.Statement
	part     *fact.Statement // the one that facts are added to
	scope    *scope
	changing bool // relations that are met are changed
	locked   fact.Names
	locks    bool
	nested   []toolverdict.Effect // of texts of SQL within the statement
	values   []value
	fields   []member
}

// scope is the names that WITH gives to queries, innermost first.
type scope struct {
	name  string
	outer *scope
}

func (s *scope) has(name string) bool {
	for ; s != nil; s = s.outer {
		if s.name == name {
			return true
		}
	}
	return false
}

func (w *walker) effects(place int) []toolverdict.Effect {
	var effects []toolverdict.Effect
	for _, p := range w.parts {
		effects = append(effects, p.Effects(place)...)
	}
	effects = append(effects, fact.Within(place, w.nested)...)
	if w.locks {
		lock := fact.Statement{Verb: "lock", Reads: w.locked}
		effects = append(effects, lock.Effects(place)...)
	}
	return effects
}

// begin starts a part with a verb of its own, and returns what ends it.
func (w *walker) begin(verb string) (end func()) {
	before, changing := w.part, w.changing
	w.part, w.changing = &fact.Statement{Verb: verb}, false
	w.parts = append(w.parts, w.part)
	return func() { w.part, w.changing = before, changing }
}

func (w *walker) nodes(list []*pg.Node) {
	for _, n := range list {
		w.node(n)
	}
}

// node adds the facts of an expression, or of whatever else it is.
func (w *walker) node(n *pg.Node) {
	if n == nil {
		return
	}
	switch x := n.Node.(type) {
	case nil, *pg.Node_AConst, *pg.Node_ParamRef, *pg.Node_SqlvalueFunction, *pg.Node_AStar, *pg.Node_String_, *pg.Node_SetToDefault:
	case *pg.Node_ColumnRef:
		w.columnRef(x.ColumnRef)
	case *pg.Node_AExpr:
		w.operator(x.AExpr.Kind, x.AExpr.Name)
		w.node(x.AExpr.Lexpr)
		w.node(x.AExpr.Rexpr)
	case *pg.Node_BoolExpr:
		w.nodes(x.BoolExpr.Args)
	case *pg.Node_FuncCall:
		w.funcCall(x.FuncCall)
	case *pg.Node_TypeCast:
		w.node(x.TypeCast.Arg)
	case *pg.Node_List:
		w.nodes(x.List.Items)
	case *pg.Node_ResTarget:
		w.nodes(x.ResTarget.Indirection)
		w.node(x.ResTarget.Val)
	case *pg.Node_RangeVar:
		w.rangeVar(x.RangeVar)
	case *pg.Node_RangeFunction:
		w.fromFunction(x.RangeFunction)
	case *pg.Node_JoinExpr:
		w.join(x.JoinExpr)
	case *pg.Node_RangeSubselect:
		w.node(x.RangeSubselect.Subquery)
	case *pg.Node_SelectStmt:
		w.query(x.SelectStmt)
	case *pg.Node_SubLink:
		w.node(x.SubLink.Testexpr)
		w.node(x.SubLink.Subselect)
	case *pg.Node_NullTest:
		w.node(x.NullTest.Arg)
	case *pg.Node_SortBy:
		w.operator(pg.A_Expr_Kind_AEXPR_OP, x.SortBy.UseOp)
		w.node(x.SortBy.Node)
	case *pg.Node_AIndirection:
		w.indirection(x.AIndirection)
	case *pg.Node_InsertStmt, *pg.Node_UpdateStmt, *pg.Node_DeleteStmt, *pg.Node_MergeStmt:
		w.change(n)
	default:
		w.any(n.ProtoReflect())
	}
}

// any searches a message of a kind that needs nothing special.
func (w *walker) any(m protoreflect.Message) {
	for part := range parts(m) {
		w.message(part)
	}
}

// parts are the messages in a message, in the order of its fields: the same text
// has to give the same effects, and protobuf's own walk is in no order.
func parts(m protoreflect.Message) iter.Seq[protoreflect.Message] {
	return func(yield func(protoreflect.Message) bool) {
		if n, ok := m.Interface().(*pg.Node); ok { // it has a field for each kind of node
			if in := inside(n); in != nil {
				yield(in)
			}
			return
		}
		for i, fields := 0, m.Descriptor().Fields(); i < fields.Len(); i++ {
			field := fields.Get(i)
			if field.Kind() == protoreflect.MessageKind && m.Has(field) && !eachOf(field, m.Get(field), yield) {
				return
			}
		}
	}
}

// eachOf goes through the messages of a field, until one is not accepted.
func eachOf(field protoreflect.FieldDescriptor, v protoreflect.Value, yield func(protoreflect.Message) bool) bool {
	if !field.IsList() {
		return yield(v.Message())
	}
	for list, i := v.List(), 0; i < list.Len(); i++ {
		if !yield(list.Get(i).Message()) {
			return false
		}
	}
	return true
}

// message is a message that is a field of another.
func (w *walker) message(m protoreflect.Message) {
	switch x := m.Interface().(type) {
	case *pg.Node:
		w.node(x)
	case *pg.RangeVar:
		w.rangeVar(x)
	case *pg.SelectStmt:
		w.query(x)
	case *pg.FuncCall:
		w.funcCall(x)
	case *pg.ColumnDef:
		w.part.Columns.Add(x.Colname)
		w.any(m)
	case *pg.IndexElem:
		w.part.Columns.Add(nonEmpty(x.Name)...)
		w.any(m)
	case *pg.AlterTableCmd:
		if aboutColumn(x.Subtype) {
			w.part.Columns.Add(x.Name)
		}
		w.any(m)
	case *pg.TableLikeClause:
		w.part.Reads.Add(relation(x.Relation))
	case *pg.TypeName:
	default:
		w.any(m)
	}
}

func nonEmpty(name string) []string {
	if name == "" {
		return nil
	}
	return []string{name}
}

// columnRef adds the column. A name alone may be that of a whole row.
func (w *walker) columnRef(c *pg.ColumnRef) {
	last := c.Fields[len(c.Fields)-1]
	if s := last.GetString_(); s != nil {
		w.part.Columns.Add(s.Sval)
		if len(c.Fields) == 2 {
			w.fields = append(w.fields, member{c.Fields[0].GetString_().GetSval(), s.Sval, w.part})
		}
		return
	}
	w.part.Columns.Add(fact.All)
}

func (w *walker) indirection(a *pg.A_Indirection) {
	w.node(a.Arg)
	args := []*pg.Node{a.Arg}
	for _, n := range a.Indirection {
		switch x := n.Node.(type) {
		case *pg.Node_String_:
			w.part.Columns.Add(x.String_.Sval)
			if !isRow(args) {
				w.memberOf(x.String_.Sval, args)
			}
		case *pg.Node_AStar:
			w.part.Columns.Add(fact.All)
		default:
			w.node(n)
		}
		args = nil
	}
}

// operator adds an operator that is not PostgreSQL's own to the functions.
func (w *walker) operator(kind pg.A_Expr_Kind, name []*pg.Node) {
	parts := texts(name)
	switch {
	case len(parts) == 0, kind == pg.A_Expr_Kind_AEXPR_BETWEEN, kind == pg.A_Expr_Kind_AEXPR_NOT_BETWEEN,
		kind == pg.A_Expr_Kind_AEXPR_BETWEEN_SYM, kind == pg.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM:
		return
	case len(parts) == 2 && parts[0] == ownSchema:
		parts = parts[1:]
	}
	if len(parts) != 1 || !catalog.KnownOperator(parts[0]) {
		w.part.Functions.Add("operator " + fact.Name(parts...))
	}
}

// ownSchema is where what PostgreSQL brings along is.
const ownSchema = "pg_catalog"

// texts are the parts of a name.
func texts(list []*pg.Node) []string {
	parts := make([]string, 0, len(list))
	for _, n := range list {
		if s := n.GetString_(); s != nil {
			parts = append(parts, s.Sval)
		}
	}
	return parts
}

func (w *walker) rangeVar(r *pg.RangeVar) {
	if r == nil || r.Relname == "" {
		return
	}
	if w.changing {
		w.part.Changes.Add(relation(r))
		return
	}
	if r.Schemaname == "" && w.scope.has(r.Relname) {
		return
	}
	w.part.Reads.Add(relation(r))
}

// relation is the name with its schema, as it is given. PostgreSQL takes the name
// of its database in front of it, and no other: it says nothing.
func relation(r *pg.RangeVar) string { return fact.Name(r.Schemaname, r.Relname) }

// relationOf is the same for a name in parts.
func relationOf(parts []string) string { return fact.Name(parts[max(len(parts)-2, 0):]...) }

func (w *walker) join(j *pg.JoinExpr) {
	w.node(j.Larg)
	w.node(j.Rarg)
	w.node(j.Quals)
	w.part.Columns.Add(texts(j.UsingClause)...)
	if j.IsNatural {
		w.part.Columns.Add(fact.All)
	}
}

// query adds the facts of a SELECT, whole or as a part of something.
func (w *walker) query(s *pg.SelectStmt) {
	if s == nil {
		return
	}
	outer, changing := w.scope, w.changing
	w.changing = false
	defer func() { w.scope, w.changing = outer, changing }()
	w.with(s.WithClause)
	w.into(s.IntoClause)
	w.query(s.Larg)
	w.query(s.Rarg)
	w.nodes(s.FromClause)
	w.nodes(s.DistinctClause)
	w.nodes(s.TargetList)
	w.node(s.WhereClause)
	w.nodes(s.GroupClause)
	w.node(s.HavingClause)
	w.nodes(s.WindowClause)
	w.nodes(s.ValuesLists)
	w.sorting(s)
	w.node(s.LimitOffset)
	w.node(s.LimitCount)
	w.wholeRows(s.FromClause)
	for _, n := range s.LockingClause {
		w.lock(s, n.GetLockingClause())
	}
}

// sorting leaves out names of the query's own results.
func (w *walker) sorting(s *pg.SelectStmt) {
	for _, n := range s.SortClause {
		if c := n.GetSortBy().GetNode().GetColumnRef(); c != nil && len(c.Fields) == 1 && results(s).Has(c.Fields[0].GetString_().GetSval()) {
			continue
		}
		w.node(n)
	}
}

func results(s *pg.SelectStmt) *fact.Names {
	var names fact.Names
	for _, n := range s.TargetList {
		names.Add(nonEmpty(n.GetResTarget().GetName())...)
	}
	return &names
}

// wholeRows adds all columns where a name is that of a relation of the list,
// which stands for its whole row.
func (w *walker) wholeRows(from []*pg.Node) {
	for _, n := range from {
		for _, name := range tables(n) {
			if w.part.Columns.Has(name) {
				w.part.Columns.Add(fact.All)
			}
		}
	}
}

// tables are the names that an item of a FROM list is known by.
func tables(n *pg.Node) []string {
	switch x := n.GetNode().(type) {
	case *pg.Node_RangeVar:
		return []string{knownAs(x.RangeVar)}
	case *pg.Node_JoinExpr:
		names := append(tables(x.JoinExpr.Larg), tables(x.JoinExpr.Rarg)...)
		return append(names, nonEmpty(x.JoinExpr.Alias.GetAliasname())...)
	case *pg.Node_RangeSubselect:
		return nonEmpty(x.RangeSubselect.Alias.GetAliasname())
	case *pg.Node_RangeFunction:
		return nonEmpty(x.RangeFunction.Alias.GetAliasname())
	case *pg.Node_RangeTableSample:
		return tables(x.RangeTableSample.Relation)
	case *pg.Node_RangeTableFunc:
		return nonEmpty(x.RangeTableFunc.Alias.GetAliasname())
	case *pg.Node_JsonTable:
		return nonEmpty(x.JsonTable.Alias.GetAliasname())
	default:
		return nil
	}
}

func knownAs(r *pg.RangeVar) string {
	if name := r.Alias.GetAliasname(); name != "" {
		return name
	}
	return r.Relname
}

// lock adds the relations whose rows FOR UPDATE or FOR SHARE locks: all of the
// FROM list, or those that it names, as the list knows them.
func (w *walker) lock(s *pg.SelectStmt, l *pg.LockingClause) {
	w.locks = true
	var named fact.Names
	for _, n := range l.GetLockedRels() {
		named.Add(n.GetRangeVar().GetRelname())
	}
	for _, n := range s.FromClause {
		for name, relation := range lockable(n) {
			if !named.Any() || named.Has(name) {
				w.locked.Add(relation)
			}
		}
	}
}

// lockable are the relations of an item of a FROM list, by the names they are
// known by.
func lockable(n *pg.Node) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		switch x := n.GetNode().(type) {
		case *pg.Node_RangeVar:
			yield(knownAs(x.RangeVar), relation(x.RangeVar))
		case *pg.Node_JoinExpr:
			for _, side := range []*pg.Node{x.JoinExpr.Larg, x.JoinExpr.Rarg} {
				for name, relation := range lockable(side) {
					if !yield(name, relation) {
						return
					}
				}
			}
		default:
			for _, name := range tables(n) {
				if !yield(name, fact.All) {
					return
				}
			}
		}
	}
}

// with adds the queries of a WITH clause. What follows sees their names; each
// of them sees those before it, or all where it says RECURSIVE.
func (w *walker) with(c *pg.WithClause) {
	if c == nil {
		return
	}
	inner := w.scope
	for _, n := range c.Ctes {
		inner = &scope{name: n.GetCommonTableExpr().GetCtename(), outer: inner}
	}
	if c.Recursive {
		w.scope = inner
	}
	for _, n := range c.Ctes {
		e := n.GetCommonTableExpr()
		w.node(e.GetCtequery())
		if e.SearchClause != nil || e.CycleClause != nil {
			w.part.Columns.Add(texts(e.GetSearchClause().GetSearchColList())...)
			w.part.Columns.Add(texts(e.GetCycleClause().GetCycleColList())...)
		}
		if !c.Recursive {
			w.scope = &scope{name: e.GetCtename(), outer: w.scope}
		}
	}
	w.scope = inner
}
