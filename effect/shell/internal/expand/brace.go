// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package expand

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolverdict/toolverdict/effect/shell/internal/state"
	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

const maxBraces = 64

// mayBrace reports whether a word of only that text could be more than one.
func mayBrace(text string) bool {
	return strings.IndexByte(text, '{') >= 0 && (strings.IndexByte(text, ',') >= 0 || strings.Contains(text, ".."))
}

// HasBrace reports whether a word may hold braces to expand.
func HasBrace(w *syntax.Word) bool {
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
func (a *Expander) braces(s *state.State, w *syntax.Word) []word.Word {
	syntax.SplitBraces(w)
	alternatives, ok := spell(w)
	if !ok {
		return []word.Word{word.Unknown()}
	}
	var out []word.Word
	for _, parts := range alternatives {
		if !a.Found.Step(1) {
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
	if letters && !(isLower(first[0]) && isLower(last[0]) || isUpper(first[0]) && isUpper(last[0])) {
		return nil, false // what lies between includes quotes and globs
	}
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
			text = letter(i)
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

const alphabet = "abcdefghijklmnopqrstuvwxyz"

// letter returns the letter of a code from A to Z or a to z.
func letter(code int) string {
	if code >= 'a' {
		return alphabet[code-'a' : code-'a'+1]
	}
	return strings.ToUpper(alphabet[code-'A' : code-'A'+1])
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
