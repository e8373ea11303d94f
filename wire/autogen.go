// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package wire

import "github.com/toolverdict/toolverdict/internal/canon"

// autoGen is a ToolCallRequestEvent or an AssistantMessage of AutoGen, or its
// list of FunctionCall. AG2 speaks openai-chat.
type autoGen struct{}

func (autoGen) read(message canon.Value) ([]Call, error) {
	if content, _ := message.Get("content"); content.Kind() == canon.KindString {
		return nil, nil
	}
	items, err := list(message, "content")
	if err != nil {
		return nil, err
	}
	calls := make([]Call, len(items))
	for i, item := range items {
		if item.Kind() != canon.KindObject {
			calls[i] = odd()
			continue
		}
		calls[i] = call(item, "id", "name")
		calls[i].take(item, "arguments", asText)
	}
	return calls, nil
}

func (autoGen) answer(a Answer) any {
	return object{"call_id": a.Call.ID, "name": a.Call.Name, "content": a.text(), "is_error": !a.OK}
}

func (autoGen) messages(answers []any) any {
	return []any{object{"type": "FunctionExecutionResultMessage", "content": answers}}
}

func (autoGen) tools(all []Tool) any {
	return each(all, func(t Tool) any {
		f := openAIFunction(t)
		f["strict"] = false
		return f
	})
}
