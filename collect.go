// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"context"
	"errors"
	"fmt"
)

// Collect answers with what came of the call of a confirmation that was used,
// for front doors whose callers come back for it by its id. It runs nothing, and
// records that it answered; a proposal needs no more than its caller, its door
// and the confirmation. Another subject's reads like one that does not exist.
func (g *Gate) Collect(ctx context.Context, p Proposal) (res Result, err error) {
	t := &trail{proposal: p, started: g.Now()}
	defer func() {
		if v := recover(); v != nil {
			res, err = g.refuse(ctx, t, fmt.Errorf("collect result: panic: %v", v))
		}
	}()
	return g.refuse(ctx, t, g.outcomeOf(ctx, t))
}

// outcomeOf says what came of a confirmed call, in the form of a refusal or of a
// repeat.
func (g *Gate) outcomeOf(ctx context.Context, t *trail) error {
	named, err := g.ownApproval(ctx, t)
	if err != nil {
		return err
	}
	a, err := g.follow(ctx, named)
	if err != nil {
		return err
	}
	t.proposal.Tool, t.approval = a.Call.Tool, a.ID
	if len(a.Editors) > 0 {
		t.edited = &a
	}
	claim, err := g.Store.Claim(ctx, a.Key)
	switch {
	case errors.Is(err, ErrNotFound):
	case err != nil:
		return fmt.Errorf("read ledger: %w", err)
	case claim.Approval == a.ID && claim.State == ClaimFailed && claim.Outcome != nil:
		r := refusal(ToolError, "The tool reported an error.")
		r.state, r.content = MaybeChange, claim.Outcome.Content
		if claim.Outcome.Message != "" {
			r.Message = claim.Outcome.Message
		}
		return r
	case claim.Approval == a.ID && claim.State != ClaimWaiting:
		if err := g.answered(&claim); err != nil {
			return t.unlessRunning(err)
		}
	}
	if err := g.usable(ctx, &a); err != nil {
		return t.unlessRunning(err)
	}
	t.recorded = true // nothing came of it yet, however often somebody asks
	r := refusal(ConfirmationRequired, fmt.Sprintf("This call was not made yet. Confirmation id: %s. %s", a.ID, a.Card.Summary))
	r.approval = &a
	return r
}

// unlessRunning keeps the log free of those who ask too early.
func (t *trail) unlessRunning(err error) error {
	r, refused := errors.AsType[*Refusal](err)
	t.recorded = refused && r.Code == InProgress
	return err
}
