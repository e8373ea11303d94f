// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/hookgate/setup/internal/jsontext"
	"github.com/toolverdict/toolverdict/hookgate/setup/internal/tomlline"
	"github.com/toolverdict/toolverdict/hookgate/setup/internal/userfile"
)

// off is a switch in a file of settings that makes hooks dead.
type off struct {
	path  string
	keys  []string
	value string // of the switch, where hooks are off
	fix   string
}

// switches finds what makes every hook of the agent dead, in all files that are known
// to hold such a switch.
func (p *Place) switches() []Fault {
	switch p.Agent {
	case hookgate.ClaudeCode:
		return p.found(p.claudeSwitches())
	case hookgate.Qwen, hookgate.Gemini:
		return append(p.found(p.geminiSwitches()), p.disabledByName()...)
	case hookgate.Codex:
		return p.codexSwitches()
	case hookgate.Copilot:
		return p.copilotSwitches()
	default:
		return nil
	}
}

func (p *Place) claudeSwitches() []off {
	var out []off
	for _, managed := range managed("/etc/claude-code", "/Library/Application Support/ClaudeCode") {
		out = append(out,
			off{managed, []string{"disableAllHooks"}, "true", "ask the administrator of this machine"},
			off{managed, []string{"allowManagedHooksOnly"}, "true", "ask the administrator of this machine to add the hook there"})
	}
	for _, path := range p.layers("settings.json", "settings.local.json") {
		out = append(out, off{path, []string{"disableAllHooks"}, "true", "take it out or set it to false"})
	}
	return out
}

// managed are an administrator's files in the folders that hold them.
func managed(folders ...string) []string {
	var out []string
	for _, folder := range folders {
		more, _ := filepath.Glob(filepath.Join(folder, "managed-settings.d", "*.json")) // the pattern is ours
		out = append(append(out, filepath.Join(folder, "managed-settings.json")), more...)
	}
	return out
}

// copilotSwitches looks into settings and into every file of hooks: each can switch
// them all off.
func (p *Place) copilotSwitches() []Fault {
	files := p.layers("settings.json", "settings.local.json", "config.json", "copilot/settings.json", "copilot/settings.local.json")
	for _, folder := range p.layers("hooks") {
		entries, _ := os.ReadDir(folder) // what cannot be read has no hooks, either
		for _, entry := range entries {
			if strings.HasSuffix(entry.Name(), ".json") {
				files = append(files, filepath.Join(folder, entry.Name()))
			}
		}
	}
	var all []off
	for _, path := range files {
		all = append(all, off{path, []string{"disableAllHooks"}, "true", "take it out or set it to false"})
	}
	out := p.found(all)
	for _, path := range files {
		src, root := settings(path)
		if list := root.Get("disabledHooks"); list != nil && len(list.Items)+len(list.Members) > 0 {
			out = append(out, Fault{fmt.Sprintf("%s: line %d: disabledHooks switches hooks off, and the gate's may be one", path, jsontext.Line(src, list.Start)), "empty that list"})
		}
	}
	return out
}

func (p *Place) geminiSwitches() []off {
	var out []off
	for _, path := range p.geminiFiles() {
		out = append(out,
			off{path, []string{"hooksConfig", "enabled"}, "false", "take it out or set it to true"},
			off{path, []string{"disableAllHooks"}, "true", "take it out or set it to false"})
	}
	return out
}

// geminiFiles are all that Gemini CLI and Qwen Code, which came of it, read.
func (p *Place) geminiFiles() []string {
	folders := []string{"/etc/gemini-cli", "/Library/Application Support/GeminiCli"}
	if p.Agent == hookgate.Qwen {
		folders = []string{"/etc/qwen-code", "/Library/Application Support/QwenCode"}
	}
	out := append(p.layers("settings.json"), p.System...)
	for _, folder := range folders {
		out = append(out, filepath.Join(folder, "settings.json"), filepath.Join(folder, "system-defaults.json"))
	}
	return out
}

// layers are files of these names in the agent's folders of the user and the project.
func (p *Place) layers(names ...string) []string {
	user, project := *p, *p
	user.Scope, project.Scope = User, Project
	folders := []string{user.folder()}
	if p.Project != "" {
		folders = append(folders, project.folder())
	}
	var out []string
	for _, folder := range folders {
		for _, name := range names {
			out = append(out, filepath.Join(folder, name))
		}
	}
	return out
}

// found are the switches that are off. A file that cannot be read has none: where the
// entry stands in it, it is refused elsewhere.
func (p *Place) found(all []off) []Fault {
	var out []Fault
	for _, o := range all {
		src, root := settings(o.path)
		if n := root.Get(o.keys...); n != nil && src[n.Start:n.End] == o.value {
			out = append(out, Fault{
				fmt.Sprintf("%s: line %d: %s is %s, which switches all hooks off", o.path, jsontext.Line(src, n.Start), strings.Join(o.keys, "."), o.value), o.fix,
			})
		}
	}
	return out
}

func settings(path string) (string, *jsontext.Node) {
	b, err := userfile.Read(path)
	if err != nil {
		return "", nil
	}
	root, err := jsontext.Parse(string(b), true)
	if err != nil {
		return "", nil
	}
	return string(b), root
}

// disabledByName finds the hook in the list of those that the user switched off.
func (p *Place) disabledByName() []Fault {
	var out []Fault
	for _, path := range p.geminiFiles() {
		src, root := settings(path)
		list := root.Get("hooksConfig", "disabled")
		if list == nil {
			continue
		}
		for _, item := range list.Items {
			words, _ := split(item.Text)
			_, ours := entryOfWords(p.Agent, words, p.record().programs())
			if ours || item.Text == hookName {
				out = append(out, Fault{fmt.Sprintf("%s: line %d: hooksConfig.disabled names the hook", path, jsontext.Line(src, item.Start)), "take it out of that list"})
			}
		}
	}
	return out
}

func (p *Place) codexSwitches() []Fault {
	var out []Fault
	for _, path := range p.layers("config.toml") {
		for _, s := range toml(path) {
			name := strings.Join(s.Keys, ".") // a profile's ends alike
			if at := "." + name; (strings.HasSuffix(at, ".features.hooks") || strings.HasSuffix(at, ".features.codex_hooks")) && s.Value == "false" {
				out = append(out, Fault{fmt.Sprintf("%s: line %d: %s is false, which switches all hooks off", path, s.Line, name), "take it out or set it to true"})
			}
		}
	}
	for _, s := range toml("/etc/codex/requirements.toml") {
		if s.Keys[len(s.Keys)-1] == "allow_managed_hooks_only" && s.Value == "true" {
			out = append(out, Fault{fmt.Sprintf("/etc/codex/requirements.toml: line %d: only hooks of the administrator run", s.Line), "ask the administrator of this machine to add the hook there"})
		}
	}
	return out
}

// toml are the settings of a file; one that cannot be read has none.
func toml(path string) []tomlline.Setting {
	b, err := userfile.Read(path)
	if err != nil {
		return nil
	}
	return tomlline.Read(string(b))
}
