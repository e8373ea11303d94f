// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package hookgate

// codexShell is the tool whose folder Codex does not tell: the model may name one
// of its own for each command, and the hook never sees it.
const codexShell = "codex/Bash"

func readCodex(in *members, e *Event) {
	if in.needed("turn_id"); e.Tool == codexShell {
		e.Folder = ""
	}
}
