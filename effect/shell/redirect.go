// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/shell/internal/program"
	"github.com/toolverdict/toolverdict/effect/shell/internal/state"
	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

// redirect notes what a redirection opens.
func (a *analyser) redirect(s *state.State, r *syntax.Redirect) {
	if !a.found.Step(1) {
		return
	}
	defer func(old string) { a.found.Where = old }(a.found.Where)
	a.found.Where = a.at(r.Pos())
	if r.N != nil && strings.HasPrefix(r.N.Value, "{") {
		a.setByName(s, word.Lit(strings.Trim(r.N.Value, "{}")))
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		a.hereDocument(s, r)
	case syntax.WordHdoc:
		w := a.words.Single(s, r.Word)
		a.feed(r, &w)
	case syntax.DplIn, syntax.DplOut:
		a.duplicate(s, r)
	case syntax.RdrIn, syntax.RdrInOut:
		w := a.target(s, r.Word)
		a.feed(r, nil)
		a.open(s, w, true, r.Op == syntax.RdrInOut)
	default:
		a.open(s, a.target(s, r.Word), false, true)
	}
}

// duplicate reads "2>&1" and "<&3"; ">&name" opens a file, and anything but a
// descriptor behind "<&" is an error.
func (a *analyser) duplicate(s *state.State, r *syntax.Redirect) {
	w := a.target(s, r.Word)
	if r.Op == syntax.DplIn {
		a.feed(r, nil)
		return
	}
	if descriptor := w.Text != "" && !w.Glob && strings.Trim(w.Text, "0123456789-\x02") == ""; !descriptor {
		a.open(s, w, false, true)
	}
}

// target expands the word behind a redirection: one word, or an error.
func (a *analyser) target(s *state.State, w *syntax.Word) word.Word {
	fields := a.words.Fields(s, w)
	if len(fields) != 1 {
		return state.Unknown(word.Any)
	}
	fields[0].Many = false
	return fields[0]
}

// feed notes what the command finds on its standard input.
func (a *analyser) feed(r *syntax.Redirect, w *word.Word) {
	if r.N == nil || r.N.Value == "0" {
		a.stdin = w
	}
}

// hereDocument reads the body; a delimiter that is more than a word, quoted or
// not, is one that shells and parsers may read differently.
func (a *analyser) hereDocument(s *state.State, r *syntax.Redirect) {
	quoted, certain := false, false
	if len(r.Word.Parts) == 1 {
		switch p := r.Word.Parts[0].(type) {
		case *syntax.Lit:
			name := strings.TrimPrefix(p.Value, `\`)
			quoted = name != p.Value
			certain = plainDelimiter(name)
		case *syntax.SglQuoted:
			quoted, certain = true, !p.Dollar && plainDelimiter(p.Value)
		case *syntax.DblQuoted:
			quoted = true
			if len(p.Parts) == 1 {
				lit, ok := p.Parts[0].(*syntax.Lit)
				certain = ok && !p.Dollar && plainDelimiter(lit.Value)
			}
		}
	}
	if !certain {
		a.found.Opaque("a here-document whose end shells and parsers see differently")
	}
	var body word.Word
	if quoted && r.Hdoc != nil {
		body = word.Word{Text: rawText(r.Hdoc)}
	} else {
		body = a.words.Document(s, r.Hdoc)
	}
	a.feed(r, &body)
}

func plainDelimiter(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '_' && c != '-' && c != '.' && c != '!' && c != '+' && c != ':' && c != '/' && c != '@' && c != '%' && c != '=' && c != ',' &&
			(c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return s != ""
}

func rawText(w *syntax.Word) string {
	var b strings.Builder
	for _, p := range w.Parts {
		if lit, ok := p.(*syntax.Lit); ok {
			b.WriteString(lit.Value)
		}
	}
	return strings.Map(func(r rune) rune {
		if r <= word.Number {
			return -1
		}
		return r
	}, b.String())
}

// open notes a file that the shell opens, or a connection: bash has file names
// for sockets.
func (a *analyser) open(s *state.State, w word.Word, reads, writes bool) {
	if a.words.Src.Lang != syntax.LangPOSIX && a.socket(w) {
		return
	}
	if reads {
		a.path(s, program.Use{Kind: program.Read, Word: w})
	}
	if writes {
		a.path(s, program.Use{Kind: program.Write, Word: w})
	}
}

// socket reports whether the word is certainly a socket, and notes it when it
// is or may be.
func (a *analyser) socket(w word.Word) bool {
	head := w.Prefix()
	for _, kind := range []string{"/dev/tcp/", "/dev/udp/"} {
		rest, ok := strings.CutPrefix(head, kind)
		if !ok {
			if len(head) < len(w.Text) && strings.HasPrefix(kind, head) && w.FromData() {
				a.found.Emit(toolverdict.Effect{Kind: toolverdict.EffectConnect})
			}
			continue
		}
		host, port, _ := strings.Cut(rest, "/")
		use := program.Use{Kind: program.Host, Word: word.Lit(host), Scheme: kind[len("/dev/") : len(kind)-1]}
		if _, static := w.Static(); !static {
			use.Word = word.Unknown()
			if strings.Contains(rest, "/") {
				use.Word = word.Lit(host)
			}
		} else {
			use.Port = word.Lit(port)
		}
		a.connect(use)
		return true
	}
	return false
}
