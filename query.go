// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import "time"

// ApprovalQuery selects approvals. A zero field selects nothing away.
type ApprovalQuery struct {
	State     ApprovalState
	ExpiredBy time.Time // whose deadline is not after this time
	AfterID   string    // page on from this approval, in the order of the list
	Newest    bool      // newest first; otherwise in order of creation
	Limit     int       // 0 means 100

	// Mentions selects approvals that name one of these as who asked or as who may
	// decide, and perhaps some that hold it elsewhere: a first choice among many,
	// for who then looks closely.
	Mentions []string
}

// GrantQuery selects grants. A zero field selects nothing away.
type GrantQuery struct {
	Tool      string
	Subject   string    // whose calls they are about
	OpenAt    time.Time // that can still be used at this time
	ExpiredBy time.Time // whose deadline is not after this time and whose condition is not forgotten yet
	AfterID   string    // page on from this grant, in order of creation
	Limit     int       // 0 means 100
}

// ClaimQuery selects ledger entries. A zero field selects nothing away.
type ClaimQuery struct {
	State      ClaimState
	Node       string
	Handle     string    // see [Handle]
	DeadlineBy time.Time // whose deadline is not after this time
	Limit      int       // 0 means 100
}
