// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package view

import (
	"slices"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// Earlier is what was called before: the last calls, and how all of them ended that
// were looked at.
type Earlier struct {
	Kind   string // session, caller
	Calls  []EarlierCall
	Counts []Count
	All    int
}

// Count is how many calls ended in one way.
type Count struct {
	Ended string
	N     int
}

// EarlierCall is one call. Verdict and code are those of its last decision.
type EarlierCall struct {
	ID, Tool, Verdict, Ended string
	Code                     tv.Code
	At                       time.Time
	approval                 string
}

// endings are how a call ends, as far as the log knows, in the order in which
// they are told.
func endings() []string { return []string{"ran", "failed", "unknown", "denied", "asked"} }

// NewEarlier reads calls out of records, the newest first. One that was asked about
// and one that a yes let run are one call. What is about the approval itself is
// left out.
func NewEarlier(kind string, records []audit.Numbered, of *tv.Approval, most int) Earlier {
	out := Earlier{Kind: kind}
	at := map[string]int{}
	ended := map[string]string{}
	var all []EarlierCall
	for i := range records {
		r := &records[i].Record
		key := r.CallID
		if r.Approval != "" {
			key = r.Approval
		}
		if r.Approval == of.ID || kind == "session" && r.Session != of.Card.Session {
			continue
		}
		if r.Kind == tv.RecordOutcome && ended[key] == "" {
			ended[key] = outcome(r)
		}
		if _, seen := at[key]; seen || r.Kind != tv.RecordDecision {
			continue
		}
		at[key] = len(all)
		all = append(all, EarlierCall{r.CallID, plain.Reveal(r.Tool), r.Verdict, verdictEnds(r.Verdict), r.Code, r.At, r.Approval})
	}
	n := map[string]int{}
	for key, i := range at {
		if all[i].Verdict == tv.Allow.String() && ended[key] != "" {
			all[i].Ended = ended[key]
		}
		n[all[i].Ended]++
	}
	for _, word := range endings() {
		if n[word] > 0 {
			out.Counts = append(out.Counts, Count{word, n[word]})
		}
	}
	out.All, out.Calls = len(all), all[:min(len(all), most)]
	return out
}

// outcome says how a call ended that was sent.
func outcome(r *tv.Record) string {
	switch {
	case r.Claim == tv.ClaimUnknown || r.Code == tv.OutcomeUnknown:
		return "unknown"
	case r.Code != "":
		return "failed"
	}
	return "ran"
}

// verdictEnds says how a call ended of which no outcome is known.
func verdictEnds(verdict string) string {
	switch verdict {
	case tv.Deny.String():
		return "denied"
	case tv.Ask.String():
		return "asked"
	}
	return "unknown"
}

// Approvals are the approvals that records of calls of one tool name, the newest
// first, each once.
func Approvals(records []audit.Numbered, tool string, most int) []string {
	var out []string
	for i := range records {
		r := &records[i].Record
		if r.Kind == tv.RecordDecision && r.Tool == tool && r.Approval != "" && !slices.Contains(out, r.Approval) {
			if out = append(out, r.Approval); len(out) == most {
				break
			}
		}
	}
	return out
}
