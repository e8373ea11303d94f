// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"cmp"
	"context"
	"errors"
	"fmt"
)

// refusal makes a refusal with the traits of its code.
func refusal(code Code, message string) *Refusal {
	trait := code.Trait()
	return &Refusal{Code: code, Message: message, Retryable: trait.Retryable, RecommendedAction: trait.Advice}
}

func inProgress() *Refusal {
	r := refusal(InProgress, "The same call is being run right now.")
	r.state = MaybeChange
	return r
}

func unknownOutcome() *Refusal {
	r := refusal(OutcomeUnknown, "The call was dispatched once and its answer was lost; it is not run again.")
	r.state = MaybeChange
	return r
}

// replay says that the ledger already holds the call's result.
type replay struct{ claim Claim }

func (*replay) Error() string { return "the call was done already" }

// refuse ends a call that is not cleared: it records why and shapes the answer.
// What cannot be recorded is refused as GATE_UNAVAILABLE.
func (g *Gate) refuse(ctx context.Context, t *trail, cause error) (res Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			res, err = t.unrecorded(), errors.Join(cause, fmt.Errorf("record refusal: panic: %v", v))
		}
	}()
	if again, ok := errors.AsType[*replay](cause); ok {
		return g.repeat(ctx, t, again.claim)
	}
	var r *Refusal
	if !errors.As(cause, &r) {
		r = refusal(GateUnavailable, "The gate could not decide or record this call, so it was not run.")
		r.cause = cause
	}
	if r.Code != ConfirmationRequired {
		t.decision.Verdict = Deny
	}
	t.decision.Code = r.Code
	if t.tool != nil {
		t.tool.Guided(r)
	}
	if r.approval != nil {
		t.approval = r.approval.ID
	}
	if !t.recorded {
		if err := g.log(ctx, t, r); err != nil {
			return t.unrecorded(), errors.Join(r.cause, err)
		}
	}
	return t.refused(r), r.cause
}

// unrecorded refuses a call that nothing could be written of.
func (t *trail) unrecorded() Result {
	t.decision.Verdict, t.decision.Code = Deny, GateUnavailable
	return t.refused(refusal(GateUnavailable, "The gate could not record this call, so it was not run."))
}

// log writes the record of a refusal.
func (g *Gate) log(ctx context.Context, t *trail, r *Refusal) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), outcomePatience)
	defer cancel()
	rec := g.record(t, RecordDecision, g.Now())
	rec.Code, rec.Took = r.Code, t.decision.Took
	rec.Detail = g.quote(r.Message)
	if r.approval != nil {
		rec.ApprovalState = r.approval.State
	}
	if err := g.Store.Commit(ctx, Changes{Records: []Record{rec}, Past: t.past(PastAttempted, rec.At)}); err != nil {
		return fmt.Errorf("record refusal: %w", err)
	}
	return nil
}

// changes is what the caller is told of a change by an approver.
func (t *trail) changes() *Edited {
	if t.edited == nil {
		return nil
	}
	return t.edited.Edited
}

// refused shapes the one form of a refusal.
func (t *trail) refused(r *Refusal) Result {
	res := Result{
		Error: r, StateChanged: cmp.Or(r.state, Unchanged), SecurityBlocked: r.Code.Trait().SecurityBlocked,
		Content: r.content, Decision: t.decision, Edited: t.changes(),
	}
	if t.call != nil {
		res.CallID = t.call.ID
	}
	if a := r.approval; a != nil {
		res.Edited = a.Edited
		res.Confirmation = &ConfirmationInfo{
			ID: a.ID, State: a.State, Tool: a.Card.Tool, Summary: a.Card.Summary, Arguments: a.Card.Arguments,
			Risk: a.Card.Risk, Impact: a.Card.Impact, Reason: a.Card.Reason, Expires: a.Expires,
		}
	}
	return res
}

// repeat answers from the ledger and records that nothing was run.
func (g *Gate) repeat(ctx context.Context, t *trail, claim Claim) (Result, error) {
	t.decision.Code = "" // the ledger answers; nobody is asked again
	rec := g.record(t, RecordReplay, g.Now())
	rec.Claim, rec.Detail = claim.State, "answered with the result of call "+claim.CallID
	if err := g.Store.Commit(ctx, Changes{Records: []Record{rec}}); err != nil {
		return t.unrecorded(), fmt.Errorf("record replay: %w", err)
	}
	res := Result{Success: true, CallID: claim.CallID, Replayed: true, StateChanged: Unchanged, Decision: t.decision, Edited: t.changes()}
	if claim.Outcome != nil {
		res.Content = claim.Outcome.Content
	}
	return res, nil
}

// result shapes the answer to a call that was dispatched.
func (c *cleared) result(o Outcome) Result {
	res := Result{Success: true, CallID: c.call.ID, Content: o.Content, StateChanged: Unchanged, Decision: c.decision, Edited: c.changes()}
	reads := c.tool.Safety() == ReadOnly
	switch {
	case o.Status == Succeeded:
		if !reads {
			res.StateChanged = Changed
		}
		return res
	case o.Status == Paused:
		res.Paused = true
		if c.claim != nil {
			res.Resume = c.claim.Key
		}
		if !reads {
			res.StateChanged = MaybeChange
		}
		return res
	}
	r := c.failure(o)
	if !reads && o.Status != NotSent {
		r.state = MaybeChange
	}
	return c.refused(r)
}

// failure turns an outcome that is no success into a refusal.
func (c *cleared) failure(o Outcome) *Refusal {
	if o.Status == Unknown && c.tool.Safety() != ReadOnly {
		return unknownOutcome()
	}
	code := o.Code
	if code != ToolTimeout {
		code = ToolError
	}
	r := refusal(code, cmp.Or(o.Message, "The tool reported an error."))
	r.content = o.Content
	c.tool.Guided(r)
	return r
}
