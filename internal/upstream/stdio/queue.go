// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"context"
	"io"
	"sync"

	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

// Bounds of what waits for a reader that is slower than the process: for
// notifications, and for requests of the server.
const (
	maxWaiting       = 1024
	maxWaitingBytes  = 4 << 20
	maxRequestsBytes = 32 << 20
)

// entry is one message of the process, ready for its reader.
type entry struct {
	data     []byte
	response *mcpwire.Message // as the process sent it, where it is the answer
	request  bool             // it is a request of the server
}

// queue holds the messages of one answer until they are read. A slow reader
// never holds up the process, which others use too: notifications are dropped
// when too much waits, and requests of the server refused; an answer always has
// room.
type queue struct {
	wake chan struct{} // has room for one

	mu      sync.Mutex
	waiting []entry
	size    int
	ended   error // why no more will come; nil while more may
}

func newQueue() *queue { return &queue{wake: make(chan struct{}, 1)} }

// push adds a message. It reports whether it was taken.
func (q *queue) push(e entry) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended != nil || q.full(e) {
		return false
	}
	q.waiting = append(q.waiting, e)
	q.size += len(e.data)
	q.signal()
	return true
}

func (q *queue) full(e entry) bool {
	switch {
	case e.response != nil:
		return false
	case e.request:
		return q.size+len(e.data) > maxRequestsBytes
	}
	return len(q.waiting) >= maxWaiting || q.size+len(e.data) > maxWaitingBytes
}

// end says that no more will come. The first word stands.
func (q *queue) end(why error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended == nil {
		q.ended = why
		q.signal()
	}
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// next waits for the next message. What came before the end is read first.
func (q *queue) next(ctx context.Context) (entry, error) {
	for {
		if e, ok, err := q.take(); ok || err != nil {
			return e, err
		}
		select {
		case <-q.wake:
		case <-ctx.Done():
			if e, ok, _ := q.take(); ok {
				return e, nil
			}
			return entry{}, ctx.Err()
		}
	}
}

func (q *queue) take() (e entry, ok bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return entry{}, false, q.ended
	}
	e, q.waiting = q.waiting[0], q.waiting[1:]
	q.size -= len(e.data)
	return e, true, nil
}

// one is a body of one message, or of none.
type one struct {
	message []byte
}

// Next implements [mcpwire.EventReader].
func (o *one) Next() (mcpwire.Event, error) {
	if o.message == nil {
		return mcpwire.Event{}, io.EOF
	}
	ev := mcpwire.Event{Data: o.message}
	o.message = nil
	return ev, nil
}

// Close implements [mcpwire.EventReader].
func (*one) Close() error { return nil }
