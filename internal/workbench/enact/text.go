// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package enact

import (
	"fmt"
	"strings"

	tv "github.com/toolverdict/toolverdict"
)

// command is a shell command with the effect.
func command(e *tv.Effect) (string, bool) {
	if e.Kind == tv.EffectOpaque {
		return `eval "$X"`, true
	}
	if e.Kind == tv.EffectExecute {
		return program(e)
	}
	if e.Kind == tv.EffectConnect {
		url, ok := address(e)
		return "curl " + quoted(url), ok
	}
	if e.Path == "" && e.Kind != tv.EffectRead {
		return "", false
	}
	at := quoted(e.Path)
	if e.Path == "" {
		at = `"$X"`
	}
	switch {
	case e.Kind == tv.EffectRead && e.Deep && e.Names:
		return "find " + at, true
	case e.Kind == tv.EffectRead && e.Deep:
		return "grep -r x " + at, true
	case e.Kind == tv.EffectRead && e.Names:
		return "stat " + at, true
	case e.Kind == tv.EffectRead:
		return "cat " + at, true
	case e.Kind == tv.EffectWrite && e.Deep:
		return "chmod -R u+w " + at, true
	case e.Kind == tv.EffectWrite:
		return "touch " + at, true
	case e.Kind == tv.EffectDelete && e.Deep:
		return "rm -r " + at, true
	case e.Kind == tv.EffectDelete:
		return "rm " + at, true
	}
	return "", false
}

func program(e *tv.Effect) (string, bool) {
	words := e.Argv
	if len(words) == 0 && e.Program != "" {
		words = []string{e.Program}
		if e.Verb != "" {
			words = append(words, e.Verb)
		}
	}
	out := make([]string, len(words))
	for i, word := range words {
		out[i] = quoted(word)
	}
	return strings.Join(out, " "), len(words) > 0
}

// quoted is a word of a command as it is; what it holds that is not known comes
// from a variable.
func quoted(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+,-") == "" {
		return word
	}
	parts := strings.Split(word, "\x00")
	for i, part := range parts {
		if part != "" || len(parts) == 1 {
			parts[i] = "'" + strings.ReplaceAll(part, "'", `'\''`) + "'"
		}
	}
	return strings.Join(parts, `"$X"`)
}

// statement is one of SQL with the effect.
func statement(e *tv.Effect) (string, bool) {
	if e.Kind == tv.EffectOpaque {
		return "?", true
	}
	q := e.Query
	if e.Kind != tv.EffectQuery || q == nil {
		return "", false
	}
	table := "t"
	if len(q.Changes) > 0 && q.Changes[0] != "*" {
		table = q.Changes[0]
	}
	where := ""
	if q.Bounded {
		where = " WHERE id = 1"
	}
	var out string
	switch q.Verb {
	case "", "select":
		out = selection(q) + where
		if q.Limit > 0 {
			out += fmt.Sprintf(" LIMIT %d", q.Limit)
		}
	case "insert":
		out = "INSERT INTO " + table + " (id) VALUES (1)"
	case "update":
		out = "UPDATE " + table + " SET x = 1" + where
	case "delete":
		out = "DELETE FROM " + table + where
	case "drop", "truncate":
		out = strings.ToUpper(q.Verb) + " TABLE " + table
	case "create":
		out = "CREATE TABLE " + table + " (id int)"
	case "alter":
		out = "ALTER TABLE " + table + " ADD COLUMN x int"
	case "explain":
		out = "EXPLAIN SELECT 1"
	default:
		return "", false
	}
	return strings.Repeat("SELECT 1; ", max(q.Statement-1, 0)) + out, true
}

func selection(q *tv.Query) string {
	what := append([]string{}, q.Columns...)
	for _, f := range q.Functions {
		what = append(what, f+"()")
	}
	if len(what) == 0 {
		what = []string{"1"}
	}
	out := "SELECT " + strings.Join(what, ", ")
	if len(q.Reads) > 0 {
		out += " FROM " + strings.Join(q.Reads, ", ")
	} else if q.Bounded {
		out += " FROM t"
	}
	return out
}
