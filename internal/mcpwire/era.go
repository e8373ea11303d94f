// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpwire

import "slices"

// FirstModern is the first revision without sessions and handshake. Revisions
// are dates and compare as text.
const FirstModern = "2026-07-28"

// LastLegacy is the newest revision with sessions and a handshake.
const LastLegacy = "2025-11-25"

// KnownLegacy reports whether the gate knows a revision, and it is one with
// sessions and a handshake.
func KnownLegacy(revision string) bool {
	return revision < FirstModern && slices.Contains(Revisions(), revision)
}

// Revisions returns the revisions that the gate knows, newest first.
func Revisions() []string {
	return []string{FirstModern, LastLegacy, "2025-06-18", "2025-03-26", "2024-11-05"}
}

// Members of _meta that the revision 2026-07-28 defines.
const (
	MetaVersion      = "io.modelcontextprotocol/protocolVersion"
	MetaClientInfo   = "io.modelcontextprotocol/clientInfo"
	MetaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	MetaLogLevel     = "io.modelcontextprotocol/logLevel"
	MetaSubscription = "io.modelcontextprotocol/subscriptionId"
	MetaRelatedTask  = "io.modelcontextprotocol/related-task"
	MetaProgress     = "progressToken"
)
