// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy"
)

// rules wraps rules into a policy file.
func rules(text string) string { return "policy: p\nversion: v1\nrules:\n" + text }

func load(t testing.TB, cat toolverdict.Catalog, o policy.Options, texts ...string) (*policy.Set, policy.Report, error) {
	t.Helper()
	var files []policy.File
	for i, text := range texts {
		files = append(files, policy.File{Name: fmt.Sprintf("f%d.yaml", i), Content: []byte(text)})
	}
	return policy.Compile(files, cat, o)
}

func TestCombination(t *testing.T) {
	t.Parallel()
	one := tool(t, "s/one", "true")
	for name, c := range map[string]struct {
		rules string
		want  toolverdict.Decision
	}{
		"nothing matches": {
			`  - {id: a, verdict: allow, reason: why, tools: s/two}`,
			toolverdict.Decision{Verdict: toolverdict.Deny, Code: toolverdict.PolicyDenied, Reason: "no rule allows it"},
		},
		"allow": {
			`  - {id: a, verdict: allow, reason: why, tools: s/one}`,
			toolverdict.Decision{Verdict: toolverdict.Allow, Rule: "a", Reason: "why", Rules: []toolverdict.Match{{Rule: "a", Verdict: toolverdict.Allow}}},
		},
		"the first by id decides": {
			`  - {id: c, verdict: allow, reason: c, tools: s/one}
  - {id: b, verdict: allow, reason: b, tools: s/one}`,
			toolverdict.Decision{
				Verdict: toolverdict.Allow, Rule: "b", Reason: "b",
				Rules: []toolverdict.Match{{Rule: "b", Verdict: toolverdict.Allow}, {Rule: "c", Verdict: toolverdict.Allow}},
			},
		},
		"ask beats allow, asks add up": {
			`  - {id: a, verdict: allow, reason: why, tools: s/one}
  - {id: c, verdict: ask, reason: c, tools: s/one, ask: {approvers: ["role:x", "role:a", "role:x"], quorum: 2, expires: 15m, selfApproval: true, escalate: {after: 5m, to: ["role:z", "group:y"]}, editorMayApprove: true, clientAttested: true}}
  - {id: b, verdict: ask, reason: b, tools: s/one}`,
			toolverdict.Decision{
				Verdict: toolverdict.Ask, Code: toolverdict.ConfirmationRequired, Rule: "b", Reason: "b",
				Rules: []toolverdict.Match{{Rule: "a", Verdict: toolverdict.Allow}, {Rule: "b", Verdict: toolverdict.Ask}, {Rule: "c", Verdict: toolverdict.Ask}},
				Asks: []toolverdict.Requirement{{Rule: "b", Quorum: 1}, {Rule: "c", Approvers: []string{"role:a", "role:x"}, Quorum: 2, Expires: 15 * time.Minute, SelfApproval: true,
					Escalate: toolverdict.Escalation{After: 5 * time.Minute, To: []string{"group:y", "role:z"}}, EditorMayApprove: true, ClientAttested: true}},
			},
		},
		"one ask": {
			`  - {id: b, verdict: ask, reason: b, tools: s/one, ask: {approvers: "user:u"}}`,
			toolverdict.Decision{
				Verdict: toolverdict.Ask, Code: toolverdict.ConfirmationRequired, Rule: "b", Reason: "b",
				Rules: []toolverdict.Match{{Rule: "b", Verdict: toolverdict.Ask}},
				Asks:  []toolverdict.Requirement{{Rule: "b", Approvers: []string{"user:u"}, Quorum: 1}},
			},
		},
		"deny beats all, and tells the unknown": {
			`  - {id: a, verdict: allow, reason: why, tools: s/one}
  - {id: b, verdict: ask, reason: b, tools: s/one}
  - {id: z, verdict: deny, reason: z, tools: s/one, when: {args.x: 1}}`,
			toolverdict.Decision{
				Verdict: toolverdict.Deny, Code: toolverdict.PolicyDenied, Rule: "z", Reason: "z",
				Rules: []toolverdict.Match{{Rule: "a", Verdict: toolverdict.Allow}, {Rule: "b", Verdict: toolverdict.Ask}, {Rule: "z", Verdict: toolverdict.Deny, Unknown: true}},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _, err := load(t, nil, policy.Options{}, rules(c.rules))
			if err != nil {
				t.Fatal(err)
			}
			got := s.Decide(toolverdict.Request{Tool: one, Arguments: args(t, "{}")})
			c.want.PolicyVersion, c.want.PolicyHash = s.Identity()
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if cap(got.Rules) != len(got.Rules) || cap(got.Asks) != len(got.Asks) {
				t.Error("a caller could append into what the set shares")
			}
		})
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	one := tool(t, "s/one", "true")
	file := func(name, def string) string {
		return fmt.Sprintf("policy: %s\nversion: v1\n%srules:\n  - {id: %s, verdict: allow, reason: why, tools: s/other}\n", name, def, name)
	}
	for name, c := range map[string]struct {
		files []string
		want  toolverdict.Verdict
	}{
		"left out":                     {[]string{file("a", "")}, toolverdict.Deny},
		"deny":                         {[]string{file("a", "default: deny\n")}, toolverdict.Deny},
		"ask":                          {[]string{file("a", "default: ask\n")}, toolverdict.Ask},
		"allow":                        {[]string{file("a", "default: allow\nunsafeDefaultAllow: true\n")}, toolverdict.Allow},
		"allow and ask":                {[]string{file("a", "default: allow\nunsafeDefaultAllow: true\n"), file("b", "default: ask\n")}, toolverdict.Ask},
		"ask, and a file without":      {[]string{file("a", "default: ask\n"), file("b", "")}, toolverdict.Deny},
		"unsafe alone changes nothing": {[]string{file("a", "unsafeDefaultAllow: true\n")}, toolverdict.Deny},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _, err := load(t, nil, policy.Options{}, c.files...)
			if err != nil {
				t.Fatal(err)
			}
			d := s.Decide(toolverdict.Request{Tool: one, Arguments: args(t, "{}")})
			if d.Verdict != c.want || d.Rule != "" || len(d.Rules) != 0 {
				t.Errorf("got %s by %q", d.Verdict, d.Rule)
			}
			if c.want == toolverdict.Ask && (len(d.Asks) != 1 || d.Asks[0].Quorum != 1 || d.Code != toolverdict.ConfirmationRequired) {
				t.Errorf("the default asks nobody: %+v", d)
			}
		})
	}
	s := compile(t, file("a", "default: allow\nunsafeDefaultAllow: true\n"), nil)
	if d := s.Decide(toolverdict.Request{}); d.Verdict != toolverdict.Deny || d.Code != toolverdict.PolicyDenied {
		t.Errorf("a request without a tool: %+v", d)
	}
}

func TestToolPatterns(t *testing.T) {
	t.Parallel()
	tools := catalog{
		define(t, toolverdict.Definition{Name: "orders/refund", Server: "orders", Safety: toolverdict.Destructive, Risk: toolverdict.HighRisk, Permission: "x", Groups: []string{"money", "order_write"}}),
		define(t, toolverdict.Definition{Name: "orders/list_open", Server: "orders", Safety: toolverdict.ReadOnly, Risk: toolverdict.LowRisk}),
		define(t, toolverdict.Definition{Name: "crm/refund", Server: "crm", Safety: toolverdict.Destructive, Risk: toolverdict.MediumRisk, Permission: "x"}),
		define(t, toolverdict.Definition{Name: "orders/@resources/read", Server: "orders", Safety: toolverdict.ReadOnly, Risk: toolverdict.LowRisk, Groups: []string{"methods"}}),
		define(t, toolverdict.Definition{Name: "crm/@prompts/get", Server: "crm", Safety: toolverdict.ReadOnly, Risk: toolverdict.LowRisk}),
		define(t, toolverdict.Definition{Name: "crm/send@home", Server: "crm", Safety: toolverdict.ReadOnly, Risk: toolverdict.LowRisk}),
		define(t, toolverdict.Definition{Name: "crm/a/b", Server: "crm", Safety: toolverdict.ReadOnly, Risk: toolverdict.LowRisk}),
	}
	for pattern, want := range map[string]string{
		"orders/refund":          "orders/refund",
		"refund":                 "crm/refund orders/refund",
		"Refund":                 "",
		"orders/Refund":          "",
		"orders/*":               "orders/list_open orders/refund",
		"orders/list_*":          "orders/list_open",
		"list_*":                 "orders/list_open",
		"*refund":                "crm/refund orders/refund",
		"*/refund":               "crm/refund orders/refund",
		"orders*":                "",
		"c*/refund":              "crm/refund",
		"*":                      "crm/a/b crm/refund crm/send@home orders/list_open orders/refund",
		"*/*":                    "crm/a/b crm/refund crm/send@home orders/list_open orders/refund",
		"send@home":              "crm/send@home",
		"*@*":                    "crm/send@home",
		"crm/*@*":                "crm/send@home",
		"a/b":                    "",
		"crm/a/b":                "crm/a/b",
		"orders/@resources/read": "orders/@resources/read",
		"orders/@*":              "orders/@resources/read",
		"@resources/read":        "orders/@resources/read",
		"@*":                     "crm/@prompts/get orders/@resources/read",
		"*/@*":                   "crm/@prompts/get orders/@resources/read",
		"resources/read":         "",
		"*resources*":            "",
		"group:money":            "orders/refund",
		"group:mon":              "",
		"group:methods":          "orders/@resources/read",
		"safety:read-only":       "crm/a/b crm/send@home orders/list_open",
		"safety:destructive":     "crm/refund orders/refund",
		"risk:low":               "crm/a/b crm/send@home orders/list_open",
		"risk:medium":            "crm/refund",
		"risk:high":              "orders/refund",
	} {
		text := rules(fmt.Sprintf("  - {id: r, verdict: allow, reason: why, tools: %q}\n", pattern))
		_, report, err := load(t, tools, policy.Options{Discovery: true}, text)
		if err != nil {
			t.Fatal(err)
		}
		known := strings.Join(report.Rules[0].Tools, " ")
		// The same tools, found out only after the policy was loaded.
		later, _, err := load(t, nil, policy.Options{}, text)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for name := range strings.FieldsSeq("crm/@prompts/get crm/a/b crm/refund crm/send@home orders/@resources/read orders/list_open orders/refund") {
			tl, _ := tools.Tool(name)
			if later.Decide(toolverdict.Request{Tool: tl}).Verdict == toolverdict.Allow {
				found = append(found, name)
			}
		}
		if known != want || strings.Join(found, " ") != want {
			t.Errorf("%s covers %q, found later %q, want %q", pattern, known, found, want)
		}
	}
}

// TestChangedTool: a tool that was redefined after load is decided by what it is
// now.
func TestChangedTool(t *testing.T) {
	t.Parallel()
	def := toolverdict.Definition{Name: "s/one", Server: "s", Safety: toolverdict.ReadOnly, Risk: toolverdict.LowRisk, Groups: []string{"safe"}}
	before := define(t, def)
	def.Safety, def.Groups = toolverdict.Destructive, nil
	after := define(t, def)
	s := compile(t, rules("  - {id: r, verdict: allow, reason: why, tools: [\"group:safe\", safety:read-only], when: {tool.safety: read-only}}\n"), catalog{before})
	if d := s.Decide(toolverdict.Request{Tool: before}); d.Verdict != toolverdict.Allow {
		t.Errorf("the tool as it was known: %s", d.Verdict)
	}
	if d := s.Decide(toolverdict.Request{Tool: after}); d.Verdict != toolverdict.Deny {
		t.Errorf("the tool as it is now: %s", d.Verdict)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	one := tool(t, "s/one", "true")
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	text := rules(`  - {id: allow, verdict: allow, reason: why, tools: s/one}
  - {id: few, verdict: deny, reason: few, tools: s/one, limit: {max: 3, per: 1m, by: [session]}}
  - {id: many, verdict: ask, reason: many, tools: s/one, when: {args.x: 1}, limit: {max: 10, per: 24h, by: [user, tool]}}
`)
	s := compile(t, text, catalog{one})
	r := toolverdict.Request{Tool: one, Arguments: args(t, `{"x":1}`), Session: "s1", Subject: toolverdict.Subject{ID: "a", User: "u"}, At: now}
	few := toolverdict.Limit{Rule: "few", Key: `["few","session","s1"]`, Max: 3, Per: time.Minute}
	many := toolverdict.Limit{Rule: "many", Key: `["many","tool","s/one","user","u"]`, Max: 10, Per: 24 * time.Hour}
	for name, c := range map[string]struct {
		usage   []toolverdict.Usage
		args    string
		verdict toolverdict.Verdict
		code    toolverdict.Code
		rule    string
		limits  []toolverdict.Limit
		retry   time.Duration
	}{
		"not read yet": {nil, `{"x":1}`, toolverdict.Allow, "", "allow", []toolverdict.Limit{few, many}, 0},
		"below": {
			[]toolverdict.Usage{{Key: few.Key, Count: 2, Oldest: now.Add(-50 * time.Second)}, {Key: many.Key}}, `{"x":1}`,
			toolverdict.Allow, "", "allow", []toolverdict.Limit{few, many}, 0,
		},
		"the condition does not hold": {nil, `{"x":2}`, toolverdict.Allow, "", "allow", []toolverdict.Limit{few}, 0},
		"the condition is unknown":    {nil, `{}`, toolverdict.Allow, "", "allow", []toolverdict.Limit{few, many}, 0},
		"few is full": {
			[]toolverdict.Usage{{Key: few.Key, Count: 3, Oldest: now.Add(-50 * time.Second)}, {Key: many.Key, Count: 10}}, `{"x":1}`,
			toolverdict.Deny, toolverdict.RateLimited, "few", nil, 10 * time.Second,
		},
		"full, oldest not told":  {[]toolverdict.Usage{{Key: few.Key, Count: 5}}, `{"x":1}`, toolverdict.Deny, toolverdict.RateLimited, "few", nil, time.Minute},
		"full, just falling out": {[]toolverdict.Usage{{Key: few.Key, Count: 5, Oldest: now.Add(-time.Minute)}}, `{"x":1}`, toolverdict.Deny, toolverdict.RateLimited, "few", nil, time.Second},
		"many is full": {
			[]toolverdict.Usage{{Key: few.Key, Count: 1}, {Key: many.Key, Count: 10}}, `{"x":1}`,
			toolverdict.Ask, toolverdict.ConfirmationRequired, "many", []toolverdict.Limit{few}, 0,
		},
		"another's counter": {[]toolverdict.Usage{{Key: `["few","session","s2"]`, Count: 9}}, `{"x":1}`, toolverdict.Allow, "", "allow", []toolverdict.Limit{few, many}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := r
			r.Arguments, r.Usage = args(t, c.args), c.usage
			d := s.Decide(r)
			if d.Verdict != c.verdict || d.Code != c.code || d.Rule != c.rule || d.RetryAfter != c.retry {
				t.Errorf("got %s %s by %q, retry after %s", d.Verdict, d.Code, d.Rule, d.RetryAfter)
			}
			if diff := cmp.Diff(c.limits, d.Limits); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestLimitAndDeny: a rule that says never is told before one that says not now,
// and then waiting is no advice.
func TestLimitAndDeny(t *testing.T) {
	t.Parallel()
	one := tool(t, "s/one", "true")
	s := compile(t, rules(`  - {id: a-limit, verdict: deny, reason: few, tools: s/one, limit: {max: 1, per: 1h, by: [subject]}}
  - {id: b-limit, verdict: deny, reason: few, tools: s/one, limit: {max: 1, per: 2h, by: [subject]}}
  - {id: never, verdict: deny, reason: never, tools: s/one, when: {args.x: 1}}
`), nil)
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	r := toolverdict.Request{Tool: one, Arguments: args(t, `{"x":1}`), Subject: toolverdict.Subject{ID: "a"}, At: now, Usage: []toolverdict.Usage{
		{Key: `["a-limit","subject","a"]`, Count: 1, Oldest: now}, {Key: `["b-limit","subject","a"]`, Count: 1, Oldest: now},
	}}
	if d := s.Decide(r); d.Rule != "never" || d.Code != toolverdict.PolicyDenied || d.RetryAfter != 0 || len(d.Rules) != 3 {
		t.Errorf("%+v", d)
	}
	r.Arguments = args(t, `{"x":2}`)
	if d := s.Decide(r); d.Rule != "a-limit" || d.Code != toolverdict.RateLimited || d.RetryAfter != 2*time.Hour {
		t.Errorf("%+v", d)
	}
	r.Arguments, r.Usage = args(t, `{"x":1}`), nil
	if d := s.Decide(r); len(d.Limits) != 0 {
		t.Errorf("a denied call would be counted: %+v", d.Limits)
	}
}

// TestLimitKeys: what the host does not say is counted on a counter shared by
// the subject's other such calls, and no value imitates another counter.
func TestLimitKeys(t *testing.T) {
	t.Parallel()
	one := tool(t, "s/one", "true")
	key := func(by string, r toolverdict.Request) string {
		r.Tool = one
		s := compile(t, rules(fmt.Sprintf("  - {id: a, verdict: allow, reason: why, tools: s/one}\n  - {id: l, verdict: deny, reason: few, tools: s/one, limit: {max: 1, per: 1h, by: [%s]}}\n", by)), nil)
		return s.Decide(r).Limits[0].Key
	}
	who := toolverdict.Subject{ID: "a"}
	for name, c := range map[string]struct {
		by   string
		r    toolverdict.Request
		want string
	}{
		"session":            {"session", toolverdict.Request{Subject: who, Session: "x"}, `["l","session","x"]`},
		"no session":         {"session", toolverdict.Request{Subject: who}, `["l","no session of subject","a"]`},
		"nobody, no session": {"session", toolverdict.Request{}, `["l","no session of subject",""]`},
		"subject":            {"subject", toolverdict.Request{Subject: who}, `["l","subject","a"]`},
		"user":               {"user", toolverdict.Request{Subject: toolverdict.Subject{ID: "a", User: "u"}}, `["l","user","u"]`},
		"no user":            {"user", toolverdict.Request{Subject: who}, `["l","no user of subject","a"]`},
		"agent":              {"agent", toolverdict.Request{Subject: toolverdict.Subject{ID: "a", Agent: "g"}}, `["l","agent","g"]`},
		"itself":             {"agent", toolverdict.Request{Subject: toolverdict.Subject{ID: "a", Kind: toolverdict.Agent}}, `["l","agent","a"]`},
		"no agent":           {"agent", toolverdict.Request{Subject: who}, `["l","no agent of subject","a"]`},
		"run":                {"run", toolverdict.Request{Subject: who, Run: toolverdict.Run{ID: "r"}}, `["l","run","r"]`},
		"no run":             {"run", toolverdict.Request{Subject: who}, `["l","no run of subject","a"]`},
		"tool":               {"tool", toolverdict.Request{Subject: who}, `["l","tool","s/one"]`},
		"order, once":        {"tool, session, tool", toolverdict.Request{Subject: who, Session: "x"}, `["l","session","x","tool","s/one"]`},
		"hostile":            {"session", toolverdict.Request{Subject: who, Session: `x","tool","s/one`}, `["l","session","x\",\"tool\",\"s/one"]`},
	} {
		if got := key(c.by, c.r); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	const a = "policy: a\nversion: v1\nrules:\n  - {id: r1, verdict: allow, reason: why, tools: s/one, when: {args.x: [1, 2.50]}}\n  - {id: r2, verdict: deny, reason: why, tools: s/two}\n"
	const b = "policy: b\nversion: v7\nrules:\n  - {id: r3, verdict: deny, reason: why, tools: s/one}\n"
	id := func(texts ...string) [2]string {
		s, _, err := load(t, nil, policy.Options{}, texts...)
		if err != nil {
			t.Fatal(err)
		}
		v, h := s.Identity()
		return [2]string{v, h}
	}
	base := id(a)
	if base[0] != "v1" || len(base[1]) != 64 {
		t.Errorf("identity %v", base)
	}
	reordered := "# a comment\nversion: v1\npolicy: \"a\"\nrules:\n- verdict: deny\n  id: r2\n  tools: s/two\n  reason: 'why'\n- id: r1\n  verdict: allow\n  reason: why\n  tools: s/one\n  when:\n    args.x: [1, 2.5]\n"
	if got := id(reordered); got != base {
		t.Errorf("formatting changed the identity: %v, %v", got, base)
	}
	if two := id(a, b); two != id(b, a) || two[0] != "a@v1+b@v7" || two[1] == base[1] {
		t.Errorf("two files: %v, %v", two, id(b, a))
	}
	for what, changed := range map[string]string{
		"value":           strings.Replace(a, "2.50", "2.51", 1),
		"type":            strings.Replace(a, "[1,", `["1",`, 1),
		"verdict":         strings.Replace(a, "verdict: deny", "verdict: ask", 1),
		"reason":          strings.Replace(a, "reason: why", "reason: why not", 1),
		"version":         strings.Replace(a, "v1", "v2", 1),
		"default":         "default: ask\n" + a,
		"order of values": strings.Replace(a, "[1, 2.50]", "[2.50, 1]", 1),
	} {
		if got := id(changed); got[1] == base[1] {
			t.Errorf("another %s has the same hash", what)
		}
	}
}

func TestLayers(t *testing.T) {
	t.Parallel()
	const rule = "rules:\n  - {id: %s, verdict: %s, reason: why, tools: s/one}\n"
	file := func(name, id, verdict string) string {
		return fmt.Sprintf("policy: "+name+"\nversion: v1\n"+rule, id, verdict)
	}
	for name, c := range map[string]struct {
		files []string
		want  string
	}{
		"same rule id": {[]string{file("a", "r", "deny"), file("b", "r", "allow")}, "f1.yaml:4:5: the rule id \"r\" is used twice: rename one of them; the other is in f0.yaml on line 4"},
		"same name":    {[]string{file("a", "r", "deny"), file("a", "s", "allow")}, "f1.yaml:1:1: the policy name \"a\" is used by two files: rename one of them; the other is f0.yaml"},
		"both broken":  {[]string{"policy: a\n", "version: v1\n"}, "f0.yaml:1:1: the key \"rules\" is missing in the policy: add rules: …\nf0.yaml:1:1: the key \"version\" is missing in the policy: add version: …\nf1.yaml:1:1: the key \"policy\" is missing in the policy: add policy: …\nf1.yaml:1:1: the key \"rules\" is missing in the policy: add rules: …"},
		"none":         {nil, "policy:1:1: there is no policy file: name at least one: no policy would mean no decision"},
	} {
		if _, _, err := load(t, nil, policy.Options{}, c.files...); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v\nwant %s", name, err, c.want)
		}
	}
	one := tool(t, "s/one", "true")
	s, _, err := load(t, nil, policy.Options{}, file("user", "u", "allow"), file("org", "o", "deny"), file("team", "t", "ask"))
	if err != nil {
		t.Fatal(err)
	}
	if d := s.Decide(toolverdict.Request{Tool: one}); d.Verdict != toolverdict.Deny || d.Rule != "o" || len(d.Rules) != 3 {
		t.Errorf("%+v", d)
	}
}

// TestZones: each file's times are in that file's zone, also where the fields
// are the same.
func TestZones(t *testing.T) {
	t.Parallel()
	one := tool(t, "s/one", "true")
	file := func(name, zone string) string {
		return fmt.Sprintf("policy: %s\nversion: v1\n%srules:\n  - {id: %s, verdict: allow, reason: why, tools: s/one, when: {time.hour: 22, time.date: 2025-01-15}}\n", name, zone, name)
	}
	s, _, err := load(t, nil, policy.Options{}, file("utc", ""), file("shanghai", "timezone: Asia/Shanghai\n"), file("york", "timezone: America/New_York\n"))
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]string{
		"2025-01-15T22:10:00Z":      "utc",
		"2025-01-15T22:10:00+08:00": "shanghai",
		"2025-01-15T22:10:00-05:00": "york",
		"2025-01-16T03:10:00Z":      "york",
		"2025-01-15T12:00:00Z":      "",
	} {
		when, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		if d := s.Decide(toolverdict.Request{Tool: one, At: when}); d.Rule != want {
			t.Errorf("at %s: %q, want %q", at, d.Rule, want)
		}
	}
}

// TestShared: many goroutines decide at once; the race detector watches.
func TestShared(t *testing.T) {
	t.Parallel()
	w := newWorkload(t, 300, "mixed")
	stranger := tool(t, "new/tool", "true")
	for range 8 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			for i, r := range w.calls {
				first := w.set.Decide(r)
				if diff := cmp.Diff(first, w.set.Decide(r)); diff != "" {
					t.Fatalf("call %d: %s", i, diff)
				}
				r.Tool = stranger
				w.set.Decide(r)
			}
		})
	}
}

// TestAllocations is the bound of the hot path: nothing for a call that one rule
// decides, one slice for the list of several.
func TestAllocations(t *testing.T) {
	w := newWorkload(t, 1_000, "mixed")
	for i := range w.calls {
		r := w.calls[i]
		rules := len(w.set.Decide(r).Rules)
		if got := testing.AllocsPerRun(20, func() { w.set.Decide(r) }); got > 2 || rules <= 1 && got > 0 {
			t.Fatalf("call %d: %v allocations for %d matching rules", i, got, rules)
		}
	}
}

// TestEffectAllocations: rules about effects that are known cost no allocation.
func TestEffectAllocations(t *testing.T) {
	set, r := effectWorkload(t, 20)
	if d := set.Decide(r); d.Verdict != toolverdict.Allow {
		t.Fatalf("%s by %q", d.Verdict, d.Rule)
	}
	if got := testing.AllocsPerRun(20, func() { set.Decide(r) }); got > 0 {
		t.Errorf("%v allocations", got)
	}
}
