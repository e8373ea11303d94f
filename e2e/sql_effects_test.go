// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/sql"
)

// effectsSchema is what the statements work on. There are no triggers, rules,
// views or foreign keys: what they do no text shows.
const effectsSchema = `
CREATE TABLE users (id int PRIMARY KEY, name text, total int);
CREATE TABLE orders (id int PRIMARY KEY, user_id int, total int, name text);
CREATE TABLE "Odd ""Name" (id int, name text, total int);
CREATE SCHEMA shop;
CREATE TABLE shop.items (id int PRIMARY KEY, name text, total int);
CREATE SEQUENCE numbers;
CREATE SCHEMA probe;
CREATE VIEW probe.relations AS SELECT c.oid, n.nspname || '.' || c.relname AS name, c.relfilenode, c.relnatts, c.relacl::text AS acl,
  c.relrowsecurity, obj_description(c.oid) AS comment FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'm', 'v', 'S') AND (n.nspname IN ('public', 'shop') OR n.nspname LIKE 'pg_temp%');
CREATE VIEW probe.rows AS SELECT relid, schemaname || '.' || relname AS name, n_tup_ins + n_tup_upd + n_tup_del AS n FROM pg_stat_xact_user_tables;
INSERT INTO users SELECT g, 'u' || g, g FROM generate_series(1, 5) g;
INSERT INTO orders SELECT g, g, g, 'o' || g FROM generate_series(1, 5) g;
INSERT INTO "Odd ""Name" SELECT g, 'n' || g, g FROM generate_series(1, 5) g;
INSERT INTO shop.items SELECT g, 'i' || g, g FROM generate_series(1, 5) g;
CREATE TABLE probe.before AS SELECT * FROM probe.relations;
`

// aroundStatement runs one text in a transaction of its own and prints the
// relations that it changed: rows, by the server's own count, and everything
// that the catalog says of a relation.
const aroundStatement = `\echo case:%d
BEGIN;
SELECT coalesce(jsonb_object_agg(relid, n), '{}') AS rows FROM probe.rows \gset
SELECT last_value AS number, is_called AS called FROM numbers \gset
%s;
SELECT 'changed:' || coalesce(string_agg(DISTINCT name, '|'), '') FROM (
  SELECT name FROM probe.rows WHERE n > coalesce((:'rows'::jsonb ->> relid::text)::bigint, 0)
  UNION SELECT unnest(ARRAY[a.name, b.name]) FROM probe.relations a FULL JOIN probe.before b USING (oid) WHERE a IS DISTINCT FROM b
  UNION SELECT 'public.numbers' WHERE EXISTS (SELECT FROM pg_class WHERE relname = 'numbers') AND
    (pg_sequence_last_value('numbers'::regclass) IS DISTINCT FROM CASE WHEN :'called'::bool THEN :'number'::bigint END)
) x WHERE name IS NOT NULL;
ROLLBACK;
`

// TestSQLEffectsDifferential runs statements in a real PostgreSQL: every
// relation that it changes has to be among those that the analysis tells.
func TestSQLEffectsDifferential(t *testing.T) {
	t.Parallel()
	db := startPostgres(t)
	db.script(t, effectsSchema)
	g := &statements{r: rand.New(rand.NewPCG(7, 11))}
	texts := make([]string, 3000)
	var script strings.Builder
	for i := range texts {
		texts[i] = g.text()
		fmt.Fprintf(&script, aroundStatement, i, texts[i])
	}
	ran, changing, sure := 0, 0, 0
	for i, changed := range changes(db.script(t, script.String())) {
		ran++
		effects := sql.Analyse(sql.PostgreSQL, texts[i])
		if !hasOpaque(effects) {
			sure++
		}
		if len(changed) > 0 {
			changing++
		}
		for _, name := range changed {
			if !tells(effects, name) {
				t.Errorf("%s\nchanges %s, and the analysis tells %+v", texts[i], name, effects)
			}
		}
	}
	t.Logf("%d texts, %d ran, %d changed something, %d are not opaque", len(texts), ran, changing, sure)
	if ran < len(texts)/2 || changing < len(texts)/3 || sure < len(texts)/2 {
		t.Error("the statements test nothing")
	}
}

// changes are the relations that each text changed, of those that ran.
func changes(output string) map[int][]string {
	all := map[int][]string{}
	at := -1
	for line := range strings.SplitSeq(output, "\n") {
		if n, ok := strings.CutPrefix(line, "case:"); ok {
			at, _ = strconv.Atoi(n)
		}
		if names, ok := strings.CutPrefix(line, "changed:"); ok {
			all[at] = strings.FieldsFunc(names, func(r rune) bool { return r == '|' })
		}
	}
	return all
}

// tells reports whether a relation is among those that change: by its name with
// the schema or without, or as one of those that are not named.
func tells(effects []tv.Effect, name string) bool {
	schema, bare, _ := strings.Cut(name, ".")
	if strings.ContainsAny(bare, `"*.`) {
		bare = `"` + strings.ReplaceAll(bare, `"`, `""`) + `"`
	}
	for _, e := range effects {
		if e.Kind == tv.EffectOpaque {
			return true
		}
		if e.Query == nil {
			continue
		}
		for _, c := range e.Query.Changes {
			if c == "*" || c == bare || c == schema+"."+bare {
				return true
			}
		}
	}
	return false
}

// statements makes texts that change tables in all the ways in which a text can
// hide it.
type statements struct{ r *rand.Rand }

func (g *statements) pick(of ...string) string { return of[g.r.IntN(len(of))] }

func (g *statements) number() string { return strconv.Itoa(g.r.IntN(7)) }

func (g *statements) table() string {
	return g.pick("users", "orders", "public.users", "postgres.public.orders", `"users"`, "USERS", `"Odd ""Name"`, "shop.items",
		`U&"\0075sers"`, `public . "orders"`, "shop/* */.items", "only_users")
}

// text is one statement, or two.
func (g *statements) text() string {
	s := g.statement(2)
	if g.r.IntN(8) == 0 {
		s += ";" + g.pick(" ", "\n", "/* ; */", "-- ;\n") + g.statement(1)
	}
	return strings.ReplaceAll(s, "only_users", "ONLY users")
}

func (g *statements) statement(depth int) string {
	switch n := g.r.IntN(16); {
	case n < 6:
		return g.change(depth)
	case n < 9:
		return g.query(depth)
	case n == 9:
		return g.pick("EXPLAIN ANALYZE ", "EXPLAIN (ANALYZE, COSTS off) ", "EXPLAIN ", "EXPLAIN (ANALYZE false) ", "EXPLAIN (ANALYZE 0, ANALYZE 1) ") + g.change(depth)
	case n == 10:
		return g.pick("CREATE TABLE fresh AS ", "CREATE TEMP TABLE fresh AS ", "CREATE TABLE IF NOT EXISTS shop.fresh AS ", "CREATE MATERIALIZED VIEW fresh AS ", "CREATE VIEW fresh AS ") +
			"SELECT * FROM " + g.table()
	case n == 11:
		return g.pick("TRUNCATE ", "TRUNCATE TABLE ") + g.table() + g.pick("", ", orders", " RESTART IDENTITY", " CASCADE")
	case n == 12:
		return g.definition()
	case n == 13:
		return "COPY (" + g.change(depth) + " RETURNING 1) TO STDOUT"
	case n == 14:
		return g.pick("DO $do$ BEGIN "+g.change(0)+"; END $do$", "PREPARE p AS "+g.change(0)+"; EXECUTE p; DEALLOCATE p")
	default:
		return "SELECT query_to_xml(" + quoted(g.query(0)) + ", true, true, ''), table_to_xml('users', true, true, '')"
	}
}

func (g *statements) definition() string {
	t := g.table()
	return g.pick(
		"DROP TABLE "+t, "DROP TABLE IF EXISTS "+t+", orders", "DROP TABLE "+t+" CASCADE", "DROP SCHEMA shop CASCADE",
		"ALTER TABLE "+t+" RENAME TO renamed", "ALTER TABLE "+t+" ADD COLUMN fresh int", "ALTER TABLE "+t+" DROP COLUMN name",
		"ALTER TABLE "+t+" SET SCHEMA shop", "ALTER TABLE "+t+" ENABLE ROW LEVEL SECURITY", "COMMENT ON TABLE "+t+" IS 'x'",
		"GRANT SELECT ON "+t+" TO public", "GRANT ALL ON ALL TABLES IN SCHEMA public TO public", "ALTER SCHEMA shop RENAME TO mall",
		"CREATE TABLE fresh (LIKE "+t+")", "CREATE TABLE shop.fresh (id int)", "CREATE TEMP TABLE users (id int)", "CREATE SEQUENCE fresh",
		"ALTER SEQUENCE numbers RESTART WITH 50", "SELECT nextval('numbers')", "SELECT setval('public.numbers', 9)", "SELECT nextval('num' || 'bers')",
		"SELECT * INTO fresh FROM "+t, "CREATE INDEX fresh ON "+t+" (id)", "LOCK TABLE "+t, "VALUES (nextval('numbers'))")
}

// change is a statement that changes rows.
func (g *statements) change(depth int) string {
	with := ""
	if depth > 1 && g.r.IntN(3) == 0 { // only the whole statement may have one
		with = g.with(depth)
	}
	t := g.table()
	switch g.r.IntN(6) {
	case 0:
		return with + "INSERT INTO " + strings.ReplaceAll(t, "only_users", "users") + " (id, name, total) " +
			g.pick("VALUES (10"+g.number()+", 'x', 1)", "SELECT id + 100, name, total FROM users", "SELECT total + 200, 'x', 1 FROM orders") +
			g.pick("", "", " ON CONFLICT DO NOTHING")
	case 1:
		return with + "UPDATE " + t + g.pick("", " AS x", " *") + " SET total = " + g.value(depth) + g.where(depth)
	case 2:
		return with + "UPDATE " + t + " x SET (name, total) = (SELECT 'n', 1)" + g.pick("", " FROM orders o WHERE o.id = x.id")
	case 3:
		return with + "DELETE FROM " + t + g.where(depth)
	case 4:
		return with + "DELETE FROM " + t + " x USING orders o WHERE o.id = x.id"
	default:
		return with + "MERGE INTO " + t + " x USING orders o ON o.id = x.id WHEN MATCHED THEN " + g.pick("DELETE", "UPDATE SET total = 0", "DO NOTHING")
	}
}

func (g *statements) with(depth int) string {
	body := g.pick(g.query(depth-1), g.change(depth-1)+" RETURNING 1 AS id", g.change(depth-1)+" RETURNING *")
	return "WITH " + g.pick("users", "cte", "orders") + " AS " + g.pick("", "MATERIALIZED ", "NOT MATERIALIZED ") + "(" + body + ") "
}

// query reads, and hides in its WITH clause and its calls what does more.
func (g *statements) query(depth int) string {
	with := ""
	if depth > 1 && g.r.IntN(2) == 0 {
		with = g.with(depth)
	}
	q := with + "SELECT " + g.pick("id", "*", "count(*)", "id, "+g.value(0)) + " FROM " + g.table()
	switch g.r.IntN(5) {
	case 0:
		return with + "SELECT " + g.value(depth)
	case 1:
		return q + g.where(depth)
	case 2:
		return q + g.pick(" FOR UPDATE", " FOR SHARE SKIP LOCKED", " LIMIT 3", " ORDER BY 1")
	case 3:
		return with + "TABLE " + strings.ReplaceAll(g.table(), "only_users", "users")
	default:
		return q
	}
}

func (g *statements) value(depth int) string {
	if depth > 0 && g.r.IntN(4) == 0 {
		return "(SELECT count(*)::int FROM " + g.table() + g.where(depth-1) + ")"
	}
	return g.pick(g.number(), "nextval('numbers')::int", "length('DELETE FROM users')", "length($$; DROP TABLE orders; $$)", `length(E'\'; DROP TABLE users')`, "/* DELETE FROM users */ 4")
}

func (g *statements) where(depth int) string {
	return g.pick("", " WHERE id < "+g.number(), " WHERE true", " WHERE id IN (SELECT id FROM orders"+g.pick("", " WHERE total > 2")+")",
		" WHERE total = "+g.value(max(depth-1, 0)), " WHERE name LIKE 'u%' -- ; DELETE FROM orders\n")
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// script runs a script and returns what psql prints; a statement that fails does
// not end it.
func (p postgres) script(t *testing.T, text string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(p.bin, "psql"), "-h", "127.0.0.1", "-p", strconv.Itoa(p.port), "-U", "owner",
		"-d", "postgres", "-XqAt", "-f", "-")
	cmd.Env = append(os.Environ(), "PGPASSWORD="+p.password)
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("psql: %v", err)
	}
	return string(out)
}

// TestSQLConditionsDifferential asks a real PostgreSQL of conditions whether they
// hold for every row of a table that has all kinds of them. Where one does, the
// analysis must not say that it chooses.
func TestSQLConditionsDifferential(t *testing.T) {
	t.Parallel()
	db := startPostgres(t)
	db.script(t, `CREATE TABLE grid AS SELECT a, b, t FROM
		unnest(ARRAY[-1000000, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 1000000, NULL]) a,
		unnest(ARRAY[-1000000, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 1000000, NULL]) b,
		unnest(ARRAY['', 'a', 'b', 'ab', 'ba', 'A', 'x', 'ax', 'zz', '%', '_', 'a%', '%b', '.*', 'a|b', NULL]) t;`)
	g := &conditions{r: rand.New(rand.NewPCG(3, 5))}
	texts := make([]string, 4000)
	var script strings.Builder
	for i := range texts {
		texts[i] = g.condition(3)
		fmt.Fprintf(&script, "\\echo case:%d\nSELECT 'changed:' || CASE WHEN bool_and(coalesce(%s, false)) THEN 'all' ELSE 'some' END FROM grid;\n", i, texts[i])
	}
	ran, every, strict := 0, 0, 0
	for i, answer := range changes(db.script(t, script.String())) {
		ran++
		effects := sql.Analyse(sql.PostgreSQL, "DELETE FROM grid WHERE "+texts[i])
		chooses := len(effects) == 1 && effects[0].Query != nil && effects[0].Query.Bounded
		switch all := slices.Equal(answer, []string{"all"}); {
		case all:
			every++
			if chooses {
				t.Errorf("%s\nholds for every row, and the analysis says that it chooses", texts[i])
			}
		case !chooses:
			strict++
		}
	}
	t.Logf("%d conditions, %d ran, %d hold for every row; %d others are not seen to choose", len(texts), ran, every, strict)
	if ran < len(texts)/2 || every < 100 || strict > ran/6 {
		t.Error("the conditions test nothing, or too many are not understood")
	}
}

// conditions makes conditions, many of which hold for every row.
type conditions struct{ r *rand.Rand }

func (g *conditions) pick(of ...string) string { return of[g.r.IntN(len(of))] }

func (g *conditions) condition(depth int) string {
	if depth > 0 {
		switch g.r.IntN(5) {
		case 0:
			return "(" + g.condition(depth-1) + g.pick(" AND ", " OR ", " OR ") + g.condition(depth-1) + ")"
		case 1:
			return "(NOT " + g.condition(depth-1) + ")"
		case 2:
			c := g.condition(depth - 1)
			return "(" + c + " OR " + g.pick("NOT "+c, c+" IS NOT TRUE", "("+c+") IS NULL") + ")"
		}
	}
	a, b := g.number(1), g.number(1)
	switch g.r.IntN(9) {
	case 0:
		return a + " IS " + g.pick("", "NOT ") + "NULL"
	case 1:
		return a + g.pick("", " NOT") + " IN (" + b + ", " + g.number(0) + ")"
	case 2:
		return a + g.pick(" BETWEEN ", " NOT BETWEEN ", " BETWEEN SYMMETRIC ") + b + " AND " + g.number(0)
	case 3:
		return a + " IS " + g.pick("", "NOT ") + "DISTINCT FROM " + b
	case 4:
		return g.words() + g.pick(" = ", " <> ", " < ", " || 'x' = ") + g.words()
	case 5:
		return g.words() + g.pick(" LIKE ", " NOT LIKE ", " ILIKE ", " ~ ", " !~ ", " SIMILAR TO ") + g.pick("'%'", "'a%'", "'%b'", "'_'", "'.*'", "''", "'a|b'", "t")
	case 6:
		return g.pick("true", "false", "1 = 1", "NULL", "EXISTS (SELECT 1)", "EXISTS (SELECT 1 FROM grid x WHERE x.a = grid.a)", "a IN (SELECT a FROM grid)", "a = ANY (ARRAY[1, 2, a])", "a <> ALL ('{}')")
	default:
		return a + g.pick(" = ", " <> ", " < ", " <= ", " > ", " >= ") + b
	}
}

func (g *conditions) number(depth int) string {
	if depth > 0 && g.r.IntN(3) == 0 {
		return g.pick("abs("+g.number(0)+")", "-"+g.pick("a", "b"), "("+g.number(0)+g.pick(" + ", " - ", " * ")+g.number(0)+")", "coalesce("+g.number(0)+", 0)",
			"CASE WHEN "+g.condition(0)+" THEN 1 ELSE 2 END", "length(t)", "greatest("+g.number(0)+", 3)", "nullif("+g.number(0)+", 2)", "(a % 3)", "(a / 2)")
	}
	return g.pick("a", "b", "a", "0", "1", "2", "5")
}

func (g *conditions) words() string {
	return g.pick("t", "t", "'a'", "''", "lower(t)", "upper(t)", "coalesce(t, '')", "(t || '')")
}
