// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy"
)

// TestChecks holds rules against tools with known schemas: each file to all its
// errors and warnings.
func TestChecks(t *testing.T) {
	t.Parallel()
	for name, a := range archives(t, "testdata/check/*.txtar") {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			tools := readTools(t, a.Files[0].Data)
			for i := 1; i+1 < len(a.Files); i += 2 {
				in, want := a.Files[i], &a.Files[i+1]
				stem := strings.TrimSuffix(in.Name, ".yaml")
				if want.Name != stem+".want" {
					t.Fatalf("%s is followed by %s", in.Name, want.Name)
				}
				o := policy.Options{Discovery: strings.HasSuffix(stem, ".later"), Meaning: filepath.Base(name) == "meaning.txtar"}
				set, report, err := policy.Compile([]policy.File{{Name: in.Name, Content: in.Data}}, tools, o)
				var got strings.Builder
				if err != nil {
					placed(t, in.Name, err)
					for line := range strings.Lines(err.Error() + "\n") {
						got.WriteString("error: " + line)
					}
				}
				for _, w := range report.Warnings {
					got.WriteString("warning: " + w.String() + "\n")
				}
				if (set == nil) != (err != nil) {
					t.Errorf("%s: a set beside an error", in.Name)
				}
				if *update {
					want.Data = []byte(got.String())
					continue
				}
				if diff := cmp.Diff(string(want.Data), got.String()); diff != "" {
					t.Errorf("%s: (-want +got)\n%s", in.Name, diff)
				}
			}
			if *update {
				if err := os.WriteFile(name, formatArchive(a), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// readTools makes tools of a JSON object: name to what differs from a
// destructive tool of low risk.
func readTools(t *testing.T, text []byte) catalog {
	t.Helper()
	var defs map[string]struct {
		Safety toolverdict.Safety
		Risk   toolverdict.Risk
		Groups []string
		Roles  map[string]toolverdict.RoleKind
		Schema json.RawMessage

		Sensitive []string
	}
	if err := json.Unmarshal(text, &defs); err != nil {
		t.Fatal(err)
	}
	var tools catalog
	for _, name := range slices.Sorted(maps.Keys(defs)) {
		d := defs[name]
		server, _, _ := strings.Cut(name, "/")
		def := toolverdict.Definition{Name: name, Server: server, InputSchema: d.Schema, Groups: d.Groups, Roles: map[string]toolverdict.Role{}, Permission: "p", Safety: d.Safety, Risk: d.Risk, Sensitive: d.Sensitive}
		for at, kind := range d.Roles {
			def.Roles[at] = toolverdict.Role{Kind: kind}
		}
		if def.Safety == "" {
			def.Safety = toolverdict.Destructive
		}
		if def.Risk == "" {
			def.Risk = toolverdict.LowRisk
		}
		tools = append(tools, define(t, def))
	}
	return tools
}

func TestReport(t *testing.T) {
	t.Parallel()
	tools := catalog{tool(t, "s/one", "true"), tool(t, "s/two", "true"), tool(t, "s/three", "true")}
	_, report, err := load(t, tools, policy.Options{}, rules(`  - {id: b, verdict: allow, reason: bee, tools: [one, two]}
  - {id: a, verdict: deny, reason: ay, tools: s/one}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := policy.Report{
		Rules: []policy.RuleInfo{
			{ID: "a", Verdict: toolverdict.Deny, Reason: "ay", File: "f0.yaml", Line: 5, Tools: []string{"s/one"}},
			{ID: "b", Verdict: toolverdict.Allow, Reason: "bee", File: "f0.yaml", Line: 4, Tools: []string{"s/one", "s/two"}},
		},
		Tools: []policy.ToolInfo{{Name: "s/one", Rules: []string{"a", "b"}}, {Name: "s/three", Rules: []string{}}, {Name: "s/two", Rules: []string{"b"}}},
	}
	if diff := cmp.Diff(want, report); diff != "" {
		t.Error(diff)
	}
}

func TestExamples(t *testing.T) {
	t.Parallel()
	const refund = `{"type":"object","properties":{"amount":{"type":"number"},"note":{"type":"string"}}}`
	tools := catalog{tool(t, "orders/refund", refund, "money"), tool(t, "orders/other", "true")}
	for name, c := range map[string]struct {
		rule string
		want string // "" loads
	}{
		"match and noMatch": {`verdict: deny, tools: refund, when: {args.amount: {gt: 100}}, match: [{amount: 101}, {amount: "x"}, {}], noMatch: [{amount: 100}]`, ""},
		"does not match":    {`verdict: deny, tools: refund, when: {args.amount: {gt: 100}}, match: [{amount: 5}]`, `rule "r" does not match this example: its condition is false: change the rule or the example`},
		"allow on unknown":  {`verdict: allow, tools: refund, when: {args.amount: {lte: 100}}, match: [{}]`, `rule "r" does not match this example: its condition is unknown: change the rule or the example`},
		"matches":           {`verdict: deny, tools: refund, when: {args.amount: {gt: 100}}, noMatch: [{amount: 500}]`, `rule "r" matches this example: its condition is true: change the rule or the example`},
		"matches unknown":   {`verdict: deny, tools: refund, when: {args.amount: {gt: 100}}, noMatch: [{}]`, `rule "r" matches this example: its condition is unknown: a value that is missing or of another type counts towards the stricter side; test an optional field with exists: true beside it`},
		"another tool":      {`verdict: deny, tools: refund, match: [{tool: orders/other, args: {}}]`, `rule "r" does not look at the tool of this example: name a tool that the rule's tools cover`},
		"unknown tool":      {`verdict: deny, tools: refund, match: [{tool: orders/nothing, args: {}}]`, `rule "r" does not look at the tool of this example: name a tool that the rule's tools cover`},
		"short tool":        {`verdict: deny, tools: "orders/*", match: [{tool: refund, args: {}}]`, ""},
		"the whole call": {`verdict: allow, tools: refund, when: {subject.roles: {any: ops}, env.stage: dev, session.id: s, run.readOnly: false, agent.model: m, time.hour: 12}, ` +
			`match: [{args: {}, subject: {id: u, roles: [ops]}, env: {stage: dev}, session: s, run: {readOnly: false}, model: m, time: "2025-01-15T12:30:00Z"}], noMatch: [{args: {}}]`, ""},
		"somebody is signed in":   {`verdict: allow, tools: refund, when: {subject.authenticated: true}, match: [{}], noMatch: [{args: {}, subject: {roles: []}}]`, ""},
		"an argument named tool":  {`verdict: deny, tools: refund, when: {args.tool: {eq: x}}, match: [{args: {tool: x}}]`, `no tool of this rule has args.tool: in orders/refund, args has no "tool": name an argument of the tool`},
		"a limit is reached":      {`verdict: deny, tools: refund, when: {args.amount: {gt: 5}}, limit: {max: 3, per: 1m, by: session}, match: [{amount: 6}], noMatch: [{amount: 5}]`, ""},
		"a group":                 {`verdict: deny, tools: "group:money", when: {args.amount: {gt: 5}}, match: [{amount: 6}]`, ""},
		"unless with an optional": {`verdict: deny, tools: refund, when: {args.note: {exists: true}}, unless: {args.note: {prefix: ok}}, match: [{note: bad}, {note: 5}], noMatch: [{}, {note: ok}]`, ""},
	} {
		_, _, err := load(t, tools, policy.Options{}, rules("  - {id: r, reason: why, "+c.rule+"}\n"))
		switch {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.HasSuffix(err.Error(), c.want)):
			t.Errorf("%s: %v\nwant %s", name, err, c.want)
		}
	}
	// Without known tools an example still meets a tool that the rule covers.
	for _, pattern := range []string{"orders/refund", "refund", "orders/*", "*", "*fund", "group:money", "safety:read-only", "safety:destructive", "risk:low", "risk:medium", "orders/@resources/read", "@*", "*/@*"} {
		_, _, err := load(t, nil, policy.Options{}, rules(`  - {id: r, verdict: deny, reason: why, tools: "`+pattern+`", when: {args.x: 1}, match: [{x: 1}], noMatch: [{x: 2}]}`))
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
		}
	}
	for pattern, ok := range map[string]bool{"crm/*": true, "group:money": true, "orders/*": false} {
		_, _, err := load(t, nil, policy.Options{}, rules(`  - {id: r, verdict: deny, reason: why, tools: "`+pattern+`", when: {tool.server: crm}, match: [{tool: crm/refund, args: {}}]}`))
		if (err == nil) != ok {
			t.Errorf("%s with a tool that is not known: %v", pattern, err)
		}
	}
}
