// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"slices"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// anthropic is an assistant message of Anthropic's Messages, or its content.
type anthropic struct{}

func (anthropic) read(message canon.Value) ([]Call, error) {
	if content, _ := message.Get("content"); content.Kind() == canon.KindString {
		return nil, nil
	}
	blocks, err := list(message, "content")
	if err != nil {
		return nil, err
	}
	var calls []Call
	for _, block := range blocks {
		kind := text(block, "type")
		switch {
		case block.Kind() != canon.KindObject:
			calls = append(calls, odd())
		case kind == "tool_use":
			c := call(block, "id", "name")
			if c.Server = text(block, "toolset_name"); c.Server == "" && has(block, "toolset_name") {
				c.fail("its toolset_name is no text")
			}
			c.take(block, "input", asObject)
			calls = append(calls, c)
		case kind == "server_tool_use", kind == "mcp_tool_use":
			calls = append(calls, other(Hosted, text(block, "id"), kind+":"+text(block, "name")))
		case slices.Contains(anthropicTalk(), kind):
		default:
			calls = append(calls, other(Unknown, text(block, "id"), kind))
		}
	}
	return calls, nil
}

// anthropicTalk are the blocks that ask for nothing.
func anthropicTalk() []string {
	return []string{
		"text", "thinking", "redacted_thinking", "image", "document", "search_result", "container_upload", "compaction", "tool_result",
		"web_search_tool_result", "web_fetch_tool_result", "code_execution_tool_result", "bash_code_execution_tool_result",
		"text_editor_code_execution_tool_result", "tool_search_tool_result", "mcp_tool_result",
	}
}

// What the provider ran has its result already, and a second one would be
// refused: the model is told in a text.
func (anthropic) answer(a Answer) any {
	if a.Call.Kind != Function {
		return object{"type": "text", "text": "Call " + a.Call.ID + ": " + a.text()}
	}
	block := object{"type": "tool_result", "tool_use_id": a.Call.ID, "content": a.text()}
	if !a.OK {
		block["is_error"] = true
	}
	return block
}

func (anthropic) messages(answers []any) any {
	return []any{object{"role": "user", "content": answers}}
}

func (anthropic) tools(all []Tool) any {
	return each(all, func(t Tool) any {
		return object{"name": t.Name, "description": t.Description, "input_schema": t.Schema}
	})
}
