// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package envoy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/httpgate/internal/calls"
	"github.com/toolverdict/toolverdict/httpgate/internal/web"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

// Members of _meta by which a host tells the gate about a call. The server may see
// them: they are worth nothing without the caller's key.
const (
	own              = "toolverdict/"
	metaConfirmation = own + "confirmation"
	metaKey          = own + "idempotencyKey"
)

// message takes one message of a client.
func (v *visit) message(m *mcpwire.Message) {
	if m.Kind() == mcpwire.Response {
		v.response(m)
		return
	}
	if why := undecided(m); why != "" { // of what passes by itself, too: it reaches the server
		v.invalid(m, why)
		return
	}
	if mcpwire.Passive(m.Method()) {
		v.pass("")
		return
	}
	if m.Method() != "tools/call" {
		v.decide(m, mcpwire.MethodTool(v.route.Server, m.Method()), mcpwire.MethodArguments(m.Params()))
		return
	}
	name := m.Params().Get("name").Text()
	if name == "" {
		v.invalid(m, "params.name must be the name of a tool")
		return
	}
	arguments := m.Params().Get("arguments")
	if arguments.Kind() == canon.KindString { // the gate would decide on what is in it, and the server get the text
		v.invalid(m, "params.arguments must be an object")
		return
	}
	v.decide(m, mcpwire.ToolOf(v.route.Server, name), arguments.Bytes())
}

// response lets a client answer a ping, and decline. What a server asked for was
// never seen here, so nothing is handed to it.
func (v *visit) response(m *mcpwire.Message) {
	empty := m.Result().Kind() == canon.KindObject
	for range m.Result().Members() {
		empty = false
	}
	if m.Error().Exists() || empty {
		v.pass("")
		return
	}
	v.invalid(m, "this gate does not see what the server asked, so no answer with content passes")
}

// undecided says what of a message would reach the server without being decided.
func undecided(m *mcpwire.Message) string {
	for name, value := range m.Params().Members() {
		switch {
		case name == "requestState" || name == "inputResponses":
			return "requestState and inputResponses do not pass: this gate does not see what the server asked"
		case m.Method() != "tools/call":
			continue
		case name == "task" && !mcpwire.OnlyTTL(value):
			return "params.task may hold a ttl and nothing else"
		case !slices.Contains([]string{"name", "arguments", "_meta", "task"}, name):
			return "params may hold name, arguments, _meta and task: nothing else of a call is decided"
		}
	}
	for name := range m.Meta().Members() {
		// The addresses in it are the gate's word to servers.
		if strings.HasPrefix(canon.Fold(name), own) && name != metaConfirmation && name != metaKey {
			return "params._meta may hold nothing of the gate's own"
		}
	}
	return ""
}

func (v *visit) invalid(m *mcpwire.Message, why string) {
	v.answer(mcpwire.ErrorResponse(idOf(m), mcpwire.CodeInvalidParams, why, nil))
}

// idOf is the id of a request. What answers another message has none.
func idOf(m *mcpwire.Message) mcpwire.Node {
	if m.Kind() != mcpwire.Request {
		return mcpwire.Node{}
	}
	return m.ID()
}

func (v *visit) readable(arguments []byte) bool {
	_, err := canon.ParseArguments(arguments, v.Calls.Bodies.Limits)
	return err == nil
}

// decide claims a call.
func (v *visit) decide(m *mcpwire.Message, tool string, arguments []byte) {
	ctx, meta := v.r.Context(), m.Meta()
	c, err := v.Calls.Plain(ctx, v.by, calls.Plain{Tool: tool, Arguments: arguments})
	if err != nil {
		web.Fail(v.w, err)
		return
	}
	p := &c.Proposal
	p.Door, p.ID, p.Trace = tv.DoorEnvoy, strings.TrimPrefix(m.Key(), `"`), meta.Get("traceparent").Text()
	p.Confirmation, p.IdempotencyKey = meta.Get(metaConfirmation).Text(), meta.Get(metaKey).Text()
	p.Run.ReadOnly = p.Run.ReadOnly || v.route.ReadOnly
	// A session's id is the client's word here: one made up for each call would have
	// a count of its own.
	p.Session = "subject:" + v.by.ID
	permit, res, err := v.Gate.Check(ctx, *p)
	v.told(err)
	switch {
	case permit.Valid() && res.Success:
		v.leave(m, permit, &res, arguments)
	case res.Success:
		v.refusal(m, &res, "This very call was passed on already, and is not passed on again.")
	default:
		v.Words.Explain(ctx, &c, &res)
		v.refusal(m, &res, "")
	}
}

// leave passes a call on, if what was decided is what Envoy holds.
func (v *visit) leave(m *mcpwire.Message, p tv.Permit, res *tv.Result, sent []byte) {
	ctx := v.r.Context()
	instead := ""
	switch {
	case res.Edited != nil:
		instead = "An approver changed this call, and a proxy cannot change it. It was not passed on. Make it anew as it was approved, if that still serves the user." + changes(res.Edited)
	case !same(sent, p.Arguments()):
		instead = "The call was approved with its arguments in another spelling. It was not passed on. Make it anew, spelt as it was when it was asked about."
	case ctx.Err() != nil: // Envoy has refused it by now
		instead = "Envoy did not wait for the answer. The call was not passed on."
	}
	if instead != "" {
		_, err := v.Gate.Report(ctx, p, tv.Outcome{Status: tv.NotSent, Code: tv.ToolError, Message: instead})
		v.told(err)
		v.refusal(m, res, instead)
		return
	}
	_, err := v.Gate.Report(ctx, p, tv.Outcome{Status: tv.Unknown, Code: tv.ToolError, Message: "passed on by Envoy, which does not tell what came of it"})
	if err != nil {
		v.told(err)
		v.refusal(m, res, "The gate could not record that the call is passed on, so it was not.")
		return
	}
	v.pass(p.CallID())
}

// same reports whether the arguments that Envoy holds are the very bytes that were
// decided. None, and null, stand for an empty object.
func same(sent, decided []byte) bool {
	if len(sent) == 0 || string(sent) == "null" {
		return string(decided) == "{}"
	}
	return bytes.Equal(sent, decided)
}

func changes(e *tv.Edited) string {
	var b strings.Builder
	for _, c := range e.Changes {
		fmt.Fprintf(&b, " %s: %s.", c.Path, c.After)
	}
	return b.String()
}

// refusal answers a call that is not passed on.
func (v *visit) refusal(m *mcpwire.Message, res *tv.Result, instead string) {
	text := instead
	if res.Error != nil && instead == "" {
		text = string(res.Error.Code) + ": " + res.Error.Message
		if next := res.Error.RecommendedAction; next != "" {
			text += " " + next
		}
		if c := res.Confirmation; c != nil && v.BaseURL != "" && res.Error.Code == tv.ConfirmationRequired {
			text += " " + strings.TrimSuffix(v.BaseURL, "/") + "/approvals/" + c.ID
		}
	}
	if text == "" {
		text = "The gate gave neither leave nor a refusal, so the call was not passed on."
	}
	var data []byte
	if instead == "" {
		var err error
		data, err = json.Marshal(res)
		v.told(err)
	}
	v.answer(mcpwire.ErrorResponse(idOf(m), mcpwire.CodeRefused, text, data))
}

// told logs what the gate could not do; the caller has its refusal.
func (v *visit) told(err error) {
	if err != nil {
		v.Log.Error("check", "door", tv.DoorEnvoy, "error", err)
	}
}
