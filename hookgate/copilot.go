// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package hookgate

import "github.com/toolverdict/toolverdict/internal/canon"

type copilotDenial struct {
	Decision string `json:"permissionDecision"`
	Reason   string `json:"permissionDecisionReason"`
}

// readCopilot reads the events preToolUse and postToolUse, which do not name
// themselves: only the second has a result.
func readCopilot(in *members) Event {
	e := Event{
		Session: in.needed("sessionId"), Arguments: in.argumentsOrText("toolArgs"), Home: in.folder("cwd"), Phase: Before,
		Subagent: Subagent{in.text("agentId"), in.text("agentType")}, Tool: dashed(Copilot, in.needed("toolName")),
	}
	e.Folder = e.Home
	if result, after := in.v.Get("toolResult"); after {
		e.Phase = After
		kind, _ := result.Get("resultType")
		e.Failed = kind.Kind() != canon.KindString || kind.Text() != "success"
	}
	return e
}
