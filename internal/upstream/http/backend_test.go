// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package http_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/internal/mcpwire"
	upstream "github.com/toolverdict/toolverdict/internal/upstream/http"
)

func message(t *testing.T, text string) mcpwire.Outbound {
	t.Helper()
	m, err := mcpwire.ParseServer([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return mcpwire.Outbound{Caller: mcpwire.Caller{Principal: "p", Header: http.Header{}}, Message: m}
}

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

func backend(t *testing.T, h http.HandlerFunc, header http.Header) *upstream.Backend {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	b, err := upstream.New(upstream.Config{URL: server.URL + "/mcp", Header: header})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// TestHeaders holds what a request carries: the protocol's headers, the session,
// the gate's own credentials, and nothing else of a client's.
func TestHeaders(t *testing.T) {
	t.Parallel()
	seen := make(chan *http.Request, 1)
	b := backend(t, func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Clone(context.Background())
		w.WriteHeader(http.StatusAccepted)
	}, http.Header{"Authorization": {"Bearer gate"}, "X-Team": {"a"}})
	m := message(t, ping)
	m.Session = "s"
	m.Header = http.Header{
		"Authorization": {"Bearer client"}, "Cookie": {"c"}, "Accept-Encoding": {"gzip"}, "Mcp-Session-Id": {"other"}, "Last-Event-Id": {"9"},
		mcpwire.HeaderVersion: {"2025-11-25"}, "Mcp-Param-Region": {"eu"}, "Idempotency-Key": {"k"},
	}
	if _, err := b.Exchange(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	want := http.Header{
		"Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer gate"}, "Content-Length": {"40"}, "Content-Type": {"application/json"},
		"Mcp-Param-Region": {"eu"}, "Mcp-Protocol-Version": {"2025-11-25"}, "Mcp-Session-Id": {"s"}, "User-Agent": {"toolverdict"}, "X-Team": {"a"},
	}
	if diff := cmp.Diff(want, (<-seen).Header); diff != "" {
		t.Error(diff)
	}
	if _, err := b.Listen(t.Context(), m.Caller, "e_1"); err != nil {
		t.Fatal(err)
	}
	if r := <-seen; r.Method != http.MethodGet || r.Header.Get("Last-Event-Id") != "e_1" || r.Header.Get("Accept") != "text/event-stream" {
		t.Errorf("listen: %s %v", r.Method, r.Header)
	}
	if _, err := b.End(t.Context(), m.Caller); err != nil {
		t.Fatal(err)
	}
	if r := <-seen; r.Method != http.MethodDelete || r.Header.Get("Mcp-Session-Id") != "s" {
		t.Errorf("end: %s %v", r.Method, r.Header)
	}
}

// TestReplyHeaders holds which of the upstream's headers a client may see.
func TestReplyHeaders(t *testing.T) {
	t.Parallel()
	b := backend(t, func(w http.ResponseWriter, _ *http.Request) {
		for k, v := range map[string]string{
			"Set-Cookie": "a=b", "WWW-Authenticate": "Bearer", "Location": "/x", "Server": "s", "Mcp-Session-Id": "id", "Retry-After": "3",
			"Content-Type": "application/json", "Access-Control-Allow-Origin": "*", "Strict-Transport-Security": "x",
		} {
			w.Header().Set(k, v)
		}
		_, _ = io.WriteString(w, "{}")
	}, nil)
	r, err := b.Exchange(t.Context(), message(t, ping))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	want := http.Header{"Content-Type": {"application/json"}, "Mcp-Session-Id": {"id"}, "Retry-After": {"3"}}
	if diff := cmp.Diff(want, r.Header); diff != "" {
		t.Error(diff)
	}
}

// TestSentOnce holds that a request is written at most once, also when the
// server breaks a connection that was kept alive.
func TestSentOnce(t *testing.T) {
	t.Parallel()
	requests := make(chan struct{}, 16)
	b := backend(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		requests <- struct{}{}
		if len(requests) > 1 {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, ping)
	}, nil)
	r, err := b.Exchange(t.Context(), message(t, ping))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Body.Next(); err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if _, err := b.Exchange(t.Context(), message(t, ping)); err == nil || errors.Is(err, mcpwire.ErrNotSent) {
		t.Errorf("got %v", err)
	}
	if n := len(requests); n != 2 {
		t.Errorf("two exchanges made %d requests", n)
	}
}

// TestErrors holds which faults are certain to have sent nothing, and that no
// error shows the address.
func TestErrors(t *testing.T) {
	t.Parallel()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	dead, err := upstream.New(upstream.Config{URL: "http://" + closed.Addr().String() + "/secret-path"})
	if err != nil {
		t.Fatal(err)
	}
	silent := backend(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}, nil)
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	t.Cleanup(cancel)
	over, stop := context.WithCancel(t.Context())
	stop()
	for name, c := range map[string]struct {
		b    *upstream.Backend
		ctx  context.Context
		want error
	}{
		"dead":             {dead, t.Context(), mcpwire.ErrNotSent},
		"cancelled before": {silent, over, mcpwire.ErrNotSent},
		"hanging":          {silent, short, nil},
	} {
		_, err := c.b.Exchange(c.ctx, message(t, ping))
		if err == nil || c.want != nil && !errors.Is(err, c.want) || c.want == nil && errors.Is(err, mcpwire.ErrNotSent) {
			t.Errorf("%s: got %v", name, err)
		}
		if err != nil && (strings.Contains(err.Error(), "127.0.0.1") || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%s: the error shows the address: %v", name, err)
		}
	}
}

// TestStreamEndsWithItsContext holds that a stream does not outlive the request
// it belongs to.
func TestStreamEndsWithItsContext(t *testing.T) {
	t.Parallel()
	left := make(chan struct{})
	b := backend(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "id: 1\ndata: {}\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(left)
	}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	r, err := b.Exchange(ctx, message(t, ping))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if e, err := r.Body.Next(); err != nil || e.ID != "1" || !r.Stream {
		t.Fatalf("got %v, %v", e, err)
	}
	cancel()
	if _, err := r.Body.Next(); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("got %v", err)
	}
	<-left
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]upstream.Config{
		"no scheme":        {URL: "example.com/mcp"},
		"file":             {URL: "file:///etc/passwd"},
		"user information": {URL: "https://user:secret@example.com/"},
		"fragment":         {URL: "https://example.com/#x"},
		"no host":          {URL: "http:///x"},
		"not a URL":        {URL: "http://[::1"},
		"reserved header":  {URL: "https://example.com/", Header: http.Header{"Mcp-Name": {"x"}}},
		"encoding":         {URL: "https://example.com/", Header: http.Header{"accept-encoding": {"gzip"}}},
		"retries":          {URL: "https://example.com/", Header: http.Header{"Idempotency-Key": {"x"}}},
	} {
		if _, err := upstream.New(c); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
