// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict_test

import (
	"context"
	"encoding/json"
	"testing"

	tv "github.com/toolverdict/toolverdict"
)

// collect comes for what became of a call, by the id of its confirmation.
func (r *rig) collect(by tv.Subject, id string) tv.Result {
	r.t.Helper()
	res, err := r.Collect(context.Background(), tv.Proposal{Door: tv.DoorMCPHTTP, Subject: by, Confirmation: id})
	if err != nil {
		r.t.Fatal(err)
	}
	return res
}

// TestCollect answers from the ledger, as often as its caller comes, and runs
// nothing.
func TestCollect(t *testing.T) {
	t.Parallel()
	r, id := asking(t, nil)
	before := len(r.records())
	for range 3 { // too early: nothing to tell, nothing to write down
		early := r.collect(caller, id)
		r.want(early, tv.ConfirmationRequired)
	}
	if n := len(r.records()); n != before {
		t.Errorf("%d records of those who came too early", n-before)
	}
	stranger := caller
	stranger.Agent = "another"
	r.want(r.collect(stranger, id), tv.ConfirmationInvalid)
	r.want(r.collect(caller, "made-up"), tv.ConfirmationInvalid)
	r.mustDesk(r.desk.Approve, approver, id)
	r.want(r.collect(caller, id), tv.ConfirmationRequired)
	r.wantRuns(0)
	ran := r.do(tv.Proposal{Door: tv.DoorHTTP, Confirmation: id, Subject: caller})
	r.want(ran, "")
	for range 2 {
		got := r.collect(caller, id)
		r.want(got, "")
		if !got.Replayed || string(got.Content) != string(ran.Content) || got.CallID != ran.CallID {
			t.Errorf("got %+v, want %+v", got, ran)
		}
	}
	r.want(r.collect(stranger, id), tv.ConfirmationInvalid)
	r.wantRuns(1)
}

// TestCollectWhatWentWrong tells a failure, a lost answer and a no apart.
func TestCollectWhatWentWrong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		outcome tv.Outcome
		want    tv.Code
	}{
		"failed": {tv.Outcome{Status: tv.Failed, Content: json.RawMessage(`{"isError":true}`), Message: "no such order"}, tv.ToolError},
		"lost":   {tv.Outcome{Status: tv.Unknown}, tv.OutcomeUnknown},
	} {
		r, id := asking(t, func(c2 *tv.Config) { c2.Executor = gives{c.outcome} })
		r.mustDesk(r.desk.Approve, approver, id)
		first := r.do(tv.Proposal{Door: tv.DoorHTTP, Confirmation: id, Subject: caller})
		r.want(first, c.want)
		got := r.collect(caller, id)
		r.want(got, c.want)
		if string(got.Content) != string(first.Content) {
			t.Errorf("%s: %s, want %s", name, got.Content, first.Content)
		}
	}
	r, id := asking(t, nil)
	r.mustDesk(r.desk.Reject, approver, id)
	r.want(r.collect(caller, id), tv.ConfirmationInvalid)

	changed, old := asking(t, nil)
	next := changed.edit(old, `{"id":"A2","n":1}`)
	changed.mustDesk(changed.desk.Approve, second, next.ID)
	changed.want(changed.do(tv.Proposal{Door: tv.DoorHTTP, Confirmation: old, Subject: caller}), "")
	got := changed.collect(caller, old)
	changed.want(got, "")
	wantEdited(t, got)
}

// gives is an executor with one outcome.
type gives struct{ outcome tv.Outcome }

// Execute implements [tv.Executor].
func (g gives) Execute(_ context.Context, p tv.Permit) tv.Outcome {
	if !p.Valid() {
		return tv.Outcome{Status: tv.NotSent}
	}
	return g.outcome
}
