// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package lint finds what is wrong with rules beyond their grammar: tests that
// no tool's argument can pass, and rules that are not what their writer can have
// meant. What it calls a problem stops a load, a warning stops nothing. It knows
// rules as they are written and decides no call.
package lint

import (
	"fmt"

	"github.com/toolverdict/toolverdict/policy/internal/cel"
	"github.com/toolverdict/toolverdict/policy/internal/meaning"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
	"github.com/toolverdict/toolverdict/policy/internal/typing"
)

// Tool is a tool that is known.
type Tool = typing.Tool

// Rule is a rule with the known tools that it covers.
type Rule struct {
	*syntax.Rule
	Tools []*Tool
	Named bool // each of its tools is named: others found later are not meant
}

// Checker checks rules and collects what it finds.
type Checker struct {
	Discovery bool                         // tools will be known later that are not known yet
	Covered   func(syntax.Pattern) []*Tool // the known tools of an entry of tools
	Known     []*Tool                      // all tools
	Asked     map[*syntax.CEL][]cel.Asked  // what expressions ask of arguments
	Problems  syntax.Problems
	Warnings  syntax.Problems
}

func (c *Checker) problem(at syntax.Pos, hint, format string, args ...any) {
	c.Problems = append(c.Problems, syntax.Problem{Pos: at, Message: fmt.Sprintf(format, args...), Hint: hint})
}

func (c *Checker) warn(at syntax.Pos, hint, format string, args ...any) {
	c.Warnings = append(c.Warnings, syntax.Problem{Pos: at, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// Rule checks a rule's conditions against what its tools take.
func (c *Checker) Rule(r Rule) {
	rc := ruleChecker{Checker: c, rule: r, guarded: map[string]bool{}}
	rc.guards(r.When)
	rc.guards(r.Unless)
	rc.condition(r.When, true)
	rc.condition(r.Unless, false)
}

// Meaning looks for rules that are not what their writer can have meant. It only
// warns.
func (c *Checker) Meaning(rules []Rule) {
	all := make([]meaning.Rule, len(rules))
	for i, r := range rules {
		all[i] = meaning.Rule{Rule: r.Rule, Tools: r.Tools}
	}
	c.Warnings = append(c.Warnings, meaning.Find(all)...)
}
