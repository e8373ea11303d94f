// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package http

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

// Config says how to reach an upstream.
type Config struct {
	URL    string      // http or https, without user information
	Header http.Header // sent with every request: the gate's own credentials
	// DialTimeout bounds connecting, with TLS; 0 means 10 s.
	DialTimeout time.Duration
	// MaxMessage is the largest message taken from the upstream, in bytes; 0
	// means mcpwire.MaxMessage.
	MaxMessage int
	// MaxConns bounds the connections to the upstream, event streams included;
	// 0 means 512.
	MaxConns int
}

// Backend is an upstream behind a URL. It keeps connections alive between
// calls. It implements [mcpwire.Backend].
type Backend struct {
	url       string
	header    http.Header
	limit     int
	transport *http.Transport
}

var _ mcpwire.Backend = (*Backend)(nil)

// New checks the configuration; it does not connect.
func New(c Config) (*Backend, error) {
	if err := checkURL(c.URL); err != nil {
		return nil, fmt.Errorf("configure upstream URL: %w", err)
	}
	for name := range c.Header {
		if reserved(http.CanonicalHeaderKey(name)) {
			return nil, fmt.Errorf("configure upstream headers: %s is the transport's own: remove it", http.CanonicalHeaderKey(name))
		}
	}
	if c.DialTimeout <= 0 {
		c.DialTimeout = 10 * time.Second
	}
	if c.MaxMessage <= 0 {
		c.MaxMessage = mcpwire.MaxMessage
	}
	if c.MaxConns <= 0 {
		c.MaxConns = 512
	}
	return &Backend{
		url: c.URL, header: c.Header.Clone(), limit: c.MaxMessage,
		transport: &http.Transport{
			DialContext:            (&net.Dialer{Timeout: c.DialTimeout, KeepAlive: 30 * time.Second}).DialContext,
			TLSHandshakeTimeout:    c.DialTimeout,
			ForceAttemptHTTP2:      true,
			DisableCompression:     true,
			MaxIdleConns:           64,
			MaxIdleConnsPerHost:    64,
			MaxConnsPerHost:        c.MaxConns,
			IdleConnTimeout:        30 * time.Second,
			MaxResponseHeaderBytes: 64 << 10,
		},
	}, nil
}

func checkURL(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return errors.New("it is not a URL")
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return errors.New("use http:// or https:// and a host")
	case u.User != nil:
		return errors.New("it holds user information: put credentials into headers, by reference")
	case u.Fragment != "":
		return errors.New("it has a fragment, which is never sent: remove it")
	}
	return nil
}

// reserved reports whether a configured header would change how messages are
// carried, or make net/http send a request twice.
func reserved(name string) bool {
	switch name {
	case "Host", "Connection", "Content-Length", "Content-Type", "Transfer-Encoding", "Upgrade", "Te", "Trailer",
		"Accept", "Accept-Encoding", "Idempotency-Key", "X-Idempotency-Key",
		mcpwire.HeaderSession, mcpwire.HeaderLastEventID:
		return true
	}
	return mcpwire.ForwardedHeader(name)
}

// Exchange implements [mcpwire.Backend].
func (b *Backend) Exchange(ctx context.Context, m mcpwire.Outbound) (*mcpwire.Reply, error) {
	req, err := b.request(ctx, http.MethodPost, m.Caller, m.Message.Bytes())
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	return b.send(req)
}

// Listen implements [mcpwire.Backend].
func (b *Backend) Listen(ctx context.Context, c mcpwire.Caller, lastEventID string) (*mcpwire.Reply, error) {
	req, err := b.request(ctx, http.MethodGet, c, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/event-stream")
	if lastEventID != "" {
		req.Header.Set(mcpwire.HeaderLastEventID, lastEventID)
	}
	return b.send(req)
}

// End implements [mcpwire.Backend].
func (b *Backend) End(ctx context.Context, c mcpwire.Caller) (*mcpwire.Reply, error) {
	req, err := b.request(ctx, http.MethodDelete, c, nil)
	if err != nil {
		return nil, err
	}
	return b.send(req)
}

// Close implements [mcpwire.Backend]. Streams end with the contexts they were
// opened with.
func (b *Backend) Close() error {
	b.transport.CloseIdleConnections()
	return nil
}

func (b *Backend) request(ctx context.Context, method string, c mcpwire.Caller, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, b.url, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make request to upstream: %w", mcpwire.ErrNotSent)
	}
	for name, values := range c.Header {
		if mcpwire.ForwardedHeader(name) {
			req.Header[name] = values
		}
	}
	maps.Copy(req.Header, b.header)
	req.Header.Set("User-Agent", "toolverdict")
	if c.Session != "" {
		req.Header.Set(mcpwire.HeaderSession, c.Session)
	}
	return req, nil
}

// send does one round trip. RoundTrip, not a Client: no redirects, no cookies.
func (b *Backend) send(req *http.Request) (*mcpwire.Reply, error) {
	var connected atomic.Bool
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }}
	resp, err := b.transport.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	if err != nil {
		if !connected.Load() {
			return nil, fmt.Errorf("connect to upstream: %s: %w", kindOf(err), mcpwire.ErrNotSent)
		}
		return nil, fmt.Errorf("ask upstream: %s", kindOf(err))
	}
	reply, err := b.reply(resp)
	if err != nil {
		resp.Body.Close()
		return nil, err
	}
	return reply, nil
}

// kindOf tells what went wrong without the address, which may hold a secret
// path or query.
func kindOf(err error) string {
	var timeout net.Error
	var op *net.OpError
	switch {
	case errors.Is(err, context.Canceled):
		return "the caller went away"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return "it did not answer in time"
	case errors.As(err, &op) && op.Op == "dial":
		return "it cannot be reached"
	case strings.Contains(err.Error(), "tls:"), strings.Contains(err.Error(), "x509:"):
		return "its TLS certificate or handshake is not acceptable"
	}
	return "the connection broke"
}
