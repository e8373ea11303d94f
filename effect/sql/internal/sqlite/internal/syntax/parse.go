// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package syntax

import "slices"

// maxDepth is how deep brackets and prefixes may nest.
const maxDepth = 200

// Parser reads tokens by recursive descent. After a fault it stands at the end,
// and what it gives means nothing.
type Parser struct {
	Tokens []Token // the last one is End
	At     int     // the next of them
	Why    string  // what the fault is, empty without one
	depth  int
}

// New returns a parser at the start of the text.
func New(source string) *Parser {
	p := &Parser{}
	var why string
	if p.Tokens, why = lex(source); why != "" {
		p.Fail(why)
	}
	return p
}

// Fail says that the text cannot be read. The first fault counts.
func (p *Parser) Fail(why string) {
	if p.Why == "" {
		p.Why = why
	}
	p.At = len(p.Tokens) - 1 // the end
}

// enter counts a level of nesting; leave must follow.
func (p *Parser) enter() {
	p.depth++
	if p.depth > maxDepth {
		p.Fail("it nests too deep to be analysed")
	}
}

func (p *Parser) leave() { p.depth-- }

// Peek is the next token.
func (p *Parser) Peek() Token { return p.Tokens[p.At] }

// Ahead is the n-th token from here.
func (p *Parser) Ahead(n int) Token { return p.Tokens[min(p.At+n, len(p.Tokens)-1)] }

// Next takes the next token.
func (p *Parser) Next() Token {
	t := p.Tokens[p.At]
	if t.Kind != End {
		p.At++
	}
	return t
}

// Keyword reports whether the next tokens are the words.
func (p *Parser) Keyword(words ...string) bool {
	for i, w := range words {
		if t := p.Ahead(i); t.Kind != Word || t.Text != w {
			return false
		}
	}
	return true
}

// Accept takes the words where they are next.
func (p *Parser) Accept(words ...string) bool {
	if !p.Keyword(words...) {
		return false
	}
	p.At += len(words)
	return true
}

// AcceptAny takes one of the words where it is next.
func (p *Parser) AcceptAny(words ...string) string {
	if t := p.Peek(); t.Kind == Word && slices.Contains(words, t.Text) {
		p.At++
		return t.Text
	}
	return ""
}

// Expect takes the words, which have to be next.
func (p *Parser) Expect(words ...string) {
	if !p.Accept(words...) {
		p.Fail(NotSQLite)
	}
}

// Symbol reports whether the symbol is next.
func (p *Parser) Symbol(s string) bool {
	t := p.Peek()
	return t.Kind == Symbol && t.Text == s
}

// AcceptSymbol takes the symbol where it is next.
func (p *Parser) AcceptSymbol(s string) bool {
	if !p.Symbol(s) {
		return false
	}
	p.At++
	return true
}

// ExpectSymbol takes the symbol, which has to be next.
func (p *Parser) ExpectSymbol(s string) {
	if !p.AcceptSymbol(s) {
		p.Fail(NotSQLite)
	}
}

// Reserved are the keywords that are never a name. Others are one wherever they
// cannot be a keyword.
func Reserved(s string) bool {
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

// Named reports whether the token can be a name.
func Named(t Token) bool {
	switch t.Kind {
	case Word:
		return !Reserved(t.Text)
	case Name, Bracket, Text:
		return true
	default:
		return false
	}
}

// Name takes a name, in lower case: SQLite compares them so.
func (p *Parser) Name() string {
	if !Named(p.Peek()) {
		p.Fail(NotSQLite)
		return ""
	}
	return Lower(p.Next().Text)
}

// Lower folds ASCII letters, as SQLite does for names.
func Lower(s string) string {
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

// Table takes a name with an optional schema before it.
func (p *Parser) Table() Table {
	t := Table{Name: p.Name()}
	if p.AcceptSymbol(".") {
		t.Schema, t.Name = t.Name, p.Name()
	}
	return t
}

// Names takes names in brackets.
func (p *Parser) Names() []string {
	p.ExpectSymbol("(")
	list := []string{p.Name()}
	for p.AcceptSymbol(",") {
		list = append(list, p.Name())
	}
	p.ExpectSymbol(")")
	return list
}

// alias takes an alias, where there is one.
func (p *Parser) alias() string {
	if p.Accept("as") {
		return p.Name()
	}
	t := p.Peek()
	switch {
	case t.Kind == Name, t.Kind == Bracket, t.Kind == Text:
		return p.Name()
	case t.Kind == Word && !Reserved(t.Text) && !joinWord(t.Text) && !p.clause(t.Text):
		return p.Name()
	}
	return ""
}

// clause reports whether the word starts what may follow an alias.
func (p *Parser) clause(s string) bool {
	switch s {
	case "indexed":
		return true
	case "window": // a name, but for WINDOW x AS
		return Named(p.Ahead(1)) && p.Ahead(2).Kind == Word && p.Ahead(2).Text == "as"
	default:
		return false
	}
}
