// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/catalog"
	"github.com/toolverdict/toolverdict/internal/store"
)

// Commit writes all changes or none.
func (s *Store) Commit(ctx context.Context, c tv.Changes) error {
	e, err := store.Encode(c)
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return s.write(ctx, e, nil)
}

// SetDisabled replaces the tools that a user switched off, together with the
// record of it.
func (s *Store) SetDisabled(ctx context.Context, user string, tools []string, r tv.Record) error {
	e, err := store.Encode(tv.Changes{Records: []tv.Record{r}})
	if err != nil {
		return fmt.Errorf("keep choice of tools: %w", err)
	}
	tools = slices.Clone(tools)
	slices.Sort(tools)
	return s.write(ctx, e, func() { s.choices[user] = slices.Compact(tools) })
}

// Switch switches one tool off or on for a user, together with the record of it,
// and leaves what else the user chose.
func (s *Store) Switch(ctx context.Context, user, tool string, off bool, r tv.Record) error {
	e, err := store.Encode(tv.Changes{Records: []tv.Record{r}})
	if err != nil {
		return fmt.Errorf("keep choice of tools: %w", err)
	}
	return s.write(ctx, e, func() {
		tools := slices.DeleteFunc(slices.Clone(s.choices[user]), func(t string) bool { return t == tool })
		if off {
			tools = append(tools, tool)
			slices.Sort(tools)
		}
		s.choices[user] = tools
	})
}

// PutPins replaces the pins of the same tools, together with the record of it.
func (s *Store) PutPins(ctx context.Context, pins []catalog.Pin, r tv.Record) error {
	e, err := store.Encode(tv.Changes{Records: []tv.Record{r}})
	if err != nil {
		return fmt.Errorf("keep pins: %w", err)
	}
	rows := make([]store.Row, len(pins))
	for i, p := range pins {
		if rows[i], err = store.EncodePin(p); err != nil {
			return fmt.Errorf("keep pins: %w", err)
		}
	}
	return s.write(ctx, e, func() {
		for i, p := range pins {
			s.pins[p.Tool] = rows[i]
		}
	})
}

func (s *Store) write(ctx context.Context, e store.Encoded, also func()) error {
	return s.writeIf(ctx, e, func() error { return nil }, also)
}

// writeIf writes where what the change expects besides what it says is so.
func (s *Store) writeIf(ctx context.Context, e store.Encoded, expects func() error, also func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	if s.closed {
		return errClosed
	}
	if err := errors.Join(s.expected(e), expects()); err != nil {
		return err
	}
	for i, body := range e.Bodies {
		if err := s.append(body, e.Records[i].At); err != nil {
			return err
		}
	}
	for i, c := range e.Changes.Claims {
		s.claims[c.To.Key] = entry{row: e.Claims[i], version: c.From + 1, state: string(c.To.State)}
	}
	for i, c := range e.Changes.Approvals {
		s.approvals[c.To.ID] = entry{row: e.Approvals[i], version: c.From + 1, state: string(c.To.State), digest: c.To.Digest,
			asks: asks{c.To.Call.Asker(), c.To.Created, c.To.Expires}}
	}
	s.grants.write(&e)
	for _, l := range e.Takes {
		s.take(l, e.Records[0].At)
	}
	s.past.write(e.Past, e.Settled, s.now())
	if also != nil {
		also()
	}
	if len(e.Approvals) > 0 {
		close(s.changed)
		s.changed = make(chan struct{})
	}
	return nil
}

// expected checks everything that the change expects.
func (s *Store) expected(e store.Encoded) error {
	for _, c := range e.Changes.Claims {
		is := s.claims[c.To.Key]
		if is.version != c.From {
			return &tv.ConflictError{What: "claim", Key: c.To.Key}
		}
		if err := store.ClaimStep(tv.ClaimState(is.state), c.To.State); err != nil {
			return fmt.Errorf("commit: %w", err)
		}
	}
	for _, c := range e.Changes.Approvals {
		is := s.approvals[c.To.ID]
		switch {
		case is.version != c.From:
			return &tv.ConflictError{What: "approval", Key: c.To.ID}
		case is.version == 0:
		case is.digest != c.To.Digest:
			return errors.New("commit: an approval may not be moved to another call")
		default:
			if err := store.ApprovalStep(tv.ApprovalState(is.state), c.To.State); err != nil {
				return fmt.Errorf("commit: %w", err)
			}
		}
	}
	if err := s.grants.expected(&e); err != nil {
		return err
	}
	if err := s.room(&e); err != nil {
		return err
	}
	same := map[string]int{}
	for _, l := range e.Takes {
		if len(s.counted(l, e.Records[0].At))+same[l.Key] >= l.Max {
			return &tv.ConflictError{What: "limit", Key: l.Key}
		}
		same[l.Key]++
	}
	return store.Holds(e.Expect, s.past.seen(e.Expect.Looks, e.Expect.At))
}

// take counts one dispatch. Times of a key never fall.
func (s *Store) take(l tv.Limit, at time.Time) {
	at = at.Truncate(time.Microsecond)
	all := s.takes[l.Key]
	if n := len(all); n > 0 && all[n-1].After(at) {
		at = all[n-1]
	}
	s.takes[l.Key] = append(slices.Clone(s.counted(l, at)), at)
}

// rejected finds a no to a call of an asker.
func (s *Store) rejected(c tv.Unasked) error {
	for _, id := range slices.Sorted(maps.Keys(s.approvals)) {
		is := s.approvals[id]
		if tv.ApprovalState(is.state) == tv.ApprovalRejected && is.asks.asker == c.Asker && is.digest == c.Digest && is.asks.created.After(c.Since) {
			return &tv.ConflictError{What: tv.ConflictRejected, Key: id}
		}
	}
	return nil
}

// room checks that there is room for new questions, and that none of them, and no
// call that goes without one, was answered with no.
func (s *Store) room(e *store.Encoded) error {
	for _, c := range e.Changes.Unasked {
		if err := s.rejected(c); err != nil {
			return err
		}
	}
	for _, c := range e.Changes.Approvals {
		if c.From != 0 || c.Room.Most <= 0 {
			continue
		}
		asker, at, waiting := c.To.Call.Asker(), e.Records[0].At, 0
		if err := s.rejected(tv.Unasked{Asker: asker, Digest: c.To.Digest, Since: at.Add(-c.Room.Remember)}); err != nil {
			return err
		}
		for _, id := range slices.Sorted(maps.Keys(s.approvals)) {
			is := s.approvals[id]
			if is.asks.asker != asker {
				continue
			}
			if tv.ApprovalState(is.state) == tv.ApprovalPending && is.asks.expires.After(at) && !store.Ends(e, id) {
				waiting++
			}
		}
		if waiting >= c.Room.Most {
			return &tv.ConflictError{What: tv.ConflictAsks, Key: asker}
		}
	}
	return nil
}
