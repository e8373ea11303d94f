// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package expand

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolverdict/toolverdict/effect/shell/internal/found"
	"github.com/toolverdict/toolverdict/effect/shell/internal/parse"
	"github.com/toolverdict/toolverdict/effect/shell/internal/state"
	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

// Shell is the shell whose words are expanded.
type Shell interface {
	// Inside walks commands in a shell of their own.
	Inside(s *state.State, list []*syntax.Stmt)
	// Assign notes that an expansion sets a variable.
	Assign(s *state.State, name string, v state.Value)
	// Look notes that a test looks at a file.
	Look(s *state.State, w word.Word)
}

// Expander expands words of one source.
type Expander struct {
	Found *found.List
	Shell Shell
	Src   *parse.Source
}

// expansion turns one word of the source into words that a program gets.
type expansion struct {
	a     *Expander
	s     *state.State
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

// Few returns the words, or one that stands for too many.
func Few(words []word.Word) []word.Word {
	if len(words) > maxWords {
		return []word.Word{word.Unknown()}
	}
	return words
}

// Fields expands a word as an argument: braces, variables, commands, blanks
// and globs.
func (a *Expander) Fields(s *state.State, w *syntax.Word) []word.Word {
	if !a.Found.Step(1) {
		return []word.Word{word.Unknown()}
	}
	if lit, ok := plain(w); ok {
		return []word.Word{word.Lit(lit)}
	}
	if a.Src.Lang != syntax.LangPOSIX && HasBrace(w) {
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
		if !strings.ContainsAny(p.Value, "\\*?[~\x00\x01\x02") && !mayBrace(p.Value) {
			return p.Value, true
		}
	case *syntax.SglQuoted:
		if !p.Dollar && !strings.ContainsAny(p.Value, "\x00\x01\x02") {
			return p.Value, true
		}
	}
	return "", false
}

// Single expands a word that stays one: an assigned value, the target of a
// redirection, what a case looks at.
func (a *Expander) Single(s *state.State, w *syntax.Word) word.Word {
	if w == nil {
		return word.Word{}
	}
	if !a.Found.Step(1) {
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
	return state.Unknown(word.Any)
}

// Document expands the body of a here-document.
func (a *Expander) Document(s *state.State, w *syntax.Word) word.Word {
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
	if !e.split || !ok || e.a.Src.Lang == syntax.LangPOSIX || !syntax.ValidName(name) {
		return text
	}
	if strings.Contains(value, ":~") || strings.HasPrefix(value, "~") && e.a.Src.POSIX {
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
	return Few(e.out)
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

// variable adds what a variable holds.
func (e *expansion) variable(name string) {
	w, _ := e.s.Text(name)
	e.b.Word(w)
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
		e.variable("HOME")
	case "~+":
		e.variable("PWD")
	case "~-":
		e.variable("OLDPWD")
	default:
		e.b.Hole(word.Env) // a home folder, or the text itself where there is no such user
	}
	return rest
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
		e.a.Arithm(e.s, p.X)
		e.insert(list{words: []word.Word{state.Unknown(word.Number)}}, quoted)
	case *syntax.ProcSubst:
		e.a.Shell.Inside(e.s, p.Stmts)
		e.many = e.many || len(p.Stmts) == 0 && e.split // shells differ in what is left of it
		e.b.Text("/dev/fd/")
		e.b.Hole(word.Number)
	default: // extended globs among them
		e.b.Hole(word.Any)
		e.many = e.many || e.split
	}
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
		if e.size += len(w.Text); e.size > maxValue || !e.a.Found.Step(1+len(w.Text)/64) {
			w = word.Unknown()
		}
		if i > 0 {
			switch {
			case e.split && (l.each || !quoted):
				e.flush()
			case e.s.Flags.LostIFS:
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
	if w.Glob || w.Open() || e.s.Flags.LostIFS {
		e.b.Word(w)
		e.many = e.many || w.Many || w.Glob || w.Open() || e.s.Flags.LostIFS && w.Text != ""
		if e.s.Flags.LostIFS && w.Text != "" && !w.Open() {
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
