// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// MaxLookBack is how far back a rule can look. What is older may be forgotten.
const MaxLookBack = 30 * 24 * time.Hour

// PastState is how far an earlier call came. The zero value is not valid.
type PastState uint8

// States of an earlier call, each further than the one before it.
const (
	PastAttempted  PastState = iota + 1 // proposed, and never given to its tool
	PastDispatched                      // given to its tool; what came of it is not known, or not yet
	PastFailed                          // given to its tool, which reported an error
	PastSucceeded
)

// Ran reports whether the tool may have seen the call.
func (s PastState) Ran() bool { return s >= PastDispatched }

// Past is one earlier call, as far as rules can look back at it. It holds no
// argument but the numbers that a rule adds up.
type Past struct {
	ID      string // see [PastID]
	State   PastState
	At      time.Time
	Tool    PastTool
	Session string
	Subject string
	User    string
	Agent   string
	Run     string
	Numbers []Number
}

// PastTool is a tool as the catalog had it when it was called: a server that
// takes a tool away, or renames it, changes nothing about what was done.
type PastTool struct {
	Name   string   `json:"name"`
	Groups []string `json:"groups,omitempty"`
	Safety Safety   `json:"safety"`
	Risk   Risk     `json:"risk"`
}

// Number is one number of a call that a rule adds up.
type Number struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"` // exact decimal, not negative; "" where the call did not say
}

// PastID names the one entry of a call. All tries to run an approved call are
// one call; the digest keeps a caller from hiding another call behind the
// approval's id.
func PastID(approval, digest, callID string) string {
	if approval == "" {
		return callID
	}
	return approval + ":" + digest
}

// Settled says what came of a dispatched call.
type Settled struct {
	ID    string
	State PastState
}

// Hindsight is what a policy has to do with the calls before and after a
// request.
type Hindsight struct {
	Looks   []Look   // what a decision about this request asks of earlier calls
	Numbers []Number // what later decisions may add up, if this call is dispatched
}

// Look is one question about earlier calls: how many were there, and what do
// their numbers come to?
type Look struct {
	Key     string                // names the question; its answer carries it
	Tools   func(t PastTool) bool // which tools count; pure
	Ties    []Tie                 // what such a call has in common with this one
	Subject string                // who asks
	Within  time.Duration         // at most MaxLookBack
	Least   PastState             // PastAttempted: all calls; PastDispatched: those that ran; PastSucceeded
	Most    int                   // more need not be counted
	Sum     string                // the name of the numbers to add up, "" for none
	Except  string                // the entry of this call itself, from an earlier try
}

// Tie is something that calls can have in common.
type Tie struct {
	By    string // session, subject, user, agent, run
	Value string // "" where the host did not say
}

// Seen is the answer to a look. What cannot be told is told apart: a call is
// counted in Maybe where the host did not say what ties it to this one, or where
// it must have succeeded and its outcome is not known.
type Seen struct {
	Key   string
	Count int    // calls that count for sure, at most Look.Most
	Maybe int    // further calls that may count; Count and Maybe together are at most Look.Most
	Sum   string // exact decimal; "" where it is not known
}

// Expect is what a dispatch relies on of earlier calls. It is looked at again in
// the very transaction that writes the dispatch, so that of two calls of which
// only one may run, one is decided again.
type Expect struct {
	Looks []Look
	At    time.Time
	Holds func(now []Seen) bool // pure
}

// count says whether an earlier call counts, for sure or perhaps.
func (l *Look) count(p *Past, at time.Time) (sure, maybe bool) {
	switch {
	case p.At.UnixMicro() <= at.Add(-l.Within).UnixMicro(), p.ID == l.Except && l.Except != "", !l.Tools(p.Tool):
		return false, false
	case l.Least > PastAttempted && !p.State.Ran(), l.Least == PastSucceeded && p.State == PastFailed:
		return false, false
	}
	open := l.Least == PastSucceeded && p.State != PastSucceeded
	for _, tie := range l.Ties {
		switch has := p.By(tie.By); {
		case has == tie.Value && (has != "" || tie.By == "subject"):
		case (has == "" || tie.Value == "") && tie.By != "subject" && p.Subject == l.Subject:
			open = true
		default:
			return false, false
		}
	}
	return !open, open
}

// By returns what ties the call to others.
func (p *Past) By(what string) string {
	switch what {
	case "session":
		return p.Session
	case "subject":
		return p.Subject
	case "user":
		return p.User
	case "agent":
		return p.Agent
	case "run":
		return p.Run
	}
	return ""
}

// Answer answers a look from a list of calls. It is what every store must say.
func (l *Look) Answer(past []Past, at time.Time) Seen {
	var sum Sum
	out := Seen{Key: l.Key}
	for i := range past {
		sure, maybe := l.count(&past[i], at)
		switch {
		case sure:
			out.Count++
			sum.Add(past[i].Numbers, l.Sum)
		case maybe:
			out.Maybe++
		}
	}
	if l.Sum != "" && out.Maybe == 0 && out.Count <= l.Most {
		out.Sum = sum.Text()
	}
	out.Count = min(out.Count, l.Most)
	out.Maybe = min(out.Maybe, l.Most-out.Count)
	return out
}

// Sum adds up one number of calls. The zero Sum is ready for use.
type Sum struct {
	total   canon.Number
	unknown bool
}

// Add adds a call's number of that name. A call without it makes the sum
// unknown.
func (s *Sum) Add(numbers []Number, name string) {
	i := slices.IndexFunc(numbers, func(n Number) bool { return n.Name == name })
	if i < 0 || s.unknown {
		s.unknown = true
		return
	}
	n, ok := canon.ParseDecimal(numbers[i].Value)
	if s.unknown = !ok || n.Sign() < 0; !s.unknown {
		s.total = s.total.Add(n)
	}
}

// Text returns the sum as an exact decimal, "" where it is not known.
func (s *Sum) Text() string {
	if s.unknown {
		return ""
	}
	return s.total.String()
}

// hindsight is what a call leaves for later ones, and what its decision rests on
// of earlier ones.
type hindsight struct {
	numbers []Number
	expect  Expect
}

// lookBack reads what the policy asks of earlier calls, once.
func (g *Gate) lookBack(ctx context.Context, p Policy, c *trail, req *Request) ([]Look, error) {
	own := p.History(*req)
	c.back = hindsight{numbers: own.Numbers}
	if len(own.Looks) == 0 {
		return nil, nil
	}
	if id := c.proposal.Confirmation; id != "" {
		for i := range own.Looks {
			own.Looks[i].Except = PastID(id, c.call.Digest(c.tool.Hash()), "")
		}
	}
	seen, err := g.Store.Seen(ctx, own.Looks, req.At)
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	req.Past = seen
	return own.Looks, nil
}

// relies is what a decision rests on of earlier calls: with another past, the
// verdict or who must approve could be another.
func relies(p Policy, req Request, looks []Look, d Decision) Expect {
	return Expect{Looks: looks, At: req.At, Holds: func(now []Seen) bool {
		then := req
		then.Past = now
		again := Demand(then.Tool, then.Subject, p.Decide(then))
		return again.Verdict == d.Verdict && slices.EqualFunc(again.Asks, d.Asks, func(a, b Requirement) bool { return a.Rule == b.Rule })
	}}
}

// past is the call as history keeps it. There is none of a tool that is not
// known.
func (t *trail) past(state PastState, at time.Time) []Past {
	if t.tool == nil || t.call == nil {
		return nil
	}
	def, c := &t.tool.def, t.call
	return []Past{{
		ID: PastID(t.approval, t.digest, c.ID), State: state, At: at,
		Tool:    PastTool{Name: def.Name, Groups: def.Groups, Safety: def.Safety, Risk: def.Risk},
		Session: c.Session, Subject: c.Subject.ID, User: c.Subject.User, Agent: c.Subject.Acting(), Run: c.Run.ID,
		Numbers: t.back.numbers,
	}}
}

// settledPast is what history keeps of an outcome: nothing where it is not known.
func (c *cleared) settledPast(o *Outcome) []Settled {
	var state PastState
	switch o.Status {
	case Succeeded:
		state = PastSucceeded
	case Failed:
		state = PastFailed
	case NotSent:
		state = PastAttempted
	default:
		return nil
	}
	return []Settled{{ID: PastID(c.trail.approval, c.digest, c.call.ID), State: state}}
}
