// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/sql"
)

// shapes are texts that grow with n: long, deep, or costly to think about.
func shapes(n int) map[string]string {
	repeat := strings.Repeat
	numbered := func(format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	return map[string]string{
		"list":           "SELECT " + repeat("1,", n) + "1",
		"brackets":       "SELECT " + repeat("(", n) + "1" + repeat(")", n),
		"open brackets":  "SELECT " + repeat("(", n),
		"sum":            "SELECT 1" + repeat("+1", n),
		"signs":          "SELECT " + repeat("- ", n) + "1",
		"negations":      "DELETE FROM t WHERE " + repeat("NOT ", n) + "a",
		"calls":          "SELECT " + repeat("f(", n) + "1" + repeat(")", n),
		"choices":        "SELECT " + repeat("CASE WHEN 1 = 1 THEN ", n) + "1" + repeat(" END", n),
		"queries":        repeat("SELECT * FROM (", n) + "SELECT 1" + repeat(") x", n),
		"exists":         "DELETE FROM t WHERE " + repeat("EXISTS (SELECT 1 FROM t WHERE ", n) + "a = 1" + repeat(")", n),
		"values":         "DELETE FROM t WHERE " + repeat("id = (SELECT id FROM t x WHERE x.id = t.id AND ", n) + "a = 1" + repeat(")", n),
		"statements":     repeat("SELECT 1;", n),
		"semicolons":     repeat(";", n),
		"comments":       repeat("/* x */", n) + "SELECT 1",
		"text":           "SELECT '" + repeat("x", n) + "'",
		"columns":        "DELETE FROM t WHERE " + numbered("c%d > 1 OR ") + "1 = 0",
		"alternatives":   "DELETE FROM t WHERE " + numbered("a > %d OR ") + "a < 0",
		"patterns":       "DELETE FROM t WHERE name NOT LIKE '%" + repeat("a", n) + "b' OR name = '" + repeat("a", n) + "' OR b > 5",
		"expressions":    "DELETE FROM t WHERE name REGEXP '(a|b)*c(a|b)*c' OR name = '" + repeat("ab", n) + "' OR b > 4",
		"joined texts":   "DELETE FROM t WHERE " + repeat("name || ", n) + "'x' <> 'y' OR b > 3",
		"WITH":           "WITH x AS (SELECT 1)" + numbered(", c%d AS (SELECT * FROM x)") + " SELECT 1",
		"quotes":         "SELECT " + repeat(`"a" || '\\', `, n) + "1",
		"versions":       numbered("/*!%05d 1 */ "),
		"texts in texts": "SELECT query_to_xml('" + repeat("SELECT 1;", n) + "', true, true, ''), eval('" + repeat("SELECT 1;", n) + "')",
	}
}

// TestEveryShapeIsRead goes from what is read to what is refused: there is an
// answer for all of it, the same each time, and none of it ends the process.
func TestEveryShapeIsRead(t *testing.T) {
	t.Parallel()
	for _, n := range []int{10, 150, 600, 3000, 30000} {
		for name, text := range shapes(n) {
			for _, dialect := range dialects() {
				effects := sql.Analyse(dialect, text)
				if len(effects) == 0 {
					t.Errorf("%s: %d %s: no effects", dialect, n, name)
				}
				if again := sql.Analyse(dialect, text); show(again) != show(effects) {
					t.Errorf("%s: %d %s: not read the same way twice", dialect, n, name)
				}
			}
		}
	}
}

// TestTooMuchIsOpaque: nothing of a text that is too long or too deep passes for
// all of it.
func TestTooMuchIsOpaque(t *testing.T) {
	t.Parallel()
	all := shapes(30000)
	for _, name := range []string{"list", "brackets", "sum", "calls", "queries", "exists", "columns", "alternatives", "WITH"} {
		for _, dialect := range dialects() {
			effects := sql.Analyse(dialect, all[name])
			if last := effects[len(effects)-1]; last.Kind != toolverdict.EffectOpaque {
				t.Errorf("%s: 30000 %s: got %.100s", dialect, name, show(effects))
			}
		}
	}
}

// TestUsualSizesAreRead keeps the limits off what people write.
func TestUsualSizesAreRead(t *testing.T) {
	t.Parallel()
	all := shapes(40)
	for _, name := range []string{"list", "brackets", "sum", "queries", "exists", "columns", "alternatives", "WITH", "statements", "comments", "text"} {
		for _, dialect := range dialects() {
			for _, e := range sql.Analyse(dialect, all[name]) {
				if e.Kind == toolverdict.EffectOpaque {
					t.Errorf("%s: 40 %s: %s", dialect, name, e.Detail)
				}
			}
		}
	}
}

// hiding are PostgreSQL texts that hold a sum of n links where a scanner which
// reads them in another way than PostgreSQL does sees a comment or a text.
func hiding(n int) map[string]string {
	sum := strings.Repeat("+1", n)
	return map[string]string{
		"a comment up to CR":              "SELECT 1 --\r" + sum,
		"a text that ends elsewhere":      `SELECT '\'' || 1` + sum + ` || '\''`,
		"an escaped text on two lines":    "SELECT E'a'\n'\\'' , 1" + sum,
		"an escaped text behind comments": "SELECT E'a' -- '\r\f-- x\n\t'\\'' , 1" + sum,
		"a text right behind a number":    "SELECT 1$a$x$a$, 1" + sum + ", 1$a$x$a$",
	}
}

// TestNothingHidesFromTheLimits: the parser does not survive a text that nests
// too deep, so none may get there; and it reads on afterwards.
func TestNothingHidesFromTheLimits(t *testing.T) {
	t.Parallel()
	for _, n := range []int{10, 20000} {
		for name, text := range hiding(n) {
			effects := sql.Analyse(sql.PostgreSQL, text)
			if last := effects[len(effects)-1]; n > 10 && last.Kind != toolverdict.EffectOpaque {
				t.Errorf("%s: got %.100s", name, show(effects))
			}
			if got := show(sql.Analyse(sql.PostgreSQL, "SELECT 1")); got != "1 select" {
				t.Fatalf("%d %s: after it, SELECT 1 is %s", n, name, got)
			}
		}
	}
}
