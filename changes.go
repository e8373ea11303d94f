// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"fmt"
	"time"
)

// Changes is one durable write: all of it happens, or none. Each part names
// what it expects to find, so that two writers can never both win.
type Changes struct {
	Records   []Record
	Claims    []ClaimChange
	Approvals []ApprovalChange
	Grants    []GrantChange
	Uses      []string // of grants, by id: one use each, where they can still be used at the time of the first record
	Unasked   []Unasked
	Takes     []Limit // count one dispatch at the time of the first record
	Past      []Past  // written, or moved on; an attempt never takes the place of more
	Settled   []Settled
	Expect    Expect

	// Lazy lets Commit return before the write is durable. Only outcomes of
	// read-only calls use it: losing one loses no knowledge of a change.
	Lazy bool
}

// ClaimChange writes a claim. From is the epoch that was read, 0 where no entry
// was found; the store writes To with epoch From+1.
type ClaimChange struct {
	From int64
	To   Claim
}

// ApprovalChange writes an approval. From is the version that was read, 0 for a
// new one; the store writes To with version From+1.
type ApprovalChange struct {
	From int64
	To   Approval
	Room Room // of a new one
}

// Unasked is a call that goes on without a question, in the name of somebody who
// said yes to its like. Nobody may have said no to it itself.
type Unasked struct {
	Asker, Digest string
	Since         time.Time // a no to a question from after then counts
}

// GrantChange writes a grant. From is the version that was read, 0 for a new
// one; the store writes To with version From+1. Of a grant that is there,
// nothing changes but that it is taken back, or that its condition is forgotten
// once it has ended.
type GrantChange struct {
	From int64
	To   Grant
}

// ConflictError says that a change expected something that is no longer so.
// Nothing was written; read again and decide again.
type ConflictError struct {
	What string // "claim", "approval", "grant", "limit", "history", or one of the words below
	Key  string
}

// Conflicts of a call with what its asker has asked: see [Room] and [Unasked].
const (
	ConflictAsks     = "asks"     // too many wait; the key is the asker
	ConflictRejected = "rejected" // it was answered with no; the key is that approval
)

// Error implements error.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("commit: %s %q was changed by another call: read it again", e.What, e.Key)
}
