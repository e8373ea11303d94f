// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// confirmed is a call that needs no human any more: none was asked for, or the
// approval is in hand, or a grant.
type confirmed struct{ claimed }

// confirm sees to it that a human agreed to an ask, opening an approval where
// there is none and holding the call where the caller wants to wait.
func (g *Gate) confirm(ctx context.Context, c claimed, until time.Time) (confirmed, error) {
	if c.decision.Verdict == Allow && (c.approval == nil || c.approval.State == ApprovalPending) {
		c.approval = nil
		return confirmed{c}, nil
	}
	if c.carries && c.prior.Approval != "" {
		return confirmed{c}, nil
	}
	if c.approval != nil && c.approval.State == ApprovalApproved {
		return confirmed{c}, nil
	}
	if c.granted() {
		c.approval = nil
		return confirmed{c}, nil
	}
	if c.approval == nil {
		a, err := g.open(ctx, c)
		if err != nil {
			return confirmed{}, err
		}
		c.approval = &a
	}
	return confirmed{}, g.hold(ctx, c, until)
}

// open asks: the verdict, the waiting claim and the approval become durable
// together. An approval that this one takes the place of ends with it.
func (g *Gate) open(ctx context.Context, c claimed) (Approval, error) {
	now := g.Now()
	a := g.draft(c.trail)
	a.Underway = c.carries
	c.trail.approval = a.ID
	changes := Changes{
		Claims:    []ClaimChange{{From: c.prior.Epoch, To: g.waiting(c.trail, &a, now)}},
		Approvals: []ApprovalChange{{To: a, Room: g.room(&a.Call)}},
	}
	r := g.record(c.trail, RecordDecision, now)
	r.Code, r.Claim, r.ApprovalState, r.Took = ConfirmationRequired, ClaimWaiting, ApprovalPending, c.decision.Took
	changes.Records, changes.Past = []Record{r}, c.past(PastAttempted, now)
	if err := g.supersede(ctx, &c, &changes, now); err != nil {
		return a, err
	}
	if err := g.Store.Commit(ctx, changes); err != nil {
		return a, g.crowded(ctx, fmt.Errorf("ask for approval: %w", err))
	}
	c.recorded = true
	a.Version = 1
	return a, nil
}

// draft makes the question about a call. One that an approver changed stays
// known as changed: its editor may not approve it in another guise.
func (g *Gate) draft(t *trail) Approval {
	effects, more := g.presentable(t, CardView)
	a := g.Confirmations.Draft(Question{
		Call: t.call, Tool: t.tool, Decision: t.decision, Digest: t.digest, Key: t.key,
		Redacted: g.Redactor.Arguments(t.tool, t.call.Arguments, CardView),
		Whole:    g.Redactor.Arguments(t.tool, t.call.Arguments, WholeView),
		Effects:  effects, More: more,
	})
	if e := t.edited; e != nil {
		a.Editors, a.Edited, a.Asked = e.Editors, e.Edited, e.Asked
	}
	return a
}

// waiting is the ledger's entry of a call that waits for an answer.
func (g *Gate) waiting(t *trail, a *Approval, now time.Time) Claim {
	return Claim{
		Key: t.key, State: ClaimWaiting, Digest: t.digest, Subject: t.call.Subject.ID, Tool: t.tool.Name(),
		CallID: t.call.ID, Approval: a.ID, Node: g.Node, Updated: now, Deadline: a.Expires,
	}
}

// supersede ends the open approval that the claim waited on until now.
func (g *Gate) supersede(ctx context.Context, c *claimed, changes *Changes, now time.Time) error {
	if c.prior.State != ClaimWaiting {
		return nil
	}
	old, err := g.Store.Approval(ctx, c.prior.Approval)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read approval: %w", err)
	}
	from := old.Version
	switch expired := !now.Before(old.Expires); {
	case expired && old.State.CanBecome(ApprovalExpired):
		old.State = ApprovalExpired
	case old.State.CanBecome(ApprovalCancelled):
		old.State = ApprovalCancelled
	case old.State.CanBecome(ApprovalRevoked):
		old.State = ApprovalRevoked
	default:
		return nil
	}
	r := g.record(c.trail, RecordApproval, now)
	r.Approval, r.ApprovalState, r.Detail = old.ID, old.State, "another approval took its place"
	if c.grant != nil {
		r.Detail = "a grant answered instead"
	}
	changes.Records = append(changes.Records, r)
	changes.Approvals = append(changes.Approvals, ApprovalChange{From: from, To: old})
	return nil
}

// hold waits for the human as long as the caller asked, then has the call
// decided again, or tells the caller what it waits on.
func (g *Gate) hold(ctx context.Context, c claimed, until time.Time) error {
	a := *c.approval
	if wait := until.Sub(g.Now()); wait > 0 {
		held, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		seen, err := g.Confirmations.Await(held, a.ID)
		if err != nil {
			return fmt.Errorf("wait for approval: %w", err)
		}
		if seen.State != ApprovalPending {
			return g.lead(ctx, c.trail, seen)
		}
	}
	first := "A person must approve this call first."
	if len(a.Editors) > 0 {
		first = "An approver changed this call's arguments; a person must approve the changed call first."
	}
	r := refusal(ConfirmationRequired, fmt.Sprintf("%s Confirmation id: %s. %s", first, a.ID, a.Card.Summary))
	r.approval = &a
	return r
}
