// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"encoding/json"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// mcp is a tools/call request of the Model Context Protocol, or a list of them.
type mcp struct{}

func (mcp) read(message canon.Value) ([]Call, error) {
	items := []canon.Value{message}
	if message.Kind() == canon.KindArray {
		items = message.Elems()
	}
	calls := make([]Call, len(items))
	for i, item := range items {
		calls[i] = mcpCall(item)
	}
	return calls, nil
}

func mcpCall(item canon.Value) Call {
	if item.Kind() != canon.KindObject {
		return odd()
	}
	var c Call
	if method := text(item, "method"); method == "tools/call" {
		params, _ := item.Get("params")
		c = named(params, "name")
		c.take(params, "arguments", asObject|orNone)
	} else {
		c = other(Unknown, "", method)
	}
	switch id, _ := item.Get("id"); id.Kind() {
	case canon.KindString, canon.KindNumber:
		// 1 and "1" are two ids.
		c.ID, c.rawID = id.RawText(), id.Raw()
		if id.Kind() == canon.KindNumber {
			c.ID = id.Number().String()
		}
	default:
		c.fail("it has no id, so nobody could be told what came of it")
	}
	return c
}

func (mcp) answer(a Answer) any {
	id := a.Call.rawID
	if id == nil {
		id = json.RawMessage("null")
	}
	return object{"jsonrpc": "2.0", "id": id, "result": object{
		"content": []any{object{"type": "text", "text": a.text()}}, "isError": !a.OK,
	}}
}

func (mcp) messages(answers []any) any { return answers }

func (mcp) tools(all []Tool) any {
	return object{"tools": each(all, func(t Tool) any {
		return object{"name": t.Name, "description": t.Description, "inputSchema": t.Schema}
	})}
}
