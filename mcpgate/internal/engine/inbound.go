// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// asked takes a request that the upstream sends to the client. It is decided
// before the client sees it; a refusal is answered in the client's place.
func (f *flow) asked(ctx context.Context, m *mcpwire.Message, ev mcpwire.Event) {
	if f.request != nil && f.request.Modern() {
		// The modern revisions have no such requests, and nowhere to answer them.
		f.Log.Warn("dropped a request of the upstream's", "server", f.server, "method", plain.Line(m.Method()))
		return
	}
	if passiveFromServer(m.Method()) {
		f.send(ev)
		return
	}
	if _, err := m.Strict(canon.Limits{MaxBytes: mcpwire.MaxMessage}); err != nil {
		f.standIn(ctx, m, mcpwire.ErrorResponse(m.ID(), mcpwire.CodeInvalidRequest, "The request is not acceptable JSON.", nil))
		return
	}
	p := f.serverProposal(f.caller, m.Method(), mcpwire.MethodArguments(m.Params()))
	p.ID = m.Key()
	p.Via = &sender{f, ev}
	res, err := f.Gate.Do(ctx, p)
	if err != nil {
		f.Log.Error("gate fault", "server", f.server, "call", res.CallID, "error", err)
	}
	if !res.Success {
		// A server is a stranger: it learns that it was refused, not by which rule.
		f.standIn(ctx, m, mcpwire.ErrorResponse(m.ID(), mcpwire.CodeRefused,
			"The request was refused on the client's side. ("+string(res.Error.Code)+")", nil))
	}
}

// serverProposal is the call that a server's request to the client amounts to.
func (e *Engine) serverProposal(c Caller, method string, arguments []byte) toolverdict.Proposal {
	return toolverdict.Proposal{
		Door: c.Door, Tool: e.methodTool(method), Arguments: arguments, Subject: c.Subject, Run: c.Run,
		Session: e.sessionLabel(c), Environment: e.Environment,
	}
}

// standIn answers the upstream in the client's place.
func (f *flow) standIn(ctx context.Context, m *mcpwire.Message, answer []byte) {
	message, err := mcpwire.ParseServer(answer)
	if err != nil {
		f.Log.Error("make answer to upstream", "server", f.server, "error", err)
		return
	}
	c := f.caller.wire()
	r, err := f.backend.Exchange(ctx, mcpwire.Outbound{Caller: c, Message: message})
	if err != nil {
		f.Log.Warn("answer upstream", "server", f.server, "method", plain.Line(m.Method()), "error", err)
		return
	}
	_, _ = r.Body.Next()
	r.Body.Close()
}

// sender is the executor of a server's request: it sends it to the client.
type sender struct {
	flow *flow
	ev   mcpwire.Event
}

// Execute implements [toolverdict.Executor].
func (s *sender) Execute(_ context.Context, p toolverdict.Permit) toolverdict.Outcome {
	if !p.Valid() || s.flow.gone {
		return toolverdict.Outcome{Status: toolverdict.NotSent}
	}
	s.flow.send(s.ev)
	return toolverdict.Outcome{Status: toolverdict.Succeeded}
}
