// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package drive

import (
	"slices"

	"github.com/toolverdict/toolverdict/e2e/agents/internal/model"
	"github.com/toolverdict/toolverdict/hookgate"
)

// Gemini is Gemini CLI in its mode without questions.
func Gemini(program ...string) *Agent {
	return &Agent{
		Name: hookgate.Gemini, Program: program,
		Command: func(_ *Stage, prompt string) ([]string, []string) {
			return append(slices.Clone(program), "--skip-trust", "--yolo", "-m", "gemini-2.5-pro", "-p", prompt), []string{
				"GOOGLE_GEMINI_BASE_URL=MODEL", "GEMINI_API_KEY=none", "GEMINI_CLI_NO_RELAUNCH=true",
			}
		},
		Settings: func(s *Stage, _ string) map[string]string {
			return map[string]string{".gemini/settings.json": asJSON(object{
				"security": object{"auth": object{"selectedType": "gemini-api-key"}}, "mcpServers": s.servers(),
			})}
		},
		Shell: func(command string) model.Call { return model.Make("run_shell_command", "command", command) },
		Spawn: func(prompt string) []model.Turn {
			return []model.Turn{model.Use("invoke_agent", "agent_name", "generalist", "prompt", prompt)}
		},
		Write: func(path string) []model.Turn {
			return []model.Turn{model.Use("mcp_disk_write_file", "path", path, "content", "x")}
		},
	}
}
