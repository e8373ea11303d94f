// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"context"
	"errors"
	"fmt"
	"time"

	tv "github.com/toolverdict/toolverdict"
)

// Store is what the desk needs of durable state.
type Store interface {
	// Approval returns one approval, or toolverdict.ErrNotFound.
	Approval(ctx context.Context, id string) (tv.Approval, error)
	// Approvals lists approvals, oldest first unless the query says otherwise.
	Approvals(ctx context.Context, q tv.ApprovalQuery) ([]tv.Approval, error)
	// Commit writes all or nothing.
	Commit(ctx context.Context, c tv.Changes) error
	// Changed returns a channel that is closed when an approval changed in this
	// process. It is a hint: changes by other processes do not close it.
	Changed() <-chan struct{}
}

// Config is what a desk is made of. Store, Now, NewID and Text are required.
type Config struct {
	Store Store
	Now   func() time.Time
	NewID func() string
	Text  func(string) string // hides secrets in free text

	Approvers []string      // who may approve where a rule names nobody; empty means nobody
	Pending   time.Duration // how long an approval waits for an answer; 0 means 15 minutes
	Use       time.Duration // how long a given approval can be used at least; 0 means 5 minutes
	Poll      time.Duration // how often a held call looks for an answer given elsewhere; 0 means 250 ms
}

// MaxPending bounds how long any rule may let an approval wait.
const MaxPending = 24 * time.Hour

// Desk takes questions and answers. It is safe for concurrent use.
type Desk struct{ c Config }

var _ tv.Confirmations = (*Desk)(nil)

// New checks the parts and fills in the defaults.
func New(c Config) (*Desk, error) {
	if c.Store == nil || c.Now == nil || c.NewID == nil || c.Text == nil {
		return nil, errors.New("open approval desk: Store, Now, NewID and Text are needed")
	}
	if c.Pending <= 0 {
		c.Pending = 15 * time.Minute
	}
	if c.Use <= 0 {
		c.Use = 5 * time.Minute
	}
	if c.Poll <= 0 {
		c.Poll = 250 * time.Millisecond
	}
	return &Desk{c}, nil
}

// Draft makes the pending approval for a question. The shortest deadline of its
// requirements holds for all of them.
func (d *Desk) Draft(q tv.Question) tv.Approval {
	now := d.c.Now()
	wait := time.Duration(0)
	needs := make([]tv.Requirement, len(q.Decision.Asks))
	for i, need := range q.Decision.Asks {
		if len(need.Approvers) == 0 {
			need.Approvers = d.c.Approvers
		}
		need.Quorum = max(need.Quorum, 1)
		if need.Expires <= 0 {
			need.Expires = d.c.Pending
		}
		if len(need.Escalate.To) > 0 && need.Escalate.After <= 0 {
			need.Escalate.After = need.Expires / 3
		}
		if wait == 0 || need.Expires < wait {
			wait = need.Expires
		}
		needs[i] = need
	}
	if len(needs) == 0 { // an ask without a requirement must still be asked
		wait = d.c.Pending
		needs = []tv.Requirement{{Approvers: d.c.Approvers, Quorum: 1, Expires: wait}}
	}
	return tv.Approval{
		ID: d.c.NewID(), State: tv.ApprovalPending, Digest: q.Digest, Key: q.Key,
		Call: q.Call.Store(), ToolHash: q.Tool.Hash(),
		PolicyVersion: q.Decision.PolicyVersion, PolicyHash: q.Decision.PolicyHash,
		Requirements: needs, Card: card(q, d.shown), Created: now, Expires: now.Add(min(wait, MaxPending)),
	}
}

// Await returns the approval once it is no longer pending, or as it stands when
// ctx ends. One whose time ran out reads as expired, whether or not a sweep has
// written that yet.
func (d *Desk) Await(ctx context.Context, id string) (tv.Approval, error) {
	tick := time.NewTicker(d.c.Poll)
	defer tick.Stop()
	var a tv.Approval
	for {
		changed := d.c.Store.Changed()
		seen, err := d.c.Store.Approval(ctx, id)
		if ctx.Err() != nil && a.ID != "" {
			return a, nil
		}
		if err != nil {
			return seen, fmt.Errorf("wait for approval: %w", err)
		}
		a = seen
		a.State = a.StateAt(d.c.Now())
		if a.State != tv.ApprovalPending {
			return a, nil
		}
		select {
		case <-ctx.Done():
			return a, nil
		case <-changed:
		case <-tick.C:
		}
	}
}

// Get returns one approval to somebody who has to do with it: its requester, or
// an eligible approver. To anybody else it does not exist.
func (d *Desk) Get(ctx context.Context, by tv.Subject, id string) (tv.Approval, error) {
	a, err := d.c.Store.Approval(ctx, id)
	if err != nil {
		return a, fmt.Errorf("show approval %q: %w", id, err)
	}
	if !requester(by, &a) && !concerns(by, &a, d.c.Now()) {
		return tv.Approval{}, fmt.Errorf("show approval %q: %w", id, tv.ErrNotFound)
	}
	return d.shownTo(by, a), nil
}

const (
	defaultList = 100
	maxList     = 1000
	listPage    = 500 // how many approvals are looked at in one go
	listSpare   = 8   // how many more than are asked for: some that name a subject do not concern it
)

// List returns the approvals that a subject has to do with, oldest first. It
// goes on past those of others: however many there are, they hide none.
func (d *Desk) List(ctx context.Context, by tv.Subject, q tv.ApprovalQuery) ([]tv.Approval, error) {
	most := q.Limit
	if most <= 0 {
		most = defaultList
	}
	most = min(most, maxList)
	q.Mentions = names(by)
	var out []tv.Approval
	for q.Limit = min(listPage, most+listSpare); ; {
		all, err := d.c.Store.Approvals(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("list approvals: %w", err)
		}
		for _, a := range all {
			if !requester(by, &a) && !concerns(by, &a, d.c.Now()) {
				continue
			}
			if out = append(out, d.shownTo(by, a)); len(out) == most {
				return out, nil
			}
		}
		if len(all) == 0 {
			return out, nil
		}
		q.AfterID = all[len(all)-1].ID
	}
}

// names are the texts by which an approval can name a subject, as one who asked
// or as one who decides: one that concerns it holds one of them.
func names(by tv.Subject) []string {
	out := []string{by.ID, "user:" + by.ID}
	if by.User != "" && by.User != by.ID {
		out = append(out, by.User)
	}
	for _, role := range by.Roles {
		out = append(out, "role:"+role)
	}
	for _, group := range by.Groups {
		out = append(out, "group:"+group)
	}
	return out
}
