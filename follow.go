// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"context"
	"errors"
	"fmt"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// An approver who changes a call puts another question in the place of the one
// that its caller waits on. Whoever comes for the old one, by waiting, by its
// id, by repeating the call or by carrying it on, is led to the new one: the
// stored call is what runs.

// follow goes from a question to the one that took its place in the end.
func (g *Gate) follow(ctx context.Context, a Approval) (Approval, error) {
	for range maxEdits {
		if a.ReplacedBy == "" {
			return a, nil
		}
		next, err := g.Store.Approval(ctx, a.ReplacedBy)
		if err != nil {
			return a, fmt.Errorf("read approval: %w", err)
		}
		a = next
	}
	if a.ReplacedBy != "" {
		return a, fmt.Errorf("read approval: %q was changed more often than it may be", a.ID)
	}
	return a, nil
}

// about reports whether a call is the one that was asked about, before it was
// changed or after.
func (t *trail) about(was, is *Approval) bool {
	return t.digest == is.Digest || t.digest == was.Digest || is.Asked.Digest != "" && t.digest == is.Asked.Digest
}

// led reports whether a call is about a changed question that it was not led to
// yet.
func (t *trail) led(was, is *Approval) bool {
	return len(is.Editors) > 0 && (t.edited == nil || t.edited.ID != is.ID) && t.about(was, is)
}

// adopt puts the stored call in the place of the caller's and has it decided.
func (g *Gate) adopt(t *trail, a *Approval) error {
	args, err := canon.Parse(a.Call.Arguments, g.Limits)
	if err != nil {
		return fmt.Errorf("read the changed arguments: %w", err)
	}
	t.call.Arguments, t.call.Bytes = args, args.Raw()
	t.proposal.Arguments = t.call.Bytes
	t.shown, t.edited, t.recorded = shown{}, a, false
	if a.State == ApprovalPending || a.State == ApprovalApproved {
		t.proposal.Confirmation = a.ID
	}
	return errAgain
}

// lead takes a call that was held on a question to the one in its place.
func (g *Gate) lead(ctx context.Context, t *trail, was Approval) error {
	is, err := g.follow(ctx, was)
	if err != nil {
		return err
	}
	if open := is.State == ApprovalPending || is.State == ApprovalApproved; open && t.led(&was, &is) {
		return g.adopt(t, &is)
	}
	t.proposal.Confirmation, t.recorded = is.ID, false
	return errAgain
}

// elsewhere answers a repeat of a changed call from what came of the changed
// one, which has a ledger entry of its own.
func (g *Gate) elsewhere(ctx context.Context, c *claimed, a *Approval) error {
	claim, err := g.Store.Claim(ctx, a.Key)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read ledger: %w", err)
	}
	if claim.Approval != a.ID || g.lapsed(&claim) {
		return nil
	}
	return g.answeredAs(c.trail, a, &claim)
}

// answeredAs answers a repeat from the entry of the changed call, and says what
// was changed.
func (g *Gate) answeredAs(t *trail, a *Approval, prior *Claim) error {
	err := g.answered(prior)
	if err != nil {
		t.edited = a
	}
	return err
}

// asChanged finds the question about this call as an approver changed it, where
// the entry under the call's key is of that one.
func (g *Gate) asChanged(ctx context.Context, c *claimed) (a Approval, found bool, err error) {
	if c.prior.Approval == "" {
		return a, false, nil
	}
	a, err = g.Store.Approval(ctx, c.prior.Approval)
	if errors.Is(err, ErrNotFound) {
		return a, false, nil
	}
	if err != nil {
		return a, false, fmt.Errorf("read approval: %w", err)
	}
	return a, c.led(&a, &a), nil
}

// keepAsking asks about a call that an approver changed, also where no rule
// would: somebody was asked, and answered by changing it.
func (a *Approval) keepAsking(d Decision) Decision {
	if d.Verdict != Allow {
		return d
	}
	d.Verdict, d.Code, d.Rule = Ask, ConfirmationRequired, ""
	d.Reason = "an approver changed the call"
	d.Asks = a.Requirements
	return d
}
