// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"slices"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// bedrock is an assistant message of Amazon Bedrock's Converse, or its content.
type bedrock struct{}

func (bedrock) read(message canon.Value) ([]Call, error) {
	blocks, err := list(message, "content")
	if err != nil {
		return nil, err
	}
	var calls []Call
	for _, block := range blocks {
		if block.Kind() != canon.KindObject {
			calls = append(calls, odd())
			continue
		}
		for name, v := range block.Fields() {
			switch {
			case name == "toolUse":
				calls = append(calls, bedrockCall(v))
			case !slices.Contains(bedrockTalk(), name):
				calls = append(calls, other(Unknown, "", name))
			}
		}
	}
	return calls, nil
}

// bedrockTalk are the blocks that ask for nothing.
func bedrockTalk() []string {
	return []string{
		"text", "image", "document", "video", "audio", "guardContent", "cachePoint", "reasoningContent", "citationsContent",
		"searchResult", "toolResult",
	}
}

func bedrockCall(use canon.Value) Call {
	if use.Kind() != canon.KindObject {
		return odd()
	}
	c := call(use, "toolUseId", "name")
	if kind := text(use, "type"); has(use, "type") {
		if kind == "server_tool_use" {
			return other(Hosted, c.ID, kind+":"+c.Name)
		}
		return other(Unknown, c.ID, kind)
	}
	c.take(use, "input", asObject)
	return c
}

func (bedrock) answer(a Answer) any {
	if a.Call.Kind != Function {
		return object{"text": "Call " + a.Call.ID + ": " + a.text()}
	}
	status := "error"
	if a.OK {
		status = "success"
	}
	return object{"toolResult": object{
		"toolUseId": a.Call.ID, "status": status, "content": []any{object{"text": a.text()}},
	}}
}

func (bedrock) messages(answers []any) any { return []any{object{"role": "user", "content": answers}} }

func (bedrock) tools(all []Tool) any {
	return object{"tools": each(all, func(t Tool) any {
		return object{"toolSpec": object{"name": t.Name, "description": t.Description, "inputSchema": object{"json": t.Schema}}}
	})}
}
