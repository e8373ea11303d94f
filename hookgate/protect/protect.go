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
	"maps"
	"path"
	"slices"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy"
)

// Rule is the id of the rule that denies, and how those that go with it begin.
const Rule = "self-protection"

// Place is what has to stay as it is. Paths are absolute.
type Place struct {
	Workspace string                   // the folder of the sessions
	Home      string                   // of the user whose settings the agents read
	Folders   map[string]string        // where an agent keeps its settings in the place of a folder of the home folder: ".claude" → "/srv/claude"
	Named     []string                 // settings that the environment names to an agent, wherever they lie
	Gate      []string                 // files and folders of the gate: configuration, policies, data, keys
	Secret    []string                 // those of them that must not be read, either
	Programs  []string                 // the gate's program, by each path that leads to it
	Real      func(path string) string // follows links, of a path that may not be there; nil where there are none to see
}

// settings are the files and folders in which agents look for hooks, for switches
// that turn them off, and for what brings hooks of its own, below a home folder and
// below a workspace.
func settings() []string {
	return append(opencodeFolder(".opencode"), append([]string{
		".claude/settings.json", ".claude/settings.local.json", ".claude/hooks", ".claude/plugins", ".claude.json",
		".claude/agents", ".claude/skills", ".claude/commands", ".claude-plugin",
		".codex/config.toml", ".codex/hooks.json", ".codex/requirements.toml", ".codex/hooks", ".codex/.env",
		".codex/agents", ".codex/skills", ".codex/plugins", ".agents/skills",
		".gemini/settings.json", ".gemini/trustedFolders.json", ".gemini/hooks", ".gemini/.env",
		".gemini/agents", ".gemini/skills", ".gemini/commands", ".gemini/extensions",
		".copilot/hooks", ".copilot/config.json", ".copilot/settings.json", ".github/hooks", ".github/copilot",
		".copilot/agents", ".copilot/skills", ".copilot/plugins", ".github/agents", ".github/skills",
		".qwen/settings.json", ".qwen/trustedFolders.json", ".qwen/hooks", ".qwen/.env",
		".qwen/agents", ".qwen/skills", ".qwen/commands", ".qwen/extensions",
		".cursor/hooks.json", ".cursor/hooks", ".cursor/cli-config.json", ".cursor/cli.json",
		".cursor/agents", ".cursor/skills", ".cursor/commands", ".cursor/plugins", ".cursor/extensions",
		".cline/hooks", ".cline/plugins", ".cline/agents", ".cline/skills", ".cline/data/settings", ".clinerules/hooks", ".agents/plugins",
	}, opencodeFiles()...)...)
}

// opencodeFiles name plugins in a folder that opencode works in, or in one above it.
func opencodeFiles() []string {
	return []string{"opencode.json", "opencode.jsonc", "tui.json", "tui.jsonc"}
}

// opencodeFolder is what opencode reads in each of its folders: files that name
// plugins, plugins, tools that are programs, and what their packages are.
func opencodeFolder(folder string) []string {
	var out []string
	for _, name := range append(opencodeFiles(),
		"config.json", "package.json", "node_modules", "plugin", "plugins", "tool", "tools",
		"agent", "agents", "command", "commands", "mode", "modes", "skill", "skills",
	) {
		out = append(out, folder+"/"+name)
	}
	return out
}

// homeSettings are such files that only a home folder holds.
func homeSettings() []string {
	return append(opencodeFolder(".config/opencode"), "Documents/Cline/Hooks", "Documents/Cline/Plugins")
}

// nested are such files that agents also look for in folders of the workspace.
func nested() []string {
	var out []string
	for _, name := range []string{"hooks", "agents", "skills", "commands"} {
		out = append(out, "*/.claude/"+name, "*/.claude/"+name+"/*")
	}
	return append(out, "*/.claude/settings.json", "*/.claude/settings.local.json")
}

// managed are the folders in which administrators keep such settings.
func managed() []string {
	return []string{"/etc/claude-code", "/etc/codex", "/etc/gemini-cli", "/etc/qwen-code", "/etc/cursor", "/etc/opencode"}
}

// Policy is the rules for those of these tools whose arguments say which files they
// touch, whosever they are: an agent writes by its servers' tools as well as by its
// own. Without any there is nothing to say.
func Policy(tools []*tv.Tool, p Place) (file policy.File, needed bool, err error) {
	for _, folder := range slices.Concat([]string{p.Workspace, p.Home}, p.Named, p.Gate, p.Secret, p.Programs, slices.Collect(maps.Values(p.Folders))) {
		if !path.IsAbs(folder) || path.Clean(folder) != folder {
			return file, false, fmt.Errorf("protect the gate: %q is no absolute, clean path", folder)
		}
	}
	all := touching(tools, tv.RoleShell, tv.RolePath, tv.RolePatch)
	if len(all) == 0 {
		return file, false, nil
	}
	b, err := json.Marshal(p.policy(all, touching(tools, tv.RoleShell)))
	if err != nil {
		return file, false, fmt.Errorf("protect the gate: %w", err)
	}
	return policy.File{Name: "built-in self-protection.json", Content: b}, true, nil
}

// condition is one of a policy.
type condition = map[string]any

// policy writes the layer. Its default is the weakest, because of all layers the
// strictest default counts.
func (p Place) policy(all, shells []string) any {
	rule := func(id string, tools []string, when ...any) any {
		return condition{
			"id": id, "verdict": "deny", "tools": tools, "when": condition{"any": when},
			"reason": "The folder of the session, the settings of agents' hooks and the gate itself are not the agent's to change or to use",
		}
	}
	swapped := condition{"effects.any": p.swapped()}
	rules := []any{rule(Rule, all, condition{"effects.any": condition{"any": slices.Concat(p.changes(), p.uses())}}, p.links())}
	others := slices.DeleteFunc(slices.Clone(all), func(tool string) bool { return slices.Contains(shells, tool) })
	if len(others) > 0 {
		rules = append(rules, rule(Rule+"-folders", others, swapped))
	}
	if len(shells) > 0 {
		rules = append(rules, rule(Rule+"-swaps", shells, condition{"all": []any{swapped, condition{"effects.any": another()}}}))
	}
	return condition{
		"policy": "toolverdict-self-protection", "version": "v1", "default": "allow", "unsafeDefaultAllow": true, "rules": rules,
	}
}

// is asks for a kind. What is opaque, or of which no path is known, is left to the
// other layers.
func is(kind tv.EffectKind) condition { return condition{"eq": kind, "ne": tv.EffectOpaque} }

func at(test string, paths []string) condition { return condition{"exists": true, test: paths} }

// changes are what would change something that must stay. In the workspace, what
// reaches further than one file is left to the other layers, too: building it or
// checking out a branch writes "the workspace and what is below".
func (p Place) changes() []any {
	folders, outside, inside := p.folders(), p.files(false), p.files(true)
	either := condition{"in": []tv.EffectKind{tv.EffectWrite, tv.EffectDelete}, "ne": tv.EffectOpaque}
	nested := at("glob", nested())
	nested["under"] = p.each(p.Workspace)
	return []any{
		condition{"kind": is(tv.EffectDelete), "path": at("in", slices.Concat(folders, p.parents()))},
		condition{"kind": is(tv.EffectWrite), "deep": false, "path": at("in", folders)},
		condition{"kind": either, "path": at("under", outside)},
		condition{"kind": is(tv.EffectDelete), "path": at("under", inside)},
		condition{"kind": is(tv.EffectWrite), "deep": false, "path": at("under", inside)},
		condition{"kind": is(tv.EffectWrite), "deep": false, "path": nested},
	}
}

// uses are what would ask the gate in the place of the user, or take what is
// needed for that.
func (p Place) uses() []any {
	var out []any
	if len(p.Secret) > 0 {
		out = append(out, condition{"kind": is(tv.EffectRead), "names": false, "path": at("under", p.each(p.Secret...))})
	}
	if len(p.Programs) > 0 {
		out = append(out, condition{"kind": is(tv.EffectRead), "names": false, "deep": false, "path": at("in", p.each(p.Programs...))})
		var names, copies []string
		for _, program := range p.each(p.Programs...) {
			names, copies = append(names, program, path.Base(program)), append(copies, "*/"+path.Base(program))
		}
		is := condition{"kind": is(tv.EffectExecute)}
		by := condition{"program": at("in", sorted(names))}
		copied := condition{"program": at("glob", sorted(copies))}
		out = append(out, condition{"all": []any{is, condition{"any": []any{by, copied}}}})
	}
	return out
}

// swapped is what would put another folder in the place of one that holds settings.
func (p Place) swapped() condition {
	return condition{"kind": is(tv.EffectWrite), "deep": false, "path": at("in", p.parents())}
}

// another is a program that could do so: one that makes a folder where there is
// none, or a file, could not.
func another() condition {
	return condition{"kind": tv.EffectExecute, "program": condition{"notIn": []string{"mkdir", "echo", "printf", "cat", "ls", "cd", "true"}}}
}

// links are what would give something that must stay a second name: what is
// written by that later is not seen to be this. A program that links tells what it
// links to as what it reads.
func (p Place) links() condition {
	every := slices.Concat(p.files(false), p.files(true), p.parents())
	linking := condition{"kind": is(tv.EffectExecute), "any": []any{
		condition{"program": at("in", []string{"ln", "gln", "link", "symlink"})},
		condition{"program": at("in", []string{"cp", "gcp", "rsync"}), "argv": condition{"any": condition{"glob": []string{"--link*", "--symb*", "-l*", "-s*", "-?l*", "-?s*", "-??l*", "-??s*"}}}},
	}}
	return condition{"all": []any{
		condition{"effects.any": linking},
		condition{"effects.any": condition{"kind": is(tv.EffectRead), "path": at("under", every)}},
	}}
}

// each adds where the links of paths lead.
func (p Place) each(paths ...string) []string {
	out := slices.Clone(paths)
	for _, one := range paths {
		if p.Real == nil {
			break
		}
		if to := p.Real(one); path.IsAbs(to) {
			out = append(out, path.Clean(to))
		}
	}
	return sorted(out)
}

func sorted(texts []string) []string {
	slices.Sort(texts)
	return slices.Compact(texts)
}

// folders are the workspace and all that it is in.
func (p Place) folders() []string {
	var out []string
	for _, at := range p.each(p.Workspace) {
		for out = append(out, at); at != "/"; out = append(out, at) {
			at = path.Dir(at)
		}
	}
	return sorted(out)
}

// files are those that must stay, inside of the workspace or outside.
func (p Place) files(inside bool) []string {
	var out []string
	for _, file := range p.each(slices.Concat(managed(), p.Gate, p.Secret, p.Programs, p.settings())...) {
		if within(file, p.each(p.Workspace)) == inside {
			out = append(out, file)
		}
	}
	return out
}

// settings are the files of agents below the home folder, or where an agent keeps
// them, and below the workspace; those that opencode finds in each folder above that,
// too.
func (p Place) settings() []string {
	out := slices.Clone(p.Named)
	for at := p.Workspace; at != "/"; {
		at = path.Dir(at)
		for _, name := range opencodeFiles() {
			out = append(out, path.Join(at, name))
		}
		if at != p.Home { // what else is there is not settings: ~/.opencode/bin
			out = append(out, path.Join(at, ".opencode"))
		}
	}
	home := homeSettings()
	for i, name := range slices.Concat(home, settings()) {
		if out = append(out, path.Join(p.Home, name)); i >= len(home) {
			out = append(out, path.Join(p.Workspace, name))
		}
		first, rest, _ := strings.Cut(name, "/")
		if folder, moved := p.Folders[first]; moved {
			out = append(out, path.Join(folder, rest))
		}
	}
	return out
}

// parents are the folders that hold such files, below the home folder and the
// workspace, and those of the gate that lie in the workspace.
func (p Place) parents() []string {
	var out []string
	settings := p.settings()
	for i, file := range slices.Concat(settings, p.Gate) {
		for at := path.Dir(file); within(at, []string{p.Workspace, p.Home}); at = path.Dir(at) {
			if !slices.Contains(settings, at) && (within(at, []string{p.Workspace}) || i < len(settings)) {
				out = append(out, at)
			}
		}
	}
	out = append(out, slices.Collect(maps.Values(p.Folders))...)
	folders := p.folders()
	return slices.DeleteFunc(p.each(out...), func(at string) bool { return slices.Contains(folders, at) })
}

// within reports whether a path is below one of these folders.
func within(file string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool {
		return strings.HasPrefix(file, strings.TrimSuffix(folder, "/")+"/")
	})
}

// touching returns the names of the tools that have an argument of these kinds.
func touching(tools []*tv.Tool, kinds ...tv.RoleKind) []string {
	var out []string
	for _, t := range tools {
		for _, role := range t.Roles() {
			if slices.Contains(kinds, role.Kind) {
				out = append(out, t.Name())
				break
			}
		}
	}
	return out
}
