// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package hookgate

import (
	"fmt"
	"strings"

	"github.com/toolverdict/toolverdict/internal/plain"
)

// own is the full name of a tool of the agent itself. A name that could mean more
// than one tool of an MCP server stays one of these, too: no catalog has it unless
// somebody wrote it there for just this name.
func own(a Agent, name string) string { return string(a) + "/" + name }

// told checks the name of a tool of which the agent says that a server has it. One
// that is not named like a server's would pass for the agent's own of that name, and
// be decided by what that one's arguments mean.
func told(in *members, full string, a Agent, server string) {
	if strings.HasPrefix(full, string(a)+"/") {
		in.fail(fmt.Sprintf("the tool is one of the MCP server %q, and its name is none of that server's", plain.Line(server)))
	}
}

// served is the full name of a tool of an MCP server. A server that calls itself
// like an agent would pass its tools off as the agent's own.
func served(a Agent, raw, server, tool string) string {
	_, agent := Named(server)
	if agent || server == "" || tool == "" || strings.Contains(server, "/") || strings.Contains(tool, "/") {
		return own(a, raw)
	}
	return server + "/" + tool
}

// underscored reads mcp__SERVER__TOOL. The server's own name, where the agent
// tells it, says where the tool begins.
func underscored(a Agent, raw, server string) string {
	rest, ok := strings.CutPrefix(raw, "mcp__")
	if !ok {
		return own(a, raw)
	}
	if server != "" {
		tool, ok := strings.CutPrefix(rest, mangled(server)+"__")
		if !ok {
			return own(a, raw)
		}
		return served(a, raw, server, tool)
	}
	at := strings.Index(rest, "__")
	if at < 0 || strings.LastIndex(rest, "__") != at {
		return own(a, raw)
	}
	return served(a, raw, rest[:at], rest[at+2:])
}

// mangled is a server's name as Claude Code writes it into a tool's.
func mangled(server string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, server)
}

// dashed reads SERVER-TOOL, where only one dash could part the two.
func dashed(a Agent, raw string) string {
	server, tool, ok := strings.Cut(raw, "-")
	if !ok || strings.Contains(tool, "-") {
		return own(a, raw)
	}
	return served(a, raw, server, tool)
}
