// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mysql

import (
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict/effect/sql/internal/mysql/internal/token"
)

func keyword(s string) token.Token { return token.Token{Kind: token.Word, Text: s} }

func symbol(s string) token.Token { return token.Token{Kind: token.Symbol, Text: s} }

// modifiers are the words behind a verb that MySQL reads as its options. The
// parser takes some of them for a table or a column, and what they stand before
// for its alias: DELETE QUICK FROM users would change a table called quick.
func modifiers(verb token.Token) []string {
	switch {
	case verb.Is("SELECT"):
		return []string{"ALL", "DISTINCT", "DISTINCTROW", "HIGH_PRIORITY", "STRAIGHT_JOIN", "SQL_SMALL_RESULT", "SQL_BIG_RESULT",
			"SQL_BUFFER_RESULT", "SQL_NO_CACHE", "SQL_CACHE", "SQL_CALC_FOUND_ROWS"}
	case verb.Is("DELETE"):
		return []string{"LOW_PRIORITY", "QUICK", "IGNORE"}
	case verb.Is("UPDATE"):
		return []string{"LOW_PRIORITY", "IGNORE"}
	case verb.Is("INSERT"), verb.Is("REPLACE"):
		return []string{"LOW_PRIORITY", "HIGH_PRIORITY", "DELAYED", "IGNORE"}
	default:
		return nil
	}
}

// plain leaves out what does not change what a statement touches, and what the
// parser would misread or does not know.
func plain(s token.Statement) token.Statement {
	out := s
	if modified(s) {
		out = make(token.Statement, 0, len(s))
		for i := 0; i < len(s); i++ {
			out = append(out, s[i])
			for words := modifiers(s[i]); i+1 < len(s) && among(s[i+1], words); i++ {
				continue
			}
		}
	}
	switch {
	case out.Is("ANALYZE", "FORMAT") && len(out) > 4: // MariaDB: it runs the statement
		return out[4:]
	case out.Is("ANALYZE") && !out.Is("ANALYZE", "TABLE") && len(out) > 1 && among(out[1], verbs()):
		return out[1:]
	case explains(out) && len(out) > 2 && among(out[1], []string{"EXTENDED", "PARTITIONS"}) && among(out[2], verbs()):
		return append(token.Statement{out[0]}, out[2:]...)
	}
	return out
}

// modified reports whether there is a verb with a modifier behind it.
func modified(s token.Statement) bool {
	for i := range len(s) - 1 {
		if s[i].Kind == token.Word && s[i+1].Kind == token.Word && among(s[i+1], modifiers(s[i])) {
			return true
		}
	}
	return false
}

func verbs() []string {
	return []string{"SELECT", "INSERT", "REPLACE", "UPDATE", "DELETE", "WITH", "TABLE", "VALUES"}
}

func explains(s token.Statement) bool { return s.Is("EXPLAIN") || s.Is("DESCRIBE") || s.Is("DESC") }

func among(t token.Token, words []string) bool {
	return t.Kind == token.Word && slices.ContainsFunc(words, t.Is)
}

// alike is a statement that touches the same as one that the parser does not
// know, and that it does; ok is false where there is none.
func alike(s token.Statement) (out token.Statement, ok bool) {
	out = make(token.Statement, 0, len(s))
	for i, t := range s {
		switch {
		case t.Is("EXCEPT"), t.Is("INTERSECT"):
			t, ok = keyword("UNION"), true
		case t.Is("SOUNDS") && i+1 < len(s) && s[i+1].Is("LIKE"):
			ok = true
			continue
		}
		out = append(out, t)
	}
	return out, ok
}

// returning cuts MariaDB's RETURNING off: what is before it, and a query of what
// it returns.
func returning(s token.Statement) (changed, returned token.Statement) {
	if !s.Is("INSERT") && !s.Is("REPLACE") && !s.Is("DELETE") {
		return nil, nil
	}
	for i, t := range s {
		if t.Is("RETURNING") {
			return s[:i], append(token.Statement{keyword("SELECT")}, s[i+1:]...)
		}
	}
	return nil, nil
}

// withoutHints leaves the optimizer's hints out, and reports whether one of them
// sets a variable.
func withoutHints(s token.Statement) (token.Statement, bool) {
	if !slices.ContainsFunc(s, func(t token.Token) bool { return t.Kind == token.Hint }) {
		return s, false
	}
	sets := false
	out := make(token.Statement, 0, len(s))
	for _, t := range s {
		if t.Kind != token.Hint {
			out = append(out, t)
			continue
		}
		hint := strings.ToLower(t.Text)
		sets = sets || strings.Contains(hint, "set_var") || strings.Contains(hint, "resource_group")
	}
	return out, sets
}
