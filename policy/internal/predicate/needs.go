// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package predicate

import (
	"net/netip"
	"strings"
	"unicode/utf8"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy/internal/match"
)

// Need is what a value must have for a predicate not to be false of it, as sets
// that an index can find a value in: it is enough to be in one of them. Of a
// value that a set does not speak of, such as a number where Texts are asked
// for, nothing is said: the predicate may be unknown.
type Need struct {
	Literals []match.Literal // a text that is, starts with, ends with or contains one
	Folders  []match.Folder  // a path at or below one
	Below    []string        // a clean path that starts with one, in ASCII's lower case
	Mails    []match.Domain  // a mail address at one
	Hosts    []match.Domain  // a URL with one of these hosts
	Ranges   []netip.Prefix  // an address in one
	Numbers  []Span          // a number in one
	Yes, No  bool            // a boolean
	Longest  int             // a longer text may be unknown whatever it holds; 0: none is
}

// Span is a range of numbers with both ends in it, or open to one side.
type Span struct {
	Low, High       canon.Number
	HasLow, HasHigh bool
}

// Needs returns ways to find the values that the predicate is not false of:
// each of them alone leads to all of these. It returns none where there is no
// way.
func (p *Predicate) Needs() []Need {
	var out []Need
	for i := range p.whole {
		if o := &p.whole[i]; o.code == opList && !o.negate {
			out = append(out, o.inner.Needs()...)
		}
	}
	for i := range p.each {
		out = append(out, p.each[i].needs()...)
	}
	return out
}

func (o *op) needs() []Need {
	if o.negate {
		return nil
	}
	switch o.code {
	case opEqual:
		return o.equal.needs()
	case opOrder:
		if o.order.timed {
			return nil
		}
		return []Need{{Numbers: []Span{{o.order.low, o.order.high, o.order.hasLow, o.order.hasHigh}}}}
	case opPrefix:
		return []Need{{Literals: literalsOf(match.Head, o.words)}}
	case opSuffix:
		return []Need{{Literals: literalsOf(match.Tail, o.words)}}
	case opContains:
		return []Need{{Literals: literalsOf(match.Inside, o.words)}}
	case opGlob:
		return patternNeeds(o.text.globs)
	case opRegex:
		return patternNeeds(o.text.regexes)
	case opUnder:
		return []Need{{Folders: o.text.folders}}
	case opBelow:
		return belowNeeds(o.forms)
	case opDomain:
		return []Need{{Mails: o.text.domains}}
	case opHost:
		return []Need{{Hosts: o.text.domains}}
	case opCIDR:
		return []Need{{Ranges: o.text.ranges}}
	case opList:
		return o.inner.Needs()
	default:
		return nil
	}
}

// belowNeeds are folders that a path starts with, whatever its case: one that
// differs in case only may be the same. There are none where a folder has letters
// that fold in other ways.
func belowNeeds(folders []match.Operand) []Need {
	var n Need
	for i := range folders {
		folder := folders[i].Folder()
		if strings.IndexFunc(folder, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
			return nil
		}
		n.Below = append(n.Below, strings.ToLower(folder))
	}
	return []Need{n}
}

func literalsOf(form match.Form, words []string) []match.Literal {
	out := make([]match.Literal, len(words))
	for i, w := range words {
		out[i] = match.Literal{Form: form, Text: w}
	}
	return out
}

func (l *literals) needs() []Need {
	if len(l.moments) > 0 {
		return nil // a time of the host equals a text that is written otherwise
	}
	n := Need{Literals: literalsOf(match.Whole, l.texts), Yes: l.yes, No: l.no}
	for _, v := range l.numbers {
		n.Numbers = append(n.Numbers, Span{v, v, true, true})
	}
	return []Need{n}
}

// patternNeeds are the literals that globs or regular expressions ask for. Of
// one pattern every choice is told, of several one that holds for each.
func patternNeeds[P interface {
	Literals() [][]match.Literal
	Longest() int
}](patterns []P) []Need {
	var out []Need
	if len(patterns) == 1 {
		for _, choice := range patterns[0].Literals() {
			out = append(out, Need{Literals: choice, Longest: patterns[0].Longest()})
		}
		return out
	}
	var sum Need
	for _, p := range patterns {
		choices := p.Literals()
		if len(choices) == 0 {
			return nil
		}
		sum.Literals = append(sum.Literals, choices[0]...)
		if n := p.Longest(); n > 0 && (sum.Longest == 0 || n < sum.Longest) {
			sum.Longest = n
		}
	}
	return []Need{sum}
}
