// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/store"
)

// grants are kept in bytes, so that nothing a caller holds is shared with them.
type grants map[string]store.Row

// Grant returns a grant, or toolverdict.ErrNotFound.
func (s *Store) Grant(ctx context.Context, id string) (tv.Grant, error) {
	if err := ctx.Err(); err != nil {
		return tv.Grant{}, fmt.Errorf("read grant: %w", err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	row, ok := s.grants[id]
	if !ok {
		return tv.Grant{}, fmt.Errorf("read grant: %w", tv.ErrNotFound)
	}
	return store.DecodeGrant(row)
}

// Grants lists grants, oldest first.
func (s *Store) Grants(ctx context.Context, q tv.GrantQuery) ([]tv.Grant, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read grants: %w", err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	var all []tv.Grant
	for _, row := range s.grants {
		g, err := store.DecodeGrant(row)
		if err != nil {
			return nil, fmt.Errorf("read grants: %w", err)
		}
		all = append(all, g)
	}
	slices.SortFunc(all, func(a, b tv.Grant) int {
		return cmp.Or(cmp.Compare(a.Created.UnixMicro(), b.Created.UnixMicro()), cmp.Compare(a.ID, b.ID))
	})
	if q.AfterID != "" {
		i := slices.IndexFunc(all, func(g tv.Grant) bool { return g.ID == q.AfterID })
		if i < 0 {
			return nil, nil
		}
		all = all[i+1:]
	}
	return clipped(all, q.Limit, func(g *tv.Grant) bool { return store.SelectsGrant(q, g) }), nil
}

// expected checks what the change expects of grants.
func (all grants) expected(e *store.Encoded) error {
	if len(e.Changes.Grants)+len(e.Uses) == 0 {
		return nil
	}
	at := e.Records[0].At
	for _, c := range e.Changes.Grants {
		is, err := all.read(c.To.ID)
		switch {
		case err != nil:
			return err
		case is.Version != c.From:
			return &tv.ConflictError{What: "grant", Key: c.To.ID}
		case is.Version > 0:
			if err := store.GrantStep(is, c.To, at); err != nil {
				return fmt.Errorf("commit: %w", err)
			}
		}
	}
	for _, id := range e.Uses {
		if _, err := all.used(id, at); err != nil {
			return err
		}
	}
	return nil
}

// write writes what expected found fit.
func (all grants) write(e *store.Encoded) {
	for i, c := range e.Changes.Grants {
		all[c.To.ID] = e.Grants[i]
	}
	for _, id := range e.Uses {
		if row, err := all.used(id, e.Records[0].At); err == nil {
			all[id] = row
		}
	}
}

func (all grants) used(id string, at time.Time) (store.Row, error) {
	is, err := all.read(id)
	if err != nil {
		return store.Row{}, err
	}
	is.ID = id
	return store.UseGrant(is, at)
}

// read returns the zero grant where there is none.
func (all grants) read(id string) (tv.Grant, error) {
	row, ok := all[id]
	if !ok {
		return tv.Grant{}, nil
	}
	return store.DecodeGrant(row)
}
