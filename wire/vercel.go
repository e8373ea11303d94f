// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"errors"
	"slices"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// vercel is an assistant message of the Vercel AI SDK, or a result with its
// toolCalls, or the parts of either.
type vercel struct{}

func (vercel) read(message canon.Value) ([]Call, error) {
	member := "content"
	if has(message, "toolCalls") {
		member = "toolCalls"
	}
	content, _ := message.Get("content")
	switch {
	case member == "toolCalls" && content.Kind() == canon.KindArray:
		return nil, errors.New("there are toolCalls and content, which may say different things: send one of them")
	case member == "content" && content.Kind() == canon.KindString:
		return nil, nil
	}
	parts, err := list(message, member)
	if err != nil {
		return nil, err
	}
	var calls []Call
	for _, part := range parts {
		kind := text(part, "type")
		switch {
		case part.Kind() != canon.KindObject:
			calls = append(calls, odd())
		case kind == "tool-call":
			calls = append(calls, vercelCall(part))
		case slices.Contains(vercelTalk(), kind):
		default:
			calls = append(calls, other(Unknown, text(part, "toolCallId"), kind))
		}
	}
	return calls, nil
}

// vercelTalk are the parts that ask for nothing.
func vercelTalk() []string {
	return []string{
		"text", "reasoning", "file", "reasoning-file", "source", "step-start", "tool-result", "tool-error",
		"tool-approval-request", "tool-approval-response",
	}
}

func vercelCall(part canon.Value) Call {
	c := call(part, "toolCallId", "toolName")
	if mayBe(part, "providerExecuted") {
		return other(Hosted, c.ID, "tool-call:"+c.Name)
	}
	c.take(part, "input", asObject|asText)
	if mayBe(part, "invalid") {
		c.fail("the framework could not read it")
	}
	return c
}

func (vercel) answer(a Answer) any {
	out := object{"type": "json", "value": a.content()}
	if !a.OK {
		out = object{"type": "error-json", "value": a.content()}
	}
	return object{"type": "tool-result", "toolCallId": a.Call.ID, "toolName": a.Call.Name, "output": out}
}

func (vercel) messages(answers []any) any { return []any{object{"role": "tool", "content": answers}} }

func (vercel) tools(all []Tool) any {
	return each(all, func(t Tool) any {
		return object{"type": "function", "name": t.Name, "description": t.Description, "inputSchema": t.Schema}
	})
}
