// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

// startTime is how long a process that says nothing counts as starting.
const startTime = 5 * time.Second

// launch starts a process: for a session, or, where that is "", for requests of
// the stateless revisions.
func (b *Backend) launch(ctx context.Context, principal, session string) (*conn, error) {
	c, err := b.reserve(principal, session)
	if err != nil {
		return nil, err
	}
	leave, err := b.starts.enter(ctx)
	if err != nil {
		c.shut(err)
		return nil, err
	}
	c.leave = leave
	if err := c.start(); err != nil {
		leave()
		c.shut(err)
		return nil, err
	}
	time.AfterFunc(startTime, leave)
	b.mu.Lock()
	closed := b.closed
	if session != "" && !closed {
		b.byID[session] = c
	}
	b.mu.Unlock()
	if closed {
		c.end(errClosed)
		return nil, fmt.Errorf("start server: %w: %w", errClosed, mcpwire.ErrNotSent)
	}
	return c, nil
}

// reserve makes room for a process. Where there is none, the one that its owner
// has not used for longest is ended, as long as nothing is open on it.
func (b *Backend) reserve(principal, session string) (*conn, error) {
	for {
		b.mu.Lock()
		if b.closed {
			b.mu.Unlock()
			return nil, fmt.Errorf("start server: %w: %w", errClosed, mcpwire.ErrNotSent)
		}
		mine, all := 0, len(b.conns)
		for _, c := range b.conns {
			if c.principal == principal {
				mine++
			}
		}
		if mine < b.MaxPerPrincipal && all < b.MaxProcesses {
			c := &conn{Config: &b.Config, backend: b, principal: principal, session: session, leave: func() {}}
			c.open, c.asked, c.tokens = map[string]*exchange{}, map[string]*queue{}, map[string][]byte{}
			b.conns = append(b.conns, c)
			b.mu.Unlock()
			return c, nil
		}
		oldest := b.oldestUnused(principal)
		b.mu.Unlock()
		if oldest == nil {
			return nil, fmt.Errorf("start server: %w: %w", mcpwire.ErrBusy, mcpwire.ErrNotSent)
		}
		b.Log.Info("ending the process that was unused for longest, to make room", "pid", oldest.proc.Pid())
		oldest.end(errEnded)
	}
}

// oldestUnused finds what a principal can spare: never another's session. The
// caller holds mu.
func (b *Backend) oldestUnused(principal string) *conn {
	var oldest *conn
	var at uint64
	for _, c := range b.conns {
		if c.principal != principal && c.session != "" {
			continue
		}
		c.mu.Lock()
		unused, used := c.unused() && c.heard, c.used
		c.mu.Unlock()
		if unused && (oldest == nil || used < at) {
			oldest, at = c, used
		}
	}
	return oldest
}

// forget takes a process out of use.
func (b *Backend) forget(c *conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.conns = slices.DeleteFunc(b.conns, func(other *conn) bool { return other == c })
	if b.byID[c.session] == c {
		delete(b.byID, c.session)
	}
	for key, m := range b.shared {
		if m.conn == c {
			delete(b.shared, key)
		}
	}
}
