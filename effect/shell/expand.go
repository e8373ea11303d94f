// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

// expansion turns one word of the source into words that a program gets.
type expansion struct {
	a     *analyser
	s     *state
	split bool // split and glob what is not quoted
	out   []word.Word
	b     word.Builder
	many  bool
	size  int // bytes that variables put in
}

// Limits of what variables may grow to; beyond them a value is not known.
const (
	maxValue = 16 << 10
	maxWords = 256
)

// few returns the words, or one that stands for too many.
func few(words []word.Word) []word.Word {
	if len(words) > maxWords {
		return []word.Word{word.Unknown()}
	}
	return words
}

// fields expands a word as an argument: braces, variables, commands, blanks
// and globs.
func (a *analyser) fields(s *state, w *syntax.Word) []word.Word {
	if !a.step(1) {
		return []word.Word{word.Unknown()}
	}
	if lit, ok := plain(w); ok {
		return []word.Word{word.Lit(lit)}
	}
	if a.src.lang != syntax.LangPOSIX && hasBrace(w) {
		return a.braces(s, w)
	}
	e := expansion{a: a, s: s, split: true}
	e.word(w)
	return e.end()
}

// plain returns the text of a word that nothing happens to.
func plain(w *syntax.Word) (string, bool) {
	if len(w.Parts) != 1 {
		return "", false
	}
	switch p := w.Parts[0].(type) {
	case *syntax.Lit:
		if !strings.ContainsAny(p.Value, "\\*?[{~\x00\x01\x02") {
			return p.Value, true
		}
	case *syntax.SglQuoted:
		if !p.Dollar && !strings.ContainsAny(p.Value, "\x00\x01\x02") {
			return p.Value, true
		}
	}
	return "", false
}

// single expands a word that stays one: an assigned value, the target of a
// redirection, what a case looks at.
func (a *analyser) single(s *state, w *syntax.Word) word.Word {
	if w == nil {
		return word.Word{}
	}
	if !a.step(1) {
		return word.Unknown()
	}
	e := expansion{a: a, s: s}
	e.word(w)
	out := e.end()
	switch len(out) {
	case 0:
		return word.Word{}
	case 1:
		out[0].Many = false
		return out[0]
	}
	return unknown(word.Any)
}

// document expands the body of a here-document.
func (a *analyser) document(s *state, w *syntax.Word) word.Word {
	if w == nil {
		return word.Word{}
	}
	e := expansion{a: a, s: s}
	e.b.Text("")
	for _, p := range w.Parts {
		if lit, ok := p.(*syntax.Lit); ok {
			e.b.Text(unescapeQuoted(lit.Value, "$`\\"))
			continue
		}
		e.part(p, true)
	}
	return e.b.Done()
}

func (e *expansion) word(w *syntax.Word) {
	for i, p := range w.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok {
			e.part(p, false)
			continue
		}
		text := lit.Value
		if i == 0 {
			text = e.leading(text, len(w.Parts) > 1)
		}
		e.literal(text)
	}
}

// leading expands a tilde at the start, or in bash behind "name=", and returns
// the rest.
func (e *expansion) leading(text string, more bool) string {
	if strings.HasPrefix(text, "~") {
		return e.tilde(text, more)
	}
	name, value, ok := strings.Cut(text, "=")
	if !e.split || !ok || e.a.src.lang == syntax.LangPOSIX || !syntax.ValidName(name) {
		return text
	}
	if strings.Contains(value, ":~") || strings.HasPrefix(value, "~") && e.a.src.posix {
		e.b.Text(name + "=")
		e.b.Hole(word.Any)
		return ""
	}
	if !strings.HasPrefix(value, "~") {
		return text
	}
	e.b.Text(name + "=")
	return e.tilde(value, more)
}

// end closes the last word.
func (e *expansion) end() []word.Word {
	if e.b.Started() || e.many {
		e.flush()
	}
	return few(e.out)
}

func (e *expansion) flush() {
	w := e.b.Done()
	w.Many = e.many || w.Glob && e.split
	e.out = append(e.out, w)
	e.many = false
}

// literal adds text that was not quoted.
func (e *expansion) literal(text string) {
	e.b.Text("")
	if !e.split && strings.Contains(text, ":~") {
		e.b.Hole(word.Any) // in an assignment the second ~ is a home folder too
		return
	}
	start := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\\':
			e.b.Text(text[start:i])
			if i+1 == len(text) {
				e.b.Text(`\`)
			} else {
				e.b.Text(text[i+1 : i+2])
			}
			i++
			start = i + 1
		case '*', '?', '[', ']':
			if !e.split {
				continue
			}
			e.b.Text(text[start:i])
			e.b.Active(c)
			start = i + 1
		}
	}
	if start < len(text) {
		e.b.Text(text[start:])
	}
}

// tilde adds what a leading ~ stands for and returns the rest.
func (e *expansion) tilde(text string, more bool) string {
	name, rest, slash := strings.Cut(text, "/")
	if more && !slash || strings.ContainsAny(name, "\\") {
		return text // the name is quoted or computed, so the ~ is itself
	}
	if slash {
		rest = "/" + rest
	}
	switch name {
	case "~":
		v, _ := e.s.get("HOME")
		e.b.Word(v.words[0])
	case "~+":
		e.b.Word(e.s.environment("PWD"))
	case "~-":
		e.b.Word(e.s.environment("OLDPWD"))
	default:
		e.b.Hole(word.Env) // a home folder, or the text itself where there is no such user
	}
	return rest
}

func unescapeQuoted(text, special string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			if text[i+1] == '\n' {
				i++
				continue
			}
			if strings.IndexByte(special, text[i+1]) >= 0 {
				i++
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

func (e *expansion) part(p syntax.WordPart, quoted bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		if quoted {
			e.b.Text(unescapeQuoted(p.Value, "$`\"\\"))
			return
		}
		e.literal(p.Value)
	case *syntax.SglQuoted:
		e.b.Text("")
		if p.Dollar {
			e.ansi(p.Value)
			return
		}
		e.b.Text(p.Value)
	case *syntax.DblQuoted:
		e.quotes(p)
	case *syntax.ParamExp:
		e.insert(e.a.param(e.s, p, quoted), quoted)
	case *syntax.CmdSubst:
		e.insert(e.a.substitute(e.s, p), quoted)
	case *syntax.ArithmExp:
		e.a.arithm(e.s, p.X)
		e.insert(list{words: []word.Word{unknown(word.Number)}}, quoted)
	case *syntax.ProcSubst:
		e.a.inside(e.s, p.Stmts)
		e.many = e.many || len(p.Stmts) == 0 && e.split // shells differ in what is left of it
		e.b.Text("/dev/fd/")
		e.b.Hole(word.Number)
	default: // extended globs among them
		e.b.Hole(word.Any)
		e.many = e.many || e.split
	}
}

func (e *expansion) quotes(p *syntax.DblQuoted) {
	// "$@" is no word at all when there are no arguments; any other quotation is one.
	if len(p.Parts) != 1 || !isList(p.Parts[0]) {
		e.b.Text("")
	}
	for _, part := range p.Parts {
		e.part(part, true)
	}
}

func isList(p syntax.WordPart) bool {
	pe, ok := p.(*syntax.ParamExp)
	if !ok {
		return false
	}
	return pe.Param != nil && pe.Param.Value == "@" || isAll(pe.Index) == '@'
}

// list is what an expansion yields: words that stay apart where each is true,
// else one text.
type list struct {
	words []word.Word
	each  bool // as "$@" does
}

// insert adds the words of an expansion.
func (e *expansion) insert(l list, quoted bool) {
	for i, w := range l.words {
		if e.size += len(w.Text); e.size > maxValue || !e.a.step(1+len(w.Text)/64) {
			w = word.Unknown()
		}
		if i > 0 {
			switch {
			case e.split && (l.each || !quoted):
				e.flush()
			case e.s.flags.lostIFS:
				e.b.Hole(word.Any)
			default:
				e.b.Text(" ")
			}
		}
		switch {
		case quoted || !e.split:
			e.b.Word(w)
			e.many = e.many || w.Many && e.split
		default:
			e.splitInto(w)
		}
	}
}

// splitInto adds a word that was not quoted: blanks in it end words, globs in
// it pick names.
func (e *expansion) splitInto(w word.Word) {
	if w.Glob || w.Open() || e.s.flags.lostIFS {
		e.b.Word(w)
		e.many = e.many || w.Many || w.Glob || w.Open() || e.s.flags.lostIFS && w.Text != ""
		if e.s.flags.lostIFS && w.Text != "" && !w.Open() {
			e.b.Hole(word.Any)
		}
		return
	}
	for i := 0; i < len(w.Text); i++ {
		switch c := w.Text[i]; c {
		case ' ', '\t', '\n':
			if e.b.Started() {
				e.flush()
			}
		case '*', '?', '[', ']':
			e.b.Active(c)
		case word.Number:
			e.b.Hole(c)
		default:
			e.b.Text(w.Text[i : i+1])
		}
	}
}

// ansi adds the text of $'...'.
func (e *expansion) ansi(s string) {
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			e.b.Text(s[i : i+1])
			continue
		}
		i++
		if at := strings.IndexByte("abeEfnrtv", s[i]); at >= 0 {
			e.b.Text("\a\b\x1b\x1b\f\n\r\t\v"[at : at+1])
			continue
		}
		switch c := s[i]; {
		case strings.IndexByte(`\'"?`, c) >= 0:
			e.b.Text(s[i : i+1])
		case c >= '0' && c <= '7':
			i += e.code(s[i:], 3, 8) - 1
		case c == 'x' && i+1 < len(s) && isHex(s[i+1]):
			i += e.code(s[i+1:], 2, 16)
		case c == 'u' && i+1 < len(s) && isHex(s[i+1]):
			i += e.code(s[i+1:], 4, 16)
		case c == 'U' && i+1 < len(s) && isHex(s[i+1]):
			i += e.code(s[i+1:], 8, 16)
		case c == 'c' || c == 'x' || c == 'u' || c == 'U':
			e.b.Hole(word.Any) // shells disagree
		default:
			e.b.Text(s[i-1 : i+1])
		}
	}
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// code adds the character of up to n digits and returns how many there were.
func (e *expansion) code(s string, n, base int) int {
	end := 0
	for end < n && end < len(s) && (isHex(s[end]) && base == 16 || s[end] >= '0' && s[end] <= '7') {
		end++
	}
	v, err := strconv.ParseUint(s[:end], base, 32)
	if err != nil || v == 0 || v > 0x7f {
		e.b.Hole(word.Any) // the end of the string, or a byte that depends on the locale
		return end
	}
	e.b.Text(string(rune(v)))
	return end
}

const maxBraces = 64

func hasBrace(w *syntax.Word) bool {
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if strings.IndexByte(p.Value, '{') >= 0 {
				return true
			}
		case *syntax.BraceExp:
			return true
		}
	}
	return false
}

// braces expands {a,b} and {1..3} first, as bash does, then each word that
// comes of it.
func (a *analyser) braces(s *state, w *syntax.Word) []word.Word {
	syntax.SplitBraces(w)
	alternatives, ok := spell(w)
	if !ok {
		return []word.Word{word.Unknown()}
	}
	var out []word.Word
	for _, parts := range alternatives {
		if !a.step(1) {
			break
		}
		e := expansion{a: a, s: s, split: true}
		e.word(&syntax.Word{Parts: parts})
		out = append(out, e.end()...)
	}
	return out
}

// spell returns the words that the braces of a word stand for; false when they
// are too many.
func spell(w *syntax.Word) ([][]syntax.WordPart, bool) {
	all := [][]syntax.WordPart{nil}
	for _, p := range w.Parts {
		choices := [][]syntax.WordPart{{p}}
		if b, ok := p.(*syntax.BraceExp); ok {
			if choices, ok = spellBrace(b); !ok {
				return nil, false
			}
		}
		if len(all)*len(choices) > maxBraces {
			return nil, false
		}
		var next [][]syntax.WordPart
		for _, before := range all {
			for _, c := range choices {
				next = append(next, append(append([]syntax.WordPart{}, before...), c...))
			}
		}
		all = next
	}
	return all, true
}

func spellBrace(b *syntax.BraceExp) ([][]syntax.WordPart, bool) {
	if b.Sequence {
		return spellSequence(b)
	}
	var all [][]syntax.WordPart
	for _, elem := range b.Elems {
		words, ok := spell(elem)
		if !ok || len(all)+len(words) > maxBraces {
			return nil, false
		}
		all = append(all, words...)
	}
	return all, true
}

// spellSequence writes out {1..5} and {a..e}.
func spellSequence(b *syntax.BraceExp) ([][]syntax.WordPart, bool) {
	if len(b.Elems) != 2 {
		return nil, false
	}
	first, last := b.Elems[0].Lit(), b.Elems[1].Lit()
	from, err1 := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	letters := len(first) == 1 && len(last) == 1 && (err1 != nil || err2 != nil)
	if letters {
		from, to = int(first[0]), int(last[0])
	} else if err1 != nil || err2 != nil || padded(first) || padded(last) {
		return nil, false
	}
	step := 1
	if to < from {
		step = -1
	}
	if n := (to - from) * step; n < 0 || n >= maxBraces {
		return nil, false
	}
	var all [][]syntax.WordPart
	for i := from; ; i += step {
		text := strconv.Itoa(i)
		if letters {
			text = string(rune(i))
		}
		all = append(all, []syntax.WordPart{&syntax.SglQuoted{Value: text}})
		if i == to {
			return all, true
		}
	}
}

func padded(s string) bool {
	s = strings.TrimLeft(s, "+-")
	return len(s) > 1 && s[0] == '0'
}
