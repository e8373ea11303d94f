// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"context"
	"fmt"
	"slices"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/store"
)

// past is the history, in the order of writing.
type past struct {
	calls []tv.Past
	ids   map[string]bool
}

// Seen answers looks at earlier calls, in their order.
func (s *Store) Seen(ctx context.Context, looks []tv.Look, at time.Time) ([]tv.Seen, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	if err := store.CheckLooks(looks); err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.past.seen(looks, at), nil
}

func (p *past) seen(looks []tv.Look, at time.Time) []tv.Seen {
	out := make([]tv.Seen, len(looks))
	for i := range looks {
		out[i] = looks[i].Answer(p.calls, at)
	}
	return out
}

func (p *past) write(calls []tv.Past, settled []tv.Settled, now time.Time) {
	if p.ids == nil {
		p.ids = map[string]bool{}
	}
	for _, c := range calls {
		at := p.find(c.ID)
		switch {
		case at < 0:
			p.calls = append(p.calls, c)
			p.ids[c.ID] = true
		case store.PastMoves(p.calls[at].State, c.State):
			p.calls[at] = c
		}
	}
	for _, s := range settled {
		if at := p.find(s.ID); at >= 0 && p.calls[at].State == tv.PastDispatched {
			p.calls[at].State = s.State
		}
	}
	p.forget(now)
}

// find looks from the newest back: outcomes come soon after their call.
func (p *past) find(id string) int {
	if !p.ids[id] {
		return -1
	}
	for i, c := range slices.Backward(p.calls) {
		if c.ID == id {
			return i
		}
	}
	return -1
}

// forget drops what no rule can look back at any more.
func (p *past) forget(now time.Time) {
	n := 0
	for n < len(p.calls) && p.calls[n].At.Before(now.Add(-tv.MaxLookBack)) {
		delete(p.ids, p.calls[n].ID)
		n++
	}
	p.calls = p.calls[n:]
}
