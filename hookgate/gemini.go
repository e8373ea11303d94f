// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package hookgate

import (
	"fmt"
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// Events of Gemini CLI.
const (
	geminiBefore = "BeforeTool"
	geminiAfter  = "AfterTool"
)

type geminiDenial struct {
	Decision string `json:"decision"`
	Reason   string `json:"reason"`
}

func readGemini(in *members) Event {
	e := Event{
		Session: in.needed("session_id"), Call: in.text("tool_use_id"), Arguments: in.arguments("tool_input"),
		Home: in.folder("cwd"), Phase: Before, Tool: geminiTool(in, in.needed("tool_name")),
	}
	e.Folder = e.Home
	if in.text("hook_event_name") == geminiAfter {
		e.Phase = After
		if problem, given := in.v.Lookup("tool_response", "error"); given && problem.Kind() != canon.KindNull {
			e.Failed = true
		}
	}
	return e
}

// geminiTool reads mcp_SERVER_TOOL by what is told beside it. Of the name alone
// nobody could tell where the tool begins.
func geminiTool(in *members, raw string) string {
	context, ok := in.v.Get("mcp_context")
	if !ok || context.Kind() == canon.KindNull {
		return own(Gemini, raw)
	}
	of := &members{v: context}
	server, tool := of.needed("server_name"), of.needed("tool_name")
	if context.Kind() != canon.KindObject || of.err != nil {
		in.fail("mcp_context must be an object with server_name and tool_name")
		return ""
	}
	name := own(Gemini, raw)
	if raw == fmt.Sprintf("mcp_%s_%s", server, tool) && !strings.HasPrefix(tool, "@") {
		name = served(Gemini, raw, server, tool)
	}
	told(in, name, Gemini, server)
	return name
}
