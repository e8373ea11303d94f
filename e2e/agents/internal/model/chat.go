// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package model

import (
	"encoding/json"
	"fmt"
	"io"
)

// chat is the Chat Completions API.
type chat struct{}

func (chat) read(body []byte) ([]spoken, []string, error) {
	var in struct {
		Messages []struct {
			Role       string
			Content    json.RawMessage
			ToolCalls  []struct{ Function struct{ Name string } } `json:"tool_calls"`
			ToolCallID string                                     `json:"tool_call_id"`
		}
		Tools []struct{ Function struct{ Name string } }
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, nil, err
	}
	var said []spoken
	for _, m := range in.Messages {
		switch m.Role {
		case "system", "developer":
		case "tool":
			said = append(said, spoken{results: []Result{{m.ToolCallID, flat(m.Content)}}})
		default:
			s := spoken{model: m.Role == "assistant", text: flat(m.Content)}
			for _, c := range m.ToolCalls {
				s.calls = append(s.calls, c.Function.Name)
			}
			said = append(said, s)
		}
	}
	tools := make([]string, 0, len(in.Tools))
	for _, t := range in.Tools {
		tools = append(tools, t.Function.Name)
	}
	return said, tools, nil
}

func (chat) write(w io.Writer, a answer, whole bool) error {
	message, stop := object{"role": "assistant", "content": a.text}, "stop"
	calls := make([]object, 0, len(a.calls))
	for i, c := range a.calls {
		calls = append(calls, object{"index": i, "id": c.id, "type": "function", "function": object{"name": c.Name, "arguments": c.input}})
	}
	if len(calls) > 0 {
		message["tool_calls"], stop = calls, "tool_calls"
	}
	usage := object{"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
	of := func(choice object) object {
		return object{"id": fmt.Sprintf("chat_%d", a.n), "object": "chat.completion.chunk", "created": 1, "model": a.model, "choices": []object{choice}}
	}
	if whole {
		out := of(object{"index": 0, "message": message, "finish_reason": stop})
		out["object"], out["usage"] = "chat.completion", usage
		return json.NewEncoder(w).Encode(out)
	}
	if err := event(w, "", of(object{"index": 0, "delta": message, "finish_reason": nil})); err != nil {
		return err
	}
	last := of(object{"index": 0, "delta": object{}, "finish_reason": stop})
	last["usage"] = usage
	if err := event(w, "", last); err != nil {
		return err
	}
	_, err := io.WriteString(w, "data: [DONE]\n\n")
	return err
}
