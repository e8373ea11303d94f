// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package mysql tells what MySQL or MariaDB would do with a text of SQL. The
// text is split into tokens by this package, as the servers do it, in every way
// in which their settings and versions let them; each statement is then written
// down anew, so that there is one way to read it, and read by the parser of
// Vitess.
//
// What the text does not show it does not tell: what views, triggers and stored
// functions do, and which tables a foreign key reaches.
package mysql

import (
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/sql/internal/fact"
	"github.com/toolverdict/toolverdict/effect/sql/internal/mysql/internal/token"
)

// Analyse returns the effects of every statement of the text, in every way in
// which a server may read it.
func Analyse(source string) []toolverdict.Effect { return analyse(source, 0, "") }

// maxTexts is how deep a text of SQL inside a text of SQL is followed.
const maxTexts = 3

// analyse reads a text; database is the one that it starts in, empty where it is
// not known.
func analyse(source string, depth int, database string) []toolverdict.Effect {
	all, tooMuch := token.Read(source)
	if tooMuch {
		return []toolverdict.Effect{fact.Opaque("it is too long, or there are too many ways to read it")}
	}
	var effects []toolverdict.Effect
	readable := false
	for _, r := range all {
		switch {
		case r.Fault == token.Strange:
			effects = append(effects, fact.Opaque("it does not read as MySQL"))
		case r.Fault == token.None && len(r.Statements) == 0:
			effects = append(effects, fact.Opaque("it holds no statement"))
		}
		readable = readable || r.Fault != token.Unclosed
		chosen := database
		for i, s := range r.Statements {
			w := walker{depth: depth, joins: r.Joins, database: chosen}
			w.tokens(s)
			chosen = w.database
			effects = append(effects, w.effects(i+1)...)
		}
	}
	if !readable {
		effects = append(effects, fact.Opaque("it has a text or a name that does not end"))
	}
	if len(all) > 1 {
		effects = fact.Distinct(effects)
	}
	return effects
}

// parse reads one statement; nil where it does not parse.
func parse(s token.Statement) sqlparser.Statement {
	if len(s) == 0 {
		return nil
	}
	p, err := sqlparser.New(sqlparser.Options{})
	if err != nil {
		return nil
	}
	tree, err := p.ParseStrictDDL(s.String())
	if err != nil {
		return nil
	}
	return tree
}
