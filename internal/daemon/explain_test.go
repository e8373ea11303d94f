// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package daemon_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/daemon"
	"github.com/toolverdict/toolverdict/internal/workbench/explain"
)

const explainedTools = `tools:
  up/pay:
    safety: destructive
    risk: low
    schema: {type: object, properties: {a: {type: integer}, b: {type: string}, c: {type: boolean}}, required: [a], additionalProperties: false}
    guidance: {INVALID_INPUT: "Give a and b.", CONFIRMATION_REQUIRED: "Call the desk."}
  up/look:
    safety: read-only
    risk: low
    roles: {/command: shell}
    schema: {type: object, properties: {command: {type: string}}}
    guidance: {POLICY_DENIED: "Only look."}
  up/ask: {safety: destructive, risk: high, permission: x, summary: "Ask about {a}", schema: {type: object}}
  up/secret: {safety: destructive, risk: low, permission: other, schema: {type: object}}
`

const explainedPolicy = `policy: p
version: v1
rules:
  - {id: all, verdict: allow, reason: Open, tools: [up/pay, up/look, up/ask, up/secret]}
  - {id: no-more, verdict: deny, reason: Enough, tools: up/pay, when: {args.a: {gt: 5}}}
  - {id: big, verdict: ask, reason: Big ones are asked about, tools: up/pay, when: {args.a: 5}}
`

// TestExplainSaysWhatTheGateSays: the code, the words, all faults and the next
// step of a refusal are those of the gate, wherever on its way the call ends.
func TestExplainSaysWhatTheGateSays(t *testing.T) { //nolint:tparallel // which codes were seen is looked at when all are done
	t.Parallel()
	l := newLab(t, "  up: {command: [none]}\n", map[string]string{"catalog.yaml": explainedTools, "policy.yaml": explainedPolicy})
	bench, err := daemon.OpenBench(t.Context(), l.options(), nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[tv.Code]bool{}
	for name, call := range map[string]struct{ as, tool, args string }{
		"allowed":            {"agent", "up/pay", `{"a":1}`},
		"a rule denies":      {"agent", "up/pay", `{"a":6}`},
		"a rule asks":        {"agent", "up/pay", `{"a":5}`},
		"the risk asks":      {"agent", "up/ask", `{"a":"orders"}`},
		"many faults":        {"agent", "up/pay", `{"b":1,"c":"x","d":2,"e":3}`},
		"more than are told": {"agent", "up/pay", `{"b":1,"c":"x","d":2,"e":3,"f":4,"g":5,"h":6}`},
		"folded name":        {"agent", "up/pay", `{"A":1}`},
		"unknown tool":       {"agent", "up/pya", `{}`},
		"short name":         {"agent", "pay", `{"a":7}`},
		"read-only run":      {"reader", "up/pay", `{"a":1}`},
		"read-only tool":     {"agent", "up/look", `{"command":"rm -r /srv"}`},
		"twice":              {"agent", "up/pay", `{"a":1,"a":2}`},
		"no JSON":            {"agent", "up/pay", `{"a"`},
		"a list":             {"agent", "up/pay", `[1]`},
		"JSON in a text":     {"agent", "up/pay", `"{\"a\":7}"`},
		"no permission":      {"boss", "up/secret", `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			want, err := daemon.Check(t.Context(), l.options(), daemon.Preview{Tool: call.tool, Arguments: []byte(call.args), As: call.as})
			if err != nil {
				t.Fatal(err)
			}
			c, refused := explain.NewCall(call.tool, []byte(call.args))
			var got explain.Account
			if refused != nil {
				got = explain.Malformed(bench, call.tool, refused)
			} else {
				c.As, c.Run.ReadOnly = call.as, call.as == "reader"
				if got, err = explain.Of(bench, c, bytes.Repeat([]byte{7}, 32)); err != nil {
					t.Fatal(err)
				}
			}
			if want.Error != nil { // "check" says that nobody was asked
				seen[want.Error.Code] = true
				want.Error.Message = strings.Replace(want.Error.Message, "A person would have to approve this call.", "A person must approve this call first.", 1)
			}
			if diff := cmp.Diff(want.Error, got.Told, cmpopts.IgnoreUnexported(tv.Refusal{})); diff != "" {
				t.Errorf("(-gate +explain)\n%s", diff)
			}
			if diff := cmp.Diff(want.Meant, got.Meant); diff != "" {
				t.Errorf("meant: %s", diff)
			}
		})
	}
	for _, code := range []tv.Code{tv.UnknownTool, tv.ToolNotAllowed, tv.MalformedCall, tv.InvalidInput, tv.PermissionDenied, tv.PolicyDenied, tv.ConfirmationRequired} {
		if !seen[code] {
			t.Errorf("no call ended in %s", code)
		}
	}
}

// TestEntriesOfNoTool: a rule about a tool that the catalog has and its server
// does not announce covers nothing, and it is said why.
func TestEntriesOfNoTool(t *testing.T) {
	t.Parallel()
	up := newUpstream(t, true, "echo")
	l := newLab(t, at(up.url, ", pin: first-sight"), map[string]string{"catalog.yaml": "tools:\n  up/echo: {risk: low}\n  up/other: {risk: low}\n"})
	g := l.open()
	if res := g.call("agent", "up/echo", `{}`); !res.Success {
		t.Fatal(code(&res))
	}
	const why = `catalog.yaml:3: tool "up/other": no server announces such a tool`
	report, err := daemon.CheckPolicy(t.Context(), l.options(), nil)
	if err != nil || !strings.Contains(strings.Join(report.Warnings, "\n"), why) {
		t.Errorf("%v, warnings: %q", err, report.Warnings)
	}
	l.write("policy.yaml", "policy: p\nversion: v1\nrules:\n  - {id: r, verdict: allow, reason: Open, tools: up/other}\n")
	if _, err := daemon.CheckPolicy(t.Context(), l.options(), nil); err == nil || !strings.Contains(err.Error(), "covers no known tool") || !strings.Contains(err.Error(), why) {
		t.Errorf("got %v", err)
	}
}
