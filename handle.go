// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// Handle names a call that a host runs itself and of whose outcome it tells
// through another process, or another request, than the one that asked: by the
// door, the caller, the session and the caller's own id. It is "" where one of
// these is missing, because others could then tell in its place.
func Handle(d Door, by Subject, session, callerID string) string {
	if d == "" || by.ID == "" || session == "" || callerID == "" {
		return ""
	}
	var b []byte
	for _, part := range []string{string(d), by.ID, by.User, by.Agent, session, callerID} {
		b = append(canon.AppendString(b, part), ',')
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
