// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package hookgate

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
)

type cursorDenial struct {
	Permission   string `json:"permission"`
	UserMessage  string `json:"user_message"`
	AgentMessage string `json:"agent_message"`
}

// readCursor reads the events for all tools and those for one kind of action, whose
// arguments are members of the input. Both are told of one call: each is read as the
// same one, so that what a person approved for the first holds for the second.
func readCursor(in *members) Event {
	e := Event{Session: in.needed("conversation_id"), Model: in.text("model"), Call: in.text("tool_use_id")}
	e.Home, e.Phase = in.root("workspace_roots"), Before
	if e.Folder = in.folder("cwd"); e.Folder == "" {
		e.Folder = e.Home
	}
	switch event := in.text("hook_event_name"); event {
	case "preToolUse", "postToolUse", "postToolUseFailure":
		e.Tool, e.Arguments = own(Cursor, in.needed("tool_name")), in.argumentsOrText("tool_input")
		e.common(in)
		if event != "preToolUse" {
			e.Phase, e.Failed = After, event == "postToolUseFailure"
		}
	case "beforeShellExecution", "afterShellExecution":
		e.Tool, e.Arguments, e.Call, e.Again = cursorShell, only("command", in.needed("command")), "", true
	case "beforeReadFile":
		e.Tool, e.Arguments, e.Call, e.Again = cursorRead, only("file_path", e.absolute(in.needed("file_path"))), "", true
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

// Tools that an event of their own is told of, too.
const (
	cursorShell = "cursor/Shell"
	cursorRead  = "cursor/Read"
)

// common writes a call of such a tool as its own event tells it. An argument that
// this one does not tell must be known to change nothing about what is done.
func (e *Event) common(in *members) {
	if e.Tool != cursorShell && e.Tool != cursorRead || in.err != nil {
		return
	}
	v, err := canon.ParseArguments(e.Arguments, canon.Limits{MaxBytes: MaxInput, MaxDepth: maxDepth})
	if err != nil {
		return // the gate refuses it
	}
	of := &members{v: v}
	if e.Call = ""; e.Tool == cursorShell {
		e.Arguments = only("command", of.needed("command"))
		of.known("command", "working_directory", "description", "is_background", "timeout", "block_until_ms")
		if at := of.text("working_directory"); at != "" {
			e.Folder = e.absolute(at)
		}
		if !path.IsAbs(e.Folder) {
			e.Folder = ""
		}
	} else {
		name := of.oneOf("file_path", "path", "target_file")
		e.Arguments = only("file_path", e.absolute(of.needed(name)))
		of.known(name, "offset", "limit", "explanation", "should_read_entire_file", "start_line_one_indexed", "end_line_one_indexed_inclusive")
	}
	if of.err != nil {
		in.fail("tool_input: " + of.err.Error())
	}
}

// absolute is a path as seen from where the tool starts. One that goes up is left as
// it is, because links decide where that leads.
func (e *Event) absolute(to string) string {
	switch {
	case path.IsAbs(to) || e.Folder == "" || slices.Contains(strings.Split(to, "/"), ".."):
		return to
	case strings.HasPrefix(to, "~"):
		return to
	}
	return path.Join(e.Folder, to)
}

// only makes an object of one text.
func only(name, value string) []byte {
	return canon.Append(nil, canon.Object(canon.Member{Name: name, Value: canon.String(value)}))
}

// oneOf is the one of these members that is there.
func (m *members) oneOf(names ...string) string {
	there := slices.DeleteFunc(slices.Clone(names), func(name string) bool { _, ok := m.v.Get(name); return !ok })
	if len(there) != 1 {
		m.fail(fmt.Sprintf("there must be one of %s", strings.Join(names, ", ")))
		return names[0]
	}
	return there[0]
}

// known refuses members other than these.
func (m *members) known(names ...string) {
	for name := range m.v.Fields() {
		if !slices.Contains(names, name) {
			m.fail("a member is not known")
		}
	}
}

// root is the folder of the session, where there is just one.
func (m *members) root(name string) string {
	roots, ok := m.v.Get(name)
	if !ok || roots.Kind() == canon.KindNull {
		return ""
	}
	if roots.Kind() != canon.KindArray {
		m.fail(name + " must be a list")
		return ""
	}
	if roots.Len() != 1 {
		return ""
	}
	first, _ := roots.Index(0)
	of := &members{v: canon.Object(canon.Member{Name: "root", Value: first})}
	root := of.folder("root")
	if of.err != nil {
		m.fail(fmt.Sprintf("%s: %v", name, of.err))
	}
	return root
}
