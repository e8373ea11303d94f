// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	_ "embed"

	"github.com/toolverdict/toolverdict"
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
	ID      string              `json:"id"`
	Verdict toolverdict.Verdict `json:"verdict"`
	Reason  string              `json:"reason"`
	File    string              `json:"file"`
	Line    int                 `json:"line"`
	Tools   []string            `json:"tools"` // known tools it can match, by name
}

// ToolInfo is one known tool with the rules that can match its calls.
type ToolInfo struct {
	Name  string   `json:"name"`
	Rules []string `json:"rules"` // by id; empty means that only the default applies
}

//go:embed schema.json
var jsonSchema string

// JSONSchema returns the JSON Schema (2020-12) of a policy file, for editors.
// It refuses less than [Compile], which also knows the tools and what the parts
// mean together.
func JSONSchema() []byte { return []byte(jsonSchema) }
