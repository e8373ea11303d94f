// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package enginebench

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/gatetest"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy"
)

// Ours is Toolverdict's own engine.
func Ours(w *Workload) (Engine, error) {
	var catalog gatetest.Catalog
	byName := map[string]*toolverdict.Tool{}
	for _, name := range w.Tools {
		server, _, _ := strings.Cut(name, "/")
		t, err := toolverdict.NewTool(toolverdict.Definition{
			Name: name, Server: server, Safety: toolverdict.ReadOnly, Risk: toolverdict.LowRisk,
			Confirmation: toolverdict.ConfirmByRisk, Execution: toolverdict.Parallel, Summary: "Run " + name,
		}, gatetest.AnySchema{})
		if err != nil {
			return nil, fmt.Errorf("make tool: %w", err)
		}
		catalog, byName[name] = append(catalog, t), t
	}
	set, _, err := policy.Compile([]policy.File{{Name: "bench.yaml", Content: []byte(YAML(w))}}, catalog, policy.Options{})
	if err != nil {
		return nil, fmt.Errorf("compile: %w", err)
	}
	requests := make([]toolverdict.Request, len(w.Calls))
	for i, c := range w.Calls {
		args, err := arguments(c)
		if err != nil {
			return nil, err
		}
		requests[i] = toolverdict.Request{
			Tool: byName[c.Tool], Arguments: args, Subject: toolverdict.Subject{ID: "u1", Roles: []string{c.Texts["role"]}},
			Environment: map[string]string{"stage": c.Texts["stage"]},
		}
	}
	return func(call int) (Verdict, error) {
		return fromOurs(set.Decide(requests[call]).Verdict), nil
	}, nil
}

func fromOurs(v toolverdict.Verdict) Verdict {
	switch v {
	case toolverdict.Allow:
		return Allow
	case toolverdict.Ask:
		return Ask
	default:
		return Deny
	}
}

func arguments(c Call) (toolverdict.Value, error) {
	text, err := json.Marshal(object(c))
	if err != nil {
		return toolverdict.Value{}, fmt.Errorf("write call: %w", err)
	}
	return canon.Parse(text, canon.Limits{})
}

// object is the arguments of a call as JSON values.
func object(c Call) map[string]any {
	out := map[string]any{"amount": c.Amount}
	for _, name := range []string{"path", "to", "command", "url"} {
		out[name] = c.Texts[name]
	}
	return out
}

// YAML writes the rules in our own language.
func YAML(w *Workload) string {
	var b strings.Builder
	b.WriteString("policy: bench\nversion: v1\nrules:\n")
	for _, r := range w.Rules {
		fmt.Fprintf(&b, "  - {id: %s, verdict: %s, reason: made for measuring, tools: [%s]", r.ID, r.Verdict, strings.Join(r.Tools, ", "))
		if len(r.Tests) > 0 {
			var tests []string
			for _, t := range r.Tests {
				tests = append(tests, t.yaml())
			}
			fmt.Fprintf(&b, ", when: {%s}", strings.Join(tests, ", "))
		}
		b.WriteString("}\n")
	}
	return b.String()
}

func (t Test) yaml() string {
	field := map[string]string{"stage": "env.stage", "role": "subject.roles"}[t.Field]
	if field == "" {
		field = "args." + t.Field
	}
	switch t.Op {
	case Equal:
		return fmt.Sprintf("%s: %q", field, t.Texts[0])
	case Among:
		return fmt.Sprintf("%s: {any: [%s]}", field, strings.Join(t.Texts, ", "))
	case Prefix:
		return fmt.Sprintf("%s: {prefix: %q}", field, t.Texts[0])
	case Framed:
		return fmt.Sprintf("%s: {regex: '%s'}", field, t.pattern())
	default:
		return fmt.Sprintf("%s: {gt: %d}", field, t.Least)
	}
}
