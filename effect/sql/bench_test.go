// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"strings"
	"testing"

	pgquery "github.com/wasilibs/go-pgquery"

	"github.com/toolverdict/toolverdict/effect/sql"
)

// statements are typical of what an agent asks a database.
func statements() []struct{ name, text string } {
	return []struct{ name, text string }{
		{"select", "SELECT id, name, email FROM users WHERE id = 7 LIMIT 10"},
		{"join", "SELECT u.name, count(*) AS n, sum(o.total) FROM users u JOIN orders o ON o.user_id = u.id WHERE o.status = 'paid' AND o.total > 100 GROUP BY u.name ORDER BY n DESC LIMIT 20"},
		{"update", "UPDATE orders SET status = 'paid', total = total * 2 WHERE id IN (1, 2, 3) AND status <> 'closed'"},
		{"delete", "DELETE FROM orders WHERE id > 5 OR id <= 5"},
	}
}

// BenchmarkPostgreSQL compares the analysis of all of them with what PostgreSQL's
// parser alone takes.
func BenchmarkPostgreSQL(b *testing.B) {
	sql.Warm()
	b.Run("baseline parser", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, s := range statements() {
				if _, err := pgquery.Parse(s.text); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("analysis", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, s := range statements() {
				sql.Analyse(sql.PostgreSQL, s.text)
			}
		}
	})
}

func BenchmarkMySQL(b *testing.B) {
	for _, s := range statements() {
		b.Run(s.name, func(b *testing.B) { analyse(b, sql.MySQL, s.text) })
	}
}

func BenchmarkSQLite(b *testing.B) {
	for _, s := range statements() {
		b.Run(s.name, func(b *testing.B) { analyse(b, sql.SQLite, s.text) })
	}
}

func analyse(b *testing.B, dialect sql.Dialect, text string) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		sql.Analyse(dialect, text)
	}
}

// BenchmarkLongest reads texts of the greatest length: 50 ms and 64 MiB are the
// bar for each.
func BenchmarkLongest(b *testing.B) {
	sql.Warm()
	texts := []struct{ name, text string }{
		{"list", "SELECT " + strings.Repeat("1,", sql.MaxBytes/2-8) + "1"},
		{"text", "SELECT '" + strings.Repeat("x", sql.MaxBytes-9) + "'"},
		{"brackets", strings.Repeat("(", sql.MaxBytes)},
		{"statements", strings.Repeat("SELECT 1;", sql.MaxBytes/9)},
	}
	for _, t := range texts {
		for _, dialect := range dialects() {
			b.Run(t.name+"/"+string(dialect), func(b *testing.B) { analyse(b, dialect, t.text) })
		}
	}
}
