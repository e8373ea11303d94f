// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/mcpgate"
)

// watched is a backend that answers everything and remembers what it must never
// have been sent.
type watched struct{ acted atomic.Pointer[string] }

func (b *watched) Exchange(_ context.Context, m mcpwire.Outbound) (*mcpwire.Reply, error) {
	switch method := m.Message.Method(); {
	case m.Message.Kind() == mcpwire.Response, strings.HasSuffix(method, "s/list") && method != "tasks/list", method == "resources/templates/list", method == "initialize", method == "ping",
		method == "server/discover", method == "subscriptions/listen", method == "resources/unsubscribe",
		method == "notifications/initialized", method == "notifications/cancelled", method == "notifications/progress",
		method == "notifications/roots/list_changed":
	default:
		text := string(m.Message.Bytes())
		b.acted.Store(&text)
	}
	if m.Message.Kind() != mcpwire.Request {
		return &mcpwire.Reply{Status: http.StatusAccepted, Header: http.Header{}, Body: &oneEvent{}}, nil
	}
	return &mcpwire.Reply{Status: http.StatusOK, Header: http.Header{}, Body: &oneEvent{data: mcpwire.ResultResponse(m.Message.ID(), []byte(`{}`))}}, nil
}

func (b *watched) Listen(context.Context, mcpwire.Caller, string) (*mcpwire.Reply, error) {
	return nil, mcpwire.ErrNoStream
}

func (b *watched) End(context.Context, mcpwire.Caller) (*mcpwire.Reply, error) {
	return nil, mcpwire.ErrNoSession
}

func (b *watched) Close() error { return nil }

// oneEvent is an answer of at most one message.
type oneEvent struct{ data []byte }

func (e *oneEvent) Next() (mcpwire.Event, error) {
	if e.data == nil {
		return mcpwire.Event{}, io.EOF
	}
	data := e.data
	e.data = nil
	return mcpwire.Event{Data: data}, nil
}

func (e *oneEvent) Close() error { return nil }

// refusing is a gate that refuses every call and shows no tool.
type refusing struct{}

func (refusing) Do(context.Context, toolverdict.Proposal) (toolverdict.Result, error) {
	return toolverdict.Result{Error: &toolverdict.Refusal{Code: toolverdict.PolicyDenied, Message: "No."}}, nil
}

func (r refusing) Collect(ctx context.Context, p toolverdict.Proposal) (toolverdict.Result, error) {
	return r.Do(ctx, p)
}

func (refusing) Visible(context.Context, toolverdict.Subject, toolverdict.Run) ([]*toolverdict.Tool, error) {
	return nil, nil
}

// nothing is known of tools, and nothing is hidden.
type nothing struct{}

func (nothing) Tool(string) (*toolverdict.Tool, bool) { return nil, false }
func (nothing) Quarantined(string) (string, bool)     { return "", false }
func (nothing) Holds(string, []byte) (string, bool)   { return "", false }

// plainRedactor hides nothing.
type plainRedactor struct{}

func (plainRedactor) Content(b json.RawMessage) json.RawMessage { return b }
func (plainRedactor) Text(s string) string                      { return s }

// newBareFront is a front in front of a gate that refuses everything.
func newBareFront(tb testing.TB, b mcpwire.Backend) *mcpgate.Front {
	tb.Helper()
	front, err := mcpgate.New(mcpgate.Config{
		Gate: refusing{}, Tools: nothing{}, Redactor: plainRedactor{}, Servers: []mcpgate.Server{{Name: "up", Backend: b}},
		Authenticate: func(string) (toolverdict.Subject, bool) { return subjects()[aliceKey], true },
		Key:          make([]byte, mcpgate.KeySize), Now: time.Now,
	})
	if err != nil {
		tb.Fatal(err)
	}
	return front
}
