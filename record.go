// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"encoding/json"
	"time"
)

// RecordKind says what a record tells.
type RecordKind string

// Kinds of record.
const (
	RecordDecision RecordKind = "decision" // a verdict; for allow it is the intent to dispatch
	RecordOutcome  RecordKind = "outcome"
	RecordApproval RecordKind = "approval" // a human or the clock changed an approval
	RecordReplay   RecordKind = "replay"   // a repeat was answered from the ledger
	RecordAdmin    RecordKind = "admin"    // pins, choices, settled outcomes, policy loads
)

// Record is one audit entry, redacted before it is made. The store gives it its
// place in the log.
type Record struct {
	Kind          RecordKind      `json:"kind"`
	At            time.Time       `json:"at"`
	CallID        string          `json:"callId,omitempty"`
	CallerID      string          `json:"callerId,omitempty"`
	Trace         string          `json:"trace,omitempty"`
	Session       string          `json:"session,omitempty"`
	Run           string          `json:"run,omitempty"`
	ReadOnlyRun   bool            `json:"readOnlyRun,omitempty"`
	Subject       string          `json:"subject,omitempty"`
	User          string          `json:"user,omitempty"`
	Agent         string          `json:"agent,omitempty"`
	Model         string          `json:"model,omitempty"`
	Door          Door            `json:"door,omitempty"`
	Tool          string          `json:"tool,omitempty"`
	ToolHash      string          `json:"toolHash,omitempty"`
	Arguments     json.RawMessage `json:"arguments,omitempty"`    // redacted summary
	ArgumentsMAC  string          `json:"argumentsMac,omitempty"` // keyed digest of the arguments
	Effects       []Effect        `json:"effects,omitempty"`      // what the call would do, redacted
	EffectsLeft   int             `json:"effectsLeft,omitempty"`  // more effects than are listed
	Verdict       string          `json:"verdict,omitempty"`
	Code          Code            `json:"code,omitempty"`
	Rule          string          `json:"rule,omitempty"`
	Rules         []Match         `json:"rules,omitempty"`
	Observed      *Observed       `json:"observed,omitempty"` // what would have been decided, by a gate that only observes
	PolicyVersion string          `json:"policyVersion,omitempty"`
	PolicyHash    string          `json:"policyHash,omitempty"`
	Approval      string          `json:"approval,omitempty"`
	ApprovalState ApprovalState   `json:"approvalState,omitempty"`
	Grant         string          `json:"grant,omitempty"` // the grant that answered the ask
	Key           string          `json:"key,omitempty"`
	Claim         ClaimState      `json:"claim,omitempty"`
	Took          time.Duration   `json:"took,omitempty"` // nanoseconds: of the decision, or of the tool
	Detail        string          `json:"detail,omitempty"`
}
