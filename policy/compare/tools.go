// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"maps"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy"
	"github.com/toolverdict/toolverdict/policy/internal/sample"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// candidate is a tool to look at.
type candidate struct {
	*toolverdict.Tool
	known  bool
	before []string // rules that cover it
	after  []string
}

// maxStandIns bounds the tools that stand for those that are not known.
const maxStandIns = 600

// tools are those that a differing rule covers, or, where the defaults differ,
// all. Where no known tool is covered, some that the rules' patterns cover stand
// in.
func (c *comparison) tools() []*candidate {
	var out []*candidate
	met := map[string]bool{}
	if c.known != nil {
		for _, t := range c.known.Tools() {
			out = c.take(out, &candidate{Tool: t, known: true}, met)
		}
	}
	ids := slices.Sorted(maps.Keys(c.differing))
	if c.known == nil && c.before.fallback != c.after.fallback {
		ids = append(slices.Collect(maps.Keys(c.before.rules)), slices.Collect(maps.Keys(c.after.rules))...)
		slices.Sort(ids)
	}
	ids = slices.DeleteFunc(slices.Compact(ids), func(id string) bool { return c.known != nil && met[id] })
	if len(ids) == 0 && (c.known != nil || c.before.fallback == c.after.fallback) {
		return out
	}
	for _, t := range c.standIns(ids) {
		out = c.take(out, &candidate{Tool: t}, met)
	}
	return out
}

// take keeps a tool if the change can concern it.
func (c *comparison) take(list []*candidate, t *candidate, met map[string]bool) []*candidate {
	concerned := c.before.fallback != c.after.fallback
	for _, side := range []struct {
		of  *loaded
		ids *[]string
	}{{c.before, &t.before}, {c.after, &t.after}} {
		for _, r := range side.of.inspect.Explain(toolverdict.Request{Tool: t.Tool}, policy.Shown{}).Rules {
			*side.ids = append(*side.ids, r.ID)
			concerned = concerned || c.differing[r.ID]
			met[r.ID] = true
		}
	}
	if !concerned {
		return list
	}
	return append(list, t)
}

// spelt is what the patterns of rules are made of.
type spelt struct {
	names, globs, groups []string
	selectors            bool
}

// spelt collects the patterns of all rules. Exact names count where they belong
// to a rule that is looked at, or may be met by one.
func (c *comparison) spelt(ids []string) (out spelt) {
	own := map[string]bool{}
	broad := c.before.fallback != c.after.fallback
	all := slices.Concat(slices.Collect(maps.Values(c.before.rules)), slices.Collect(maps.Values(c.after.rules)))
	slices.SortFunc(all, func(a, b *rule) int { return strings.Compare(a.ID, b.ID) })
	for _, r := range all {
		for _, p := range r.Tools {
			if slices.Contains(ids, r.ID) {
				broad = broad || p.Kind != syntax.ByName || p.Glob
				own[ownName(p.Text)] = true
			}
		}
	}
	for _, r := range all {
		for _, p := range r.Tools {
			switch {
			case p.Kind == syntax.ByGroup:
				out.groups = append(out.groups, p.Text)
			case p.Kind != syntax.ByName:
				out.selectors = true
			case p.Glob:
				out.globs = append(out.globs, p.Text)
			case broad || own[ownName(p.Text)]:
				out.names = append(out.names, p.Text)
			}
		}
	}
	slices.Sort(out.groups)
	out.groups = slices.Compact(out.groups)
	return out
}

func ownName(name string) string {
	if _, own, ok := strings.Cut(name, "/"); ok {
		return own
	}
	return name
}

// standIns makes tools for the patterns of rules, and of those that meet them.
func (c *comparison) standIns(ids []string) []*toolverdict.Tool {
	p := c.spelt(ids)
	s := standIns{seen: map[string]bool{}}
	for _, n := range append(append(p.names, sample.Names(p.globs)...), "example/example") {
		s.add(n, nil, toolverdict.Destructive, toolverdict.LowRisk)
	}
	for i, g := range p.groups {
		s.add("example/example", []string{g}, toolverdict.Destructive, toolverdict.LowRisk)
		for _, h := range p.groups[i+1:] {
			s.add("example/example", []string{g, h}, toolverdict.Destructive, toolverdict.LowRisk)
		}
	}
	if p.selectors {
		for _, risk := range []toolverdict.Risk{toolverdict.LowRisk, toolverdict.MediumRisk, toolverdict.HighRisk} {
			for _, safety := range []toolverdict.Safety{toolverdict.ReadOnly, toolverdict.Destructive} {
				s.add("example/example", nil, safety, risk)
			}
		}
	}
	if p.selectors && len(p.groups) > 0 || len(p.groups) > 2 || s.full {
		c.doubt("", "the rules could meet more tools than those that stand in for unknown ones: name a configuration, whose tools are then looked at")
	}
	return s.out
}

type standIns struct {
	out  []*toolverdict.Tool
	seen map[string]bool
	full bool
}

func (s *standIns) add(name string, groups []string, safety toolverdict.Safety, risk toolverdict.Risk) {
	server, _, ok := strings.Cut(name, "/")
	if !ok {
		server, name = "example", "example/"+name
	}
	def := toolverdict.Definition{
		Name: name, Server: server, Groups: groups, Safety: safety, Risk: risk,
		Confirmation: toolverdict.ConfirmByRisk, Execution: toolverdict.Parallel,
	}
	if risk != toolverdict.LowRisk {
		def.Permission = "example"
	}
	def.Roles = map[string]toolverdict.Role{"/example": {Kind: toolverdict.RoleCode}} // so that a call without effects has none
	t, err := toolverdict.NewTool(def, anything{})
	if err != nil || s.seen[t.Hash()] {
		return
	}
	if s.full = len(s.out) == maxStandIns; s.full {
		return
	}
	s.seen[t.Hash()] = true
	s.out = append(s.out, t)
}

// anything is a schema that takes every object.
type anything struct{}

// Clash implements [toolverdict.Schema].
func (anything) Clash(toolverdict.Value) (toolverdict.FieldError, bool) {
	return toolverdict.FieldError{}, false
}

// Validate implements [toolverdict.Schema].
func (anything) Validate(toolverdict.Value) []toolverdict.FieldError { return nil }
