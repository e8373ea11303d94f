// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package drive

import (
	"fmt"

	"github.com/toolverdict/toolverdict/e2e/agents/internal/model"
	"github.com/toolverdict/toolverdict/hookgate"
)

// Codex is Codex CLI with one of the models that it knows: they are offered different
// tools.
func Codex(program, slug string) *Agent {
	return &Agent{
		Name: hookgate.Codex, Program: []string{program},
		Command: func(_ *Stage, prompt string) ([]string, []string) {
			return []string{
				program, "exec", "--skip-git-repo-check", "--json", "--dangerously-bypass-hook-trust",
				"--dangerously-bypass-approvals-and-sandbox", prompt,
			}, []string{"SCRIPTED_KEY=none"}
		},
		Settings: func(s *Stage, url string) map[string]string {
			return map[string]string{".codex/config.toml": fmt.Sprintf(`model = %q
model_provider = "scripted"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "%s/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
[mcp_servers.disk]
command = %q
args = %s
`, slug, url, s.Disk[0], asJSON(s.Disk[1:]))}
		},
		Shell: func(command string) model.Call { return model.Make("exec_command", "cmd", command) },
		Spawn: func(prompt string) []model.Turn {
			return []model.Turn{
				{Calls: []model.Call{{Name: "spawn_agent", Space: "multi_agent_v1", Input: asJSON(object{"message": prompt})}}},
				{Calls: []model.Call{{Name: "wait_agent", Space: "multi_agent_v1", Input: `{"targets":["FOUND"],"timeout_ms":20000}`, Find: `"agent_id":\s*"([^"]+)"`}}},
			}
		},
		Write: func(path string) []model.Turn {
			return []model.Turn{{Calls: []model.Call{{Name: "write_file", Space: "mcp__disk", Input: asJSON(object{"path": path, "content": "x"})}}}}
		},
	}
}

// CodexCode is Codex CLI with a model that calls tools from scripts, and has others for
// its helpers.
func CodexCode(program, slug string) *Agent {
	a := Codex(program, slug)
	script := func(text string) model.Call {
		return model.Call{Name: "exec", Space: "functions", Free: true, Input: text}
	}
	a.Shell = func(command string) model.Call {
		return script("const r = await tools.exec_command(" + asJSON(object{"cmd": command}) + "); text(r.output)")
	}
	a.Spawn = func(prompt string) []model.Turn {
		return []model.Turn{
			{Calls: []model.Call{{Name: "spawn_agent", Space: "collaboration", Input: asJSON(object{"task_name": "helper", "message": prompt, "fork_turns": "none"})}}},
			{Calls: []model.Call{{Name: "wait_agent", Space: "collaboration", Input: `{"timeout_ms":20000}`}}},
		}
	}
	a.Write = func(path string) []model.Turn {
		return []model.Turn{{Calls: []model.Call{script("text(await tools.mcp__disk__write_file(" + asJSON(object{"path": path, "content": "x"}) + "))")}}}
	}
	return a
}
