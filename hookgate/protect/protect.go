// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package protect knows what an agent could change to be asked no more: the folder
// of its session, which most agents must start their hooks in, the settings that
// name the hooks, and the gate itself. It writes a policy that denies this, as one
// more layer: no other policy can allow what one denies.
package protect

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy"
)

// Rule is the id of the rule that denies.
const Rule = "self-protection"

// Place is what has to stay as it is. Paths are absolute.
type Place struct {
	Workspace string   // the folder of the sessions
	Home      string   // of the user whose settings the agents read
	Gate      []string // files and folders of the gate: program, configuration, data, keys
}

// settings are the files and folders in which agents look for hooks and for
// switches that turn them off, below a home folder and below a workspace.
func settings() []string {
	return []string{
		".claude/settings.json", ".claude/settings.local.json", ".claude/hooks", ".claude/plugins", ".claude.json",
		".codex/config.toml", ".codex/hooks.json", ".codex/requirements.toml", ".codex/hooks",
		".gemini/settings.json", ".gemini/trustedFolders.json", ".gemini/hooks",
		".copilot/hooks", ".copilot/config.json", ".copilot/settings.json", ".github/hooks",
		".qwen/settings.json", ".qwen/hooks",
		".cursor/hooks.json", ".cursor/hooks", ".cursor/cli-config.json",
	}
}

// managed are the folders in which administrators keep such settings.
func managed() []string {
	return []string{"/etc/claude-code", "/etc/codex", "/etc/gemini-cli", "/etc/qwen-code", "/etc/cursor"}
}

// Policy is the rule for these tools, by their full names: those whose arguments
// say which files they touch. Without any there is nothing to say.
func Policy(tools []string, p Place) (file policy.File, needed bool, err error) {
	for _, folder := range append([]string{p.Workspace, p.Home}, p.Gate...) {
		if !path.IsAbs(folder) || path.Clean(folder) != folder {
			return file, false, fmt.Errorf("protect the gate: %q is no absolute, clean path", folder)
		}
	}
	if len(tools) == 0 {
		return file, false, nil
	}
	b, err := json.Marshal(p.policy(tools))
	if err != nil {
		return file, false, fmt.Errorf("protect the gate: %w", err)
	}
	return policy.File{Name: "built-in self-protection.json", Content: b}, true, nil
}

// policy writes the layer. Its default is the weakest, because of all layers the
// strictest default counts.
func (p Place) policy(tools []string) any {
	folders := p.folders()
	outside, inside := p.files()
	// What is opaque, or of which no path is known, is left to the other layers. In
	// the workspace, what reaches further than one file is so, too: building it or
	// checking out a branch writes "the workspace and what is below".
	is := func(kind string) map[string]any { return map[string]any{"eq": kind, "ne": tv.EffectOpaque} }
	either := map[string]any{"in": []string{"write", "delete"}, "ne": tv.EffectOpaque}
	cases := []any{
		map[string]any{"kind": is("delete"), "path": map[string]any{"exists": true, "in": folders}},
		map[string]any{"kind": is("write"), "deep": false, "path": map[string]any{"exists": true, "in": folders}},
		map[string]any{"kind": either, "path": map[string]any{"exists": true, "under": outside}},
		map[string]any{"kind": is("delete"), "path": map[string]any{"exists": true, "under": inside}},
		map[string]any{"kind": is("write"), "deep": false, "path": map[string]any{"exists": true, "under": inside}},
	}
	return map[string]any{
		"policy": "toolverdict-self-protection", "version": "v1", "default": "allow", "unsafeDefaultAllow": true,
		"rules": []any{map[string]any{
			"id": Rule, "verdict": "deny", "tools": tools,
			"reason": "The folder of the session, the settings of agents' hooks and the gate itself are not the agent's to change",
			"when":   map[string]any{"effects.any": map[string]any{"any": cases}},
		}},
	}
}

// folders are the workspace and all that it is in.
func (p Place) folders() []string {
	out := []string{p.Workspace}
	for at := p.Workspace; at != "/"; {
		at = path.Dir(at)
		out = append(out, at)
	}
	return out
}

// files are those that must stay, outside of the workspace and inside.
func (p Place) files() (outside, inside []string) {
	all := append(managed(), p.Gate...)
	for _, name := range settings() {
		all = append(all, path.Join(p.Home, name), path.Join(p.Workspace, name))
	}
	slices.Sort(all)
	for _, file := range slices.Compact(all) {
		if strings.HasPrefix(file, strings.TrimSuffix(p.Workspace, "/")+"/") {
			inside = append(inside, file)
			continue
		}
		outside = append(outside, file)
	}
	return outside, inside
}

// Touching returns the tools of these servers whose arguments say which files they
// touch.
func Touching(tools []*tv.Tool, servers []string) []string {
	var out []string
	for _, t := range tools {
		for _, role := range t.Roles() {
			if slices.Contains([]tv.RoleKind{tv.RoleShell, tv.RolePath, tv.RolePatch}, role.Kind) && slices.Contains(servers, t.Server()) {
				out = append(out, t.Name())
				break
			}
		}
	}
	return out
}
