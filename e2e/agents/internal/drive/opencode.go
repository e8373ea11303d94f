// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package drive

import (
	"github.com/toolverdict/toolverdict/e2e/agents/internal/model"
	"github.com/toolverdict/toolverdict/hookgate"
)

// OpenCode is opencode with all permissions given.
func OpenCode(program string) *Agent {
	return &Agent{
		Name: hookgate.OpenCode, Program: []string{program},
		Command: func(_ *Stage, prompt string) ([]string, []string) {
			return []string{program, "run", "--format", "json", prompt}, []string{
				"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1",
			}
		},
		Settings: func(s *Stage, url string) map[string]string {
			return map[string]string{".config/opencode/opencode.json": asJSON(object{
				"model": "scripted/scripted",
				"provider": object{"scripted": object{
					"npm": "@ai-sdk/openai-compatible", "name": "scripted", "options": object{"baseURL": url + "/v1", "apiKey": "none"},
					"models": object{"scripted": object{"name": "scripted"}},
				}},
				"mcp":        object{"disk": object{"type": "local", "command": s.Disk, "enabled": true}},
				"permission": object{"*": "allow", "external_directory": "allow"},
			})}
		},
		Shell: func(command string) model.Call { return model.Make("bash", "command", command, "description", "work") },
		Spawn: func(prompt string) []model.Turn {
			return []model.Turn{model.Use("task", "description", "work", "prompt", prompt, "subagent_type", "general")}
		},
		Write: func(path string) []model.Turn {
			return []model.Turn{model.Use("disk_write_file", "path", path, "content", "x")}
		},
	}
}
