// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"slices"
	"time"
)

// Request is everything a decision may depend on. [Policy.Decide] is a pure
// function of it and of the policy: no clock, no I/O.
type Request struct {
	Tool        *Tool
	Arguments   Value
	Subject     Subject
	Model       string
	Session     string
	Run         Run
	Environment map[string]string
	Effects     []Effect // what the call would do, as far as its arguments' roles tell
	At          time.Time
	Usage       []Usage // counts of the limits that an earlier Decide asked for
	Past        []Seen  // answers to the looks that History asked for
}

// Decision is a verdict with its reasons.
type Decision struct {
	ID            string        `json:"id"`
	Verdict       Verdict       `json:"verdict"`
	Code          Code          `json:"code,omitempty"`   // why not allow
	Rule          string        `json:"rule,omitempty"`   // the rule that decided, or "" for the default or a built-in check
	Reason        string        `json:"reason,omitempty"` // that rule's reason, for the agent and the approver
	Rules         []Match       `json:"rules,omitempty"`  // every rule that matched, by id
	Asks          []Requirement `json:"-"`                // what must approve, when the verdict is ask
	Limits        []Limit       `json:"-"`                // counters to check, and to take when the call is dispatched
	RetryAfter    time.Duration `json:"-"`
	PolicyVersion string        `json:"policyVersion"`
	PolicyHash    string        `json:"policyHash"`
	Grant         string        `json:"grant,omitempty"`    // the grant that answered the ask, where one did
	Observed      *Observed     `json:"observed,omitempty"` // what would have been decided, by a gate that only observes
	Took          time.Duration `json:"-"`
}

// Match is one rule that matched a call.
type Match struct {
	Rule    string  `json:"rule"`
	Verdict Verdict `json:"verdict"`
	Unknown bool    `json:"unknown,omitempty"` // it matched because a value it needs was missing or of another type
}

// Requirement is what one ask rule demands of approvers. All requirements of a
// decision must be met.
type Requirement struct {
	Rule         string        `json:"rule,omitempty"` // "" when the tool's own risk asks
	Approvers    []string      `json:"approvers"`      // "role:NAME", "group:NAME" or "user:ID"; empty means the gate's default approvers
	Quorum       int           `json:"quorum"`         // distinct approvers needed, at least 1
	Expires      time.Duration `json:"expires"`        // 0 means the gate's default
	SelfApproval bool          `json:"selfApproval,omitempty"`
	Escalate     Escalation    `json:"escalate,omitzero"`

	// EditorMayApprove lets who changed the call's arguments approve the result.
	EditorMayApprove bool `json:"editorMayApprove,omitempty"`

	// ClientAttested accepts an answer that only the caller's own client vouches
	// for. Such a client may answer for the person: it is for what does little harm.
	ClientAttested bool `json:"clientAttested,omitempty"`
}

// Escalation names others who may approve, too, once nobody did for a while. The
// zero value is none.
type Escalation struct {
	After time.Duration `json:"after"` // from the question on; 0 means a third of the time it waits
	To    []string      `json:"to"`    // as Requirement.Approvers
}

// Who names those who may approve what was asked at one time and is answered at
// another. It hangs on the clock alone: no timer can be lost.
func (r *Requirement) Who(asked, at time.Time) []string {
	if len(r.Escalate.To) == 0 || at.Before(asked.Add(r.Escalate.After)) {
		return r.Approvers
	}
	return slices.Concat(r.Approvers, r.Escalate.To)
}

// Limit is one counter that a limit rule watches: at most Max dispatches of
// matching calls within Per, counted by Key.
type Limit struct {
	Rule string
	Key  string // rule id and the values it counts by
	Max  int
	Per  time.Duration
}

// Usage is what a limit's counter held when it was read.
type Usage struct {
	Key    string
	Count  int
	Oldest time.Time // of the counted dispatches; zero when none
}
