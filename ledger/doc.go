// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package ledger looks after what was dispatched and whose answer was lost.
//
// The gate itself writes the ledger while it runs a call. This package comes
// after a crash: it finds dispatched entries whose process is gone or whose
// time is up and marks them unknown, and it lets a person settle an unknown
// outcome with evidence. A person may also have the tool's own reconcile call
// made, through the gate, and what it answers taken as evidence. Nothing here
// frees an unknown entry on its own: a call that may have happened is not made
// again.
package ledger
