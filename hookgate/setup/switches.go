// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"
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
	default:
		return nil
	}
}

func (p *Place) claudeSwitches() []off {
	var out []off
	for _, managed := range []string{"/etc/claude-code/managed-settings.json", "/Library/Application Support/ClaudeCode/managed-settings.json"} {
		out = append(out,
			off{managed, []string{"disableAllHooks"}, "true", "ask the administrator of this machine"},
			off{managed, []string{"allowManagedHooksOnly"}, "true", "ask the administrator of this machine to add the hook there"})
	}
	for _, path := range p.layers("settings.json", "settings.local.json") {
		out = append(out, off{path, []string{"disableAllHooks"}, "true", "take it out or set it to false"})
	}
	return out
}

func (p *Place) geminiSwitches() []off {
	var out []off
	for _, path := range p.layers("settings.json") {
		out = append(out,
			off{path, []string{"hooksConfig", "enabled"}, "false", "take it out or set it to true"},
			off{path, []string{"disableAllHooks"}, "true", "take it out or set it to false"})
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
	for _, path := range p.layers("settings.json") {
		src, root := settings(path)
		list := root.Get("hooksConfig", "disabled")
		if list == nil {
			continue
		}
		for _, item := range list.Items {
			_, ours := entryOfWords(p.Agent, split(item.Text), p.record().programs())
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
			name := strings.Join(s.Keys, ".")
			if (name == "features.hooks" || name == "features.codex_hooks") && s.Value == "false" {
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
