// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package postgres tells what PostgreSQL would do with a text of SQL. The text
// is read by PostgreSQL's own parser, compiled to WebAssembly; this package
// walks the tree. A node that it does not know is searched for everything
// that could be a relation, a column or a function.
//
// What the parser cannot see it does not tell: what views, rules, triggers,
// row policies, types and operators do that are stored in the database, and
// functions that somebody made under a name of PostgreSQL's own, or for the rows
// of a table, which are written as its columns are.
package postgres

import (
	"sync"
	"sync/atomic"

	pg "github.com/pganalyze/pg_query_go/v6"
	"github.com/wasilibs/go-pgquery/parser"
	"google.golang.org/protobuf/proto"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/sql/internal/fact"
	"github.com/toolverdict/toolverdict/effect/sql/internal/postgres/internal/scan"
)

// turn bounds the memory and the work of the parser, which the library keeps
// for the whole process: it would make one more parser for each caller at a
// time, and making one takes a second and 200 MiB for a moment.
var turn sync.Mutex //nolint:gochecknoglobals // guards what the library keeps globally

// broken is set when the parser has ended in the middle of a text. The library
// would go on with it, and what it then says is not to be trusted.
var broken atomic.Bool //nolint:gochecknoglobals // the state of what the library keeps globally

// Warm makes the parser, so that the first text does not wait for it.
func Warm() { _, _ = parse("SELECT 1") }

// parse reads the text into a tree.
func parse(text string) (tree *pg.ParseResult, why string) {
	turn.Lock()
	defer turn.Unlock()
	if broken.Load() {
		return nil, "the PostgreSQL parser has stopped, start the gate again"
	}
	ended := false
	defer func() {
		if !ended {
			broken.Store(true)
		}
	}()
	bytes, err := parser.ParseToProtobuf(text)
	ended = true
	if err != nil {
		return nil, "it does not parse as PostgreSQL"
	}
	tree = &pg.ParseResult{}
	if err := proto.Unmarshal(bytes, tree); err != nil {
		return nil, "its tree is too large"
	}
	return tree, ""
}

// Analyse returns the effects of every statement of the text.
func Analyse(text string) []toolverdict.Effect { return analyse(text, 0) }

// maxTexts is how deep a text of SQL inside a text of SQL is followed.
const maxTexts = 3

func analyse(text string, depth int) []toolverdict.Effect {
	if why := tooMuch(text); why != "" {
		return []toolverdict.Effect{fact.Opaque(why)}
	}
	effects := read(text, depth)
	other, ok := scan.Escaped(text)
	if !ok {
		return effects
	}
	// What is a text for the one is none for the other: it has a size of its own.
	if why := tooMuch(other); why != "" {
		return append(effects, fact.Opaque(why))
	}
	if _, why := parse(other); why != "" {
		return effects // no server reads it so
	}
	return fact.Distinct(append(effects, read(other, depth)...))
}

// tooMuch says why the parser is not given the text; empty where it is. Nothing
// gets to the parser without it.
func tooMuch(text string) string {
	switch tokens, nesting := scan.Measure(text); {
	case tokens > scan.MaxTokens:
		return "it is too long to be analysed"
	case nesting > scan.MaxNesting:
		return "it nests too deep to be analysed"
	default:
		return ""
	}
}

// read returns the effects of a text as a server reads it that is set as usual.
func read(text string, depth int) []toolverdict.Effect {
	tree, why := parse(text)
	if why != "" {
		return []toolverdict.Effect{fact.Opaque(why)}
	}
	if len(tree.Stmts) == 0 {
		return []toolverdict.Effect{fact.Opaque("it holds no statement")}
	}
	effects := make([]toolverdict.Effect, 0, len(tree.Stmts))
	for i, stmt := range tree.Stmts {
		w := walker{depth: depth}
		w.statement(stmt.Stmt)
		effects = append(effects, w.effects(i+1)...)
	}
	return effects
}
