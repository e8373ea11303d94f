// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package activity

import (
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// row is one record, in a line.
type row struct {
	Seq  int64
	At   time.Time
	Kind tv.RecordKind
	Page string // its call's story
	result
	about
}

// result is what was decided, and what came of it.
type result struct {
	Verdict  string
	Code     tv.Code
	Rule     string
	State    string // of the approval or of the dispatch, whichever the record is about
	Took     time.Duration
	Detail   string
	Observed *tv.Observed
}

// about says of what and of whom a record is.
type about struct {
	Tool, Subject, User string
	Call                string
	Approval, Grant     string
}

func newRow(n *audit.Numbered) row {
	r := &n.Record
	return row{
		Seq: n.Seq, At: r.At, Kind: r.Kind, Page: page(n),
		result: result{
			Verdict: r.Verdict, Code: tv.Code(plain.Reveal(string(r.Code))), Rule: plain.Reveal(r.Rule), State: plain.Reveal(state(r)), Took: r.Took, Detail: plain.Reveal(r.Detail),
			Observed: r.Observed,
		},
		about: about{
			Tool: plain.Reveal(r.Tool), Subject: plain.Reveal(r.Subject), User: plain.Reveal(r.User), Call: plain.Reveal(r.CallID),
			Approval: plain.Reveal(r.Approval), Grant: plain.Reveal(r.Grant),
		},
	}
}

// state says in a word where a record left its approval or its dispatch; "" where
// it is about neither.
func state(r *tv.Record) string {
	switch {
	case r.Kind == tv.RecordApproval:
		return string(r.ApprovalState)
	case r.Kind == tv.RecordDecision || r.Kind == tv.RecordReplay:
		return "" // the verdict, or the kind, says it
	case r.Claim != "" && r.Claim != tv.ClaimWaiting:
		return string(r.Claim)
	case r.Kind == tv.RecordOutcome && r.Code != "":
		return string(tv.ClaimFailed)
	case r.Kind == tv.RecordOutcome:
		return string(tv.ClaimSucceeded)
	}
	return ""
}
