// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"crypto/sha256"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

// exchanges are the requests that are open in this process. Nothing depends on
// them that must survive it: they let a client cancel what it started here, and
// let an answer that comes on another stream find its call.
type exchanges struct {
	mu   sync.Mutex
	open map[string][]*exchange
}

// exchange is one open request.
type exchange struct {
	modern bool // the request is of a revision where leaving is cancelling
	cancel context.CancelFunc
	ended  chan struct{}
	late   chan late // where a call waits for an answer on another stream
	// waiting says that the call's own stream is over.
	waiting atomic.Bool
}

// late is an answer that came on another stream than its request's.
type late struct {
	message *mcpwire.Message
	event   mcpwire.Event
	relayed chan<- mcpwire.Event // takes the one event that the client may see
}

func newExchanges() *exchanges { return &exchanges{open: map[string][]*exchange{}} }

func exchangeKey(c Caller, id string) string {
	return c.principal() + "\x00" + c.Conn + "\x00" + c.Session + "\x00" + id
}

// track keeps a request while it is open. Ids repeat: clients that share a
// credential choose theirs independently.
func (x *exchanges) track(ctx context.Context, c Caller, m *mcpwire.Message) (context.Context, func()) {
	ctx, _, done := x.begin(ctx, c, m)
	return ctx, done
}

func (x *exchanges) begin(ctx context.Context, c Caller, m *mcpwire.Message) (context.Context, *exchange, func()) {
	if m.Kind() != mcpwire.Request {
		return ctx, nil, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	e := &exchange{modern: m.Modern(), cancel: cancel, ended: make(chan struct{}), late: make(chan late)}
	key := exchangeKey(c, m.Key())
	x.mu.Lock()
	x.open[key] = append(x.open[key], e)
	x.mu.Unlock()
	return ctx, e, func() {
		cancel()
		close(e.ended)
		x.mu.Lock()
		defer x.mu.Unlock()
		left := slices.DeleteFunc(x.open[key], func(other *exchange) bool { return other == e })
		if len(left) == 0 {
			delete(x.open, key)
			return
		}
		x.open[key] = left
	}
}

// find returns the one open request with the id, and none where the id does not
// tell which.
func (x *exchanges) find(c Caller, id string) *exchange {
	x.mu.Lock()
	defer x.mu.Unlock()
	if found := x.open[exchangeKey(c, id)]; id != "" && len(found) == 1 {
		return found[0]
	}
	return nil
}

// waits reports whether a call waits for this answer on another stream.
func (x *exchanges) waits(c Caller, m *mcpwire.Message) bool {
	e := x.find(c, m.Key())
	return e != nil && e.waiting.Load()
}

// resume hands an answer to the call that waits for it, and returns the event
// that the client may see. One that no call waits for is returned as it is: its
// call was made through another process, or was given up.
func (x *exchanges) resume(c Caller, m *mcpwire.Message, ev mcpwire.Event) mcpwire.Event {
	e := x.find(c, m.Key())
	if e == nil {
		return ev
	}
	relayed := make(chan mcpwire.Event, 1)
	select {
	case e.late <- late{m, ev, relayed}:
		return <-relayed // the call always answers
	case <-e.ended:
		return ev
	}
}

func shortHash(parts ...string) []byte {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return h.Sum(nil)[:8]
}
