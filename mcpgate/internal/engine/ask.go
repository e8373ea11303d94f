// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// approvalKey names the gate's question among those of an upstream.
const approvalKey = "toolverdict/approval"

// maxAsks bounds how often one call leads the client to its approval before it
// is told in words instead.
const maxAsks = 5

// question asks the client to lead its user to the approval page, where the
// client can: with the answer that more input is needed, and the call's state
// sealed into it. The page authenticates the approver by itself; that the
// client says the user agreed means nothing.
func (e *Engine) question(k *courier, res toolverdict.Result) ([]byte, bool) {
	c := res.Confirmation
	if c == nil || res.Error == nil || res.Error.Code != toolverdict.ConfirmationRequired || e.ApprovalURL == "" {
		return nil, false
	}
	m := k.request
	capabilities := m.Meta().Get(mcpwire.MetaCapabilities)
	if !m.Modern() || !pausable(m.Method()) || !capabilities.Lookup("elicitation", "url").Exists() || k.declined() {
		return nil, false
	}
	next := state{Approval: c.ID, Asked: true, Round: 1, Expires: c.Expires.Unix()}
	if s := k.state; s != nil {
		next.Continues, next.Upstream, next.Inputs = s.Continues, s.Upstream, s.Inputs
		if s.Asked && s.Approval == c.ID {
			next.Round = s.Round + 1
		}
	}
	if k.state != nil && !k.state.Asked {
		if inputs := m.Params().Get("inputResponses"); inputs.Exists() {
			next.Inputs = json.RawMessage(inputs.Bytes())
		}
	}
	if next.Round > maxAsks {
		return nil, false
	}
	text := plain.Line(fmt.Sprintf("A person must approve this call: %s Open the page to see and decide it. Confirmation id: %s", c.Summary, c.ID))
	b := append([]byte(`{"resultType":"input_required","inputRequests":{`), canon.Quote(approvalKey)...)
	b = append(b, `:{"method":"elicitation/create","params":{"mode":"url","elicitationId":`...)
	b = append(append(b, canon.Quote(c.ID)...), `,"url":`...)
	b = append(append(b, canon.Quote(e.link(c.ID))...), `,"message":`...)
	b = append(append(b, canon.Quote(text)...), `}}},"requestState":`...)
	return append(append(b, canon.Quote(e.sealState(k.caller, k.call, next))...), '}'), true
}

// pausable reports whether a request may be answered with a question.
func pausable(method string) bool {
	return method == "tools/call" || method == "prompts/get" || method == "resources/read"
}

// declined reports whether the client did not lead its user to the page when it
// was asked before. The approval stands all the same: a client's word neither
// grants nor rejects one.
func (c *courier) declined() bool {
	if c.state == nil || !c.state.Asked {
		return false
	}
	return c.request.Params().Lookup("inputResponses", approvalKey, "action").Text() != "accept"
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
		p := e.serverProposal(k.caller, method, methodArguments(q.Get("params")))
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
