// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/execute"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// courier carries one permitted call to the upstream and its answer back. It is
// the executor of the calls of this front.
type courier struct {
	*Engine
	call

	caller  Caller
	request *mcpwire.Message
	state   *state // what the client brought along of an earlier leg, or nil
	out     Outlet
	handoff chan struct{} // closed when the client will fetch the answer elsewhere; nil where it cannot

	sent    bool             // the permit was used
	final   *mcpwire.Message // the upstream's response
	event   mcpwire.Event    // its event, or the whole body
	reply   *mcpwire.Reply   // status and headers of the answer
	refused []byte           // body of a refusal that is no response
}

var _ toolverdict.Executor = (*courier)(nil)

// Execute implements [toolverdict.Executor]: it forwards the validated bytes of
// the client's message with the permitted arguments in it, once.
func (c *courier) Execute(ctx context.Context, p toolverdict.Permit) toolverdict.Outcome {
	if !p.Valid() || c.sent || p.Tool().Name() != c.tool {
		return toolverdict.Outcome{Status: toolverdict.NotSent, Code: toolverdict.ToolError, Message: "The permit is not for this call."}
	}
	c.sent = true
	message, err := c.outbound(p)
	if err != nil {
		c.Log.Error("put permitted arguments into the message", "server", c.server, "error", err)
		return toolverdict.Outcome{Status: toolverdict.NotSent, Code: toolverdict.ToolError, Message: "The message could not be made ready."}
	}
	ctx, x, done := c.open.begin(ctx, c.caller, c.request)
	defer done()
	c.reply, err = c.backend.Exchange(ctx, mcpwire.Outbound{Caller: c.caller.wire(), Message: message})
	if err != nil {
		return c.failed(ctx, err)
	}
	defer c.reply.Body.Close()
	if c.reply.Stream {
		return c.stream(ctx, x)
	}
	return c.whole(ctx)
}

// failed tells truthfully what an exchange without an answer means. Where the
// session is gone, the client is told so in the transport's own way.
func (c *courier) failed(ctx context.Context, err error) toolverdict.Outcome {
	c.Log.Warn("upstream gave no answer", "server", c.server, "tool", plain.Line(c.tool), "error", err)
	if errors.Is(err, mcpwire.ErrNoSession) {
		c.reply = &mcpwire.Reply{Status: http.StatusNotFound, Header: http.Header{"Content-Type": {"application/json"}}}
		c.refused = noSession(c.request)
	}
	return execute.Lost(ctx, err)
}

// whole reads an answer that is one message, or a refusal of the transport.
func (c *courier) whole(ctx context.Context) toolverdict.Outcome {
	ev, err := c.reply.Body.Next()
	if err != nil && !errors.Is(err, io.EOF) {
		return c.failed(ctx, err)
	}
	m, err := mcpwire.ParseServer(ev.Data)
	if err == nil && m.Kind() == mcpwire.Response && answers(c.request, m) {
		c.final, c.event = m, ev
		return execute.Answered(m)
	}
	if c.reply.Status >= 400 && c.reply.Status < 500 {
		c.refused = append([]byte{}, ev.Data...)
		return toolverdict.Outcome{Status: toolverdict.Failed, Code: toolverdict.ToolError,
			Message: fmt.Sprintf("The upstream refused the request with status %d.", c.reply.Status)}
	}
	return c.failed(ctx, errGarbage)
}

// stream passes on what comes before the answer. It reads to the end even when
// the client stopped listening: what came of the call must be known.
func (c *courier) stream(ctx context.Context, x *exchange) toolverdict.Outcome {
	c.out.Open(c.reply.Status, c.reply.Header)
	f := &flow{Engine: c.Engine, caller: c.caller, request: c.request, reply: c.reply, out: c.out, deaf: true}
	m, ev, err := f.next(ctx)
	if err == nil {
		c.final, c.event = m, ev
		return execute.Answered(m)
	}
	if f.interrupted(err) && c.handoff != nil {
		return c.awaitLate(ctx, x)
	}
	return c.failed(ctx, err)
}

// awaitLate waits for the answer on another stream, where the server ended this
// one early so that the client fetches the answer later.
func (c *courier) awaitLate(ctx context.Context, x *exchange) toolverdict.Outcome {
	c.out = nowhere{}
	x.waiting.Store(true)
	close(c.handoff)
	select {
	case l := <-x.late:
		c.final, c.event, c.out = l.message, l.event, &lateOutlet{event: l.event, to: l.relayed}
		return execute.Answered(l.message)
	case <-ctx.Done():
		return c.failed(ctx, ctx.Err())
	}
}

// nowhere takes what nobody listens to.
type nowhere struct{}

func (nowhere) Open(int, http.Header)                 {}
func (nowhere) Send(mcpwire.Event) error              { return nil }
func (nowhere) Answer(int, http.Header, []byte) error { return nil }

// lateOutlet gives the answer to the stream that the upstream's came on, which
// waits for exactly one event.
type lateOutlet struct {
	event mcpwire.Event
	to    chan<- mcpwire.Event // has room for one
}

func (o *lateOutlet) Open(int, http.Header) {}

func (o *lateOutlet) Send(e mcpwire.Event) error {
	select {
	case o.to <- e:
		return nil
	default:
		return errors.New("answer late: it was answered already")
	}
}

func (o *lateOutlet) Answer(_ int, _ http.Header, body []byte) error {
	return o.Send(o.event.Replaced(body))
}
