// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/toolverdict/toolverdict/hookgate"
)

// form is one file in which an agent looks for hooks, and what stands there.
type form struct {
	agent    hookgate.Agent
	path     string
	comments bool     // the agent takes comments in it
	events   []string // before a tool first
	nested   bool     // an event's entries are groups of handlers
	version  bool     // the file says which version of the form it is
	handler  func(e *Entry) any
	whole    func(e *Entry) (string, error) // the file is ours altogether
}

// folder is where the agent keeps its settings.
func (p *Place) folder() string {
	root := p.Home
	switch {
	case p.Scope == Project:
		root = p.Project
	case p.Folder != "":
		return p.Folder
	}
	switch {
	case p.Agent == hookgate.OpenCode && p.Scope == User:
		return filepath.Join(root, ".config", "opencode")
	case p.Agent == hookgate.Copilot && p.Scope == Project:
		return filepath.Join(root, ".github")
	}
	return filepath.Join(root, map[hookgate.Agent]string{
		hookgate.ClaudeCode: ".claude", hookgate.Codex: ".codex", hookgate.Gemini: ".gemini", hookgate.Copilot: ".copilot",
		hookgate.Qwen: ".qwen", hookgate.Cursor: ".cursor", hookgate.OpenCode: ".opencode", hookgate.Cline: ".cline",
	}[p.Agent])
}

// Folder is where an agent keeps the user's settings, where the environment says so; ""
// where they are as usual.
func Folder(a hookgate.Agent, home string, getenv func(string) (string, bool)) (string, error) {
	name := map[hookgate.Agent]string{
		hookgate.ClaudeCode: "CLAUDE_CONFIG_DIR", hookgate.Codex: "CODEX_HOME", hookgate.Copilot: "COPILOT_HOME", hookgate.Qwen: "QWEN_HOME",
		hookgate.Cline: "CLINE_DIR", hookgate.OpenCode: "XDG_CONFIG_HOME", hookgate.Gemini: "GEMINI_CLI_HOME",
	}[a]
	if name == "" {
		return "", nil
	}
	folder, given := getenv(name)
	if !given || folder == "" {
		return "", nil
	}
	if !filepath.IsAbs(folder) {
		return "", fmt.Errorf("find the settings of %s: %s is no absolute folder", a, name)
	}
	switch a {
	case hookgate.OpenCode:
		folder = filepath.Join(folder, "opencode")
	case hookgate.Gemini: // it is taken for the home folder
		folder = filepath.Join(folder, ".gemini")
	default:
	}
	usual := Place{Agent: a, Home: home, Scope: User}
	if folder = filepath.Clean(folder); folder == usual.folder() {
		return "", nil
	}
	return folder, nil
}

// System are files of settings for all users of the machine that the environment
// names to an agent.
func System(a hookgate.Agent, getenv func(string) (string, bool)) []string {
	var out []string
	for _, name := range map[hookgate.Agent][]string{
		hookgate.Gemini: {"GEMINI_CLI_SYSTEM_SETTINGS_PATH", "GEMINI_CLI_SYSTEM_DEFAULTS_PATH"},
		hookgate.Qwen:   {"QWEN_CODE_SYSTEM_SETTINGS_PATH", "QWEN_CODE_SYSTEM_DEFAULTS_PATH"},
	}[a] {
		if at, given := getenv(name); given && filepath.IsAbs(at) {
			out = append(out, filepath.Clean(at))
		}
	}
	return out
}

// forms are the files of an agent.
func (p *Place) forms() []form {
	in := func(names ...string) string { return filepath.Join(append([]string{p.folder()}, names...)...) }
	claude := []string{"PreToolUse", "PostToolUse"}
	switch p.Agent {
	case hookgate.ClaudeCode:
		return []form{{agent: p.Agent, path: in("settings.json"), nested: true, events: append(claude, "PostToolUseFailure"), handler: claudeHandler}}
	case hookgate.Codex:
		return []form{{agent: p.Agent, path: in("hooks.json"), nested: true, events: claude, handler: shellHandler(p.Agent, time.Second, "")}}
	case hookgate.Gemini:
		return []form{{
			agent: p.Agent, path: in("settings.json"), nested: true, comments: true, events: []string{"BeforeTool", "AfterTool"},
			handler: shellHandler(p.Agent, time.Millisecond, hookName),
		}}
	case hookgate.Qwen:
		return []form{{agent: p.Agent, path: in("settings.json"), nested: true, comments: true, events: claude, handler: shellHandler(p.Agent, time.Millisecond, "")}}
	case hookgate.Copilot:
		return []form{{agent: p.Agent, path: in("hooks", "toolverdict.json"), version: true, events: []string{"preToolUse", "postToolUse"}, handler: copilotHandler}}
	case hookgate.Cursor:
		return []form{{agent: p.Agent, path: in("hooks.json"), version: true, handler: cursorHandler, events: []string{
			"preToolUse", "beforeShellExecution", "beforeReadFile", "beforeMCPExecution",
			"postToolUse", "postToolUseFailure", "afterShellExecution", "afterMCPExecution",
		}}}
	case hookgate.OpenCode:
		return []form{{agent: p.Agent, path: in("plugin", "toolverdict.js"), whole: p.plugin}}
	case hookgate.Cline:
		return []form{
			{agent: p.Agent, path: in("hooks", "PreToolUse"), whole: beforeScript},
			{agent: p.Agent, path: in("hooks", "PostToolUse"), whole: afterScript},
		}
	}
	return nil
}

// hookName is what the entry is called, where entries have names.
const hookName = "toolverdict"

type claudeCommand struct {
	Type      string   `json:"type"`
	Command   string   `json:"command"`
	Args      []string `json:"args"`
	Timeout   int      `json:"timeout"`
	OnFailure string   `json:"onFailure"`
}

type claudeHTTP struct {
	Type      string            `json:"type"`
	URL       string            `json:"url"`
	Headers   map[string]string `json:"headers"`
	Variables []string          `json:"allowedEnvVars"`
	Timeout   int               `json:"timeout"`
	OnFailure string            `json:"onFailure"`
}

func claudeHandler(e *Entry) any {
	timeout := int(e.timeout() / time.Second)
	if e.Server != "" {
		return claudeHTTP{
			Type: "http", URL: e.address(hookgate.ClaudeCode), Headers: map[string]string{"Authorization": "Bearer $" + e.KeyVariable},
			Variables: []string{e.KeyVariable}, Timeout: timeout, OnFailure: "block",
		}
	}
	return claudeCommand{Type: "command", Command: e.Program, Args: e.words(hookgate.ClaudeCode)[1:], Timeout: timeout, OnFailure: "block"}
}

type shellCommand struct {
	Name    string `json:"name,omitempty"`
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout"`
}

// shellHandler is for agents that run a line of a shell, and go on when it fails.
func shellHandler(a hookgate.Agent, unit time.Duration, name string) func(e *Entry) any {
	return func(e *Entry) any {
		return shellCommand{Name: name, Type: "command", Command: e.line(a) + " " + orElse, Timeout: int(e.timeout() / unit)}
	}
}

func copilotHandler(e *Entry) any {
	return struct {
		Type    string `json:"type"`
		Bash    string `json:"bash"`
		Timeout int    `json:"timeoutSec"`
	}{"command", e.line(hookgate.Copilot), int(e.timeout() / time.Second)}
}

func cursorHandler(e *Entry) any {
	return struct {
		Command    string `json:"command"`
		Timeout    int    `json:"timeout"`
		FailClosed bool   `json:"failClosed"`
	}{e.line(hookgate.Cursor), int(e.timeout() / time.Second), true}
}
