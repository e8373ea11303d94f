// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package transcripts

import "github.com/toolverdict/toolverdict/internal/canon"

// geminiLine reads a line of Gemini CLI: the session, a message, or a change of what
// was told before. A message is written again when its calls have ended.
func geminiLine(b *book, v canon.Value) {
	if id := text(v, "sessionId"); id != "" {
		b.session = id
	}
	geminiMessage(b, v)
	for _, m := range list(v, "$set", "messages") {
		geminiMessage(b, m)
	}
}

// geminiWhole reads a session that is one document, as earlier versions kept it.
func geminiWhole(b *book, v canon.Value) {
	b.session = text(v, "sessionId")
	for _, m := range list(v, "messages") {
		geminiMessage(b, m)
	}
}

func geminiMessage(b *book, m canon.Value) {
	for _, c := range list(m, "toolCalls") {
		at := moment(c, "timestamp")
		if at.IsZero() {
			at = moment(m, "timestamp")
		}
		answer := None
		switch text(c, "status") {
		case "success":
			answer = Ran
		case "error":
			answer = answered(true, responseError(list(c, "result")))
		}
		b.call(Call{ID: text(c, "id"), Tool: text(c, "name"), At: at, Arguments: object(c, "args"), Answer: answer})
	}
}

// responseError is what the first answer of a function says went wrong.
func responseError(parts []canon.Value) string {
	if len(parts) == 0 {
		return ""
	}
	return text(parts[0], "functionResponse", "response", "error")
}
