// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package hookgate

import (
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// Events of Cline. The scripts that it calls are named otherwise: PreToolUse and
// PostToolUse.
const (
	clineBefore = "tool_call"
	clineAfter  = "tool_result"
)

// clineDenial ends the whole run: Cline has no other.
type clineDenial struct {
	Cancel  bool   `json:"cancel"`
	Message string `json:"errorMessage"`
}

func readCline(in *members) Event {
	e := Event{Session: in.needed("taskId"), Home: in.root("workspaceRoots")}
	e.Folder = e.Home
	if parent := in.text("parent_agent_id"); parent != "" {
		e.Subagent.ID = in.needed("agent_id")
	}
	what := clineBefore
	switch in.text("hookName") {
	case clineBefore:
		e.Phase = Before
	case clineAfter:
		e.Phase, what = After, clineAfter
	default:
		in.fail("the event is none that is asked about: set the hook up as PreToolUse and PostToolUse")
	}
	call, _ := in.v.Get(what)
	of := &members{v: call}
	if call.Kind() != canon.KindObject {
		in.fail(what + " must be an object")
		return e
	}
	e.Call, e.Arguments, e.Tool = of.text("id"), of.arguments("input"), doubled(Cline, of.needed("name"))
	if problem, given := call.Get("error"); e.Phase == After && given && problem.Kind() != canon.KindNull {
		e.Failed = true
	}
	if of.err != nil {
		in.fail(what + ": " + of.err.Error())
	}
	return e
}

// doubled reads SERVER__TOOL, where only one pair of underscores could part the two.
// Names that Cline had to change end in a digest, and are described with it.
func doubled(a Agent, raw string) string {
	at := strings.Index(raw, "__")
	if at < 0 || strings.LastIndex(raw, "__") != at {
		return own(a, raw)
	}
	return served(a, raw, raw[:at], raw[at+2:])
}
