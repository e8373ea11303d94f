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

// MaxBytes is the length of text that is analysed; a longer one is opaque. A
// text of fewer bytes is opaque too where it has more than some thousand words
// and signs.
const MaxBytes = 1 << 20

// Analyse returns the effects of every statement of the text, in the order of
// the text; there is at least one. It is deterministic, may be called by several
// goroutines at once, and does no input or output. What it does not understand
// is an opaque effect that says why, and so is a dialect that it does not know:
// an error in it makes a rule that denies match and one that allows not match.
func Analyse(dialect Dialect, text string) (effects []toolverdict.Effect) {
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
	switch dialect {
	case PostgreSQL:
		return postgres.Analyse(text)
	case MySQL:
		return mysql.Analyse(text)
	case SQLite:
		return sqlite.Analyse(text)
	default:
		return []toolverdict.Effect{fact.Opaque("its dialect is not known")}
	}
}

// Warm readies PostgreSQL's parser, so that the first text does not wait for it:
// a second and 250 MiB for a moment, 40 MiB to stay. The other dialects have
// nothing to ready.
func Warm() { postgres.Warm() }
