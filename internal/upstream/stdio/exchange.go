// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

// theGate is the principal of requests that the gate itself makes up.
const theGate = "\x00gate"

// exchange is one open request of a client.
type exchange struct {
	conn      *conn
	number    int64  // counts them
	id        string // the number as JSON, our id towards the process; also its key
	principal string
	request   *mcpwire.Message // as the client sent it
	queue     *queue
	signs     uint64 // of life that the process had given before
	cancelled bool   // the process was told
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

// close takes the exchange out of use. It reports whether it was open, whether
// the process still thinks that somebody waits, and whether it gave no sign of
// life since it was asked.
func (x *exchange) close() (open, unaware, silent bool) {
	x.conn.mu.Lock()
	defer x.conn.mu.Unlock()
	if x.conn.open[x.id] != x {
		return false, false, false
	}
	delete(x.conn.open, x.id)
	x.conn.use.owed = true
	x.conn.touch()
	return true, !x.cancelled, x.signs == x.conn.signs
}

// abandon closes an exchange whose answer nobody waits for, and tells the
// process. A handshake is never cancelled: its process is ended.
func (x *exchange) abandon() {
	open, unaware, silent := x.close()
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
	if silent && x.principal != theGate {
		go x.conn.suspect()
	}
}

// obituary says why the process does not take its input, where that becomes
// known in a moment: most often it has just ended.
func (x *exchange) obituary(ctx context.Context, err error) error {
	ctx, cancel := context.WithTimeout(ctx, obituaryTime)
	defer cancel()
	_, why := x.queue.next(ctx)
	if why == nil || ctx.Err() != nil {
		return err
	}
	return fmt.Errorf("ask server: %w: %w", why, mcpwire.ErrNotSent)
}

const obituaryTime = 3 * time.Second

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
