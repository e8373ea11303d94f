// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package transcripts

import "github.com/toolverdict/toolverdict/internal/canon"

// qwenLine reads a line of Qwen Code.
func qwenLine(b *book, v canon.Value) {
	b.session = text(v, "sessionId")
	switch text(v, "type") {
	case "assistant":
		for _, part := range list(v, "message", "parts") {
			if c, ok := part.Get("functionCall"); ok {
				b.call(Call{ID: text(c, "id"), Tool: text(c, "name"), At: moment(v, "timestamp"), Arguments: object(c, "args")})
			}
		}
	case "tool_result":
		answer := None
		switch text(v, "toolCallResult", "status") {
		case "success":
			answer = Ran
		case "error":
			answer = answered(true, responseError(list(v, "message", "parts")))
		}
		b.answer(text(v, "toolCallResult", "callId"), answer)
	}
}
