// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package drive

import (
	"github.com/toolverdict/toolverdict/e2e/agents/internal/model"
	"github.com/toolverdict/toolverdict/hookgate"
)

// Cline is the Cline CLI, which asks nothing by default.
func Cline(program string) *Agent {
	return &Agent{
		Name: hookgate.Cline, Program: []string{program}, Aborts: true,
		Command: func(_ *Stage, prompt string) ([]string, []string) {
			return []string{program, "--json", prompt}, nil
		},
		Settings: func(s *Stage, url string) map[string]string {
			return map[string]string{
				".cline/data/settings/providers.json": asJSON(object{
					"version": 1, "lastUsedProvider": "openai-compatible", "providers": object{"openai-compatible": object{
						"settings":  object{"provider": "openai-compatible", "apiKey": "none", "model": "scripted", "baseUrl": url + "/v1"},
						"updatedAt": "2026-11-30T00:00:00.000Z", "tokenSource": "manual",
					}},
				}),
				".cline/data/settings/cline_mcp_settings.json": asJSON(object{"mcpServers": s.servers()}),
			}
		},
		Shell: func(command string) model.Call {
			return model.Call{Name: "run_commands", Input: asJSON(object{"commands": []string{command}})}
		},
		Spawn: func(prompt string) []model.Turn {
			return []model.Turn{model.Use("spawn_agent", "systemPrompt", "You work.", "task", prompt)}
		},
		Write: func(path string) []model.Turn {
			return []model.Turn{model.Use("disk__write_file", "path", path, "content", "x")}
		},
	}
}
