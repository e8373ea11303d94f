// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package transcripts

import "github.com/toolverdict/toolverdict/hookgate"

// OpenCodePart reads one row of opencode's database.
func OpenCodePart(session, created, data string) Session {
	b := &book{agent: hookgate.OpenCode, byID: map[string]int{}}
	b.opencode(session, created, data)
	s, _ := b.done()
	return s
}
