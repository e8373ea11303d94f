// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/toolverdict/toolverdict/internal/store/sqlite/disk"
)

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
	if err := w.guard.Check(); err != nil {
		return false, err
	}
	if err := w.sql.Exec(ctx, "BEGIN IMMEDIATE"); err != nil {
		w.drop(err)
		return false, err
	}
	defer func() {
		if err != nil || !wrote {
			failed := w.sql.Exec(ctx, "ROLLBACK")
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
	if err := w.sql.Exec(ctx, "COMMIT"); err != nil {
		return false, err
	}
	w.reached("committed")
	w.head, w.dirty = t.head, t.head.signed < t.head.tree.Size()
	w.health.told(t.lost)
	if t.learned {
		_ = w.s.past.learn(ctx, w.sql) // of no consequence: what is not known is looked up
	}
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

// readEnd reads where the log stands and looks at its end, in one view: another
// process may write to it meanwhile.
func (w *writer) readEnd(ctx context.Context, c Config) (err error) {
	if err := w.sql.Exec(ctx, "BEGIN"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.sql.Exec(ctx, "COMMIT")) }()
	if w.head, err = loadHead(ctx, w.sql); err != nil {
		return err
	}
	if w.s.key, err = loadKey(c, w.head.signed < 0); err != nil {
		return err
	}
	return checkEnd(ctx, w.sql, w.head, w.s.key.Verifier())
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
	if err := w.readEnd(ctx, c); err != nil {
		return err
	}
	if err := w.s.moor(ctx); err != nil {
		return err
	}
	var err error
	if w.guard, err = disk.Watch(w.path); err != nil {
		return err
	}
	_, err = w.attempt(nil)
	return err
}
