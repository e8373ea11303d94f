// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package http

import (
	"fmt"
	"io"
	"mime"
	"net/http"

	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

// maxRefusal is how much is kept of a refusal that is no JSON, in bytes.
const maxRefusal = 64 << 10

// reply makes the answer of an HTTP response. It takes over the body unless it
// returns an error.
func (b *Backend) reply(resp *http.Response) (*mcpwire.Reply, error) {
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return nil, fmt.Errorf("ask upstream: it redirects (status %d): configure the final URL: %w", resp.StatusCode, mcpwire.ErrRefused)
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden, resp.StatusCode == http.StatusProxyAuthRequired:
		return nil, fmt.Errorf("ask upstream: it does not accept the gate's credentials (status %d): %w", resp.StatusCode, mcpwire.ErrRefused)
	case resp.Header.Get("Content-Encoding") != "" && resp.Header.Get("Content-Encoding") != "identity":
		return nil, fmt.Errorf("ask upstream: it sent an encoding that was not asked for")
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	reply := &mcpwire.Reply{Status: resp.StatusCode, Header: keptHeader(resp.Header)}
	switch {
	case kind == "text/event-stream":
		reply.Stream = true
		reply.Body = &stream{mcpwire.NewStreamReader(resp.Body, b.limit), resp.Body}
	case resp.StatusCode == http.StatusAccepted, resp.StatusCode == http.StatusNoContent:
		reply.Header.Del("Content-Type")
		reply.Body = &whole{in: resp.Body, limit: maxRefusal, empty: true}
	case kind == "application/json":
		reply.Body = &whole{in: resp.Body, limit: b.limit}
	case resp.StatusCode >= 400:
		// Text for people, as servers write it; never markup from elsewhere.
		reply.Header.Set("Content-Type", "text/plain; charset=utf-8")
		reply.Body = &whole{in: resp.Body, limit: maxRefusal, empty: kind != "text/plain"}
	case resp.ContentLength == 0:
		reply.Body = &whole{in: resp.Body, limit: maxRefusal, empty: true}
	default:
		return nil, fmt.Errorf("ask upstream: it answered neither with JSON nor with an event stream")
	}
	return reply, nil
}

// keptHeader returns the response headers that a client may see.
func keptHeader(from http.Header) http.Header {
	kept := http.Header{}
	for _, name := range []string{"Content-Type", "Allow", "Retry-After", mcpwire.HeaderSession} {
		if v := from.Get(name); v != "" {
			kept.Set(name, v)
		}
	}
	return kept
}

// stream reads the events of an event stream.
type stream struct {
	*mcpwire.StreamReader
	io.Closer
}

// whole reads a body that is one message or nothing.
type whole struct {
	in    io.ReadCloser
	limit int
	empty bool // what it holds is not for the client
	done  bool
}

// Next implements [mcpwire.EventReader].
func (w *whole) Next() (mcpwire.Event, error) {
	if w.done {
		return mcpwire.Event{}, io.EOF
	}
	w.done = true
	b, err := io.ReadAll(io.LimitReader(w.in, int64(w.limit)+1))
	switch {
	case err != nil:
		return mcpwire.Event{}, fmt.Errorf("read upstream: the answer broke off")
	case len(b) > w.limit:
		return mcpwire.Event{}, mcpwire.ErrTooLarge
	case len(b) == 0 || w.empty:
		return mcpwire.Event{}, io.EOF
	}
	return mcpwire.Event{Data: b}, nil
}

// Close implements [mcpwire.EventReader].
func (w *whole) Close() error { return w.in.Close() }
