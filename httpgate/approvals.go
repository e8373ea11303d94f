// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/httpgate/internal/web"
	"github.com/toolverdict/toolverdict/ledger"
)

// Approval is an approval as it is shown: the card and the votes, never the
// stored arguments.
type Approval struct {
	ID            string           `json:"id"`
	Code          string           `json:"code"` // the same wherever this approval is shown
	State         tv.ApprovalState `json:"status"`
	Card          tv.Card          `json:"card"`
	Requirements  []tv.Requirement `json:"requirements"`
	Votes         []Vote           `json:"votes,omitempty"`
	Digest        string           `json:"digest"`
	PolicyVersion string           `json:"policyVersion"`
	Created       time.Time        `json:"created"`
	Expires       time.Time        `json:"expires"`
	Replaces      string           `json:"replaces,omitempty"`   // the approval in whose place this one stands
	ReplacedBy    string           `json:"replacedBy,omitempty"` // the one in the place of this one
	Edited        *tv.Edited       `json:"edited,omitempty"`     // what approvers changed in the call
}

// Vote is one answer as it is shown.
type Vote struct {
	By       string    `json:"by"`
	Approved bool      `json:"approved"`
	Reason   string    `json:"reason,omitempty"`
	At       time.Time `json:"at"`
}

func (f *Front) view(a tv.Approval) Approval {
	v := Approval{
		ID: a.ID, Code: a.Code(), State: a.StateAt(f.Now()), Card: a.Card, Requirements: a.Requirements, Digest: a.Digest,
		PolicyVersion: a.PolicyVersion, Created: a.Created, Expires: a.Expires,
		Replaces: a.Replaces, ReplacedBy: a.ReplacedBy, Edited: a.Edited,
	}
	for _, vote := range a.Votes {
		v.Votes = append(v.Votes, Vote{vote.By.ID, vote.Approved, vote.Reason, vote.At})
	}
	return v
}

// approvals lists what concerns the caller.
func (f *Front) approvals(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	in := web.ReadParams(r, "status", "after", "limit")
	q := tv.ApprovalQuery{State: web.Word(in, "status", approvalStates()...), AfterID: in.Text("after"), Limit: in.Number("limit")}
	if in.Refused(w) {
		return
	}
	all, err := f.Reader.List(r.Context(), by, q)
	if err != nil {
		f.fault(err)
		web.Problem(w, http.StatusServiceUnavailable, "The approvals cannot be listed now.")
		return
	}
	views := make([]Approval, len(all))
	for i, a := range all {
		views[i] = f.view(a)
		views[i].Card.Whole = nil // shown with the approval itself
	}
	web.Answer(w, map[string]any{"approvals": views})
}

func approvalStates() []tv.ApprovalState {
	return []tv.ApprovalState{
		tv.ApprovalPending, tv.ApprovalApproved, tv.ApprovalClaimed, tv.ApprovalDone, tv.ApprovalFailed, tv.ApprovalUnknown,
		tv.ApprovalRejected, tv.ApprovalExpired, tv.ApprovalCancelled, tv.ApprovalRevoked,
	}
}

func claimStates() []tv.ClaimState {
	return []tv.ClaimState{
		tv.ClaimWaiting, tv.ClaimDispatched, tv.ClaimSucceeded, tv.ClaimFailed, tv.ClaimPaused, tv.ClaimUnknown,
	}
}

func (f *Front) approval(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	a, err := f.Reader.Get(r.Context(), by, r.PathValue("id"))
	if err != nil {
		f.deskProblem(w, err)
		return
	}
	v := f.view(a)
	if v.Card.Whole != nil { // who decides must be able to see all of it
		v.Card.Arguments, v.Card.Whole = v.Card.Whole, nil
	}
	web.Answer(w, v)
}

// vote makes a handler of one of the desk's answers.
func (f *Front) vote(decide func(ctx context.Context, by tv.Subject, id, reason string) (tv.Approval, error)) web.Handler {
	return func(w http.ResponseWriter, r *http.Request, by tv.Subject) {
		in, ok := f.bodies.Texts(w, r, "reason")
		if !ok {
			return
		}
		reason := in[0]
		a, err := decide(r.Context(), by, r.PathValue("id"), reason)
		if err != nil {
			f.deskProblem(w, err)
			return
		}
		web.Answer(w, f.view(a))
	}
}

// edit changes the arguments of a call that waits. The gate decides the changed
// call; what it refuses stays as it was.
func (f *Front) edit(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	v, ok := f.bodies.Object(w, r, "arguments", "reason")
	if !ok {
		return
	}
	in := &web.Fields{V: v}
	reason := in.Text("reason")
	args, given := v.Get("arguments")
	if in.Err != nil || !given {
		web.Problem(w, http.StatusBadRequest, "Send the changed arguments as the member arguments, and a reason as text.")
		return
	}
	a, err := f.Gate.Edit(r.Context(), by, r.PathValue("id"), args.Raw(), reason)
	if refused, ok := errors.AsType[*tv.Refusal](err); ok {
		web.Problem(w, http.StatusUnprocessableEntity, "The change is refused and the question stands as it is. "+refused.Message+" ("+string(refused.Code)+")")
		return
	}
	if err != nil {
		f.deskProblem(w, err)
		return
	}
	web.Answer(w, f.view(a))
}

func (f *Front) deskProblem(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, tv.ErrNotFound):
		web.Problem(w, http.StatusNotFound, "There is no such approval for this caller.")
	case errors.Is(err, approval.ErrNotEligible):
		web.Problem(w, http.StatusForbidden, "This caller may not decide it: an approver is a person whom the rule names and who did not ask for the call.")
	case errors.Is(err, approval.ErrDecided):
		web.Problem(w, http.StatusConflict, "It is decided already, or this person voted already.")
	case errors.Is(err, approval.ErrNoReason):
		web.Problem(w, http.StatusBadRequest, "A call of high risk is approved with a reason: send one as the member reason, or with --reason.")
	default:
		f.fault(err)
		web.Problem(w, http.StatusServiceUnavailable, "The approval cannot be read or written now.")
	}
}

// officer refuses callers who may not look at what others did.
func officer(w http.ResponseWriter, by tv.Subject) bool {
	if isOfficer(by) {
		return true
	}
	web.Problem(w, http.StatusForbidden, "Only a person with the role auditor, admin or approver may see this.")
	return false
}

func isOfficer(by tv.Subject) bool {
	return by.Kind == tv.Person && (by.HasRole("auditor") || by.HasRole("admin") || by.HasRole("approver"))
}

// ledger lists entries without their stored results and without what would be
// asked about them, but for the tool.
func (f *Front) ledger(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	if !officer(w, by) {
		return
	}
	in := web.ReadParams(r, "state")
	q := tv.ClaimQuery{State: web.Word(in, "state", claimStates()...)}
	if in.Refused(w) {
		return
	}
	all, err := f.Book.List(r.Context(), q)
	if err != nil {
		f.fault(err)
		web.Problem(w, http.StatusServiceUnavailable, "The ledger cannot be read now.")
		return
	}
	for i := range all {
		all[i].Outcome = nil
		if ask := all[i].Reconcile; ask != nil {
			all[i].Reconcile = &tv.Reconcile{Tool: ask.Tool}
		}
	}
	web.Answer(w, map[string]any{"claims": web.Listed(all)})
}

func (f *Front) settle(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	if !officer(w, by) {
		return
	}
	in, ok := f.bodies.Texts(w, r, "key", "as", "evidence")
	if !ok {
		return
	}
	key, as, evidence := in[0], in[1], in[2]
	if err := f.Book.Settle(r.Context(), by, key, tv.ClaimState(as), evidence); err != nil {
		f.ledgerProblem(w, err)
		return
	}
	web.Answer(w, map[string]any{"key": key, "state": as})
}

// reconcile has the tool asked what came of a call.
func (f *Front) reconcile(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	if !officer(w, by) {
		return
	}
	in, ok := f.bodies.Texts(w, r, "key")
	if !ok {
		return
	}
	found, err := f.Book.Reconcile(r.Context(), by, in[0])
	if err != nil {
		f.ledgerProblem(w, err)
		return
	}
	web.Answer(w, found)
}

func (f *Front) ledgerProblem(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, tv.ErrNotFound):
		web.Problem(w, http.StatusNotFound, "There is no such entry.")
	case errors.Is(err, ledger.ErrNotUnknown), isConflict(err):
		web.Problem(w, http.StatusConflict, "Its outcome is not unknown.")
	case errors.Is(err, ledger.ErrNoReconcile):
		web.Problem(w, http.StatusConflict, "Nobody can be asked: "+ledger.ErrNoReconcile.Error()+".")
	case errors.Is(err, ledger.ErrIncomplete):
		web.Problem(w, http.StatusBadRequest, err.Error())
	default:
		f.fault(err)
		web.Problem(w, http.StatusServiceUnavailable, "The entry cannot be read or written now.")
	}
}

// isConflict reports whether somebody else changed the entry first.
func isConflict(err error) bool {
	_, ok := errors.AsType[*tv.ConflictError](err)
	return ok
}

// audit finds records.
func (f *Front) audit(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	if !officer(w, by) {
		return
	}
	in := web.ReadParams(r, "call", "tool", "subject", "session", "verdict", "code", "kind", "approval", "order", "limit")
	query := audit.Query{
		Call: in.Text("call"), Tool: in.Text("tool"), Subject: in.Text("subject"), Session: in.Text("session"),
		Verdict: web.Word(in, "verdict", "allow", "ask", "deny"), Code: web.Word(in, "code", tv.Codes()...),
		Kind:     web.Word(in, "kind", tv.RecordDecision, tv.RecordOutcome, tv.RecordApproval, tv.RecordReplay, tv.RecordAdmin),
		Approval: in.Text("approval"),
		Page:     audit.Page{Newest: web.Word(in, "order", "newest", "oldest") != "oldest", Limit: in.Number("limit")},
	}
	if in.Refused(w) {
		return
	}
	found, err := f.Records.Find(r.Context(), query)
	if err != nil {
		f.fault(err)
		web.Problem(w, http.StatusServiceUnavailable, "The records cannot be read now.")
		return
	}
	web.Answer(w, map[string]any{"records": web.Listed(found)})
}

func (f *Front) live(w http.ResponseWriter, _ *http.Request) {
	web.Answer(w, json.RawMessage(`{"status":"live"}`))
}

// ready says whether calls can be decided and recorded. Its reason is for the
// operator's log, not for strangers.
func (f *Front) ready(w http.ResponseWriter, r *http.Request) {
	if err := f.Ready(r.Context()); err != nil {
		f.Log.Warn("not ready", "error", err)
		web.Problem(w, http.StatusServiceUnavailable, "The gate is not ready; its log says why.")
		return
	}
	web.Answer(w, json.RawMessage(`{"status":"ready"}`))
}
