// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package metrics_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/metrics"
)

var update = flag.Bool("update", false, "write the golden page anew")

// store takes what is written, or does not.
type store struct {
	tv.Store

	err error
}

func (s *store) Commit(context.Context, tv.Changes) error { return s.err }

// rig is a meter with what it asks.
type rig struct {
	t       *testing.T
	meter   *metrics.Meter
	under   *store
	store   tv.Store
	policy  metrics.Policy
	pending int
	rules   []metrics.Rule
	err     error
	logs    strings.Builder
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, under: &store{}}
	var err error
	r.meter, err = metrics.New(metrics.Config{
		Policy:  func(context.Context) (metrics.Policy, error) { return r.policy, r.err },
		Pending: func(context.Context) (int, error) { return r.pending, r.err },
		Rules:   func(context.Context) ([]metrics.Rule, error) { return r.rules, r.err },
		Log:     slog.New(slog.NewTextHandler(&r.logs, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	r.store = r.meter.Count(r.under)
	return r
}

func (r *rig) write(c tv.Changes) {
	r.t.Helper()
	if err := r.store.Commit(r.t.Context(), c); !errors.Is(err, r.under.err) {
		r.t.Fatalf("commit: %v, want %v", err, r.under.err)
	}
}

func (r *rig) decided(records ...tv.Record) { r.write(tv.Changes{Records: records}) }

func (r *rig) page() string {
	r.t.Helper()
	w := httptest.NewRecorder()
	r.meter.Page().ServeHTTP(w, httptest.NewRequestWithContext(r.t.Context(), http.MethodGet, "/metrics", nil))
	if w.Code != http.StatusOK {
		r.t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	return w.Body.String()
}

func (r *rig) series() int {
	n := 0
	for line := range strings.Lines(r.page()) {
		if !strings.HasPrefix(line, "#") {
			n++
		}
	}
	return n
}

// TestPage holds names, labels, types and figures: dashboards and alerts depend
// on them.
func TestPage(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.policy = metrics.Policy{
		Version: "v7", Hash: "abc", Source: "files and bundle prod 7", Mode: "enforce",
		Since: time.Unix(1_800_000_000, 500_000_000), Failed: true, Failures: 3,
	}
	r.pending = 2
	r.rules = []metrics.Rule{
		{Rule: "refund-large", Ended: 120, Answered: 118, Rate: 0.975, Median: 4500 * time.Millisecond, Noise: true},
		{Ended: 3, Rate: 0}, {Rule: "new"}, {Rule: "new", Ended: 9},
	}
	r.decided(
		tv.Record{Kind: tv.RecordDecision, Verdict: "allow", Door: tv.DoorHTTP, Took: 20 * time.Microsecond},
		tv.Record{Kind: tv.RecordDecision, Verdict: "deny", Code: tv.PolicyDenied, Door: tv.DoorMCPHTTP, Took: 2 * time.Millisecond},
		tv.Record{Kind: tv.RecordDecision, Verdict: "deny", Code: tv.UnknownTool, Door: tv.DoorMCPStdio},
		tv.Record{Kind: tv.RecordAdmin}, tv.Record{Kind: tv.RecordReplay, Verdict: "allow"}, tv.Record{Kind: tv.RecordApproval},
	)
	r.decided(tv.Record{Kind: tv.RecordDecision, Verdict: "ask", Code: tv.ConfirmationRequired, Door: tv.DoorHTTP, Took: time.Microsecond})
	for _, c := range []struct {
		record tv.Record
		state  tv.PastState
	}{
		{tv.Record{}, tv.PastSucceeded},
		{tv.Record{Claim: tv.ClaimSucceeded}, tv.PastSucceeded},
		{tv.Record{Claim: tv.ClaimFailed, Code: tv.ToolError}, tv.PastFailed},
		{tv.Record{Code: tv.ToolError}, tv.PastAttempted},
		{tv.Record{Claim: tv.ClaimPaused}, 0},
		{tv.Record{}, 0}, // a tool that only reads has no claim
		{tv.Record{Claim: tv.ClaimUnknown}, 0},
		{tv.Record{Claim: tv.ClaimFailed, Code: tv.ToolTimeout}, 0}, // of one that only reads
	} {
		c.record.Kind = tv.RecordOutcome
		changes := tv.Changes{Records: []tv.Record{c.record}}
		if c.state != 0 {
			changes.Settled = []tv.Settled{{State: c.state}}
		}
		r.write(changes)
	}
	r.under.err = errors.New("disk full")
	r.decided(tv.Record{Kind: tv.RecordDecision, Verdict: "allow", Door: tv.DoorHTTP})
	r.under.err = &tv.ConflictError{What: "limit"}
	r.decided(tv.Record{Kind: tv.RecordDecision, Verdict: "allow", Door: tv.DoorHTTP})

	got := r.page()
	if *update {
		if err := os.WriteFile("testdata/page.golden", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/page.golden")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the page changed (-want +got): names are a promise; if it is meant, run with -update\n%s", diff)
	}
}

// TestBounded: whatever agents, servers and callers write into a record, the
// number of series stays what it was.
func TestBounded(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	hostile := func(i int) tv.Record {
		text := fmt.Sprintf("tool-%d\"} 1\n# HELP \x00\xff", i)
		return tv.Record{
			Kind: tv.RecordDecision, Verdict: "deny" + text, Code: tv.Code(text), Door: tv.Door(text), Tool: text, Run: text, Session: text,
			Subject: text, User: text, Agent: text, Model: text, Rule: text, Detail: text, Arguments: []byte(text), Took: time.Duration(i),
		}
	}
	r.decided(hostile(0))
	r.write(tv.Changes{Records: []tv.Record{{Kind: tv.RecordOutcome, Tool: "x"}}})
	before := r.series()
	for i := range 10_000 {
		d := hostile(i)
		d.Kind = []tv.RecordKind{tv.RecordDecision, tv.RecordOutcome, tv.RecordKind(d.Tool)}[i%3]
		r.decided(d)
	}
	if after := r.series(); after != before {
		t.Errorf("%d series, %d before", after, before)
	}
	if page := r.page(); strings.Contains(page, "tool-") || !strings.Contains(page, `toolverdict_decisions_total{door="other",reason="other",verdict="other"} 3335`) {
		t.Errorf("the page: %s", page)
	}
	// Every word that there is, in every combination.
	for _, v := range []string{"allow", "ask", "deny", "none"} {
		for _, code := range append(tv.Codes(), "", "NEW") {
			for _, door := range []tv.Door{tv.DoorLibrary, tv.DoorMCPStdio, tv.DoorMCPHTTP, tv.DoorHTTP, "new"} {
				r.decided(tv.Record{Kind: tv.RecordDecision, Verdict: v, Code: code, Door: door})
			}
		}
	}
	if n := strings.Count(r.page(), "\ntoolverdict_decisions_total{"); n != 4*(len(tv.Codes())+2)*5 {
		t.Errorf("%d series of decisions", n)
	}
}

// TestPolicyChanges: an earlier policy leaves nothing behind, and what its
// author wrote cannot break the page.
func TestPolicyChanges(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for i := range 100 {
		r.policy.Version = fmt.Sprintf("v%d\"\n\xff\x1b[31m", i)
		if n := strings.Count(r.page(), "\ntoolverdict_policy_revision_info{"); n != 1 {
			t.Fatalf("%d policies in force", n)
		}
	}
	if page := r.page(); !strings.Contains(page, `version="v99\""`) {
		t.Errorf("the page: %s", page)
	}
}

// TestRulesAreBounded: rules come and go with the years.
func TestRulesAreBounded(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for i := range 1000 {
		r.rules = append(r.rules, metrics.Rule{Rule: fmt.Sprintf("r%d\"\n\x1b[31m", i), Ended: 1, Answered: 1})
	}
	if n := strings.Count(r.page(), "\ntoolverdict_rule_approvals_ended{"); n != 100 {
		t.Errorf("%d rules", n)
	}
}

// TestUnread: what cannot be read is left out, and never shown as 0.
func TestUnread(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.err = errors.New("the disk is gone")
	page := r.page()
	for _, name := range []string{"toolverdict_approvals_pending", "toolverdict_policy_", "toolverdict_rule_"} {
		if strings.Contains(page, name) {
			t.Errorf("%s is shown:\n%s", name, page)
		}
	}
	if !strings.Contains(page, "toolverdict_executions_total") || strings.Count(r.logs.String(), "the disk is gone") != 3 {
		t.Errorf("page and log:\n%s\n%s", page, r.logs.String())
	}
	if _, err := metrics.New(metrics.Config{}); err == nil {
		t.Error("made a meter of nothing")
	}
}
