// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package model

import (
	"encoding/json"
	"fmt"
	"io"
)

// responses is the Responses API, without state: agents send all items each time.
type responses struct{}

func (responses) read(body []byte) ([]spoken, []string, error) {
	var in struct {
		Input []struct {
			Type, Role, Name string
			CallID           string `json:"call_id"`
			Content, Output  json.RawMessage
			Tools            []offered // some models are offered their tools here
		}
		Tools []offered
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, nil, err
	}
	var said []spoken
	var tools []string
	calling := false // the calls of one answer stand in a row
	for _, item := range in.Input {
		switch item.Type {
		case "function_call", "custom_tool_call":
			if !calling {
				said = append(said, spoken{model: true})
			}
			last := &said[len(said)-1]
			last.calls, calling = append(last.calls, item.Name), true
			continue
		case "function_call_output", "custom_tool_call_output":
			said = append(said, spoken{results: []Result{{item.CallID, flat(item.Output)}}})
		case "additional_tools":
			tools = append(tools, names(item.Tools)...)
		case "message", "agent_message", "":
			said = append(said, spoken{model: item.Role == "assistant", text: flat(item.Content)})
		}
		calling = false
	}
	return said, append(tools, names(in.Tools)...), nil
}

// offered is a tool, or a namespace with tools.
type offered struct {
	Type, Name string
	Tools      []offered
}

func names(of []offered) []string {
	var out []string
	for _, t := range of {
		if t.Name != "" && len(t.Tools) == 0 {
			out = append(out, t.Name)
		}
		for _, name := range names(t.Tools) {
			out = append(out, t.Name+"."+name)
		}
	}
	return out
}

func (responses) write(w io.Writer, a answer, whole bool) error {
	items := make([]object, 0, 1+len(a.calls))
	if a.text != "" {
		items = append(items, object{
			"type": "message", "role": "assistant", "id": fmt.Sprintf("msg_%d", a.n), "status": "completed",
			"content": []object{{"type": "output_text", "text": a.text, "annotations": []object{}}},
		})
	}
	for i, c := range a.calls {
		item := object{"type": "function_call", "id": fmt.Sprintf("fc_%d_%d", a.n, i), "call_id": c.id, "name": c.Name, "arguments": c.input, "status": "completed"}
		if c.Free {
			item = object{"type": "custom_tool_call", "id": fmt.Sprintf("ctc_%d_%d", a.n, i), "call_id": c.id, "name": c.Name, "input": c.input, "status": "completed"}
		}
		if c.Space != "" {
			item["namespace"] = c.Space
		}
		items = append(items, item)
	}
	usage := object{
		"input_tokens": 10, "output_tokens": 10, "total_tokens": 20,
		"input_tokens_details": object{"cached_tokens": 0}, "output_tokens_details": object{"reasoning_tokens": 0},
	}
	response := object{"id": fmt.Sprintf("resp_%d", a.n), "object": "response", "model": a.model, "created_at": 1, "status": "completed", "output": items, "usage": usage}
	if whole {
		return json.NewEncoder(w).Encode(response)
	}
	begun := object{"id": fmt.Sprintf("resp_%d", a.n), "object": "response", "model": a.model, "created_at": 1, "status": "in_progress", "output": []object{}}
	if err := event(w, "response.created", object{"type": "response.created", "response": begun}); err != nil {
		return err
	}
	for i, item := range items {
		for _, name := range []string{"response.output_item.added", "response.output_item.done"} {
			if err := event(w, name, object{"type": name, "output_index": i, "item": item}); err != nil {
				return err
			}
		}
	}
	return event(w, "response.completed", object{"type": "response.completed", "response": response})
}
