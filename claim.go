// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// claimed is a call with its place in the ledger. Prior is the entry found
// under the call's key, with epoch 0 where there was none.
type claimed struct {
	*trail
	prior    Claim
	approval *Approval // one that is in hand: pending or approved
	grant    *Grant    // one that answers the ask, where no approval was given
	carries  bool      // goes on with a paused call whose approval was used
}

// claim finds the call's place in the ledger before any human is asked, so that
// repeats wait on one approval and a done act is never done twice.
func (g *Gate) claim(ctx context.Context, c decided) (claimed, error) {
	out := claimed{trail: c.trail}
	if err := g.present(ctx, &out); err != nil {
		return out, err
	}
	if c.tool.Safety() == ReadOnly && c.decision.Verdict == Allow && out.approval == nil && c.proposal.Continues == "" {
		return out, nil // needs no claim
	}
	c.key = g.ledgerKey(&out)
	prior, err := g.Store.Claim(ctx, c.key)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return out, fmt.Errorf("read ledger: %w", err)
	}
	out.prior = prior
	if err := g.offer(ctx, &out); err != nil {
		return out, err
	}
	return out, g.weigh(ctx, &out)
}

// present looks at the confirmation that the caller handed in, if any.
func (g *Gate) present(ctx context.Context, c *claimed) error {
	if c.proposal.Confirmation == "" {
		return nil
	}
	named, err := g.ownApproval(ctx, c.trail)
	if err != nil {
		return err
	}
	a, err := g.follow(ctx, named)
	if err != nil {
		return err
	}
	if err := g.usable(ctx, &a); err != nil {
		return err
	}
	if c.led(&named, &a) {
		return g.adopt(c.trail, &a)
	}
	if !c.coveredBy(&a) {
		return nil // good, but for another call, policy or question: ask anew
	}
	c.trail.approval = a.ID
	c.approval = &a
	return nil
}

// ownApproval reads the approval that the proposal names. Another subject's
// reads like one that does not exist.
func (g *Gate) ownApproval(ctx context.Context, t *trail) (Approval, error) {
	a, err := g.Store.Approval(ctx, t.proposal.Confirmation)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return a, fmt.Errorf("read approval: %w", err)
	}
	s := t.proposal.Subject
	if err != nil || a.Call.Subject.ID != s.ID || a.Call.Subject.User != s.User || a.Call.Subject.Agent != s.Agent {
		return a, refusal(ConfirmationInvalid, "There is no such confirmation for this caller.")
	}
	return a, nil
}

// usable refuses an approval that can no longer lead to a dispatch.
func (g *Gate) usable(ctx context.Context, a *Approval) error {
	over := !g.Now().Before(a.Expires)
	var r *Refusal
	switch a.State {
	case ApprovalPending, ApprovalApproved:
		if !over {
			return nil
		}
		r = refusal(ConfirmationInvalid, "The confirmation expired before it was used.")
	case ApprovalRejected:
		r = refusal(ConfirmationInvalid, "The confirmation was rejected."+lastReason(a))
	case ApprovalClaimed, ApprovalUnknown:
		return g.underWay(ctx, a)
	case ApprovalDone, ApprovalFailed:
		r = refusal(ConfirmationInvalid, "The confirmation was used already; the call ran once and is not run again.")
	default:
		r = refusal(ConfirmationInvalid, fmt.Sprintf("The confirmation is %s.", a.State))
	}
	r.approval = a
	return r
}

// underWay tells a running call from one whose answer was lost.
func (g *Gate) underWay(ctx context.Context, a *Approval) error {
	claim, err := g.Store.Claim(ctx, a.Key)
	switch own := err == nil && claim.Approval == a.ID; {
	case err != nil && !errors.Is(err, ErrNotFound):
		return fmt.Errorf("read ledger: %w", err)
	case own && (claim.State == ClaimSucceeded || claim.State == ClaimFailed):
		return &ConflictError{"approval", a.ID} // the call ended after its approval was read
	case own && claim.State != ClaimUnknown && g.Now().Before(claim.Deadline):
		return inProgress()
	}
	return unknownOutcome()
}

func lastReason(a *Approval) string {
	for _, v := range slices.Backward(a.Votes) {
		if !v.Approved && v.Reason != "" {
			return " The reason given: " + v.Reason
		}
	}
	return ""
}

// ledgerKey is what makes two calls one: an approval in hand, the tool's
// business key, the client's key, or, for a call that asks, its digest. Any
// other call is its own.
func (g *Gate) ledgerKey(c *claimed) string {
	p, def := &c.proposal, &c.tool.def
	switch {
	case c.approval != nil:
		return c.approval.Key
	case p.Continues != "":
		return p.Continues
	case len(def.Idempotency.Key) > 0:
		values := make([]canon.Value, len(def.Idempotency.Key))
		for i, ptr := range def.Idempotency.Key {
			var given bool
			if values[i], given = c.call.Arguments.Pointer(ptr); !given {
				return "digest:" + c.digest // part of the key is missing: only the very same call is the same act
			}
			if amount := c.amount(ptr); amount != "" {
				values[i] = canon.String(amount)
			}
		}
		return hashKey("business", c.call.Subject, c.tool.Name(), canon.Append(nil, canon.Array(values...)))
	case p.IdempotencyKey != "":
		return hashKey("client", c.call.Subject, c.tool.Name(), []byte(p.IdempotencyKey))
	case c.decision.Verdict == Ask:
		return "digest:" + c.digest
	}
	return "call:" + c.call.ID
}

// amount is the money that an argument says, "" where it says none or more than one:
// 50 and "50.00" are one act, and a refund is not paid twice for being spelt anew.
func (t *trail) amount(ptr string) string {
	found := ""
	for i := range t.analysis.Effects {
		switch e := &t.analysis.Effects[i]; {
		case e.Source != ptr:
		case e.Kind != EffectSpend || found != "":
			return ""
		default:
			found = e.Amount
		}
	}
	return found
}

func hashKey(kind string, s Subject, tool string, value []byte) string {
	b := append([]byte(nil), kind...)
	for _, part := range []string{s.ID, s.User, s.Agent, tool} {
		b = append(canon.AppendString(b, part), ',')
	}
	sum := sha256.Sum256(append(b, value...))
	return kind + ":" + hex.EncodeToString(sum[:])
}

// weigh decides what an earlier entry under the same key means for this call.
func (g *Gate) weigh(ctx context.Context, c *claimed) error {
	prior := &c.prior
	if c.proposal.Continues != "" && c.approval == nil {
		a, changed, err := g.asChanged(ctx, c)
		switch {
		case err != nil:
			return err
		case changed && prior.State == ClaimPaused:
			return g.adopt(c.trail, &a)
		}
		return carryOn(c)
	}
	if prior.Epoch == 0 || g.lapsed(prior) {
		return nil
	}
	if c.approval != nil && prior.Approval == c.approval.ID && prior.State != ClaimWaiting {
		return &ConflictError{"approval", prior.Approval} // it was used after it was read
	}
	if prior.Digest != c.digest && prior.State != ClaimWaiting && prior.State != ClaimFailed {
		a, changed, err := g.asChanged(ctx, c)
		if err != nil {
			return err
		}
		if !changed {
			return refusal(InvalidInput, "The same business or idempotency key was already used with other arguments. Use a new key for a new act.")
		}
		return g.answeredAs(c.trail, &a, prior)
	}
	if prior.State == ClaimWaiting {
		return g.join(ctx, c)
	}
	return g.answered(prior)
}

// answered is what an entry says to a repeat of its call; nil lets it try anew.
func (g *Gate) answered(prior *Claim) error {
	switch prior.State {
	case ClaimDispatched:
		if g.Now().Before(prior.Deadline) {
			return inProgress()
		}
		return unknownOutcome()
	case ClaimUnknown:
		return unknownOutcome()
	case ClaimSucceeded:
		return &replay{*prior}
	default: // failed, or paused and not carried on: a new attempt
		return nil
	}
}

// lapsed reports whether a settled entry is old enough to be forgotten. An
// unknown outcome never is.
func (g *Gate) lapsed(c *Claim) bool {
	settled := c.State == ClaimSucceeded || c.State == ClaimFailed || c.State == ClaimPaused
	return settled && !g.Now().Before(c.Deadline)
}

// carryOn accepts the next leg of a paused call: the same call by the same
// subject, once, because the claim leaves the paused state with it.
func carryOn(c *claimed) error {
	if c.prior.State != ClaimPaused || c.prior.Digest != c.digest || c.prior.Subject != c.call.Subject.ID {
		return refusal(ConfirmationInvalid, "There is no paused call of this caller that this one could carry on.")
	}
	c.carries = true
	return nil
}

// join puts a repeat behind the approval that the first call waits on.
func (g *Gate) join(ctx context.Context, c *claimed) error {
	if c.approval != nil {
		return nil
	}
	first, err := g.Store.Approval(ctx, c.prior.Approval)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read approval: %w", err)
	}
	a, err := g.follow(ctx, first)
	if err != nil {
		return err
	}
	if a.ID != first.ID && c.about(&first, &a) && (a.State == ApprovalClaimed || a.State == ApprovalUnknown || a.State == ApprovalDone || a.State == ApprovalFailed) {
		return g.elsewhere(ctx, c, &a)
	}
	if !g.Now().Before(a.Expires) || a.State == ApprovalCancelled || a.State == ApprovalRevoked {
		return nil
	}
	if a.State == ApprovalRejected && c.about(&first, &a) {
		return g.usable(ctx, &a)
	}
	if (a.State == ApprovalPending || a.State == ApprovalApproved) && c.led(&first, &a) {
		return g.adopt(c.trail, &a)
	}
	c.trail.approval = a.ID
	if c.coveredBy(&a) {
		c.approval = &a
	}
	return nil
}

// coveredBy reports whether an approval is for this call as it is decided now. Which
// rules ask may hang on clock, session, model or a limit, which no digest holds.
func (c *claimed) coveredBy(a *Approval) bool {
	return a.Digest == c.digest && a.PolicyHash == c.decision.PolicyHash &&
		!slices.ContainsFunc(c.decision.Asks, func(need Requirement) bool {
			return !slices.ContainsFunc(a.Requirements, func(r Requirement) bool { return r.Rule == need.Rule })
		})
}

// leaseSlack is how much longer than its tool's timeout a dispatched claim is
// believed to be running.
const leaseSlack = 15 * time.Second
