// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"errors"
	"io"
	"runtime"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Source is a text that is parsed.
type Source struct {
	Text  string
	Lang  syntax.LangVariant
	POSIX bool // it may be a plain POSIX shell that reads it, or bash in its POSIX mode
}

// maxFrames is how deep the parser may recurse.
const maxFrames = 1200

// Screen returns why a text may not be what the parser takes it for.
func Screen(text string) string {
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\t' && c != '\n' && c != 0x1b {
			return "the command holds a control character, which shells and parsers read differently"
		}
	}
	if splitToken(text) {
		return "a line that goes on in the middle of an operator, which shells and parsers read differently"
	}
	if strings.Contains(text, "\\\n") && strings.Contains(text, "#") && continuedComment(text) {
		return "a comment that ends in a backslash, which shells and parsers read differently"
	}
	return ""
}

// splitToken reports whether a line goes on where what is on both sides could
// be one operator or expansion: "$\" and "!x" are "$!x" to a shell.
func splitToken(text string) bool {
	for rest, at := text, 0; ; {
		i := strings.Index(rest, "\\\n")
		if i < 0 {
			return false
		}
		at += i
		if at > 0 && at+2 < len(text) {
			before, after := text[at-1], text[at+2]
			if before == '$' || strings.IndexByte("&|;<>()", before) >= 0 && strings.IndexByte("&|;<>()\\", after) >= 0 {
				return true
			}
		}
		at += 2
		rest = text[at:]
	}
}

// Plain reports whether zsh and ksh read a text as bash does: words, single
// quotes and lists, without anything that they expand in their own way.
func Plain(text string) bool {
	outside := true
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\'':
			outside = !outside
		case !outside:
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte(" \n_./,:+@%-\"&|;", c) >= 0:
		case c == '=' && i > 0 && text[i-1] != ' ': // at the start of a word it stands for a program's path
		default:
			return false
		}
	}
	for word := range strings.FieldsSeq(text) {
		switch strings.Trim(word, ";&|") {
		case "repeat", "foreach", "end", "always", "-", "noglob", "nocorrect", "coproc", "function", "select", "time":
			return false
		}
	}
	return true
}

// continuedComment reports whether a comment ends in a backslash: to a shell
// the comment ends there, to the parser the next line goes on with the command
// before it.
func continuedComment(text string) bool {
	found := false
	p := syntax.NewParser(syntax.KeepComments(true))
	file, err := p.Parse(&boundedReader{text: text}, "")
	if err != nil {
		return false // refused later
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		c, ok := n.(*syntax.Comment)
		found = found || ok && strings.HasSuffix(strings.TrimRight(c.Text, "\n"), `\`)
		return !found
	})
	return found
}

// Parser parses one text after the other. The zero value is ready.
type Parser struct{ parser *syntax.Parser }

// Statements parses a text up to where it fails.
func (p *Parser) Statements(src *Source) ([]*syntax.Stmt, error) {
	list, err := p.once(src)
	for range 16 {
		if !splitAmpersand(src, err) {
			break
		}
		list, err = p.once(src)
	}
	return list, err
}

func (p *Parser) once(src *Source) ([]*syntax.Stmt, error) {
	if p.parser == nil {
		p.parser = syntax.NewParser()
	}
	syntax.Variant(src.Lang)(p.parser)
	var list []*syntax.Stmt
	for stmt, err := range p.parser.StmtsSeq(&boundedReader{text: src.Text}) {
		if err != nil {
			return list, err
		}
		list = append(list, stmt)
	}
	return list, nil
}

// splitAmpersand reports whether a text failed to parse because of "&>", which
// a plain POSIX shell reads as "&" and ">", and writes it so.
func splitAmpersand(src *Source, err error) bool {
	lang, ok := errors.AsType[syntax.LangError](err)
	if !ok || src.Lang != syntax.LangPOSIX || !strings.Contains(lang.Feature, "&>") {
		return false
	}
	at := Offset(lang.Pos)
	if at >= len(src.Text) || src.Text[at] != '&' {
		return false
	}
	src.Text = src.Text[:at] + "& " + src.Text[at+1:]
	return true
}

// Refused is what [Why] says of a text that no shell could read.
const Refused = "the command does not parse"

// Why says in our own words why the parser gave up, and where. What it says
// itself may quote the text.
func Why(src *Source, err error) (why, where string) {
	if lang, ok := errors.AsType[syntax.LangError](err); ok && !brokenEverywhere(src, lang) {
		return "a piece of syntax that shells read differently", ""
	}
	if errors.Is(err, errTooDeep) {
		return "the command is nested too deeply", ""
	}
	if e, ok := errors.AsType[syntax.ParseError](err); ok {
		return Refused, e.Pos.String()
	}
	return Refused, ""
}

// brokenEverywhere reports whether a plain POSIX shell cannot parse what the
// parser says is another shell's; some of it such a shell reads in its own way,
// or only stumbles over when it gets there.
func brokenEverywhere(src *Source, e syntax.LangError) bool {
	switch e.Feature {
	case "herestrings", "extended globs", "c-style fors", "for loops with braces":
		return true
	case "arrays":
		at := Offset(e.Pos)
		return at < len(src.Text) && src.Text[at] == '('
	}
	return false
}

// Offset returns where in its text something stands.
func Offset(p syntax.Pos) int { return int(p.Offset()) }

var errTooDeep = errors.New("nested too deeply")

// boundedReader hands a text to the parser and stops it from recursing without
// end: the parser has no limit of its own, and a stack that grows too far
// cannot be recovered from.
type boundedReader struct {
	text string
	at   int
}

func (r *boundedReader) Read(p []byte) (int, error) {
	if r.at == len(r.text) {
		return 0, io.EOF
	}
	var frame [1]uintptr
	if r.at > 0 && runtime.Callers(maxFrames, frame[:]) > 0 {
		return 0, errTooDeep
	}
	n := copy(p, r.text[r.at:])
	r.at += n
	return n, nil
}
