// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"context"
	"errors"
	"fmt"
)

// Advise says what would be decided about a call now, and records that it was
// asked. It claims nothing, asks nobody and gives no leave to run the call: the
// policy may change, and a limit be used up, before somebody comes for that. The
// second result is the digest of the call, "" where it was not understood.
func (g *Gate) Advise(ctx context.Context, p Proposal) (res Result, digest string, err error) {
	t := &trail{proposal: p, started: g.Now()}
	defer func() {
		if v := recover(); v != nil {
			res, err = g.refuse(ctx, t, fmt.Errorf("advise on call: panic: %v", v))
		}
	}()
	if err = g.foresee(ctx, t); err != nil {
		res, err = g.refuse(ctx, t, err)
		return res, t.digest, err
	}
	rec := g.record(t, RecordDecision, g.Now())
	rec.Took, rec.Detail = t.decision.Took, "asked what would be decided: nothing was claimed and nothing may run on it"
	if err := g.Store.Commit(ctx, Changes{Records: []Record{rec}}); err != nil {
		return t.unrecorded(), t.digest, fmt.Errorf("record advice: %w", err)
	}
	return Result{Success: true, CallID: t.call.ID, StateChanged: Unchanged, Decision: t.decision, Edited: t.changes()}, t.digest, nil
}

// foresee goes as far as a call goes without changing anything. An ask is an
// allow where somebody said yes already.
func (g *Gate) foresee(ctx context.Context, t *trail) error {
	if err := g.recall(ctx, t); err != nil {
		return err
	}
	decoded, err := g.decode(t)
	if err != nil {
		return err
	}
	for range maxRounds {
		d, err := g.judge(ctx, decoded)
		if err != nil {
			return err
		}
		c, err := g.claim(ctx, d)
		if again(err) {
			continue
		}
		if err != nil {
			return err
		}
		return c.foreseen()
	}
	return errors.New("advise on call: other calls kept changing what it depends on: try again later")
}

// foreseen is what stands between a call and its dispatch: a person, or nothing.
func (c *claimed) foreseen() error {
	d := &c.trail.decision
	switch {
	case d.Verdict == Allow:
		return nil
	case c.approval != nil && c.approval.State == ApprovalApproved, c.carries && c.prior.Approval != "":
		d.Verdict, d.Code = Allow, ""
		return nil
	case c.granted():
		d.Verdict, d.Code, d.Grant = Allow, "", c.grant.ID
		return nil
	}
	r := refusal(ConfirmationRequired, "A person must approve this call before it runs. Nobody was asked for it now.")
	r.RecommendedAction = "Claim the call: that asks."
	if c.approval != nil {
		r.Message = "A person must approve this call before it runs, and was asked already. Confirmation id: " + c.approval.ID + "."
		r.approval = c.approval
	}
	return r
}
