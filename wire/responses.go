// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"slices"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// responses is the output of OpenAI's Responses: a list of items, or the
// response that has it.
type responses struct{}

func (responses) read(message canon.Value) ([]Call, error) {
	items, err := list(message, "output")
	if err != nil {
		return nil, err
	}
	var calls []Call
	for _, item := range items {
		if item.Kind() == canon.KindObject && slices.Contains(responseTalk(), text(item, "type")) {
			continue
		}
		calls = append(calls, responseCall(item))
	}
	return calls, nil
}

// responseTalk are the items that ask for nothing.
func responseTalk() []string {
	return []string{
		"message", "reasoning", "compaction", "item_reference", "mcp_list_tools", "mcp_approval_response",
		"function_call_output", "custom_tool_call_output", "shell_call_output", "local_shell_call_output",
		"apply_patch_call_output", "computer_call_output", "tool_search_output",
	}
}

func responseCall(item canon.Value) Call {
	if item.Kind() != canon.KindObject {
		return odd()
	}
	var c Call
	switch kind := text(item, "type"); kind {
	case "function_call":
		c = call(item, "call_id", "name")
		c.take(item, "arguments", asText)
	case "custom_tool_call":
		c = call(item, "call_id", "name")
		c.Kind = Custom
		c.takeText(item, "input")
	case "shell_call":
		c = shellCall(item)
	case "local_shell_call":
		c = fixed(item, Shell, "local_shell")
		c.take(item, "action", asObject)
	case "apply_patch_call":
		c = fixed(item, Patch, "apply_patch")
		c.take(item, "operation", asObject)
	case "computer_call":
		c = computerCall(item)
	case "mcp_approval_request":
		c = call(item, "id", "name")
		c.Kind, c.Server = Remote, text(item, "server_label")
		if c.Server == "" {
			c.fail("it names no server")
		}
		c.take(item, "arguments", asText)
	case "mcp_call", "web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call":
		return other(Hosted, text(item, "id"), kind)
	default:
		return other(Unknown, "", kind)
	}
	if has(item, "namespace") {
		if named := text(item, "namespace"); c.Server == "" && named != "" {
			c.Server = named
		} else {
			c.fail("its namespace is no text, or stands beside another server")
		}
	}
	if has(item, "status") && text(item, "status") != "completed" && c.Kind != Hosted {
		c.fail("it is not complete yet")
	}
	return c
}

// fixed is a call of a tool that OpenAI named.
func fixed(item canon.Value, kind Kind, name string) Call {
	c := call(item, "call_id", "type")
	c.Kind, c.Name = kind, name
	return c
}

// shellCall is a command for the host's own shell, or one that ran in a
// container of the provider.
func shellCall(item canon.Value) Call {
	if place, _ := item.Get("environment"); place.Kind() == canon.KindObject && text(place, "type") != "local" {
		return other(Hosted, text(item, "call_id"), "shell_call")
	}
	c := fixed(item, Shell, "shell")
	c.take(item, "action", asObject)
	return c
}

func computerCall(item canon.Value) Call {
	c := fixed(item, Computer, "computer")
	for _, member := range []string{"action", "actions"} {
		if v, _ := item.Get(member); v.Kind() == canon.KindObject || v.Kind() == canon.KindArray {
			if c.Arguments != nil {
				c.fail("it has both an action and actions")
			}
			c.Arguments = append(append([]byte(`{"`+member+`":`), v.RawText()...), '}')
		}
	}
	if c.Arguments == nil {
		c.fail("it has no action")
	}
	return c
}

// A computer_call can be answered by a picture only, and what the provider ran
// has its answer already: the model is told in a message.
func (responses) answer(a Answer) any {
	id := a.Call.ID
	switch a.Call.Kind {
	case Custom:
		return object{"type": "custom_tool_call_output", "call_id": id, "output": a.text()}
	case Shell:
		if a.Call.Name == "local_shell" {
			return object{"type": "local_shell_call_output", "id": id, "output": a.text()}
		}
		out, exit := object{"stdout": a.text(), "stderr": ""}, 0
		if !a.OK {
			out, exit = object{"stdout": "", "stderr": a.text()}, 126 // a command that may not be run
		}
		out["outcome"] = object{"type": "exit", "exit_code": exit}
		return object{"type": "shell_call_output", "call_id": id, "output": []any{out}}
	case Patch:
		status := "failed"
		if a.OK {
			status = "completed"
		}
		return object{"type": "apply_patch_call_output", "call_id": id, "status": status, "output": a.text()}
	case Remote:
		return object{"type": "mcp_approval_response", "approval_request_id": id, "approve": a.OK, "reason": a.text()}
	case Function:
		return object{"type": "function_call_output", "call_id": id, "output": a.text()}
	default:
		said := object{"type": "input_text", "text": "Call " + id + ": " + a.text()}
		return object{"type": "message", "role": "developer", "content": []any{said}}
	}
}

func (responses) messages(answers []any) any { return answers }

func (responses) tools(all []Tool) any {
	return each(all, func(t Tool) any {
		f := openAIFunction(t)
		f["type"], f["strict"] = "function", false
		return f
	})
}
