// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package caller calls the HTTP interfaces of chat platforms. It knows none of
// them.
//
// It follows no redirect, reads answers of a bounded size, and names no URL in an
// error: one may hold a credential.
package caller

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/toolverdict/toolverdict/internal/notify"
)

const (
	maxAnswer = 1 << 20
	timeout   = 15 * time.Second
)

// Client calls one platform. It is safe for concurrent use.
type Client struct {
	base string
	http *http.Client
}

// New makes a client for an address, such as https://open.feishu.cn. Plain http
// is for this machine only.
func New(base string) (*Client, error) {
	if err := CheckURL(base); err != nil {
		return nil, err
	}
	return &Client{base: strings.TrimRight(base, "/"), http: HTTP()}, nil
}

// HTTP is a client that follows no redirect: a request with a credential goes
// where it was meant to go, or nowhere.
func HTTP() *http.Client {
	return &http.Client{
		// Not the default transport: whoever closes that one's idle connections, as a test server
		// does, would break calls of this one.
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, IdleConnTimeout: time.Minute},
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// CheckURL refuses an address to which secrets would go unprotected.
func CheckURL(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.Fragment != "":
		return errors.New("an https address without user and fragment is wanted")
	case u.Scheme == "https":
		return nil
	case u.Scheme == "http" && loopback(u.Hostname()):
		return nil
	}
	return errors.New("an https address is wanted: http is for this machine only")
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Call is one request.
type Call struct {
	Method string
	Path   string // below the client's address, with its query
	Header http.Header
	Body   any // as JSON; nil where there is none
}

// JSON makes a call and reads its answer into out, which may be nil. A status
// beyond 299 is an error; 429 and 503 say how long to wait where they do.
func (c *Client) JSON(ctx context.Context, call Call, out any) error {
	var body io.Reader
	if call.Body != nil {
		b, err := json.Marshal(call.Body)
		if err != nil {
			return fmt.Errorf("write request: %v", err)
		}
		body = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, call.Method, c.base+call.Path, body)
	if err != nil {
		return errors.New("write request: the address cannot be called")
	}
	maps.Copy(req.Header, call.Header)
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	answer, err := Do(c.http, req)
	if err != nil || out == nil {
		return err
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return errors.New("read answer: it is not the JSON that is documented")
	}
	return nil
}

// Do sends a request and reads the answer.
func Do(client *http.Client, req *http.Request) ([]byte, error) {
	resp, err := client.Do(req) //nolint:gosec // where it goes is the operator's to say
	if err != nil {
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err // without the address
		}
		return nil, fmt.Errorf("call platform: %w", err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read answer: %w", err)
	case resp.StatusCode == http.StatusTooManyRequests, resp.StatusCode == http.StatusServiceUnavailable:
		return nil, &notify.LaterError{After: after(resp.Header), Err: fmt.Errorf("call platform: status %d", resp.StatusCode)}
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return nil, &StatusError{resp.StatusCode, answer}
	case len(answer) > maxAnswer:
		return nil, errors.New("read answer: it is too large")
	}
	return answer, nil
}

// StatusError is an answer that is none of success.
type StatusError struct {
	Status int
	Body   []byte // as the platform sent it: never shown
}

// Error implements error.
func (e *StatusError) Error() string { return fmt.Sprintf("call platform: status %d", e.Status) }

func after(h http.Header) time.Duration {
	seconds, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || seconds < 0 || seconds > 3600 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

// Token is an access token that is fetched when it is needed and kept for as
// long as the platform says. It is safe for concurrent use.
type Token struct {
	Fetch func(ctx context.Context) (token string, lives time.Duration, err error)
	Now   func() time.Time

	mu    sync.Mutex
	value string
	until time.Time
}

// spare is how long before its end a token is fetched anew.
const spare = 5 * time.Minute

// Get returns a token that is good for a while.
func (t *Token) Get(ctx context.Context) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.Now()
	if t.value != "" && now.Before(t.until) {
		return t.value, nil
	}
	value, lives, err := t.Fetch(ctx)
	if err != nil {
		return "", fmt.Errorf("get access token: %w", err)
	}
	if value == "" {
		return "", errors.New("get access token: the platform gave none")
	}
	t.value, t.until = value, now.Add(max(lives-spare, lives/2))
	return value, nil
}

// Drop forgets a token that the platform no longer takes.
func (t *Token) Drop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.value = ""
}
