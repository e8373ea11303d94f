// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package drive

import (
	"slices"

	"github.com/toolverdict/toolverdict/e2e/agents/internal/model"
	"github.com/toolverdict/toolverdict/hookgate"
)

// Qwen is Qwen Code in its mode without questions. Tools of MCP servers are called
// through one of its own.
func Qwen(program ...string) *Agent {
	return &Agent{
		Name: hookgate.Qwen, Program: program,
		Command: func(_ *Stage, prompt string) ([]string, []string) {
			return append(slices.Clone(program), "--auth-type", "openai", "--yolo", "-p", prompt), []string{
				"OPENAI_BASE_URL=MODEL/v1", "OPENAI_API_KEY=none", "OPENAI_MODEL=scripted",
			}
		},
		Settings: func(s *Stage, _ string) map[string]string {
			return map[string]string{".qwen/settings.json": asJSON(object{"mcpServers": s.servers()})}
		},
		Shell: func(command string) model.Call {
			return model.Call{Name: "run_shell_command", Input: asJSON(object{"command": command, "is_background": false})}
		},
		Spawn: func(prompt string) []model.Turn {
			return []model.Turn{model.Use("agent", "description", "work", "prompt", prompt, "subagent_type", "general-purpose")}
		},
		Write: func(path string) []model.Turn {
			return []model.Turn{
				model.Use("tool_search", "query", "select:mcp__disk__write_file"),
				{Calls: []model.Call{{Name: "tool_call", Input: asJSON(object{"name": "mcp__disk__write_file", "arguments": object{"path": path, "content": "x"}})}}},
			}
		},
	}
}
