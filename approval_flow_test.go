// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/gatetest"
)

func cancelTool() *tv.Tool { return gatetest.Tool("cancel", gatetest.Destructive) }

func TestApprovedCallRunsOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, gatetest.Always(tv.Ask), []*tv.Tool{cancelTool()}, nil)
	asked := r.do(call("cancel", `{"id":"A1"}`))
	r.want(asked, tv.ConfirmationRequired)
	r.wantRuns(0)

	p := call("cancel", `{"id":"A1"}`)
	p.Confirmation = r.approve(asked)
	r.want(r.do(p), "")
	r.wantRuns(1)

	r.want(r.do(p), tv.ConfirmationInvalid) // the id is spent
	again := r.do(call("cancel", `{"id":"A1"}`))
	r.want(again, "")
	if !again.Replayed || again.StateChanged != tv.Unchanged {
		t.Errorf("a repeat without the id must be a replay, got %+v", again)
	}
	r.wantRuns(1)
	want := "decision:ask(CONFIRMATION_REQUIRED)/waiting approval:approved decision:allow/dispatched outcome/succeeded " +
		"decision:deny(CONFIRMATION_INVALID) replay/succeeded"
	if got := r.story(); got != want {
		t.Errorf("records\ngot  %s\nwant %s", got, want)
	}
}

func TestSameCallAgainRunsTheStoredCallOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, gatetest.Always(tv.Ask), []*tv.Tool{cancelTool()}, nil)
	first := r.do(call("cancel", `{"id":"A1","n":1.0}`))
	second := r.do(call("cancel", `{ "n":1, "id":"\u00411" }`)) // the same call, spelt otherwise
	if first.Confirmation.ID != second.Confirmation.ID {
		t.Fatal("a repeat opened a second approval")
	}
	r.approve(first)
	r.want(r.do(call("cancel", `{"n":1,"id":"A1"}`)), "")
	if got := r.exec.Ran()[0].Arguments; got != `{"id":"A1","n":1.0}` {
		t.Errorf("ran %s, want the bytes that were approved", got)
	}
}

func TestConfirmationsThatDoNotCount(t *testing.T) {
	t.Parallel()
	type step func(r *rig, id string, p *tv.Proposal)
	for name, c := range map[string]struct {
		do   step
		want tv.Code
	}{
		"invented": {func(_ *rig, _ string, p *tv.Proposal) { p.Confirmation = "id-999" }, tv.ConfirmationInvalid},
		"another subject's": {func(r *rig, id string, p *tv.Proposal) {
			r.approveID(id)
			p.Subject = other
		}, tv.ConfirmationInvalid},
		"another agent of the same user": {func(r *rig, id string, p *tv.Proposal) {
			r.approveID(id)
			p.Subject.Agent = "helper"
		}, tv.ConfirmationInvalid},
		"pending":                   {func(*rig, string, *tv.Proposal) {}, tv.ConfirmationRequired},
		"expired while pending":     {func(r *rig, _ string, _ *tv.Proposal) { r.clock.Pass(16 * time.Minute) }, tv.ConfirmationInvalid},
		"expired after approval":    {func(r *rig, id string, _ *tv.Proposal) { r.approveID(id); r.clock.Pass(21 * time.Minute) }, tv.ConfirmationInvalid},
		"rejected":                  {func(r *rig, id string, _ *tv.Proposal) { r.mustDesk(r.desk.Reject, approver, id) }, tv.ConfirmationInvalid},
		"cancelled by its caller":   {func(r *rig, id string, _ *tv.Proposal) { r.mustDesk(r.desk.Cancel, caller, id) }, tv.ConfirmationInvalid},
		"revoked after approval":    {func(r *rig, id string, _ *tv.Proposal) { r.approveID(id); r.mustDesk(r.desk.Revoke, approver, id) }, tv.ConfirmationInvalid},
		"one byte of the arguments": {func(r *rig, id string, p *tv.Proposal) { r.approveID(id); p.Arguments = []byte(`{"id":"A2"}`) }, tv.ConfirmationRequired},
		"another environment": {func(r *rig, id string, p *tv.Proposal) {
			r.approveID(id)
			p.Environment = map[string]string{"stage": "prod"}
		}, tv.ConfirmationRequired},
		"another tool definition": {func(r *rig, id string, _ *tv.Proposal) {
			r.approveID(id)
			r.snaps.Swap(gatetest.Catalog{gatetest.Tool("cancel", func(d *tv.Definition) { d.Safety, d.Impact = tv.Destructive, "other" })}, gatetest.Always(tv.Ask))
		}, tv.ConfirmationRequired},
		"another policy that asks": {func(r *rig, id string, _ *tv.Proposal) {
			r.approveID(id)
			p := gatetest.Always(tv.Ask)
			p.Name = "second"
			r.snaps.Swap(r.snaps.Current().Catalog, p)
		}, tv.ConfirmationRequired},
		"a policy that denies now": {func(r *rig, id string, _ *tv.Proposal) {
			r.approveID(id)
			r.snaps.Swap(r.snaps.Current().Catalog, gatetest.Always(tv.Deny))
		}, tv.PolicyDenied},
		"a tool that is gone": {func(r *rig, id string, _ *tv.Proposal) {
			r.approveID(id)
			r.snaps.Swap(gatetest.Catalog{}, gatetest.Always(tv.Ask))
		}, tv.UnknownTool},
		"a run that is read-only now": {func(r *rig, id string, p *tv.Proposal) { r.approveID(id); p.Run.ReadOnly = true }, tv.ToolNotAllowed},
		"a permission lost":           {func(r *rig, id string, p *tv.Proposal) { r.approveID(id); p.Subject.Permissions = nil }, tv.PermissionDenied},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := gatetest.Tool("cancel", func(d *tv.Definition) { d.Safety, d.Permission = tv.Destructive, "p.cancel" })
			r := newRig(t, gatetest.Always(tv.Ask), []*tv.Tool{tool}, nil)
			id := r.do(call("cancel", `{"id":"A1"}`)).Confirmation.ID
			p := call("cancel", `{"id":"A1"}`)
			p.Confirmation = id
			c.do(r, id, &p)
			res := r.do(p)
			r.want(res, c.want)
			r.wantRuns(0)
			if c.want == tv.ConfirmationRequired && name != "pending" && res.Confirmation.ID == id {
				t.Error("the old approval was offered for a call it is not for")
			}
			recs := r.records()
			if last := recs[len(recs)-1]; last.Code != c.want {
				t.Errorf("the refusal left no record: last is %+v", last)
			}
		})
	}
}

func (r *rig) approveID(id string) { r.mustDesk(r.desk.Approve, approver, id) }

func (r *rig) mustDesk(f func(context.Context, tv.Subject, string, string) (tv.Approval, error), by tv.Subject, id string) {
	r.t.Helper()
	if _, err := f(context.Background(), by, id, "because"); err != nil {
		r.t.Fatal(err)
	}
}

func TestManyResumesAreOneDispatch(t *testing.T) {
	t.Parallel()
	r := newRig(t, gatetest.Always(tv.Ask), []*tv.Tool{cancelTool()}, nil)
	p := call("cancel", `{"id":"A1"}`)
	p.Confirmation = r.approve(r.do(p))
	var wg sync.WaitGroup
	counts := map[tv.Code]int{}
	var mu sync.Mutex
	for range 50 {
		wg.Go(func() {
			res, err := r.Do(context.Background(), p)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			counts[code(res)]++
			mu.Unlock()
		})
	}
	wg.Wait()
	r.wantRuns(1)
	if counts[""] != 1 || counts[tv.ConfirmationInvalid]+counts[tv.InProgress] != 49 {
		t.Errorf("answers: %v", counts)
	}
	if recs := r.records(); len(recs) < 2+2+49 {
		t.Errorf("only %d records for 50 attempts", len(recs))
	}
}

func TestHeldCallFinishesWhenApproved(t *testing.T) {
	t.Parallel()
	r := newRig(t, gatetest.Always(tv.Ask), []*tv.Tool{cancelTool()}, nil)
	p := call("cancel", `{"id":"A1"}`)
	p.Wait = time.Minute
	done := make(chan tv.Result, 1)
	go func() {
		res, _ := r.Do(context.Background(), p)
		done <- res
	}()
	for {
		open, err := r.store.Approvals(context.Background(), tv.ApprovalQuery{State: tv.ApprovalPending})
		if err != nil {
			t.Fatal(err)
		}
		if len(open) == 1 {
			r.approveID(open[0].ID)
			break
		}
	}
	r.want(<-done, "")
	r.wantRuns(1)
}

func TestRejectionTellsTheReasonAndHolds(t *testing.T) {
	t.Parallel()
	r := newRig(t, gatetest.Always(tv.Ask), []*tv.Tool{cancelTool()}, nil)
	asked := r.do(call("cancel", `{"id":"A1"}`))
	r.mustDesk(r.desk.Reject, approver, asked.Confirmation.ID)
	res := r.do(call("cancel", `{"id":"A1"}`))
	r.want(res, tv.ConfirmationInvalid)
	if want := "The confirmation was rejected. The reason given: because"; res.Error.Message != want {
		t.Errorf("got %q", res.Error.Message)
	}
	r.clock.Pass(16 * time.Minute)
	nameless := call("cancel", `{"id":"A1"}`)
	nameless.Session = ""
	r.want(r.do(nameless), tv.ConfirmationRequired) // asked anew, later
}

// In one run, or one session, a no stays a no, also under another key; in
// another run it is another question.
func TestARejectedCallIsNotAskedAgainInItsRun(t *testing.T) {
	t.Parallel()
	inRun := func(run, session, key string) tv.Proposal {
		p := call("cancel", `{"id":"A1"}`)
		p.Run.ID, p.Session, p.IdempotencyKey = run, session, key
		return p
	}
	for name, c := range map[string]struct{ asked, same, other tv.Proposal }{
		"run":     {inRun("r-1", "s-1", ""), inRun("r-1", "s-2", ""), inRun("r-2", "s-1", "")},
		"session": {inRun("", "s-1", ""), inRun("", "s-1", ""), inRun("", "s-2", "")},
		"key":     {inRun("r-1", "", "k-1"), inRun("r-1", "", "k-2"), inRun("r-2", "", "k-3")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, gatetest.Always(tv.Ask), []*tv.Tool{cancelTool()}, nil)
			r.mustDesk(r.desk.Reject, approver, r.do(c.asked).Confirmation.ID)
			for range 3 {
				res := r.do(c.same)
				r.want(res, tv.ConfirmationInvalid)
				if want := "The confirmation was rejected. The reason given: because"; res.Error.Message != want {
					t.Errorf("got %q", res.Error.Message)
				}
				r.clock.Pass(7 * time.Hour)
			}
			r.want(r.do(c.other), tv.ConfirmationRequired)
			r.clock.Pass(7 * time.Hour) // a day is over
			r.want(r.do(c.same), tv.ConfirmationRequired)
			r.wantRuns(0)
		})
	}
}

// One run has five questions open at a time, however it numbers its calls; a
// repeat joins one of them, and an answer makes room.
func TestOneRunCannotFloodPeople(t *testing.T) {
	t.Parallel()
	r := newRig(t, gatetest.Always(tv.Ask), []*tv.Tool{cancelTool()}, nil)
	ask := func(i int, edit func(*tv.Proposal)) tv.Result {
		p := call("cancel", fmt.Sprintf(`{"id":"A%d"}`, i))
		p.Run.ID = "r-1"
		if edit != nil {
			edit(&p)
		}
		return r.do(p)
	}
	var wg sync.WaitGroup
	var asked, refused atomic.Int64
	for i := range 40 {
		wg.Go(func() {
			switch res := ask(i, nil); code(res) {
			case tv.ConfirmationRequired:
				asked.Add(1)
			case tv.RateLimited:
				refused.Add(1)
			default:
				t.Errorf("got %+v", res.Error)
			}
		})
	}
	wg.Wait()
	if asked.Load() != 5 || refused.Load() != 35 {
		t.Fatalf("%d asked, %d refused", asked.Load(), refused.Load())
	}
	open, err := r.store.Approvals(context.Background(), tv.ApprovalQuery{State: tv.ApprovalPending})
	if err != nil || len(open) != 5 {
		t.Fatalf("%d open, %v", len(open), err)
	}
	repeat := func(p *tv.Proposal) { p.Arguments = open[0].Call.Arguments }
	r.want(ask(0, repeat), tv.ConfirmationRequired)
	r.want(ask(100, func(p *tv.Proposal) { p.Session, p.IdempotencyKey = "s-2", "k" }), tv.RateLimited)
	r.want(ask(100, func(p *tv.Proposal) { p.Run.ID = "r-2" }), tv.ConfirmationRequired)
	r.want(ask(100, func(p *tv.Proposal) { p.Subject = other }), tv.ConfirmationRequired)
	if _, err := r.Edit(context.Background(), approver, open[1].ID, []byte(`{"id":"changed"}`), ""); err != nil {
		t.Errorf("a full run keeps a question from being changed: %v", err)
	}
	r.want(ask(101, nil), tv.RateLimited)
	r.mustDesk(r.desk.Approve, approver, open[2].ID)
	r.want(ask(101, nil), tv.ConfirmationRequired)
	r.want(ask(102, nil), tv.RateLimited)
	r.clock.Pass(15 * time.Minute) // all of them expired
	r.want(ask(102, nil), tv.ConfirmationRequired)
}

func TestResumeByIDAloneRunsTheStoredCall(t *testing.T) {
	t.Parallel()
	r := newRig(t, gatetest.Always(tv.Ask), []*tv.Tool{cancelTool()}, nil)
	id := r.approve(r.do(call("cancel", `{"id":"A1"}`)))
	r.want(r.do(tv.Proposal{Door: tv.DoorHTTP, Confirmation: id, Subject: caller}), "")
	if got := r.exec.Ran()[0].Arguments; got != `{"id":"A1"}` {
		t.Errorf("ran %s", got)
	}
	r.want(r.do(tv.Proposal{Door: tv.DoorHTTP, Confirmation: id, Subject: other}), tv.ConfirmationInvalid)
}

func TestLostAnswerIsUnknownAndNeverRetried(t *testing.T) {
	t.Parallel()
	r := newRig(t, gatetest.Always(tv.Ask), []*tv.Tool{cancelTool()}, nil)
	r.exec.Func = func(context.Context, tv.Permit) tv.Outcome { return tv.Outcome{} }
	p := call("cancel", `{"id":"A1"}`)
	p.Confirmation = r.approve(r.do(p))
	res := r.do(p)
	r.want(res, tv.OutcomeUnknown)
	if res.StateChanged != tv.MaybeChange {
		t.Errorf("stateChanged = %q", res.StateChanged)
	}
	r.want(r.do(p), tv.OutcomeUnknown)
	r.want(r.do(call("cancel", `{"id":"A1"}`)), tv.OutcomeUnknown)
	r.clock.Pass(100 * 24 * time.Hour)
	r.want(r.do(call("cancel", `{"id":"A1"}`)), tv.OutcomeUnknown)
	r.wantRuns(1)

	key := r.exec.Ran()[0].Key
	if err := r.book.Settle(context.Background(), approver, key, tv.ClaimFailed, "the order is still open"); err != nil {
		t.Fatal(err)
	}
	r.want(r.do(call("cancel", `{"id":"A1"}`)), tv.ConfirmationRequired)
}

func TestProcessThatDiedLeavesUnknown(t *testing.T) {
	t.Parallel()
	r := newRig(t, gatetest.Always(tv.Allow), []*tv.Tool{gatetest.Tool("pay", func(d *tv.Definition) {
		d.Safety, d.Idempotency.Key = tv.Destructive, []string{"/id"}
	})}, nil)
	if _, res, err := r.Check(context.Background(), call("pay", `{"id":"A1"}`)); err != nil || !res.Success {
		t.Fatal(res, err)
	}
	r.want(r.do(call("pay", `{"id":"A1"}`)), tv.InProgress)
	r.store.Lose("node-1")
	if n, err := r.book.Recover(context.Background()); n != 1 || err != nil {
		t.Fatalf("recovered %d, %v", n, err)
	}
	r.want(r.do(call("pay", `{"id":"A1"}`)), tv.OutcomeUnknown)
	r.wantRuns(0)
}

func TestPausedCallGoesOnUnderItsApproval(t *testing.T) {
	t.Parallel()
	r := newRig(t, gatetest.Always(tv.Ask), []*tv.Tool{cancelTool()}, nil)
	legs := 0
	r.exec.Func = func(context.Context, tv.Permit) tv.Outcome {
		if legs++; legs == 1 {
			return tv.Outcome{Status: tv.Paused, Content: json.RawMessage(`{"needs":"more"}`)}
		}
		return tv.Outcome{Status: tv.Succeeded}
	}
	p := call("cancel", `{"id":"A1"}`)
	p.Confirmation = r.approve(r.do(p))
	paused := r.do(p)
	if !paused.Success || !paused.Paused || paused.Resume == "" {
		t.Fatalf("got %+v", paused)
	}
	next := call("cancel", `{"id":"A1"}`)
	next.Continues = paused.Resume

	stranger := next
	stranger.Subject = other
	r.want(r.do(stranger), tv.ConfirmationInvalid)
	changed := next
	changed.Arguments = []byte(`{"id":"A2"}`)
	r.want(r.do(changed), tv.ConfirmationInvalid)
	r.wantRuns(1)

	r.want(r.do(next), "")
	r.want(r.do(next), tv.ConfirmationInvalid)
	r.wantRuns(2)
}

func TestMissingBusinessKeyIsNotAnyKey(t *testing.T) {
	t.Parallel()
	r := newRig(t, gatetest.Always(tv.Allow), []*tv.Tool{gatetest.Tool("pay", func(d *tv.Definition) {
		d.Safety, d.Idempotency.Key = tv.Destructive, []string{"/id"}
	})}, nil)
	r.want(r.do(call("pay", `{"to":"a"}`)), "")
	other := r.do(call("pay", `{"to":"b"}`))
	r.want(other, "")
	if other.Replayed {
		t.Error("two calls without the key were taken for one")
	}
	r.wantRuns(2)
	if again := r.do(call("pay", `{"to":"b"}`)); !again.Replayed {
		t.Error("the very same call ran twice")
	}
}

func TestBusinessKeyWithOtherArgumentsIsRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t, gatetest.Always(tv.Allow), []*tv.Tool{gatetest.Tool("pay", func(d *tv.Definition) {
		d.Safety, d.Idempotency.Key = tv.Destructive, []string{"/id"}
	})}, nil)
	r.want(r.do(call("pay", `{"id":"A1","amount":1}`)), "")
	r.want(r.do(call("pay", `{"id":"A1","amount":2}`)), tv.InvalidInput)
	r.clock.Pass(16 * time.Minute)
	r.want(r.do(call("pay", `{"id":"A1","amount":2}`)), "")
	r.wantRuns(2)
	mine, yours := call("pay", `{"id":"A9"}`), call("pay", `{"id":"A9"}`)
	yours.Subject = other
	r.want(r.do(mine), "")
	if got := r.do(yours); got.Replayed {
		t.Error("another caller was given the stored result")
	}
}

// An amount that is written in another way is the same amount: a refund is not
// paid twice for being spelt anew.
func TestBusinessKeyReadsAmounts(t *testing.T) {
	t.Parallel()
	pay := gatetest.Tool("pay", func(d *tv.Definition) {
		d.Safety, d.Idempotency.Key = tv.Destructive, []string{"/id", "/amount"}
		d.Roles = map[string]tv.Role{"/amount": {Kind: tv.RoleMoney}}
	})
	fifty := []string{"50"}
	amounts := map[string][]string{"50": fifty, "50.00": fifty, "+50": fifty, "50 EUR": fifty, "50.01": {"50.01"}, "1,500": {"1.5", "1500"}, "1.500": {"1.5", "1500"}}
	r := newRig(t, gatetest.Always(tv.Allow), []*tv.Tool{pay}, func(c *tv.Config) {
		c.Analyser = gatetest.Analyser(func(_ *tv.Tool, arguments tv.Value) tv.Analysis {
			amount, _ := arguments.Pointer("/amount")
			found := tv.Analysis{Effects: []tv.Effect{{Kind: tv.EffectSend, Source: "/to"}}}
			for _, said := range amounts[strings.Trim(amount.RawText(), `"`)] {
				found.Effects = append(found.Effects, tv.Effect{Kind: tv.EffectSpend, Source: "/amount", Amount: said})
			}
			return found
		})
	})
	r.want(r.do(call("pay", `{"id":"A1","amount":50}`)), "")
	for _, again := range []string{`"50"`, `"50.00"`, `"+50"`, `"50 EUR"`} {
		if got := r.do(call("pay", `{"id":"A1","amount":`+again+`}`)); !got.Replayed && code(got) != tv.InvalidInput {
			t.Errorf("%s after 50: %+v", again, got)
		}
	}
	r.wantRuns(1)
	r.want(r.do(call("pay", `{"id":"A1","amount":"50.01"}`)), "")
	r.want(r.do(call("pay", `{"id":"A1","amount":"1,500"}`)), "") // may be two amounts
	r.want(r.do(call("pay", `{"id":"A1","amount":"1.500"}`)), "")
	r.wantRuns(4)
}
