// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package wire

import "github.com/toolverdict/toolverdict/internal/canon"

// springAI is an AssistantMessage of Spring AI, or its toolCalls. The framework
// itself takes empty arguments for none.
type springAI struct{}

func (springAI) read(message canon.Value) ([]Call, error) {
	items, err := list(message, "toolCalls")
	if err != nil {
		return nil, err
	}
	calls := make([]Call, len(items))
	for i, item := range items {
		if item.Kind() != canon.KindObject {
			calls[i] = odd()
			continue
		}
		c := call(item, "id", "name")
		if kind := text(item, "type"); has(item, "type") && kind != "function" {
			calls[i] = other(Unknown, c.ID, kind)
			continue
		}
		c.take(item, "arguments", asText|orNone)
		if string(c.Arguments) == `""` {
			c.Arguments = []byte("{}")
		}
		calls[i] = c
	}
	return calls, nil
}

func (springAI) answer(a Answer) any {
	return object{"id": a.Call.ID, "name": a.Call.Name, "responseData": a.text()}
}

func (springAI) messages(answers []any) any {
	return []any{object{"messageType": "TOOL", "responses": answers}}
}

func (springAI) tools(all []Tool) any {
	return each(all, func(t Tool) any {
		return object{"name": t.Name, "description": t.Description, "inputSchema": string(t.Schema)}
	})
}
