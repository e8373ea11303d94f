// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

// errMore says that an answer goes on.
var errMore = errors.New("more follows")

// errGarbage says that the upstream sent what is no message of the protocol.
var errGarbage = errors.New("the upstream sent what is no message")

// flow reads one answer of the upstream and passes on what belongs to it.
type flow struct {
	*Engine

	caller  Caller
	request *mcpwire.Message // whose answer it is; nil for a stream of the session
	reply   *mcpwire.Reply
	out     Outlet
	resumed bool   // a session's stream that carries on with a broken one
	lastID  string // of the last event that had one
	retry   string // how long the server wants to be left alone before it is asked again
	gone    bool   // the client does not listen any more
	deaf    bool   // keep reading when the client is gone
}

// next passes on events until the response to the request, which it returns
// without passing it on. io.EOF says that there is none.
func (f *flow) next(ctx context.Context) (*mcpwire.Message, mcpwire.Event, error) {
	for {
		ev, err := f.reply.Body.Next()
		if errors.Is(err, io.EOF) && f.follows() {
			err = f.follow(ctx)
			if err == nil {
				continue
			}
		}
		if err != nil {
			return nil, ev, err
		}
		if ev.HasID {
			f.lastID = ev.ID
		}
		if ev.Retry != "" {
			f.retry = ev.Retry
		}
		if len(ev.Data) == 0 {
			f.send(ev)
		} else if m, err := f.message(ctx, ev); !errors.Is(err, errMore) {
			return m, ev, err
		}
		if f.gone && !f.deaf {
			return nil, ev, context.Canceled
		}
	}
}

// interrupted reports whether the server ended the stream so that the client
// comes back for the rest: it said when, or where to carry on.
func (f *flow) interrupted(err error) bool {
	return errors.Is(err, io.EOF) && (f.lastID != "" || f.retry != "")
}

// follows reports whether the engine itself fetches the rest of an answer that
// the server broke off: for a client whose transport has no streams to resume.
func (f *flow) follows() bool {
	return f.request != nil && f.caller.Conn != "" && f.lastID != "" && !f.request.Modern()
}

// maxRetry bounds how long a server may have the engine wait before it fetches
// the rest of an answer.
const maxRetry = 10 * time.Second

func (f *flow) follow(ctx context.Context) error {
	wait := time.Second
	if ms, err := strconv.Atoi(f.retry); err == nil {
		wait = min(max(time.Duration(ms)*time.Millisecond, 10*time.Millisecond), maxRetry)
	}
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return ctx.Err()
	}
	r, err := f.backend.Listen(ctx, f.caller.wire(), f.lastID)
	if err != nil {
		return err
	}
	if !r.Stream {
		r.Body.Close()
		return errGarbage
	}
	f.reply.Body.Close()
	f.reply.Body = r.Body
	return nil
}

// message looks at one message of the upstream. It returns the response that
// was waited for; everything else it passes on or drops, and returns errMore.
func (f *flow) message(ctx context.Context, ev mcpwire.Event) (*mcpwire.Message, error) {
	m, err := mcpwire.ParseServer(ev.Data)
	if err != nil {
		return nil, errGarbage
	}
	switch m.Kind() {
	case mcpwire.Notification:
		f.notified(m)
		f.send(ev)
	case mcpwire.Request:
		f.asked(ctx, m, ev)
	case mcpwire.Response:
		return f.answered(m, ev)
	}
	return nil, errMore
}

// answered takes a response. One that nobody waits for on this stream is
// dropped: passed on, it would answer another request past the gate.
func (f *flow) answered(m *mcpwire.Message, ev mcpwire.Event) (*mcpwire.Message, error) {
	switch {
	case f.request != nil && m.Key() == f.request.Key():
		return m, nil
	case f.request == nil && (f.resumed || f.open.waits(f.caller, m)):
		f.send(f.open.resume(f.caller, m, ev))
	default:
		f.Log.Warn("dropped an answer that nobody waits for", "server", f.server)
	}
	return nil, errMore
}

func (f *flow) send(ev mcpwire.Event) {
	if !f.gone && f.out.Send(ev.Replaced(f.outward(f.caller, ev.Data))) != nil {
		f.gone = true
	}
}

func (f *flow) notified(m *mcpwire.Message) {
	if m.Method() == "notifications/tools/list_changed" && f.Changed != nil {
		f.Changed(f.server)
	}
}

// relay passes on the answer to a message that was not a call.
func (e *Engine) relay(ctx context.Context, c Caller, m *mcpwire.Message, r *mcpwire.Reply, out Outlet) {
	if !r.Stream {
		e.relayWhole(ctx, c, m, r, out)
		return
	}
	out.Open(r.Status, r.Header)
	f := &flow{Engine: e, caller: c, request: m, reply: r, out: out}
	final, ev, err := f.next(ctx)
	switch {
	case err == nil:
		f.send(ev.Replaced(e.filtered(ctx, c, m, final)))
	case f.gone || m.Kind() != mcpwire.Request || errors.Is(err, context.Canceled):
	case f.interrupted(err) && c.Session != "":
		// The client fetches the rest by itself.
	default:
		e.Log.Warn("upstream stream ended without an answer", "server", e.server, "method", m.Method(), "error", err)
		f.send(mcpwire.Event{Data: fault(m, mcpwire.CodeUpstream, "The upstream ended its answer too early. Retry later.")})
	}
}

// relayWhole passes on an answer that is one message, or a refusal.
func (e *Engine) relayWhole(ctx context.Context, c Caller, m *mcpwire.Message, r *mcpwire.Reply, out Outlet) {
	ev, err := r.Body.Next()
	if errors.Is(err, io.EOF) && (r.Status >= 400 || m.Kind() != mcpwire.Request) {
		_ = out.Answer(r.Status, r.Header, nil)
		return
	}
	if err != nil {
		e.Log.Warn("upstream answer unusable", "server", e.server, "method", m.Method(), "error", err)
		_ = out.Answer(http.StatusBadGateway, nil, fault(m, mcpwire.CodeUpstream, "The upstream gave no usable answer. Retry later."))
		return
	}
	body := ev.Data
	if m.Kind() == mcpwire.Request {
		answer, err := mcpwire.ParseServer(body)
		mine := err == nil && answer.Kind() == mcpwire.Response && answers(m, answer)
		if !mine && r.Status < 400 {
			_ = out.Answer(http.StatusBadGateway, nil, fault(m, mcpwire.CodeUpstream, "The upstream gave no usable answer. Retry later."))
			return
		}
		if mine {
			body = e.filtered(ctx, c, m, answer)
		}
	}
	_ = out.Answer(r.Status, r.Header, e.outward(c, body))
}

// answers reports whether a response is the one to a request: by its id, or an
// error of a server that could not read one.
func answers(request, response *mcpwire.Message) bool {
	return response.Key() == request.Key() || response.Key() == "null" && response.Error().Exists()
}

// Listen relays the stream of a legacy session, or the rest of a stream that
// broke.
func (e *Engine) Listen(ctx context.Context, c Caller, lastEventID string, out Outlet) {
	defer func() { e.recovered(nil, out, recover()) }()
	r, err := e.backend.Listen(ctx, c.wire(), lastEventID)
	switch {
	case errors.Is(err, mcpwire.ErrNoStream):
		_ = out.Answer(http.StatusMethodNotAllowed, http.Header{"Allow": {"POST, DELETE"}}, nil)
		return
	case err != nil:
		e.unreachable(nil, out, err)
		return
	}
	defer r.Body.Close()
	if !r.Stream {
		ev, _ := r.Body.Next()
		_ = out.Answer(r.Status, r.Header, e.redact(ev.Data))
		return
	}
	out.Open(r.Status, r.Header)
	f := &flow{Engine: e, caller: c, reply: r, out: out, resumed: lastEventID != ""}
	if _, _, err := f.next(ctx); err != nil && !errors.Is(err, io.EOF) && ctx.Err() == nil {
		e.Log.Info("upstream stream broke", "server", e.server, "error", err)
	}
}

// End ends a legacy session.
func (e *Engine) End(ctx context.Context, c Caller, out Outlet) {
	defer func() { e.recovered(nil, out, recover()) }()
	r, err := e.backend.End(ctx, c.wire())
	if err != nil {
		e.unreachable(nil, out, err)
		return
	}
	defer r.Body.Close()
	ev, _ := r.Body.Next()
	_ = out.Answer(r.Status, r.Header, e.redact(ev.Data))
}
