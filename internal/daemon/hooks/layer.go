// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package hooks puts what coding agents need into a gate: the catalogs of their
// tools, the layer that protects the gate from them, and the desk that answers
// them. It also makes a gate for one answer, where none is served.
package hooks

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/catalog"
	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/hookgate/catalogs"
	"github.com/toolverdict/toolverdict/hookgate/protect"
	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/policy"
)

// Layer is what the hooks of a configuration add to its catalog and its policy.
// The zero Layer adds nothing.
type Layer struct {
	agents []hookgate.Agent
	place  protect.Place
}

// Of reads the configuration. It looks up where this program is and, where the
// file does not say, which home folder is its user's.
func Of(c *config.Config) (Layer, error) {
	if c.Hooks == nil {
		return Layer{}, nil
	}
	l := Layer{place: protect.Place{Workspace: c.Hooks.Workspace, Home: c.Hooks.Home}}
	for _, name := range c.Hooks.Agents {
		agent, known := hookgate.Named(name)
		if !known {
			return Layer{}, fmt.Errorf("read hooks: %q is no agent", name)
		}
		l.agents = append(l.agents, agent)
	}
	if l.place.Home == "" {
		home, err := os.UserHomeDir()
		if err != nil || !filepath.IsAbs(home) {
			return Layer{}, errors.New("read hooks: the home folder of this process is not known: name that of the user who runs the agents under hooks.home")
		}
		l.place.Home = filepath.Clean(home)
	}
	if hookgate.Within(l.place.Home, l.place.Workspace) {
		return Layer{}, fmt.Errorf("read hooks: the workspace %s holds the home folder: name the folder of one project", l.place.Workspace)
	}
	if err := l.guard(c); err != nil {
		return Layer{}, err
	}
	return l, nil
}

// guard says which files are the gate's. One that decides lies outside of the
// folder in which the agents work: a checkout, or a program that is built there,
// would write it.
func (l *Layer) guard(c *config.Config) error {
	followed := follower()
	decides := slices.Concat([]string{c.Data}, c.Policies, c.Catalogs)
	if c.File != "" {
		decides = append(decides, c.File)
	}
	for i, file := range decides {
		at, err := filepath.Abs(file)
		if err != nil {
			return fmt.Errorf("read hooks: %w", err)
		}
		if hookgate.Within(at, l.place.Workspace) || hookgate.Within(followed(at), followed(l.place.Workspace)) {
			return fmt.Errorf("read hooks: %s lies in the workspace %s, where the agent can write it: move it elsewhere", at, l.place.Workspace)
		}
		decides[i] = at
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("read hooks: find this program: %w", err)
	}
	l.place.Programs = []string{filepath.Clean(program)}
	if started, err := exec.LookPath(os.Args[0]); err == nil {
		if started, err = filepath.Abs(started); err == nil {
			l.place.Programs = append(l.place.Programs, started)
		}
	}
	own := filepath.Join(l.place.Home, ".config", "toolverdict")
	l.place.Gate, l.place.Secret = decides[1:], []string{decides[0], own}
	l.place.Folders, l.place.Named = elsewhere(os.Getenv), named(os.Getenv, l.place.Workspace)
	return nil
}

// named are the files of settings that agents are told to read.
func named(getenv func(string) string, workspace string) []string {
	var out []string
	for _, name := range []string{
		"OPENCODE_CONFIG", "OPENCODE_TUI_CONFIG", "GEMINI_CLI_SYSTEM_SETTINGS_PATH", "GEMINI_CLI_SYSTEM_DEFAULTS_PATH",
		"QWEN_CODE_SYSTEM_SETTINGS_PATH", "QWEN_CODE_SYSTEM_DEFAULTS_PATH",
	} {
		at := getenv(name)
		if at == "" {
			continue
		}
		if !filepath.IsAbs(at) { // they read it from the folder that they work in
			at = filepath.Join(workspace, at)
		}
		if at = filepath.Clean(at); !hookgate.Within(workspace, at) {
			out = append(out, at)
		}
	}
	return out
}

// elsewhere is where the agents keep their settings, as far as this process is told:
// they start it with their own environment.
func elsewhere(getenv func(string) string) map[string]string {
	out := map[string]string{}
	for name, folder := range map[string]string{
		"CLAUDE_CONFIG_DIR": ".claude", "CODEX_HOME": ".codex", "COPILOT_HOME": ".copilot", "QWEN_HOME": ".qwen",
		"CLINE_DIR": ".cline", "OPENCODE_CONFIG_DIR": ".opencode", "XDG_CONFIG_HOME": ".config",
	} {
		if at := getenv(name); filepath.IsAbs(at) && filepath.Clean(at) != "/" {
			out[folder] = filepath.Clean(at)
		}
	}
	if at := getenv("GEMINI_CLI_HOME"); filepath.IsAbs(at) {
		out[".gemini"] = filepath.Join(at, ".gemini")
	}
	return out
}

// follower finds where the links of clean absolute paths lead. Of what is not there,
// the folder that is there counts. It looks at each folder once: take a new one each
// time that files are read.
func follower() func(path string) string {
	known := map[string]string{}
	var follow func(path string) string
	follow = func(path string) string {
		up := filepath.Dir(path)
		if up == path {
			return path
		}
		to, ok := known[path]
		if !ok {
			to = filepath.Join(follow(up), filepath.Base(path))
			if isLink(to) {
				if end, err := filepath.EvalSymlinks(to); err == nil {
					to = end
				}
			}
			known[path] = to
		}
		return to
	}
	return follow
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&os.ModeSymlink != 0
}

// Agents returns those that ask.
func (l Layer) Agents() []hookgate.Agent { return l.agents }

// Workspace is the folder that they work in.
func (l Layer) Workspace() string { return l.place.Workspace }

// Extend adds the agents' tools to what a catalog is made of, and the servers that
// only the agents speak to: an overlay describes the tools of these.
func (l Layer) Extend(in catalog.Input) (catalog.Input, error) {
	if len(l.agents) == 0 {
		return in, nil
	}
	in.Overlays, in.Servers = slices.Clone(in.Overlays), slices.Clone(in.Servers)
	known := func(name string) bool {
		return slices.ContainsFunc(in.Servers, func(s catalog.Server) bool { return s.Name == name })
	}
	for _, name := range catalog.Servers(in.Overlays) {
		if !known(name) {
			in.Servers = append(in.Servers, catalog.Server{Name: name, Local: true, Place: l.where()})
		}
	}
	for _, agent := range l.agents {
		overlay, err := catalogs.Overlay(agent)
		if err != nil {
			return in, err
		}
		in.Overlays = append(in.Overlays, overlay)
		if !known(string(agent)) {
			in.Servers = append(in.Servers, catalog.Server{Name: string(agent), Local: true, Place: l.where()})
		}
	}
	return in, nil
}

// where the agents' tools work. Links are followed where this process sees the
// folder.
func (l Layer) where() tv.Place {
	info, err := os.Stat(l.place.Workspace)
	return tv.Place{Root: l.place.Workspace, Home: l.place.Home, Links: err == nil && info.IsDir(), Folded: folds(runtime.GOOS)}
}

// folds reports whether file systems of a system take names that differ in case for
// one, as they come.
func folds(system string) bool { return system == "darwin" || system == "ios" || system == "windows" }

// Protect adds the layer that protects the gate, and the folder of the sessions,
// from the agents' tools and from those of the servers that they may use.
func (l Layer) Protect(files []policy.File, tools []*tv.Tool) ([]policy.File, error) {
	if len(l.agents) == 0 {
		return files, nil
	}
	place := l.place
	place.Real = follower()
	file, needed, err := protect.Policy(tools, place)
	if err != nil || !needed {
		return files, err
	}
	return append(slices.Clone(files), file), nil
}
