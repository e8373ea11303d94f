// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy

import "github.com/toolverdict/toolverdict/policy/internal/syntax"

// checker holds the rules against the tools that are known.
type checker struct {
	b        *builder
	tools    []*tool
	options  Options
	warnings Problems
}

func newChecker(b *builder, tools []*tool, o Options) *checker {
	return &checker{b: b, tools: tools, options: o}
}

func (c *checker) check() {
	if len(c.tools) == 0 {
		return
	}
	for _, r := range c.b.rules {
		if len(c.covered(r)) == 0 {
			c.complain(r.source.Tools[0].Pos, "no known tool is covered")
		}
	}
}

func (c *checker) complain(at syntax.Pos, message string) {
	p := Problem{Pos: at, Message: message, Hint: "check the names"}
	if c.options.Discovery {
		c.warnings = append(c.warnings, p)
		return
	}
	c.b.problems = append(c.b.problems, p)
}

func (c *checker) covered(r *rule) []*tool {
	var out []*tool
	for _, t := range c.tools {
		if r.covers(&t.facts) {
			out = append(out, t)
		}
	}
	return out
}

func (c *checker) report(s *Set) Report {
	report := Report{Warnings: c.warnings.Sort()}
	for _, r := range s.rules {
		info := RuleInfo{ID: r.id, Verdict: r.verdict, Reason: r.reason, File: r.source.File, Line: r.source.Line}
		for _, t := range c.covered(r) {
			info.Tools = append(info.Tools, t.name)
		}
		report.Rules = append(report.Rules, info)
	}
	for _, t := range c.tools {
		info := ToolInfo{Name: t.name}
		for _, r := range t.program.rules {
			info.Rules = append(info.Rules, r.id)
		}
		report.Tools = append(report.Tools, info)
	}
	return report
}
