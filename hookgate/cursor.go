// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package hookgate

import (
	"fmt"

	"github.com/toolverdict/toolverdict/internal/canon"
)

type cursorDenial struct {
	Permission   string `json:"permission"`
	UserMessage  string `json:"user_message"`
	AgentMessage string `json:"agent_message"`
}

// readCursor reads the events for all tools and those for one kind of action. An
// event of the second sort is a tool of its own: its arguments are members of the
// input.
func readCursor(in *members) Event {
	e := Event{Session: in.needed("conversation_id"), Model: in.text("model"), Call: in.text("tool_use_id")}
	e.Home, e.Phase = in.root(), Before
	if e.Folder = in.folder("cwd"); e.Folder == "" {
		e.Folder = e.Home
	}
	switch event := in.text("hook_event_name"); event {
	case "preToolUse", "postToolUse", "postToolUseFailure":
		e.Tool, e.Arguments = own(Cursor, in.needed("tool_name")), in.argumentsOrText("tool_input")
		if event != "preToolUse" {
			e.Phase, e.Failed = After, event == "postToolUseFailure"
		}
	case "beforeShellExecution", "afterShellExecution":
		e.Tool, e.Arguments = own(Cursor, "beforeShellExecution"), in.only("command")
	case "beforeReadFile":
		e.Tool, e.Arguments = own(Cursor, event), in.only("file_path")
	case "beforeMCPExecution", "afterMCPExecution":
		// Which server has the tool is not told, so it is none of a server's.
		e.Tool, e.Arguments = own(Cursor, "MCP:"+in.needed("tool_name")), in.argumentsOrText("tool_input")
	default:
		in.fail("the event is none that is asked about: see docs/hooks.md for those to set up")
	}
	if event := in.text("hook_event_name"); event == "afterShellExecution" || event == "afterMCPExecution" {
		e.Phase = After
	}
	return e
}

// only makes an object of one text of the input.
func (m *members) only(name string) []byte {
	return canon.Append(nil, canon.Object(canon.Member{Name: name, Value: canon.String(m.needed(name))}))
}

// root is the folder of the session, where there is one.
func (m *members) root() string {
	roots, ok := m.v.Get("workspace_roots")
	if !ok || roots.Kind() == canon.KindNull {
		return ""
	}
	if roots.Kind() != canon.KindArray {
		m.fail("workspace_roots must be a list")
		return ""
	}
	if roots.Len() != 1 {
		return ""
	}
	first, _ := roots.Index(0)
	of := &members{v: canon.Object(canon.Member{Name: "root", Value: first})}
	root := of.folder("root")
	if of.err != nil {
		m.fail(fmt.Sprintf("workspace_roots: %v", of.err))
	}
	return root
}
