// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

// exchange is one open request of a client.
type exchange struct {
	conn      *conn
	id        string // ours, an integer; also its key
	principal string
	request   *mcpwire.Message // as the client sent it
	queue     *queue
	cancelled bool // the process was told, under the conn's lock
}

var errAbandoned = errors.New("the caller stopped waiting")

// outbound is the request with our id, and our id in the place of the client's
// progress token.
func (x *exchange) outbound() ([]byte, error) {
	edits := []canon.Edit{x.request.SetID([]byte(x.id))}
	if token := x.token(); token.Exists() {
		edits = append(edits, mcpwire.Replace(token, []byte(x.id)))
	}
	line, err := canon.Splice(x.request.Bytes(), edits...)
	if err != nil {
		return nil, err
	}
	return mcpwire.OneLine(line), nil
}

func (x *exchange) token() mcpwire.Node { return x.request.Meta().Get(mcpwire.MetaProgress) }

func (x *exchange) subscription() bool { return x.request.Method() == "subscriptions/listen" }

// forget closes an exchange that the process never heard of.
func (x *exchange) forget() { x.close() }

// close takes the exchange out of use. It reports whether it was open, and
// whether the process still thinks that somebody waits.
func (x *exchange) close() (open, unaware bool) {
	x.conn.mu.Lock()
	defer x.conn.mu.Unlock()
	if x.conn.open[x.id] != x {
		return false, false
	}
	delete(x.conn.open, x.id)
	x.conn.touch()
	return true, !x.cancelled
}

// abandon closes an exchange whose answer nobody waits for, and tells the
// process. A handshake is never cancelled: its process is ended.
func (x *exchange) abandon() {
	open, unaware := x.close()
	if !open {
		return
	}
	x.queue.end(errAbandoned)
	switch {
	case x.request.Method() == "initialize":
		x.conn.end(errEnded)
	case unaware:
		go x.conn.tell([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + x.id + `}}`))
	}
}

// reply waits for the first message, which says what form the answer has: a
// stream, as the official SDKs' servers answer, unless it is an error that has a
// status of its own.
func (x *exchange) reply(ctx context.Context) (*mcpwire.Reply, error) {
	first, err := x.queue.next(ctx)
	if err != nil {
		x.abandon()
		return nil, fmt.Errorf("ask server: %w", err)
	}
	if first.response != nil {
		if status := mcpwire.HTTPStatus(x.request, first.response); status != http.StatusOK {
			return answered(status, first.data), nil
		}
	}
	return &mcpwire.Reply{
		Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Stream: true,
		Body: &answer{ctx: ctx, exchange: x, first: &first},
	}, nil
}

// answer reads the messages of an exchange.
type answer struct {
	ctx      context.Context //nolint:containedctx // a stream ends with the call that opened it
	exchange *exchange
	first    *entry
}

// Next implements [mcpwire.EventReader].
func (a *answer) Next() (mcpwire.Event, error) {
	if a.first != nil {
		ev := mcpwire.Event{Data: a.first.data}
		a.first = nil
		return ev, nil
	}
	e, err := a.exchange.queue.next(a.ctx)
	if err != nil {
		a.exchange.abandon()
	}
	return mcpwire.Event{Data: e.data}, err
}

// Close implements [mcpwire.EventReader].
func (a *answer) Close() error {
	a.exchange.abandon()
	return nil
}
