// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package replay_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/internal/workbench/calls"
	"github.com/toolverdict/toolverdict/internal/workbench/replay"
	"github.com/toolverdict/toolverdict/policy"
)

type anything struct{}

func (anything) Clash(tv.Value) (tv.FieldError, bool) { return tv.FieldError{}, false }

func (anything) Validate(tv.Value) []tv.FieldError { return nil }

type catalogOf []*tv.Tool

func (c catalogOf) Tool(name string) (*tv.Tool, bool) {
	for _, t := range c {
		if t.Name() == name {
			return t, true
		}
	}
	return nil, false
}

func (c catalogOf) Tools() []*tv.Tool { return c }

func known(t testing.TB) catalogOf {
	t.Helper()
	var out catalogOf
	for _, def := range []tv.Definition{
		{Name: "s/t", InputSchema: json.RawMessage(`{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "n": {"type": "number"}}}`)},
		{Name: "s/run", Roles: map[string]tv.Role{"/command": {Kind: tv.RoleShell, Base: "/srv"}}},
		{Name: "s/guarded", Risk: tv.MediumRisk, Permission: "guarded"},
	} {
		def.Server, def.Safety, def.Confirmation, def.Execution = "s", tv.Destructive, tv.ConfirmByRisk, tv.Parallel
		if def.Risk == "" {
			def.Risk = tv.LowRisk
		}
		tool, err := tv.NewTool(def, anything{})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, tool)
	}
	return out
}

func rules(text string) []policy.File {
	return []policy.File{{Name: "p.yaml", Content: []byte("policy: p\nversion: v2\nrules:\n" + text)}}
}

// recorded is a call as a record of the audit log tells it.
func recorded(t testing.TB, tool, args, verdict string, code tv.Code, effects ...tv.Effect) calls.Call {
	t.Helper()
	c, ok := calls.FromRecord(&audit.Numbered{Seq: 7, Record: tv.Record{
		Kind: tv.RecordDecision, At: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), Tool: tool, Arguments: json.RawMessage(args), Subject: "ann", Session: "s1",
		Verdict: verdict, Code: code, Rule: "old", PolicyHash: "h", Effects: effects,
	}})
	if !ok {
		t.Fatal("it is no decision")
	}
	return c
}

func TestOneCallUnderAnotherPolicy(t *testing.T) {
	t.Parallel()
	const allow = "  - {id: all, verdict: allow, reason: r, tools: 's/*'}\n"
	for name, c := range map[string]struct {
		call  calls.Call
		rules string
		want  replay.Verdict
		rule  string
		why   string
	}{
		"what is told is decided":              {call: recorded(t, "s/t", `{"a": "x"}`, "allow", ""), rules: allow + "  - {id: d, verdict: deny, reason: r, tools: s/t, when: {args.a: x}}\n", want: "deny", rule: "d"},
		"a hidden argument nobody looks at":    {call: recorded(t, "s/t", `{"a": "x", "b": "[secret 0a1b2c3d]"}`, "allow", ""), rules: allow, want: "allow", rule: "all"},
		"a hidden argument that decides":       {call: recorded(t, "s/t", `{"a": "[secret 0a1b2c3d]"}`, "allow", ""), rules: allow + "  - {id: d, verdict: deny, reason: r, tools: s/t, when: {args.a: x}}\n", want: "unknown", why: "args.a"},
		"a hidden argument, decided by others": {call: recorded(t, "s/t", `{"a": "[secret 0a1b2c3d]", "n": 5}`, "allow", ""), rules: allow + "  - {id: d, verdict: deny, reason: r, tools: s/t, when: {args.a: x}}\n  - {id: e, verdict: deny, reason: r, tools: s/t, when: {args.n: {gt: 1}}}\n", want: "deny", rule: "e"},
		"a text that was cut":                  {call: recorded(t, "s/t", `{"a": "start…[9000 bytes]"}`, "allow", ""), rules: allow + "  - {id: d, verdict: deny, reason: r, tools: s/t, when: {args.a: {contains: x}}}\n", want: "unknown", why: "args.a"},
		"arguments that were left out":         {call: recorded(t, "s/t", `{"n": 1, "…": "[3 more]"}`, "allow", ""), rules: allow + "  - {id: d, verdict: deny, reason: r, tools: s/t, when: {args.a: {exists: true}}}\n", want: "unknown", why: "args.a"},
		"roles are not told":                   {call: recorded(t, "s/t", `{}`, "allow", ""), rules: allow + "  - {id: d, verdict: deny, reason: r, tools: s/t, when: {subject.roles: {any: [guest, bot]}}}\n", want: "unknown", why: "subject.roles"},
		"facts of the host are not told":       {call: recorded(t, "s/t", `{}`, "allow", ""), rules: allow + "  - {id: d, verdict: deny, reason: r, tools: s/t, when: {env.stage: prod}}\n", want: "unknown", why: "env.stage"},
		"who called is told":                   {call: recorded(t, "s/t", `{}`, "allow", ""), rules: allow + "  - {id: d, verdict: deny, reason: r, tools: s/t, when: {subject.id: ann}}\n", want: "deny", rule: "d"},
		"when is told":                         {call: recorded(t, "s/t", `{}`, "allow", ""), rules: allow + "  - {id: d, verdict: deny, reason: r, tools: s/t, when: {time.hour: 5}}\n", want: "deny", rule: "d"},
		"recorded effects":                     {call: recorded(t, "s/run", `{"command": "[secret 0a1b2c3d]"}`, "allow", "", tv.Effect{Kind: tv.EffectDelete, Path: "/srv/x"}), rules: allow + "  - {id: d, verdict: deny, reason: r, tools: s/run, when: {effects.any: {kind: delete}}}\n", want: "deny", rule: "d"},
		"effects that are hidden":              {call: recorded(t, "s/run", `{"command": "[secret 0a1b2c3d]"}`, "allow", ""), rules: allow + "  - {id: d, verdict: deny, reason: r, tools: s/run, when: {effects.any: {kind: delete}}}\n", want: "unknown", why: "effects"},
		"effects that are analysed":            {call: recorded(t, "s/run", `{"command": "rm -rf /srv/x"}`, "allow", ""), rules: allow + "  - {id: d, verdict: deny, reason: r, tools: s/run, when: {effects.any: {kind: delete}}}\n", want: "deny", rule: "d"},
		"what rests on CEL":                    {call: recorded(t, "s/t", `{"a": "[secret 0a1b2c3d]"}`, "allow", ""), rules: allow + "  - {id: d, verdict: deny, reason: r, tools: s/t, when: {cel: 'args.a == \"x\"'}}\n", want: "unknown", why: "CEL"},
		"a rule that looks back":               {call: recorded(t, "s/t", `{}`, "allow", ""), rules: allow + "  - {id: d, verdict: deny, reason: r, tools: s/t, when: {history.any: {tools: s/run, within: 1h}}}\n", want: "unknown", why: "earlier calls"},
		"and another that decides anyway":      {call: recorded(t, "s/t", `{"n": 5}`, "allow", ""), rules: allow + "  - {id: d, verdict: deny, reason: r, tools: s/t, when: {history.any: {tools: s/run, within: 1h}}}\n  - {id: e, verdict: deny, reason: r, tools: s/t, when: {args.n: {gt: 1}}}\n", want: "deny", rule: "e"},
		"a permission that it had":             {call: recorded(t, "s/guarded", `{}`, "allow", ""), rules: allow, want: "allow", rule: "all"},
		"a permission that it had not":         {call: recorded(t, "s/guarded", `{}`, "deny", tv.PermissionDenied), rules: allow, want: "deny"},
		"a permission that is not told":        {call: recorded(t, "s/guarded", `{}`, "deny", tv.PolicyDenied), rules: allow, want: "unknown", why: "permission"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := replay.Run([]calls.Call{c.call}, replay.Options{Known: known(t), Files: rules(c.rules)})
			if err != nil {
				t.Fatal(err)
			}
			got := replay.Group{New: replay.Verdict(c.call.Verdict), NewRule: c.rule}
			for _, g := range append(r.Changed, r.Unknown...) {
				got = g
			}
			if got.New != c.want || got.NewRule != c.rule || !strings.Contains(got.Why, c.why) || c.want == replay.Unknown && got.Why == "" {
				t.Errorf("%s by %q (%s), want %s by %q (%s)", got.New, got.NewRule, got.Why, c.want, c.rule, c.why)
			}
		})
	}
}

func TestChangesAreGrouped(t *testing.T) {
	t.Parallel()
	list, err := calls.Read("calls", strings.NewReader(`{"tool": "s/t", "args": {"n": 1}}
{"tool": "s/t", "args": {"n": 2}}
{"tool": "s/t", "args": {"n": 3}, "verdict": "ask", "rule": "x"}
{"tool": "s/t", "args": {"n": 9}}

{"tool": "t", "args": {"n": 9}}
`))
	if err != nil {
		t.Fatal(err)
	}
	before := rules("  - {id: small, verdict: allow, reason: r, tools: s/t, when: {args.n: {lt: 5}}}\n")
	after := rules("  - {id: small, verdict: allow, reason: r, tools: s/t, when: {args.n: {gt: 2}}}\n")
	r, err := replay.Run(list, replay.Options{Known: known(t), Files: after, Base: before})
	if err != nil {
		t.Fatal(err)
	}
	want := []replay.Group{
		{Tool: "s/t", Old: "deny", New: "allow", NewRule: "small", Count: 2, Examples: []string{"calls:4", "calls:6"}},
		{Tool: "s/t", Old: "allow", OldRule: "small", New: "deny", Count: 2, Examples: []string{"calls:1", "calls:2"}},
		{Tool: "s/t", Old: "ask", OldRule: "x", New: "allow", NewRule: "small", Count: 1, Examples: []string{"calls:3"}},
	}
	byCount := func(list []replay.Group) map[string]replay.Group {
		out := map[string]replay.Group{}
		for _, g := range list {
			out[string(g.Old)+" "+string(g.New)] = g
		}
		return out
	}
	if diff := cmp.Diff(byCount(want), byCount(r.Changed)); diff != "" || r.Calls != 5 || r.Same != 0 || len(r.Unknown) != 0 {
		t.Errorf("%s\n%+v", diff, r)
	}
}

func TestWhoCalledIsLookedUp(t *testing.T) {
	t.Parallel()
	r, err := replay.Run([]calls.Call{recorded(t, "s/t", `{}`, "allow", "")}, replay.Options{
		Known: known(t), Env: map[string]string{"stage": "dev"},
		Files: rules("  - {id: ops, verdict: allow, reason: r, tools: s/t, when: {subject.roles: {any: ops}, env.stage: dev}}\n"),
		Who:   func(id string) (tv.Subject, bool) { return tv.Subject{Roles: []string{"ops"}}, id == "ann" },
	})
	if err != nil || r.Same != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestALimitIsTold(t *testing.T) {
	t.Parallel()
	r, err := replay.Run([]calls.Call{recorded(t, "s/t", `{}`, "allow", "")}, replay.Options{
		Known: known(t), Files: rules("  - {id: all, verdict: allow, reason: r, tools: s/t}\n  - {id: l, verdict: deny, reason: r, tools: s/t, limit: {max: 1, per: 1m, by: session}}\n"),
	})
	if err != nil || !r.Limits || r.Same != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}
