// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package transcripts

import "github.com/toolverdict/toolverdict/internal/canon"

// clineWhole reads a session of Cline. Its hooks know the session by another name.
func clineWhole(b *book, v canon.Value) {
	b.session = text(v, "sessionId")
	for _, m := range list(v, "messages") {
		for _, part := range list(m, "content") {
			switch text(part, "type") {
			case "tool_use":
				b.call(Call{ID: text(part, "id"), Tool: text(part, "name"), At: millis(m, "ts"), Arguments: object(part, "input"), Renamed: true})
			case "tool_result":
				said := words(part, "content")
				b.answer(text(part, "tool_use_id"), answered(is(part, "is_error") || denial(said), said))
			}
		}
	}
}
