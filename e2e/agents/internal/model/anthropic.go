// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package model

import (
	"encoding/json"
	"fmt"
	"io"
)

// anthropic is the Messages API.
type anthropic struct{}

func (anthropic) read(body []byte) ([]spoken, []string, error) {
	var in struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		Tools []struct{ Name string }
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, nil, err
	}
	said := make([]spoken, 0, len(in.Messages))
	for _, m := range in.Messages {
		s := spoken{model: m.Role == "assistant"}
		var parts []struct {
			Type, Text, Name string
			ToolUseID        string `json:"tool_use_id"`
			Content          json.RawMessage
		}
		if json.Unmarshal(m.Content, &parts) != nil {
			s.text = flat(m.Content)
		}
		for _, p := range parts {
			switch p.Type {
			case "text":
				s.text += p.Text + "\n"
			case "tool_use":
				s.calls = append(s.calls, p.Name)
			case "tool_result":
				s.results = append(s.results, Result{p.ToolUseID, flat(p.Content)})
			}
		}
		said = append(said, s)
	}
	tools := make([]string, 0, len(in.Tools))
	for _, t := range in.Tools {
		tools = append(tools, t.Name)
	}
	return said, tools, nil
}

func (anthropic) write(w io.Writer, a answer, whole bool) error {
	usage := object{"input_tokens": 10, "output_tokens": 10}
	blocks, stop := []object{}, "end_turn"
	if a.text != "" {
		blocks = append(blocks, object{"type": "text", "text": a.text})
	}
	for _, c := range a.calls {
		stop = "tool_use"
		blocks = append(blocks, object{"type": "tool_use", "id": c.id, "name": c.Name, "input": json.RawMessage(c.input)})
	}
	message := object{
		"id": fmt.Sprintf("msg_%d", a.n), "type": "message", "role": "assistant", "model": a.model, "content": blocks,
		"stop_reason": stop, "stop_sequence": nil, "usage": usage,
	}
	if whole {
		return json.NewEncoder(w).Encode(message)
	}
	message["content"], message["stop_reason"] = []object{}, nil
	if err := event(w, "message_start", object{"type": "message_start", "message": message}); err != nil {
		return err
	}
	for i, b := range blocks {
		if err := anthropicBlock(w, i, b); err != nil {
			return err
		}
	}
	if err := event(w, "message_delta", object{"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": usage}); err != nil {
		return err
	}
	return event(w, "message_stop", object{"type": "message_stop"})
}

// anthropicBlock streams one block: its begin, its content in one piece, its end.
func anthropicBlock(w io.Writer, i int, b object) error {
	start, delta := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": b["text"]}
	if b["type"] == "tool_use" {
		start = object{"type": "tool_use", "id": b["id"], "name": b["name"], "input": object{}}
		input, _ := b["input"].(json.RawMessage)
		delta = object{"type": "input_json_delta", "partial_json": string(input)}
	}
	for _, e := range []object{
		{"type": "content_block_start", "index": i, "content_block": start},
		{"type": "content_block_delta", "index": i, "delta": delta},
		{"type": "content_block_stop", "index": i},
	} {
		name, _ := e["type"].(string)
		if err := event(w, name, e); err != nil {
			return err
		}
	}
	return nil
}
