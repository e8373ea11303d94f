// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package drive

import (
	"github.com/toolverdict/toolverdict/e2e/agents/internal/model"
	"github.com/toolverdict/toolverdict/hookgate"
)

// Copilot is Copilot CLI in its mode without questions, with a provider of its user's.
func Copilot(program string) *Agent {
	return &Agent{
		Name: hookgate.Copilot, Program: []string{program},
		Command: func(_ *Stage, prompt string) ([]string, []string) {
			return []string{program, "--model", "gpt-4.1", "-p", prompt, "--allow-all-tools", "--allow-all-paths", "--no-color"}, []string{
				"COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL=MODEL/v1", "COPILOT_PROVIDER_API_KEY=none", "COPILOT_MODEL=gpt-4.1",
			}
		},
		Settings: func(s *Stage, _ string) map[string]string {
			return map[string]string{".copilot/mcp-config.json": asJSON(object{"mcpServers": object{
				"disk": object{"type": "local", "command": s.Disk[0], "args": s.Disk[1:], "tools": []string{"*"}},
			}})}
		},
		Shell: func(command string) model.Call { return model.Make("bash", "command", command, "description", "work") },
		Spawn: func(prompt string) []model.Turn {
			return []model.Turn{model.Use("task", "description", "work", "prompt", prompt, "agent_type", "general-purpose", "name", "helper")}
		},
		Write: func(path string) []model.Turn {
			return []model.Turn{model.Use("disk-write_file", "path", path, "content", "x")}
		},
	}
}
