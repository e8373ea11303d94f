// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package transcripts

import (
	"encoding/json"
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// codexLine reads an entry of a rollout of Codex: what the model asked for, what it
// was answered, and what Codex says it did, which is told of calls that the model's
// own programs make, too.
func codexLine(b *book, v canon.Value) {
	payload, ok := v.Get("payload")
	if !ok {
		return
	}
	switch kind := text(payload, "type"); text(v, "type") {
	case "session_meta":
		if b.session = text(payload, "session_id"); b.session == "" {
			b.session = text(payload, "id")
		}
	case "response_item":
		b.codexItem(v, payload, kind)
	case "event_msg":
		if kind == "item_completed" {
			b.codexDone(v, payload)
		}
	}
}

func (b *book) codexItem(v, item canon.Value, kind string) {
	c := Call{ID: text(item, "call_id"), Tool: text(item, "name"), At: moment(v, "timestamp")}
	switch kind {
	case "function_call":
		if arguments := text(item, "arguments"); json.Valid([]byte(arguments)) {
			c.Arguments = []byte(arguments)
		}
		if space := text(item, "namespace"); space != "" {
			c.Tool = space + "." + c.Tool
		}
		switch c.Tool {
		case "write_stdin", "functions.write_stdin":
			c.Unasked = "it is typed into a program that runs already"
		case "functions.wait":
			c.Unasked = "it waits for a program of the model's that runs already"
		}
		b.call(c)
	case "custom_tool_call":
		if c.Tool == "exec" { // a program of the model's: what it calls is told by itself
			return
		}
		c.Arguments = wrapped("input", text(item, "input"))
		b.call(c)
	case "local_shell_call":
		c.Tool, c.Arguments = "local_shell", object(item, "action")
		b.call(c)
	case "function_call_output", "custom_tool_call_output":
		b.answer(c.ID, codexAnswer(words(item, "output")))
	default:
		if hosted, ok := strings.CutSuffix(kind, "_call"); ok {
			c.ID, c.Tool, c.Answer, c.Unasked = text(item, "id"), hosted, Ran, providerRuns
			b.call(c)
		}
	}
}

// codexAnswer reads the text of an answer, which does not say whether it failed.
func codexAnswer(said string) Answer {
	for _, start := range []string{"unsupported call", "unsupported custom tool call", "failed to parse function arguments"} {
		if strings.HasPrefix(said, start) {
			return None
		}
	}
	if denial(said) {
		return Refused
	}
	return Ran
}

// codexDone reads what Codex did, whatever the model was told.
func (b *book) codexDone(v, payload canon.Value) {
	id := text(payload, "item", "id")
	c := Call{ID: id, At: moment(v, "timestamp"), Answer: Ran}
	switch text(payload, "item", "type") {
	case "CommandExecution":
		c.Tool, c.Arguments = "exec_command", wrapped("command", raw(payload, "item", "command"))
	case "FileChange":
		c.Tool = "apply_patch"
	case "McpToolCall":
		c.Tool = text(payload, "item", "server") + "." + text(payload, "item", "tool")
	default:
		return
	}
	switch status := text(payload, "item", "status"); {
	case status == "declined" || id == "":
		return
	case status == "failed":
		c.Answer = Failed
	}
	if _, known := b.byID[id]; known {
		b.answer(id, c.Answer)
		return
	}
	b.call(c)
}

// wrapped is an object with one text.
func wrapped(name, value string) []byte {
	if value == "" {
		return nil
	}
	return canon.Append(nil, canon.Object(canon.Member{Name: name, Value: canon.String(value)}))
}
