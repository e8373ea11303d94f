// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"context"
	stdsql "database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // the database itself

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/sql"
)

const sqliteSchema = `
CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, total INT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, name TEXT, total INT);
CREATE TABLE "odd name" (id INTEGER PRIMARY KEY, name TEXT, total INT);
INSERT INTO users VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3);
INSERT INTO orders SELECT * FROM users; INSERT INTO "odd name" SELECT * FROM users;`

func openSQLite(t *testing.T) *stdsql.DB {
	t.Helper()
	db, err := stdsql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1) // another connection would have another database
	if _, err := db.ExecContext(t.Context(), sqliteSchema); err != nil {
		t.Fatal(err)
	}
	return db
}

// tables is what every table holds, and how it is defined.
func tables(ctx context.Context, t *testing.T, tx *stdsql.Tx) map[string]string {
	t.Helper()
	found := list(ctx, t, tx, "SELECT name || char(10) || ifnull(sql, '') FROM sqlite_master WHERE type IN ('table', 'view')")
	all := map[string]string{}
	for _, entry := range found {
		name, _, _ := strings.Cut(entry, "\n")
		rows := []string{}
		if strings.HasPrefix(entry, name+"\nCREATE TABLE") {
			rows = list(ctx, t, tx, `SELECT quote(id) || quote(name) || quote(total) FROM "`+name+`" ORDER BY 1`)
		}
		all[name] = entry + strings.Join(rows, ";")
	}
	return all
}

func list(ctx context.Context, t *testing.T, tx *stdsql.Tx, query string) []string {
	t.Helper()
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return []string{err.Error()} // a table without these columns
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var s stdsql.NullString
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		all = append(all, s.String)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestSQLiteDifferential runs statements in SQLite itself: every table that one
// changes has to be among those that the analysis tells.
func TestSQLiteDifferential(t *testing.T) {
	t.Parallel()
	db := openSQLite(t)
	g := &sqliteTexts{r: rand.New(rand.NewPCG(1, 2))}
	ran, changing, unread, every := 0, 0, 0, 0
	for range 1500 {
		text := g.text()
		changed, ok := runSQLite(t, db, text)
		if !ok {
			continue
		}
		ran++
		effects := sql.Analyse(sql.SQLite, text)
		if len(changed) > 0 {
			changing++
		}
		if opaque(effects) {
			unread++
		}
		for _, bounded := range g.chosen {
			every++
			if !opaque(effects) && !tellsBounds(effects, bounded) {
				t.Errorf("%s\nwhether rows are chosen is %v, and the analysis tells %s", text, bounded, show(effects))
			}
		}
		for _, name := range changed {
			if !opaque(effects) && !tellsTable(effects, name) {
				t.Errorf("%s\nchanges %s, and the analysis tells %s", text, name, show(effects))
			}
		}
	}
	if ran < 1000 || changing < 500 || every < 500 || unread > 0 {
		t.Errorf("%d statements ran, %d changed something, %d say of which rows, %d were not read: they test nothing", ran, changing, every, unread)
	}
}

func tellsBounds(effects []toolverdict.Effect, bounded bool) bool {
	return slices.ContainsFunc(effects, func(e toolverdict.Effect) bool {
		return e.Query != nil && (e.Query.Verb == "update" || e.Query.Verb == "delete") && e.Query.Bounded == bounded
	})
}

func runSQLite(t *testing.T, db *stdsql.DB, text string) (changed []string, ok bool) {
	t.Helper()
	ctx := t.Context()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	before := tables(ctx, t, tx)
	if _, err := tx.ExecContext(ctx, text); err != nil {
		return nil, false
	}
	after := tables(ctx, t, tx)
	for name, content := range before {
		if after[name] != content {
			changed = append(changed, name)
		}
	}
	for name := range after {
		if _, there := before[name]; !there {
			changed = append(changed, name)
		}
	}
	return changed, true
}

func tellsTable(effects []toolverdict.Effect, name string) bool {
	return slices.ContainsFunc(effects, func(e toolverdict.Effect) bool {
		return e.Query != nil && slices.ContainsFunc(e.Query.Changes, func(c string) bool {
			return c == "*" || c == name || c == "main."+name
		})
	})
}

// TestSQLiteReadsWhatIsRead: no case that is read is a mistake for SQLite.
func TestSQLiteReadsWhatIsRead(t *testing.T) {
	t.Parallel()
	db := openSQLite(t)
	for _, s := range sections(t, "sqlite.txt") {
		for _, block := range s.blocks {
			text, _, _ := strings.Cut(block, "\n=> ")
			if opaque(sql.Analyse(sql.SQLite, text)) {
				continue
			}
			stmt, err := db.PrepareContext(t.Context(), "EXPLAIN "+text)
			if err == nil {
				stmt.Close()
				continue
			}
			for _, mistake := range []string{"syntax error", "incomplete input", "unrecognized token"} {
				if strings.Contains(err.Error(), mistake) && !strings.HasPrefix(text, "EXPLAIN") {
					t.Errorf("%s\nis read, and SQLite says: %v", text, err)
				}
			}
		}
	}
}

// sqliteTexts makes texts that change tables.
type sqliteTexts struct {
	r *rand.Rand
	// chosen is, for each UPDATE and DELETE of the last text, whether a condition
	// chooses its rows.
	chosen []bool
}

func (g *sqliteTexts) pick(of ...string) string { return of[g.r.IntN(len(of))] }

func (g *sqliteTexts) table() string {
	return g.pick("users", "orders", "main.users", `"users"`, "[orders]", "`odd name`", `"odd name"`, "USERS", "main . 'orders'", "main/* */.[odd name]")
}

func (g *sqliteTexts) text() string {
	g.chosen = nil
	s := g.statement()
	if g.r.IntN(5) == 0 {
		s += g.pick(";", "; ", ";-- ;\n", " /* ; */;") + g.statement()
	}
	return s
}

func (g *sqliteTexts) statement() string {
	with := g.pick("", "", "WITH users AS (SELECT 1) ", "WITH RECURSIVE c(x) AS (SELECT 1 UNION SELECT x + 1 FROM c WHERE x < 3) ")
	t := g.table()
	where := g.pick("", " WHERE id < 3", " WHERE true", " WHERE id IN (SELECT id FROM orders)", " WHERE name <> ';'")
	chosen := where != "" && where != " WHERE true" &&
		!(strings.Contains(t, "orders") && strings.Contains(where, "FROM orders")) // its own rows
	switch g.r.IntN(8) {
	case 0:
		return with + g.pick("INSERT INTO ", "INSERT OR IGNORE INTO ", "REPLACE INTO ", "INSERT OR REPLACE INTO ") + t + " SELECT id + " + g.pick("0", "10") + ", 'x', 1 FROM orders" +
			g.pick("", " WHERE true ON CONFLICT (id) DO UPDATE SET total = 9", " RETURNING id")
	case 1, 2:
		g.chosen = append(g.chosen, chosen)
		return with + "UPDATE " + g.pick("", "OR REPLACE ") + t + " SET " + g.pick("total = total + 1", "(name, total) = (SELECT 'n', 7)", "name = 'DROP TABLE x'") + where
	case 3, 4:
		g.chosen = append(g.chosen, chosen)
		return with + "DELETE FROM " + t + where
	case 5:
		return g.pick("CREATE TABLE ", "CREATE VIEW ") + g.pick("fresh", "main.fresh", `"users2"`) + " AS SELECT * FROM " + t
	case 6:
		return g.pick("DROP TABLE "+t, "ALTER TABLE "+t+" RENAME TO renamed", "ALTER TABLE "+t+" ADD COLUMN fresh", "ALTER TABLE "+t+" DROP COLUMN total", "CREATE INDEX fresh ON users (name)")
	default:
		return fmt.Sprintf("%s SELECT %s FROM %s%s", with, g.pick("*", "id", "count(*)", "'DELETE FROM users'"), t, where)
	}
}
