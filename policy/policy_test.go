// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"testing"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/schema"
	"github.com/toolverdict/toolverdict/policy"
)

// catalog is a fixed set of tools.
type catalog []*toolverdict.Tool

func (c catalog) Tool(name string) (*toolverdict.Tool, bool) {
	for _, t := range c {
		if t.Name() == name {
			return t, true
		}
	}
	return nil, false
}

func (c catalog) Tools() []*toolverdict.Tool { return c }

// tool makes a low-risk tool with an input schema.
func tool(t testing.TB, name, input string, groups ...string) *toolverdict.Tool {
	t.Helper()
	return define(t, toolverdict.Definition{
		Name: name, Server: "orders", InputSchema: []byte(input), Groups: groups,
		Safety: toolverdict.Destructive, Risk: toolverdict.LowRisk,
	})
}

// define makes a tool, filling in what a definition must say.
func define(t testing.TB, def toolverdict.Definition) *toolverdict.Tool {
	t.Helper()
	if def.InputSchema == nil {
		def.InputSchema = []byte(`true`)
	}
	if def.Confirmation == "" {
		def.Confirmation = toolverdict.ConfirmNever
	}
	if def.Execution == "" {
		def.Execution = toolverdict.Parallel
	}
	s, err := schema.Compile(def.InputSchema, schema.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := toolverdict.NewTool(def, s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// args parses arguments.
func args(t testing.TB, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse([]byte(text), canon.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func compile(t testing.TB, text string, cat toolverdict.Catalog) *policy.Set {
	t.Helper()
	s, _, err := policy.Compile([]policy.File{{Name: "policy.yaml", Content: []byte(text)}}, cat, policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestThreeCases(t *testing.T) {
	t.Parallel()
	cat := catalog{
		tool(t, "orders/query_order", `{"type":"object","properties":{"order_id":{"type":"string"}}}`),
		tool(t, "orders/delete_user", `{"type":"object","properties":{"confirm":{"type":"boolean"}}}`),
		tool(t, "orders/execute_shell", `{"type":"object","properties":{"command":{"type":"string"}}}`),
	}
	s := compile(t, `
policy: three
version: v1
default: deny
rules:
  - id: allow-lookups
    verdict: allow
    reason: Lookups are open to everyone signed in
    tools: [query_order]
    when: {subject.authenticated: true}
  - id: deny-delete-user
    verdict: deny
    reason: Real user data must not be deleted
    tools: delete_user
    when: {args.confirm: true}
    match: [{confirm: true}]
    noMatch: [{confirm: false}]
  - id: deny-rm
    verdict: deny
    reason: rm must not run
    tools: execute_shell
    when: {args.command: {prefix: rm}}
  - id: limit-shell
    verdict: deny
    reason: Three a minute are enough
    tools: execute_shell
    limit: {max: 3, per: 1m, by: [session]}
`, cat)
	for name, c := range map[string]struct {
		tool, args string
		verdict    toolverdict.Verdict
		rule       string
	}{
		"query":  {"orders/query_order", `{"order_id":"A1001"}`, toolverdict.Allow, "allow-lookups"},
		"delete": {"orders/delete_user", `{"confirm":true}`, toolverdict.Deny, "deny-delete-user"},
		"text":   {"orders/delete_user", `{"confirm":"true"}`, toolverdict.Deny, "deny-delete-user"},
		"shell":  {"orders/execute_shell", `{"command":"rm -rf /home/prod/data"}`, toolverdict.Deny, "deny-rm"},
		"none":   {"orders/execute_shell", `{"command":"ls"}`, toolverdict.Deny, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tl, _ := cat.Tool(c.tool)
			d := s.Decide(toolverdict.Request{Tool: tl, Arguments: args(t, c.args), Subject: toolverdict.Subject{ID: "u1"}})
			if d.Verdict != c.verdict || d.Rule != c.rule {
				t.Errorf("got %s by %q, want %s by %q", d.Verdict, d.Rule, c.verdict, c.rule)
			}
		})
	}
}
