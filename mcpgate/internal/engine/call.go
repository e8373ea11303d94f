// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

// Members of _meta by which a host, not a model, tells the gate about a call.
const (
	metaConfirmation = "toolverdict/confirmation"   // id of an approval to use
	metaKey          = "toolverdict/idempotencyKey" // repeats with it are one call
)

// callTool takes a tools/call.
func (e *Engine) callTool(ctx context.Context, c Caller, m *mcpwire.Message, out Outlet) {
	name := m.Params().Get("name")
	if name.Text() == "" {
		_ = out.Answer(statusFor(m, http.StatusBadRequest), nil, fault(m, mcpwire.CodeInvalidParams, "params.name must be the name of a tool."))
		return
	}
	e.call(ctx, c, m, call{tool: mcpwire.ToolOf(e.server, name.Text()), arguments: m.Params().Get("arguments").Bytes()}, out)
}

// decidedOnly leaves of the parameters of a tools/call what was decided, approved
// and recorded, and what only labels the message. Anything else would reach the
// server past all of that; it is left out, as receivers leave out what they do
// not know. Answers to a server's question go with the state of that question;
// some clients leave that out, which must not add to what a person approved.
func (s *state) decidedOnly(m *mcpwire.Message, approved bool) (*mcpwire.Message, error) {
	keep := func(name string) bool {
		switch name {
		case "name", "arguments", "_meta", "requestState":
			return true
		case "task":
			return mcpwire.OnlyTTL(m.Params().Get(name))
		case "inputResponses":
			return s != nil && !s.forged || !approved
		}
		return false
	}
	for name := range m.Params().Members() {
		if !keep(name) {
			return m.Edited(mcpwire.KeepMembers(m.Params(), keep))
		}
	}
	return m, nil
}

// callMethod takes a message of another method that is decided.
func (e *Engine) callMethod(ctx context.Context, c Caller, m *mcpwire.Message, out Outlet) {
	e.call(ctx, c, m, call{tool: e.methodTool(m.Method()), arguments: mcpwire.MethodArguments(m.Params())}, out)
}

// call is what a message asks the gate for.
type call struct {
	tool      string
	arguments []byte
}

// call takes a message through the gate.
func (e *Engine) call(ctx context.Context, c Caller, m *mcpwire.Message, want call, out Outlet) {
	meta := m.Meta()
	p := toolverdict.Proposal{
		Door: c.Door, ID: strings.TrimPrefix(m.Key(), `"`), Tool: want.tool, Arguments: want.arguments,
		Subject: c.Subject, Run: c.Run, Session: e.sessionLabel(c), Environment: e.Environment,
		Trace: meta.Get("traceparent").Text(), Confirmation: meta.Get(metaConfirmation).Text(),
		IdempotencyKey: meta.Get(metaKey).Text(), Wait: e.Hold,
	}
	k := &courier{Engine: e, caller: c, request: m, call: want, out: out}
	p.Via = k
	if sealed := m.Params().Get("requestState"); sealed.Exists() {
		k.state = e.openState(c, want, sealed)
		e.attest(ctx, k)
		k.state.apply(&p)
	}
	if m.Modern() || c.Conn != "" || m.Kind() != mcpwire.Request {
		e.run(ctx, p, k)
		return
	}
	// The older revisions do not take a broken connection for a cancellation, and
	// a server may have the client fetch the answer on another one.
	k.handoff = make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() { e.recovered(m, k.out, recover()) }()
		e.run(context.WithoutCancel(ctx), p, k)
	}()
	select {
	case <-ended:
	case <-k.handoff:
	}
}

// run has the call decided and, where it is cleared, carried, and answers it.
func (e *Engine) run(ctx context.Context, p toolverdict.Proposal, k *courier) {
	res, err := e.Gate.Do(ctx, p)
	if err != nil {
		e.Log.Error("gate fault", "server", e.server, "call", res.CallID, "error", err)
	}
	if !res.Success && res.Error == nil {
		res.Error = &toolverdict.Refusal{Code: toolverdict.GateUnavailable, Message: "The gate gave no answer."}
	}
	e.deliver(ctx, k, res)
}

// outbound returns the client's message as it is forwarded: its own bytes, with
// the permitted arguments in the place of others, and the upstream's state in
// the place of the gate's.
func (c *courier) outbound(p toolverdict.Permit) (*mcpwire.Message, error) {
	m, err := c.state.unwrap(c.request)
	if err != nil {
		return nil, err
	}
	if m, err = withoutHostNotes(m); err != nil || m.Method() != "tools/call" {
		return m, err
	}
	if m, err = c.state.decidedOnly(m, p.Approved()); err != nil {
		return nil, err
	}
	if addresses := p.Addresses(); len(addresses) > 0 {
		told, err := json.Marshal(addresses)
		if err != nil {
			return nil, err
		}
		if m, err = m.WithMeta(mcpwire.MetaAddresses, told); err != nil {
			return nil, err
		}
	}
	sent, want := m.Params().Get("arguments"), p.Arguments()
	absent := !sent.Exists() || sent.Kind() == canon.KindNull
	if absent && string(want) == "{}" || sent.Exists() && bytes.Equal(sent.Bytes(), want) {
		return m, nil
	}
	return m.Edited(mcpwire.SetMember(m.Params(), "arguments", want))
}

// withoutHostNotes takes out of _meta what the host told the gate alone, and what
// only the gate may tell a server.
func withoutHostNotes(m *mcpwire.Message) (*mcpwire.Message, error) {
	for _, name := range []string{metaConfirmation, metaKey, mcpwire.MetaAddresses} {
		if edit, ok := mcpwire.RemoveMember(m.Meta(), name); ok {
			var err error
			if m, err = m.Edited(edit); err != nil {
				return nil, err
			}
		}
	}
	return m, nil
}

// statusFor is a status that only the modern revisions have.
func statusFor(m *mcpwire.Message, modern int) int {
	if m.Modern() {
		return modern
	}
	return http.StatusOK
}

// Malformed answers a message that the strict reader refused. Where only the
// arguments of a tools/call are at fault, the gate refuses the call, on record
// and in the form of every front; everything else is the wire's own refusal.
func (e *Engine) Malformed(ctx context.Context, c Caller, body []byte, refusal *mcpwire.Fault, out Outlet) {
	m, err := mcpwire.ParseServer(body)
	if err == nil && m.Kind() == mcpwire.Request && m.Method() == "tools/call" && m.Params().Get("name").Text() != "" {
		arguments := m.Params().Get("arguments").Bytes()
		if _, err := canon.ParseArguments(arguments, canon.Limits{}); err != nil {
			e.refuseUnread(ctx, c, m, arguments, out)
			return
		}
	}
	_ = out.Answer(refusal.Status, nil, refusal.Answer())
}

func (e *Engine) refuseUnread(ctx context.Context, c Caller, m *mcpwire.Message, arguments []byte, out Outlet) {
	k := &courier{Engine: e, caller: c, request: m, out: out}
	k.call = call{tool: mcpwire.ToolOf(e.server, m.Params().Get("name").Text()), arguments: arguments}
	e.run(ctx, toolverdict.Proposal{
		Door: c.Door, ID: strings.TrimPrefix(m.Key(), `"`), Tool: k.tool, Arguments: arguments,
		Subject: c.Subject, Run: c.Run, Session: e.sessionLabel(c), Environment: e.Environment, Via: refuser{},
	}, k)
}
