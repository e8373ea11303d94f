// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package daemon_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// metrics reads the page as the owner of a key, "" for nobody.
func (g *gate) metrics(as string) (status int, page string) {
	g.lab.t.Helper()
	r, err := http.NewRequestWithContext(g.lab.t.Context(), http.MethodGet, g.url+"/metrics", nil)
	if err != nil {
		g.lab.t.Fatal(err)
	}
	if as != "" {
		key, err := os.ReadFile(filepath.Join(g.lab.dir, "data", "keys", as))
		if err != nil {
			g.lab.t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(key)))
	}
	resp, err := tester.Do(r)
	if err != nil {
		g.lab.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		g.lab.t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// TestMetrics is the story of a gate as a monitor sees it: calls, approvals that
// wait and end, and an update of the policy that is refused.
func TestMetrics(t *testing.T) {
	t.Parallel()
	up := newUpstream(t, true, "echo", "cancel")
	l := newLab(t, at(up.url, ", pin: first-sight"), map[string]string{
		"catalog.yaml": "tools:\n  up/echo: {risk: low}\n  up/cancel: {risk: low}\n",
		"policy.yaml": "policy: all\nversion: v1\nrules:\n  - {id: echo, verdict: allow, reason: The test says so, tools: up/echo}\n" +
			"  - {id: cancel, verdict: ask, reason: The test says so, tools: up/cancel}\n",
	})
	var late atomic.Int64
	l.clock = func() time.Time { return time.Now().Add(time.Duration(late.Load())) }
	g := l.open()
	g.Settle(t.Context())
	wants := func(as string, lines ...string) {
		t.Helper()
		status, page := g.metrics(as)
		if status != http.StatusOK {
			t.Fatalf("%d %s", status, page)
		}
		for _, line := range lines {
			if !strings.Contains(page, line+"\n") {
				t.Errorf("%q is missing in:\n%s", line, page)
			}
		}
	}
	decision := g.call("agent", "up/echo", `{}`).Decision
	inForce := fmt.Sprintf(`toolverdict_policy_revision_info{hash=%q,mode="enforce",source="files",version=%q} 1`, decision.PolicyHash, decision.PolicyVersion)
	g.call("agent", "up/cancel", `{}`)
	for i := range 5 {
		g.call("agent", fmt.Sprintf("up/no-%d", i), `{}`)
	}
	wants("boss",
		`toolverdict_decisions_total{door="http",reason="none",verdict="allow"} 1`,
		`toolverdict_decisions_total{door="http",reason="CONFIRMATION_REQUIRED",verdict="ask"} 1`,
		`toolverdict_decisions_total{door="http",reason="UNKNOWN_TOOL",verdict="deny"} 5`,
		`toolverdict_executions_total{outcome="succeeded"} 1`,
		`toolverdict_approvals_pending 1`,
		inForce, `toolverdict_policy_last_load_error 0`, `toolverdict_policy_load_failures_total 0`, `toolverdict_record_failures_total 0`)
	if _, page := g.metrics("boss"); strings.Contains(page, "no-") || strings.Contains(page, "up/") {
		t.Errorf("the page names tools:\n%s", page)
	}
	for as, want := range map[string]int{"": http.StatusUnauthorized, "agent": http.StatusForbidden} {
		if status, _ := g.metrics(as); status != want {
			t.Errorf("%q: %d, want %d", as, status, want)
		}
	}
	l.write("policy.yaml", "policy: [")
	if err := g.Reload(t.Context()); err == nil {
		t.Fatal("took a policy that cannot be read")
	}
	wants("boss", `toolverdict_policy_last_load_error 1`, inForce)
	if _, page := g.metrics("boss"); strings.Contains(page, "toolverdict_policy_load_failures_total 0") {
		t.Error("the refused update is not counted")
	}
	late.Store(int64(time.Hour))
	wants("boss", `toolverdict_approvals_pending 0`, `toolverdict_rule_approvals_ended{rule="cancel"} 1`, `toolverdict_rule_approval_ratio{rule="cancel"} 0`)
}

// TestMetricsAreAChoice: the configuration says whether there is a page, and
// whether it is open.
func TestMetricsAreAChoice(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]int{"keys": http.StatusUnauthorized, "open": http.StatusOK, "none": http.StatusNotFound} {
		l := newLab(t, at("http://127.0.0.1:1/mcp", ""), nil)
		conf, err := os.ReadFile(filepath.Join(l.dir, "toolverdict.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		l.write("toolverdict.yaml", string(conf)+"metrics: "+word+"\n")
		if status, page := l.open().metrics(""); status != want {
			t.Errorf("%s: %d, want %d\n%s", word, status, want, page)
		}
	}
}
