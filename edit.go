// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// maxEdits bounds how often one question is changed. Each change costs a call
// that is held a round of its own.
const maxEdits = 5

// Edit has an approver change the arguments of a call that waits for an answer.
// The changed call is decoded, validated, analysed and decided like any other,
// for the same requester; what no rule would ask about is asked all the same. A
// denial, a schema error or a change that changes nothing is returned as a
// [*Refusal] and leaves the question as it is. Otherwise the question is ended
// and another one takes its place: whoever waits on the old one is led to it.
// What was hidden from the approver stays what it was where it is left in place.
func (g *Gate) Edit(ctx context.Context, by Subject, id string, arguments []byte, reason string) (a Approval, err error) {
	e := &edit{by: by, id: id, arguments: arguments, reason: printable(hide(g.Redactor.Text, reason, maxMessage))}
	defer func() {
		if v := recover(); v != nil {
			a, err = Approval{}, fmt.Errorf("edit approval %q: panic: %v", id, v)
		}
	}()
	err = errAgain
	for i := 0; i < maxRounds && again(err); i++ {
		a, err = g.edit(ctx, e)
	}
	if err != nil {
		return Approval{}, fmt.Errorf("edit approval %q: %w", id, err)
	}
	return a, nil
}

// edit is one change of a question.
type edit struct {
	by        Subject
	id        string
	arguments []byte
	reason    string
	old       Approval
	t         *trail
	prior     Claim // what the ledger has under the new call's key
}

func (g *Gate) edit(ctx context.Context, e *edit) (a Approval, err error) {
	if e.old, err = g.Store.Approval(ctx, e.id); err != nil {
		return a, err
	}
	if err := g.Confirmations.MayEdit(e.by, &e.old); err != nil {
		return a, err
	}
	err = g.weighEdit(ctx, e)
	if r, ok := errors.AsType[*Refusal](err); ok {
		return a, errors.Join(r, g.logEdit(ctx, e, r))
	}
	if err != nil {
		return a, err
	}
	return g.replace(ctx, e)
}

// weighEdit takes the changed call through every step of a call that asks.
func (g *Gate) weighEdit(ctx context.Context, e *edit) error {
	old := &e.old.Call
	e.t = &trail{started: g.Now(), edited: &e.old, proposal: Proposal{
		Door: DoorLibrary, Tool: old.Tool, Subject: old.Subject, Model: old.Model, Run: old.Run, Session: old.Session, Environment: old.Environment,
	}}
	switch {
	case e.old.Underway:
		return refusal(InvalidInput, "A part of this call ran already: its arguments cannot be changed. Approve or reject it.")
	case len(e.old.Editors) >= maxEdits:
		return refusal(InvalidInput, "This question was changed too often. Reject it and say what is wanted.")
	}
	var err error
	if e.t.proposal.Arguments, err = g.unhide(&e.old, e.arguments); err != nil {
		return err
	}
	decoded, err := g.decode(e.t)
	if err != nil {
		return err
	}
	decided, err := g.judge(ctx, decoded)
	if err != nil {
		return err
	}
	if e.t.digest == e.old.Digest {
		return refusal(InvalidInput, "The change changes nothing: approve or reject the call as it is.")
	}
	e.t.key = e.old.Key
	if !strings.HasPrefix(e.old.Key, "client:") { // a client's key is of the act, whatever its arguments
		e.t.key = g.ledgerKey(&claimed{trail: decided.trail})
	}
	return g.vacant(ctx, e)
}

// vacant looks whether the changed call is an act that another call has done, is
// doing, or asks about. Then the change would make one act of two.
func (g *Gate) vacant(ctx context.Context, e *edit) (err error) {
	e.prior, err = g.Store.Claim(ctx, e.t.key)
	switch {
	case errors.Is(err, ErrNotFound):
		e.prior = Claim{}
		return nil
	case err != nil:
		return fmt.Errorf("read ledger: %w", err)
	case g.lapsed(&e.prior):
		return nil
	}
	taken := refusal(InvalidInput, "The changed call is one that was made already, or that waits already: approve or reject the call as it is.")
	switch e.prior.State {
	case ClaimFailed:
		return nil
	case ClaimWaiting:
		other, err := g.Store.Approval(ctx, e.prior.Approval)
		switch {
		case errors.Is(err, ErrNotFound):
			return nil
		case err != nil:
			return fmt.Errorf("read approval: %w", err)
		}
		over := !g.Now().Before(other.Expires)
		held := other.State == ApprovalPending || other.State == ApprovalApproved || other.State == ApprovalRejected && other.Digest == e.t.digest
		if other.ID == e.old.ID || over || !held {
			return nil
		}
	default: // dispatched, succeeded, paused or unknown
	}
	return taken
}

// replace writes the change: the old question ends, the new one waits, and the
// ledger waits on it.
func (g *Gate) replace(ctx context.Context, e *edit) (Approval, error) {
	now := g.Now()
	t := e.t
	changes, more, err := g.changed(t.tool, &e.old, t.call.Arguments)
	if err != nil {
		return Approval{}, err
	}
	a := g.draft(t)
	a.Replaces = e.old.ID
	a.Editors = append(slices.Clone(e.old.Editors), cmp.Or(e.by.User, e.by.ID)) // whoever has several ids is one person
	a.Edited = &Edited{By: e.by.ID, Reason: e.reason, Changes: changes, More: more}
	if a.Asked.Digest == "" {
		a.Asked = Asked{Digest: e.old.Digest, Arguments: e.old.Call.Arguments}
	}
	t.approval = a.ID
	old := e.old
	old.State, old.ReplacedBy = ApprovalCancelled, a.ID
	asks := g.record(t, RecordDecision, now)
	asks.Code, asks.Claim, asks.ApprovalState, asks.Took = ConfirmationRequired, ClaimWaiting, ApprovalPending, t.decision.Took
	asks.Detail = "in place of " + old.ID
	err = g.Store.Commit(ctx, Changes{
		Records:   []Record{g.editRecord(e, now, ApprovalCancelled, "changed: now "+a.ID), asks},
		Claims:    []ClaimChange{{From: e.prior.Epoch, To: g.waiting(t, &a, now)}},
		Approvals: []ApprovalChange{{From: e.old.Version, To: old}, {To: a}},
	})
	if err != nil {
		return Approval{}, fmt.Errorf("write change: %w", err)
	}
	a.Version = 1
	return a, nil
}

// editRecord says who changed a question, or wanted to.
func (g *Gate) editRecord(e *edit, now time.Time, state ApprovalState, what string) Record {
	if e.reason != "" {
		what += ": " + e.reason
	}
	return Record{
		Kind: RecordApproval, At: now, Subject: e.by.ID, User: e.by.User, Agent: e.by.Agent,
		Tool: e.old.Call.Tool, ToolHash: e.old.ToolHash, Session: g.quote(e.old.Call.Session), Run: g.quote(e.old.Call.Run.ID),
		PolicyVersion: e.old.PolicyVersion, PolicyHash: e.old.PolicyHash,
		Approval: e.old.ID, ApprovalState: state, Key: e.old.Key, Detail: what,
	}
}

// logEdit writes down a change that was refused.
func (g *Gate) logEdit(ctx context.Context, e *edit, r *Refusal) error {
	rec := g.editRecord(e, g.Now(), e.old.State, "a change was refused")
	rec.Code = r.Code
	if err := g.Store.Commit(ctx, Changes{Records: []Record{rec}}); err != nil {
		return fmt.Errorf("record refused change: %w", err)
	}
	return nil
}
