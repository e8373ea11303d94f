// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package drive

import (
	"github.com/toolverdict/toolverdict/e2e/agents/internal/model"
	"github.com/toolverdict/toolverdict/hookgate"
)

// Agent is a coding agent, and how it is run.
type Agent struct {
	Name    hookgate.Agent
	Program []string // the command of it alone
	// Command starts it for one prompt.
	Command func(s *Stage, prompt string) (argv, env []string)
	// Settings are its files below the home folder, without the hook: which model it asks,
	// and the MCP server "disk".
	Settings func(s *Stage, model string) map[string]string
	// Shell, Spawn and Write are calls of its own tools: a command, a helper, and the tool
	// write_file of the server "disk".
	Shell func(command string) model.Call
	Spawn func(prompt string) []model.Turn
	Write func(path string) []model.Turn
	// Aborts says that a denial ends the whole run.
	Aborts bool
}

// servers is the MCP server "disk", as most agents have it in their settings.
func (s *Stage) servers() object {
	return object{"disk": object{"command": s.Disk[0], "args": s.Disk[1:]}}
}

// object is a JSON object in the making.
type object = map[string]any
