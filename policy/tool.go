// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy/internal/lint"
	"github.com/toolverdict/toolverdict/policy/internal/predicate"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// facts are what rules can see of a tool, taken out of its definition once.
type facts struct {
	name, server, short string
	meta                bool // a method of a server, not a tool
	def                 toolverdict.Definition
}

func newFacts(t *toolverdict.Tool) facts {
	f := facts{name: t.Name(), server: t.Server(), short: t.Name(), def: t.Definition()}
	if _, short, found := strings.Cut(f.name, "/"); found {
		f.short = short
	}
	f.meta = strings.HasPrefix(f.short, "@")
	return f
}

// tool is a known tool with the program of the rules that can match it.
type tool struct {
	facts
	hash    string
	known   *toolverdict.Tool
	seen    *lint.Tool // as rules are checked against it
	program *program
	kept    []kept // numbers that rules add up
}

func newTools(known []*toolverdict.Tool) []*tool {
	tools := make([]*tool, 0, len(known))
	for _, t := range known {
		one := &tool{facts: newFacts(t), hash: t.Hash(), known: t}
		one.seen = &lint.Tool{Name: one.name, Definition: one.def, Schema: t.Schema()}
		tools = append(tools, one)
	}
	slices.SortFunc(tools, func(a, b *tool) int { return strings.Compare(a.name, b.name) })
	return tools
}

// pattern is one compiled entry of a rule's tools.
type pattern struct {
	syntax.Pattern
	glob predicate.Glob
}

// matches reports whether the pattern covers the tool. A pattern of names
// covers methods only where it names a method, and selectors by safety and risk
// never do: a server's methods are not what their writer had in mind. A group
// covers whatever was put into it.
func (p *pattern) matches(f *facts) bool {
	switch p.Kind {
	case syntax.ByGroup:
		return slices.Contains(f.def.Groups, p.Text)
	case syntax.BySafety:
		return !f.meta && string(f.def.Safety) == p.Text
	case syntax.ByRisk:
		return !f.meta && string(f.def.Risk) == p.Text
	case syntax.ByName:
	}
	if p.Meta != f.meta {
		return false
	}
	name := f.short
	if p.Full {
		name = f.name
	}
	switch {
	case p.Text == "*":
		return true
	case p.Glob:
		return p.glob.Match(name)
	}
	return name == p.Text
}

// covers reports whether one of the rule's patterns covers the tool.
func (r *rule) covers(f *facts) bool {
	for i := range r.patterns {
		if r.patterns[i].matches(f) {
			return true
		}
	}
	return false
}

// toolIndex finds the tools that patterns cover.
type toolIndex struct {
	all     []*tool // by name
	byText  map[string][]*tool
	byGroup map[string][]*tool
}

func newToolIndex(tools []*tool) toolIndex {
	x := toolIndex{all: tools, byText: map[string][]*tool{}, byGroup: map[string][]*tool{}}
	for _, t := range tools {
		x.byText[t.name] = append(x.byText[t.name], t)
		if t.short != t.name {
			x.byText[t.short] = append(x.byText[t.short], t)
		}
		for _, g := range t.def.Groups {
			x.byGroup[g] = append(x.byGroup[g], t)
		}
	}
	return x
}

// of returns the tools of one pattern. Only those that could match are tried.
func (x *toolIndex) of(p *pattern) []*tool {
	candidates := x.all
	switch {
	case p.Kind == syntax.ByGroup:
		candidates = x.byGroup[p.Text]
	case p.Kind == syntax.ByName && !p.Glob:
		candidates = x.byText[p.Text]
	}
	var out []*tool
	for _, t := range candidates {
		if p.matches(&t.facts) {
			out = append(out, t)
		}
	}
	return out
}

// covered returns the tools of a rule, by name.
func (x *toolIndex) covered(r *rule) []*tool {
	if len(r.patterns) == 1 {
		return x.of(&r.patterns[0])
	}
	var out []*tool
	for i := range r.patterns {
		out = append(out, x.of(&r.patterns[i])...)
	}
	slices.SortFunc(out, func(a, b *tool) int { return strings.Compare(a.name, b.name) })
	return slices.Compact(out)
}

// addTools gives every known tool the program of the rules that cover it. Tools
// with the same rules share one.
func (s *Set) addTools(tools []*tool, covered map[*rule][]*tool) {
	rules := map[*tool][]*rule{}
	for _, r := range s.rules {
		for _, t := range covered[r] {
			rules[t] = append(rules[t], r)
		}
	}
	shared := map[string]*program{}
	for _, t := range tools {
		var key strings.Builder
		for _, r := range rules[t] {
			key.WriteString(r.id)
			key.WriteByte('\n')
		}
		if shared[key.String()] == nil {
			shared[key.String()] = newProgram(rules[t], s.fields)
		}
		t.program = shared[key.String()]
		t.kept = s.keeps(&t.facts)
		s.tools[t.name], s.known[t.known] = t, t
	}
}

// find returns what is known of the tool of a request. A tool that was not
// known at load, or whose definition is another one now, is looked at afresh:
// slower, and the same in its result.
func (s *Set) find(t *toolverdict.Tool) *tool {
	if known := s.known[t]; known != nil {
		return known
	}
	if known := s.tools[t.Name()]; known != nil && known.hash == t.Hash() {
		return known
	}
	fresh := &tool{facts: newFacts(t), hash: t.Hash(), known: t}
	var rules []*rule
	for _, r := range s.rules {
		if r.covers(&fresh.facts) {
			rules = append(rules, r)
		}
	}
	fresh.program, fresh.kept = newProgram(rules, s.fields), s.keeps(&fresh.facts)
	return fresh
}
