// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package enginebench

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// Verdict is what a rule or an engine says of a call. A larger one is stricter.
type Verdict uint8

// The verdicts.
const (
	Allow Verdict = iota
	Ask
	Deny
)

func (v Verdict) String() string { return [...]string{"allow", "ask", "deny"}[v] }

// Rule gives its verdict for calls of its tools that meet all of its tests.
type Rule struct {
	ID      string
	Verdict Verdict
	Tools   []string
	Tests   []Test
}

// Test is one test of one field.
type Test struct {
	Field string
	Op    Op
	Texts []string // Equal: one; Among: several; Prefix: one; Framed: start and end
	Least int      // Above
}

// Op is what a test does.
type Op uint8

// The tests.
const (
	Equal  Op = iota
	Among     // one of some texts
	Prefix    // starts with a text
	Framed    // starts with one text and ends with another
	Above     // a number above another
)

// Call is what is decided on.
type Call struct {
	Tool   string
	Texts  map[string]string // path, to, command, url; stage and role of the host
	Amount int
}

// Workload is rules with calls to decide by them.
type Workload struct {
	Tools []string
	Rules []Rule
	Calls []Call
}

const tools = 200

// New draws a workload of n rules. With hot, all are about one tool, and about
// as many customers, folders and hosts as there are rules.
func New(n int, hot bool) *Workload {
	rnd := rand.New(rand.NewPCG(uint64(n), 7)) //nolint:gosec // a workload that is the same each time
	w, count, values := &Workload{}, tools, 100
	if hot {
		count, values = 1, max(n, 100)
	}
	for i := range count {
		w.Tools = append(w.Tools, fmt.Sprintf("s%02d/tool_%03d", i/10, i))
	}
	for i := range n {
		r := Rule{ID: fmt.Sprintf("rule-%05d", i), Verdict: Deny, Tools: []string{w.Tools[rnd.IntN(count)]}}
		switch k := rnd.IntN(100); {
		case k < 55:
			r.Verdict = Allow
		case k < 65:
			r.Verdict = Ask
		}
		if rnd.IntN(100) < 15 {
			for range min(1+rnd.IntN(5), count-1) {
				if t := w.Tools[rnd.IntN(count)]; !slices.Contains(r.Tools, t) {
					r.Tools = append(r.Tools, t)
				}
			}
		}
		r.Tests = draw(rnd, values, hot)
		w.Rules = append(w.Rules, r)
	}
	rnd = rand.New(rand.NewPCG(1, 7)) //nolint:gosec // as above
	for range 256 {
		w.Calls = append(w.Calls, call(rnd, w.Tools[rnd.IntN(count)], values))
	}
	return w
}

func call(rnd *rand.Rand, tool string, values int) Call {
	return Call{Tool: tool, Amount: rnd.IntN(1000), Texts: map[string]string{
		"path":    fmt.Sprintf("/srv/area%d/project/file%d.txt", rnd.IntN(values), rnd.IntN(9)),
		"to":      fmt.Sprintf("user%d@dept%d.example.com", rnd.IntN(values), rnd.IntN(40)),
		"command": fmt.Sprintf("git status --short area%d", rnd.IntN(values)),
		"url":     fmt.Sprintf("https://host%d.example.com/api/v1/items?page=2", rnd.IntN(values)),
		"stage":   "prod", "role": "support",
	}}
}

// draw makes up to three tests of arguments and up to two of the host's facts.
func draw(rnd *rand.Rand, values int, hot bool) []Test {
	n := func() int { return rnd.IntN(values) }
	all := []Test{
		{Field: "path", Op: Prefix, Texts: []string{fmt.Sprintf("/srv/area%d/", n())}},
		{Field: "to", Op: Equal, Texts: []string{fmt.Sprintf("user%d@dept%d.example.com", n(), rnd.IntN(40))}},
		{Field: "command", Op: Framed, Texts: []string{"git ", fmt.Sprintf(" area%d", n())}},
		{Field: "url", Op: Prefix, Texts: []string{fmt.Sprintf("https://host%d.example.com/", n())}},
		{Field: "amount", Op: Above, Least: rnd.IntN(1000)},
	}
	least := 0
	if hot {
		least = 1
	}
	var out []Test
	for _, i := range rnd.Perm(len(all))[:least+rnd.IntN(4-least)] {
		out = append(out, all[i])
	}
	if hot && len(out) == 1 && out[0].Op == Above {
		out = append(out, all[0])
	}
	stage := Test{Field: "stage", Op: Equal, Texts: []string{[]string{"prod", "dev", "test"}[rnd.IntN(3)]}}
	switch rnd.IntN(3) {
	case 1:
		out = append(out, stage)
	case 2:
		out = append(out, stage, Test{Field: "role", Op: Among, Texts: [][]string{{"support", "ops"}, {"finance", "legal"}}[rnd.IntN(2)]})
	}
	return out
}

// Oracle decides by looking at everything.
func (w *Workload) Oracle(c Call) Verdict {
	verdict, found := Allow, false
	for _, r := range w.Rules {
		if !slices.Contains(r.Tools, c.Tool) || slices.ContainsFunc(r.Tests, func(t Test) bool { return !t.holds(c) }) {
			continue
		}
		verdict, found = max(verdict, r.Verdict), true
	}
	if !found {
		return Deny
	}
	return verdict
}

func (t Test) holds(c Call) bool {
	text := c.Texts[t.Field]
	switch t.Op {
	case Equal, Among:
		return slices.Contains(t.Texts, text)
	case Prefix:
		return strings.HasPrefix(text, t.Texts[0])
	case Framed:
		return regexp.MustCompile("^(?:" + t.pattern() + ")$").MatchString(text)
	default:
		return c.Amount > t.Least
	}
}

// pattern is a Framed test as a regular expression.
func (t Test) pattern() string {
	return regexp.QuoteMeta(t.Texts[0]) + ".*" + regexp.QuoteMeta(t.Texts[1])
}
