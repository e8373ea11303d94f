// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"slices"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict/internal/strictyaml"
)

// Hooks says which coding agents ask this gate before and after their tools.
type Hooks struct {
	strictyaml.Placed
	Agents    []string      `yaml:"agents" json:"agents" jsonschema:"minItems=1,description=Coding agents whose built-in tools this gate knows: claude-code or codex or gemini or copilot or qwen or cursor or opencode or cline."`
	Workspace string        `yaml:"workspace" json:"workspace" jsonschema:"description=The folder that they work in. It is protected from being moved or deleted; agents but Claude Code must be started in it."`
	Home      string        `yaml:"home" json:"home,omitempty" jsonschema:"description=The home folder of the user who runs them. That of the gate's own user when left out."`
	Wait      time.Duration `yaml:"wait" json:"wait,omitempty" jsonschema:"type=string,description=How long a call is held open while a person decides. Not at all when left out; 5m at most."`
	Defer     bool          `yaml:"defer" json:"defer,omitempty" jsonschema:"description=In runs of Claude Code that nobody attends (claude -p) a call that a person has to approve ends the run until it is resumed. Has an effect where the hook decides without a server."`
}

// maxHookWait bounds how long an agent is kept waiting for a person.
const maxHookWait = 5 * time.Minute

// hookAgents are the agents whose hooks are known.
func hookAgents() []string {
	return []string{"claude-code", "codex", "gemini", "copilot", "qwen", "cursor", "opencode", "cline"}
}

func (c *Config) checkHooks(add adder) {
	h := c.Hooks
	if h == nil {
		return
	}
	if len(h.Agents) == 0 {
		add(h.Placed, "hooks.agents: name at least one of %s", strings.Join(hookAgents(), ", "))
	}
	for i, a := range h.Agents {
		switch {
		case !slices.Contains(hookAgents(), a):
			add(h.Placed, "hooks.agents: %q: use %s", a, strings.Join(hookAgents(), ", "))
		case slices.Contains(h.Agents[:i], a):
			add(h.Placed, "hooks.agents: %q is named twice", a)
		case c.Upstreams[a] != nil:
			add(h.Placed, "hooks.agents: an upstream is called %q too: rename it", a)
		}
	}
	if h.Workspace == "" {
		add(h.Placed, "hooks.workspace: name the folder that the agents work in")
	}
	if h.Wait < 0 || h.Wait > maxHookWait {
		add(h.Placed, "hooks.wait: 5m at most")
	}
}

func (h *Hooks) resolve(dir string) {
	if h == nil {
		return
	}
	h.Workspace = absolute(dir, h.Workspace)
	if h.Home != "" {
		h.Home = absolute(dir, h.Home)
	}
}
