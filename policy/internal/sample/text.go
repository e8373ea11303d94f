// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/toolverdict/toolverdict/policy/internal/match"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// gathered is everything that the tests of one field compare with.
type gathered struct {
	literals []string // eq, in and their opposites
	patterns []string // expressions of the regular tests
	folders  []string
	domains  []string // of mail
	hosts    []string
	ranges   []string
	moments  []string
	numbers  []syntax.Literal
	lengths  []int
	bools    bool
	bare     bool // hosts and domains are compared with names, not URLs and addresses
	inexact  bool
}

// gather collects the operands of operators, also of nested ones.
func (g *gathered) gather(ops []syntax.Op) {
	for i := range ops {
		g.op(&ops[i])
	}
}

func (g *gathered) op(o *syntax.Op) {
	switch o.Name {
	case "exists", "type":
		return
	case "any", "every", "not":
		g.gather(o.Ops)
		return
	case "length":
		g.length(o.Ops)
		return
	}
	for _, v := range o.Values {
		switch v.Kind {
		case syntax.Number:
			g.numbers = append(g.numbers, v)
		case syntax.Bool:
			g.bools = true
		case syntax.Text:
			g.text(o.Name, v.Text)
		}
	}
}

func (g *gathered) text(operator, s string) {
	quoted := regexp.QuoteMeta(s)
	switch operator {
	case "eq", "ne", "in", "notIn":
		g.literals = append(g.literals, s)
	case "prefix":
		g.patterns = append(g.patterns, "(?s:"+quoted+".*)")
	case "suffix":
		g.patterns = append(g.patterns, "(?s:.*"+quoted+")")
	case "contains":
		g.patterns = append(g.patterns, "(?s:.*"+quoted+".*)")
	case "glob":
		g.patterns = append(g.patterns, "(?s:"+strings.ReplaceAll(strings.ReplaceAll(quoted, `\*`, ".*"), `\?`, ".")+")")
	case "regex":
		g.patterns = append(g.patterns, "(?:"+s+")")
	case "under":
		g.folders = append(g.folders, s)
	case "domainIn":
		g.domains = append(g.domains, s)
	case "hostIn":
		g.hosts = append(g.hosts, s)
	case "cidr":
		g.ranges = append(g.ranges, s)
	default:
		g.moments = append(g.moments, s)
	}
}

// maxLength is up to which length texts of that length are made.
const maxLength = 200

func (g *gathered) length(ops []syntax.Op) {
	inner := gathered{}
	inner.gather(ops)
	g.inexact = g.inexact || inner.inexact
	for _, n := range inner.numbers {
		i, ok := n.Number.Int64()
		if !ok || i < 0 || i > maxLength {
			g.inexact = true
			continue
		}
		for _, at := range []int{int(i) - 1, int(i), int(i) + 1} {
			if at >= 0 && !slices.Contains(g.lengths, at) {
				g.lengths = append(g.lengths, at)
			}
		}
	}
}

// texts returns texts that tell the tests apart, and whether they tell all of
// what there is.
func (g *gathered) texts() (out []string, exact bool) {
	patterns := slices.Clone(g.patterns)
	for _, n := range g.lengths {
		patterns = append(patterns, fmt.Sprintf("(?s:.{%d})", n))
	}
	kinds := 0
	shaped := [][]string{g.underTexts(), g.mailTexts(), g.hostTexts(), g.rangeTexts(), momentTexts(g.moments)}
	for _, list := range shaped {
		if len(list) > 0 {
			kinds++
		}
	}
	exact = !g.inexact && kinds <= 1 && (kinds == 0 || len(patterns) == 0)
	out = append(out, g.literals...)
	for _, list := range shaped {
		out = append(out, list...)
	}
	if kinds > 0 && len(patterns) > 0 {
		for _, f := range g.folders {
			patterns = append(patterns, "(?s:"+regexp.QuoteMeta(strings.TrimSuffix(f, "/"))+"(?:/.*)?)")
		}
	}
	regular, complete := g.regular(patterns)
	return unique(append(out, regular...)), exact && complete
}

// maxLiterals bounds the literals that are told from other texts by an automaton,
// in bytes.
const maxLiterals = 600

// regular returns texts for each combination of patterns that are none of the
// literals.
func (g *gathered) regular(patterns []string) (out []string, exact bool) {
	if len(patterns) == 0 {
		return []string{g.other(), ""}, true
	}
	size := 0
	quoted := make([]string, len(g.literals))
	for i, l := range g.literals {
		size += len(l)
		quoted[i] = regexp.QuoteMeta(l)
	}
	if slices.Sort(patterns); size > 0 && size <= maxLiterals {
		patterns = append(patterns, "(?:"+strings.Join(quoted, "|")+")")
	}
	found, exact := texts(slices.Compact(patterns))
	for _, list := range found {
		if i := slices.IndexFunc(list, func(s string) bool { return !slices.Contains(g.literals, s) }); i >= 0 {
			out = append(out, list[i])
		} else if size > maxLiterals {
			exact = false // there may be others
		}
	}
	return append(out, ""), exact
}

// other is a text that is none of the literals.
func (g *gathered) other() string {
	for n := 0; ; n++ {
		s := "x"
		if n > 0 {
			s += strconv.Itoa(n)
		}
		if !slices.Contains(g.literals, s) {
			return s
		}
	}
}

func unique(list []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(s string) bool {
		was := seen[s]
		seen[s] = true
		return was
	})
}

// underTexts are paths in, beside and around folders, and spellings that no
// test of folders can judge.
func (g *gathered) underTexts() []string {
	if len(g.folders) == 0 {
		return nil
	}
	out := []string{"/elsewhere/x", "/", "relative/x", "/proc/1", "/proc/self/fd/3"}
	for _, f := range g.folders {
		f = strings.TrimSuffix(f, "/")
		out = append(out, f+"/x", f+"x", f+"/../x")
		if f != "" {
			out = append(out, f)
		}
		parts := strings.Split(f, "/")
		for i := range parts {
			if swapped := swapCase(parts[i]); swapped != parts[i] {
				mixed := slices.Clone(parts)
				mixed[i] = swapped
				out = append(out, strings.Join(mixed, "/")+"/x", strings.Join(mixed[:i+1], "/")+"/x")
			}
			if i > 0 {
				out = append(out, strings.Join(parts[:i], "/")+"/other")
			}
		}
	}
	return out
}

func swapCase(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, s)
}

func names(domains []string) []string {
	out := []string{"elsewhere.example"}
	for _, d := range domains {
		bare := strings.TrimPrefix(d, "*.")
		if _, ok := match.Addr(strings.Trim(bare, "[]")); ok {
			out = append(out, bare)
			continue
		}
		out = append(out, bare, "sub."+bare, "a.sub."+bare)
	}
	return unique(out)
}

func (g *gathered) mailTexts() []string {
	if len(g.domains) == 0 {
		return nil
	}
	var out []string
	for _, n := range names(g.domains) {
		if g.bare {
			out = append(out, n)
			continue
		}
		out = append(out, "ann@"+n)
	}
	return append(out, "Ann <ann@"+out[0]+">", "not an address")
}

func (g *gathered) hostTexts() []string {
	if len(g.hosts) == 0 {
		return nil
	}
	var out []string
	for _, n := range names(g.hosts) {
		if g.bare {
			out = append(out, n)
			continue
		}
		if strings.Contains(n, ":") && !strings.HasPrefix(n, "[") {
			n = "[" + n + "]"
		}
		out = append(out, "https://"+n+"/")
	}
	return append(out, "192.0.2.77", "https://192.0.2.77/", "https://user@elsewhere.example/", "not a host")
}

func (g *gathered) rangeTexts() []string {
	if len(g.ranges) == 0 {
		return nil
	}
	out := []string{"192.0.2.77", "2001:db8::77", "not an address"}
	for _, s := range g.ranges {
		p, err := match.ParseCIDR(s)
		if err != nil {
			continue
		}
		first := p.Addr()
		last := lastOf(p)
		out = append(out, first.String(), last.String())
		for _, a := range []netip.Addr{first.Prev(), last.Next()} {
			if a.IsValid() {
				out = append(out, a.String())
			}
		}
	}
	return out
}

func lastOf(p netip.Prefix) netip.Addr {
	b := p.Addr().AsSlice()
	for i := p.Bits(); i < len(b)*8; i++ {
		b[i/8] |= 1 << (7 - i%8)
	}
	a, _ := netip.AddrFromSlice(b)
	return a
}
