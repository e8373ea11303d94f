// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package token

import (
	"strings"
)

// Kind is the type of a token.
type Kind uint8

// Kinds of token.
const (
	Word   Kind = iota // a bare word: a keyword, or a name
	Name               // a name in quotes, or one that starts with a digit
	Text               // a text, with its escapes resolved
	Number             // as written
	Symbol             // an operator, a bracket, …
	Hint               // what /*+ and */ stand around: only behind a verb the optimizer reads it
)

// Token is one token of a text as MySQL reads it.
type Token struct {
	Kind Kind
	Text string
}

// Is reports whether the token is the bare word; upper case.
func (t Token) Is(keyword string) bool { return t.Kind == Word && strings.EqualFold(t.Text, keyword) }

// choice is how a place is read at which servers differ.
type choice uint8

const (
	open choice = iota
	first
	second
	third
)

// Questions that a text may raise, besides the headers of its executable
// comments. The first reading is that of a server as it is installed.
const (
	quotesAreText    = `"`  // first: "x" is a text; second: a name (ANSI_QUOTES)
	backslashEscapes = `\`  // first: it escapes in texts; second: it does not (NO_BACKSLASH_ESCAPES)
	pipesAreOr       = `||` // first: they are OR; second: they join texts (PIPES_AS_CONCAT)
)

// answers are the readings chosen so far.
type answers map[string]choice

// lexer splits a text into tokens.
type lexer struct {
	text   string
	at     int
	chosen answers
	tokens []Token
	raised string // a question that has no answer yet
	fault  Fault
	inside bool // an executable comment whose content runs
	depth  int  // of open brackets
	budget int  // of tokens
	excess bool // a limit is passed
}

// Fault is why a text could not be read to its end.
type Fault uint8

// Faults, and none.
const (
	None     Fault = iota
	Unclosed       // a text or a name that does not end: no server reads it
	Strange        // anything else: some server may read it
)

// Lex reads the text with the readings chosen so far. What was read before a
// fault or a question is left in tokens.
func lex(source string, chosen answers, budget int) *lexer {
	l := &lexer{text: source, chosen: chosen, budget: budget, tokens: make([]Token, 0, min(len(source)/3, budget)+8)}
	for l.fault == None && l.raised == "" && !l.excess && l.at < len(l.text) {
		l.next()
	}
	if l.inside && l.fault == None && l.raised == "" {
		l.fault = Strange
	}
	return l
}

// ask returns the reading that was chosen, and raises the question where there
// is none yet.
func (l *lexer) ask(question string) choice {
	c := l.chosen[question]
	if c == open && l.raised == "" {
		l.raised = question
	}
	return c
}

func (l *lexer) add(k Kind, s string) {
	l.tokens = append(l.tokens, Token{k, s})
	l.excess = l.excess || len(l.tokens) > l.budget
}

func (l *lexer) peek(n int) byte {
	if l.at+n < len(l.text) {
		return l.text[l.at+n]
	}
	return 0
}

func (l *lexer) starts(prefix string) bool { return strings.HasPrefix(l.text[l.at:], prefix) }

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || c >= 0x80
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func (l *lexer) next() {
	c := l.text[l.at]
	switch {
	case c == ' ' || c >= '\t' && c <= '\r':
		l.at++
	case c == '#', l.starts("--") && (l.peek(2) <= ' ' || l.peek(2) == 0x7f):
		l.line()
	case l.starts("/*"):
		l.comment()
	case c == '*' && l.inside && l.peek(1) == '/':
		l.at += 2
		l.inside = false
	case c == '\'':
		l.addText(l.quoted('\''))
	case c == '"':
		l.doubleQuoted()
	case c == '`':
		l.addName(l.backquoted())
	case l.prefixed():
	case letter(c):
		l.add(Word, l.run())
	case digit(c), c == '.' && digit(l.peek(1)) && !l.afterName():
		l.number()
	case c == '@':
		l.variable()
	default:
		l.symbol(c)
	}
}

func (l *lexer) run() string {
	start := l.at
	for l.at < len(l.text) && (letter(l.text[l.at]) || digit(l.text[l.at])) {
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

// addText adds a text. Texts that stand side by side are one.
func (l *lexer) addText(s string, ok bool) {
	if !ok {
		return
	}
	if n := len(l.tokens); n > 0 && l.tokens[n-1].Kind == Text {
		l.tokens[n-1].Text += s
		return
	}
	l.add(Text, s)
}

func (l *lexer) addName(s string, ok bool) {
	switch {
	case !ok:
	case s == "":
		l.fault = Strange
	default:
		l.add(Name, s)
	}
}

func (l *lexer) doubleQuoted() {
	switch l.ask(quotesAreText) {
	case first:
		l.addText(l.quoted('"'))
	case second:
		l.addName(l.doubled('"'))
	default:
	}
}

func (l *lexer) backquoted() (string, bool) { return l.doubled('`') }

// doubled reads a name in quotes, where a quote is written twice.
func (l *lexer) doubled(quote byte) (string, bool) {
	var b strings.Builder
	for i := l.at + 1; i < len(l.text); i++ {
		if l.text[i] != quote {
			b.WriteByte(l.text[i])
			continue
		}
		if i+1 < len(l.text) && l.text[i+1] == quote {
			b.WriteByte(quote)
			i++
			continue
		}
		l.at = i + 1
		return b.String(), true
	}
	l.fault = Unclosed
	return "", false
}

// quoted reads a text.
func (l *lexer) quoted(quote byte) (string, bool) {
	var b strings.Builder
	for i := l.at + 1; i < len(l.text); i++ {
		switch c := l.text[i]; {
		case c == '\\':
			switch l.ask(backslashEscapes) {
			case open:
				return "", false
			case second:
				b.WriteByte(c)
				continue
			default:
			}
			i++
			if i < len(l.text) {
				b.WriteString(unescaped(l.text[i]))
			}
		case c != quote:
			b.WriteByte(c)
		case i+1 < len(l.text) && l.text[i+1] == quote:
			b.WriteByte(quote)
			i++
		default:
			l.at = i + 1
			return b.String(), true
		}
	}
	l.fault = Unclosed
	return "", false
}

// unescaped is what a backslash and the byte stand for.
func unescaped(c byte) string {
	switch c {
	case '0':
		return "\x00"
	case 'b':
		return "\b"
	case 'n':
		return "\n"
	case 'r':
		return "\r"
	case 't':
		return "\t"
	case 'Z':
		return "\x1a"
	case '%', '_':
		return `\` + string(c)
	default:
		return string([]byte{c})
	}
}

// prefixed reads x'..', b'..' and n'..'.
func (l *lexer) prefixed() bool {
	if l.peek(1) != '\'' {
		return false
	}
	switch l.text[l.at] {
	case 'n', 'N':
		l.at++
		l.addText(l.quoted('\''))
	case 'x', 'X':
		l.digits("0123456789abcdefABCDEF")
	case 'b', 'B':
		l.digits("01")
	default:
		return false
	}
	return true
}

// digits reads a literal of digits in quotes.
func (l *lexer) digits(allowed string) {
	end := strings.IndexByte(l.text[l.at+2:], '\'')
	if end < 0 {
		l.fault = Unclosed
		return
	}
	literal := l.text[l.at : l.at+end+3]
	if strings.Trim(literal[2:len(literal)-1], allowed) != "" {
		l.fault = Strange
		return
	}
	l.at += len(literal)
	l.add(Number, literal)
}

// afterName reports whether the last token is a name and ends right here, so
// that a dot separates it from the next.
func (l *lexer) afterName() bool {
	if len(l.tokens) == 0 || l.at == 0 {
		return false
	}
	last, before := l.tokens[len(l.tokens)-1], l.text[l.at-1]
	return last.Kind == Name && before == '`' || last.Kind == Name && before == '"' ||
		(last.Kind == Word || last.Kind == Name) && (letter(before) || digit(before))
}

// number reads a number, or a name that starts with a digit.
func (l *lexer) number() {
	start := l.at
	if l.qualified() {
		l.add(Name, l.run())
		return
	}
	if l.starts("0x") || l.starts("0b") {
		literal := l.run()
		allowed := "01"
		if literal[1] == 'x' {
			allowed = "0123456789abcdefABCDEF"
		}
		if len(literal) > 2 && strings.Trim(literal[2:], allowed) == "" {
			l.add(Number, literal)
			return
		}
		l.add(Name, literal)
		return
	}
	for digit(l.peek(0)) {
		l.at++
	}
	fraction := l.peek(0) == '.'
	if fraction {
		l.at++
		for digit(l.peek(0)) {
			l.at++
		}
	}
	if l.exponent() {
		l.add(Number, l.text[start:l.at])
		return
	}
	if !fraction && letter(l.peek(0)) {
		l.run()
		l.add(Name, l.text[start:l.at])
		return
	}
	l.add(Number, l.text[start:l.at])
}

// qualified reports whether the last token is the dot of a qualified name, and
// ends right here.
func (l *lexer) qualified() bool {
	n := len(l.tokens)
	return n > 0 && l.tokens[n-1] == Token{Symbol, "."} && l.text[l.at-1] == '.'
}

func (l *lexer) exponent() bool {
	if c := l.peek(0); c != 'e' && c != 'E' {
		return false
	}
	n := 1
	if c := l.peek(1); c == '+' || c == '-' {
		n = 2
	}
	if !digit(l.peek(n)) {
		return false
	}
	l.at += n
	for digit(l.peek(0)) {
		l.at++
	}
	return true
}

// variable reads @name and @@name.
func (l *lexer) variable() {
	start := l.at
	l.at++
	if l.peek(0) == '@' {
		l.at++
	}
	at := l.text[start:l.at]
	switch c := l.peek(0); {
	case c == '`' && at == "@":
		if s, ok := l.backquoted(); ok {
			l.add(Symbol, "@"+backquote(s))
		}
	case (c == '\'' || c == '"') && at == "@": // the host of an account as well
		if s, ok := l.quoted(c); ok {
			l.add(Symbol, "@"+backquote(s))
		}
	case letter(c) || digit(c) || c == '.':
		from := l.at
		for letter(l.peek(0)) || digit(l.peek(0)) || l.peek(0) == '.' {
			l.at++
		}
		if s := l.text[from:l.at]; at == "@" {
			l.add(Symbol, "@"+backquote(s))
		} else {
			l.add(Symbol, at+s)
		}
	default:
		l.fault = Strange
	}
}

// symbol reads an operator.
func (l *lexer) symbol(c byte) {
	n := operator(c, l.peek(1), l.peek(2))
	if n == 0 {
		l.fault = Strange
		return
	}
	op := l.text[l.at : l.at+n]
	l.at += n
	switch c {
	case '(':
		l.depth++
		l.excess = l.excess || l.depth > maxNesting
	case ')':
		l.depth = max(l.depth-1, 0)
	case ';':
		l.depth = 0
	}
	if op == pipesAreOr && l.ask(pipesAreOr) == second {
		op = "^" // it binds as tight as the joining of texts does
	}
	l.add(Symbol, op)
}

// operator is the length of the operator that starts with the bytes, 0 where
// there is none.
func operator(a, b, c byte) int {
	switch {
	case a == '-' && b == '>' && c == '>', a == '<' && b == '=' && c == '>':
		return 3
	case a == '-' && b == '>', a == ':' && b == '=', a == '<' && (b == '=' || b == '>' || b == '<'),
		a == '>' && (b == '=' || b == '>'), a == '!' && b == '=', a == '&' && b == '&', a == '|' && b == '|':
		return 2
	case strings.IndexByte("=<>!+-*/%&|^~(),.;?", a) >= 0:
		return 1
	default:
		return 0
	}
}

// Unquoted is what a text in quotes, as a server is installed, stands for; empty
// where it is none.
func Unquoted(literal string) string {
	l := lex(literal, answers{quotesAreText: first, backslashEscapes: first}, 1)
	if len(l.tokens) != 1 || l.fault != None {
		return ""
	}
	return l.tokens[0].Text
}
