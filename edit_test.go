// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
	"github.com/toolverdict/toolverdict/gatetest"
)

var second = tv.Subject{ID: "deputy", Kind: tv.Person, Roles: []string{"approver"}}

// asking is a gate that asks about everything, and one question.
func asking(t *testing.T, bend func(*tv.Config)) (*rig, string) {
	t.Helper()
	r := newRig(t, gatetest.Always(tv.Ask), []*tv.Tool{cancelTool()}, bend)
	asked := r.do(call("cancel", `{"id":"A1","n":1}`))
	r.want(asked, tv.ConfirmationRequired)
	return r, asked.Confirmation.ID
}

func (r *rig) edit(id, args string) tv.Approval {
	r.t.Helper()
	a, err := r.Edit(context.Background(), approver, id, []byte(args), "not that one")
	if err != nil {
		r.t.Fatal(err)
	}
	return a
}

func (r *rig) wantRan(args ...string) {
	r.t.Helper()
	var got []string
	for _, run := range r.exec.Ran() {
		got = append(got, run.Arguments)
	}
	if diff := cmp.Diff(args, got); diff != "" {
		r.t.Fatal(diff)
	}
}

func wantEdited(t *testing.T, res tv.Result) {
	t.Helper()
	want := &tv.Edited{By: "boss", Reason: "not that one", Changes: []tv.Change{{Path: "/id", Before: json.RawMessage(`"A1"`), After: json.RawMessage(`"A2"`)}}}
	if diff := cmp.Diff(want, res.Edited); diff != "" {
		t.Errorf("the caller is not told what was changed: %s", diff)
	}
}

// Whoever comes for the old question is led to the new one: the changed call is
// what runs, once, and the caller is told.
func TestAChangedCallIsWhatRuns(t *testing.T) {
	t.Parallel()
	for name, come := range map[string]func(id, next string) tv.Proposal{
		"by the old id": func(id, _ string) tv.Proposal {
			return tv.Proposal{Door: tv.DoorHTTP, Confirmation: id, Subject: caller}
		},
		"by the new id": func(_, next string) tv.Proposal {
			return tv.Proposal{Door: tv.DoorHTTP, Confirmation: next, Subject: caller}
		},
		"by repeating it": func(string, string) tv.Proposal { return call("cancel", `{"n":1.0,"id":"A1"}`) },
		"by repeating it with the old id": func(id, _ string) tv.Proposal {
			p := call("cancel", `{"id":"A1","n":1}`)
			p.Confirmation = id
			return p
		},
		"by repeating it with the new id": func(_, next string) tv.Proposal {
			p := call("cancel", `{"id":"A1","n":1}`)
			p.Confirmation = next
			return p
		},
		"by making the changed call": func(string, string) tv.Proposal { return call("cancel", `{"id":"A2","n":1}`) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, id := asking(t, nil)
			next := r.edit(id, `{"id":"A2","n":1}`)
			if next.State != tv.ApprovalPending || next.Replaces != id || !cmp.Equal(next.Editors, []string{"boss"}) {
				t.Fatalf("%+v", next)
			}
			p := come(id, next.ID)
			early := r.do(p)
			r.want(early, tv.ConfirmationRequired)
			if early.Confirmation.ID != next.ID {
				t.Errorf("the caller waits on %s, want %s", early.Confirmation.ID, next.ID)
			}
			wantEdited(t, early)
			if _, err := r.desk.Approve(context.Background(), approver, id, ""); !errors.Is(err, approval.ErrDecided) {
				t.Errorf("the old question was approved: %v", err)
			}
			if _, err := r.desk.Approve(context.Background(), approver, next.ID, ""); !errors.Is(err, approval.ErrNotEligible) {
				t.Errorf("the editor approved: %v", err)
			}
			r.wantRuns(0)
			r.mustDesk(r.desk.Approve, second, next.ID)
			res := r.do(p)
			r.want(res, "")
			wantEdited(t, res)
			r.wantRan(`{"id":"A2","n":1}`)

			again := r.do(call("cancel", `{"id":"A1","n":1}`))
			r.want(again, "")
			if !again.Replayed {
				t.Error("a repeat of what was asked is not answered from what was done")
			}
			wantEdited(t, again)
			r.want(r.do(call("cancel", `{"id":"A2","n":1}`)), "")
			spent := call("cancel", `{"id":"A1","n":1}`)
			spent.Confirmation = id
			r.want(r.do(spent), tv.ConfirmationInvalid)
			r.wantRuns(1)
			r.clock.Pass(16 * time.Minute) // another act
			late := r.do(call("cancel", `{"id":"A1","n":1}`))
			r.want(late, tv.ConfirmationRequired)
			if late.Confirmation.ID == next.ID || late.Edited != nil {
				t.Errorf("a new act is led to an old change: %+v", late)
			}
		})
	}
}

// A call that is held follows as many changes as there may be.
func TestAHeldCallFollowsChanges(t *testing.T) {
	t.Parallel()
	r := newRig(t, gatetest.Always(tv.Ask), []*tv.Tool{cancelTool()}, nil)
	p := call("cancel", `{"id":"A1"}`)
	p.Wait = time.Minute
	done := make(chan tv.Result, 1)
	go func() {
		res, _ := r.Do(context.Background(), p)
		done <- res
	}()
	id := r.pending("")
	for _, to := range []string{"A2", "A3", "A4", "A5", "A6"} {
		id = r.edit(id, `{"id":"`+to+`"}`).ID
	}
	if _, err := r.Edit(context.Background(), approver, id, []byte(`{"id":"A7"}`), ""); !isRefusal(err, tv.InvalidInput) {
		t.Errorf("there is no end to it: %v", err)
	}
	r.mustDesk(r.desk.Approve, second, id)
	res := <-done
	r.want(res, "")
	r.wantRan(`{"id":"A6"}`)
	if res.Edited == nil || string(res.Edited.Changes[0].Before) != `"A1"` || string(res.Edited.Changes[0].After) != `"A6"` {
		t.Errorf("%+v", res.Edited)
	}
}

// pending waits for a question other than this one.
func (r *rig) pending(but string) string {
	r.t.Helper()
	for {
		open, err := r.store.Approvals(context.Background(), tv.ApprovalQuery{State: tv.ApprovalPending})
		if err != nil {
			r.t.Fatal(err)
		}
		if len(open) == 1 && open[0].ID != but {
			return open[0].ID
		}
	}
}

func isRefusal(err error, code tv.Code) bool {
	r, ok := errors.AsType[*tv.Refusal](err)
	return ok && r.Code == code
}

// What may not be changed, and by whom; the question stays as it is.
func TestChangesThatAreRefused(t *testing.T) {
	t.Parallel()
	denies := gatetest.Policy{Name: "p", Func: func(r tv.Request) tv.Decision {
		if id, _ := r.Arguments.Get("id"); id.Text() == "forbidden" {
			return gatetest.Says(tv.Deny)
		}
		return gatetest.Says(tv.Ask)
	}}
	is := func(code tv.Code) func(error) bool { return func(err error) bool { return isRefusal(err, code) } }
	was := func(want error) func(error) bool { return func(err error) bool { return errors.Is(err, want) } }
	for name, c := range map[string]struct {
		by     tv.Subject
		args   string
		before func(r *rig, id string)
		want   func(error) bool
	}{
		"denied by a rule":     {approver, `{"id":"forbidden"}`, nil, is(tv.PolicyDenied)},
		"not the tool's input": {approver, `{"id":7}`, nil, is(tv.InvalidInput)},
		"not strict JSON":      {approver, `{"id":"A2","id":"A3"}`, nil, is(tv.MalformedCall)},
		"no change":            {approver, `{ "id" : "A1", "n":1.0 }`, nil, is(tv.InvalidInput)},
		"a call that waits already": {approver, `{"id":"A9"}`, func(r *rig, _ string) {
			r.want(r.do(call("cancel", `{"id":"A9"}`)), tv.ConfirmationRequired)
		}, is(tv.InvalidInput)},
		"a call that was made already": {approver, `{"id":"A9"}`, func(r *rig, _ string) {
			p := call("cancel", `{"id":"A9"}`)
			p.Confirmation = r.approve(r.do(p))
			r.want(r.do(p), "")
		}, is(tv.InvalidInput)},
		"a call that was rejected": {approver, `{"id":"A9"}`, func(r *rig, _ string) {
			r.mustDesk(r.desk.Reject, second, r.do(call("cancel", `{"id":"A9"}`)).Confirmation.ID)
		}, is(tv.InvalidInput)},
		"by the one who asks":     {caller, `{"id":"A2"}`, nil, was(approval.ErrNotEligible)},
		"by a stranger":           {other, `{"id":"A2"}`, nil, was(tv.ErrNotFound)},
		"by a viewer":             {tv.Subject{ID: "viewer", Kind: tv.Person}, `{"id":"A2"}`, nil, was(tv.ErrNotFound)},
		"by the person it is for": {tv.Subject{ID: "user-1", Kind: tv.Person, Roles: []string{"approver"}}, `{"id":"A2"}`, nil, was(approval.ErrNotEligible)},
		"approved already":        {approver, `{"id":"A2"}`, func(r *rig, id string) { r.approveID(id) }, was(approval.ErrDecided)},
		"rejected already":        {approver, `{"id":"A2"}`, func(r *rig, id string) { r.mustDesk(r.desk.Reject, second, id) }, was(approval.ErrDecided)},
		"expired":                 {approver, `{"id":"A2"}`, func(r *rig, _ string) { r.clock.Pass(15 * time.Minute) }, was(approval.ErrDecided)},
		"a tool that is gone": {approver, `{"id":"A2"}`, func(r *rig, _ string) {
			r.snaps.Swap(gatetest.Catalog{}, denies)
		}, is(tv.UnknownTool)},
		"a policy that denies now": {approver, `{"id":"A2"}`, func(r *rig, _ string) {
			r.snaps.Swap(r.snaps.Current().Catalog, gatetest.Always(tv.Deny))
		}, is(tv.PolicyDenied)},
		"an approval that does not exist": {approver, `{"id":"A2"}`, nil, was(tv.ErrNotFound)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool, err := tv.NewTool(cancelTool().Definition(), textID{})
			if err != nil {
				t.Fatal(err)
			}
			r := newRig(t, denies, []*tv.Tool{tool}, nil)
			id := r.do(call("cancel", `{"id":"A1","n":1}`)).Confirmation.ID
			if c.before != nil {
				c.before(r, id)
			}
			if strings.HasSuffix(name, "does not exist") {
				id = "id-999"
			}
			before, _ := r.store.Approval(context.Background(), id)
			if _, err := r.Edit(context.Background(), c.by, id, []byte(c.args), ""); !c.want(err) {
				t.Fatalf("got %v", err)
			}
			after, _ := r.store.Approval(context.Background(), id)
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("the question is another one: %s", diff)
			}
		})
	}
}

// textID wants id to be text.
type textID struct{ gatetest.AnySchema }

func (textID) Validate(v tv.Value) []tv.FieldError {
	if id, ok := v.Get("id"); ok && id.Text() == "" {
		return []tv.FieldError{{Path: "/id", Message: "must be text"}}
	}
	return nil
}

// A call that no rule would ask about after the change is asked about all the
// same, of the same people.
func TestAChangeCannotSkipTheQuestion(t *testing.T) {
	t.Parallel()
	p := gatetest.Policy{Name: "p", Func: func(r tv.Request) tv.Decision {
		if id, _ := r.Arguments.Get("id"); id.Text() == "A1" {
			return gatetest.Says(tv.Ask)
		}
		return gatetest.Says(tv.Allow)
	}}
	r := newRig(t, p, []*tv.Tool{cancelTool()}, nil)
	id := r.do(call("cancel", `{"id":"A1"}`)).Confirmation.ID
	next := r.edit(id, `{"id":"A2"}`)
	old, err := r.store.Approval(context.Background(), id)
	if err != nil || !cmp.Equal(old.Requirements, next.Requirements) {
		t.Errorf("asked of %+v, %v", next.Requirements, err)
	}
	byID := tv.Proposal{Door: tv.DoorHTTP, Confirmation: id, Subject: caller}
	r.want(r.do(byID), tv.ConfirmationRequired)
	r.want(r.do(call("cancel", `{"id":"A1"}`)), tv.ConfirmationRequired)
	withID := call("cancel", `{"id":"A2"}`)
	withID.Confirmation = next.ID
	r.want(r.do(withID), tv.ConfirmationRequired)
	r.wantRuns(0)

	// Nor can a policy that is loaded meanwhile, and asks nobody.
	r.snaps.Swap(r.snaps.Current().Catalog, gatetest.Always(tv.Allow))
	moved := r.do(byID)
	r.want(moved, tv.ConfirmationRequired)
	r.wantRuns(0)
	if moved.Confirmation.ID == next.ID {
		t.Error("an approval of another policy is offered")
	}
	if _, err := r.desk.Approve(context.Background(), approver, moved.Confirmation.ID, ""); !errors.Is(err, approval.ErrNotEligible) {
		t.Errorf("the editor approved the same call in another guise: %v", err)
	}
	r.mustDesk(r.desk.Approve, second, moved.Confirmation.ID)
	res := r.do(tv.Proposal{Door: tv.DoorHTTP, Confirmation: moved.Confirmation.ID, Subject: caller})
	r.want(res, "")
	wantEdited(t, res)
	r.wantRan(`{"id":"A2"}`)
}

// The rule may let the editor approve; then one person is enough, and says so.
func TestEditorMayApproveWhereTheRuleSaysSo(t *testing.T) {
	t.Parallel()
	p := gatetest.Policy{Name: "p", Func: func(tv.Request) tv.Decision {
		d := gatetest.Says(tv.Ask)
		d.Asks[0].EditorMayApprove = true
		return d
	}}
	r := newRig(t, p, []*tv.Tool{cancelTool()}, nil)
	next := r.edit(r.do(call("cancel", `{"id":"A1"}`)).Confirmation.ID, `{"id":"A2"}`)
	r.mustDesk(r.desk.Approve, approver, next.ID)
	r.want(r.do(call("cancel", `{"id":"A1"}`)), "")
	r.wantRan(`{"id":"A2"}`)
}

// Keys that the caller or the tool chose name the same act after a change.
func TestChangesKeepTheActsKey(t *testing.T) {
	t.Parallel()
	byKey := gatetest.Tool("pay", func(d *tv.Definition) { d.Safety, d.Idempotency.Key = tv.Destructive, []string{"/id"} })
	for name, c := range map[string]struct {
		tool *tv.Tool
		key  string
	}{"the tool's": {byKey, ""}, "the caller's": {gatetest.Tool("pay", gatetest.Destructive), "k-1"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, gatetest.Always(tv.Ask), []*tv.Tool{c.tool}, nil)
			p := call("pay", `{"id":"A1","amount":5}`)
			p.IdempotencyKey = c.key
			next := r.edit(r.do(p).Confirmation.ID, `{"id":"A1","amount":4}`)
			waiting := r.do(p)
			r.want(waiting, tv.ConfirmationRequired)
			if waiting.Confirmation.ID != next.ID {
				t.Fatal("a second question was opened")
			}
			r.mustDesk(r.desk.Approve, second, next.ID)
			r.want(r.do(p), "")
			again := r.do(p)
			r.want(again, "")
			if !again.Replayed || again.Edited == nil {
				t.Errorf("%+v", again)
			}
			other := p
			other.Arguments = []byte(`{"id":"A1","amount":3}`)
			r.want(r.do(other), tv.InvalidInput)
			r.wantRan(`{"id":"A1","amount":4}`)
		})
	}
}

// A paused call goes on as it was changed, and a call of which a part ran is not
// changed any more.
func TestChangedCallThatPauses(t *testing.T) {
	t.Parallel()
	r, id := asking(t, nil)
	legs := 0
	r.exec.Func = func(context.Context, tv.Permit) tv.Outcome {
		if legs++; legs == 1 {
			return tv.Outcome{Status: tv.Paused, Content: json.RawMessage(`{"needs":"more"}`)}
		}
		return tv.Outcome{Status: tv.Succeeded}
	}
	r.mustDesk(r.desk.Approve, second, r.edit(id, `{"id":"A2","n":1}`).ID)
	p := call("cancel", `{"id":"A1","n":1}`)
	paused := r.do(p)
	if !paused.Paused {
		t.Fatalf("%+v", paused)
	}
	wantEdited(t, paused)
	next := p
	next.Continues = paused.Resume
	stranger := next
	stranger.Arguments = []byte(`{"id":"A3","n":1}`)
	r.want(r.do(stranger), tv.ConfirmationInvalid)
	res := r.do(next)
	r.want(res, "")
	wantEdited(t, res)
	r.wantRan(`{"id":"A2","n":1}`, `{"id":"A2","n":1}`)
	r.want(r.do(next), tv.ConfirmationInvalid)
}

func TestAStartedCallIsNotChanged(t *testing.T) {
	t.Parallel()
	asks := false
	p := gatetest.Policy{Name: "p", Func: func(tv.Request) tv.Decision {
		if asks {
			return gatetest.Says(tv.Ask)
		}
		return gatetest.Says(tv.Allow)
	}}
	r := newRig(t, p, []*tv.Tool{cancelTool()}, nil)
	r.exec.Func = func(context.Context, tv.Permit) tv.Outcome {
		return tv.Outcome{Status: tv.Paused, Content: json.RawMessage(`{}`)}
	}
	next := call("cancel", `{"id":"A1"}`)
	next.Continues = r.do(next).Resume
	asks = true
	asked := r.do(next)
	r.want(asked, tv.ConfirmationRequired)
	if _, err := r.Edit(context.Background(), approver, asked.Confirmation.ID, []byte(`{"id":"A2"}`), ""); !isRefusal(err, tv.InvalidInput) {
		t.Errorf("got %v", err)
	}
}

func TestCancelFollowsAChange(t *testing.T) {
	t.Parallel()
	r, id := asking(t, nil)
	next := r.edit(id, `{"id":"A2","n":1}`)
	r.mustDesk(r.desk.Cancel, caller, id)
	if a, err := r.store.Approval(context.Background(), next.ID); err != nil || a.State != tv.ApprovalCancelled {
		t.Errorf("got %s, %v", a.State, err)
	}
}

// Two who change at once, and one who approves: one of them is first.
func TestChangesRace(t *testing.T) {
	t.Parallel()
	r, id := asking(t, nil)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if i%2 == 0 {
				_, _ = r.Edit(context.Background(), approver, id, []byte(`{"id":"B`+string(rune('a'+i))+`"}`), "")
			} else {
				_, _ = r.desk.Approve(context.Background(), second, id, "")
			}
		})
	}
	wg.Wait()
	all, err := r.store.Approvals(context.Background(), tv.ApprovalQuery{})
	if err != nil {
		t.Fatal(err)
	}
	live := 0
	for _, a := range all {
		if a.State == tv.ApprovalPending || a.State == tv.ApprovalApproved {
			live++
		}
	}
	if live != 1 || len(all) > 2 {
		t.Errorf("%d questions, %d live", len(all), live)
	}
}

// Who edits sees placeholders for what is hidden, and leaves them where they are.
func TestHiddenValuesStay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ asked, edited, runs string }{
		"left in place":     {`{"id":"A1","token":"s3cret","n":1}`, `{"id":"A2","token":"[HIDDEN]", "n":1}`, `{"id":"A2","token":"s3cret", "n":1}`},
		"in a list":         {`{"id":["x","s3cret"]}`, `{"id":["y","[HIDDEN]"]}`, `{"id":["y","s3cret"]}`},
		"written anew":      {`{"id":"A1","token":"s3cret"}`, `{"id":"A1","token":"other"}`, `{"id":"A1","token":"other"}`},
		"taken out":         {`{"id":"A1","token":"s3cret"}`, `{"id":"A1"}`, `{"id":"A1"}`},
		"asked for as such": {`{"id":"A1","token":"[HIDDEN]"}`, `{"id":"[HIDDEN]","token":"[HIDDEN]"}`, `{"id":"[HIDDEN]","token":"[HIDDEN]"}`},
		"moved":             {`{"id":"A1","token":"s3cret"}`, `{"id":"[HIDDEN]","token":"x"}`, ""},
		"within a text":     {`{"id":"A1","token":"say s3cret now"}`, `{"id":"A1","token":"say [HIDDEN] later"}`, ""},
		"in a shifted list": {`{"id":["x","s3cret"]}`, `{"id":["[HIDDEN]"]}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, gatetest.Always(tv.Ask), []*tv.Tool{cancelTool()}, func(c *tv.Config) { c.Redactor = gatetest.Redactor{Secret: "s3cret"} })
			id := r.do(call("cancel", c.asked)).Confirmation.ID
			next, err := r.Edit(context.Background(), approver, id, []byte(c.edited), "s3cret")
			if c.runs == "" {
				if !isRefusal(err, tv.InvalidInput) {
					t.Fatalf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if b, err := json.Marshal([]any{next.Edited, next.Card}); err != nil || strings.Contains(string(b), "s3cret") {
				t.Errorf("shows the secret: %s, %v", b, err)
			}
			r.mustDesk(r.desk.Approve, second, next.ID)
			r.want(r.do(call("cancel", c.asked)), "")
			r.wantRan(c.runs)
		})
	}
}

// The log tells who changed what into what, and who was refused.
func TestChangesAreRecorded(t *testing.T) {
	t.Parallel()
	r, id := asking(t, nil)
	if _, err := r.Edit(context.Background(), approver, id, []byte(`{`), ""); err == nil {
		t.Fatal("no JSON was taken")
	}
	next := r.edit(id, `{"id":"A2","n":1}`)
	want := "decision:ask(CONFIRMATION_REQUIRED)/waiting approval:pending(MALFORMED_CALL) approval:cancelled decision:ask(CONFIRMATION_REQUIRED)/waiting"
	if got := r.story(); got != want {
		t.Errorf("records\ngot  %s\nwant %s", got, want)
	}
	recs := r.records()
	if last := recs[len(recs)-1]; last.Approval != next.ID || string(last.Arguments) != `{"id":"A2","n":1}` || last.Subject != caller.ID || !strings.Contains(last.Detail, id) {
		t.Errorf("%+v", last.Record)
	}
	if ended := recs[len(recs)-2]; ended.Subject != "boss" || !strings.Contains(ended.Detail, next.ID) || !strings.Contains(ended.Detail, "not that one") {
		t.Errorf("%+v", ended.Record)
	}
}
