// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package approval is the desk at which humans answer what the gate asks.
//
// It drafts the approval for a question, takes votes, decides when enough
// eligible people agreed, and lets the clock end what nobody answered. It keeps
// nothing in memory: every step reads the approval and writes it back on the
// condition that nobody changed it, so any number of desks can work on one
// store.
//
// It fails towards no: silence expires, a first rejection is final, an approver
// who cannot be told apart from the requester is not one, and an approval that
// nobody is eligible to give is never given.
package approval
