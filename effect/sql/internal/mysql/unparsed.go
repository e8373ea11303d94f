// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mysql

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/toolverdict/toolverdict/effect/sql/internal/fact"
)

func (s statement) is(keywords ...string) bool {
	if len(s) < len(keywords) {
		return false
	}
	for i, k := range keywords {
		if !s[i].is(k) {
			return false
		}
	}
	return true
}

// unparsed adds a statement that the parser does not read, or does not tell
// enough about. The first words of some say what they do; they may touch
// whatever the user may. Of others nothing is known.
func (w *walker) unparsed(s statement) {
	w.part = fact.Statement{}
	if s.is("LOAD", "DATA") || s.is("LOAD", "XML") {
		w.load(s)
		return
	}
	verb := firstWord(s)
	if verb == "" {
		w.part.Unclear("it does not parse as MySQL")
		return
	}
	w.part.Verb = verb
	w.part.Reads.Add(fact.All)
	w.part.Changes.Add(fact.All)
	w.part.Columns.Add(fact.All)
	w.part.Unbounded = true
	if holdsMore(s) {
		w.part.Unclear("it does not parse as MySQL")
	}
	for i, t := range s {
		if i > 0 && t.text == "(" && t.kind == symbol && s[i-1].kind == word && !harmless(strings.ToLower(s[i-1].text)) {
			w.part.Functions.Add(strings.ToLower(s[i-1].text))
		}
	}
}

// firstWord is the verb of a statement that starts with words which MySQL and
// MariaDB know one meaning of; empty for all others.
func firstWord(s statement) string {
	for _, k := range []string{
		"GRANT", "REVOKE", "HANDLER", "INSTALL", "UNINSTALL", "SHUTDOWN", "RESTART", "CLONE", "BINLOG", "XA", "SIGNAL",
		"RESIGNAL", "RESET", "CHECKSUM", "REPAIR", "OPTIMIZE", "CHANGE", "IMPORT", "CREATE", "ALTER", "DROP", "RENAME",
		"DO", "CACHE", "KILL", "FLUSH", "LOCK",
	} {
		if s.is(k) {
			return strings.ToLower(k)
		}
	}
	for _, k := range [][]string{{"START", "REPLICA"}, {"STOP", "REPLICA"}, {"START", "SLAVE"}, {"STOP", "SLAVE"}, {"SET", "PASSWORD"}} {
		if s.is(k...) {
			return strings.ToLower(k[0])
		}
	}
	return ""
}

// holdsMore reports whether a statement with such first words may hold queries
// and code that run with it.
func holdsMore(s statement) bool {
	if !s.is("CREATE") && !s.is("ALTER") && !s.is("DO") {
		return false
	}
	return len(s) < 2 || !s[1].is("USER") && !s[1].is("ROLE")
}

// load is LOAD DATA and LOAD XML: a file is read into a table.
func (w *walker) load(s statement) {
	w.part.Verb = "load"
	w.part.Columns.Add(fact.All)
	file, table, unclear := "", []string{fact.All}, false
	for i := range s {
		if i == 0 {
			continue
		}
		switch {
		case s[i-1].is("INFILE") && s[i].kind == text:
			file = s[i].text
		case s[i-1].is("INTO") && s[i].is("TABLE"):
			table = nameAt(s[i+1:])
		case s[i].is("REPLACE"):
			w.part.Unbounded = true
		case s[i].is("SET"), s[i].kind == symbol && strings.HasPrefix(s[i].text, "@"):
			unclear = true
		}
	}
	w.part.Changes.Add(table...)
	w.part.ReadFile(file)
	if unclear {
		w.part.Unclear("the expressions of a LOAD are not analysed")
	}
}

// nameAt is the table that the tokens start with.
func nameAt(s statement) []string {
	var parts []string
	for len(s) > 0 && (s[0].kind == word || s[0].kind == name) {
		parts = append(parts, s[0].text)
		if len(s) < 3 || s[1].text != "." {
			break
		}
		s = s[2:]
	}
	switch len(parts) {
	case 1:
		return spellings(sqlparser.TableName{Name: sqlparser.NewIdentifierCS(parts[0])})
	case 2:
		return spellings(sqlparser.TableName{Qualifier: sqlparser.NewIdentifierCS(parts[0]), Name: sqlparser.NewIdentifierCS(parts[1])})
	default:
		return []string{fact.All}
	}
}
