// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/rollout"
	"github.com/toolverdict/toolverdict/internal/store"
)

var _ rollout.Journal = (*Store)(nil)

// policies are those that were in force, and the notes about them.
type policies struct {
	notes map[string]rollout.Note
	kept  map[string]store.Row // by hash
}

// PolicyNote returns a note, or one of revision 0 where there is none.
func (s *Store) PolicyNote(ctx context.Context, key string) (rollout.Note, error) {
	if err := ctx.Err(); err != nil {
		return rollout.Note{}, fmt.Errorf("read policy note: %w", err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	n := s.policies.notes[key]
	n.Body = slices.Clone(n.Body)
	return n, nil
}

// PolicyVersions returns the policies that are kept, the newest first.
func (s *Store) PolicyVersions(ctx context.Context) ([]rollout.Point, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read policy versions: %w", err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.policies.newestFirst()
}

func (p *policies) newestFirst() ([]rollout.Point, error) {
	var out []rollout.Point
	for _, row := range p.kept {
		point, err := rollout.DecodePoint(row.Body)
		if err != nil {
			return nil, err
		}
		out = append(out, point)
	}
	slices.SortFunc(out, func(a, b rollout.Point) int {
		return cmp.Or(cmp.Compare(b.At.UnixMicro(), a.At.UnixMicro()), cmp.Compare(a.Hash, b.Hash))
	})
	return out, nil
}

// PolicyVersion returns a policy by its hash, or toolverdict.ErrNotFound.
func (s *Store) PolicyVersion(ctx context.Context, hash string) (rollout.Version, error) {
	if err := ctx.Err(); err != nil {
		return rollout.Version{}, fmt.Errorf("read policy version: %w", err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	row, ok := s.policies.kept[hash]
	if !ok {
		return rollout.Version{}, fmt.Errorf("read policy version: %w", tv.ErrNotFound)
	}
	return rollout.DecodeVersion(row.Body, row.Content)
}

// KeepPolicy writes notes and a version, together with the record of it.
func (s *Store) KeepPolicy(ctx context.Context, c rollout.Change) error {
	e, err := store.EncodePolicy(c)
	if err != nil {
		return fmt.Errorf("keep policy: %w", err)
	}
	expects := func() error {
		for _, n := range e.Notes {
			if s.policies.notes[n.Key].Revision != n.From {
				return &tv.ConflictError{What: "policy", Key: n.Key}
			}
		}
		return nil
	}
	return s.writeIf(ctx, e.Encoded, expects, func() { s.policies.keep(&e) })
}

func (p *policies) keep(e *store.EncodedPolicy) {
	for _, n := range e.Notes {
		p.notes[n.Key] = rollout.Note{Body: slices.Clone(n.Body), Revision: n.From + 1}
	}
	if e.Version == nil {
		return
	}
	p.kept[e.Version.Hash] = e.Row
	points, _ := p.newestFirst() // each was encoded here
	kept := make([]store.KeptPolicy, len(points))
	for i, point := range points {
		kept[i] = store.KeptPolicy{Hash: point.Hash, Size: len(p.kept[point.Hash].Content)}
	}
	for _, hash := range e.Forget(kept) {
		delete(p.kept, hash)
	}
}
