// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"time"
)

// ApprovalState is where an approval stands.
type ApprovalState string

// States of an approval:
//
//	pending → approved → claimed → done | failed | unknown
//	pending → rejected | expired | cancelled
//	approved → expired | revoked
const (
	ApprovalPending   ApprovalState = "pending"
	ApprovalApproved  ApprovalState = "approved"
	ApprovalClaimed   ApprovalState = "claimed"
	ApprovalDone      ApprovalState = "done"
	ApprovalFailed    ApprovalState = "failed"
	ApprovalUnknown   ApprovalState = "unknown"
	ApprovalRejected  ApprovalState = "rejected"
	ApprovalExpired   ApprovalState = "expired"
	ApprovalCancelled ApprovalState = "cancelled"
	ApprovalRevoked   ApprovalState = "revoked"
)

// CanBecome reports whether the step is one an approval may take. An unknown
// outcome may be settled as done or failed; nothing else leaves a final state.
func (s ApprovalState) CanBecome(next ApprovalState) bool {
	switch s {
	case ApprovalPending:
		return next == ApprovalApproved || next == ApprovalRejected || next == ApprovalExpired || next == ApprovalCancelled
	case ApprovalApproved:
		return next == ApprovalClaimed || next == ApprovalExpired || next == ApprovalRevoked
	case ApprovalClaimed:
		return next == ApprovalDone || next == ApprovalFailed || next == ApprovalUnknown
	case ApprovalUnknown:
		return next == ApprovalDone || next == ApprovalFailed
	default: // final
		return false
	}
}

// Approval is a human's answer to an ask, bound to one exact call.
type Approval struct {
	ID            string        `json:"id"`
	State         ApprovalState `json:"state"`
	Version       int64         `json:"version"` // raised by every change; a write names the version it read
	Digest        string        `json:"digest"`
	Key           string        `json:"key"` // the ledger entry that waits on it
	Call          StoredCall    `json:"call"`
	ToolHash      string        `json:"toolHash"`
	PolicyVersion string        `json:"policyVersion"`
	PolicyHash    string        `json:"policyHash"`
	Requirements  []Requirement `json:"requirements"`
	Votes         []Vote        `json:"votes,omitempty"`
	Card          Card          `json:"card"`
	Created       time.Time     `json:"created"`
	Expires       time.Time     `json:"expires"` // after it the approval can be neither given nor used

	// An approver who changes the arguments makes another approval of it.
	Replaces   string   `json:"replaces,omitempty"`
	ReplacedBy string   `json:"replacedBy,omitempty"`
	Editors    []string `json:"editors,omitempty"` // which people changed the arguments, once for each change
	Edited     *Edited  `json:"edited,omitempty"`  // what they changed
	Asked      Asked    `json:"asked,omitzero"`

	// Underway says that a part of the call ran with these arguments: they cannot
	// be changed any more.
	Underway bool `json:"underway,omitempty"`
}

// Asked is a call as its caller made it, before approvers changed it.
type Asked struct {
	Digest    string `json:"digest"`
	Arguments []byte `json:"arguments,omitempty"` // gone once the approval has ended
}

// Code is a short name for people to compare: on a card, in a chat and on a
// terminal it is the same for the same question. It proves nothing.
func (a *Approval) Code() string {
	// The id is drawn by the gate: over the call alone, a caller could try until
	// two of its calls have one code.
	sum := sha256.Sum256([]byte(a.ID + "\n" + a.Digest))
	return base32.StdEncoding.EncodeToString(sum[:5])
}

// Edited says what approvers changed in a call before it was approved, from what
// its caller asked to what would run. It is fit to be shown.
type Edited struct {
	By      string   `json:"by"` // who changed it last
	Reason  string   `json:"reason,omitempty"`
	Changes []Change `json:"changes"`
	More    int      `json:"more,omitempty"` // changes that are not listed
}

// Change is one argument that is another one now.
type Change struct {
	Path   string          `json:"path"`             // JSON pointer
	Before json.RawMessage `json:"before,omitempty"` // redacted; left out where there was none
	After  json.RawMessage `json:"after,omitempty"`
}

// StateAt is the state at a time: one that is open and whose time ran out reads
// as expired, whether or not that has been written yet.
func (a *Approval) StateAt(at time.Time) ApprovalState {
	if open := a.State == ApprovalPending || a.State == ApprovalApproved; open && !at.Before(a.Expires) {
		return ApprovalExpired
	}
	return a.State
}

// Vote is one approver's answer.
type Vote struct {
	By       Subject   `json:"by"`
	Approved bool      `json:"approved"`
	Attested bool      `json:"attested,omitempty"` // only the caller's own client says so: see Requirement.ClientAttested
	Reason   string    `json:"reason,omitempty"`
	At       time.Time `json:"at"`
}

// Card is what an approver is shown. Everything in it is already redacted.
type Card struct {
	Tool      string          `json:"tool"`
	Summary   string          `json:"summary"`
	Arguments json.RawMessage `json:"arguments"`             // redacted and shortened
	Whole     json.RawMessage `json:"whole,omitempty"`       // redacted, where Arguments leaves something out
	Effects   []Effect        `json:"effects,omitempty"`     // what the call would do
	More      int             `json:"moreEffects,omitempty"` // effects that are not listed
	Risk      Risk            `json:"risk"`
	Safety    Safety          `json:"safety"`
	Impact    string          `json:"impact,omitempty"`
	Rules     []Match         `json:"rules,omitempty"`
	Reason    string          `json:"reason,omitempty"`
	Requester string          `json:"requester"`
	Agent     string          `json:"agent,omitempty"`
	Session   string          `json:"session,omitempty"`
}

// Question is what the gate asks a human to approve.
type Question struct {
	Call     *Call
	Tool     *Tool
	Decision Decision
	Digest   string
	Key      string
	Redacted json.RawMessage // the arguments as a person may see them, shortened
	Whole    json.RawMessage // the same, with nothing left out
	Effects  []Effect        // as they may be shown
	More     int             // effects that are not among them
}
