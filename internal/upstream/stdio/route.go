// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"io"
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

// Bounds of what a process may leave open or have kept.
const (
	maxAsked  = 1024
	maxTokens = 1024
)

// take passes on one message of the process.
func (c *conn) take(m *mcpwire.Message) {
	c.hear()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone != nil {
		return
	}
	switch m.Kind() {
	case mcpwire.Response:
		c.answered(m)
	case mcpwire.Notification:
		c.notified(m)
	case mcpwire.Request:
		c.requested(m)
	}
}

// answered gives a response to the client that asked, under the client's own id.
func (c *conn) answered(m *mcpwire.Message) {
	x := c.open[m.Key()]
	if x == nil && m.ID().Kind() == canon.KindNull && len(c.open) == 1 && !c.use.owed {
		// An error of a server that could not read the only request there was. Once
		// an answer is owed to somebody who left, it may be that one: a call must
		// not read as failed, and be made again, for another's error.
		x = c.only()
	}
	if x == nil {
		c.Log.Debug("dropped an answer that nobody waits for")
		return
	}
	delete(c.open, x.id)
	c.keepToken(x, m)
	edits := []canon.Edit{m.SetID(x.request.ID().Bytes())}
	if sub := m.Meta().Get(mcpwire.MetaSubscription); x.subscription() && mcpwire.Key(sub) == x.id {
		edits = append(edits, mcpwire.Replace(sub, x.request.ID().Bytes()))
	}
	if data := c.spliced(m, edits...); data != nil {
		x.queue.push(entry{data: data, response: m})
	}
	x.queue.end(io.EOF)
	c.touch()
	if x.request.Method() == "initialize" && m.Error().Exists() && c.session != "" {
		go c.end(errEnded) // no session came of it
	}
}

func (c *conn) only() *exchange {
	for _, x := range c.open {
		return x
	}
	return nil
}

// keepToken keeps the progress token of a task: its progress goes on after the
// answer that only says that it began.
func (c *conn) keepToken(x *exchange, m *mcpwire.Message) {
	token := x.token()
	if c.session == "" || !token.Exists() || !m.Result().Get("task").Exists() || len(c.tokens) >= maxTokens {
		return
	}
	c.tokens[x.id] = token.Bytes()
}

func (c *conn) spliced(m *mcpwire.Message, edits ...canon.Edit) []byte {
	data, err := canon.Splice(m.Bytes(), edits...)
	if err != nil {
		c.Log.Error("put the client's own ids into a message", "error", err)
		return nil
	}
	return data
}

// notified gives a notification to the stream it belongs to.
func (c *conn) notified(m *mcpwire.Message) {
	switch m.Method() {
	case "notifications/progress":
		c.progressed(m)
		return
	case "notifications/cancelled":
		c.withdrawn(m)
		return
	}
	switch {
	case c.session == "":
	case ofSession(m.Method()):
		c.toSession(entry{data: m.Bytes()})
		return
	default:
		c.place(entry{data: m.Bytes()})
		return
	}
	if sub := m.Meta().Get(mcpwire.MetaSubscription); sub.Exists() {
		if x := c.open[mcpwire.Key(sub)]; x != nil && x.subscription() {
			c.pass(x, c.spliced(m, mcpwire.Replace(sub, x.request.ID().Bytes())))
		}
		return
	}
	if x := c.listener(m); x != nil {
		c.pass(x, m.Bytes())
		return
	}
	c.Log.Debug("dropped a notification that belongs to no request")
}

func (c *conn) pass(x *exchange, data []byte) {
	if data != nil && !x.queue.push(entry{data: data}) {
		c.Log.Debug("dropped a notification: its reader is too slow")
	}
}

// listener finds the request that a log message of a stateless server can only
// belong to: the messages say nothing about it. Where there are several, or it
// did not ask for a log, there is none: one caller's log may hold another's
// secrets.
func (c *conn) listener(m *mcpwire.Message) *exchange {
	if m.Method() != "notifications/message" {
		return nil
	}
	var found *exchange
	for _, x := range c.open {
		if x.subscription() {
			continue
		}
		if found != nil {
			return nil
		}
		found = x
	}
	if found == nil || !found.request.Meta().Get(mcpwire.MetaLogLevel).Exists() {
		return nil
	}
	return found
}

// progressed gives progress to the request whose token it has.
func (c *conn) progressed(m *mcpwire.Message) {
	token := m.Params().Get(mcpwire.MetaProgress)
	key := mcpwire.Key(token)
	if x := c.open[key]; x != nil && x.token().Exists() {
		c.pass(x, c.spliced(m, mcpwire.Replace(token, x.token().Bytes())))
		return
	}
	if kept := c.tokens[key]; kept != nil {
		if data := c.spliced(m, mcpwire.Replace(token, kept)); data != nil {
			c.place(entry{data: data})
		}
	}
}

// withdrawn follows a request that the server takes back.
func (c *conn) withdrawn(m *mcpwire.Message) {
	key := mcpwire.Key(m.Params().Get("requestId"))
	to, waits := c.asked[key]
	if !waits {
		return
	}
	delete(c.asked, key)
	if to == nil || !to.push(entry{data: m.Bytes()}) {
		c.place(entry{data: m.Bytes()})
	}
}

// requested gives a request of an older server to its client.
func (c *conn) requested(m *mcpwire.Message) {
	switch {
	case c.session == "":
		c.refuse(m, mcpwire.CodeInvalidRequest, "this revision has no requests from servers")
		return
	case len(c.asked) >= maxAsked:
		c.refuse(m, mcpwire.CodeInternal, "too many requests of the server wait for an answer")
		return
	}
	if m.Method() == "ping" && c.stream == nil && len(c.open) == 0 {
		// Nobody listens, and the process is alive and well.
		go c.tell(mcpwire.ResultResponse(m.ID(), []byte("{}")))
		return
	}
	to, ok := c.place(entry{data: m.Bytes(), request: true})
	if !ok {
		c.refuse(m, mcpwire.CodeInternal, "the client does not listen at this moment")
		return
	}
	c.asked[m.Key()] = to
}

func (c *conn) refuse(m *mcpwire.Message, code int, why string) {
	c.Log.Debug("refused a request of the server's", "why", why)
	go c.tell(mcpwire.ErrorResponse(m.ID(), code, why, nil))
}

// ofSession reports whether a notification of an older server belongs to no
// request.
func ofSession(method string) bool {
	switch method {
	case "notifications/resources/updated", "notifications/elicitation/complete", "notifications/tasks/status":
		return true
	}
	return strings.HasSuffix(method, "/list_changed")
}

// toSession gives a message to the session's own stream, and holds it while
// nobody reads that.
func (c *conn) toSession(e entry) {
	if c.stream != nil {
		c.stream.push(e)
		return
	}
	c.held.add(e)
}

// place finds a stream for a message of an older server, which does not say
// what it belongs to: the only open request's, else the session's own, else the
// newest request's. Without one it is held until somebody listens. It returns
// where the message went, and whether it went or is held.
func (c *conn) place(e entry) (*queue, bool) {
	to := c.stream
	if to == nil || len(c.open) == 1 {
		var newest int64
		for _, x := range c.open {
			if x.number > newest {
				newest, to = x.number, x.queue
			}
		}
	}
	if to != nil {
		return to, to.push(e)
	}
	return nil, c.held.add(e)
}
