// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package hooks_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/internal/daemon/hooks"
	"github.com/toolverdict/toolverdict/policy"
)

const everything = "policy: p\nversion: v1\nrules:\n  - {id: allow-all, verdict: allow, reason: r, tools: \"*\"}\n"

// answerOf asks a gate that allows everything.
func answerOf(t *testing.T, o hooks.Options, input []byte) string {
	t.Helper()
	o.Policies = []policy.File{{Name: "policy.yaml", Content: []byte(everything)}}
	gate, err := hooks.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := gate.Close(); err != nil {
			t.Error(err)
		}
	}()
	answer, fault := gate.Answer(context.Background(), hookgate.ClaudeCode, input)
	if fault != nil {
		t.Error(fault)
	}
	return string(answer)
}

// TestBehindLinks: what must stay is protected by every path that leads to it, and
// linking to it is writing it.
func TestBehindLinks(t *testing.T) {
	t.Parallel()
	o, workspace := options(t, "")
	home := filepath.Dir(workspace)
	dir := filepath.Dir(home)
	for _, folder := range []string{workspace, filepath.Join(dir, "dotfiles", "claude"), filepath.Join(dir, "real")} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{filepath.Join(home, ".claude"): filepath.Join(dir, "dotfiles", "claude"), filepath.Join(dir, "link"): home} {
		if err := os.Symlink(to, from); err != nil {
			t.Fatal(err)
		}
	}
	for command, denied := range map[string]bool{
		"touch " + dir + "/dotfiles/claude/settings.json": true,
		"touch ~/.claude/settings.json":                   true,
		"mv x " + dir + "/dotfiles/claude":                true,
		"ln -s " + dir + "/dotfiles/claude x":             true,
		"cat " + dir + "/.data/redaction.key":             true,
		"touch " + dir + "/dotfiles/other":                false,
		"ls " + dir + "/.data":                            false,
	} {
		if answer := answerOf(t, o, input(workspace, command)); strings.Contains(answer, "self-protection") != denied {
			t.Errorf("%s: %s", command, answer)
		}
	}
	o.Config.Hooks.Workspace = filepath.Join(dir, "link", "app")
	for command, denied := range map[string]bool{
		"mv " + workspace + " /tmp/x":                             true,
		"touch " + workspace + "/.claude/settings.json":           true,
		"touch " + dir + "/link/app/.codex/hooks.json":            true,
		"touch " + dir + "/link/app/notes; touch " + dir + "/x/y": false,
	} {
		if answer := answerOf(t, o, input(o.Config.Hooks.Workspace, command)); strings.Contains(answer, "self-protection") != denied {
			t.Errorf("%s: %s", command, answer)
		}
	}
}

// TestServersTools: an agent does not get past by a tool of one of its servers.
func TestServersTools(t *testing.T) {
	t.Parallel()
	o, workspace := options(t, "")
	file := filepath.Join(filepath.Dir(o.Config.File), "files.yaml")
	if err := os.WriteFile(file, []byte(`tools:
  files/write_file: {safety: destructive, risk: low, timeout: 1m, roles: {/path: {role: path, uses: [write], verbatim: true}}}
  files/move_file: {safety: destructive, risk: low, timeout: 1m, roles: {/to: {role: path, uses: [write], verbatim: true}}}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	o.Config.Catalogs = []string{file}
	for call, denied := range map[string]bool{
		fmt.Sprintf(`write_file {"path":"%s/.claude/settings.json"}`, filepath.Dir(workspace)): true,
		fmt.Sprintf(`write_file {"path":"%s/.claude/settings.json"}`, workspace):               true,
		fmt.Sprintf(`move_file {"to":"%s/.claude"}`, workspace):                                true,
		fmt.Sprintf(`write_file {"path":"%s/notes"}`, workspace):                               false,
	} {
		tool, args, _ := strings.Cut(call, " ")
		in := fmt.Appendf(nil, `{"session_id":"s","cwd":%q,"hook_event_name":"PreToolUse","tool_name":"mcp__files__%s","tool_input":%s,"tool_use_id":"t","mcp_server":{"name":"files"}}`, workspace, tool, args)
		if answer := answerOf(t, o, in); strings.Contains(answer, "self-protection") != denied || !denied && answer != "{}" {
			t.Errorf("%s: %s", call, answer)
		}
	}
}

// TestInTheWorkspace: nothing that decides lies where the agent can write, by
// whichever path it is named.
func TestInTheWorkspace(t *testing.T) {
	t.Parallel()
	o, workspace := options(t, "")
	if err := os.MkdirAll(workspace, 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(filepath.Dir(o.Config.File), "link")
	if err := os.Symlink(workspace, link); err != nil {
		t.Fatal(err)
	}
	plain := *o.Config
	for name, at := range map[string]*string{"configuration": &o.Config.File, "data": &o.Config.Data} {
		for _, in := range []string{workspace, filepath.Join(workspace, "a", "b"), filepath.Join(link, "c")} {
			*o.Config = plain
			*at = in
			if _, err := hooks.Of(o.Config); err == nil || !strings.Contains(err.Error(), "lies in the workspace") {
				t.Errorf("%s in %s: %v", name, in, err)
			}
		}
	}
	for name, at := range map[string]*[]string{"policies": &o.Config.Policies, "catalogs": &o.Config.Catalogs} {
		*o.Config = plain
		*at = []string{filepath.Join(workspace, "gate", "x.yaml")}
		if _, err := hooks.Of(o.Config); err == nil || !strings.Contains(err.Error(), "lies in the workspace") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTold: what the layer is told by the system and by the agent's environment.
func TestTold(t *testing.T) {
	t.Parallel()
	if !hooks.Folds("darwin") || hooks.Folds("linux") {
		t.Error("names are compared as another system does")
	}
	env := map[string]string{"CLAUDE_CONFIG_DIR": "/srv/claude/", "CODEX_HOME": "codex", "QWEN_HOME": "/", "XDG_CONFIG_HOME": "/srv/config", "OPENCODE_CONFIG_DIR": "/srv/opencode", "GEMINI_CLI_HOME": "/srv/gemini"}
	got := hooks.Elsewhere(func(name string) string { return env[name] })
	if diff := cmp.Diff(map[string]string{".claude": "/srv/claude", ".config": "/srv/config", ".opencode": "/srv/opencode", ".gemini": "/srv/gemini/.gemini"}, got); diff != "" {
		t.Error(diff)
	}
	env = map[string]string{"OPENCODE_CONFIG": "etc/oc.json", "OPENCODE_TUI_CONFIG": "/srv/tui.json", "GEMINI_CLI_SYSTEM_SETTINGS_PATH": "/", "QWEN_CODE_SYSTEM_SETTINGS_PATH": ".."}
	files := hooks.Named(func(name string) string { return env[name] }, "/home/me/app")
	if diff := cmp.Diff([]string{"/home/me/app/etc/oc.json", "/srv/tui.json"}, files); diff != "" {
		t.Error(diff)
	}
}
