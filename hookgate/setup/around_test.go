// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package setup_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/hookgate/setup"
)

// TestNotAsWritten: whatever stands in an entry besides what is written there is told:
// it may narrow when the gate is asked, or throw its answer away.
func TestNotAsWritten(t *testing.T) {
	t.Parallel()
	const orElse = ` || { echo the gate failed >&2; exit 2; }`
	for _, c := range []struct {
		agent    hookgate.Agent
		old, new string // in what is written
		fault    bool
	}{
		{hookgate.Gemini, orElse, "", true},
		{hookgate.Gemini, orElse, " >/dev/null || true", true},
		{hookgate.Codex, orElse, "; exit 0", true},
		{hookgate.Codex, orElse, orElse + "; exit 0", true},
		{hookgate.Qwen, orElse, " | tee log" + orElse, true},
		{hookgate.Qwen, orElse, " # " + orElse, true},
		{hookgate.Qwen, orElse, " 2>/dev/null" + orElse, true},
		{hookgate.Qwen, orElse, " &", true},
		{hookgate.Cursor, "hook cursor", "hook cursor || true", true},
		{hookgate.Copilot, "hook copilot", "hook copilot; exit 0", true},
		{hookgate.Copilot, `"type": "command"`, `"type": "command", "cwd": "sub"`, true},
		{hookgate.Copilot, `"type": "command"`, `"type": "command", "env": {"HOME": "/tmp"}`, true},
		{hookgate.Copilot, `"type": "command"`, `"type": "command", "timeout": 1`, true},
		{hookgate.ClaudeCode, `"type": "command"`, `"type": "command", "if": "Bash(git *)"`, true},
		{hookgate.ClaudeCode, `"type": "command"`, `"type": "command", "matcher": ["Bash"]`, true},
		{hookgate.ClaudeCode, `"hooks": [
          {`, `"if": "Bash(git *)", "hooks": [
          {`, true},
		{hookgate.ClaudeCode, `"type": "command"`, `"type": "command", "async": false, "matcher": "*"`, false},
		{hookgate.ClaudeCode, `"timeout": 60`, `"timeout": 90`, false},
		{hookgate.Gemini, `"name": "toolverdict"`, `"name": "other"`, true},
		{hookgate.Gemini, `"name": "toolverdict"`, `/* ours */ "name": "toolverdict"`, false},
	} {
		home := t.TempDir()
		exe := filepath.Join(home, "toolverdict")
		put(t, exe, "#!/bin/sh\n")
		if err := os.Chmod(exe, 0o755); err != nil {
			t.Fatal(err)
		}
		p := setup.Place{Agent: c.agent, Home: home, Scope: setup.User}
		install(t, p, setup.Entry{Program: exe})
		file := filepath.Join(home, jsonAgents[c.agent])
		was := read(t, file)
		if !strings.Contains(was, c.old) {
			t.Fatalf("%s: %s", c.agent, was)
		}
		put(t, file, strings.Replace(was, c.old, c.new, 1))
		s, err := setup.Look(p)
		if err != nil || !s.Found || c.fault != (told(s.Faults, "not as it is set up") || told(s.Faults, "matcher")) {
			t.Errorf("%s: %q: found %t, %+v, %v", c.agent, c.new, s.Found, s.Faults, err)
		}
	}
}

// TestChained: what somebody put behind the gate's command is not taken away with it.
func TestChained(t *testing.T) {
	t.Parallel()
	for agent, more := range map[hookgate.Agent]string{
		hookgate.Codex: "/opt/toolverdict hook codex && my-check", hookgate.Gemini: "/opt/toolverdict hook gemini || { echo the gate failed >&2; exit 2; }; my-check",
		hookgate.Cursor: "/opt/toolverdict hook cursor | tee log",
	} {
		home := t.TempDir()
		b, err := json.Marshal(more)
		if err != nil {
			t.Fatal(err)
		}
		event := map[hookgate.Agent]string{hookgate.Codex: "PostToolUse", hookgate.Gemini: "AfterTool", hookgate.Cursor: "postToolUse"}[agent]
		text := "{\"version\": 1, \"hooks\": {\"" + event + "\": [\n{\"hooks\": [{\"type\": \"command\", \"command\": " + string(b) + "}]}]}}"
		if agent == hookgate.Cursor {
			text = "{\"version\": 1, \"hooks\": {\"" + event + "\": [\n{\"command\": " + string(b) + "}]}}"
		}
		file := filepath.Join(home, jsonAgents[agent])
		put(t, file, text)
		p := setup.Place{Agent: agent, Home: home, Scope: setup.User}
		for what, err := range map[string]error{"plan": second(setup.Plan(p, setup.Entry{Program: program})), "undo": second(setup.Undo(p))} {
			if err == nil || !strings.Contains(err.Error(), "line 2: somebody put more behind") {
				t.Errorf("%s: %s: %v", agent, what, err)
			}
		}
		if read(t, file) != text {
			t.Error(agent, "it was changed")
		}
	}
}

// TestEdited: a file that is the gate's and that somebody changed is neither written
// over nor taken away; without a backup, one that nobody changed is.
func TestEdited(t *testing.T) {
	t.Parallel()
	for agent, name := range map[hookgate.Agent]string{
		hookgate.OpenCode: ".config/opencode/plugin/toolverdict.js", hookgate.Cline: ".cline/hooks/PreToolUse",
	} {
		home := t.TempDir()
		p := setup.Place{Agent: agent, Home: home, Scope: setup.User}
		install(t, p, setup.Entry{Program: program})
		file := filepath.Join(home, name)
		was := read(t, file)
		put(t, file, was+"\n// mine\n")
		for what, err := range map[string]error{"plan": second(setup.Plan(p, setup.Entry{Program: program})), "undo": second(setup.Undo(p))} {
			if err == nil || !strings.Contains(err.Error(), "somebody changed the file") {
				t.Errorf("%s: %s: %v", agent, what, err)
			}
		}
		put(t, file, was)
		if err := os.RemoveAll(filepath.Join(home, ".config", "toolverdict")); err != nil {
			t.Fatal(err)
		}
		install(t, p, setup.Entry{Program: "/opt/toolverdict"})
		if !strings.Contains(read(t, file), "/opt/toolverdict") {
			t.Error(agent, "it is not written anew")
		}
		undo(t, p)
		if read(t, file) != "" {
			t.Error(agent, "it is left")
		}
	}
}

// TestSwitches: what turns hooks off stops an installation, wherever the agent reads it.
func TestSwitches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		agent            hookgate.Agent
		file, text, want string
	}{
		{hookgate.Copilot, ".copilot/settings.json", `{"disableAllHooks": true}`, "disableAllHooks"},
		{hookgate.Copilot, ".copilot/config.json", `{"disabledHooks": ["x"]}`, "disabledHooks"},
		{hookgate.Copilot, ".copilot/hooks/other.json", `{"version": 1, "disableAllHooks": true}`, "disableAllHooks"},
		{hookgate.Copilot, "app/.github/hooks/other.json", `{"version": 1, "disableAllHooks": true}`, "disableAllHooks"},
		{hookgate.Copilot, "app/.github/copilot/settings.json", `{"disableAllHooks": true}`, "disableAllHooks"},
		{hookgate.Copilot, "app/.github/copilot/settings.local.json", `{"disabledHooks": ["toolverdict"]}`, "disabledHooks"},
		{hookgate.Copilot, "app/.github/copilot/settings.local.json", `{"disabledHooks": [], "disableAllHooks": false}`, ""},
		{hookgate.Codex, ".codex/config.toml", "[profiles.fast.features]\nhooks = false\n", "profiles.fast.features.hooks is false"},
		{hookgate.Codex, ".codex/config.toml", "[profiles.fast]\nfeatures = { hooks = false }\n", "profiles.fast.features.hooks is false"},
		{hookgate.Codex, ".codex/config.toml", "[profiles.fast]\nmyfeatures.hooks = false\n", ""},
		{hookgate.Gemini, "etc/system.json", `{"hooksConfig": {"enabled": false}}`, "hooksConfig.enabled"},
		{hookgate.Qwen, "etc/system.json", `{"disableAllHooks": true}`, "disableAllHooks"},
	} {
		home := t.TempDir()
		put(t, filepath.Join(home, c.file), c.text)
		system := filepath.Join(home, "etc", "system.json")
		p := setup.Place{Agent: c.agent, Home: home, Project: filepath.Join(home, "app"), Scope: setup.User}
		p.System = setup.System(c.agent, func(name string) (string, bool) { return system, strings.HasSuffix(name, "_SYSTEM_SETTINGS_PATH") })
		_, err := setup.Plan(p, setup.Entry{Program: program})
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %s: %v", c.file, c.text, err)
		}
	}
	dir := t.TempDir()
	put(t, filepath.Join(dir, "managed-settings.d", "10-x.json"), "{}")
	if diff := cmp.Diff([]string{dir + "/managed-settings.json", dir + "/managed-settings.d/10-x.json"}, setup.Managed(dir)); diff != "" {
		t.Error(diff)
	}
}
