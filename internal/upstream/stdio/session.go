// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

// initialize starts a process for a new session.
func (b *Backend) initialize(ctx context.Context, m mcpwire.Outbound) (*mcpwire.Reply, error) {
	c, err := b.launch(ctx, m.Principal, rand.Text())
	if err != nil {
		return nil, err
	}
	x, err := c.ask(ctx, m.Principal, m.Message)
	if err != nil {
		c.end(errEnded)
		return nil, err
	}
	r, err := x.reply(ctx)
	if err != nil {
		c.end(errEnded)
		return nil, err
	}
	body, stream := r.Body.(*answer)
	if stream && (body.first.response == nil || body.first.response.Result().Exists()) {
		r.Header.Set(mcpwire.HeaderSession, c.session)
	}
	return r, nil
}

// session finds a session of the principal.
func (b *Backend) session(who mcpwire.Caller) (*conn, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.byID[who.Session]
	if c == nil || c.principal != who.Principal {
		return nil, unknownSession()
	}
	return c, nil
}

// inSession takes a message of an open session.
func (b *Backend) inSession(ctx context.Context, m mcpwire.Outbound) (*mcpwire.Reply, error) {
	c, err := b.session(m.Caller)
	if err != nil {
		return nil, err
	}
	switch m.Message.Kind() {
	case mcpwire.Request:
		x, err := c.ask(ctx, m.Principal, m.Message)
		if err != nil {
			return nil, c.orNoSession(err)
		}
		return x.reply(ctx)
	case mcpwire.Response:
		return c.respond(ctx, m.Message)
	default:
		return c.notify(ctx, m.Principal, m.Message)
	}
}

// orNoSession says that the session ended with its process, where nothing was
// sent for that reason: the client should open another.
func (c *conn) orNoSession(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != "" && c.gone != nil && errors.Is(err, mcpwire.ErrNotSent) {
		return fmt.Errorf("ask server: its process ended: %w: %w", mcpwire.ErrNoSession, mcpwire.ErrNotSent)
	}
	return err
}

// respond sends a client's answer to a request of the server. One that the
// server did not ask for goes nowhere.
func (c *conn) respond(ctx context.Context, m *mcpwire.Message) (*mcpwire.Reply, error) {
	c.mu.Lock()
	_, asked := c.asked[m.Key()]
	delete(c.asked, m.Key())
	c.touch()
	c.mu.Unlock()
	if !asked {
		c.Log.Debug("dropped an answer that the server did not ask for")
		return empty(http.StatusAccepted), nil
	}
	if err := c.send(ctx, mcpwire.OneLine(m.Bytes())); err != nil {
		return nil, c.orNoSession(err)
	}
	return empty(http.StatusAccepted), nil
}

// notify sends a client's notification.
func (c *conn) notify(ctx context.Context, principal string, m *mcpwire.Message) (*mcpwire.Reply, error) {
	line := mcpwire.OneLine(m.Bytes())
	if m.Method() == "notifications/cancelled" {
		if line = c.cancellation(principal, m); line == nil {
			return empty(http.StatusAccepted), nil
		}
	}
	if err := c.send(ctx, line); err != nil {
		return nil, c.orNoSession(err)
	}
	return empty(http.StatusAccepted), nil
}

// cancellation is a client's notice that it takes a request back, with our id in
// it, or nil where the id does not tell which request.
func (c *conn) cancellation(principal string, m *mcpwire.Message) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := m.Params().Get("requestId")
	var found *exchange
	for _, x := range c.open {
		if x.principal != principal || x.request.Key() != mcpwire.Key(id) || !id.Exists() {
			continue
		}
		if found != nil {
			return nil
		}
		found = x
	}
	if found == nil || found.cancelled || found.request.Method() == "initialize" {
		return nil
	}
	found.cancelled = true
	return mcpwire.OneLine(c.spliced(m, mcpwire.Replace(id, []byte(found.id))))
}

// listen opens the session's own stream. A new one takes the place of an old
// one, whose connection may be dead without anybody knowing.
func (c *conn) listen(ctx context.Context) (*mcpwire.Reply, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone != nil {
		return nil, unknownSession()
	}
	if c.stream != nil {
		c.stream.end(io.EOF)
	}
	q := newQueue()
	c.held.give(q, func(entry) bool { return true })
	c.stream = q
	c.touch()
	return &mcpwire.Reply{
		Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Stream: true,
		Body: &listener{ctx: ctx, conn: c, queue: q},
	}, nil
}

// listener reads a session's own stream.
type listener struct {
	ctx   context.Context //nolint:containedctx // a stream ends with the call that opened it
	conn  *conn
	queue *queue
}

// Next implements [mcpwire.EventReader].
func (l *listener) Next() (mcpwire.Event, error) {
	e, err := l.queue.next(l.ctx)
	if err != nil {
		l.leave()
	}
	return mcpwire.Event{Data: e.data}, err
}

// Close implements [mcpwire.EventReader].
func (l *listener) Close() error {
	l.leave()
	return nil
}

func (l *listener) leave() {
	l.conn.mu.Lock()
	defer l.conn.mu.Unlock()
	l.queue.end(io.EOF)
	if l.conn.stream == l.queue {
		l.conn.stream = nil
		l.conn.touch()
	}
}
