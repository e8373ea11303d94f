// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

// modern is the process that a principal's stateless requests share.
type modern struct {
	ready chan struct{} // closed when the rest is known
	conn  *conn
	err   error
}

// era is what is known of the revisions that the server speaks.
type era struct {
	mu        sync.Mutex
	known     bool
	supported []string // revisions of the older era, where it speaks no other
}

// errLegacy says that the server speaks only the older revisions.
var errLegacy = errors.New("the server speaks only older revisions")

// askModern takes a request of the stateless revisions.
func (b *Backend) askModern(ctx context.Context, m mcpwire.Outbound) (*mcpwire.Reply, error) {
	for tries := 0; ; tries++ {
		c, err := b.modernConn(ctx, m.Principal)
		if errors.Is(err, errLegacy) {
			return b.tooNew(m.Message), nil
		}
		if err != nil {
			return nil, err
		}
		x, err := c.ask(ctx, m.Principal, m.Message)
		if errors.Is(err, mcpwire.ErrNotSent) && c.isGone() && tries < 3 && ctx.Err() == nil {
			continue // it ended since its last use
		}
		if err != nil {
			return nil, err
		}
		return x.reply(ctx)
	}
}

// tellModern takes what has no session and is no request. The stateless
// revisions know one such message; nobody waits for an answer to others.
func (b *Backend) tellModern(ctx context.Context, m mcpwire.Outbound) (*mcpwire.Reply, error) {
	if m.Message.Kind() == mcpwire.Response {
		return empty(http.StatusBadRequest), nil
	}
	b.mu.Lock()
	shared := b.shared[b.owner(m.Principal)]
	b.mu.Unlock()
	if shared == nil {
		return empty(http.StatusAccepted), nil
	}
	select {
	case <-shared.ready:
	default:
		return empty(http.StatusAccepted), nil
	}
	if c := shared.conn; c != nil && !c.isGone() {
		return c.notify(ctx, m.Principal, m.Message)
	}
	return empty(http.StatusAccepted), nil
}

// owner names whose process a principal uses.
func (b *Backend) owner(principal string) string {
	if b.Shared {
		return ""
	}
	return principal
}

// modernConn returns the process for a principal's requests, starting it where
// there is none.
func (b *Backend) modernConn(ctx context.Context, principal string) (*conn, error) {
	if b.era.onlyOld() {
		return nil, errLegacy
	}
	key := b.owner(principal)
	b.mu.Lock()
	m := b.shared[key]
	if m == nil {
		m = &modern{ready: make(chan struct{})}
		b.shared[key] = m
		go b.open(key, m) //nolint:gosec // it starts for all who wait, not only for the first
	}
	b.mu.Unlock()
	select {
	case <-m.ready:
		return m.conn, m.err
	case <-ctx.Done():
		return nil, fmt.Errorf("start server: the caller stopped waiting: %w", mcpwire.ErrNotSent)
	}
}

// open starts a process for everybody who waits for it, whoever came first.
func (b *Backend) open(key string, m *modern) {
	ctx, cancel := context.WithTimeout(context.Background(), b.Probe)
	defer cancel()
	c, err := b.openModern(ctx, key)
	b.mu.Lock()
	m.conn, m.err = c, err
	if (err != nil || c.isGone()) && b.shared[key] == m {
		delete(b.shared, key)
	}
	b.mu.Unlock()
	close(m.ready)
}

func (b *Backend) openModern(ctx context.Context, key string) (*conn, error) {
	c, err := b.launch(ctx, key, "")
	if err != nil {
		return nil, err
	}
	if b.era.onlyOld() {
		c.end(errEnded)
		return nil, errLegacy
	}
	if b.era.isKnown() {
		return c, nil
	}
	speaks, err := c.discover(ctx)
	if speaks {
		b.era.learn(nil)
		return c, nil
	}
	sure, died := err == nil, err
	supported, err := b.handshake(ctx, c)
	if err != nil {
		if died != nil && errors.Is(err, mcpwire.ErrNotSent) {
			err = died // of what, says more than that nothing more could be asked
		}
		why := strings.TrimSuffix(strings.TrimPrefix(err.Error(), "ask server: "), ": "+mcpwire.ErrNotSent.Error())
		return nil, fmt.Errorf("start server: it answers in no revision: %s: %w", why, mcpwire.ErrNotSent)
	}
	b.era.learn(supported)
	if !sure {
		time.AfterFunc(doubt, b.era.forget)
	}
	return nil, errLegacy
}

// doubt is how long a server that gave no clear answer counts as one of the
// older era.
const doubt = time.Minute

func discoverParams() string {
	return `{"_meta":{"` + mcpwire.MetaVersion + `":"` + mcpwire.FirstModern + `","` + mcpwire.MetaClientInfo + `":` + clientInfo +
		`,"` + mcpwire.MetaCapabilities + `":{}}}`
}

const clientInfo = `{"name":"toolverdict","version":"1"}`

// discover asks a process for its revisions, in the gate's own name. No answer
// at all is an error.
func (c *conn) discover(ctx context.Context) (speaks bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.Probe/2)
	defer cancel()
	m, err := c.own(ctx, "server/discover", discoverParams())
	if err != nil {
		return false, err
	}
	versions := m.Result().Get("supportedVersions")
	if m.ErrorCode() == mcpwire.CodeVersion {
		versions = m.Error().Lookup("data", "supported")
	}
	for _, v := range versions.Items() {
		if v.Text() >= mcpwire.FirstModern {
			return true, nil
		}
	}
	return m.Result().Exists() && !versions.Exists(), nil
}

// handshake finds out which of the older revisions the server speaks: on the
// process that was asked already, or on another where that one did not survive
// the question. Neither is used for anything else.
func (b *Backend) handshake(ctx context.Context, c *conn) ([]string, error) {
	hello := `{"protocolVersion":"` + mcpwire.LastLegacy + `","capabilities":{},"clientInfo":` + clientInfo + `}`
	m, err := c.own(ctx, "initialize", hello)
	c.end(errEnded)
	if err != nil && ctx.Err() == nil {
		if c, err = b.launch(ctx, c.principal, ""); err != nil {
			return nil, err
		}
		m, err = c.own(ctx, "initialize", hello)
		c.end(errEnded)
	}
	if err != nil {
		return nil, err
	}
	newest := m.Result().Get("protocolVersion").Text()
	if newest == "" {
		return nil, fmt.Errorf("it refused the handshake with error %d", m.ErrorCode())
	}
	supported := []string{newest}
	for _, v := range mcpwire.Revisions() {
		if v < newest {
			supported = append(supported, v)
		}
	}
	return supported, nil
}

// own sends a request of the gate's own and returns the response.
func (c *conn) own(ctx context.Context, method, params string) (*mcpwire.Message, error) {
	m, err := mcpwire.ParseServer([]byte(`{"jsonrpc":"2.0","id":0,"method":"` + method + `","params":` + params + `}`))
	if err != nil {
		return nil, err
	}
	x, err := c.ask(ctx, theGate, m)
	if err != nil {
		return nil, err
	}
	defer x.abandon()
	for {
		e, err := x.queue.next(ctx)
		if err != nil {
			return nil, err
		}
		if e.response != nil {
			return e.response, nil
		}
	}
}

// tooNew answers a request of a revision that the server does not speak.
func (b *Backend) tooNew(m *mcpwire.Message) *mcpwire.Reply {
	b.era.mu.Lock()
	supported, err := json.Marshal(b.era.supported)
	b.era.mu.Unlock()
	if err != nil {
		supported = []byte("[]")
	}
	data := append(append([]byte(`{"supported":`), supported...), `,"requested":`...)
	data = append(canon.AppendString(data, m.Version()), '}')
	return answered(http.StatusBadRequest, mcpwire.ErrorResponse(m.ID(), mcpwire.CodeVersion, "unsupported protocol version", data))
}

func (e *era) isKnown() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.known
}

func (e *era) onlyOld() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.known && e.supported != nil
}

func (e *era) learn(supported []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.known, e.supported = true, supported
}

func (e *era) forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.known = false
}
