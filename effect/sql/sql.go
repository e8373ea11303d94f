// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"strings"
	"unicode/utf8"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/sql/internal/fact"
	"github.com/toolverdict/toolverdict/effect/sql/internal/mysql"
	"github.com/toolverdict/toolverdict/effect/sql/internal/postgres"
	"github.com/toolverdict/toolverdict/effect/sql/internal/sqlite"
)

// Dialect is a make of database. A text is read as the dialect reads it, and as
// no other.
type Dialect string

// The dialects. MariaDB is read with MySQL: where the two differ, a text is
// analysed in both ways.
const (
	PostgreSQL Dialect = "postgres"
	MySQL      Dialect = "mysql"
	SQLite     Dialect = "sqlite"
)

// Options are what is known of the database that the text is for.
type Options struct {
	Dialect Dialect
	// MySQLMode is the server's sql_mode. The zero value is any: a text that
	// modes read differently is analysed in every way.
	MySQLMode MySQLMode
	// MySQLFoldsTables says that names of tables are lower case whatever is
	// written (lower_case_table_names is 1, as on Windows): rules that name
	// tables are then in lower case too. Without it, names are as written.
	MySQLFoldsTables bool
}

// MySQLMode is the part of a MySQL server's sql_mode that changes how a text is
// read, where it is Known.
type MySQLMode struct {
	Known              bool
	ANSIQuotes         bool // "x" is a name
	NoBackslashEscapes bool // a backslash in a text is a backslash
	PipesAsConcat      bool // || joins texts
}

// MaxBytes is the length of text that is analysed; a longer one is opaque. A
// text of fewer bytes is opaque too where it has more than some thousand words
// and signs.
const MaxBytes = 1 << 20

// Analyse returns the effects of every statement of the text, in the order of
// the text; there is at least one. It is deterministic, may be called by several
// goroutines at once, and does no input or output. What it does not understand
// is an opaque effect that says why, so an error in it makes a rule that denies
// match and one that allows not match.
func Analyse(text string, o Options) (effects []toolverdict.Effect) {
	defer func() {
		if recover() != nil {
			effects = []toolverdict.Effect{fact.Opaque("the analysis of the SQL failed")}
		}
	}()
	switch {
	case len(text) > MaxBytes:
		return []toolverdict.Effect{fact.Opaque("it is too long to be analysed")}
	case strings.ContainsRune(text, 0):
		return []toolverdict.Effect{fact.Opaque("it holds a NUL, at which some readers stop")}
	case !utf8.ValidString(text):
		return []toolverdict.Effect{fact.Opaque("it is not valid UTF-8")}
	case strings.HasPrefix(text, "\ufeff"):
		return []toolverdict.Effect{fact.Opaque("it starts with a byte order mark, which readers take differently")}
	}
	switch o.Dialect {
	case PostgreSQL:
		return postgres.Analyse(text)
	case MySQL:
		return mysql.Analyse(text, mysql.Options{Mode: mysql.Mode(o.MySQLMode), FoldTables: o.MySQLFoldsTables})
	case SQLite:
		return sqlite.Analyse(text)
	default:
		return []toolverdict.Effect{fact.Opaque("its dialect is not known")}
	}
}

// Warm readies the dialect's parser, so that the first call does not wait for
// it: a second and 250 MiB for a moment, 40 MiB to stay, for PostgreSQL, and
// nothing for the others.
func Warm(d Dialect) {
	if d == PostgreSQL {
		postgres.Warm()
	}
}
