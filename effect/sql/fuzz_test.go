// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/sql"
)

func FuzzPostgreSQL(f *testing.F) {
	sql.Warm() // the first text must not take its worker's ten seconds
	fuzz(f, sql.PostgreSQL)
}

func FuzzMySQL(f *testing.F) { fuzz(f, sql.MySQL) }

func FuzzSQLite(f *testing.F) { fuzz(f, sql.SQLite) }

// fuzz starts from the dialect's cases, besides the corpus.
func fuzz(f *testing.F, dialect sql.Dialect) {
	f.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "cases", string(dialect)+".txt"))
	if err != nil {
		f.Fatal(err)
	}
	for block := range strings.SplitSeq(string(text), "\n\n") {
		statement, _, _ := strings.Cut(block, "\n=> ")
		f.Add(statement)
	}
	f.Fuzz(func(t *testing.T, text string) { check(t, dialect, text) })
}

// check holds for every text whatever.
func check(t *testing.T, dialect sql.Dialect, text string) {
	t.Helper()
	effects := sql.Analyse(dialect, text)
	if len(effects) == 0 {
		t.Error("no effects")
	}
	if again := sql.Analyse(dialect, text); show(again) != show(effects) {
		t.Errorf("not read the same way twice:\n%s\n%s", show(effects), show(again))
	}
	last := 1
	for _, e := range effects {
		switch {
		case e.Kind == toolverdict.EffectOpaque:
			if e.Detail == "" || strings.Contains(e.Detail, "failed") || strings.Contains(e.Detail, "stopped") {
				t.Errorf("opaque because %q", e.Detail)
			}
		case e.Kind == toolverdict.EffectQuery:
			checkQuery(t, e.Query)
			if dialect == sql.SQLite && e.Query.Statement < last { // the others' are told reading by reading
				t.Errorf("statement %d behind %d", e.Query.Statement, last)
			}
			last = e.Query.Statement
		}
	}
	// Where a second statement follows, no rule may miss it.
	if more := sql.Analyse(dialect, text+"\n;DROP TABLE canary"); !drops(more, "canary") && !opaque(more) && !opaque(effects) {
		t.Errorf("a statement behind it is not seen: %s", show(more))
	}
}

func checkQuery(t *testing.T, q *toolverdict.Query) {
	t.Helper()
	if q.Verb == "" || q.Verb != strings.ToLower(q.Verb) || q.Statement < 1 || q.Limit < 0 {
		t.Errorf("got %+v", q)
	}
	for _, list := range [][]string{q.Reads, q.Changes, q.Columns, q.Functions} {
		seen := map[string]bool{}
		for _, name := range list {
			if name == "" || seen[name] {
				t.Errorf("%q is among %q twice, or empty", name, list)
			}
			seen[name] = true
		}
	}
}

func opaque(effects []toolverdict.Effect) bool {
	for _, e := range effects {
		if e.Kind == toolverdict.EffectOpaque {
			return true
		}
	}
	return false
}

// drops reports whether a statement drops the table and, where USE chose a database,
// the table of that database, and nothing else.
func drops(effects []toolverdict.Effect, table string) bool {
	return slices.ContainsFunc(effects, func(e toolverdict.Effect) bool {
		return e.Query != nil && e.Query.Verb == "drop" && slices.Contains(e.Query.Changes, table) &&
			!slices.ContainsFunc(e.Query.Changes, func(c string) bool { return c != table && !strings.HasSuffix(c, "."+table) })
	})
}
