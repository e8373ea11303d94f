// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolverdict/toolverdict/effect/sql/internal/fact"
)

// define adds a statement that changes the schema, the rights or the server:
// every relation that it names is changed, but for those its queries read.
func (w *walker) define(n *pg.Node) {
	m := inside(n)
	if m == nil {
		defer w.begin("unknown")()
		w.anything("it is a statement that is not known")
		return
	}
	verb := verbOf(n, string(m.Descriptor().Name()))
	defer w.begin(verb)()
	w.part.Unbounded = verb != "create"
	w.changing = true
	switch x := n.Node.(type) {
	case *pg.Node_DropStmt:
		w.drop(x.DropStmt)
	case *pg.Node_GrantStmt:
		w.grant(x.GrantStmt)
	case *pg.Node_CommentStmt:
		w.object(x.CommentStmt.Objtype, x.CommentStmt.Object)
	case *pg.Node_SecLabelStmt:
		w.object(x.SecLabelStmt.Objtype, x.SecLabelStmt.Object)
	case *pg.Node_RuleStmt:
		w.rule(x.RuleStmt)
	case *pg.Node_CreateSchemaStmt:
		w.schema(x.CreateSchemaStmt)
	default:
		w.any(m)
	}
	w.beyond(n, m)
}

// inside is the statement's own message.
func inside(n *pg.Node) protoreflect.Message {
	m := n.ProtoReflect()
	field := m.WhichOneof(m.Descriptor().Oneofs().Get(0))
	if field == nil {
		return nil
	}
	return m.Get(field).Message()
}

// verbOf is the first word that the statement is written with.
func verbOf(n *pg.Node, message string) string {
	switch x := n.Node.(type) {
	case *pg.Node_GrantStmt:
		return grantVerb(x.GrantStmt.IsGrant)
	case *pg.Node_GrantRoleStmt:
		return grantVerb(x.GrantRoleStmt.IsGrant)
	case *pg.Node_CreateSubscriptionStmt, *pg.Node_ViewStmt, *pg.Node_IndexStmt, *pg.Node_RuleStmt, *pg.Node_DefineStmt,
		*pg.Node_CompositeTypeStmt, *pg.Node_CreatedbStmt:
		return "create"
	case *pg.Node_RenameStmt:
		return "alter"
	case *pg.Node_DropdbStmt:
		return "drop"
	case *pg.Node_RefreshMatViewStmt:
		return "refresh"
	case *pg.Node_SecLabelStmt:
		return "security label"
	case *pg.Node_ImportForeignSchemaStmt:
		return "import"
	}
	for _, verb := range []string{"Create", "Alter", "Drop", "Comment", "Cluster", "Reindex", "Reassign"} {
		if strings.HasPrefix(message, verb) {
			return strings.ToLower(verb)
		}
	}
	return strings.ToLower(strings.TrimSuffix(message, "Stmt"))
}

func grantVerb(grant bool) string {
	if grant {
		return "grant"
	}
	return "revoke"
}

// beyond adds what the statement does to what it does not name, and outside the
// database.
func (w *walker) beyond(n *pg.Node, m protoreflect.Message) {
	switch x := n.Node.(type) {
	case *pg.Node_CreateExtensionStmt, *pg.Node_AlterExtensionStmt, *pg.Node_ImportForeignSchemaStmt,
		*pg.Node_DropdbStmt, *pg.Node_DropOwnedStmt, *pg.Node_ReassignOwnedStmt, *pg.Node_AlterTableMoveAllStmt,
		*pg.Node_AlterDefaultPrivilegesStmt, *pg.Node_DropTableSpaceStmt:
		w.part.Changes.Add(fact.All)
	case *pg.Node_ClusterStmt, *pg.Node_ReindexStmt:
		if !w.part.Changes.Any() {
			w.part.Changes.Add(fact.All)
		}
	case *pg.Node_CreateTableSpaceStmt:
		w.part.WriteFile(x.CreateTableSpaceStmt.Location)
	case *pg.Node_CreateSubscriptionStmt:
		w.part.Connect(x.CreateSubscriptionStmt.Conninfo)
		w.part.Changes.Add(fact.All)
	case *pg.Node_AlterSubscriptionStmt:
		w.part.Connect(x.AlterSubscriptionStmt.Conninfo)
		w.part.Changes.Add(fact.All)
	case *pg.Node_DropSubscriptionStmt:
		w.part.Connect("")
	case *pg.Node_AlterSystemStmt:
		w.part.Unclear("settings of the server may run programs and load code")
	case *pg.Node_CreateFunctionStmt:
		w.function(x.CreateFunctionStmt)
	case *pg.Node_RenameStmt:
		w.rename(x.RenameStmt)
		w.objectWithoutRelation(m)
	case *pg.Node_AlterObjectSchemaStmt:
		if r := x.AlterObjectSchemaStmt.Relation; r != nil {
			w.part.Changes.Add(fact.Name(x.AlterObjectSchemaStmt.Newschema, r.Relname))
		}
		w.objectWithoutRelation(m)
	case *pg.Node_AlterOwnerStmt:
		w.objectWithoutRelation(m)
	}
	if cascades(m) {
		w.part.Changes.Add(fact.All)
	}
}

// rename adds the new name of a relation or a column.
func (w *walker) rename(x *pg.RenameStmt) {
	switch x.RenameType {
	case pg.ObjectType_OBJECT_TABLE, pg.ObjectType_OBJECT_VIEW, pg.ObjectType_OBJECT_MATVIEW, pg.ObjectType_OBJECT_INDEX,
		pg.ObjectType_OBJECT_SEQUENCE, pg.ObjectType_OBJECT_FOREIGN_TABLE:
		w.part.Changes.Add(fact.Name(x.Relation.GetSchemaname(), x.Newname))
	case pg.ObjectType_OBJECT_COLUMN:
		w.part.Columns.Add(x.Subname, x.Newname)
	default:
	}
}

// aboutColumn reports whether a command of ALTER TABLE names a column.
func aboutColumn(kind pg.AlterTableType) bool {
	switch kind {
	case pg.AlterTableType_AT_ColumnDefault, pg.AlterTableType_AT_DropNotNull, pg.AlterTableType_AT_SetNotNull,
		pg.AlterTableType_AT_SetExpression, pg.AlterTableType_AT_DropExpression, pg.AlterTableType_AT_SetStatistics,
		pg.AlterTableType_AT_SetOptions, pg.AlterTableType_AT_ResetOptions, pg.AlterTableType_AT_SetStorage,
		pg.AlterTableType_AT_SetCompression, pg.AlterTableType_AT_DropColumn, pg.AlterTableType_AT_AlterColumnType,
		pg.AlterTableType_AT_AlterColumnGenericOptions, pg.AlterTableType_AT_AddIdentity,
		pg.AlterTableType_AT_SetIdentity, pg.AlterTableType_AT_DropIdentity:
		return true
	default:
		return false
	}
}

// objectWithoutRelation adds what a statement says of a schema or a database to
// everything in it.
func (w *walker) objectWithoutRelation(m protoreflect.Message) {
	for _, field := range []protoreflect.Name{"rename_type", "object_type"} {
		f := m.Descriptor().Fields().ByName(field)
		if f == nil {
			continue
		}
		switch pg.ObjectType(m.Get(f).Enum()) {
		case pg.ObjectType_OBJECT_SCHEMA, pg.ObjectType_OBJECT_DATABASE:
			w.part.Changes.Add(fact.All)
		default:
		}
	}
}

// cascades reports whether the statement, or a command of it, says CASCADE.
func cascades(m protoreflect.Message) bool {
	found := false
	m.Range(func(field protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case field.Kind() == protoreflect.EnumKind:
			found = found || field.Enum().Name() == "DropBehavior" && v.Enum() == pg.DropBehavior_DROP_CASCADE.Number()
		case field.Kind() == protoreflect.MessageKind && field.IsList():
			for list, i := v.List(), 0; i < list.Len() && !found; i++ {
				if n, ok := list.Get(i).Message().Interface().(*pg.Node); ok && n.GetAlterTableCmd() != nil {
					found = n.GetAlterTableCmd().Behavior == pg.DropBehavior_DROP_CASCADE
				}
			}
		}
		return !found
	})
	return found
}

func (w *walker) drop(x *pg.DropStmt) {
	for _, n := range x.Objects {
		w.object(x.RemoveType, n)
	}
}

// object adds the relation that an object is, or belongs to.
func (w *walker) object(kind pg.ObjectType, n *pg.Node) {
	parts := texts(n.GetList().GetItems())
	switch kind {
	case pg.ObjectType_OBJECT_TABLE, pg.ObjectType_OBJECT_VIEW, pg.ObjectType_OBJECT_MATVIEW, pg.ObjectType_OBJECT_INDEX,
		pg.ObjectType_OBJECT_SEQUENCE, pg.ObjectType_OBJECT_FOREIGN_TABLE:
		w.part.Changes.Add(relationOf(parts))
	case pg.ObjectType_OBJECT_COLUMN:
		if len(parts) > 1 {
			w.part.Changes.Add(relationOf(parts[:len(parts)-1]))
			w.part.Columns.Add(parts[len(parts)-1])
		}
	case pg.ObjectType_OBJECT_TRIGGER, pg.ObjectType_OBJECT_RULE, pg.ObjectType_OBJECT_POLICY, pg.ObjectType_OBJECT_TABCONSTRAINT:
		if len(parts) > 1 {
			w.part.Changes.Add(relationOf(parts[:len(parts)-1]))
		}
	case pg.ObjectType_OBJECT_SCHEMA, pg.ObjectType_OBJECT_DATABASE, pg.ObjectType_OBJECT_EXTENSION,
		pg.ObjectType_OBJECT_FOREIGN_SERVER, pg.ObjectType_OBJECT_TABLESPACE:
		w.part.Changes.Add(fact.All)
	default:
	}
}

func (w *walker) grant(x *pg.GrantStmt) {
	w.nodes(x.Objects)
	for _, n := range x.Privileges {
		w.part.Columns.Add(texts(n.GetAccessPriv().GetCols())...)
	}
	switch {
	case x.Targtype != pg.GrantTargetType_ACL_TARGET_OBJECT, x.Objtype == pg.ObjectType_OBJECT_SCHEMA,
		x.Objtype == pg.ObjectType_OBJECT_DATABASE:
		w.part.Changes.Add(fact.All)
	}
}

// rule is CREATE RULE: later statements will do its actions as well.
func (w *walker) rule(x *pg.RuleStmt) {
	w.rangeVar(x.Relation)
	w.node(x.WhereClause)
	for _, n := range x.Actions {
		w.merge(n)
	}
}

// merge adds the facts of a statement that others will run.
func (w *walker) merge(n *pg.Node) {
	inner := walker{depth: w.depth}
	inner.statement(n)
	for _, p := range inner.parts {
		w.part.Merge(p)
	}
	w.nested = append(w.nested, inner.nested...)
}

func (w *walker) schema(x *pg.CreateSchemaStmt) {
	for _, n := range x.SchemaElts {
		w.merge(n)
	}
}

// function is CREATE FUNCTION. Its body runs when it is called, and then it is
// a function that is not known; a library is loaded right away.
func (w *walker) function(x *pg.CreateFunctionStmt) {
	code, library := "", false
	for _, n := range x.Options {
		d := n.GetDefElem()
		switch d.GetDefname() {
		case "as":
			if items := d.GetArg().GetList().GetItems(); len(items) > 0 {
				code = items[0].GetString_().GetSval()
			}
		case "language":
			library = strings.EqualFold(d.GetArg().GetString_().GetSval(), "c")
		}
	}
	if library {
		w.part.Library(code)
	}
}
