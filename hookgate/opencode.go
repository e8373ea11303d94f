// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package hookgate

import (
	"fmt"
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// opencode has no hook that is a program. The plugin that 'hook install' writes
// tells what opencode tells its plugins, in a form of ours (package setup).
const (
	opencodeBefore = "tool.execute.before"
	opencodeAfter  = "tool.execute.after"
	opencodeFailed = "tool.execute.failed" // opencode itself calls no plugin after a tool that failed
)

type opencodeDenial struct {
	Decision string `json:"decision"`
	Reason   string `json:"reason"`
}

func readOpenCode(in *members) Event {
	e := Event{
		Session: in.needed("sessionID"), Call: in.needed("callID"), Arguments: in.arguments("args"),
		Home: in.folder("directory"), Tool: opencodeTool(in, in.needed("tool")),
	}
	e.Folder = e.Home
	switch event := in.text("event"); event {
	case opencodeBefore:
		e.Phase = Before
	case opencodeAfter:
		e.Phase = After
	case opencodeFailed:
		e.Phase, e.Failed = After, true
	default:
		in.fail(fmt.Sprintf("the event is neither %s nor %s: set the plugin up anew", opencodeBefore, opencodeAfter))
	}
	return e
}

// opencodeTool reads SERVER_TOOL by the servers that are set up: of the name alone
// nobody could tell where the tool begins. A name that could be one of two servers',
// or the agent's own as well, is none of them.
func opencodeTool(in *members, raw string) string {
	name, found := own(OpenCode, raw), 0
	for _, server := range in.texts("servers") {
		tool, ok := strings.CutPrefix(raw, mangled(server)+"_")
		if !ok {
			continue
		}
		name = served(OpenCode, raw, server, tool)
		found++
	}
	if found > 1 || found == 1 && opencodeOwn(raw) {
		in.fail("the tool's name could be that of two tools: give the MCP servers other names")
	}
	return name
}

// opencodeOwn reports whether a name with an underscore is that of a tool of opencode
// itself.
func opencodeOwn(raw string) bool {
	switch raw {
	case "apply_patch", "plan_enter", "plan_exit", "list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource":
		return true
	}
	return false
}

// texts reads a list of texts.
func (m *members) texts(name string) []string {
	list, ok := m.v.Get(name)
	if !ok || list.Kind() != canon.KindArray {
		m.fail(fmt.Sprintf("%s must be a list", name))
		return nil
	}
	out := make([]string, 0, list.Len())
	for i := range list.Len() {
		one, _ := list.Index(i)
		if one.Kind() != canon.KindString {
			m.fail(fmt.Sprintf("%s must be a list of texts", name))
			return nil
		}
		out = append(out, one.Text())
	}
	return out
}
