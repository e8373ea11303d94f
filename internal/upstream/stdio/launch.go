// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/toolverdict/toolverdict/internal/child"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

// startTime is how long a process that says nothing counts as starting.
const startTime = 5 * time.Second

// A principal may start this many times as many processes as may run for it, in
// this span: some clients open a session for every call.
const (
	restarts = 10
	rateSpan = 30 * time.Second
)

// launch starts a process: for a session, or, where that is "", for requests of
// the stateless revisions.
func (b *Backend) launch(ctx context.Context, principal, session string) (*conn, error) {
	c, err := b.reserve(ctx, principal, session)
	if err != nil {
		return nil, err
	}
	leave, err := b.starts.enter(ctx)
	if err != nil {
		b.cancel(c, err)
		return nil, err
	}
	c.leave = leave
	if err := c.start(); err != nil {
		leave()
		b.cancel(c, err)
		return nil, err
	}
	return c, nil
}

// cancel takes back a reservation that no process came of.
func (b *Backend) cancel(c *conn, why error) {
	c.shut(why)
	if c.proc == nil {
		b.remove(c)
		close(c.stopped)
	}
}

// reserve makes room for a process. Where there is none, the one that its owner
// has not used for longest is ended, as long as nothing is open on it. Processes
// that are ending still take room.
func (b *Backend) reserve(ctx context.Context, principal, session string) (*conn, error) {
	limit, cancel := context.WithTimeout(ctx, b.Patience+2*b.Grace)
	defer cancel()
	for {
		c, spare, err := b.tryReserve(principal, session)
		if c != nil || err != nil {
			return c, err
		}
		if !spare.isGone() {
			b.Log.Info("ending the server process that was unused for longest, to make room")
			spare.end(errEnded)
		}
		select {
		case <-spare.stopped:
		case <-limit.Done():
			return nil, fmt.Errorf("start server: %w: %w", mcpwire.ErrBusy, mcpwire.ErrNotSent)
		}
	}
}

// tryReserve makes room, or returns what could make some.
func (b *Backend) tryReserve(principal, session string) (c, spare *conn, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, nil, fmt.Errorf("start server: %w: %w", errClosed, mcpwire.ErrNotSent)
	}
	mine := 0
	for _, other := range b.conns {
		if other.principal == principal {
			mine++
		}
	}
	if mine >= b.MaxPerPrincipal || len(b.conns) >= b.MaxProcesses {
		if spare = b.spare(principal); spare == nil {
			err = fmt.Errorf("start server: %w: %w", mcpwire.ErrBusy, mcpwire.ErrNotSent)
		}
		return nil, spare, err
	}
	if b.rate[principal] >= restarts*b.MaxPerPrincipal {
		return nil, nil, fmt.Errorf("start server: started too often: %w: %w", mcpwire.ErrBusy, mcpwire.ErrNotSent)
	}
	b.rate[principal]++
	time.AfterFunc(rateSpan, func() { b.forgetStart(principal) })
	c = &conn{
		Config: &b.Config, backend: b, principal: principal, session: session,
		leave: func() {}, stopped: make(chan struct{}),
	}
	c.open, c.asked, c.tokens = map[string]*exchange{}, map[string]*queue{}, map[string][]byte{}
	b.conns = append(b.conns, c)
	if session != "" {
		b.byID[session] = c
	}
	return c, nil, nil
}

func (b *Backend) forgetStart(principal string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rate[principal]--; b.rate[principal] == 0 {
		delete(b.rate, principal)
	}
}

// spare finds what makes room for a principal: a process that is ending, else
// the one that is unused for longest. Another principal's session is never
// ended. The caller holds mu.
func (b *Backend) spare(principal string) *conn {
	var oldest *conn
	var at uint64
	for _, c := range b.conns {
		if c.principal != principal && c.session != "" {
			continue
		}
		c.mu.Lock()
		gone, unused, last := c.gone != nil, c.unused() && c.signs > 0, c.use.last
		c.mu.Unlock()
		if gone {
			return c
		}
		if unused && (oldest == nil || last < at) {
			oldest, at = c, last
		}
	}
	return oldest
}

// retire takes a process out of use for what is new.
func (b *Backend) retire(c *conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for key, m := range b.shared {
		if m.conn == c {
			delete(b.shared, key)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.use.retired = c.session == ""
	if c.gone != nil && b.byID[c.session] == c {
		delete(b.byID, c.session)
	}
}

// remove forgets a process that is gone.
func (b *Backend) remove(c *conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.conns = slices.DeleteFunc(b.conns, func(other *conn) bool { return other == c })
}

// failed notes a process that never wrote a message, and tells the operator.
func (b *Backend) failed(why string) {
	attempts, pause := b.starts.lost()
	if attempts == hopeless {
		b.Log.Error("server does not start: giving up, but for one attempt now and then when somebody asks for it",
			"attempts", attempts, "why", why, "program", b.Command[0])
		return
	}
	b.Log.Warn("server did not start", "attempts", attempts, "pause", pause, "why", why, "program", b.Command[0])
}

// guarded returns what kills the processes when the gate is killed. It is
// started with the first of them.
func (b *Backend) guarded() *child.Guard {
	b.guard.once.Do(func() {
		b.mu.Lock()
		closed := b.closed
		b.mu.Unlock()
		if closed {
			return
		}
		var err error
		if b.guard.value, err = child.StartGuard(); err != nil {
			b.Log.Warn("server processes are not guarded: if the gate is killed, what they started may stay", "error", err)
		}
	})
	return b.guard.value
}

// Close implements [mcpwire.Backend]. It returns when every process is gone.
func (b *Backend) Close() error {
	b.mu.Lock()
	b.closed = true
	all := slices.Clone(b.conns)
	b.mu.Unlock()
	for _, c := range all {
		c.end(errClosed)
	}
	for _, c := range all {
		<-c.stopped
	}
	b.guarded().Close()
	return nil
}

var (
	errClosed = errors.New("the gate is stopping")
	errEnded  = errors.New("the session was ended")
)
