// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package wire

import "github.com/toolverdict/toolverdict/internal/canon"

// langChain is an AIMessage of LangChain, or its tool_calls. The calls that it
// could not parse stand in a list of their own, which no tool is run for.
type langChain struct{}

func (langChain) read(message canon.Value) ([]Call, error) {
	items, err := list(message, "tool_calls")
	if err != nil {
		return nil, err
	}
	var calls []Call
	for _, item := range items {
		if item.Kind() != canon.KindObject {
			calls = append(calls, odd())
			continue
		}
		c := call(item, "id", "name")
		if kind := text(item, "type"); has(item, "type") && kind != "tool_call" {
			c = other(Unknown, c.ID, kind)
		} else {
			c.take(item, "args", asObject)
		}
		calls = append(calls, c)
	}
	if message.Kind() != canon.KindObject {
		return calls, nil
	}
	broken, err := list(message, "invalid_tool_calls")
	if err != nil {
		return nil, err
	}
	for _, item := range broken {
		c := call(item, "id", "name")
		c.Fault = "the framework could not read its arguments"
		calls = append(calls, c)
	}
	return calls, nil
}

func (langChain) answer(a Answer) any {
	status := "error"
	if a.OK {
		status = "success"
	}
	return object{"role": "tool", "type": "tool", "tool_call_id": a.Call.ID, "name": a.Call.Name, "status": status, "content": a.text()}
}

func (langChain) messages(answers []any) any { return answers }

func (langChain) tools(all []Tool) any { return openAIChat{}.tools(all) }
