// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package installcmd

import (
	"strings"

	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/hookgate/setup"
)

// explain says what will hold, what is not covered, and what is left to do.
func explain(p *setup.Place, e *setup.Entry) string {
	var b strings.Builder
	whose := "in all of your sessions"
	if p.Scope == setup.Project {
		whose = "in sessions in " + p.Project
	}
	asked := "runs " + e.Program
	if e.Server != "" {
		asked = "asks " + e.Server
	}
	b.WriteString(string(p.Agent) + " " + asked + " before and after each tool, " + whose + ".\n")
	list(&b, "What will hold:", append([]string{
		"a call that the gate denies does not run",
		"a gate that fails, or does not answer in time, denies",
		"what you are asked by the agent itself stays: the gate never answers \"allow\"",
	}, holds(p.Agent)...))
	list(&b, "What is not covered (more in docs/hooks.md):", append([]string{
		"sessions in which hooks are switched off; what a program does once it runs; tools of the model's provider",
	}, gaps(p.Agent)...))
	list(&b, "What is left to do:", todo(p, e))
	return b.String()
}

func list(b *strings.Builder, head string, items []string) {
	if len(items) == 0 {
		return
	}
	b.WriteString(head + "\n")
	for _, item := range items {
		b.WriteString("  - " + item + "\n")
	}
}

func holds(a hookgate.Agent) []string {
	switch a {
	case hookgate.ClaudeCode:
		return []string{"a hook that cannot be started, or times out, denies (onFailure)"}
	case hookgate.Cursor:
		return []string{"a hook that cannot be started, or times out, denies (failClosed)"}
	case hookgate.OpenCode:
		return []string{"a program that cannot be started, hangs or is killed denies: the plugin waits for the answer {} and for nothing else"}
	case hookgate.Cline:
		return []string{"a program that cannot be started or is killed denies: the script around it says so"}
	case hookgate.Codex, hookgate.Gemini, hookgate.Qwen, hookgate.Copilot:
		return []string{"a program that cannot be started, or is killed, denies"}
	}
	return nil
}

func gaps(a hookgate.Agent) []string {
	switch a {
	case hookgate.ClaudeCode:
		return []string{"a settings file with one wrong value, which Claude Code drops whole; 'claude --bare'; shell commands inside of skills"}
	case hookgate.Codex:
		return []string{
			"a hook that you did not trust: Codex skips it without a word",
			"a hook that times out lets the tool run; what is typed into a program that runs already (write_stdin) is not asked about",
		}
	case hookgate.Gemini, hookgate.Qwen, hookgate.Copilot:
		return []string{"a hook that times out lets the tool run"}
	case hookgate.Cursor:
		return []string{"this form was taken from Cursor's documentation and was not measured; tools of MCP servers are refused"}
	case hookgate.OpenCode:
		return []string{"'opencode --pure', or a plugin folder that opencode cannot load: then nothing is asked ('toolverdict doctor' looks for the plugin's sign of life)"}
	case hookgate.Cline:
		return []string{
			"a denial ends Cline's whole run: it has no other",
			"another hook of yours for PreToolUse may change the call after the gate saw it (overrideInput)",
		}
	}
	return nil
}

func todo(p *setup.Place, e *setup.Entry) []string {
	var out []string
	if p.Scope == setup.Project {
		out = append(out, "mind that whoever can write this folder, the agent's next checkout included, can take the hook out: prefer --user")
	}
	if e.Server != "" {
		variable := e.KeyVariable
		if variable == "" {
			variable = setup.DefaultKeyVariable
		}
		out = append(out, "start Claude Code with the agent's API key in "+variable+": without it, every call is denied")
	}
	if p.Agent == hookgate.Codex {
		out = append(out, "trust the hook: start 'codex' in a terminal, type /hooks, choose each hook of toolverdict and press t. Until then, and again after each change of the entry, it does not run")
	}
	return out
}
