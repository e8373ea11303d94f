// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package view_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/internal/console/view"
)

func TestEarlierCalls(t *testing.T) {
	t.Parallel()
	list := []tv.Record{ // the newest first
		{Kind: tv.RecordDecision, CallID: "this", Session: "s", Verdict: "ask", Approval: "this"},
		{Kind: tv.RecordOutcome, CallID: "run", Session: "s", Approval: "yes"},
		{Kind: tv.RecordDecision, CallID: "run", Session: "s", Verdict: "allow", Approval: "yes", Tool: "a\u202eb"},
		{Kind: tv.RecordApproval, CallID: "", Session: "s", Approval: "yes"},
		{Kind: tv.RecordDecision, CallID: "asked", Session: "s", Verdict: "ask", Approval: "yes"},
		{Kind: tv.RecordDecision, CallID: "no", Session: "other", Verdict: "deny", Code: tv.PolicyDenied},
		{Kind: tv.RecordOutcome, CallID: "broke", Session: "s", Code: tv.ToolError},
		{Kind: tv.RecordDecision, CallID: "broke", Session: "s", Verdict: "allow"},
		{Kind: tv.RecordOutcome, CallID: "lost", Session: "s", Claim: tv.ClaimUnknown},
		{Kind: tv.RecordDecision, CallID: "lost", Session: "s", Verdict: "allow"},
		{Kind: tv.RecordDecision, CallID: "sent", Session: "s", Verdict: "allow"},
		{Kind: tv.RecordDecision, CallID: "waits", Session: "s", Verdict: "ask", Approval: "open"},
	}
	var records []audit.Numbered
	for _, r := range list {
		records = append(records, audit.Numbered{Record: r})
	}
	of := &tv.Approval{ID: "this", Card: tv.Card{Session: "s"}}
	for kind, want := range map[string]struct {
		all    int
		counts []view.Count
		last   []string
	}{
		"caller":  {6, []view.Count{{"ran", 1}, {"failed", 1}, {"unknown", 2}, {"denied", 1}, {"asked", 1}}, []string{"run ran", "no denied"}},
		"session": {5, []view.Count{{"ran", 1}, {"failed", 1}, {"unknown", 2}, {"asked", 1}}, []string{"run ran", "broke failed"}},
	} {
		got := view.NewEarlier(kind, records, of, 2)
		var last []string
		for _, c := range got.Calls {
			last = append(last, c.ID+" "+c.Ended)
		}
		if got.All != want.all {
			t.Errorf("%s: %d calls", kind, got.All)
		}
		if diff := cmp.Diff(want.counts, got.Counts) + cmp.Diff(want.last, last); diff != "" {
			t.Errorf("%s:\n%s", kind, diff)
		}
		if got.Calls[0].Tool != `a\u{202E}b` {
			t.Errorf("the tool is shown as %q", got.Calls[0].Tool)
		}
	}
	if diff := cmp.Diff([]string{"yes"}, view.Approvals(records, "a\u202eb", 9)); diff != "" {
		t.Error(diff)
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	at := time.Unix(5, 0)
	for name, c := range map[string]struct {
		before, now string
		want        []view.Changed
		more        int
	}{
		"the same":         {`{"a":1,"b":[1]}`, `{"b":[1],"a":1}`, nil, 0},
		"another value":    {`{"a":"10.00","b":"x"}`, `{"a":"900.00","b":"x"}`, []view.Changed{{"a", "10.00", "900.00"}}, 0},
		"added, and gone":  {`{"a":1}`, `{"b":2}`, []view.Changed{{"a", "1", ""}, {"b", "", "2"}}, 0},
		"deeper":           {`{"to":["x","y"]}`, `{"to":["x","z"]}`, []view.Changed{{"to › 2", "y", "z"}}, 0},
		"another length":   {`{"to":["x"]}`, `{"to":["x","z"]}`, []view.Changed{{"to", `["x"]`, `["x","z"]`}}, 0},
		"another type":     {`{"a":"1"}`, `{"a":1}`, []view.Changed{{"a", `"1"`, "1"}}, 0},
		"blank":            {`{"a":" "}`, `{"a":""}`, []view.Changed{{"a", `" "`, `""`}}, 0},
		"hidden character": {`{"a":"x"}`, `{"a":"x\u200b"}`, []view.Changed{{"a", "x", `x\u{200B}`}}, 0},
		"no JSON":          {`{"a"`, `{}`, nil, 1},
	} {
		before := &tv.Approval{ID: "old", State: tv.ApprovalDone, Card: tv.Card{Arguments: json.RawMessage(`{}`), Whole: json.RawMessage(c.before)},
			Votes: []tv.Vote{{By: tv.Subject{ID: "ada"}, Approved: true, At: at}, {By: tv.Subject{ID: "bob"}}}}
		now := &tv.Approval{Card: tv.Card{Arguments: json.RawMessage(c.now)}}
		want := view.Comparison{ID: "old", By: []string{"ada"}, At: at, State: tv.ApprovalDone, Changes: c.want, More: c.more}
		if diff := cmp.Diff(want, view.Compare(now, before)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

func TestALongComparisonIsCut(t *testing.T) {
	t.Parallel()
	a, b := map[string]int{}, map[string]int{}
	for i := range 40 {
		a[string(rune('A'+i))], b[string(rune('A'+i))] = i, i+1
	}
	before, _ := json.Marshal(a)
	now, _ := json.Marshal(b)
	got := view.Compare(&tv.Approval{Card: tv.Card{Whole: now}}, &tv.Approval{Card: tv.Card{Whole: before}})
	if len(got.Changes) != 16 || got.More != 24 {
		t.Errorf("%d places are listed, and %d more", len(got.Changes), got.More)
	}
}
