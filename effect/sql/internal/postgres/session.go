// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/toolverdict/toolverdict/effect/sql/internal/fact"
)

// session adds a statement about the session, its transaction or the server,
// and reports whether it was one.
func (w *walker) session(n *pg.Node) bool {
	var verb string
	switch x := n.GetNode().(type) {
	case *pg.Node_TransactionStmt:
		verb = transaction(x.TransactionStmt.Kind)
	case *pg.Node_VariableSetStmt:
		w.set(x.VariableSetStmt)
		return true
	case *pg.Node_VariableShowStmt:
		verb = "show"
	case *pg.Node_FetchStmt:
		verb = "fetch"
	case *pg.Node_ClosePortalStmt:
		verb = "close"
	case *pg.Node_DeallocateStmt:
		verb = "deallocate"
	case *pg.Node_ListenStmt:
		verb = "listen"
	case *pg.Node_UnlistenStmt:
		verb = "unlisten"
	case *pg.Node_NotifyStmt:
		verb = "notify"
	case *pg.Node_DiscardStmt:
		defer w.begin("discard")()
		if d := x.DiscardStmt.Target; d == pg.DiscardMode_DISCARD_ALL || d == pg.DiscardMode_DISCARD_TEMP {
			w.part.Changes.Add(fact.All) // temporary tables are dropped
			w.part.Unbounded = true
		}
		return true
	case *pg.Node_ConstraintsSetStmt:
		verb = "set"
	case *pg.Node_CheckPointStmt:
		verb = "checkpoint"
	case *pg.Node_LoadStmt:
		defer w.begin("load")()
		w.part.Library(x.LoadStmt.Filename)
		return true
	default:
		return false
	}
	w.begin(verb)()
	return true
}

func transaction(kind pg.TransactionStmtKind) string {
	switch kind {
	case pg.TransactionStmtKind_TRANS_STMT_BEGIN, pg.TransactionStmtKind_TRANS_STMT_START:
		return "begin"
	case pg.TransactionStmtKind_TRANS_STMT_COMMIT, pg.TransactionStmtKind_TRANS_STMT_COMMIT_PREPARED:
		return "commit"
	case pg.TransactionStmtKind_TRANS_STMT_SAVEPOINT:
		return "savepoint"
	case pg.TransactionStmtKind_TRANS_STMT_RELEASE:
		return "release"
	case pg.TransactionStmtKind_TRANS_STMT_PREPARE:
		return "prepare"
	default:
		return "rollback"
	}
}

// set is SET and RESET. A setting that changes how a text is read makes what
// follows another text than the one analysed here.
func (w *walker) set(x *pg.VariableSetStmt) {
	defer w.begin("set")()
	w.nodes(x.Args)
	if x.Kind == pg.VariableSetKind_VAR_RESET_ALL {
		return
	}
	switch strings.ToLower(x.Name) {
	case "standard_conforming_strings", "backslash_quote", "escape_string_warning", "client_encoding":
		w.part.Unclear("it changes how the texts after it are read")
	case "search_path":
		w.part.Unclear("it changes what the names after it stand for")
	case "session_authorization", "role":
		w.part.Unclear("it changes whose rights the statements after it have")
	case "local_preload_libraries", "session_preload_libraries", "dynamic_library_path":
		w.part.Unclear("it changes what code the server loads")
	}
}
