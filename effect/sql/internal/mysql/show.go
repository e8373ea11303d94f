// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mysql

import (
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/toolverdict/toolverdict/effect/sql/internal/fact"
	"github.com/toolverdict/toolverdict/effect/sql/internal/mysql/internal/token"
)

// shown adds a SHOW. None of them changes anything, but a condition may call
// what does, and the parser skips those of many.
func (w *walker) shown(s token.Statement) {
	condition := showCondition(s)
	asked := parse(condition)
	tree := parse(s)
	switch {
	case condition != nil && asked == nil, condition == nil && brackets(s), tree != nil && !w.tree(tree):
		w.unparsed(s)
		return
	case condition != nil:
		w.walk(asked)
	}
	w.part.Verb = "show"
	w.part.Reads.Add(tells(s)...)
}

func (w *walker) show(x *sqlparser.Show) bool {
	w.part.Verb = "show"
	switch s := x.Internal.(type) {
	case *sqlparser.ShowBasic:
		switch s.Command {
		case sqlparser.GtidExecGlobal, sqlparser.VGtidExecGlobal, sqlparser.VitessMigrations, sqlparser.VitessReplicationStatus,
			sqlparser.VitessShards, sqlparser.VitessTablets, sqlparser.VitessTarget, sqlparser.VitessVariables,
			sqlparser.VschemaTables, sqlparser.VschemaKeyspaces, sqlparser.VschemaVindexes, sqlparser.Keyspace:
			return false
		default:
		}
	case *sqlparser.ShowCreate:
		switch s.Command {
		case sqlparser.CreateDb, sqlparser.CreateE, sqlparser.CreateF, sqlparser.CreateProc, sqlparser.CreateTr:
			return true // the name is that of something else
		default:
		}
	case *sqlparser.ShowTransactionStatus:
		return false
	}
	w.walk(x)
	return true
}

// tells are the relations that a SHOW shows something of besides the one it names.
// The schema and the settings are none; what others ask and who they are is kept
// in tables, and the log holds the rows of all.
func tells(s token.Statement) []string {
	s = s[1:]
	for len(s) > 0 && among(s[0], []string{"FULL", "EXTENDED", "GLOBAL", "SESSION", "LOCAL", "STORAGE"}) {
		s = s[1:]
	}
	switch {
	case len(s) == 0:
	case s.Is("PROCESSLIST"), s.Is("EXPLAIN"), s.Is("ANALYZE"):
		return []string{"information_schema.processlist"}
	case s.Is("GRANTS"), s.Is("CREATE", "USER"):
		return []string{"mysql.user"}
	case describes(s):
		return nil
	}
	return []string{fact.All}
}

// describes reports whether what is shown is the schema, settings, or what this
// session did.
func describes(s token.Statement) bool {
	if s.Is("MASTER", "STATUS") || s.Is("BINARY") || s.Is("CREATE") {
		return true
	}
	return among(s[0], []string{"TABLES", "TABLE", "COLUMNS", "FIELDS", "INDEX", "INDEXES", "KEYS", "DATABASES", "SCHEMAS", "WARNINGS",
		"ERRORS", "COUNT", "VARIABLES", "STATUS", "CHARACTER", "CHARSET", "COLLATION", "ENGINES", "PLUGINS", "PRIVILEGES",
		"TRIGGERS", "EVENTS", "PROCEDURE", "FUNCTION", "PACKAGE", "OPEN", "PROFILE", "PROFILES", "PARSE_TREE", "LOCALES"})
}

// showCondition is the condition of a SHOW, as one of a query; nil without one. The
// parser skips it for some.
func showCondition(s token.Statement) token.Statement {
	for i, t := range s {
		if t.Is("WHERE") {
			return append(token.Statement{keyword("SELECT"), {Kind: token.Number, Text: "1"}, keyword("FROM"), keyword("DUAL")}, s[i:]...)
		}
	}
	return nil
}

// brackets reports whether something is called or queried in the statement, but
// for SHOW COUNT(*).
func brackets(s token.Statement) bool {
	if s.Is("SHOW", "COUNT") && len(s) == 6 && s[3].Text == "*" {
		return false
	}
	return slices.ContainsFunc(s, func(t token.Token) bool { return t.Kind == token.Symbol && t.Text == "(" })
}
