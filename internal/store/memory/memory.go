// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package memory is a store for tests, benchmarks and offline checks. It keeps
// every promise of a store but one: nothing outlives the process.
package memory

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/catalog"
	"github.com/toolverdict/toolverdict/internal/rollout"
	"github.com/toolverdict/toolverdict/internal/store"
)

// Config says how a store is made. Now is required.
type Config struct {
	Now    func() time.Time
	Origin string // names the audit log; "" means "toolverdict/memory"
}

// Store is state in memory. It is safe for concurrent use.
type Store struct {
	now func() time.Time
	key *audit.Signer

	mu        sync.RWMutex
	closed    bool
	claims    map[string]entry
	approvals map[string]entry
	takes     map[string][]time.Time // by limit key, oldest first
	past      past
	chosen
	dead    map[string]bool
	log     log
	changed chan struct{}
}

var (
	_ tv.Store     = (*Store)(nil)
	_ tv.Choices   = (*Store)(nil)
	_ catalog.Pins = (*Store)(nil)
)

// chosen is what people decided, apart from calls.
type chosen struct {
	choices  map[string][]string  // by user
	pins     map[string]store.Row // by tool
	grants   grants               // by id
	policies policies
	rows     rows
}

// entry is a claim or an approval in the bytes it is kept in, so that nothing a
// caller holds is shared with it.
type entry struct {
	row     store.Row
	version int64
	state   string
	digest  string
	asks    asks // of an approval
}

// asks is what tells a flood of questions.
type asks struct {
	asker            string
	created, expires time.Time
}

// New makes an empty store with an audit key of its own.
func New(c Config) (*Store, error) {
	if c.Now == nil {
		return nil, errors.New("open store: Now is needed")
	}
	secret, err := audit.Generate(cmp.Or(c.Origin, "toolverdict/memory"), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("open store: %v", err)
	}
	key, err := audit.ParseSigner(secret)
	if err != nil {
		return nil, fmt.Errorf("open store: %v", err)
	}
	s := &Store{
		now: c.Now, key: key, claims: map[string]entry{}, approvals: map[string]entry{},
		takes: map[string][]time.Time{},
		chosen: chosen{
			choices: map[string][]string{}, pins: map[string]store.Row{}, grants: grants{},
			policies: policies{notes: map[string]rollout.Note{}, kept: map[string]store.Row{}},
			rows:     rows{},
		},
		dead: map[string]bool{}, changed: make(chan struct{}),
	}
	return s, s.sign()
}

// Close refuses every later change.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return s.sign()
}

// Healthy reports whether a change would be written now.
func (s *Store) Healthy(ctx context.Context) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return errClosed
	}
	return ctx.Err()
}

// errClosed answers changes that come after Close.
var errClosed = errors.New("write memory: the store is closed")

// Claim returns the ledger entry of a key, or toolverdict.ErrNotFound.
func (s *Store) Claim(ctx context.Context, key string) (tv.Claim, error) {
	row, err := s.find(ctx, s.claims, key)
	if err != nil {
		return tv.Claim{}, fmt.Errorf("read ledger entry: %w", err)
	}
	return store.DecodeClaim(row)
}

// Approval returns an approval, or toolverdict.ErrNotFound.
func (s *Store) Approval(ctx context.Context, id string) (tv.Approval, error) {
	row, err := s.find(ctx, s.approvals, id)
	if err != nil {
		return tv.Approval{}, fmt.Errorf("read approval: %w", err)
	}
	return store.DecodeApproval(row)
}

func (s *Store) find(ctx context.Context, in map[string]entry, key string) (store.Row, error) {
	if err := ctx.Err(); err != nil {
		return store.Row{}, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	e, ok := in[key]
	if !ok {
		return store.Row{}, tv.ErrNotFound
	}
	return e.row, nil
}

// Usage reads the counters of limits at a time, in the order of the limits.
func (s *Store) Usage(ctx context.Context, limits []tv.Limit, at time.Time) ([]tv.Usage, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read limit: %w", err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	out := make([]tv.Usage, len(limits))
	for i, l := range limits {
		out[i] = tv.Usage{Key: l.Key}
		if counted := s.counted(l, at); len(counted) > 0 {
			out[i].Count, out[i].Oldest = len(counted), counted[0]
		}
	}
	return out, nil
}

// counted are the dispatches of a key that are later than a window's length
// before a time.
func (s *Store) counted(l tv.Limit, at time.Time) []time.Time {
	all := s.takes[l.Key]
	start, _ := slices.BinarySearchFunc(all, at.Add(-l.Per).UnixMicro()+1, func(t time.Time, after int64) int {
		return cmp.Compare(t.UnixMicro(), after)
	})
	return all[start:]
}

// Approvals lists approvals, oldest first unless the query says otherwise.
func (s *Store) Approvals(ctx context.Context, q tv.ApprovalQuery) ([]tv.Approval, error) {
	all, err := decodeAll(ctx, s, s.approvals, store.DecodeApproval)
	if err != nil {
		return nil, fmt.Errorf("read approvals: %w", err)
	}
	older := func(a, b tv.Approval) int {
		return cmp.Or(cmp.Compare(a.Created.UnixMicro(), b.Created.UnixMicro()), cmp.Compare(a.ID, b.ID))
	}
	slices.SortFunc(all, older)
	if q.Newest {
		slices.Reverse(all)
	}
	if q.AfterID != "" {
		i := slices.IndexFunc(all, func(a tv.Approval) bool { return a.ID == q.AfterID })
		if i < 0 {
			return nil, nil
		}
		all = all[i+1:]
	}
	needles := store.Needles(q.Mentions)
	return clipped(all, q.Limit, func(a *tv.Approval) bool {
		return (len(needles) == 0 || mentions(a, needles)) && (q.State == "" || a.State == q.State) &&
			(q.ExpiredBy.IsZero() || a.Expires.UnixMicro() <= q.ExpiredBy.UnixMicro())
	}), nil
}

func mentions(a *tv.Approval, needles [][]byte) bool {
	body, err := json.Marshal(a)
	return err == nil && slices.ContainsFunc(needles, func(n []byte) bool { return bytes.Contains(body, n) })
}

// Claims lists ledger entries, oldest change first.
func (s *Store) Claims(ctx context.Context, q tv.ClaimQuery) ([]tv.Claim, error) {
	all, err := decodeAll(ctx, s, s.claims, store.DecodeClaim)
	if err != nil {
		return nil, fmt.Errorf("read ledger: %w", err)
	}
	slices.SortFunc(all, func(a, b tv.Claim) int {
		return cmp.Or(cmp.Compare(a.Updated.UnixMicro(), b.Updated.UnixMicro()), cmp.Compare(a.Key, b.Key))
	})
	return clipped(all, q.Limit, func(c *tv.Claim) bool {
		return (q.State == "" || c.State == q.State) && (q.Node == "" || c.Node == q.Node) && (q.Handle == "" || c.Handle == q.Handle) &&
			(q.DeadlineBy.IsZero() || c.Deadline.UnixMicro() <= q.DeadlineBy.UnixMicro())
	}), nil
}

func decodeAll[T any](ctx context.Context, s *Store, in map[string]entry, decode func(store.Row) (T, error)) ([]T, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	out := make([]T, 0, len(in))
	for _, e := range in {
		v, err := decode(e.row)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func clipped[T any](all []T, limit int, keep func(*T) bool) []T {
	var out []T
	for i := range all {
		if keep(&all[i]) && len(out) < store.Size(limit) {
			out = append(out, all[i])
		}
	}
	return out
}

// Disabled returns the tools that a user switched off, by full name, sorted.
func (s *Store) Disabled(ctx context.Context, user string) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read choices: %w", err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Clone(s.choices[user]), nil
}

// Pins returns all pins, by tool.
func (s *Store) Pins(ctx context.Context) ([]catalog.Pin, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read pins: %w", err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	var out []catalog.Pin
	for _, tool := range slices.Sorted(maps.Keys(s.pins)) {
		p, err := store.DecodePin(s.pins[tool])
		if err != nil {
			return nil, fmt.Errorf("read pins: %w", err)
		}
		out = append(out, p)
	}
	return out, nil
}

// DeadNodes returns the nodes that dispatched calls, have not reported all of
// them, and are gone: those that [Store.Lose] named.
func (s *Store) DeadNodes(ctx context.Context) ([]string, error) {
	open, err := s.Claims(ctx, tv.ClaimQuery{State: tv.ClaimDispatched, Limit: len(s.claims) + 1})
	if err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	var dead []string
	for _, c := range open {
		if s.dead[c.Node] && !slices.Contains(dead, c.Node) {
			dead = append(dead, c.Node)
		}
	}
	slices.Sort(dead)
	return dead, nil
}

// Lose makes a node one that is gone, as if its process had ended.
func (s *Store) Lose(node string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dead[node] = true
}

// Changed returns a channel that is closed when an approval changed. Take it
// before reading: a change in between then closes it.
func (s *Store) Changed() <-chan struct{} {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.changed
}
