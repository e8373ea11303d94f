// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package sqlite tells what SQLite would do with a text of SQL. It holds a
// parser of SQLite's grammar of its own: those that there are for Go leave out
// ATTACH, VACUUM and much else, and end the process on a text that nests deep.
// The tests hold it against SQLite itself: every text that it reads, SQLite
// reads, and every table that SQLite touches is among those it tells.
//
// What the text does not show it does not tell: what triggers and views do, and
// which tables a foreign key reaches.
package sqlite

import (
	"slices"
)

// maxDepth is how deep brackets and prefixes may nest.
const maxDepth = 200

// parser reads tokens by recursive descent. After a fault it runs to the end
// without effect: why says that it failed.
type parser struct {
	tokens []token
	at     int
	depth  int
	why    string
}

func (p *parser) fail(why string) {
	if p.why == "" {
		p.why = why
	}
	p.at = len(p.tokens) - 1 // the end
}

// enter counts a level of nesting; leave must follow.
func (p *parser) enter() {
	p.depth++
	if p.depth > maxDepth {
		p.fail("it nests too deep to be analysed")
	}
}

func (p *parser) leave() { p.depth-- }

func (p *parser) peek() token { return p.tokens[p.at] }

// ahead is the n-th token from here.
func (p *parser) ahead(n int) token { return p.tokens[min(p.at+n, len(p.tokens)-1)] }

func (p *parser) next() token {
	t := p.tokens[p.at]
	if t.kind != end {
		p.at++
	}
	return t
}

// keyword reports whether the next tokens are the words.
func (p *parser) keyword(words ...string) bool {
	for i, w := range words {
		if t := p.ahead(i); t.kind != word || t.text != w {
			return false
		}
	}
	return true
}

// accept takes the words where they are next.
func (p *parser) accept(words ...string) bool {
	if !p.keyword(words...) {
		return false
	}
	p.at += len(words)
	return true
}

// acceptAny takes one of the words where it is next.
func (p *parser) acceptAny(words ...string) string {
	if t := p.peek(); t.kind == word && slices.Contains(words, t.text) {
		p.at++
		return t.text
	}
	return ""
}

func (p *parser) expect(words ...string) {
	if !p.accept(words...) {
		p.fail(notSQLite)
	}
}

func (p *parser) symbol(s string) bool {
	t := p.peek()
	return t.kind == symbol && t.text == s
}

func (p *parser) acceptSymbol(s string) bool {
	if !p.symbol(s) {
		return false
	}
	p.at++
	return true
}

func (p *parser) expectSymbol(s string) {
	if !p.acceptSymbol(s) {
		p.fail(notSQLite)
	}
}

// reserved are the keywords that are never a name. Others are one wherever they
// cannot be a keyword.
func reserved(s string) bool {
	switch s {
	case "add", "all", "alter", "and", "as", "autoincrement", "between", "case", "check", "collate", "commit", "constraint",
		"create", "default", "deferrable", "delete", "distinct", "drop", "else", "escape", "except", "exists", "foreign",
		"from", "group", "having", "in", "index", "insert", "intersect", "into", "is", "isnull", "join", "limit", "not",
		"nothing", "notnull", "null", "on", "or", "order", "primary", "references", "returning", "select", "set", "table",
		"then", "to", "transaction", "union", "unique", "update", "using", "values", "when", "where":
		return true
	default:
		return false
	}
}

// joinWord are the words of a join, which may be a name, but no bare alias.
func joinWord(s string) bool {
	switch s {
	case "cross", "full", "inner", "left", "natural", "outer", "right":
		return true
	default:
		return false
	}
}

// named reports whether the token can be a name.
func named(t token) bool {
	switch t.kind {
	case word:
		return !reserved(t.text)
	case name, bracket, text:
		return true
	default:
		return false
	}
}

// name takes a name, in lower case: SQLite compares them so.
func (p *parser) name() string {
	if !named(p.peek()) {
		p.fail(notSQLite)
		return ""
	}
	return lower(p.next().text)
}

// lower folds ASCII letters, as SQLite does for names.
func lower(s string) string {
	for i := range len(s) {
		if s[i] >= 'A' && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if b[i] >= 'A' && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

// table takes a name with an optional schema before it.
func (p *parser) table() table {
	t := table{name: p.name()}
	if p.acceptSymbol(".") {
		t.schema, t.name = t.name, p.name()
	}
	return t
}

// names takes names in brackets.
func (p *parser) names() []string {
	p.expectSymbol("(")
	list := []string{p.name()}
	for p.acceptSymbol(",") {
		list = append(list, p.name())
	}
	p.expectSymbol(")")
	return list
}

// alias takes an alias, where there is one.
func (p *parser) alias() string {
	if p.accept("as") {
		return p.name()
	}
	t := p.peek()
	switch {
	case t.kind == name, t.kind == bracket, t.kind == text:
		return p.name()
	case t.kind == word && !reserved(t.text) && !joinWord(t.text) && !p.clause(t.text):
		return p.name()
	}
	return ""
}

// clause reports whether the word starts what may follow an alias.
func (p *parser) clause(s string) bool {
	switch s {
	case "indexed":
		return true
	case "window": // a name, but for WINDOW x AS
		return named(p.ahead(1)) && p.ahead(2).kind == word && p.ahead(2).text == "as"
	default:
		return false
	}
}
