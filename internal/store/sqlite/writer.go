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
	store.Encoded
	also  func(context.Context, *statements) error // writes beside the change
	probe bool                                     // only finds out whether the disk takes a write
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

// writer owns the one connection that writes.
type writer struct {
	s     *Store
	queue chan *request
	over  chan struct{} // closed when run has returned

	mu     sync.RWMutex // held for reading while queueing, for writing to close
	closed bool

	link
	head  head
	dirty bool // records were written that may not be signed yet
	old   old

	health health
}

func newWriter(s *Store, path string) *writer {
	return &writer{s: s, queue: make(chan *request, queueLength), link: link{path: path}, over: make(chan struct{})}
}

// Commit writes all changes or none. It returns once the disk holds them,
// except for lazy ones, which are written in their turn. When ctx ends before
// the change's turn has come, nothing is written.
func (s *Store) Commit(ctx context.Context, c tv.Changes) error {
	e, err := store.Encode(c)
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return s.writer.submit(ctx, &request{Encoded: e})
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

func (w *writer) start() { go w.run() }

// stop lets the writer finish what is queued.
func (w *writer) stop() {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		close(w.queue)
	}
	w.mu.Unlock()
	<-w.over
}

func (w *writer) isClosed() bool {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.closed
}

// run takes requests in their order, as many at once as have come meanwhile.
func (w *writer) run() {
	defer close(w.over)
	tick := time.NewTicker(signEvery)
	defer tick.Stop()
	for open := true; open; {
		select {
		case r, ok := <-w.queue:
			if open = ok; ok {
				batch, more := w.gather(r)
				open = more
				w.write(batch)
				w.forget(2 * len(batch))
			}
		case <-tick.C:
			w.tend()
		}
	}
	w.finish()
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

// write puts a batch on the disk and answers everybody in it.
func (w *writer) write(batch []*request) {
	live := batch[:0]
	for _, r := range batch {
		if r.state.CompareAndSwap(queued, taken) {
			live = append(live, r)
		}
	}
	if len(live) == 0 {
		return
	}
	wrote, err := w.attempt(live)
	if len(live) > 1 && alone(err) {
		for _, r := range live {
			one := []*request{r}
			wrote, err := w.attempt(one)
			w.settle(one, wrote, err)
		}
	} else {
		w.settle(live, wrote, err)
	}
	for _, r := range live {
		if r.err == nil && len(r.Approvals) > 0 {
			w.s.hint.give()
			break
		}
	}
	for _, r := range live {
		close(r.done)
	}
}

// settle gives every request of a transaction that was not written its error.
func (w *writer) settle(batch []*request, wrote bool, err error) {
	switch {
	case err != nil:
		err = fmt.Errorf("write database: %w", w.s.explain(err))
		w.health.bad(err, batch)
		for _, r := range batch {
			r.err = err
		}
	case wrote:
		w.health.good(w.s.now())
	}
}

// attempt writes a batch in one transaction and reports whether there was
// anything to write. Requests that expected something else have their error
// when it returns; its own error means that nothing was written. An empty batch
// only signs.
func (w *writer) attempt(batch []*request) (wrote bool, err error) {
	ctx := context.Background()
	if err := w.connect(ctx); err != nil {
		return false, err
	}
	if err := w.guard.check(); err != nil {
		return false, err
	}
	if err := w.sql.exec(ctx, "BEGIN IMMEDIATE"); err != nil {
		w.drop(err)
		return false, err
	}
	defer func() {
		if err != nil || !wrote {
			failed := w.sql.exec(ctx, "ROLLBACK")
			w.drop(errors.Join(err, failed))
		}
	}()
	t, err := w.begin(ctx)
	if err != nil {
		return false, err
	}
	w.reached("begun")
	for _, r := range batch {
		if r.err, err = t.apply(ctx, r); err != nil {
			return false, err
		}
		wrote = wrote || r.err == nil
	}
	if !wrote && len(batch) > 0 {
		return false, nil
	}
	w.reached("applied")
	if err := t.end(ctx, len(batch) == 0); err != nil {
		return false, err
	}
	w.reached("commit")
	if err := w.sql.exec(ctx, "COMMIT"); err != nil {
		return false, err
	}
	w.reached("committed")
	w.head, w.dirty = t.head, t.head.signed < t.head.tree.Size()
	w.health.told(t.lost)
	return true, nil
}

// reached lets a test stop the process at this point.
func (w *writer) reached(point string) {
	if w.s.reached != nil {
		w.s.reached(point)
	}
}

// tend is what is done once a second: sign what is not signed, forget what is
// over.
func (w *writer) tend() {
	if w.dirty {
		if _, err := w.attempt(nil); err != nil {
			w.health.bad(fmt.Errorf("sign log: %w", w.s.explain(err)), nil)
		}
	}
	w.old.look = true
	w.forget(batchLength)
}

// finish signs what is left and moves the write-ahead log into the database.
func (w *writer) finish() {
	w.tend()
	if w.conn != nil {
		// A failure leaves the write-ahead log where it is: the next start reads it.
		_, _ = w.conn.ExecContext(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)")
	}
}

// prepare makes the tables, the key and the birth checkpoint of a new log, and
// looks at the end of an old one.
func (w *writer) prepare(ctx context.Context, c Config) error {
	if err := w.conn.Close(); err != nil {
		return err
	}
	w.conn = nil // the one connection is the migrations' for a while
	if err := migrate(ctx, w.db); err != nil {
		return err
	}
	if err := w.connect(ctx); err != nil {
		return err
	}
	h, err := loadHead(ctx, w.sql)
	if err != nil {
		return err
	}
	if w.s.key, err = loadKey(c, h.signed < 0); err != nil {
		return err
	}
	if err := checkEnd(ctx, w.sql, h, w.s.key.Verifier()); err != nil {
		return err
	}
	w.head = h
	if err := w.s.moor(ctx); err != nil {
		return err
	}
	if w.guard, err = watch(w.path); err != nil {
		return err
	}
	_, err = w.attempt(nil)
	return err
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
