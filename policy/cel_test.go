// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy"
)

// TestCELDecidesAlike: a rule with an expression decides as the rule with the
// test that says the same, whatever the value is and wherever it stands.
func TestCELDecidesAlike(t *testing.T) {
	t.Parallel()
	one := tool(t, "s/one", "true", "money")
	values := []string{`{}`, `{"x": null}`, `{"x": true}`, `{"x": false}`, `{"x": 5}`, `{"x": 5.0}`, `{"x": 100.01}`, `{"x": "5"}`, `{"x": "a"}`, `{"x": "abc"}`, `{"x": ""}`, `{"x": {}}`, `{"x": {"y": 1}}`, `{"x": 9007199254740993}`}
	for _, c := range []struct{ test, cel string }{
		{"args.x: 5", "args.x == 5"}, {"args.x: {ne: 5}", "args.x != 5"}, {"args.x: {gt: 100}", "args.x > 100"}, {"args.x: {lte: 100.01}", "args.x <= 100.01"},
		{"args.x: 9007199254740992", "args.x == 9007199254740992"}, {"args.x: a", "args.x == 'a'"}, {"args.x: [a, abc]", "args.x in ['a', 'abc']"}, {"args.x: {notIn: [5, 6]}", "!(args.x in [5, 6])"},
		{"args.x: {prefix: ab}", "args.x.startsWith('ab')"}, {"args.x: {suffix: bc}", "args.x.endsWith('bc')"}, {"args.x: {contains: b}", "args.x.contains('b')"}, {"args.x: {regex: 'a.*'}", "args.x.matches('^a.*$')"},
		{"args.x: {exists: true}", "has(args.x)"}, {"args.x: {exists: false}", "!has(args.x)"}, {"args.x: true", "args.x"}, {"args.x: {exists: true, gt: 4}", "has(args.x) && args.x > 4"}, {"args.x.y: 1", "args.x.y == 1"},
		{"subject.user: ada", "subject.user == 'ada'"}, {"subject.roles: {any: ops}", "'ops' in subject.roles"}, {"session.id: x", "session.id == 'x'"}, {"session.id: {exists: true}", "has(session.id)"}, {"env.stage: prod", "env.stage == 'prod'"},
		{"env.other: prod", "env.other == 'prod'"}, {"time.hour: {gte: 14}", "time.hour >= 14"}, {"time.clock: '22:30:00'", "time.clock == '22:30:00'"}, {"time.date: 2025-01-15", "time.date == '2025-01-15'"}, {"time.weekday: wed", "time.weekday == 'wed'"},
		{"time.now: {lt: '2025-01-15T14:30:01Z'}", "time.now < timestamp('2025-01-15T14:30:01Z')"}, {"tool.name: s/one", "tool.name == 's/one'"}, {"tool.groups: {any: money}", "'money' in tool.groups"}, {"run.readOnly: false", "!run.readOnly"},
		{"subject.authenticated: true", "subject.authenticated"}, {"agent.id: bot", "agent.id == 'bot'"}, {"agent.model: m", "agent.model == 'm'"},
	} {
		for _, verdict := range []string{"deny", "ask", "allow"} {
			for _, form := range []string{"when: {%s}", "unless: {%s}", "when: {not: {%s}}", "when: {any: [{%s}, {args.x: never}]}"} {
				decide := func(condition string) func(string) toolverdict.Decision {
					text := "policy: p\nversion: v1\ntimezone: Asia/Shanghai\nrules:\n  - {id: r, verdict: " + verdict + ", reason: why, tools: s/one, " + fmt.Sprintf(form, condition) + "}\n"
					set, _, err := policy.Compile([]policy.File{{Name: "p.yaml", Content: []byte(text)}}, nil, policy.Options{})
					if err != nil {
						t.Fatal(err)
					}
					return func(args string) toolverdict.Decision {
						v, err := canon.Parse([]byte(args), canon.Limits{})
						if err != nil {
							t.Fatal(err)
						}
						d := set.Decide(toolverdict.Request{
							Tool: one, Arguments: v, Subject: toolverdict.Subject{ID: "u", User: "ada", Agent: "bot", Roles: []string{"ops"}}, Model: "m",
							Environment: map[string]string{"stage": "prod"}, At: time.Date(2025, 1, 15, 14, 30, 0, 0, time.UTC),
						})
						d.PolicyHash = ""
						return d
					}
				}
				native, cel := decide(c.test), decide(`cel: "`+c.cel+`"`)
				for _, args := range values {
					if diff := cmp.Diff(native(args), cel(args)); diff != "" {
						t.Errorf("%s with %s and %s of %s: %s", verdict, fmt.Sprintf(form, c.test), c.cel, args, diff)
					}
				}
			}
		}
	}
}

// TestCELOfEffects: what a call would do is known to expressions as it is to
// other conditions.
func TestCELOfEffects(t *testing.T) {
	t.Parallel()
	set, _, err := policy.Compile([]policy.File{{Name: "p.yaml", Content: []byte(`policy: p
version: v1
rules:
  - {id: deny-deletes, verdict: deny, reason: why, tools: s/one, when: {cel: "effects.exists(e, e.kind == 'delete')"}}
  - {id: allow-reads, verdict: allow, reason: why, tools: s/one, when: {cel: "effects.all(e, e.kind == 'read')"}}
`)}}, nil, policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	plain := tool(t, "s/one", "true")
	def := plain.Definition()
	def.Roles = map[string]toolverdict.Role{"/x": {Kind: "path"}}
	roles := define(t, def)
	for _, c := range []struct {
		tool    *toolverdict.Tool
		effects []toolverdict.Effect
		want    toolverdict.Verdict
		rule    string
	}{
		{roles, []toolverdict.Effect{{Kind: toolverdict.EffectRead, Path: "/a"}}, toolverdict.Allow, "allow-reads"},
		{roles, []toolverdict.Effect{{Kind: toolverdict.EffectRead}, {Kind: toolverdict.EffectDelete}}, toolverdict.Deny, "deny-deletes"},
		{roles, []toolverdict.Effect{{Kind: toolverdict.EffectRead}, {Kind: toolverdict.EffectOpaque}}, toolverdict.Deny, "deny-deletes"},
		{roles, nil, toolverdict.Deny, ""},             // nothing is no reason to allow
		{plain, nil, toolverdict.Deny, "deny-deletes"}, // what it does is not known
	} {
		d := set.Decide(toolverdict.Request{Tool: c.tool, Effects: c.effects})
		if d.Verdict != c.want || d.Rule != c.rule {
			t.Errorf("%v: %v by %q, want %v by %q", c.effects, d.Verdict, d.Rule, c.want, c.rule)
		}
	}
}
