// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package transcripts

import (
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
)

const providerRuns = "the model's provider runs it"

// claudeLine reads a message of Claude Code: the model's, with calls, or the answers
// of tools. Helpers have files of their own, with the session's id.
func claudeLine(b *book, v canon.Value) {
	b.session = text(v, "sessionId")
	at := moment(v, "timestamp")
	if text(v, "type") == "attachment" && text(v, "attachment", "type") == "file" {
		b.call(Call{Tool: "@file", ID: text(v, "uuid"), At: at, Answer: Ran, Unasked: "the user named a file"})
		return
	}
	for _, part := range list(v, "message", "content") {
		switch text(part, "type") {
		case "tool_use":
			b.call(Call{ID: text(part, "id"), Tool: text(part, "name"), At: at, Arguments: object(part, "input")})
		case "server_tool_use":
			b.call(Call{ID: text(part, "id"), Tool: text(part, "name"), At: at, Arguments: object(part, "input"), Answer: Ran, Unasked: providerRuns})
		case "tool_result":
			said := words(part, "content")
			answer := answered(is(part, "is_error"), said)
			if answer == Failed && strings.HasPrefix(said, "<tool_use_error>") {
				answer = None // it did not pass the agent's own checks, which come before the hook
			}
			b.answer(text(part, "tool_use_id"), answer)
		}
	}
}
