// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// intend makes the intent durable, in one write: the record of the verdict, the
// claim, the use of the approval or the grant, and of the limits. Only then is there leave to
// run.
func (g *Gate) intend(ctx context.Context, c confirmed) (*cleared, error) {
	if err := g.restore(ctx, &c); err != nil {
		return nil, err
	}
	now := g.Now()
	out := &cleared{trail: *c.trail}
	r := g.record(c.trail, RecordDecision, now)
	r.Took = c.decision.Took
	changes := Changes{Takes: c.decision.Limits, Expect: c.back.expect}
	if c.key != "" {
		claim := Claim{
			Key: c.key, State: ClaimDispatched, Digest: c.digest, Subject: c.call.Subject.ID, Tool: c.tool.Name(),
			CallID: c.call.ID, Handle: c.proposal.Handle, Node: g.Node, Updated: now, Deadline: now.Add(c.tool.Timeout(g.Timeout) + leaseSlack),
			Reconcile: c.tool.def.Reconcile.bound(c.call.Arguments),
		}
		if c.approval != nil {
			claim.Approval = c.approval.ID
		}
		changes.Claims = []ClaimChange{{From: c.prior.Epoch, To: claim}}
		claim.Epoch = c.prior.Epoch + 1
		out.claim = &claim
		r.Claim = ClaimDispatched
	}
	if c.approval != nil {
		used := *c.approval
		if used.State != ApprovalClaimed { // a paused call's next leg goes on under the same one
			if !now.Before(used.Expires) { // since it was read
				return nil, &ConflictError{"approval", used.ID}
			}
			used.State = ApprovalClaimed
			changes.Approvals = []ApprovalChange{{From: used.Version, To: used}}
			used.Version++
		}
		out.approval = &used
		out.trail.approval = used.ID
		r.Approval, r.ApprovalState = used.ID, ApprovalClaimed
		// The human said yes: the verdict that is dispatched on says so.
		out.decision.Verdict, out.decision.Code = Allow, ""
	}
	r.Verdict, r.Code = Allow.String(), ""
	changes.Records, changes.Past = []Record{r}, out.past(PastDispatched, now)
	if err := g.use(ctx, &c, out, &changes); err != nil {
		return nil, err
	}
	if err := g.Store.Commit(ctx, changes); err != nil {
		return nil, g.crowded(ctx, fmt.Errorf("record intent: %w", err))
	}
	return out, nil
}

// restore puts the arguments that the human saw in the place of the caller's.
// Both have one digest, but a tool may tell 1.0 from 1: what was approved is
// what runs, byte for byte.
func (g *Gate) restore(ctx context.Context, c *confirmed) error {
	if c.approval == nil && c.carries && c.prior.Approval != "" {
		used, err := g.Store.Approval(ctx, c.prior.Approval)
		if err != nil {
			return fmt.Errorf("read approval: %w", err)
		}
		c.approval = &used
	}
	a := c.approval
	if a == nil || bytes.Equal(a.Call.Arguments, c.call.Bytes) {
		return nil
	}
	args, err := canon.Parse(a.Call.Arguments, g.Limits)
	if err != nil {
		return fmt.Errorf("read the approved arguments: %w", err)
	}
	c.call.Arguments, c.call.Bytes = args, args.Raw()
	if c.call.Digest(c.tool.Hash()) != c.digest {
		return errors.New("read the approved arguments: they are not those that were approved")
	}
	return nil
}

// dispatch hands the permit to an executor. A panic there leaves the outcome
// unknown: the tool may have been reached.
func (g *Gate) dispatch(ctx context.Context, via Executor, c *cleared) (o Outcome) {
	if via == nil {
		via = g.Executor
	}
	begin := g.Now()
	defer func() {
		if v := recover(); v != nil {
			o = Outcome{Status: Unknown, Code: ToolError, Message: "the executor broke down"}
		}
		o.Took = g.Now().Sub(begin)
	}()
	ctx, cancel := context.WithTimeout(ctx, c.tool.Timeout(g.Timeout))
	defer cancel()
	return via.Execute(ctx, Permit{c})
}

// outcomePatience bounds how long an outcome is tried to be written after the
// caller went away.
const outcomePatience = 10 * time.Second

// conclude records what came of a call and shapes the answer. It outlives the
// caller's context: what happened must be written even when nobody listens.
func (g *Gate) conclude(ctx context.Context, c *cleared, o Outcome) (res Result, err error) {
	if c.reported.Swap(true) {
		return Result{}, errors.New("report outcome: this call was reported already")
	}
	defer func() {
		if v := recover(); v != nil {
			res, err = c.unrecorded(), fmt.Errorf("record outcome: panic: %v", v)
		}
	}()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), outcomePatience)
	defer cancel()
	if o.Content != nil {
		o.Content = g.Redactor.Content(o.Content)
	}
	o.Message = hide(g.Redactor.Text, o.Message, maxMessage)
	changes := g.outcomeChanges(c, &o)
	if err := g.Store.Commit(ctx, changes); err != nil {
		return c.unrecorded(), fmt.Errorf("record outcome: %w", err)
	}
	return c.result(o), nil
}

// unrecorded answers for a call that was run and whose outcome is in no record.
func (c *cleared) unrecorded() Result {
	r := unknownOutcome()
	r.Message = "The tool was run, but what came of it could not be recorded."
	return c.refused(r)
}

func (g *Gate) outcomeChanges(c *cleared, o *Outcome) Changes {
	now := g.Now()
	r := g.record(&c.trail, RecordOutcome, now)
	r.Arguments, r.ArgumentsMAC, r.Rules, r.Effects, r.EffectsLeft = nil, "", nil, nil, 0 // the intent holds them
	r.Took, r.Detail, r.Code = o.Took, g.quote(o.Message), o.Code
	changes := Changes{Lazy: c.claim == nil, Settled: c.settledPast(o)}
	if c.claim != nil {
		r.Claim = c.settled(o)
		claim := *c.claim
		claim.State, claim.Outcome, claim.Updated = r.Claim, o, now
		claim.Deadline = now.Add(c.replayWindow())
		if r.Claim != ClaimUnknown {
			claim.Reconcile = nil
		}
		changes.Claims = []ClaimChange{{From: c.claim.Epoch, To: claim}}
	}
	if next := usedState(r.Claim); c.approval != nil && next != "" {
		a := *c.approval
		a.State = next
		r.ApprovalState = next
		changes.Approvals = []ApprovalChange{{From: c.approval.Version, To: a}}
	}
	changes.Records = []Record{r}
	return changes
}

// usedState is what becomes of a claimed approval; a paused call keeps it.
func usedState(c ClaimState) ApprovalState {
	switch c {
	case ClaimSucceeded:
		return ApprovalDone
	case ClaimFailed:
		return ApprovalFailed
	case ClaimUnknown:
		return ApprovalUnknown
	default:
		return ""
	}
}

// settled says how the ledger reads an outcome. Losing the answer of a tool
// that only reads is a failure like any other.
func (c *cleared) settled(o *Outcome) ClaimState {
	switch o.Status {
	case Succeeded:
		return ClaimSucceeded
	case Paused:
		return ClaimPaused
	case Failed, NotSent:
		return ClaimFailed
	default: // unknown, or a word that is none
	}
	if c.tool.Safety() == ReadOnly {
		return ClaimFailed
	}
	return ClaimUnknown
}

// defaultReplayWindow is how long a repeat of a done call returns the stored
// result, where the tool names no window.
const defaultReplayWindow = 15 * time.Minute

func (c *cleared) replayWindow() time.Duration {
	if w := c.tool.def.Idempotency.Window; w > 0 {
		return w
	}
	return defaultReplayWindow
}
