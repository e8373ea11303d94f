// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package lookup turns a look at earlier calls into one SQL statement on the
// table past. It knows the table's columns and runs nothing. Statements are
// built of fixed pieces: values only ever come in as parameters.
package lookup

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
)

// Query returns a statement whose one row holds how many calls count for sure,
// how many more may, each up to one more than asked for, and the numbers of
// those that count for sure, where they are to be added up: JSON lists, joined
// by commas.
func Query(l *tv.Look, tools []int64, at time.Time) (query string, args []any) {
	ids := []byte("[]")
	if len(tools) > 0 {
		ids, _ = json.Marshal(tools) // numbers always encode
	}
	c := newClauses(l, string(ids), at)
	var b strings.Builder
	b.WriteString("SELECT " + c.count(c.sure) + ", 0")
	for _, part := range c.maybe {
		b.WriteString(" + " + c.count(part))
	}
	if l.Sum == "" {
		b.WriteString(", NULL")
	} else {
		b.WriteString(", (SELECT group_concat(ifnull(numbers, '[]')) FROM (SELECT numbers" + c.from(c.sure) + "))")
	}
	return b.String(), c.args
}

// clauses are the conditions on calls that count for sure, and on those that
// may: no call satisfies two of them, and each is found by an index.
type clauses struct {
	common string
	limit  string
	sure   string
	maybe  []string
	args   []any
}

func newClauses(l *tv.Look, tools string, at time.Time) *clauses {
	c := &clauses{}
	c.limit = " LIMIT " + c.value(l.Most+1)
	c.common = " FROM past WHERE tool IN (SELECT value FROM json_each(" + c.value(tools) + ")) AND at > " + c.value(at.Add(-l.Within).UnixMicro())
	if l.Except != "" {
		c.common += " AND id <> " + c.value(l.Except)
	}
	ran, sure, open := " AND ran = 1", "", ""
	switch l.Least {
	case tv.PastAttempted:
		ran = " AND ran IN (0, 1)"
	case tv.PastSucceeded:
		sure, open = " AND state = 4", " AND state IN (2, 4)"
	case tv.PastDispatched, tv.PastFailed:
	}
	c.common += ran
	ties, known := c.ties(l)
	if !known {
		c.sure, c.maybe = " AND 0", []string{ties[0].own + open}
		return c
	}
	own := ""
	for i, tie := range ties {
		if tie.open != "" {
			c.maybe = append(c.maybe, own+tie.open+wide(ties[i+1:])+open)
		}
		own += tie.own
	}
	c.sure = own + sure
	if l.Least == tv.PastSucceeded {
		c.maybe = append(c.maybe, own+" AND state = 2")
	}
	return c
}

// clause is the condition of one tie: the same, or not said.
type clause struct{ column, own, open string }

func (c *clause) wide() string {
	if c.open == "" {
		return c.own
	}
	return " AND (" + strings.TrimPrefix(c.own, " AND ") + " OR " + strings.TrimPrefix(c.open, " AND ") + ")"
}

func wide(ties []clause) string {
	var b strings.Builder
	for i := range ties {
		b.WriteString(ties[i].wide())
	}
	return b.String()
}

// ties returns a clause for each tie. Where the host did not say one of this
// call, it is not known which of the subject's calls count: there is one clause
// for what is left.
func (c *clauses) ties(l *tv.Look) (out []clause, known bool) {
	known = true
	var open clause
	for _, tie := range l.Ties {
		one := clause{column: column(tie.By)}
		switch {
		case tie.By == "subject":
			one.own = " AND subject = " + c.value(Tied("subject", tie.Value, ""))
		case tie.Value == "":
			known = false
			continue
		default:
			one.own = " AND " + one.column + " = " + c.value(Tied(tie.By, tie.Value, l.Subject))
			one.open = " AND " + one.column + " = " + c.value(Tied(tie.By, "", l.Subject))
		}
		out = append(out, one)
		open.own += one.wide()
	}
	if !known {
		open.own += " AND subject = " + c.value(Tied("subject", l.Subject, ""))
		return []clause{open}, false
	}
	return out, true
}

// value adds a parameter and returns its place.
func (c *clauses) value(v any) string {
	c.args = append(c.args, v)
	return fmt.Sprintf("?%d", len(c.args))
}

// from selects the calls of a clause, one more than may be counted.
func (c *clauses) from(clause string) string { return c.common + clause + c.limit }

func (c *clauses) count(clause string) string {
	return "(SELECT count(*) FROM (SELECT 1" + c.from(clause) + "))"
}

// column returns a column of the table by its fixed name.
func column(by string) string {
	switch by {
	case "session", "user", "agent", "run":
		return by
	}
	return "subject"
}

// Tied is what calls are found by that have something in common. Those of which
// the host did not say it are kept apart, by subject.
func Tied(by, value, subject string) []byte {
	if value == "" && by != "subject" {
		by, value = "no "+by, subject
	}
	sum := sha256.Sum256([]byte(by + "\x00" + value))
	return sum[:16]
}
