// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy/internal/match"
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
	program *program
}

func newTools(known []*toolverdict.Tool) []*tool {
	tools := make([]*tool, 0, len(known))
	for _, t := range known {
		tools = append(tools, &tool{facts: newFacts(t), hash: t.Hash(), known: t})
	}
	slices.SortFunc(tools, func(a, b *tool) int { return strings.Compare(a.name, b.name) })
	return tools
}

// pattern is one compiled entry of a rule's tools.
type pattern struct {
	syntax.Pattern
	glob match.Glob
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

// addTools gives every known tool its program. Tools with the same rules share
// one.
func (s *Set) addTools(tools []*tool) {
	shared := map[string]*program{} // by the rules they hold
	for _, t := range tools {
		t.program = s.programFor(&t.facts, shared)
		s.tools[t.name] = t
	}
}

// programFor finds the rules for a tool. The cache, where given, is written to.
func (s *Set) programFor(f *facts, cache map[string]*program) *program {
	var rules []*rule
	var key strings.Builder
	for _, r := range s.rules {
		if r.covers(f) {
			rules = append(rules, r)
			key.WriteString(r.id)
			key.WriteByte('\n')
		}
	}
	if p := cache[key.String()]; p != nil {
		return p
	}
	p := newProgram(rules, s.fields)
	if cache != nil {
		cache[key.String()] = p
	}
	return p
}

// find returns what is known of the tool of a request. A tool that was not
// known at load, or whose definition is another one now, is looked at afresh:
// slower, and the same in its result.
func (s *Set) find(t *toolverdict.Tool) *tool {
	if known := s.tools[t.Name()]; known != nil && (known.known == t || known.hash == t.Hash()) {
		return known
	}
	fresh := &tool{facts: newFacts(t), hash: t.Hash(), known: t}
	fresh.program = s.programFor(&fresh.facts, nil)
	return fresh
}
