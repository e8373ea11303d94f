// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mysql

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/toolverdict/toolverdict/effect/sql/internal/fact"
	"github.com/toolverdict/toolverdict/effect/sql/internal/mysql/internal/token"
)

// unparsed adds a statement that the parser does not read, or does not tell
// enough about. The first words of some say what they do; they may touch
// whatever the user may. Of others nothing is known.
func (w *walker) unparsed(s token.Statement) {
	w.part = fact.Statement{}
	if s.Is("LOAD", "DATA") || s.Is("LOAD", "XML") {
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
		if i > 0 && t.Text == "(" && t.Kind == token.Symbol && s[i-1].Kind == token.Word && !harmless(strings.ToLower(s[i-1].Text)) {
			w.part.Functions.Add(strings.ToLower(s[i-1].Text))
		}
	}
}

// firstWord is the verb of a statement that starts with words which MySQL and
// MariaDB know one meaning of; empty for all others.
func firstWord(s token.Statement) string {
	for _, k := range []string{
		"GRANT", "REVOKE", "HANDLER", "INSTALL", "UNINSTALL", "SHUTDOWN", "RESTART", "CLONE", "BINLOG", "XA", "SIGNAL",
		"RESIGNAL", "RESET", "CHECKSUM", "REPAIR", "OPTIMIZE", "CHANGE", "IMPORT", "CREATE", "ALTER", "DROP", "RENAME",
		"DO", "CACHE", "KILL", "FLUSH", "LOCK", "CHECK",
	} {
		if s.Is(k) {
			return strings.ToLower(k)
		}
	}
	for _, k := range [][]string{{"START", "REPLICA"}, {"STOP", "REPLICA"}, {"START", "SLAVE"}, {"STOP", "SLAVE"}, {"SET", "PASSWORD"}, {"ANALYZE", "TABLE"}} {
		if s.Is(k...) {
			return strings.ToLower(k[0])
		}
	}
	return ""
}

// holdsMore reports whether a statement with such first words may hold queries
// and code that run with it.
func holdsMore(s token.Statement) bool {
	if !s.Is("CREATE") && !s.Is("ALTER") && !s.Is("DO") {
		return false
	}
	return len(s) < 2 || !s[1].Is("USER") && !s[1].Is("ROLE")
}

// load is LOAD DATA and LOAD XML: a file is read into a table.
func (w *walker) load(s token.Statement) {
	w.part.Verb = "load"
	w.part.Columns.Add(fact.All)
	file, table, unclear := "", []string{fact.All}, false
	read := w.part.ReadFile
	for i := range s {
		if i == 0 {
			continue
		}
		switch {
		case s[i-1].Is("INFILE") && s[i].Kind == token.Text:
			file = s[i].Text
		case s[i-1].Is("INTO") && s[i].Is("TABLE"):
			table = w.nameAt(s[i+1:])
		case s[i:].Is("LOCAL", "INFILE"):
			read = w.part.ReadClientFile
		case s[i].Is("REPLACE"):
			w.part.Unbounded = true
		case s[i].Is("SET"), s[i].Kind == token.Symbol && strings.HasPrefix(s[i].Text, "@"):
			unclear = true
		}
	}
	w.part.Changes.Add(table...)
	read(file)
	if unclear {
		w.part.Unclear("the expressions of a LOAD are not analysed")
	}
}

// nameAt is the table that the tokens start with.
func (w *walker) nameAt(s token.Statement) []string {
	var parts []string
	for len(s) > 0 && (s[0].Kind == token.Word || s[0].Kind == token.Name) {
		parts = append(parts, s[0].Text)
		if len(s) < 3 || s[1].Text != "." {
			break
		}
		s = s[2:]
	}
	switch len(parts) {
	case 1:
		return w.spellings(sqlparser.TableName{Name: sqlparser.NewIdentifierCS(parts[0])})
	case 2:
		return w.spellings(sqlparser.TableName{Qualifier: sqlparser.NewIdentifierCS(parts[0]), Name: sqlparser.NewIdentifierCS(parts[1])})
	default:
		return []string{fact.All}
	}
}
