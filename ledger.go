// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import "time"

// ClaimState is where a ledger entry stands.
type ClaimState string

// States of a claim:
//
//	waiting → dispatched → succeeded | failed | paused | unknown
//	paused → dispatched, failed → waiting | dispatched, unknown → succeeded | failed
//
// A waiting claim whose approval ended without a yes holds nobody back: the
// next call with its key asks anew.
const (
	ClaimWaiting    ClaimState = "waiting"    // a human is being asked
	ClaimDispatched ClaimState = "dispatched" // the intent is durable; the tool may be running
	ClaimSucceeded  ClaimState = "succeeded"
	ClaimFailed     ClaimState = "failed"
	ClaimPaused     ClaimState = "paused"  // the tool answered that it needs more input
	ClaimUnknown    ClaimState = "unknown" // dispatched, and the answer was lost
)

// Claim is one entry of the ledger: the right to dispatch one call, once.
type Claim struct {
	Key      string     `json:"key"`
	State    ClaimState `json:"state"`
	Epoch    int64      `json:"epoch"` // raised by every change; a late write with an old epoch changes nothing
	Digest   string     `json:"digest"`
	Subject  string     `json:"subject"`
	Tool     string     `json:"tool"`
	CallID   string     `json:"callId"`
	Handle   string     `json:"handle,omitempty"` // who tells the outcome, where it is another process than the one that dispatched
	Approval string     `json:"approval,omitempty"`
	Node     string     `json:"node"`              // the gate process that dispatched it
	Outcome  *Outcome   `json:"outcome,omitempty"` // kept for replays
	Updated  time.Time  `json:"updated"`
	Deadline time.Time  `json:"deadline"` // dispatched: when the dispatching process gives up; settled: when the entry may be forgotten

	// Reconcile is the call that could tell what came of this one; nil where
	// there is none, and once that is known.
	Reconcile *Reconcile `json:"reconcile,omitempty"`
}
