// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
)

// Errors that a caller can tell apart.
var (
	ErrNotEligible = errors.New("this subject may not decide it")
	ErrDecided     = errors.New("it is decided already")
	ErrNoReason    = errors.New("a call of high risk is approved with a reason")
)

// mustSay reports whether a yes to an approval needs a reason. A risk that is not
// known is not low.
func mustSay(a *tv.Approval) bool { return a.Card.Risk != tv.LowRisk && a.Card.Risk != tv.MediumRisk }

// Approve adds one person's yes. The approval is given once every requirement
// has its quorum of different eligible people.
func (d *Desk) Approve(ctx context.Context, by tv.Subject, id, reason string) (tv.Approval, error) {
	return d.vote(ctx, by, id, tv.Vote{By: by, Approved: true, Reason: reason})
}

// Reject ends the approval: a first no is final. The reason is shown to the
// agent.
func (d *Desk) Reject(ctx context.Context, by tv.Subject, id, reason string) (tv.Approval, error) {
	return d.vote(ctx, by, id, tv.Vote{By: by, Reason: reason})
}

func (d *Desk) vote(ctx context.Context, by tv.Subject, id string, v tv.Vote) (tv.Approval, error) {
	v.Reason = d.shown(strings.TrimSpace(v.Reason))
	return d.change(ctx, by, id, func(a *tv.Approval) error {
		v.At = d.c.Now()
		switch {
		case !requester(by, a) && !concerns(by, a, v.At):
			return tv.ErrNotFound
		case !eligible(by, a, v.At):
			return ErrNotEligible
		case a.StateAt(v.At) != tv.ApprovalPending:
			return fmt.Errorf("%w: %s", ErrDecided, a.StateAt(v.At))
		case voted(by, a):
			return fmt.Errorf("%w: this person voted", ErrDecided)
		case v.Approved && v.Reason == "" && mustSay(a):
			return ErrNoReason
		}
		a.Votes = append(slices.Clone(a.Votes), v)
		switch {
		case !v.Approved:
			a.State = tv.ApprovalRejected
		case Given(a):
			d.give(a)
		}
		return nil
	}, v.Reason)
}

// MayEdit says why somebody may not change what is asked now, or nil: an
// approver may, and one who changed it before may change it again.
func (d *Desk) MayEdit(by tv.Subject, a *tv.Approval) error {
	now := d.c.Now()
	switch {
	case !requester(by, a) && !concerns(by, a, now):
		return tv.ErrNotFound
	case !slices.ContainsFunc(a.Requirements, func(r tv.Requirement) bool {
		return named(by, &r, a, now) && (r.SelfApproval || !asker(by, a))
	}):
		return ErrNotEligible
	case a.State != tv.ApprovalPending:
		return fmt.Errorf("%w: %s", ErrDecided, a.State)
	case !now.Before(a.Expires):
		return fmt.Errorf("%w: expired", ErrDecided)
	}
	return nil
}

// Cancel is the requester taking the question back, also where it was changed
// since.
func (d *Desk) Cancel(ctx context.Context, by tv.Subject, id, reason string) (tv.Approval, error) {
	for {
		a, err := d.Get(ctx, by, id)
		if err != nil || a.ReplacedBy == "" {
			break // what is wrong shows below
		}
		id = a.ReplacedBy
	}
	return d.change(ctx, by, id, func(a *tv.Approval) error {
		if !requester(by, a) {
			return tv.ErrNotFound
		}
		return step(a, tv.ApprovalCancelled)
	}, reason)
}

// Revoke is an eligible approver taking a yes back before it is used.
func (d *Desk) Revoke(ctx context.Context, by tv.Subject, id, reason string) (tv.Approval, error) {
	return d.change(ctx, by, id, func(a *tv.Approval) error {
		now := d.c.Now()
		switch {
		case !requester(by, a) && !concerns(by, a, now):
			return tv.ErrNotFound
		case !eligible(by, a, now):
			return ErrNotEligible
		}
		return step(a, tv.ApprovalRevoked)
	}, reason)
}

func step(a *tv.Approval, next tv.ApprovalState) error {
	if !a.State.CanBecome(next) {
		return fmt.Errorf("%w: %s", ErrDecided, a.State)
	}
	a.State = next
	return nil
}

// maxRaces bounds how often a change is tried again because another one came
// first. Each loss means that somebody else's change was written.
const maxRaces = 32

// change reads an approval, changes it and writes it back with a record, on the
// condition that nobody else did meanwhile.
func (d *Desk) change(ctx context.Context, by tv.Subject, id string, edit func(*tv.Approval) error, reason string) (tv.Approval, error) {
	for range maxRaces {
		a, err := d.c.Store.Approval(ctx, id)
		if err != nil {
			return a, fmt.Errorf("decide approval %q: %w", id, err)
		}
		from := a.Version
		late := a.State != tv.ApprovalExpired && a.StateAt(d.c.Now()) == tv.ApprovalExpired
		if err := edit(&a); err != nil { // first of all: to whom it does not concern it did not expire either
			return tv.Approval{}, fmt.Errorf("decide approval %q: %w", id, err)
		}
		if late {
			return tv.Approval{}, fmt.Errorf("decide approval %q: %w: expired", id, ErrDecided)
		}
		err = d.c.Store.Commit(ctx, tv.Changes{
			Records:   []tv.Record{d.record(&a, by, reason)},
			Approvals: []tv.ApprovalChange{{From: from, To: a}},
		})
		if _, ok := errors.AsType[*tv.ConflictError](err); ok {
			continue
		}
		if err != nil {
			return a, fmt.Errorf("decide approval %q: %w", id, err)
		}
		a.Version = from + 1
		return d.shownTo(by, a), nil
	}
	return tv.Approval{}, fmt.Errorf("decide approval %q: others keep changing it: try again", id)
}

func (d *Desk) record(a *tv.Approval, by tv.Subject, reason string) tv.Record {
	return tv.Record{
		Kind: tv.RecordApproval, At: d.c.Now(), Subject: by.ID, User: by.User, Agent: by.Agent,
		Tool: a.Call.Tool, ToolHash: a.ToolHash, Session: d.shown(a.Call.Session), Run: d.shown(a.Call.Run.ID),
		PolicyVersion: a.PolicyVersion, PolicyHash: a.PolicyHash,
		Approval: a.ID, ApprovalState: a.State, Key: a.Key, Detail: d.shown(reason),
	}
}

// requester reports whether a subject is the one who asked, or the person on
// whose behalf.
func requester(by tv.Subject, a *tv.Approval) bool {
	s := a.Call.Subject
	return by.ID != "" && (by.ID == s.ID || by.ID == s.User || by.User != "" && (by.User == s.User || by.User == s.ID))
}

// asker reports whether a subject may be the one who asked under another
// spelling: it takes a vote away and gives no right.
func asker(by tv.Subject, a *tv.Approval) bool { return onePerson(by, a.Call.Subject) }

// voted reports whether a subject, or the same person as another subject, voted.
func voted(by tv.Subject, a *tv.Approval) bool {
	return slices.ContainsFunc(a.Votes, func(old tv.Vote) bool { return onePerson(by, old.By) })
}

// edited reports whether a subject, or the same person, changed what is asked.
func edited(by tv.Subject, a *tv.Approval) bool {
	return slices.ContainsFunc(a.Editors, func(id string) bool { return same(id, by.ID) || same(id, by.User) })
}

// onePerson reports whether two subjects are, or may be, one person: a host can
// know one under several ids, each of which says whose it is.
func onePerson(a, b tv.Subject) bool {
	return same(a.ID, b.ID) || same(a.ID, b.User) || same(a.User, b.User) || same(a.User, b.ID)
}

// same reports whether two names are one person's. Directories and mail know
// Ada@corp.example as ada@corp.example.
func same(a, b string) bool { return a != "" && strings.EqualFold(a, b) }

// concerns reports whether a requirement names this person at a time.
func concerns(by tv.Subject, a *tv.Approval, at time.Time) bool {
	return slices.ContainsFunc(a.Requirements, func(r tv.Requirement) bool { return named(by, &r, a, at) })
}

// eligible reports whether this subject's vote counts for some requirement.
func eligible(by tv.Subject, a *tv.Approval, at time.Time) bool {
	return slices.ContainsFunc(a.Requirements, func(r tv.Requirement) bool { return may(by, &r, a, at) })
}

// may is the whole rule of who approves: an authenticated person, named by the
// requirement, who is not the one asking and did not change what is asked,
// unless the rule says so.
func may(by tv.Subject, r *tv.Requirement, a *tv.Approval, at time.Time) bool {
	return named(by, r, a, at) && (r.SelfApproval || !asker(by, a)) && (r.EditorMayApprove || !edited(by, a))
}

func named(by tv.Subject, r *tv.Requirement, a *tv.Approval, at time.Time) bool {
	if !by.Authenticated() || by.Kind != tv.Person {
		return false
	}
	return slices.ContainsFunc(r.Who(a.Created, at), func(who string) bool {
		kind, name, _ := strings.Cut(who, ":")
		switch kind {
		case "role":
			return by.HasRole(name)
		case "group":
			return by.InGroup(name)
		case "user":
			return name != "" && by.ID == name
		}
		return false
	})
}

// Given reports whether every requirement had its quorum of people who may
// approve, or the word of the caller's client where that will do, whatever became
// of the approval since.
func Given(a *tv.Approval) bool {
	for i := range a.Requirements {
		r := &a.Requirements[i]
		yes := 0
		for _, v := range a.Votes {
			if v.Approved && (v.Attested && attestable(a) || may(v.By, r, a, v.At)) {
				yes++
			}
		}
		if yes < max(r.Quorum, 1) {
			return false
		}
	}
	return len(a.Requirements) > 0
}
