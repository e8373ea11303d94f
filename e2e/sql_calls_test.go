// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/sql"
)

// TestSQLHiddenCallsDifferential asks a real PostgreSQL which spellings of a
// column call a function: each of them has to be told as a call.
func TestSQLHiddenCallsDifferential(t *testing.T) {
	t.Parallel()
	db := startPostgres(t)
	db.script(t, `CREATE SEQUENCE calls;
CREATE FUNCTION touched(int) RETURNS int LANGUAGE sql AS 'SELECT nextval(''calls'')::int';
CREATE FUNCTION touched(text) RETURNS int LANGUAGE sql AS 'SELECT nextval(''calls'')::int';
CREATE FUNCTION touched(json) RETURNS int LANGUAGE sql AS 'SELECT nextval(''calls'')::int';
CREATE TABLE users (id int, name text, touched_at int);
INSERT INTO users VALUES (1, 'a', 2);`)
	texts := hiddenCalls()
	var script strings.Builder
	for i, text := range texts {
		fmt.Fprintf(&script, "SELECT nextval('calls') AS at \\gset\n%s;\nSELECT 'case:%d:' || (nextval('calls') > :at + 1);\n", text, i)
	}
	calling, others := 0, 0
	for line := range strings.SplitSeq(db.script(t, script.String()), "\n") {
		var i int
		var called string
		if n, _ := fmt.Sscanf(strings.ReplaceAll(line, ":", " "), "case %d %s", &i, &called); n != 2 {
			continue
		}
		told := slices.ContainsFunc(sql.Analyse(sql.PostgreSQL, texts[i]), func(e tv.Effect) bool {
			return e.Kind == tv.EffectOpaque || e.Query != nil && slices.Contains(e.Query.Functions, "touched")
		})
		if called == "true" {
			calling++
		} else {
			others++
		}
		if called == "true" && !told {
			t.Errorf("%s\ncalls a function, and the analysis does not tell", texts[i])
		}
	}
	t.Logf("%d of %d texts call it", calling, len(texts))
	if calling < len(texts)/2 || others == 0 {
		t.Error("the texts test nothing")
	}
}

// hiddenCalls are texts with a field of something that may be a row or not.
func hiddenCalls() []string {
	var all []string
	for _, v := range []string{"1", "'a'::text", "1 + 1", "(SELECT id FROM users)", "length('a')", "(SELECT name FROM users LIMIT 1)"} {
		for _, form := range []string{
			"SELECT (%s).touched", "SELECT (CASE WHEN true THEN %s END).touched", "SELECT (ARRAY[%s])[1].touched",
			"SELECT x.touched FROM unnest(ARRAY[%s]) x", "SELECT (x).touched FROM unnest(ARRAY[%s]) x",
			"SELECT x.touched FROM unnest(ARRAY[%s]) AS x(n)", "SELECT unnest.touched FROM unnest(ARRAY[%s])",
			"SELECT x.touched FROM ROWS FROM (unnest(ARRAY[%s])) x", "SELECT touched.touched FROM unnest(ARRAY[%s]) AS touched(n)",
			"SELECT touched.touched FROM unnest(ARRAY[%s]) AS touched", // a column of that name
			`SELECT "coalesce".touched FROM coalesce(%s)`, "SELECT e.touched FROM json_array_elements(json_build_array(%s)) e",
			"SELECT touched.touched FROM json_array_elements_text(json_build_array(%s)) touched",
			"SELECT 1 FROM users WHERE (%s).touched > 0", "SELECT 1 WHERE EXISTS (SELECT x.touched FROM unnest(ARRAY[%s]) x WHERE x.touched > 0)",
			"WITH a AS (SELECT x.touched AS t FROM unnest(ARRAY[%s]) x) SELECT t FROM a",
			"SELECT 1 FROM unnest(ARRAY[%s]) x ORDER BY x.touched", "SELECT count(*) FROM unnest(ARRAY[%s]) x GROUP BY x.touched",
			"SELECT l.t FROM unnest(ARRAY[%s]) x, LATERAL (SELECT x.touched AS t) l", "EXPLAIN ANALYZE SELECT (%s).touched",
			"SELECT r.touched FROM (SELECT %s AS touched) r", "SELECT x.touched FROM unnest(ARRAY[%s]) WITH ORDINALITY AS x(touched, n)",
		} {
			all = append(all, fmt.Sprintf(form, v))
		}
	}
	return append(all, "SELECT (id).touched FROM users id", "SELECT (name).touched FROM users", "SELECT u.touched_at FROM users u",
		"UPDATE users SET id = (id).touched", "DELETE FROM users USING unnest(ARRAY[1]) x WHERE x.touched = 0",
		"INSERT INTO users SELECT x.touched FROM unnest(ARRAY[1]) x", "VALUES ((1).touched)", "SELECT array_agg((id).touched) FROM users",
		"COPY (SELECT (1).touched) TO STDOUT", "SELECT sum(x.touched) OVER (PARTITION BY x.touched) FROM unnest(ARRAY[1]) x")
}
