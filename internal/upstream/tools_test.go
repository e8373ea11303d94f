// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package upstream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/internal/upstream"
)

// script is a server in one function: the messages it answers a request with.
type script struct {
	answer func(m *mcpwire.Message) []string
	status func(m *mcpwire.Message) int
	seen   []string // methods, and "end"
}

func (s *script) Exchange(_ context.Context, m mcpwire.Outbound) (*mcpwire.Reply, error) {
	s.seen = append(s.seen, m.Message.Method())
	r := &mcpwire.Reply{Status: http.StatusOK, Header: http.Header{"Mcp-Session-Id": {"s"}}, Stream: true, Body: &events{}}
	if m.Message.Kind() != mcpwire.Request {
		r.Status, r.Stream = http.StatusAccepted, false
		return r, nil
	}
	if s.status != nil {
		r.Status = s.status(m.Message)
	}
	answers := s.answer(m.Message)
	if answers == nil {
		return nil, mcpwire.ErrNotSent
	}
	r.Body = &events{answers}
	return r, nil
}

func (s *script) Listen(context.Context, mcpwire.Caller, string) (*mcpwire.Reply, error) {
	return nil, mcpwire.ErrNoStream
}

func (s *script) End(_ context.Context, c mcpwire.Caller) (*mcpwire.Reply, error) {
	s.seen = append(s.seen, "end "+c.Session)
	return &mcpwire.Reply{Body: &events{}}, nil
}

func (s *script) Close() error { return nil }

type events struct{ left []string }

func (e *events) Next() (mcpwire.Event, error) {
	if len(e.left) == 0 {
		return mcpwire.Event{}, io.EOF
	}
	next := e.left[0]
	e.left = e.left[1:]
	return mcpwire.Event{Data: []byte(next)}, nil
}

func (e *events) Close() error { return nil }

func result(m *mcpwire.Message, text string) string {
	return string(mcpwire.ResultResponse(m.ID(), []byte(text)))
}

func failure(m *mcpwire.Message, code int) string {
	return string(mcpwire.ErrorResponse(m.ID(), code, "no", nil))
}

// paged answers tools/list in three pages.
func paged(m *mcpwire.Message) string {
	switch m.Params().Get("cursor").Text() {
	case "":
		return result(m, `{"tools":[{"name":"a", "x":1.50}],"nextCursor":"2"}`)
	case "2":
		return result(m, `{"tools":[],"nextCursor":"3"}`)
	}
	return result(m, `{"tools":[{"name":"b"}]}`)
}

func TestListTools(t *testing.T) {
	t.Parallel()
	legacy := func(revision string) func(m *mcpwire.Message) []string {
		return func(m *mcpwire.Message) []string {
			switch {
			case m.Modern():
				return []string{failure(m, mcpwire.CodeVersion)}
			case m.Method() == "initialize":
				return []string{result(m, `{"protocolVersion":"`+revision+`","capabilities":{}}`)}
			}
			return []string{`{"jsonrpc":"2.0","method":"notifications/message","params":{}}`, `{"jsonrpc":"2.0","id":"r","method":"roots/list"}`, paged(m)}
		}
	}
	refused := false
	for name, c := range map[string]struct {
		server   script
		revision string
		seen     []string
	}{
		"modern that wants to be asked twice": {script{answer: func(m *mcpwire.Message) []string {
			if !refused {
				refused = true
				return []string{string(mcpwire.ErrorResponse(m.ID(), mcpwire.CodeVersion, "no", []byte(`{"supported":["2026-07-28"]}`)))}
			}
			return []string{paged(m)}
		}}, "2026-07-28", []string{"tools/list", "tools/list", "tools/list", "tools/list"}},
		"modern": {script{answer: func(m *mcpwire.Message) []string { return []string{paged(m)} }}, "2026-07-28", []string{"tools/list", "tools/list", "tools/list"}},
		"legacy": {script{answer: legacy("2025-06-18")}, "2025-06-18",
			[]string{"tools/list", "initialize", "notifications/initialized", "tools/list", "", "tools/list", "", "tools/list", "", "end s"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := upstream.ListTools(t.Context(), &c.server)
			if err != nil {
				t.Fatal(err)
			}
			var tools []string
			for _, tool := range got.Tools {
				tools = append(tools, string(tool))
			}
			if diff := cmp.Diff([]string{`{"name":"a", "x":1.50}`, `{"name":"b"}`}, tools); diff != "" || got.Revision != c.revision {
				t.Errorf("%s %s", got.Revision, diff)
			}
			if diff := cmp.Diff(c.seen, c.server.seen); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestListToolsRefuses holds that a list is whole or nothing, however the server
// goes on.
func TestListToolsRefuses(t *testing.T) {
	t.Parallel()
	page := 0
	for name, answer := range map[string]func(m *mcpwire.Message) []string{
		"unreachable":         func(*mcpwire.Message) []string { return nil },
		"no answer":           func(*mcpwire.Message) []string { return []string{} },
		"garbage":             func(*mcpwire.Message) []string { return []string{"x"} },
		"another id":          func(*mcpwire.Message) []string { return []string{`{"jsonrpc":"2.0","id":99,"result":{"tools":[]}}`} },
		"no tools":            func(m *mcpwire.Message) []string { return []string{result(m, `{}`)} },
		"tools are an object": func(m *mcpwire.Message) []string { return []string{result(m, `{"tools":{}}`)} },
		"in circles":          func(m *mcpwire.Message) []string { return []string{result(m, `{"tools":[],"nextCursor":"x"}`)} },
		"without end": func(m *mcpwire.Message) []string {
			page++
			return []string{result(m, fmt.Sprintf(`{"tools":[],"nextCursor":"%d"}`, page))}
		},
		"too many": func(m *mcpwire.Message) []string {
			return []string{result(m, `{"tools":[`+strings.Repeat(`{},`, 20_000)+`{}]}`)}
		},
		"too much": func(m *mcpwire.Message) []string {
			return []string{result(m, `{"tools":["`+strings.Repeat(`x`, 33<<20)+`"]}`)}
		},
		"refused": func(m *mcpwire.Message) []string { return []string{failure(m, -32603)} },
		"unknown revision": func(m *mcpwire.Message) []string {
			if m.Method() != "initialize" {
				return []string{failure(m, -32601)}
			}
			return []string{result(m, `{"protocolVersion":"2030-01-01"}`)}
		},
		"fails on the second page": func(m *mcpwire.Message) []string {
			if m.Params().Get("cursor").Exists() {
				return []string{failure(m, -32603)}
			}
			return []string{result(m, `{"tools":[{"name":"a"}],"nextCursor":"2","protocolVersion":"2025-11-25"}`)}
		},
	} {
		if got, err := upstream.ListTools(t.Context(), &script{answer: answer}); err == nil || len(got.Tools) != 0 {
			t.Errorf("%s: got %d tools, %v", name, len(got.Tools), err)
		}
	}
	if _, err := upstream.ListTools(t.Context(), &script{answer: func(*mcpwire.Message) []string { return nil }}); !errors.Is(err, mcpwire.ErrNotSent) {
		t.Errorf("unreachable: %v", err)
	}
}
