// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package syntax

import "strings"

// Kind is the type of a token.
type Kind uint8

// Kinds of token.
const (
	End      Kind = iota
	Word          // bare: a keyword, or a name
	Name          // a name in double quotes, which SQLite may take for a text
	Bracket       // a name in `…` or […]
	Text          // a text
	Blob          // x'…', without the quotes
	Number        // as written
	Variable      // ?, ?1, :a, @a, $a
	Symbol        // an operator, a bracket, …
)

// Token is one token; words and symbols are lower case.
type Token struct {
	Kind Kind
	Text string
}

// maxTokens is how long a text may be, in tokens.
const maxTokens = 16000

// lexer splits a text into tokens, as SQLite's own tokenizer does.
type lexer struct {
	text   string
	at     int
	tokens []Token
	why    string // it cannot be read
}

func lex(source string) ([]Token, string) {
	l := lexer{text: source, tokens: make([]Token, 0, len(source)/5+4)}
	for l.why == "" && l.at < len(l.text) {
		l.next()
		if len(l.tokens) > maxTokens {
			l.why = "it is too long to be analysed"
		}
	}
	l.add(End, "")
	return l.tokens, l.why
}

func (l *lexer) add(k Kind, s string) { l.tokens = append(l.tokens, Token{k, s}) }

func (l *lexer) peek(n int) byte {
	if l.at+n < len(l.text) {
		return l.text[l.at+n]
	}
	return 0
}

func (l *lexer) starts(prefix string) bool { return strings.HasPrefix(l.text[l.at:], prefix) }

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func part(c byte) bool { return letter(c) || digit(c) || c == '$' }

func (l *lexer) next() {
	c := l.text[l.at]
	switch {
	case c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r':
		l.at++
	case l.starts("--"):
		l.line()
	case l.starts("/*"):
		l.comment()
	case c == '\'':
		l.quoted(Text, '\'')
	case c == '"':
		l.quoted(Name, '"')
	case c == '`':
		l.quoted(Bracket, '`')
	case c == '[':
		l.bracketed()
	case (c == 'x' || c == 'X') && l.peek(1) == '\'':
		l.blob()
	case letter(c):
		l.add(Word, Lower(l.run()))
	case digit(c) || c == '.' && digit(l.peek(1)):
		l.number()
	case c == '?', c == ':', c == '@', c == '$', c == '#':
		l.variable(c)
	default:
		l.symbol(c)
	}
}

func (l *lexer) run() string {
	start := l.at
	for l.at < len(l.text) && part(l.text[l.at]) {
		l.at++
	}
	return l.text[start:l.at]
}

func (l *lexer) line() {
	if i := strings.IndexByte(l.text[l.at:], '\n'); i >= 0 {
		l.at += i + 1
		return
	}
	l.at = len(l.text)
}

// comment skips a comment. SQLite takes one that does not end for a comment to
// the end; other readers of the text would not.
func (l *lexer) comment() {
	i := strings.Index(l.text[l.at+2:], "*/")
	if i < 0 {
		l.why = "it has a comment that does not end"
		return
	}
	l.at += i + 4
}

// quoted reads a text or a name, where a quote is written twice.
func (l *lexer) quoted(k Kind, quote byte) {
	start := l.at + 1
	for i := start; i < len(l.text); i++ {
		if l.text[i] != quote {
			continue
		}
		if i+1 < len(l.text) && l.text[i+1] == quote {
			i++
			continue
		}
		q := string(quote)
		l.add(k, strings.ReplaceAll(l.text[start:i], q+q, q))
		l.at = i + 1
		return
	}
	l.why = "it has a text or a name that does not end"
}

func (l *lexer) bracketed() {
	i := strings.IndexByte(l.text[l.at:], ']')
	if i < 0 {
		l.why = "it has a text or a name that does not end"
		return
	}
	l.add(Bracket, l.text[l.at+1:l.at+i])
	l.at += i + 1
}

func (l *lexer) blob() {
	i := strings.IndexByte(l.text[l.at+2:], '\'')
	if i < 0 || i%2 == 1 || strings.Trim(l.text[l.at+2:l.at+2+i], "0123456789abcdefABCDEF") != "" {
		l.why = NotSQLite
		return
	}
	l.add(Blob, l.text[l.at+2:l.at+2+i])
	l.at += i + 3
}

// number reads a number. What SQLite does not read as one is a fault, and so
// are digits in groups, which only some versions know.
func (l *lexer) number() {
	start := l.at
	if l.peek(0) == '0' && (l.peek(1) == 'x' || l.peek(1) == 'X') {
		l.at += 2
		hex := l.run()
		if hex == "" || strings.Trim(hex, "0123456789abcdefABCDEF") != "" {
			l.why = NotSQLite
		}
		l.add(Number, "0x"+hex)
		return
	}
	l.digits()
	if l.peek(0) == '.' {
		l.at++
		l.digits()
	}
	if c := l.peek(0); c == 'e' || c == 'E' {
		if sign := l.peek(1); digit(sign) || (sign == '+' || sign == '-') && digit(l.peek(2)) {
			l.at += 2
			l.digits()
		}
	}
	if part(l.peek(0)) {
		l.why = NotSQLite
		return
	}
	l.add(Number, l.text[start:l.at])
}

func (l *lexer) digits() {
	for digit(l.peek(0)) {
		l.at++
	}
}

// variable reads a parameter.
func (l *lexer) variable(c byte) {
	start := l.at
	l.at++
	if c == '?' {
		l.digits()
		l.add(Variable, l.text[start:l.at])
		return
	}
	if c == '#' || l.run() == "" || l.peek(0) == '(' && c == '$' || l.starts("::") {
		l.why = NotSQLite // Tcl's ways to name a variable are read by few
		return
	}
	l.add(Variable, l.text[start:l.at])
}

func (l *lexer) symbol(c byte) {
	n := 1
	switch next := l.peek(1); {
	case c == '-' && next == '>' && l.peek(2) == '>':
		n = 3
	case c == '-' && next == '>', c == '|' && next == '|', c == '<' && (next == '=' || next == '>' || next == '<'),
		c == '>' && (next == '=' || next == '>'), c == '=' && next == '=', c == '!' && next == '=':
		n = 2
	case strings.IndexByte("+-*/%=<>&|~(),.;", c) < 0:
		l.why = NotSQLite
		return
	}
	l.add(Symbol, l.text[l.at:l.at+n])
	l.at += n
}

// NotSQLite is why a parser fails at what SQLite does not read either.
const NotSQLite = "it does not parse as SQLite"
