// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// deliver answers the client. What the upstream answered goes on as it is, but
// for what was redacted, as soon as what came of the call is recorded; a
// refusal of the gate's becomes an answer of the gate's.
func (e *Engine) deliver(ctx context.Context, k *courier, res toolverdict.Result) {
	if k.final == nil && k.refused == nil || res.Error != nil && res.Content == nil && k.final != nil {
		e.deliverOwn(ctx, k, res)
		return
	}
	if k.final == nil {
		_ = k.out.Answer(k.reply.Status, k.reply.Header, e.redact(k.refused))
		return
	}
	if res.Paused {
		if refusal, ok := e.questionsAllowed(ctx, k, res); !ok {
			e.refuse(k, refusal)
			return
		}
	}
	body, err := e.answered(k, res)
	if err != nil {
		e.Log.Error("put the recorded content into the answer", "server", e.server, "error", err)
		_ = k.out.Answer(http.StatusBadGateway, nil, fault(k.request, mcpwire.CodeUpstream, "The upstream's answer could not be passed on."))
		return
	}
	if k.reply.Stream {
		_ = k.out.Send(k.event.Replaced(body))
		return
	}
	_ = k.out.Answer(k.reply.Status, k.reply.Header, body)
}

// answered returns the upstream's response with the content that was recorded.
func (e *Engine) answered(k *courier, res toolverdict.Result) ([]byte, error) {
	m := k.final
	at := m.Result()
	if m.Error().Exists() {
		at = m.Error()
	}
	content := res.Content
	if k.request.Method() == "tools/call" {
		content = tellChanges(content, res.Edited)
	}
	if !bytes.Equal(at.Bytes(), content) {
		var err error
		if m, err = m.Edited(mcpwire.Replace(at, content)); err != nil {
			return nil, err
		}
	}
	if res.Paused {
		sealed := e.sealState(k.caller, k.call, state{
			Continues: res.Resume, Upstream: textOf(m.Result().Get("requestState")),
			Expires: e.Now().Add(stateLife).Unix(),
		})
		var err error
		if m, err = m.Edited(mcpwire.SetMember(m.Result(), "requestState", canon.Quote(sealed))); err != nil {
			return nil, err
		}
	}
	return e.Tasks.Out(private(e.listedTasks(k, m), k.request.Method()), e.taskOwner(k.caller)...), nil
}

// listedTasks empties a list of tasks where the upstream cannot tell whose they
// are.
func (e *Engine) listedTasks(k *courier, m *mcpwire.Message) *mcpwire.Message {
	tasks := m.Result().Get("tasks")
	if k.request.Method() != "tasks/list" || e.Tasks.Lists || !tasks.Exists() {
		return m
	}
	return edited(m, mcpwire.Replace(tasks, []byte("[]")))
}

func textOf(n mcpwire.Node) *string {
	if n.Kind() != canon.KindString {
		return nil
	}
	s := n.Text()
	return &s
}

// deliverOwn answers with the gate's own words.
func (e *Engine) deliverOwn(ctx context.Context, k *courier, res toolverdict.Result) {
	m := k.request
	if m.Kind() != mcpwire.Request {
		// Nobody reads an answer to a notification, but HTTP says whether it was taken.
		status := http.StatusAccepted
		if res.Error != nil {
			status = http.StatusForbidden
		}
		_ = k.out.Answer(status, nil, nil)
		return
	}
	if res.Success {
		again := mcpwire.ResultResponse(m.ID(), replayed(res))
		_ = k.out.Answer(http.StatusOK, nil, e.Tasks.Out(again, e.taskOwner(k.caller)...))
		return
	}
	body, ok := e.question(ctx, k, res)
	if !ok {
		body, ok = e.startTask(ctx, k, res)
	}
	if ok {
		_ = k.out.Answer(http.StatusOK, nil, mcpwire.ResultResponse(m.ID(), body))
		return
	}
	e.refuse(k, res)
}

// replayed is the stored answer of a call that was done before.
func replayed(res toolverdict.Result) []byte {
	if res.Content == nil {
		res.Content = []byte(`{"content":[{"type":"text","text":"The call was done already."}]}`)
	}
	return tellChanges(res.Content, res.Edited)
}

// refuse answers with a refusal: a tool's in the shape of a result, so that the
// model reads it and can adapt; any other method's as an error.
func (e *Engine) refuse(k *courier, res toolverdict.Result) {
	m := k.request
	reason, held := e.Tools.Quarantined(k.tool)
	if held && res.Error.Code == toolverdict.UnknownTool {
		waits := *res.Error
		waits.Message = "This tool waits for an operator's review and cannot be called: " + plain.Line(strings.TrimSuffix(reason, ".")) + "."
		waits.RecommendedAction = "Ask an operator to review it with: toolverdict tools diff."
		res.Error = &waits
	}
	text, data := e.said(res)
	switch {
	case m.Method() == "tools/call" && res.Error.Code == toolverdict.UnknownTool && !held:
		// As the protocol has it. What is hidden or held back never looks like this.
		_ = k.out.Answer(statusFor(m, http.StatusBadRequest), nil, mcpwire.ErrorResponse(m.ID(), mcpwire.CodeInvalidParams, text, data))
	case k.state != nil && k.state.forged && res.Error.Code == toolverdict.ConfirmationInvalid:
		_ = k.out.Answer(statusFor(m, http.StatusBadRequest), nil,
			mcpwire.ErrorResponse(m.ID(), mcpwire.CodeInvalidParams, "requestState is not valid for this call: make the call again without it.", data))
	case m.Method() == "tools/call":
		_ = k.out.Answer(http.StatusOK, nil, mcpwire.ResultResponse(m.ID(), e.refusedTool(k.tool, m.Modern(), text, data)))
	case res.Error.Code == toolverdict.UnknownTool && !acting(m.Method()):
		_ = k.out.Answer(statusFor(m, http.StatusNotFound), nil,
			mcpwire.ErrorResponse(m.ID(), mcpwire.CodeMethodNotFound, "The gate does not forward this method.", data))
	default:
		_ = k.out.Answer(http.StatusOK, nil, mcpwire.ErrorResponse(m.ID(), mcpwire.CodeRefused, text, data))
	}
}

// said is a refusal in words and as data.
func (e *Engine) said(res toolverdict.Result) (text string, data []byte) {
	text = e.explain(res)
	res.Content = nil
	data, err := json.Marshal(res)
	if err != nil {
		data = []byte("null")
	}
	return text, data
}

// refusal is a refusal as the result of a tool, for a client of the modern era.
func (e *Engine) refusal(tool string, res toolverdict.Result) []byte {
	text, data := e.said(res)
	return e.refusedTool(tool, true, text, data)
}

// refusedTool is the result of a tool that was not run, or whose answer was lost.
func (e *Engine) refusedTool(tool string, modern bool, text string, data []byte) []byte {
	b := append([]byte(`{"content":[{"type":"text","text":`), canon.Quote(text)...)
	b = append(b, `}],"isError":true,`...)
	if modern {
		b = append(b, `"resultType":"complete",`...)
	}
	if t, ok := e.Tools.Tool(tool); ok && len(t.Definition().OutputSchema) > 0 {
		// Clients hold structured content against the tool's output schema, and
		// some then drop the whole answer.
		b = append(append(append(b, `"_meta":{"toolverdict/result":`...), data...), '}')
	} else {
		b = append(append(b, `"structuredContent":`...), data...)
	}
	return append(b, '}')
}

// explain is what a model reads: what was refused, why, and what to do next.
func (e *Engine) explain(res toolverdict.Result) string {
	r := res.Error
	text := r.Message
	if text != "" && !strings.ContainsAny(text[len(text)-1:], ".!?") {
		text += "."
	}
	if res.Edited != nil {
		text += " " + changesInWords(res.Edited)
	}
	if c := res.Confirmation; c != nil && r.Code == toolverdict.ConfirmationRequired {
		if link := e.link(c.ID); link != "" {
			text += " It can be approved at " + link + " by somebody who may."
		}
	}
	if r.RecommendedAction != "" {
		text += " " + r.RecommendedAction
	}
	text += " (" + string(r.Code)
	if res.CallID != "" {
		text += ", call " + res.CallID
	}
	return plain.Line(text + ")")
}

func (e *Engine) link(id string) string {
	if e.ApprovalURL == "" {
		return ""
	}
	return e.ApprovalURL + id
}

// tellChanges has a tool's answer begin with what an approver changed in the
// call: a model that does not know would take it for the answer to what it
// asked. What is no answer of a tool is returned as it is.
func tellChanges(result json.RawMessage, e *toolverdict.Edited) json.RawMessage {
	if e == nil {
		return result
	}
	v, err := canon.ParseObject(result, canon.Limits{MaxBytes: canon.HardMaxBytes, MaxDepth: canon.HardMaxDepth, AllowFoldedSiblings: true})
	if err != nil {
		return result
	}
	content, _ := v.Get("content")
	if content.Kind() != canon.KindArray {
		return result
	}
	told := append([]byte(`[{"type":"text","text":`), canon.Quote(changesInWords(e))...)
	told = append(told, '}')
	if content.Len() > 0 {
		told = append(told, ',')
	}
	told = append(told, content.Raw()[1:]...)
	out, err := canon.Splice([]byte(v.Document()), canon.Replace(content, told))
	if err != nil {
		return result
	}
	return out
}

// changesInWords is what a model reads of a change.
func changesInWords(e *toolverdict.Edited) string {
	said := func(value json.RawMessage) string { return cmp.Or(string(value), "nothing") }
	parts := make([]string, len(e.Changes))
	for i, c := range e.Changes {
		parts[i] = fmt.Sprintf("%s: %s is now %s", c.Path, said(c.Before), said(c.After))
	}
	text := fmt.Sprintf("An approver (%s) changed this call before it was approved: %s.", e.By, strings.Join(parts, "; "))
	if e.More > 0 {
		text += fmt.Sprintf(" %d more changes are not listed.", e.More)
	}
	if e.Reason != "" {
		text += " The reason given: " + e.Reason
	}
	return plain.Line(text)
}
