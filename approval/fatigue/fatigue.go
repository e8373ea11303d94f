// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package fatigue tells from approvals how people answer what a rule asks: who
// is asked too often says yes without looking. It knows approvals, decides
// nothing, and leaves a rule out of every suspicion that rests on few answers.
package fatigue

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
)

// Bounds of what is told.
const (
	// NoiseAsks is how many questions of a rule must have ended before it can be
	// called noise, and NoiseRate how often more than the answer must be yes.
	NoiseAsks = 50
	NoiseRate = 0.95
	// Glance is the time in which nobody reads a card.
	Glance = 2 * time.Second
)

// Rule is how people answered what one rule asked.
type Rule struct {
	Rule       string        `json:"rule"` // "" where the tool's own definition asks
	Asked      int           `json:"asked"`
	Approved   int           `json:"approved"`
	Rejected   int           `json:"rejected"`
	Unanswered int           `json:"unanswered"` // until it was too late, which is a no
	Withdrawn  int           `json:"withdrawn"`  // taken back by the caller, or changed into another question
	Waiting    int           `json:"waiting"`
	Rate       float64       `json:"rate"`   // approved, of what came to an answer, silence included; 0 where nothing did
	Median     time.Duration `json:"median"` // nanoseconds from the question to the answer of people; 0 where there is none
	Hasty      int           `json:"hasty"`  // yeses to a call of high risk within a Glance
	Noise      bool          `json:"noise"`  // nearly always yes, over enough questions: the rule asks too much
}

// Table tells for each rule how people answered it, as things stand at a time:
// what was asked most comes first. A question of several rules counts for each.
func Table(approvals []tv.Approval, at time.Time) []Rule {
	t := tally{}
	for i := range approvals {
		t.add(&approvals[i], at)
	}
	return t.rules()
}

// Store lists approvals.
type Store interface {
	Approvals(ctx context.Context, q tv.ApprovalQuery) ([]tv.Approval, error)
}

// Window is what of the past is looked at.
type Window struct {
	Since, At time.Time
	Most      int // approvals, the newest; 0 means 10 000
}

// Report is a table and what it rests on.
type Report struct {
	Rules  []Rule    `json:"rules"`
	Since  time.Time `json:"since"` // from when on everything was counted: later than was asked for where Capped
	Seen   int       `json:"seen"`
	Capped bool      `json:"capped"` // there is more than is looked at in one go
}

const (
	defaultMost = 10000
	page        = 500
)

// Read makes the table of the newest approvals in a window.
func Read(ctx context.Context, s Store, w Window) (Report, error) {
	if w.Most <= 0 {
		w.Most = defaultMost
	}
	t, out, last := tally{}, Report{Since: w.Since}, w.At
	for a, err := range newest(ctx, s, w.Since) {
		if err != nil {
			return Report{}, fmt.Errorf("read how approvals were answered: %w", err)
		}
		if out.Seen == w.Most {
			out.Capped, out.Since = true, last
			break
		}
		t.add(a, w.At)
		out.Seen++
		last = a.Created
	}
	out.Rules = t.rules()
	return out, nil
}

// newest goes through approvals, newest first, down to those that were asked
// before a time.
func newest(ctx context.Context, s Store, since time.Time) iter.Seq2[*tv.Approval, error] {
	return func(yield func(*tv.Approval, error) bool) {
		for q := (tv.ApprovalQuery{Newest: true, Limit: page}); ; {
			all, err := s.Approvals(ctx, q)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range all {
				if all[i].Created.Before(since) || !yield(&all[i], nil) {
					return
				}
			}
			if len(all) < page {
				return
			}
			q.AfterID = all[len(all)-1].ID
		}
	}
}

// tally counts.
type tally map[string]*counted

type counted struct {
	Rule

	took []time.Duration
}

func (t tally) add(a *tv.Approval, at time.Time) {
	var done []string
	for i := range a.Requirements {
		rule := a.Requirements[i].Rule
		if slices.Contains(done, rule) {
			continue
		}
		done = append(done, rule)
		c := t[rule]
		if c == nil {
			c = &counted{Rule: Rule{Rule: rule}}
			t[rule] = c
		}
		c.add(a, at)
	}
}

func (c *counted) add(a *tv.Approval, at time.Time) {
	c.Asked++
	switch state := a.StateAt(at); {
	case state == tv.ApprovalRejected:
		c.Rejected++
		c.took = append(c.took, took(a))
	case approval.Given(a):
		c.Approved++
		c.took = append(c.took, took(a))
		if a.Card.Risk == tv.HighRisk && took(a) < Glance {
			c.Hasty++
		}
	case state == tv.ApprovalExpired:
		c.Unanswered++
	case state == tv.ApprovalPending:
		c.Waiting++
	default: // cancelled; nothing else is left without a quorum
		c.Withdrawn++
	}
}

// took is how long the answer took that decided: the last one.
func took(a *tv.Approval) time.Duration {
	if len(a.Votes) == 0 { // an older gate's, or somebody else's hand in the store
		return 0
	}
	return max(0, a.Votes[len(a.Votes)-1].At.Sub(a.Created))
}

func (t tally) rules() []Rule {
	out := make([]Rule, 0, len(t))
	for _, c := range t {
		r := c.Rule
		r.Median = median(c.took)
		if ended := r.Approved + r.Rejected + r.Unanswered; ended > 0 {
			r.Rate = float64(r.Approved) / float64(ended)
			r.Noise = ended >= NoiseAsks && r.Rate > NoiseRate
		}
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b Rule) int { return cmp.Or(cmp.Compare(b.Asked, a.Asked), cmp.Compare(a.Rule, b.Rule)) })
	return out
}

func median(all []time.Duration) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	mid := len(all) / 2
	if len(all)%2 == 1 {
		return all[mid]
	}
	return (all[mid-1] + all[mid]) / 2
}
