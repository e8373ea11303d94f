// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/gatetest"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/internal/store/memory"
)

// server is an MCP server as a backend shows it. Answer says what comes of each
// message; it sees them in order.
type server struct {
	answer func(m mcpwire.Outbound) (*mcpwire.Reply, error)

	mu    sync.Mutex
	seen  []mcpwire.Outbound
	ended []string
}

func (s *server) Exchange(_ context.Context, m mcpwire.Outbound) (*mcpwire.Reply, error) {
	s.mu.Lock()
	s.seen = append(s.seen, m)
	s.mu.Unlock()
	return s.answer(m)
}

func (s *server) Listen(context.Context, mcpwire.Caller, string) (*mcpwire.Reply, error) {
	return nil, mcpwire.ErrNoStream
}

func (s *server) End(_ context.Context, c mcpwire.Caller) (*mcpwire.Reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = append(s.ended, c.Session)
	return reply(http.StatusOK), nil
}

func (s *server) Close() error { return nil }

// methods returns what was sent, in order.
func (s *server) methods() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	words := make([]string, len(s.seen))
	for i, m := range s.seen {
		if words[i] = m.Message.Method(); words[i] == "" {
			words[i] = "response"
		}
	}
	return strings.Join(words, " ")
}

// last returns the newest message of a method.
func (s *server) last(method string) mcpwire.Outbound {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range slices.Backward(s.seen) {
		if m.Message.Method() == method {
			return m
		}
	}
	return mcpwire.Outbound{}
}

type events struct {
	list []string
	err  error
}

func (e *events) Next() (mcpwire.Event, error) {
	if len(e.list) == 0 {
		if e.err != nil {
			return mcpwire.Event{}, e.err
		}
		return mcpwire.Event{}, io.EOF
	}
	data := e.list[0]
	e.list = e.list[1:]
	return mcpwire.Event{Data: []byte(data)}, nil
}

func (e *events) Close() error { return nil }

// reply is an answer of these messages; %s in them becomes the request's id.
func reply(status int, messages ...string) *mcpwire.Reply {
	return &mcpwire.Reply{Status: status, Header: http.Header{}, Stream: len(messages) > 1, Body: &events{list: messages}}
}

func result(m mcpwire.Outbound, json string) *mcpwire.Reply {
	return reply(http.StatusOK, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.Message.ID().Bytes(), json))
}

func rpcError(m mcpwire.Outbound, code int) *mcpwire.Reply {
	return reply(http.StatusOK, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"no"}}`, m.Message.ID().Bytes(), code))
}

// modern is a server of the stateless era, legacy one of the era of sessions;
// call answers what they have in common.
func modern(call func(mcpwire.Outbound) (*mcpwire.Reply, error)) *server {
	return &server{answer: func(m mcpwire.Outbound) (*mcpwire.Reply, error) {
		if m.Message.Method() == "server/discover" {
			return result(m, `{"supportedVersions":["2026-07-28"],"capabilities":{}}`), nil
		}
		return call(m)
	}}
}

func legacy(call func(mcpwire.Outbound) (*mcpwire.Reply, error)) *server {
	sessions := 0
	return &server{answer: func(m mcpwire.Outbound) (*mcpwire.Reply, error) {
		switch m.Message.Method() {
		case "server/discover":
			return rpcError(m, -32601), nil
		case "initialize":
			sessions++
			r := result(m, `{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`)
			r.Header.Set(mcpwire.HeaderSession, fmt.Sprintf("session-%d", sessions))
			return r, nil
		case "notifications/initialized":
			return reply(http.StatusAccepted), nil
		}
		return call(m)
	}}
}

// tools are what a test gate knows.
func tools(t *testing.T) gatetest.Catalog {
	t.Helper()
	return gatetest.Catalog{
		gatetest.Tool("write", gatetest.Destructive),
		gatetest.Tool("read", func(d *tv.Definition) {
			d.InputSchema = json.RawMessage(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`)
		}),
		gatetest.Tool("@resources/read", nil),
		gatetest.Tool("fetch", func(d *tv.Definition) { d.Roles = map[string]tv.Role{"/url": {Kind: tv.RoleURL}} }),
		gatetest.Tool("slow", func(d *tv.Definition) { d.Safety, d.Timeout = tv.Destructive, time.Millisecond }),
	}
}

// newGate is a gate that allows everything and runs calls by the executor.
func newGate(t *testing.T, run tv.Executor) *tv.Gate {
	t.Helper()
	state, err := memory.New(memory.Config{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	g, err := tv.New(tv.Config{
		Snapshots: gatetest.NewSnapshots(tools(t), gatetest.Always(tv.Allow)), Choices: state, Analyser: gatetest.Analyser(resolved), Confirmations: nobody{},
		Store: state, Executor: run, Redactor: gatetest.Redactor{}, Now: time.Now, Node: "n",
		NewID: func() string { n++; return fmt.Sprint("call-", n) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func do(t *testing.T, run tv.Executor, tool, args string) tv.Result {
	t.Helper()
	res, err := newGate(t, run).Do(t.Context(), tv.Proposal{
		Tool: "server/" + tool, Arguments: []byte(args), Subject: tv.Subject{ID: "a", Kind: tv.Agent}, Door: tv.DoorHTTP,
	})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func code(r *tv.Result) tv.Code {
	if r.Error == nil {
		return ""
	}
	return r.Error.Code
}

type nobody struct{}

func (nobody) Draft(tv.Question) tv.Approval { return tv.Approval{} }

func (nobody) MayEdit(tv.Subject, *tv.Approval) error { return tv.ErrNotFound }

func (nobody) Await(context.Context, string) (tv.Approval, error) {
	return tv.Approval{}, errors.New("nobody is there")
}

// resolved finds where the only name leads.
func resolved(*tv.Tool, tv.Value) tv.Analysis {
	return tv.Analysis{Addresses: map[string][]netip.Addr{"example.com": {netip.MustParseAddr("192.0.2.7")}}}
}
