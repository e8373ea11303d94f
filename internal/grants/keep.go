// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package grants

import (
	"context"
	"errors"
	"fmt"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
)

const (
	listPage    = 500 // how many grants are looked at in one go
	defaultList = 100
	maxRaces    = 2 * tv.MaxGrantUses // each loss is a use that was counted
	sweepPage   = 500
)

// List returns the grants that a subject has to do with, oldest first, only the
// open ones or all of them.
func (s *Service) List(ctx context.Context, by tv.Subject, all bool) ([]View, error) {
	q := tv.GrantQuery{Limit: listPage}
	if !all {
		q.OpenAt = s.Now()
	}
	out := []View{}
	for {
		found, err := s.Store.Grants(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("list grants: %w", err)
		}
		for i := range found {
			if s.concerns(by, &found[i]) {
				out = append(out, Show(&found[i], s.Now()))
			}
			if len(out) == defaultList {
				return out, nil
			}
		}
		if len(found) == 0 {
			return out, nil
		}
		q.AfterID = found[len(found)-1].ID
	}
}

// Get returns one grant to somebody who has to do with it. To anybody else it
// does not exist.
func (s *Service) Get(ctx context.Context, by tv.Subject, id string) (View, error) {
	g, err := s.Store.Grant(ctx, id)
	if err == nil && !s.concerns(by, &g) {
		err = tv.ErrNotFound
	}
	if err != nil {
		return View{}, fmt.Errorf("show grant %q: %w", id, err)
	}
	return Show(&g, s.Now()), nil
}

// Revoke takes a grant back, at once and for good. It is for its maker, for
// whoever could have given it, and for administrators.
func (s *Service) Revoke(ctx context.Context, by tv.Subject, id, reason string) (View, error) {
	for range maxRaces {
		g, err := s.Store.Grant(ctx, id)
		if err == nil && !s.concerns(by, &g) {
			err = tv.ErrNotFound
		}
		now := s.Now()
		switch {
		case err != nil:
			return View{}, fmt.Errorf("revoke grant %q: %w", id, err)
		case !s.mayRevoke(by, &g):
			return View{}, fmt.Errorf("revoke grant %q: %w", id, approval.ErrNotEligible)
		case !g.Open(now):
			return View{}, fmt.Errorf("revoke grant %q: %w: it is %s", id, approval.ErrDecided, Show(&g, now).State)
		}
		from := g.Version
		g.Revoked = &tv.Revocation{By: by.ID, At: now, Reason: s.free(reason)}
		r := s.record(&g, by, fmt.Sprintf("revoked a grant after %d of %d calls: %s", g.Used, g.MaxUses, g.Revoked.Reason))
		err = s.Store.Commit(ctx, tv.Changes{Records: []tv.Record{r}, Grants: []tv.GrantChange{{From: from, To: g}}})
		if _, raced := errors.AsType[*tv.ConflictError](err); raced {
			continue
		}
		if err != nil {
			return View{}, fmt.Errorf("revoke grant %q: %w", id, err)
		}
		return Show(&g, now), nil
	}
	return View{}, fmt.Errorf("revoke grant %q: it keeps being used: try again", id)
}

func (s *Service) mayRevoke(by tv.Subject, g *tv.Grant) bool {
	return by.Kind == tv.Person && by.Authenticated() &&
		(by.ID == g.By.ID || by.HasRole("admin") || approval.Named(by, g.Requirements, g.Created, s.Now()))
}

// concerns reports whether a subject may see a grant: who may take it back, who
// looks after what others do, and whose calls it is about.
func (s *Service) concerns(by tv.Subject, g *tv.Grant) bool {
	officer := by.Kind == tv.Person && (by.HasRole("auditor") || by.HasRole("approver"))
	own := by.Authenticated() && (by.ID == g.Scope.Subject || by.ID == g.Scope.User)
	return own || officer || s.mayRevoke(by, g)
}

// Sweep forgets the conditions of grants whose time is over: they hold arguments
// as they came. Nothing depends on it being timely. It returns how many there
// were.
func (s *Service) Sweep(ctx context.Context) (int, error) {
	late, err := s.Store.Grants(ctx, tv.GrantQuery{ExpiredBy: s.Now(), Limit: sweepPage})
	if err != nil {
		return 0, fmt.Errorf("sweep grants: %w", err)
	}
	for n, g := range late {
		from := g.Version
		g.When = nil
		r := s.record(&g, tv.Subject{}, fmt.Sprintf("a grant expired after %d of %d calls", g.Used, g.MaxUses))
		err := s.Store.Commit(ctx, tv.Changes{Records: []tv.Record{r}, Grants: []tv.GrantChange{{From: from, To: g}}})
		if _, raced := errors.AsType[*tv.ConflictError](err); err != nil && !raced {
			return n, fmt.Errorf("sweep grants: %w", err)
		}
	}
	return len(late), nil
}
