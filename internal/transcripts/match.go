// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package transcripts

import (
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// Names reports whether a call is one of the tool with this full name: the agent's own
// by its name, an MCP server's with the server's in front, as agents write it whose
// hooks know no ids.
func (c *Call) Names(full string) bool {
	owner, tool, _ := strings.Cut(full, "/")
	if owner == string(c.Agent) {
		return tool == c.Tool
	}
	return slices.Contains([]string{owner + "-" + tool, "mcp_" + owner + "_" + tool}, c.Tool)
}

// MadeUp reports whether the id of a decided call is none of the agent's: its hook knew
// none, and the call has to be found by what it is.
func MadeUp(id string) bool { return hookgate.IsSynthetic(id) }

// Shown makes what stands in a transcript fit to show: models, tools and servers wrote
// it.
func Shown(text string) string { return plain.Line(text) }
