// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate

import (
	"maps"
	"net/http"
	"time"

	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

// patience is how long a client may take to read what was written before it
// counts as gone. A slow reader must not hold a call.
const patience = 30 * time.Second

// outlet writes the answer to one HTTP request.
type outlet struct {
	w    http.ResponseWriter
	now  func() time.Time
	seal func(session string) string // the session id that the client gets, "" for none

	begun  bool
	stream bool
	buffer []byte
}

// Open implements engine.Outlet.
func (o *outlet) Open(status int, h http.Header) {
	if o.begun {
		return
	}
	o.begun, o.stream = true, true
	o.copy(h)
	out := o.w.Header()
	out.Set("Content-Type", "text/event-stream")
	out.Set("Cache-Control", "no-cache, no-transform")
	out.Set("X-Accel-Buffering", "no")
	o.w.WriteHeader(status)
	_ = o.flush()
}

// copy takes over the upstream's headers, with the session under its sealed id.
func (o *outlet) copy(h http.Header) {
	out := o.w.Header()
	maps.Copy(out, h)
	if id := out.Get(mcpwire.HeaderSession); id != "" {
		out.Del(mcpwire.HeaderSession)
		if sealed := o.seal(id); sealed != "" {
			out.Set(mcpwire.HeaderSession, sealed)
		}
	}
	out.Set("X-Content-Type-Options", "nosniff")
}

// Send implements engine.Outlet.
func (o *outlet) Send(e mcpwire.Event) error {
	o.Open(http.StatusOK, nil)
	o.buffer = mcpwire.AppendEvent(o.buffer[:0], e)
	if err := o.write(o.buffer); err != nil {
		return err
	}
	return o.flush()
}

// Answer implements engine.Outlet.
func (o *outlet) Answer(status int, h http.Header, body []byte) error {
	if o.stream {
		if len(body) == 0 {
			return nil
		}
		return o.Send(mcpwire.Event{Data: body})
	}
	if o.begun {
		return nil
	}
	o.begun = true
	o.copy(h)
	out := o.w.Header()
	if len(body) > 0 && out.Get("Content-Type") == "" {
		out.Set("Content-Type", "application/json")
	}
	out.Set("Cache-Control", "no-store")
	o.w.WriteHeader(status)
	return o.write(body)
}

func (o *outlet) write(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	_ = http.NewResponseController(o.w).SetWriteDeadline(o.now().Add(patience))
	_, err := o.w.Write(b)
	return err
}

// end lifts the deadline: the connection serves other requests after this one.
func (o *outlet) end() { _ = http.NewResponseController(o.w).SetWriteDeadline(time.Time{}) }

func (o *outlet) flush() error { return http.NewResponseController(o.w).Flush() }
