// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/catalog"
	"github.com/toolverdict/toolverdict/effect"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/policy"
)

// gateFiles loads the three files beside the server as a gate would, against
// the tools that the server really announces.
func gateFiles(t *testing.T) (*config.Config, *catalog.Catalog, *policy.Set) {
	t.Helper()
	cfg, err := config.Load("../toolverdict.yaml")
	if err != nil {
		t.Fatal(err)
	}
	cat, report, err := catalog.Build(catalog.Input{
		Servers: []catalog.Server{{
			Name: "orders", Announced: announced(t), Pinning: catalog.Pinning(cfg.Upstreams["orders"].Pin),
		}},
		Overlays: []*catalog.Overlay{overlay(t, cfg.Catalogs)},
		Now:      at(),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range report.Tools {
		if e.State != catalog.Listed || len(e.Warnings) > 0 {
			t.Errorf("%s is %s: %s %v", e.Tool, e.State, e.Reason, e.Warnings)
		}
	}
	if len(report.Warnings) > 0 {
		t.Errorf("catalog: %v", report.Warnings)
	}
	var files []policy.File
	for _, name := range cfg.Policies {
		files = append(files, policy.File{Name: name, Content: read(t, name)})
	}
	set, rules, err := policy.Compile(files, cat, policy.Options{Analyse: effect.Effects})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range rules.Warnings {
		t.Errorf("policy: %v", w)
	}
	return cfg, cat, set
}

func at() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func overlay(t *testing.T, names []string) *catalog.Overlay {
	t.Helper()
	if len(names) != 1 {
		t.Fatalf("catalogs: %v, want one", names)
	}
	o, err := catalog.ParseOverlay(names[0], read(t, names[0]))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func announced(t *testing.T) []json.RawMessage {
	t.Helper()
	s, _ := stdio(t, newDir(t))
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var raw []json.RawMessage
	for _, tool := range list.Tools {
		b, err := json.Marshal(tool)
		if err != nil {
			t.Fatal(err)
		}
		raw = append(raw, b)
	}
	return raw
}

// Every tool is described by hand, so that none falls back to what a stranger
// gets, and what people read fills in.
func TestCatalogDescribesEveryTool(t *testing.T) {
	t.Parallel()
	_, cat, _ := gateFiles(t)
	want := map[string]string{
		"query_order": "read-only low risk", "get_weather": "read-only low risk", "query_user": "read-only medium risk users.read",
		"cancel_order": "destructive high always orders.write", "refund": "destructive high risk orders.write",
		"batch_delete_orders": "destructive high always orders.delete", "delete_user": "destructive high always users.delete",
		"send_email": "destructive high risk mail.send", "execute_shell": "destructive high never shell.run",
	}
	got := map[string]string{}
	for _, tool := range cat.Tools() {
		name, ok := strings.CutPrefix(tool.Name(), "orders/")
		if !ok || strings.HasPrefix(name, "@") {
			continue
		}
		d := tool.Definition()
		got[name] = strings.TrimSpace(strings.Join([]string{string(d.Safety), string(d.Risk), string(d.Confirmation), d.Permission}, " "))
		if len(d.Groups) == 0 || d.Summary == "" || d.Safety == toolverdict.Destructive && d.Impact == "" {
			t.Errorf("%s has no group, summary or impact", name)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error("tools (-want +got):\n" + d)
	}
}

// The calls of the README and the ways around each rule.
func TestPolicyDecides(t *testing.T) {
	t.Parallel()
	cfg, cat, set := gateFiles(t)
	mail := func(to, cc, bcc string) string {
		return `{"to":` + to + `,"cc":` + cc + `,"bcc":` + bcc + `,"subject":"s","body":"b"}`
	}
	for _, c := range []struct{ tool, args, want string }{
		{"query_order", `{"order_id":"A1001"}`, "allow"},
		{"query_user", `{"user_id":"u_002"}`, "allow"},
		{"get_weather", `{"city":"Berlin"}`, "allow"},
		{"cancel_order", `{"order_id":"A1001"}`, "ask ask-cancel role:approver"},
		{"refund", `{"order_id":"A1006","amount":"19.90"}`, "ask by risk"},
		{"refund", `{"order_id":"A1006","amount":"100.00"}`, "ask by risk"},
		{"refund", `{"order_id":"A1001","amount":"100.01"}`, "ask ask-big-refund role:finance"},
		{"refund", `{"order_id":"A1001","amount":"250.00"}`, "ask ask-big-refund role:finance"},
		// What the schema would refuse must not slip under the limit either.
		{"refund", `{"order_id":"A1001","amount":"0250.00"}`, "ask ask-big-refund role:finance"},
		{"refund", `{"order_id":"A1001","amount":" 19.90"}`, "ask ask-big-refund role:finance"},
		{"refund", `{"order_id":"A1001","amount":"19.90\n250.00"}`, "ask ask-big-refund role:finance"},
		{"refund", `{"order_id":"A1001","amount":19.9}`, "ask ask-big-refund role:finance"},
		{"refund", `{"order_id":"A1001"}`, "ask ask-big-refund role:finance"},
		{"delete_user", `{"user_id":"u_001","confirm":true}`, "deny deny-delete-user POLICY_DENIED"},
		{"delete_user", `{"user_id":"u_001","confirm":"true"}`, "deny deny-delete-user POLICY_DENIED"},
		{"delete_user", `{"user_id":"u_001"}`, "deny deny-delete-user POLICY_DENIED"},
		{"delete_user", `{"user_id":"u_001","confirm":false}`, "deny  PERMISSION_DENIED"},
		{"batch_delete_orders", `{"order_ids":["A1003","A1009"]}`, "ask ask-batch-delete role:approver"},
		{"send_email", `{"to":["customer1@example.com"],"subject":"s","body":"b"}`, "ask by risk"},
		{"send_email", mail(`["a@example.com"]`, `[]`, `[]`), "ask by risk"},
		{"send_email", mail(`["a@example.com"]`, `["b@example.org"]`, `["c@EXAMPLE.com"]`), "ask by risk"},
		{"send_email", mail(`["a@example.net"]`, `[]`, `[]`), "deny deny-mail-outside POLICY_DENIED"},
		{"send_email", mail(`["a@example.com","b@example.net"]`, `[]`, `[]`), "deny deny-mail-outside POLICY_DENIED"},
		{"send_email", mail(`["a@example.com"]`, `["b@example.net"]`, `[]`), "deny deny-mail-outside POLICY_DENIED"},
		{"send_email", mail(`["a@example.com"]`, `[]`, `["b@example.net"]`), "deny deny-mail-outside POLICY_DENIED"},
		{"send_email", mail(`["a@example.com"]`, `null`, `[]`), "deny deny-mail-outside POLICY_DENIED"},
		{"send_email", mail(`[]`, `[]`, `[]`), "deny deny-mail-outside POLICY_DENIED"},
		{"send_email", mail(`"a@example.net"`, `[]`, `[]`), "deny deny-mail-outside POLICY_DENIED"},
		{"send_email", mail(`["a@example.com\r\nBcc: b@example.net"]`, `[]`, `[]`), "deny deny-mail-outside POLICY_DENIED"},
		{"send_email", mail(`["<b@example.net> a@example.com"]`, `[]`, `[]`), "deny deny-mail-outside POLICY_DENIED"},
		{"execute_shell", `{"command":"ls"}`, "allow"},
		{"execute_shell", `{"command":"cat notes.txt","workdir":"/scratch/reports"}`, "allow"},
		{"execute_shell", `{"command":"echo hello, world"}`, "allow"},
		{"execute_shell", `{"command":"ls","workdir":"/etc"}`, "deny deny-shell-outside-scratch POLICY_DENIED"},
		{"execute_shell", `{"command":"ls","workdir":"/scratch/../etc"}`, "deny deny-shell-outside-scratch POLICY_DENIED"},
		{"execute_shell", `{"command":"ls","workdir":5}`, "deny deny-shell-delete POLICY_DENIED"},
		{"execute_shell", `{"command":"rm -rf /home/prod/data"}`, "deny deny-shell-delete POLICY_DENIED"},
		{"execute_shell", `{"command":"ls\nrm notes.txt"}`, "deny deny-shell-delete POLICY_DENIED"},
		{"execute_shell", `{"command":"true; rm notes.txt"}`, "deny deny-shell-delete POLICY_DENIED"},
		{"execute_shell", `{"command":["rm","a"]}`, "deny deny-shell-delete POLICY_DENIED"},
		{"execute_shell", `{"command":"curl example.com"}`, "deny  POLICY_DENIED"},
		{"execute_shell", `{"command":"ls\n"}`, "deny  POLICY_DENIED"},
		{"execute_shell", `{"command":"ls\u00a0x"}`, "deny  POLICY_DENIED"},
		{"execute_shell", `{"command":"cat -- notes.txt"}`, "deny  POLICY_DENIED"},
		{"execute_shell", `{"command":"r\\m notes.txt"}`, "deny deny-shell-delete POLICY_DENIED"},
		{"execute_shell", `{"command":"echo a;b"}`, "deny  POLICY_DENIED"},
		{"execute_shell", `{"command":"echo a\nid"}`, "deny  POLICY_DENIED"},
		{"execute_shell", "{\"command\":\"echo `id`\"}", "deny  POLICY_DENIED"},
		{"execute_shell", `{"command":"echo ~ * {a,b}"}`, "deny  POLICY_DENIED"},
		{"execute_shell", `{"command":"find . -delete"}`, "deny deny-shell-delete POLICY_DENIED"},
		{"execute_shell", `{"command":"cat .bashrc"}`, "deny  POLICY_DENIED"},
	} {
		if got := decide(t, cfg, cat, set, "orders/"+c.tool, c.args, nil); got != c.want {
			t.Errorf("%s %s\n got %q\nwant %q", c.tool, c.args, got, c.want)
		}
	}
	const batch, denied = "orders/batch_delete_orders", "deny deny-batch-delete-in-prod POLICY_DENIED"
	for name, env := range map[string]map[string]string{"production": {"stage": "prod"}, "an unknown place": {}} {
		if got := decide(t, cfg, cat, set, batch, `{"order_ids":["A1003"]}`, env); got != denied {
			t.Errorf("in %s: got %q, want %q", name, got, denied)
		}
	}
}

// A sixth command within a minute is one too many, in whatever session.
func TestPolicyLimitsTheShell(t *testing.T) {
	t.Parallel()
	cfg, cat, set := gateFiles(t)
	req := request(t, cfg, cat, "orders/execute_shell", `{"command":"ls"}`)
	limits := set.Decide(req).Limits
	if len(limits) != 1 || limits[0].Rule != "limit-shell" || limits[0].Max != 5 || limits[0].Per != time.Minute {
		t.Fatalf("limits: %+v", limits)
	}
	for count, want := range map[int]string{4: "allow", 5: "deny limit-shell RATE_LIMITED"} {
		req.Usage = []toolverdict.Usage{{Key: limits[0].Key, Count: count, Oldest: at().Add(-time.Second)}}
		if got := verdict(req, set); got != want {
			t.Errorf("after %d commands: got %q, want %q", count, got, want)
		}
	}
	req.Session, req.Usage = "another", nil
	if other := set.Decide(req).Limits; len(other) != 1 || other[0].Key != limits[0].Key {
		t.Errorf("another session counts apart: %+v, %+v", other, limits)
	}
}

// decide gives the verdict on a call, the rule, and who must approve or the code
// of the refusal.
func decide(t *testing.T, cfg *config.Config, cat *catalog.Catalog, set *policy.Set, name, arguments string, env map[string]string) string {
	t.Helper()
	req := request(t, cfg, cat, name, arguments)
	if env != nil {
		req.Environment = env
	}
	return verdict(req, set)
}

// request is a call of the agent of the configuration.
func request(t *testing.T, cfg *config.Config, cat *catalog.Catalog, name, arguments string) toolverdict.Request {
	t.Helper()
	tool, ok := cat.Tool(name)
	if !ok {
		t.Fatalf("%s is not in the catalog", name)
	}
	v, err := canon.Parse([]byte(arguments), canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	s := cfg.Subjects[0]
	agent := toolverdict.Subject{
		ID: s.ID, Kind: toolverdict.SubjectKind(s.Kind), User: s.User, Agent: s.Agent, Roles: s.Roles, Permissions: s.Permissions,
	}
	return toolverdict.Request{Tool: tool, Arguments: v, Subject: agent, Environment: cfg.Env, Session: "s", At: at(), Effects: effect.Effects(tool, v, cfg.Env)}
}

// verdict says in words what the policy and the tool's own demands come to.
func verdict(req toolverdict.Request, set *policy.Set) string {
	d := toolverdict.Demand(req.Tool, req.Subject, set.Decide(req))
	switch d.Verdict {
	case toolverdict.Allow:
		return "allow"
	case toolverdict.Ask:
		var who []string
		for _, a := range d.Asks {
			who = append(who, a.Approvers...)
		}
		if d.Rule == "" && len(who) == 0 {
			return "ask by risk"
		}
		return "ask " + d.Rule + " " + strings.Join(who, " ")
	case toolverdict.Deny:
	}
	return "deny " + d.Rule + " " + string(d.Code)
}
