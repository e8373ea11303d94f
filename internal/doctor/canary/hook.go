// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package canary

import (
	"encoding/json"
	"path/filepath"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/hookgate"
)

// Call is what an agent would tell of a call that must be denied.
type Call struct {
	Own       string // the agent's name of its tool
	Tool      string // the gate's
	Arguments map[string]any
	Code      tv.Code // of the refusal
	Rule      string  // that denies it; "" for the tool that there is not
}

// protection is the rule that no policy can take back.
const protection = "self-protection"

// Calls are two: of the tool that there is not, and a command that the gate denies to
// protect itself. It names a file that there is not in the gate's own folder, so that
// it would do nothing if it ran.
func (h Hook) Calls() []Call {
	file := filepath.Join(h.Home, ".config", "toolverdict", tv.CanaryName)
	command := "rm '" + strings.ReplaceAll(file, "'", `'\''`) + "'"
	arguments := map[string]any{"command": command}
	shell := map[hookgate.Agent]string{
		hookgate.ClaudeCode: "Bash", hookgate.Codex: "Bash", hookgate.Gemini: "run_shell_command", hookgate.Copilot: "bash",
		hookgate.Qwen: "run_shell_command", hookgate.Cursor: "Shell", hookgate.OpenCode: "bash", hookgate.Cline: "run_commands",
	}[h.Agent]
	if h.Agent == hookgate.Cline {
		arguments = map[string]any{"commands": []string{command}}
	}
	return []Call{
		{Own: tv.CanaryName, Tool: string(h.Agent) + "/" + tv.CanaryName, Arguments: map[string]any{}, Code: tv.UnknownTool},
		{Own: shell, Tool: string(h.Agent) + "/" + shell, Arguments: arguments, Code: tv.PolicyDenied, Rule: protection},
	}
}

// Input is what the agent tells its hook before the call, in its documented form. The
// mark is the session.
func (h Hook) Input(mark string, c Call) []byte {
	in := map[string]any{
		"session_id": mark, "cwd": h.Workspace, "hook_event_name": "PreToolUse", "tool_name": c.Own, "tool_input": c.Arguments, "tool_use_id": mark,
		"transcript_path": nil, "permission_mode": "default",
	}
	switch h.Agent {
	case hookgate.Codex:
		in["turn_id"], in["model"] = mark, tv.CanaryName
	case hookgate.Qwen:
		in["timestamp"] = moment
	case hookgate.Gemini:
		in["hook_event_name"], in["timestamp"] = "BeforeTool", moment
		delete(in, "tool_use_id")
	case hookgate.Copilot:
		in = map[string]any{"sessionId": mark, "timestamp": 0, "cwd": h.Workspace, "toolName": c.Own, "toolArgs": c.Arguments}
	case hookgate.Cursor:
		in["hook_event_name"], in["conversation_id"], in["generation_id"], in["cursor_version"] = "preToolUse", mark, mark, "3"
		in["workspace_roots"] = []string{h.Workspace}
		delete(in, "session_id")
	case hookgate.OpenCode:
		in = map[string]any{
			"event": "tool.execute.before", "sessionID": mark, "callID": mark, "tool": c.Own, "args": c.Arguments,
			"directory": h.Workspace, "servers": []string{},
		}
	case hookgate.Cline:
		in = map[string]any{
			"hookName": "tool_call", "taskId": mark, "workspaceRoots": []string{h.Workspace}, "agent_id": mark, "parent_agent_id": nil,
			"tool_call": map[string]any{"id": mark, "name": c.Own, "input": c.Arguments},
		}
	case hookgate.ClaudeCode:
	}
	b, err := json.Marshal(in)
	if err != nil { // texts always marshal
		return nil
	}
	return b
}

// way names the door of one call.
func (c Call) way(door string) string {
	if c.Rule == "" {
		return door
	}
	return door + " (" + c.Rule + ")"
}

// moment stands where agents tell a time that the gate does not read.
const moment = "2026-01-01T00:00:00.000Z"
