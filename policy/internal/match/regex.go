// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package match

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of a regular expression. A pattern of nested counts can take seconds
// to compile, and a long text times a large program seconds to match.
const (
	maxRegexBytes = 1024
	maxRegexSize  = 2000    // instructions, estimated before compiling
	maxRegexWork  = 1 << 23 // bytes of text times instructions
)

// Regex is an RE2 expression that must match the whole text.
type Regex struct {
	re   *regexp.Regexp
	size int
	need string // every text that matches contains it
	text string

	literals [][]Literal
}

// ParseRegex compiles an expression. It is parsed alone first, so that no
// unbalanced parenthesis can step out of the anchors put around it.
func ParseRegex(s string) (Regex, error) {
	if len(s) > maxRegexBytes {
		return Regex{}, fmt.Errorf("the expression is longer than %d bytes: split it", maxRegexBytes)
	}
	tree, err := syntax.Parse(s, syntax.Perl)
	if err != nil {
		return Regex{}, fmt.Errorf("the expression is not RE2: %s", reasonOf(err))
	}
	size := cost(tree)
	if size > maxRegexSize {
		return Regex{}, fmt.Errorf("the expression needs about %d steps, at most %d: lower its repeat counts", size, maxRegexSize)
	}
	re, err := regexp.Compile(`\A(?:` + s + `)\z`)
	if err != nil {
		return Regex{}, fmt.Errorf("the expression is not RE2: %s", reasonOf(err))
	}
	need := required(tree)
	return Regex{re: re, size: size + 2, need: need, text: s, literals: literalsOf(tree, need)}, nil
}

// ParseSearch compiles an expression that may match anywhere in the text.
func ParseSearch(s string) (Regex, error) {
	alone, err := ParseRegex(s)
	if err != nil {
		return Regex{}, err
	}
	alone.re, err = regexp.Compile(s)
	if err != nil {
		return Regex{}, fmt.Errorf("the expression is not RE2: %s", reasonOf(err))
	}
	return alone, nil
}

func reasonOf(err error) string {
	if e, ok := err.(*syntax.Error); ok { //nolint:errorlint // Parse and Compile return it unwrapped
		return e.Code.String()
	}
	return "it does not parse"
}

// String returns the expression as written.
func (r Regex) String() string { return r.text }

// Needs is a text that every text that matches contains, "" where there is none.
func (r Regex) Needs() string { return r.need }

// Size is about how many steps it takes for each byte of a text.
func (r Regex) Size() int { return r.size }

// Match matches the whole text. One that would take too long for this
// expression is Unknown.
func (r Regex) Match(s string) Truth {
	if !strings.Contains(s, r.need) {
		return False // most texts end here, a hundred times faster
	}
	if len(s)*r.size > maxRegexWork {
		return Unknown
	}
	return Of(r.re.MatchString(s))
}

// cost estimates the compiled size, counting repeats as they are unrolled.
func cost(t *syntax.Regexp) int {
	sum := 1
	for _, sub := range t.Sub {
		sum = min(sum+cost(sub), 1<<20)
	}
	switch t.Op {
	case syntax.OpLiteral:
		sum += len(t.Rune)
	case syntax.OpCharClass:
		sum += len(t.Rune) / 8
	case syntax.OpRepeat:
		sum *= max(t.Max, t.Min, 1)
	default:
	}
	return min(sum, 1<<20)
}

// required finds the longest literal that every match contains, "" where there
// is none.
func required(t *syntax.Regexp) string {
	switch t.Op {
	case syntax.OpLiteral:
		// U+FFFD also matches a byte that is no character; folded letters have
		// several spellings.
		if t.Flags&syntax.FoldCase == 0 && !slices.Contains(t.Rune, utf8.RuneError) {
			return string(t.Rune)
		}
	case syntax.OpCapture, syntax.OpPlus:
		return required(t.Sub[0])
	case syntax.OpRepeat:
		if t.Min > 0 {
			return required(t.Sub[0])
		}
	case syntax.OpConcat:
		longest := ""
		for _, sub := range t.Sub {
			if s := required(sub); len(s) > len(longest) {
				longest = s
			}
		}
		return longest
	default:
	}
	return ""
}
