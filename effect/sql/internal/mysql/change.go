// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mysql

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/toolverdict/toolverdict/effect/sql/internal/fact"
)

func (w *walker) insert(x *sqlparser.Insert) {
	w.part.Verb = "insert"
	if x.Action == sqlparser.ReplaceAct {
		w.part.Verb = "replace"
	}
	if t, ok := x.Table.Expr.(sqlparser.TableName); ok {
		w.change(t)
	}
	for _, c := range x.Columns {
		w.part.Columns.Add(c.Lowered())
	}
	if len(x.Columns) == 0 {
		w.part.Columns.Add(fact.All)
	}
	w.walk(x.Rows, x.OnDup)
	if x.Action == sqlparser.ReplaceAct || len(x.OnDup) > 0 {
		w.part.Unbounded = !w.few(x.Rows)
	}
}

// few reports whether rows stand in the text, or come from a query with a
// condition.
func (w *walker) few(rows sqlparser.InsertRows) bool {
	switch x := rows.(type) {
	case sqlparser.Values, *sqlparser.ValuesStatement:
		return true
	case *sqlparser.Select:
		c := condition{walker: w, everyRow: true}
		return !tables(x.From) || c.chooses(x.Where, x.From)
	case *sqlparser.Union:
		return w.few(x.Left) && w.few(x.Right)
	default:
		return false
	}
}

// tables reports whether there is anything in the list to read rows from: all but
// the table dual, which only that very name stands for.
func tables(from []sqlparser.TableExpr) bool {
	for _, t := range from {
		a, ok := t.(*sqlparser.AliasedTableExpr)
		if !ok || a.As.NotEmpty() {
			return true
		}
		name, ok := a.Expr.(sqlparser.TableName)
		if !ok || !name.Qualifier.IsEmpty() || !strings.EqualFold(name.Name.String(), "dual") {
			return true
		}
	}
	return false
}

func (w *walker) update(x *sqlparser.Update) {
	w.part.Verb = "update"
	w.part.Limit = rows(x.Limit)
	w.from(x.TableExprs)
	all := everySource(x.TableExprs)
	targets := map[string]bool{}
	for _, e := range x.Exprs {
		targets[strings.ToLower(e.Name.Qualifier.Name.String())] = true
	}
	var changed []source
	for _, s := range all {
		if len(all) == 1 || targets[""] || targets[strings.ToLower(s.known)] || targets[strings.ToLower(s.name.Name.String())] {
			changed = append(changed, s)
		}
	}
	w.changed(changed, all, x.Where, x.TableExprs)
	w.walk(x.Exprs, x.Where, x.OrderBy)
}

func (w *walker) delete(x *sqlparser.Delete) {
	w.part.Verb = "delete"
	w.part.Limit = rows(x.Limit)
	w.from(x.TableExprs)
	all := everySource(x.TableExprs)
	changed := all
	if len(x.Targets) > 0 {
		changed = nil
		for _, t := range x.Targets {
			changed = append(changed, find(t, all)...)
		}
	}
	w.changed(changed, all, x.Where, x.TableExprs)
	w.walk(x.Where, x.OrderBy)
}

func everySource(from []sqlparser.TableExpr) []source {
	var all []source
	for _, t := range from {
		all = append(all, sources(t)...)
	}
	return all
}

// find is what a target of DELETE may be the name of: some servers tell u from U.
func find(t sqlparser.TableName, all []source) []source {
	var found []source
	for _, s := range all {
		if t.Qualifier.IsEmpty() && strings.EqualFold(s.known, t.Name.String()) {
			found = append(found, s)
		}
	}
	if len(found) == 0 {
		return []source{{name: t, known: t.Name.String()}}
	}
	return found
}

// twins reports whether two tables are known by names that differ in case only: then
// the text does not show which of them a condition is about.
func twins(all []source) bool {
	seen := make(map[string]string, len(all))
	for _, s := range all {
		folded := strings.ToLower(s.known)
		if other, ok := seen[folded]; ok && other != s.known {
			return true
		}
		seen[folded] = s.known
	}
	return false
}

// from adds the facts of the list but for the tables themselves, of which those
// that are not changed are added as read.
func (w *walker) from(list []sqlparser.TableExpr) {
	for _, t := range list {
		_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
			if a, ok := n.(*sqlparser.AliasedTableExpr); ok {
				if _, table := a.Expr.(sqlparser.TableName); table {
					return false, nil
				}
			}
			return w.visit(n)
		}, t)
	}
}

// changed adds the tables whose rows are changed, the others that the statement
// reads, and whether a condition chooses the rows of each.
func (w *walker) changed(changed, all []source, where *sqlparser.Where, from []sqlparser.TableExpr) {
	names := map[string]bool{}
	w.part.Unbounded = twins(all)
	for _, s := range changed {
		names[strings.ToLower(s.known)] = true
		if s.name.IsEmpty() {
			w.part.Changes.Add(fact.All) // a query, or a view that is written as one
		} else if len(all) == 1 || !s.name.Qualifier.IsEmpty() || !w.scope.has(s.name.Name.String()) {
			// The only table of a statement is never a query of WITH; among several one cannot be changed.
			w.change(s.name)
		}
		c := condition{walker: w, target: s.known, table: s.name}
		if !c.chooses(where, from) {
			w.part.Unbounded = true
		}
	}
	for _, s := range all {
		if !s.name.IsEmpty() && !names[strings.ToLower(s.known)] {
			w.read(s.name)
		}
	}
}
