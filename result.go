// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"encoding/json"
	"time"
)

// StateChange says whether the world may be different now.
type StateChange string

// State changes. On the wire they are false, true and "unknown".
const (
	Unchanged   StateChange = "false"
	Changed     StateChange = "true"
	MaybeChange StateChange = "unknown"
)

// MarshalJSON implements [json.Marshaler].
func (s StateChange) MarshalJSON() ([]byte, error) {
	switch s {
	case Changed:
		return []byte("true"), nil
	case MaybeChange:
		return []byte(`"unknown"`), nil
	default:
		return []byte("false"), nil
	}
}

// UnmarshalJSON implements [json.Unmarshaler].
func (s *StateChange) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case "true":
		*s = Changed
	case "false":
		*s = Unchanged
	case `"unknown"`:
		*s = MaybeChange
	default:
		return errUnknownWord("stateChanged", `true, false, "unknown"`)
	}
	return nil
}

// Result is the one shape of every answer of the gate.
type Result struct {
	Success         bool              `json:"success"`
	CallID          string            `json:"callId,omitempty"`
	Content         json.RawMessage   `json:"result,omitempty"` // the tool's answer
	Replayed        bool              `json:"replayed,omitempty"`
	Paused          bool              `json:"paused,omitempty"` // the tool wants more input; Content says which
	Resume          string            `json:"-"`                // of a paused call: what Proposal.Continues carries on; the front door seals it
	Edited          *Edited           `json:"edited,omitempty"` // what an approver changed: this is about the changed call
	Error           *Refusal          `json:"error,omitempty"`
	Confirmation    *ConfirmationInfo `json:"confirmation,omitempty"`
	StateChanged    StateChange       `json:"stateChanged"`
	SecurityBlocked bool              `json:"securityBlocked"`
	Decision        Decision          `json:"decision"`
}

// Refusal tells an agent why a call gave no result and what to do next. It is
// data, not a fault; it implements error so that steps can return it.
type Refusal struct {
	Code              Code         `json:"code"`
	Message           string       `json:"message"`
	Retryable         bool         `json:"retryable"`
	RecommendedAction string       `json:"recommendedAction,omitempty"`
	RetryAfter        float64      `json:"retryAfter,omitempty"` // seconds
	Details           []FieldError `json:"details,omitempty"`

	cause    error       // the fault behind GATE_UNAVAILABLE, for the host's log only
	approval *Approval   // the approval a confirmation was about
	state    StateChange // when not false
	content  json.RawMessage
}

// Error implements error.
func (r *Refusal) Error() string { return string(r.Code) + ": " + r.Message }

// FieldError is one thing wrong with the arguments.
type FieldError struct {
	Path    string `json:"path"` // JSON pointer
	Message string `json:"message"`
}

// ConfirmationInfo is what a caller is told of the approval it waits on.
type ConfirmationInfo struct {
	ID        string          `json:"id"`
	State     ApprovalState   `json:"status"`
	Tool      string          `json:"tool"`
	Summary   string          `json:"summary"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Risk      Risk            `json:"risk"`
	Impact    string          `json:"impact,omitempty"`
	Reason    string          `json:"reason,omitempty"`
	Expires   time.Time       `json:"expires"`
}
