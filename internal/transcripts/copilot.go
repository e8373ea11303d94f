// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package transcripts

import "github.com/toolverdict/toolverdict/internal/canon"

// copilotLine reads an event of Copilot CLI.
func copilotLine(b *book, v canon.Value) {
	id := text(v, "data", "toolCallId")
	switch text(v, "type") {
	case "session.start":
		b.session = text(v, "data", "sessionId")
	case "tool.execution_start":
		b.call(Call{ID: id, Tool: text(v, "data", "toolName"), At: moment(v, "timestamp"), Arguments: object(v, "data", "arguments")})
	case "tool.execution_complete":
		b.answer(id, answered(!is(v, "data", "success"), text(v, "data", "error", "message")))
	}
}
