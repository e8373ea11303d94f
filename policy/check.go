// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"slices"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy/internal/lint"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// Problem is one thing wrong with a policy: File, Line and Column (from 1), the
// Message, and a Hint that says what to do.
type Problem = syntax.Problem

// Problems is the error of [Compile]: everything that is wrong, by position.
type Problems = syntax.Problems

// Report says what a policy amounts to.
type Report struct {
	Warnings Problems // by position; they stop nothing
	Rules    []RuleInfo
	Tools    []ToolInfo
}

// RuleInfo is one rule as it was loaded.
type RuleInfo struct {
	ID       string              `json:"id"`
	Verdict  toolverdict.Verdict `json:"verdict"`
	Reason   string              `json:"reason"`
	File     string              `json:"file"`
	Line     int                 `json:"line"`
	Tools    []string            `json:"tools"`             // known tools it can match, by name
	CEL      bool                `json:"cel,omitempty"`     // it rests on an expression, of which less can be proved
	Limited  bool                `json:"limited,omitempty"` // it has a limit
	Examples int                 `json:"examples"`          // calls beside it that it was held to

	Asks []toolverdict.Requirement `json:"-"` // who answers, one, of a rule that asks
}

// ToolInfo is one known tool with the rules that can match its calls.
type ToolInfo struct {
	Name  string   `json:"name"`
	Rules []string `json:"rules"` // by id; empty means that only the default applies
}

// checker holds the rules against the tools that are known.
type checker struct {
	b        *builder
	tools    toolIndex
	covered  map[*rule][]*tool
	options  Options
	warnings Problems
}

func newChecker(b *builder, tools []*tool, o Options) *checker {
	return &checker{b: b, tools: newToolIndex(tools), covered: map[*rule][]*tool{}, options: o}
}

func (c *checker) problem(at syntax.Pos, hint, format string, args ...any) {
	c.b.problem(at, hint, format, args...)
}

func (c *checker) warn(at syntax.Pos, hint, format string, args ...any) {
	c.warnings = append(c.warnings, Problem{Pos: at, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// names reports whether the rule names each of its tools, so that others found
// later are not what it was written for.
func (r *rule) names() bool {
	return !slices.ContainsFunc(r.patterns, func(p pattern) bool { return p.Kind != syntax.ByName || p.Glob })
}

func (c *checker) check() {
	for _, f := range c.b.files {
		for _, list := range f.Unused {
			c.warn(list.Pos, "remove it, or write {use: "+list.Name+"} where it is meant", "the list %q is not used", list.Name)
		}
	}
	for _, r := range c.b.rules {
		c.covered[r] = c.tools.covered(r)
		if len(c.tools.all) > 0 {
			c.patterns(r)
		}
	}
	l := lint.Checker{Discovery: c.options.Discovery, Known: seen(c.tools.all), Asked: c.b.asked}
	if len(c.tools.all) > 0 {
		l.Covered = func(p syntax.Pattern) []*lint.Tool {
			one := c.b.pattern(p)
			return seen(c.tools.of(&one))
		}
	}
	rules := make([]lint.Rule, len(c.b.rules))
	for i, r := range c.b.rules {
		rules[i] = lint.Rule{Rule: r.source, Tools: seen(c.covered[r]), Named: r.names()}
		l.Rule(rules[i])
	}
	if c.options.Meaning {
		l.Meaning(rules)
	}
	c.b.problems = append(c.b.problems, l.Problems...)
	c.warnings = append(c.warnings, l.Warnings...)
}

func seen(tools []*tool) []*lint.Tool {
	out := make([]*lint.Tool, len(tools))
	for i, t := range tools {
		out[i] = t.seen
	}
	return out
}

// patterns finds entries of tools that cover nothing.
func (c *checker) patterns(r *rule) {
	if len(c.covered[r]) == 0 {
		at, what, hint := r.source.Tools[0].Pos, "rule %q covers no known tool", lint.Spelling(seen(c.tools.all), r.source.Tools...)
		if c.options.Discovery {
			c.warn(at, hint, what, r.id)
			return
		}
		c.problem(at, hint, what, r.id)
		return
	}
	for i := range r.patterns {
		p := &r.patterns[i]
		covered := c.tools.of(p)
		if len(covered) == 0 {
			c.warn(p.Pos, lint.Spelling(seen(c.tools.all), p.Pattern), "this entry of rule %q covers no known tool", r.id)
		}
		if r.verdict == toolverdict.Allow && p.Kind == syntax.ByName && !p.Full && !p.Glob && len(covered) > 1 {
			c.warn(p.Pos, "write server/tool: another server can offer a tool of that name at any time", "rule %q allows %s and %s by their short name", r.id, covered[0].name, covered[1].name)
		}
	}
}

func (c *checker) report(s *Set) Report {
	report := Report{Warnings: c.warnings.Sort()}
	for _, t := range c.tools.all {
		info := ToolInfo{Name: t.name, Rules: make([]string, 0, len(t.program.rules))}
		for _, r := range t.program.rules {
			info.Rules = append(info.Rules, r.id)
		}
		report.Tools = append(report.Tools, info)
	}
	for _, r := range s.rules {
		info := infoOf(r)
		for _, t := range c.covered[r] {
			info.Tools = append(info.Tools, t.name)
		}
		report.Rules = append(report.Rules, info)
	}
	return report
}
