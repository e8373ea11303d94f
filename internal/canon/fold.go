// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"cmp"
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// decompositionText holds the compatibility decompositions of Unicode, one
// character or run of characters a line. TestDecompositionTable writes it and
// compares it with another implementation, character by character.
//
//go:embed decomposition.txt
var decompositionText string

// decompositions is read once, at the first key that needs it, and is constant
// from then on.
//
//nolint:gochecknoglobals // a table too large to write as a constant; nothing changes it
var decompositions = sync.OnceValue(func() map[rune]string { return readDecompositions(decompositionText) })

// readDecompositions reads lines of hexadecimal numbers: "A0 20" is one
// character and what it decomposes into, "FF10-FF19 30" a run of characters that
// decompose into as many successive ones.
func readDecompositions(text string) map[rune]string {
	table := make(map[rune]string, 6000)
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] == "#" {
			continue
		}
		first, last, isRun := strings.Cut(fields[0], "-")
		if !isRun {
			last = first
		}
		to := make([]rune, 0, len(fields)-1)
		for _, f := range fields[1:] {
			to = append(to, hexRune(f))
		}
		for r := hexRune(first); r <= hexRune(last); r++ {
			table[r] = string(to)
			to[0]++
		}
	}
	return table
}

func hexRune(s string) rune {
	n, _ := strconv.ParseUint(s, 16, 21) // the table is compiled in, and tested whole
	return rune(n)
}

// Fold returns the form that keys share when some reader takes them for the
// same one; see the package comment for what it does. It is idempotent, costs
// nothing for lower-case ASCII, and answers for text that is not UTF-8 too.
func Fold(s string) string {
	lower := true
	for i := range len(s) {
		c := s[i]
		if c == 0 || c >= utf8.RuneSelf {
			return foldWide(s)
		}
		lower = lower && (c < 'A' || c > 'Z')
	}
	if lower {
		return s
	}
	return strings.ToLower(s)
}

func foldWide(s string) string {
	// A reader written in C stops at NUL: what follows cannot tell keys apart.
	s, _, _ = strings.Cut(s, "\x00")
	runes, table := make([]rune, 0, len(s)+8), decompositions()
	for _, r := range s {
		runes = decompose(runes, table, r)
	}
	sortMarks(runes)
	var b strings.Builder
	b.Grow(len(s))
	dotted := false // after i and its marks
	for _, r := range runes {
		switch r = foldRune(r); {
		case r == 'ß':
			b.WriteString("ss")
		case r == dotAbove && dotted:
			continue // İ is i with a dot, which i has already
		default:
			b.WriteRune(r)
		}
		dotted = r == 'i' || dotted && isMark(r)
	}
	return b.String()
}

const (
	dotAbove  = '\u0307'
	iotaBelow = '\u0345'
)

// foldRune takes the case away. Going up first joins what share a capital
// letter: s and ſ, k and K, i and ı, σ and ς.
func foldRune(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }

// Hangul syllables decompose by arithmetic (Unicode, section 3.12).
const (
	hangulBase, hangulCount = 0xac00, 11172
	jamoL, jamoV, jamoT     = 0x1100, 0x1161, 0x11a7
	jamoVCount, jamoTCount  = 21, 28
)

// decompose appends the compatibility decomposition of r without what is
// invisible.
func decompose(dst []rune, table map[rune]string, r rune) []rune {
	switch {
	case r < utf8.RuneSelf:
		return append(dst, r)
	case ignorable(r):
		return dst
	case r >= hangulBase && r < hangulBase+hangulCount:
		s := r - hangulBase
		dst = append(dst, jamoL+s/(jamoVCount*jamoTCount), jamoV+s/jamoTCount%jamoVCount)
		if t := s % jamoTCount; t > 0 {
			dst = append(dst, jamoT+t)
		}
		return dst
	}
	to, found := table[r]
	if !found {
		return append(dst, r)
	}
	return append(dst, []rune(to)...)
}

// ignorable reports what many programs drop or do not show: formats (zero-width,
// bidirectional, tags), variation selectors, fillers.
func ignorable(r rune) bool {
	if r < 0x300 || r > 0x3164 && r < 0xfe00 { // most letters: one of them at most
		return r == 0xad
	}
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) ||
		r >= 0xfff0 && r <= 0xfff8 || r >= 0xe0000 && r <= 0xe0fff
}

// sortMarks orders every run of combining marks by code point. Unicode orders
// them by class, so this calls a few more sequences the same than it does. The
// iota below comes last, as there: its capital is a letter and stays behind.
func sortMarks(runes []rune) {
	for i := 0; i < len(runes); i++ {
		from := i
		for i < len(runes) && isMark(runes[i]) {
			i++
		}
		if i-from > 1 {
			slices.SortFunc(runes[from:i], func(a, b rune) int { return cmp.Compare(markOrder(a), markOrder(b)) })
		}
	}
}

func isMark(r rune) bool { return r >= 0x300 && unicode.Is(unicode.M, r) }

func markOrder(r rune) rune {
	if r == iotaBelow {
		return unicode.MaxRune
	}
	return r
}

// NameSet is a set of the names that a schema or a protocol gives its members,
// ready to find names that only look like one. The zero NameSet is empty. It is
// immutable and safe for concurrent use.
type NameSet struct {
	exact  map[string]struct{}
	folded map[string]string
}

// NewNameSet returns the set of names.
func NewNameSet(names []string) NameSet {
	s := NameSet{exact: make(map[string]struct{}, len(names)), folded: make(map[string]string, len(names))}
	for _, name := range names {
		s.exact[name] = struct{}{}
		if _, found := s.folded[Fold(name)]; !found {
			s.folded[Fold(name)] = name
		}
	}
	return s
}

// Clash returns the first member of the object v whose name folds onto one of
// the set without being in the set. It looks at v's own members, not deeper.
// Where v is no object there is none.
func (s NameSet) Clash(v Value) (member, clashesWith string, found bool) {
	if len(s.folded) == 0 {
		return "", "", false
	}
	for name := range v.Fields() {
		if _, known := s.exact[name]; known {
			continue
		}
		if with, clash := s.folded[Fold(name)]; clash {
			return name, with, true
		}
	}
	return "", "", false
}

// FoldClash is [NameSet.Clash] for names used once. Keep a NameSet on the hot
// path.
func FoldClash(v Value, names []string) (member, clashesWith string, found bool) {
	return NewNameSet(names).Clash(v)
}
