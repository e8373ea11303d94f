// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"errors"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// openAIChat is the assistant message of Chat Completions, with tool_calls, and
// of the many servers that speak it: some give the arguments as an object, or
// leave out the type.
type openAIChat struct{}

func (openAIChat) read(message canon.Value) ([]Call, error) {
	if has(message, "function_call") {
		return nil, errors.New("the message has a function_call: that is the shape " + string(OpenAIFunctions))
	}
	items, err := list(message, "tool_calls")
	if err != nil {
		return nil, err
	}
	calls := make([]Call, len(items))
	for i, item := range items {
		calls[i] = openAICall(item)
	}
	return calls, nil
}

func openAICall(item canon.Value) Call {
	if item.Kind() != canon.KindObject {
		return odd()
	}
	kind := text(item, "type")
	var c Call
	switch {
	case (kind == "function" || !has(item, "type")) && has(item, "function"):
		f, _ := item.Get("function")
		c = named(f, "name")
		c.take(f, "arguments", asObject|asText)
		if has(item, "custom") {
			c.fail("it has both a function and a custom tool")
		}
	case kind == "custom" && has(item, "custom"):
		f, _ := item.Get("custom")
		c = named(f, "name")
		c.Kind = Custom
		c.takeText(f, "input")
		if has(item, "function") {
			c.fail("it has both a function and a custom tool")
		}
	default:
		c = other(Unknown, "", kind)
	}
	c.identified(item, "id")
	return c
}

func (openAIChat) answer(a Answer) any {
	return object{"role": "tool", "tool_call_id": a.Call.ID, "content": a.text()}
}

func (openAIChat) messages(answers []any) any { return answers }

func (openAIChat) tools(all []Tool) any {
	return each(all, func(t Tool) any { return object{"type": "function", "function": openAIFunction(t)} })
}

func openAIFunction(t Tool) object {
	return object{"name": t.Name, "description": t.Description, "parameters": t.Schema}
}

// openAIFunctions is the older form, with one function_call and no id.
type openAIFunctions struct{}

func (openAIFunctions) read(message canon.Value) ([]Call, error) {
	if has(message, "tool_calls") {
		return nil, errors.New("the message has tool_calls: that is the shape " + string(OpenAIChat))
	}
	if !has(message, "function_call") {
		return nil, nil
	}
	f, _ := message.Get("function_call")
	if f.Kind() != canon.KindObject {
		return []Call{odd()}, nil
	}
	c := named(f, "name")
	c.take(f, "arguments", asText)
	return []Call{c}, nil
}

func (openAIFunctions) answer(a Answer) any {
	return object{"role": "function", "name": a.Call.Name, "content": a.text()}
}

func (openAIFunctions) messages(answers []any) any { return answers }

func (openAIFunctions) tools(all []Tool) any {
	return each(all, func(t Tool) any { return openAIFunction(t) })
}
