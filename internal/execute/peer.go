// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

// Peer is the gate's own client of one server. It connects when it is first
// used and again when the server forgot it. It is safe for concurrent use.
type Peer struct {
	backend mcpwire.Backend
	version string // of this program, told to the server
	ids     atomic.Int64

	mu   sync.Mutex
	link *link // nil until connected
}

// link is what was agreed with the server.
type link struct {
	modern   bool
	revision string
	session  string
}

// NewPeer makes a client over a backend. It does not connect yet.
func NewPeer(backend mcpwire.Backend, version string) *Peer {
	return &Peer{backend: backend, version: version}
}

// connect agrees on an era: the stateless one first, else a session.
func (p *Peer) connect(ctx context.Context) (*link, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.link != nil {
		return p.link, nil
	}
	l := &link{modern: true, revision: mcpwire.FirstModern}
	answer, err := p.ask(ctx, l, "server/discover", []byte("{}"), nil)
	if errors.Is(err, mcpwire.ErrNotSent) || ctx.Err() != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	if err != nil || !speaks(answer.message, l.revision) {
		if l, err = p.handshake(ctx); err != nil {
			return nil, fmt.Errorf("connect: %w", err)
		}
	}
	p.link = l
	return l, nil
}

// speaks reports whether a server says that it serves a revision. One of the
// older era may know the question and name others.
func speaks(answer *mcpwire.Message, revision string) bool {
	for _, v := range answer.Result().Get("supportedVersions").Items() {
		if v.Text() == revision {
			return true
		}
	}
	return false
}

// handshake opens a session of the older era. The gate declares no capability:
// it cannot answer for a person or a model.
func (p *Peer) handshake(ctx context.Context) (*link, error) {
	hello := []byte(`{"protocolVersion":"` + mcpwire.LastLegacy + `","capabilities":{},"clientInfo":` + p.info() + `}`)
	answer, err := p.ask(ctx, &link{}, "initialize", hello, nil)
	if err != nil {
		return nil, err
	}
	if answer.message.Error().Exists() {
		return nil, fmt.Errorf("the server refused the handshake with error %d", answer.message.ErrorCode())
	}
	l := &link{revision: answer.message.Result().Get("protocolVersion").Text(), session: answer.session}
	if !mcpwire.KnownLegacy(l.revision) {
		return nil, errors.New("the server answers with a protocol version that the gate does not know")
	}
	done, err := mcpwire.ParseServer([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	if err != nil {
		return nil, err
	}
	reply, err := p.backend.Exchange(ctx, mcpwire.Outbound{Caller: l.caller(done, nil), Message: done})
	if err != nil {
		return nil, err
	}
	return l, reply.Body.Close()
}

func (p *Peer) info() string {
	b := canon.AppendString([]byte(`{"name":"toolverdict","version":`), p.version)
	return string(append(b, '}'))
}

// forget drops what was agreed, if it is still the same.
func (p *Peer) forget(l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.link == l {
		p.link = nil
	}
}

func (l *link) caller(m *mcpwire.Message, params []mcpwire.ParamHeader) mcpwire.Caller {
	h := http.Header{}
	switch {
	case l.modern:
		mcpwire.SetHeaders(h, m, params)
	case l.revision != "":
		h.Set(mcpwire.HeaderVersion, l.revision)
	}
	return mcpwire.Caller{Principal: mcpwire.GatePrincipal, Session: l.session, Header: h}
}

// answer is a response with the session it may have opened.
type answer struct {
	message *mcpwire.Message
	session string
}

// refused reports whether a status says that the request was not taken. One of
// 500 and above does not: a proxy whose server was too slow answers so, and the
// tool may have run.
func refused(r *mcpwire.Reply) bool {
	return r.Status >= http.StatusBadRequest && r.Status < http.StatusInternalServerError
}

// ask sends one request and reads to its response.
func (p *Peer) ask(ctx context.Context, l *link, method string, params []byte, mirrored []mcpwire.ParamHeader) (answer, error) {
	m, err := p.request(l, method, params)
	if err != nil {
		return answer{}, err
	}
	reply, err := p.backend.Exchange(ctx, mcpwire.Outbound{Caller: l.caller(m, mirrored), Message: m})
	if err != nil {
		return answer{}, err
	}
	defer reply.Body.Close()
	for {
		ev, err := reply.Body.Next()
		if errors.Is(err, io.EOF) && refused(reply) {
			return answer{}, fmt.Errorf("%w with status %d", mcpwire.ErrRefused, reply.Status)
		}
		if err != nil {
			return answer{}, fmt.Errorf("read answer: %w", err)
		}
		if len(ev.Data) == 0 {
			continue
		}
		got, err := mcpwire.ParseServer(ev.Data)
		if err != nil && refused(reply) {
			return answer{}, fmt.Errorf("%w with status %d", mcpwire.ErrRefused, reply.Status)
		}
		if err != nil {
			return answer{}, fmt.Errorf("read answer: %w", err)
		}
		switch {
		case got.Kind() == mcpwire.Response && (got.Key() == m.Key() || got.ID().Kind() == canon.KindNull):
			return answer{got, reply.Header.Get(mcpwire.HeaderSession)}, nil
		case got.Kind() == mcpwire.Request:
			if err := p.decline(ctx, l, got); err != nil {
				return answer{}, err
			}
		}
	}
}

// request builds a message of the link's era.
func (p *Peer) request(l *link, method string, params []byte) (*mcpwire.Message, error) {
	b := append([]byte(`{"jsonrpc":"2.0","id":`), strconv.FormatInt(p.ids.Add(1), 10)...)
	b = canon.AppendString(append(b, `,"method":`...), method)
	b = append(append(append(b, `,"params":`...), params...), '}')
	m, err := mcpwire.ParseServer(b)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	if !l.modern {
		return m, nil
	}
	for _, member := range [][2]string{
		{mcpwire.MetaVersion, `"` + l.revision + `"`}, {mcpwire.MetaClientInfo, p.info()}, {mcpwire.MetaCapabilities, "{}"},
	} {
		if m, err = m.WithMeta(member[0], []byte(member[1])); err != nil {
			return nil, fmt.Errorf("make request: %w", err)
		}
	}
	return m, nil
}

// decline answers what a server of the older era asks of the gate itself.
func (p *Peer) decline(ctx context.Context, l *link, asked *mcpwire.Message) error {
	body := mcpwire.ErrorResponse(asked.ID(), mcpwire.CodeMethodNotFound, "the gate does not answer this itself", nil)
	if asked.Method() == "ping" {
		body = mcpwire.ResultResponse(asked.ID(), []byte("{}"))
	}
	m, err := mcpwire.ParseServer(body)
	if err != nil {
		return fmt.Errorf("answer the server: %w", err)
	}
	reply, err := p.backend.Exchange(ctx, mcpwire.Outbound{Caller: l.caller(m, nil), Message: m})
	if err != nil {
		return fmt.Errorf("answer the server: %w", err)
	}
	return reply.Body.Close()
}

// again asks, and asks once more where the server forgot the session: then
// nothing of the first request was taken.
func (p *Peer) again(ctx context.Context, method string, params []byte, mirrored []mcpwire.ParamHeader) (answer, error) {
	for tried := 0; ; tried++ {
		l, err := p.connect(ctx)
		if err != nil {
			return answer{}, fmt.Errorf("%w: %w", err, mcpwire.ErrNotSent)
		}
		got, err := p.ask(ctx, l, method, params, mirrored)
		if errors.Is(err, mcpwire.ErrNoSession) {
			p.forget(l)
			if tried == 0 {
				continue
			}
		}
		return got, err
	}
}

// Close ends the session, if there is one.
func (p *Peer) Close(ctx context.Context) error {
	p.mu.Lock()
	l := p.link
	p.link = nil
	p.mu.Unlock()
	if l == nil || l.session == "" {
		return nil
	}
	reply, err := p.backend.End(ctx, mcpwire.Caller{Principal: mcpwire.GatePrincipal, Session: l.session})
	if err != nil {
		return fmt.Errorf("end session: %w", err)
	}
	return reply.Body.Close()
}
