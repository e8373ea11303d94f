// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"errors"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// plain is the gate's own form: one call, or a list of them. Tools go by their
// full names.
type plain struct{}

func (plain) read(message canon.Value) ([]Call, error) {
	items := []canon.Value{message}
	if has(message, "calls") && has(message, "tool") {
		return nil, errors.New("the message has both a tool and calls: send one of them")
	}
	if message.Kind() == canon.KindArray || has(message, "calls") {
		var err error
		if items, err = list(message, "calls"); err != nil {
			return nil, err
		}
	}
	calls := make([]Call, len(items))
	for i, item := range items {
		if item.Kind() != canon.KindObject {
			calls[i] = odd()
			continue
		}
		calls[i] = call(item, "id", "tool")
		calls[i].take(item, "arguments", asObject|asText|orNone)
	}
	return calls, nil
}

func (plain) answer(a Answer) any {
	return object{"id": a.Call.ID, "tool": a.Call.Name, "success": a.OK, "content": a.content()}
}

func (plain) messages(answers []any) any { return answers }

func (plain) tools(all []Tool) any {
	return each(all, func(t Tool) any {
		return object{"name": t.Name, "description": t.Description, "inputSchema": t.Schema}
	})
}
