// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"encoding/json"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/mcpgate/internal/ladder"
)

// maxAsks bounds how often one call leads the client to its approval before it
// is told in words instead.
const maxAsks = 5

// question asks the client what it can be asked, with the answer that more input
// is needed and the call's state sealed into it: its own user, where every rule
// takes its client's word for that; else to lead its user to the approval's page,
// which authenticates the approver by itself. That a client says the user came
// there means nothing.
func (e *Engine) question(ctx context.Context, k *courier, res toolverdict.Result) ([]byte, bool) {
	c := res.Confirmation
	if c == nil || res.Error == nil || res.Error.Code != toolverdict.ConfirmationRequired || !pausable(k.request.Method()) || k.declined() {
		return nil, false
	}
	able := ladder.Of(k.request)
	form := able.Form && e.attestable(ctx, k.caller, c.ID)
	if !form && (!able.Page || e.ApprovalURL == "") {
		return nil, false
	}
	next := k.nextLeg(c)
	if next.Form = form; next.Round > maxAsks {
		return nil, false
	}
	q := ladder.Question{About: *c, Link: e.link(c.ID), State: e.sealState(k.caller, k.call, next)}
	if form {
		return ladder.ByForm(q), true
	}
	return ladder.ByPage(q), true
}

// nextLeg is what the client carries to the next leg of a call that waits.
func (c *courier) nextLeg(on *toolverdict.ConfirmationInfo) state {
	next := state{Approval: on.ID, Asked: true, Round: 1, Expires: on.Expires.Unix()}
	s := c.state
	if s == nil {
		return next
	}
	next.Continues, next.Upstream, next.Inputs = s.Continues, s.Upstream, s.Inputs
	if s.Asked && s.Approval == on.ID {
		next.Round = s.Round + 1
	}
	if !s.Asked {
		if inputs := c.request.Params().Get("inputResponses"); inputs.Exists() {
			next.Inputs = json.RawMessage(inputs.Bytes())
		}
	}
	return next
}

// attestable reports whether the word of the caller's client would do for an
// approval of its own.
func (e *Engine) attestable(ctx context.Context, c Caller, id string) bool {
	if e.Desk == nil {
		return false
	}
	a, err := e.Desk.Get(ctx, c.Subject, id)
	return err == nil && e.Desk.Attestable(&a)
}

// attest hands the client's word on, where it was asked for it: the form that it
// answers was about this very call, for this very caller, and is not too old.
// What the word is worth is the desk's to say, at the time it comes.
func (e *Engine) attest(ctx context.Context, k *courier) {
	s := k.state
	if s == nil || s.forged || !s.Asked || !s.Form || e.Desk == nil || !ladder.Agreed(k.request.Params()) {
		return
	}
	if _, err := e.Desk.Attest(ctx, k.caller.Subject, s.Approval); err != nil {
		e.Log.Warn("a client's word was not taken", "server", e.server, "error", err)
	}
}

// pausable reports whether a request may be answered with a question.
func pausable(method string) bool {
	return method == "tools/call" || method == "prompts/get" || method == "resources/read"
}

// declined reports whether the client did not do what it was asked before. The approval stands all the same: a client's word neither
// grants nor rejects one.
func (c *courier) declined() bool {
	if c.state == nil || !c.state.Asked {
		return false
	}
	if c.state.Form {
		return !ladder.Agreed(c.request.Params())
	}
	return !ladder.Opened(c.request.Params())
}

// questionsAllowed has the gate decide what an upstream asks the client for in
// the middle of a call: its model, its user, its folders. One refusal refuses
// the whole answer.
func (e *Engine) questionsAllowed(ctx context.Context, k *courier, res toolverdict.Result) (toolverdict.Result, bool) {
	result, ok := mcpwire.Root(res.Content)
	if !ok {
		return res, true
	}
	for _, q := range result.Get("inputRequests").Members() {
		method := q.Get("method").Text()
		p := e.serverProposal(k.caller, method, mcpwire.MethodArguments(q.Get("params")))
		p.ID, p.Trace, p.Via = "", k.request.Meta().Get("traceparent").Text(), passing{}
		answer, err := e.Gate.Do(ctx, p)
		if err != nil {
			e.Log.Error("gate fault", "server", e.server, "call", answer.CallID, "error", err)
		}
		if !answer.Success {
			return answer, false
		}
	}
	return res, true
}

// passing is the executor of questions that travel inside an answer: they are
// passed on by passing on the answer.
type passing struct{}

// Execute implements [toolverdict.Executor].
func (passing) Execute(_ context.Context, p toolverdict.Permit) toolverdict.Outcome {
	if !p.Valid() {
		return toolverdict.Outcome{Status: toolverdict.NotSent}
	}
	return toolverdict.Outcome{Status: toolverdict.Succeeded}
}
