// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/gatetest"
)

// world drives one gate through a random history of calls, answers, crashes and
// passing time, and keeps what an observer outside the gate saw.
type world struct {
	*rig
	ids  []string         // confirmations ever offered
	next tv.OutcomeStatus // what the tool will answer
}

func newWorld(tb testing.TB) *world {
	tb.Helper()
	w := &world{}
	w.rig = newRig(tb, gatetest.Always(tv.Ask), []*tv.Tool{cancelTool()}, nil)
	w.exec.Func = func(context.Context, tv.Permit) tv.Outcome { return tv.Outcome{Status: w.next} }
	return w
}

var arguments = []string{`{"id":"A1"}`, `{"id":"A2"}`}

func (w *world) call(t *rapid.T) {
	args := rapid.SampledFrom(arguments).Draw(t, "arguments")
	p := call("cancel", args)
	if rapid.Bool().Draw(t, "other caller") {
		p.Subject = other
	}
	if len(w.ids) > 0 && rapid.Bool().Draw(t, "with a confirmation") {
		p.Confirmation = rapid.SampledFrom(w.ids).Draw(t, "confirmation")
	}
	w.next = rapid.SampledFrom([]tv.OutcomeStatus{tv.Succeeded, tv.Failed, tv.Unknown, tv.NotSent}).Draw(t, "outcome")
	if rapid.IntRange(0, 4).Draw(t, "crash") == 0 {
		if _, _, err := w.Check(context.Background(), p); err != nil {
			t.Fatal(err)
		}
		return
	}
	res, err := w.Do(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if res.Confirmation != nil && code(res) == tv.ConfirmationRequired {
		w.ids = append(w.ids, res.Confirmation.ID)
	}
}

func (w *world) answer(t *rapid.T) {
	if len(w.ids) == 0 {
		return
	}
	id := rapid.SampledFrom(w.ids).Draw(t, "approval")
	by := rapid.SampledFrom([]tv.Subject{approver, caller, other}).Draw(t, "by")
	act := rapid.SampledFrom([]func(context.Context, tv.Subject, string, string) (tv.Approval, error){
		w.desk.Approve, w.desk.Approve, w.desk.Approve, w.desk.Reject, w.desk.Cancel, w.desk.Revoke,
	}).Draw(t, "act")
	_, _ = act(context.Background(), by, id, "")
}

func (w *world) pass(t *rapid.T) {
	w.clock.Pass(time.Duration(rapid.IntRange(1, 20).Draw(t, "minutes")) * time.Minute)
	if _, err := w.desk.Sweep(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func (w *world) recover(t *rapid.T) {
	if _, err := w.book.Recover(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// check reads the log as an auditor would.
func (w *world) check(t *rapid.T) {
	approved := map[string]time.Time{}
	intents := map[string]int{}
	open := map[string]string{} // ledger key → state of its last intent
	for _, r := range w.records() {
		switch {
		case r.Kind == tv.RecordApproval && r.ApprovalState == tv.ApprovalApproved:
			if r.Subject != approver.ID {
				t.Fatalf("approved by %q", r.Subject)
			}
			approved[r.Approval] = r.At
		case r.Kind == tv.RecordApproval:
			delete(approved, r.Approval)
		case r.Kind == tv.RecordDecision && r.Verdict == "allow":
			at, ok := approved[r.Approval]
			if !ok || r.At.Sub(at) > 20*time.Minute {
				t.Fatalf("dispatched without a live approval: %+v", r)
			}
			if intents[r.Approval]++; intents[r.Approval] > 1 {
				t.Fatalf("approval %s was dispatched on twice", r.Approval)
			}
			if s := open[r.Key]; s == "dispatched" || s == "unknown" {
				t.Fatalf("key %s was dispatched again while it was %s", r.Key, s)
			}
			open[r.Key] = "dispatched"
		case r.Kind == tv.RecordOutcome:
			open[r.Key] = string(r.Claim)
		}
	}
	if ran := len(w.exec.Ran()); ran > len(intents) {
		t.Fatalf("%d dispatches with %d recorded intents", ran, len(intents))
	}
}

// TestAnyHistoryKeepsTheInvariants holds invariants 1, 8 and 9 over random
// histories with approvals, rejections, crashes and lost answers.
func TestAnyHistoryKeepsTheInvariants(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t)
		rt.Repeat(map[string]func(*rapid.T){
			"call": w.call, "answer": w.answer, "pass": w.pass, "recover": w.recover, "": w.check,
		})
	})
}

// TestDenyIsNeverLoosened holds invariant 4 for what the definition adds to a
// policy: Demand only tightens.
func TestDenyIsNeverLoosened(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		verdict := rapid.SampledFrom([]tv.Verdict{tv.Deny, tv.Ask, tv.Allow}).Draw(rt, "verdict")
		risk := rapid.SampledFrom([]tv.Risk{tv.LowRisk, tv.MediumRisk, tv.HighRisk}).Draw(rt, "risk")
		confirmation := rapid.SampledFrom([]tv.Confirmation{tv.ConfirmByRisk, tv.ConfirmAlways, tv.ConfirmNever}).Draw(rt, "confirmation")
		holds := rapid.Bool().Draw(rt, "holds the permission")
		tool := gatetest.Tool("x", func(d *tv.Definition) { d.Risk, d.Confirmation, d.Permission = risk, confirmation, "p.x" })
		s := tv.Subject{ID: "a"}
		if holds {
			s.Permissions = []string{"p.x"}
		}
		got := tv.Demand(tool, s, gatetest.Says(verdict)).Verdict
		if got > verdict {
			rt.Fatalf("%v became %v", verdict, got)
		}
		if got != tv.Deny && !holds {
			rt.Fatalf("%v without the permission", got)
		}
		asks := confirmation == tv.ConfirmAlways || confirmation == tv.ConfirmByRisk && risk == tv.HighRisk
		if got == tv.Allow && asks {
			rt.Fatal("allowed what must be asked")
		}
	})
}

// TestSameCallSameDecision holds invariant 6: two gates that know nothing of
// each other decide the same call the same, byte for byte.
func TestSameCallSameDecision(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		verdict := rapid.SampledFrom([]tv.Verdict{tv.Deny, tv.Ask, tv.Allow}).Draw(rt, "verdict")
		args := fmt.Sprintf(`{"id":%d}`, rapid.Int().Draw(rt, "id"))
		var got [2]string
		for i := range got {
			r := newRig(t, gatetest.Always(verdict), []*tv.Tool{cancelTool()}, nil)
			p := call("cancel", args)
			if i == 1 {
				p.Door, p.ID = tv.DoorHTTP, "another door"
			}
			res := r.do(p)
			got[i] = fmt.Sprintf("%+v %v", res.Decision, code(res))
		}
		if got[0] != got[1] {
			rt.Fatalf("%s\n%s", got[0], got[1])
		}
	})
}
