// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/sql"
)

func dialects() []sql.Dialect { return []sql.Dialect{sql.PostgreSQL, sql.MySQL, sql.SQLite} }

// TestEveryDialect holds what the dialects have in common.
func TestEveryDialect(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"SELECT id, total FROM orders WHERE user_id = 7 LIMIT 10": "1 select reads orders columns id,total,user_id limit 10",
		"DELETE FROM orders WHERE id = 7":                         "1 delete changes orders columns id",
		"DELETE FROM orders":                                      "1 delete changes orders UNBOUNDED",
		"UPDATE orders SET total = 0 WHERE 1 = 1":                 "1 update changes orders columns total UNBOUNDED",
		"SELECT 1; DROP TABLE orders":                             "1 select; 2 drop changes orders UNBOUNDED",
		"WITH o AS (SELECT * FROM orders) SELECT * FROM o":        "1 select reads orders columns *",
		"SELECT frobnicate(1)":                                    "1 select calls frobnicate",
		"nonsense":                                                "opaque",
		"":                                                        "opaque",
		" -- nothing\n ;":                                         "opaque",
		"SELECT 'open":                                            "opaque",
		"SELECT 1\x00":                                            "opaque",
		"SELECT '\xff'":                                           "opaque",
		"\ufeffSELECT 1":                                          "opaque",
		"SELECT '" + strings.Repeat("x", sql.MaxBytes) + "'": "opaque",
	} {
		for _, dialect := range dialects() {
			if got := show(sql.Analyse(dialect, text)); got != want {
				t.Errorf("%s: %.80q:\ngot  %s\nwant %s", dialect, text, got, want)
			}
		}
	}
}

// TestUnknownDialect: a dialect that nobody knows is no reason to let a text by.
func TestUnknownDialect(t *testing.T) {
	t.Parallel()
	for _, dialect := range []sql.Dialect{"", "oracle", "POSTGRES"} {
		effects := sql.Analyse(dialect, "SELECT 1")
		if len(effects) != 1 || effects[0].Kind != toolverdict.EffectOpaque || effects[0].Detail == "" {
			t.Errorf("%q: got %+v", dialect, effects)
		}
	}
}

// TestWhoseFile tells the server's files from those of the client.
func TestWhoseFile(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"LOAD DATA INFILE '/etc/passwd' INTO TABLE t":         "on the database server",
		"LOAD DATA INFILE '/etc/passwd' INTO TABLE t (local)": "on the database server",
		"LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE t":   "on the database's client",
		"LOAD XML LOCAL INFILE '/etc/passwd' INTO TABLE t":    "on the database's client",
	} {
		effects := sql.Analyse(sql.MySQL, text)
		if last := effects[len(effects)-1]; last.Kind != toolverdict.EffectRead || last.Path != "/etc/passwd" || last.Detail != want {
			t.Errorf("%s: got %s %q", text, show(effects), last.Detail)
		}
	}
}
