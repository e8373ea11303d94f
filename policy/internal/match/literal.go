// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package match

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// Literal is a text that another one must be, start with, end with or contain:
// the forms Whole, Head, Tail and Inside.
type Literal struct {
	Form Form
	Text string
}

// Literals returns what every text that the glob matches has, as choices of
// literals of which one is enough.
func (g Glob) Literals() [][]Literal {
	if len(g.parts) == 1 && !strings.Contains(g.text, "?") {
		return [][]Literal{{{Whole, g.text}}}
	}
	var out [][]Literal
	for i, part := range g.parts {
		pieces := strings.Split(part, "?")
		for j, piece := range pieces {
			l := Literal{Inside, piece}
			switch {
			case piece == "", strings.ContainsRune(piece, utf8.RuneError): // that also matches a byte that is no character
				continue
			case i == 0 && j == 0:
				l.Form = Head
			case i == len(g.parts)-1 && j == len(pieces)-1:
				l.Form = Tail
			}
			out = append(out, []Literal{l})
		}
	}
	return longestFirst(out)
}

// Longest is the longest text that the glob tells anything of for sure, 0 for
// no bound.
func (g Glob) Longest() int {
	if !strings.Contains(g.text, "?") {
		return 0
	}
	return maxGlobWork / len(g.text)
}

// Longest is the longest text that the expression tells anything of for sure.
func (r Regex) Longest() int { return maxRegexWork / r.size }

// Literals returns what every text that the expression matches has, as choices
// of literals of which one is enough.
func (r Regex) Literals() [][]Literal { return r.literals }

// Bounds of what is read out of an expression.
const (
	maxStarts    = 16 // texts that it can start with
	maxStartSize = 64 // bytes of each
)

// literalsOf reads an expression for its literals.
func literalsOf(t *syntax.Regexp, need string) [][]Literal {
	s := starts(t)
	form := Head
	if s.whole {
		form = Whole
	}
	var out [][]Literal
	if len(s.texts) > 0 && (s.whole || !slices.Contains(s.texts, "")) {
		var choice []Literal
		for _, text := range s.texts {
			choice = append(choice, Literal{form, text})
		}
		if s.whole {
			return [][]Literal{choice}
		}
		out = append(out, choice)
	}
	if need != "" {
		out = append(out, []Literal{{Inside, need}})
	}
	if end := ending(t); end != "" {
		out = append(out, []Literal{{Tail, end}})
	}
	return longestFirst(out)
}

// longestFirst puts the choice that says most before the others.
func longestFirst(choices [][]Literal) [][]Literal {
	shortest := func(choice []Literal) int {
		n := maxGlob
		for _, l := range choice {
			n = min(n, len(l.Text))
		}
		return n
	}
	slices.SortStableFunc(choices, func(a, b []Literal) int { return shortest(b) - shortest(a) })
	return choices
}

// start is what the texts that an expression matches start with: one of texts,
// and nothing more where whole.
type start struct {
	texts []string
	whole bool
}

// starts never misses a text. Where it cannot go on, it says less.
func starts(t *syntax.Regexp) start {
	switch t.Op {
	case syntax.OpLiteral:
		// U+FFFD also matches a byte that is no character; folded letters have
		// several spellings.
		if t.Flags&syntax.FoldCase == 0 && !slices.Contains(t.Rune, utf8.RuneError) {
			return start{[]string{string(t.Rune)}, true}
		}
	case syntax.OpCharClass:
		return ofClass(t.Rune)
	case syntax.OpEmptyMatch, syntax.OpBeginText, syntax.OpEndText, syntax.OpBeginLine, syntax.OpEndLine,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return start{[]string{""}, true}
	case syntax.OpCapture:
		return starts(t.Sub[0])
	case syntax.OpPlus:
		return start{texts: starts(t.Sub[0]).texts}
	case syntax.OpRepeat:
		if t.Min > 0 {
			return start{texts: starts(t.Sub[0]).texts}
		}
	case syntax.OpQuest:
		s := starts(t.Sub[0])
		if s.whole {
			return bounded(start{append(slices.Clone(s.texts), ""), true})
		}
	case syntax.OpAlternate:
		out := start{whole: true}
		for _, sub := range t.Sub {
			s := starts(sub)
			out.texts, out.whole = append(out.texts, s.texts...), out.whole && s.whole
		}
		return bounded(out)
	case syntax.OpConcat:
		out := start{[]string{""}, true}
		for _, sub := range t.Sub {
			next := followed(out, starts(sub))
			if next.texts == nil {
				return start{texts: out.texts}
			}
			if out = next; !out.whole {
				break
			}
		}
		return out
	default:
	}
	return start{texts: []string{""}}
}

func ofClass(pairs []rune) start {
	out := start{whole: true}
	for i := 0; i < len(pairs); i += 2 {
		for r := pairs[i]; r <= pairs[i+1]; r++ {
			if r == utf8.RuneError || len(out.texts) == maxStarts {
				return start{texts: []string{""}}
			}
			out.texts = append(out.texts, string(r))
		}
	}
	return out
}

// bounded gives up where there is too much.
func bounded(s start) start {
	if len(s.texts) > maxStarts {
		return start{texts: []string{""}}
	}
	return s
}

// followed puts one start behind another, and nothing where that is too much.
func followed(a, b start) start {
	out := start{whole: a.whole && b.whole}
	for _, x := range a.texts {
		for _, y := range b.texts {
			if len(out.texts) == maxStarts || len(x)+len(y) > maxStartSize {
				return start{}
			}
			out.texts = append(out.texts, x+y)
		}
	}
	return out
}

// ending is the text that everything an expression matches ends with.
func ending(t *syntax.Regexp) string {
	switch t.Op {
	case syntax.OpLiteral:
		return required(t)
	case syntax.OpCapture:
		return ending(t.Sub[0])
	case syntax.OpConcat:
		return ending(t.Sub[len(t.Sub)-1])
	default:
		return ""
	}
}
