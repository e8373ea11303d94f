// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package hookgate

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// Events of Claude Code. Codex and Qwen Code took them over.
const (
	claudeBefore = "PreToolUse"
	claudeAfter  = "PostToolUse"
	claudeFailed = "PostToolUseFailure"
)

type claudeDenial struct {
	Output claudeOutput `json:"hookSpecificOutput"`
}

type claudeOutput struct {
	Event    string `json:"hookEventName"`
	Decision string `json:"permissionDecision"`
	Reason   string `json:"permissionDecisionReason"`
}

// Deferral is an answer that Claude Code alone has: it ends a run that nobody attends
// before the tool runs. Once the run is resumed, the hook is asked about the same call
// again. A run that somebody attends passes over it and runs the tool (measured on
// 2.1.332): it must be given where nobody does only.
func Deferral(text string) []byte {
	b, err := json.Marshal(claudeDenial{claudeOutput{Event: claudeBefore, Decision: "defer", Reason: reason(text)}})
	if err != nil { // texts always marshal
		return Denial(ClaudeCode, text)
	}
	return b
}

// Defers reports whether an answer is exactly a deferral. It is none of the two answers
// that [Objects] knows.
func Defers(answer []byte) bool {
	v, err := canon.ParseObject(answer, canon.Limits{})
	if err != nil {
		return false
	}
	text := said(v)
	return text != "" && bytes.Equal(bytes.TrimSpace(answer), Deferral(text))
}

func readClaude(a Agent, in *members) Event {
	e := Event{
		Session: in.needed("session_id"), Call: in.text("tool_use_id"), Arguments: in.arguments("tool_input"),
		Subagent: Subagent{in.text("agent_id"), in.text("agent_type")}, Home: in.folder("cwd"), Model: in.text("model"),
	}
	server := serverOf(in)
	if e.Tool = underscored(a, in.needed("tool_name"), server); server != "" {
		told(in, e.Tool, a, server)
	}
	switch event := in.text("hook_event_name"); event {
	case claudeBefore:
		e.Phase = Before
	case claudeAfter:
		e.Phase = After
	case claudeFailed:
		e.Phase, e.Failed = After, true
	default:
		in.fail(fmt.Sprintf("the event is neither %s nor %s: set the hook up for these", claudeBefore, claudeAfter))
	}
	if e.Folder = e.Home; a == Codex {
		readCodex(in, &e)
	}
	return e
}

// serverOf is the own name of the MCP server that has the tool, where it is told.
func serverOf(in *members) string {
	server, ok := in.v.Get("mcp_server")
	if !ok || server.Kind() == canon.KindNull {
		return ""
	}
	of := &members{v: server}
	name := of.needed("name")
	if server.Kind() != canon.KindObject || of.err != nil {
		in.fail("mcp_server must be an object with a name")
	}
	return name
}
