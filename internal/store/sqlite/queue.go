// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/store"
	"github.com/toolverdict/toolverdict/internal/store/sqlite/table"
)

// Bounds of the queue and of one transaction.
const (
	queueLength = 1024
	batchLength = 256
)

// How long a batch of lazy changes waits for one that somebody waits on, and
// how long records stay unsigned at most.
const (
	linger    = 5 * time.Millisecond
	signEvery = time.Second
)

// request is one change on its way to the disk.
type request struct {
	table.Write

	probe bool // only finds out whether the disk takes a write
	state atomic.Int32
	done  chan struct{}
	err   error
}

// States of a request: whoever moves it out of queued decides its fate.
const (
	queued int32 = iota
	taken
	withdrawn
)

// errClosed answers changes that come after Close.
var errClosed = errors.New("write database: the store is closed")

// Commit writes all changes or none. It returns once the disk holds them,
// except for lazy ones, which are written in their turn. When ctx ends before
// the change's turn has come, nothing is written.
func (s *Store) Commit(ctx context.Context, c tv.Changes) error {
	e, err := store.Encode(c)
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return s.writer.submit(ctx, &request{Write: table.Write{Encoded: e}})
}

// submit writes what a part of the store wants written.
func (s *Store) submit(ctx context.Context, w table.Write) error {
	return s.writer.submit(ctx, &request{Write: w})
}

func (w *writer) submit(ctx context.Context, r *request) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	r.done = make(chan struct{})
	if err := w.enqueue(ctx, r); err != nil {
		return err
	}
	if r.Lazy {
		return nil
	}
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
	}
	if r.state.CompareAndSwap(queued, withdrawn) {
		return fmt.Errorf("commit: %w", ctx.Err())
	}
	<-r.done // its turn has come: what happens to it must be told truly
	return r.err
}

// enqueue waits for a place where the queue is full: back-pressure.
func (w *writer) enqueue(ctx context.Context, r *request) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return errClosed
	}
	select {
	case w.queue <- r:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("commit: %w", ctx.Err())
	}
}

func (w *writer) isClosed() bool {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.closed
}

// gather takes what else is queued. A batch that nobody waits on stays open for
// a moment: the next change that somebody does wait on then shares its fsync.
func (w *writer) gather(first *request) (batch []*request, open bool) {
	batch = append(batch, first)
	waited := !first.Lazy
	for len(batch) < batchLength {
		select {
		case r, ok := <-w.queue:
			if !ok {
				return batch, false
			}
			batch = append(batch, r)
			waited = waited || !r.Lazy
			continue
		default:
		}
		if waited {
			return batch, true
		}
		timer := time.NewTimer(linger)
		select {
		case r, ok := <-w.queue:
			timer.Stop()
			if !ok {
				return batch, false
			}
			batch = append(batch, r)
			waited = waited || !r.Lazy
		case <-timer.C:
			return batch, true
		}
	}
	return batch, true
}

// health is what the last writes told.
type health struct {
	mu   sync.Mutex
	err  error
	last time.Time // of a write that the disk took
	lost int64     // lazy changes that were not written since then
}

func (h *health) good(at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.err, h.last = nil, at
}

func (h *health) bad(err error, batch []*request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.err = err
	for _, r := range batch {
		if r.Lazy {
			h.lost++
		}
	}
}

func (h *health) read() (time.Time, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last, h.err
}

// untold returns how many lost changes no record speaks of yet.
func (h *health) untold() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.lost
}

func (h *health) told(n int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lost -= n
}

// freshFor is how long a good write speaks for the disk.
const freshFor = 5 * time.Second

// Healthy reports whether a change would be written now. Unless one was written
// a moment ago, it writes one to find out.
func (s *Store) Healthy(ctx context.Context) error {
	last, err := s.writer.health.read()
	if err == nil && !s.writer.isClosed() && s.now().Sub(last) < freshFor {
		return nil
	}
	return s.writer.submit(ctx, &request{probe: true})
}
