// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/internal/store"
)

// log is the audit log.
type log struct {
	entries     []audit.Entry
	nodes       map[audit.Node]audit.Hash // by level and index; the key's hash is zero
	checkpoints []audit.Stored
	tree        audit.Tree
	latest      time.Time
}

// append adds a record, and signs where a checkpoint must stand.
func (s *Store) append(body []byte, at time.Time) error {
	l := &s.log
	seq := l.tree.Size()
	leaf := audit.Leaf(seq, body)
	hash := audit.LeafHash(leaf)
	l.entries = append(l.entries, audit.Entry{Seq: seq, Hash: hash, Leaf: leaf})
	if at.After(l.latest) {
		l.latest = at
	}
	for _, n := range l.tree.Append(hash) {
		if l.nodes == nil {
			l.nodes = map[audit.Node]audit.Hash{}
		}
		l.nodes[audit.Node{Level: n.Level, Index: n.Index}] = n.Hash
	}
	if l.tree.Size()%audit.CheckpointEvery == 0 {
		return s.sign()
	}
	return nil
}

// sign writes a checkpoint of the log as it is, unless there is one.
func (s *Store) sign() error {
	l := &s.log
	if n := len(l.checkpoints); n > 0 && l.checkpoints[n-1].Size == l.tree.Size() {
		return nil
	}
	if now := s.now(); now.After(l.latest) {
		l.latest = now
	}
	note, err := s.key.Sign(&l.tree)
	if err != nil {
		return err
	}
	l.checkpoints = append(l.checkpoints, audit.Stored{Size: l.tree.Size(), At: l.latest, Note: note})
	return nil
}

// View is the audit log as it was at one moment.
type View struct {
	log log
	key *audit.Verifier
}

var _ audit.Log = (*View)(nil)

// Log returns a view of the log as it is now, signed to its end.
func (s *Store) Log(ctx context.Context) (*View, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("view log: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.sign(); err != nil {
		return nil, fmt.Errorf("view log: %w", err)
	}
	v := &View{log: s.log, key: s.key.Verifier()}
	v.log.nodes = maps.Clone(s.log.nodes)
	return v, nil
}

// Close ends the view.
func (v *View) Close() error { return nil }

// Key returns the log's public key.
func (v *View) Key() *audit.Verifier { return v.key }

// Size returns how many records there are.
func (v *View) Size(context.Context) (int64, error) { return int64(len(v.log.entries)), nil }

// Entries returns the records from a place on.
func (v *View) Entries(_ context.Context, from int64) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		for _, e := range v.log.entries[min(max(from, 0), int64(len(v.log.entries))):] {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// Checkpoints returns all signed heads, smallest first.
func (v *View) Checkpoints(context.Context) iter.Seq2[audit.Stored, error] {
	return func(yield func(audit.Stored, error) bool) {
		for _, c := range v.log.checkpoints {
			if !yield(c, nil) {
				return
			}
		}
	}
}

// Hashes reads stored hashes of one level.
func (v *View) Hashes(_ context.Context, level int, from, to int64) ([]audit.Hash, error) {
	var out []audit.Hash
	for i := from; i < to; i++ {
		h, ok := v.log.nodes[audit.Node{Level: level, Index: i}]
		if level == 0 && i < int64(len(v.log.entries)) {
			h, ok = v.log.entries[i].Hash, true
		}
		if ok {
			out = append(out, h)
		}
	}
	return out, nil
}

// Checkpoint returns the newest signed head.
func (v *View) Checkpoint(context.Context) (audit.Stored, error) {
	return v.log.checkpoints[len(v.log.checkpoints)-1], nil
}

// Prove makes a proof for one record under the newest checkpoint.
func (v *View) Prove(ctx context.Context, key *audit.Verifier, seq int64) ([]byte, error) {
	if seq < 0 || seq >= int64(len(v.log.entries)) {
		return nil, fmt.Errorf("prove record %d: there is no such record", seq)
	}
	c, err := v.Checkpoint(ctx)
	if err != nil {
		return nil, err
	}
	return audit.Prove(key, c.Note, v.log.entries[seq], func(level int, from, to int64) ([]audit.Hash, error) {
		return v.Hashes(ctx, level, from, to)
	})
}

// Find returns the records that a query selects.
func (v *View) Find(_ context.Context, q audit.Query) ([]audit.Numbered, error) {
	if q.Page.From < 0 {
		return nil, errors.New("find records: a place is never negative")
	}
	entries := v.log.entries
	if q.Page.Before > 0 {
		entries = entries[:min(q.Page.Before, int64(len(entries)))]
	}
	entries = slices.Clone(entries[min(q.Page.From, int64(len(entries))):])
	if q.Page.Newest {
		slices.Reverse(entries)
	}
	var out []audit.Numbered
	scan := q.Scan()
	for _, e := range entries {
		n, ok, err := scan.Match(e.Leaf)
		if err != nil {
			return nil, fmt.Errorf("find records: record %d: %v", e.Seq, err)
		}
		if !ok {
			continue
		}
		if out = append(out, n); len(out) == store.Size(q.Page.Limit) {
			break
		}
	}
	return out, nil
}
