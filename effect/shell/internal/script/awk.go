// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package script

import (
	"slices"
	"strings"
)

// Awk returns what an awk program does beside printing to standard output.
func Awk(program string) []Finding {
	tokens, why := lexAwk(program)
	if why != "" {
		return []Finding{opaque("awk program: " + why)}
	}
	r := awkReader{tokens: tokens}
	for r.at < len(r.tokens) {
		r.step()
	}
	return r.found
}

type awkKind uint8

const (
	awkName awkKind = iota + 1
	awkNumber
	awkString
	awkRegex
	awkPunct
	awkNewline
)

type awkToken struct {
	kind awkKind
	text string
}

func (t awkToken) is(punct string) bool { return t.kind == awkPunct && t.text == punct }

// value reports whether a slash after the token divides.
func (t awkToken) value() bool {
	switch t.kind {
	case awkNumber, awkString, awkRegex:
		return true
	case awkName:
		return !awkKeyword(t.text)
	case awkPunct:
		return t.text == ")" || t.text == "]" || t.text == "++" || t.text == "--"
	default:
		return false
	}
}

func awkKeyword(name string) bool {
	switch name {
	case "BEGIN", "END", "if", "else", "while", "for", "do", "in", "return", "print", "printf", "delete", "exit",
		"case", "switch", "default", "BEGINFILE", "ENDFILE":
		return true
	}
	return false
}

type awkLexer struct {
	src    string
	at     int
	tokens []awkToken
	why    string
	parens []bool // of each that is open: it belongs to if, while, for or switch
	after  bool   // the last token closed such a one, so that a statement begins
}

func lexAwk(src string) ([]awkToken, string) {
	l := &awkLexer{src: src}
	for l.at < len(l.src) && l.why == "" {
		l.next()
	}
	return l.tokens, l.why
}

func (l *awkLexer) emit(kind awkKind, text string) {
	l.after = false
	switch {
	case kind == awkPunct && text == "(":
		word := ""
		if n := len(l.tokens); n > 0 && l.tokens[n-1].kind == awkName {
			word = l.tokens[n-1].text
		}
		l.parens = append(l.parens, word == "if" || word == "while" || word == "for" || word == "switch")
	case kind == awkPunct && text == ")" && len(l.parens) > 0:
		l.after = l.parens[len(l.parens)-1]
		l.parens = l.parens[:len(l.parens)-1]
	}
	l.tokens = append(l.tokens, awkToken{kind, text})
}

func (l *awkLexer) next() {
	c := l.src[l.at]
	switch {
	case c == ' ' || c == '\t':
		l.at++
	case c == '\n':
		l.at++
		l.emit(awkNewline, "\n")
	case c == '\\' && strings.HasPrefix(l.src[l.at:], "\\\n"):
		l.at += 2
	case c == '#':
		l.comment()
	case c == '"':
		l.str()
	case c == '/' && !l.divides():
		l.regex()
	case c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		l.emit(awkName, l.run(func(c byte) bool {
			return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		}))
	case c >= '0' && c <= '9':
		l.emit(awkNumber, l.run(func(c byte) bool {
			return c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' || c == 'x' || c == 'X'
		}))
	case strings.IndexByte("{}()[];,+-*/%^!<>|?:~$=&.", c) >= 0:
		l.punct()
	default:
		l.why = "a character that awk does not have"
	}
}

func (l *awkLexer) run(in func(byte) bool) string {
	start := l.at
	for l.at < len(l.src) && in(l.src[l.at]) {
		l.at++
	}
	return l.src[start:l.at]
}

func (l *awkLexer) comment() {
	end := strings.IndexByte(l.src[l.at:], '\n')
	if end < 0 {
		end = len(l.src) - l.at
	}
	if strings.HasSuffix(l.src[l.at:l.at+end], "\\") {
		l.why = "a comment that ends in a backslash, which awks read differently"
	}
	l.at += end
}

// divides reports whether a slash here is a division.
func (l *awkLexer) divides() bool {
	if len(l.tokens) == 0 || l.after {
		return false
	}
	last := l.tokens[len(l.tokens)-1]
	if last.kind == awkName && (last.text == "getline" || last.text == "length") ||
		last.kind == awkString || last.kind == awkRegex {
		l.why = "a slash that awks read differently"
	}
	return last.value()
}

func (l *awkLexer) str() {
	var b strings.Builder
	for l.at++; l.at < len(l.src); l.at++ {
		switch c := l.src[l.at]; c {
		case '"':
			l.at++
			l.emit(awkString, b.String())
			return
		case '\n':
			l.why = "a string that does not end"
			return
		case '\\':
			l.at++
			if l.at < len(l.src) {
				b.WriteString(l.escape())
			}
		default:
			b.WriteByte(c)
		}
	}
	l.why = "a string that does not end"
}

// escape reads what follows a backslash in a string and stays on its last byte.
func (l *awkLexer) escape() string {
	c := l.src[l.at]
	if i := strings.IndexByte("abfnrtv", c); i >= 0 {
		return "\a\b\f\n\r\t\v"[i : i+1]
	}
	switch {
	case c == '\n':
		return ""
	case c == 'x' || c == 'u':
		l.why = "an escape that awks read differently"
		return ""
	case c >= '0' && c <= '7':
		n, i := 0, 0
		for ; i < 3 && l.at+i < len(l.src) && l.src[l.at+i] >= '0' && l.src[l.at+i] <= '7'; i++ {
			n = n*8 + int(l.src[l.at+i]-'0')
		}
		l.at += i - 1
		return string([]byte{byte(n)}) // awk cuts at eight bits too
	}
	return string(c)
}

func (l *awkLexer) regex() {
	start, inside := l.at, false
	for l.at++; l.at < len(l.src); l.at++ {
		switch l.src[l.at] {
		case '\\':
			l.at++
		case '\n':
			l.why = "a pattern that does not end"
			return
		case '[':
			inside = true
		case ']':
			if before := l.src[start+1 : l.at]; !strings.HasSuffix(before, "[") && !strings.HasSuffix(before, "[^") {
				inside = false
			}
		case '/':
			if inside {
				l.why = "a slash in brackets, which awks read differently"
				return
			}
			l.emit(awkRegex, l.src[start+1:l.at])
			l.at++
			return
		}
	}
	l.why = "a pattern that does not end"
}

func (l *awkLexer) punct() {
	rest := l.src[l.at:]
	for _, op := range []string{">>", "||", "|&", "&&", "==", "!=", "<=", ">=", "++", "--", "**", "+=", "-=", "*=", "/=", "%=", "^="} {
		if strings.HasPrefix(rest, op) {
			l.emit(awkPunct, op)
			l.at += len(op)
			return
		}
	}
	l.emit(awkPunct, rest[:1])
	l.at++
}

// awkReader walks over the tokens once and notes every door to the outside.
type awkReader struct {
	tokens []awkToken
	at     int
	print  bool // in a print statement
	depth  int  // of parentheses since it began
	found  []Finding
}

func (r *awkReader) peek(n int) awkToken {
	if i := r.at + n; i >= 0 && i < len(r.tokens) {
		return r.tokens[i]
	}
	return awkToken{kind: awkNewline}
}

func (r *awkReader) step() {
	t := r.peek(0)
	switch {
	case t.kind == awkString && strings.Contains(t.text, "/inet"):
		r.found = append(r.found, Finding{Kind: Connect}, opaque("awk program: opens a socket"))
	case t.kind == awkNewline && r.continues(), t.kind == awkString, t.kind == awkNumber, t.kind == awkRegex:
	case t.kind == awkNewline || t.is(";") || t.is("}"):
		r.print = false
	case t.kind == awkName:
		r.name(t.text)
	case t.is("("):
		r.depth++
	case t.is(")"):
		r.depth--
	case t.is("|") || t.is("|&"):
		r.pipe()
	case r.print && r.depth == 0 && (t.is(">") || t.is(">>")):
		r.file(Write, 1)
	}
	r.at++
}

// continues reports whether the newline here does not end a statement.
func (r *awkReader) continues() bool {
	last := r.peek(-1)
	return last.is(",") || last.is("&&") || last.is("||")
}

func (r *awkReader) name(name string) {
	switch name {
	case "print", "printf":
		r.print, r.depth = true, 0
	case "system":
		r.system()
	case "getline":
		r.getline()
	case "ARGV", "ARGC":
		r.found = append(r.found, Finding{Kind: Read})
	}
}

// system notes system("command").
func (r *awkReader) system() {
	if r.peek(1).is("(") && r.peek(2).kind == awkString && r.peek(3).is(")") {
		r.found = append(r.found, Finding{Kind: Run, Text: r.peek(2).text, Known: true})
		return
	}
	r.found = append(r.found, Finding{Kind: Run})
}

// pipe notes "command" | getline and print | "command".
func (r *awkReader) pipe() {
	command := r.peek(-1)
	known := command.kind == awkString && r.opens(r.peek(-2))
	if next := r.peek(1); next.kind != awkName || next.text != "getline" {
		command = next
		known = command.kind == awkString && r.closes(r.peek(2))
	}
	r.found = append(r.found, Finding{Kind: Run, Text: command.text, Known: known})
	if !known {
		r.found[len(r.found)-1].Text = ""
	}
}

// opens reports whether an expression can begin right after the token, so that
// a string there is not the end of a longer one.
func (r *awkReader) opens(t awkToken) bool {
	switch t.kind {
	case awkNewline:
		return true
	case awkPunct:
		return slices.Contains([]string{"(", "{", "}", ";", "&&", "||", "!", ","}, t.text)
	case awkName:
		return t.text == "else" || t.text == "do" || t.text == "return"
	default:
		return false
	}
}

// closes reports whether an expression must end before the token.
func (r *awkReader) closes(t awkToken) bool {
	return t.kind == awkNewline || t.is(";") || t.is("}") || t.is(")")
}

// getline notes getline < "file", with or without a variable.
func (r *awkReader) getline() {
	n := 1
	for r.peek(n).is("$") || r.peek(n).kind == awkName || r.peek(n).kind == awkNumber {
		n++
	}
	if r.peek(n).is("[") {
		n++
		for !r.peek(n).is("]") && r.peek(n).kind != awkNewline {
			n++
		}
		n++
	}
	if r.peek(n).is("<") {
		r.file(Read, n+1)
		return
	}
	if n == 1 || r.closes(r.peek(n)) || r.peek(n).is(">") {
		return
	}
	r.found = append(r.found, Finding{Kind: Read})
}

// file notes the file that the token n ahead names.
func (r *awkReader) file(kind Kind, n int) {
	name := r.peek(n)
	if name.kind == awkString && r.closes(r.peek(n+1)) {
		r.found = append(r.found, Finding{Kind: kind, Text: name.text, Known: true})
		return
	}
	r.found = append(r.found, Finding{Kind: kind})
}
