// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

var _ tv.Executor = (*Peer)(nil)

// Execute implements [tv.Executor]: it sends the permitted arguments, byte for
// byte, once.
func (p *Peer) Execute(ctx context.Context, permit tv.Permit) tv.Outcome {
	if !permit.Valid() {
		return notSent("the permit is not one of the gate's")
	}
	tool := permit.Tool()
	name := strings.TrimPrefix(tool.Name(), tool.Server()+"/")
	method, params := "tools/call", permit.Arguments()
	if m, ok := strings.CutPrefix(name, "@"); ok {
		method = m
	} else {
		b := canon.AppendString([]byte(`{"name":`), name)
		params = append(append(b, `,"arguments":`...), permit.Arguments()...)
		if addresses := permit.Addresses(); len(addresses) > 0 {
			told, err := json.Marshal(addresses)
			if err != nil {
				return notSent("the addresses that it was decided on cannot be written")
			}
			params = append(canon.AppendString(append(params, `,"_meta":{`...), mcpwire.MetaAddresses), ':')
			params = append(append(params, told...), '}')
		}
		params = append(params, '}')
	}
	mirrored, err := mcpwire.ParamHeaders(tool.Definition().InputSchema)
	if err != nil {
		return notSent("the tool's schema asks for headers that are not valid")
	}
	got, err := p.again(ctx, method, params, mirrored)
	if err != nil {
		return Lost(ctx, err)
	}
	o := Answered(got.message)
	if o.Status == tv.Paused {
		return tv.Outcome{Status: tv.Failed, Code: tv.ToolError, Message: "The tool asks for more input, which this front door cannot give."}
	}
	return o
}

// Answered reads what a response says came of the call.
func Answered(m *mcpwire.Message) tv.Outcome {
	if m.Error().Exists() {
		return tv.Outcome{Status: tv.Failed, Code: tv.ToolError, Content: m.Error().Bytes(),
			Message: fmt.Sprintf("The server answered with error %d.", m.ErrorCode())}
	}
	o := tv.Outcome{Status: tv.Succeeded, Content: m.Result().Bytes()}
	switch {
	case m.Result().Get("isError").IsTrue():
		o.Status, o.Code, o.Message = tv.Failed, tv.ToolError, firstText(m.Result())
	case m.Result().Get("resultType").Text() == "input_required":
		o.Status = tv.Paused
	}
	return o
}

// firstText is whole: the gate cuts it, after the secrets in it are hidden.
func firstText(result mcpwire.Node) string {
	for _, item := range result.Get("content").Items() {
		if text := item.Get("text").Text(); text != "" {
			return text
		}
	}
	return ""
}

func notSent(why string) tv.Outcome {
	return tv.Outcome{Status: tv.NotSent, Code: tv.ToolError, Message: "Nothing was sent to the tool: " + why + "."}
}

// Lost tells what an exchange without an answer means for the call. Where it is
// not certain that the tool was never reached, or refused, that is unknown.
func Lost(ctx context.Context, err error) tv.Outcome {
	o := tv.Outcome{Status: tv.Unknown, Code: tv.ToolError, Message: "The server's answer was lost."}
	switch {
	case errors.Is(err, mcpwire.ErrNoSession):
		return notSent("the server does not know the session any more")
	case errors.Is(err, mcpwire.ErrNotSent):
		return notSent("the server cannot be reached")
	case errors.Is(err, mcpwire.ErrRefused):
		o.Status, o.Message = tv.Failed, "The server refused the gate's request."
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		o.Code, o.Message = tv.ToolTimeout, "The tool did not answer in time."
	case ctx.Err() != nil:
		o.Message = "The caller took the call back while it ran."
	case errors.Is(err, mcpwire.ErrTooLarge):
		o.Message = "The server's answer is larger than the gate takes."
	}
	return o
}
