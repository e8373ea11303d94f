// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

// Bounds of what a server may announce.
const (
	maxPages = 200
	maxTools = 10_000
	maxBytes = 32 << 20
)

// Listing is what a server announces.
type Listing struct {
	Tools    []json.RawMessage // definitions, as the server wrote them
	Revision string            // of the protocol that it was asked in
	Modern   bool              // that revision has no sessions
}

// ListTools asks a server for all of its tools. It declares every capability, so
// that a server which hides tools from lesser clients announces them all. It
// prefers the newest revision and falls back to the handshake of the older
// ones. An error means that nothing is known; it never returns a part of a list.
func ListTools(ctx context.Context, b mcpwire.Backend) (Listing, error) {
	a := &asker{backend: b, caller: mcpwire.Caller{Principal: mcpwire.GatePrincipal, Header: http.Header{}}}
	l, err := a.modern(ctx)
	if again, ok := errors.AsType[*answeredError](err); ok && again.supports(mcpwire.FirstModern) {
		l, err = a.modern(ctx) // it refused the revision that it says it speaks: once may be an accident
	}
	if err == nil || errors.Is(err, mcpwire.ErrNotSent) || errors.Is(err, mcpwire.ErrRefused) || ctx.Err() != nil {
		return l, err
	}
	modernErr := err
	if l, err = a.legacy(ctx); err != nil {
		return Listing{}, fmt.Errorf("list tools: %w (and in revision %s: %v)", err, mcpwire.FirstModern, modernErr)
	}
	return l, nil
}

// asker is the gate as a client.
type asker struct {
	backend mcpwire.Backend
	caller  mcpwire.Caller
	lastID  int
}

const capabilities = `{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{"listChanged":true}}`

const clientInfo = `{"name":"toolverdict","version":"1"}`

func (a *asker) modern(ctx context.Context) (Listing, error) {
	meta := `"_meta":{"` + mcpwire.MetaVersion + `":"` + mcpwire.FirstModern + `","` + mcpwire.MetaClientInfo + `":` + clientInfo +
		`,"` + mcpwire.MetaCapabilities + `":` + capabilities + `}`
	tools, err := a.pages(ctx, meta)
	return Listing{Tools: tools, Revision: mcpwire.FirstModern, Modern: true}, err
}

func (a *asker) legacy(ctx context.Context) (l Listing, err error) {
	answer, header, err := a.request(ctx, "initialize",
		`"protocolVersion":"`+mcpwire.LastLegacy+`","capabilities":`+capabilities+`,"clientInfo":`+clientInfo)
	if err != nil {
		return l, fmt.Errorf("initialize: %w", err)
	}
	l.Revision = answer.Get("protocolVersion").Text()
	if !mcpwire.KnownLegacy(l.Revision) {
		return l, errors.New("initialize: the server answers with a revision that the gate does not know")
	}
	a.caller.Session = header.Get(mcpwire.HeaderSession)
	a.caller.Header.Set(mcpwire.HeaderVersion, l.Revision)
	defer a.end(ctx)
	if err := a.notify(ctx, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); err != nil {
		return l, fmt.Errorf("initialize: %w", err)
	}
	l.Tools, err = a.pages(ctx, "")
	return l, err
}

// end ends the session, also when ctx is over: a child process or a session on
// the server would stay behind.
func (a *asker) end(ctx context.Context) {
	if a.caller.Session == "" {
		return
	}
	if r, err := a.backend.End(context.WithoutCancel(ctx), a.caller); err == nil {
		r.Body.Close()
	}
}

// pages reads the list to its end. Meta is the _meta member of the parameters.
func (a *asker) pages(ctx context.Context, meta string) ([]json.RawMessage, error) {
	tools, seen, size := []json.RawMessage{}, map[string]bool{}, 0
	cursor := ""
	for range maxPages {
		answer, _, err := a.request(ctx, "tools/list", joined(meta, cursor))
		if err != nil {
			return nil, err
		}
		list := answer.Get("tools")
		if list.Kind() != canon.KindArray {
			return nil, errors.New("the answer holds no list of tools")
		}
		for _, tool := range list.Items() {
			tools = append(tools, bytes.Clone(tool.Bytes()))
			size += len(tool.Bytes())
		}
		if len(tools) > maxTools || size > maxBytes {
			return nil, fmt.Errorf("the server announces more than %d tools or %d bytes of definitions", maxTools, maxBytes)
		}
		next := answer.Get("nextCursor")
		if next.Kind() != canon.KindString {
			return tools, nil
		}
		if seen[next.Text()] {
			return nil, errors.New("the server's list goes round in circles: it gave one cursor twice")
		}
		seen[next.Text()] = true
		cursor = `"cursor":` + string(next.Bytes())
	}
	return nil, fmt.Errorf("the server's list has more than %d pages", maxPages)
}

func joined(a, b string) string {
	if a != "" && b != "" {
		return a + "," + b
	}
	return a + b
}

// request asks and returns the result. Params are members of an object.
func (a *asker) request(ctx context.Context, method, params string) (mcpwire.Node, http.Header, error) {
	a.lastID++
	m, err := mcpwire.ParseClient([]byte(`{"jsonrpc":"2.0","id":`+strconv.Itoa(a.lastID)+`,"method":"`+method+`","params":{`+params+`}}`),
		canon.Limits{MaxBytes: maxBytes})
	if err != nil {
		return mcpwire.Node{}, nil, err
	}
	c := a.caller
	c.Header = a.caller.Header.Clone()
	mcpwire.SetHeaders(c.Header, m, nil)
	r, err := a.backend.Exchange(ctx, mcpwire.Outbound{Caller: c, Message: m})
	if err != nil {
		return mcpwire.Node{}, nil, err
	}
	defer r.Body.Close()
	answer, err := a.answer(ctx, m, r)
	if err != nil {
		return mcpwire.Node{}, nil, err
	}
	if !answer.Result().Exists() {
		return mcpwire.Node{}, nil, &answeredError{answer}
	}
	return answer.Result(), r.Header, nil
}

// answeredError is an error that the server answered with.
type answeredError struct{ answer *mcpwire.Message }

// Error implements error.
func (e *answeredError) Error() string {
	return fmt.Sprintf("the server answered with error %d", e.answer.ErrorCode())
}

// supports reports whether the server refused a revision and, in the same
// breath, names it as one that it speaks.
func (e *answeredError) supports(revision string) bool {
	if e.answer.ErrorCode() != mcpwire.CodeVersion {
		return false
	}
	for _, r := range e.answer.Error().Get("data").Get("supported").Items() {
		if r.Text() == revision {
			return true
		}
	}
	return false
}

// answer reads up to the response. Of what comes before it only requests need
// an answer: the gate has no user, no model and no folders to offer.
func (a *asker) answer(ctx context.Context, request *mcpwire.Message, r *mcpwire.Reply) (*mcpwire.Message, error) {
	for {
		ev, err := r.Body.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("the server gave no answer (status %d)", r.Status)
		}
		if err != nil {
			return nil, err
		}
		if len(ev.Data) == 0 {
			continue
		}
		m, err := mcpwire.ParseServer(ev.Data)
		switch {
		case err != nil && r.Status >= 400:
			return nil, fmt.Errorf("the server refused (status %d)", r.Status)
		case err != nil:
			return nil, errors.New("the server sent what is no message")
		case m.Kind() == mcpwire.Response && (m.Key() == request.Key() || m.Key() == "null"):
			return m, nil
		case m.Kind() == mcpwire.Request && !request.Modern():
			_ = a.notify(ctx, string(mcpwire.ErrorResponse(m.ID(), mcpwire.CodeMethodNotFound, "not offered", nil)))
		}
	}
}

// notify sends what has no answer.
func (a *asker) notify(ctx context.Context, message string) error {
	m, err := mcpwire.ParseServer([]byte(message))
	if err != nil {
		return err
	}
	r, err := a.backend.Exchange(ctx, mcpwire.Outbound{Caller: a.caller, Message: m})
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if _, err := r.Body.Next(); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if r.Status >= 400 {
		return fmt.Errorf("the server refused (status %d)", r.Status)
	}
	return nil
}
