// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package drive

import (
	"github.com/toolverdict/toolverdict/e2e/agents/internal/model"
	"github.com/toolverdict/toolverdict/hookgate"
)

// Claude is Claude Code, without a person at it.
func Claude(program string, more ...string) *Agent {
	return &Agent{
		Name: hookgate.ClaudeCode, Program: []string{program},
		Command: func(_ *Stage, prompt string) ([]string, []string) {
			argv := append([]string{program, "-p", prompt, "--output-format", "json"}, more...)
			return argv, []string{
				"ANTHROPIC_BASE_URL=MODEL", "ANTHROPIC_API_KEY=none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
				"ENABLE_TOOL_SEARCH=false", "IS_SANDBOX=1", // without a sandbox, root gets no bypass mode
			}
		},
		Settings: func(s *Stage, _ string) map[string]string {
			return map[string]string{
				".claude.json": asJSON(object{"mcpServers": s.servers()}),
			}
		},
		Shell: func(command string) model.Call { return model.Make("Bash", "command", command, "description", "work") },
		Spawn: func(prompt string) []model.Turn {
			return []model.Turn{model.Use("Agent", "description", "work", "prompt", prompt, "subagent_type", "general-purpose")}
		},
		Write: func(path string) []model.Turn {
			return []model.Turn{model.Use("mcp__disk__write_file", "path", path, "content", "x")}
		},
	}
}
