// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The baseline is worth something only if published clients accept it.
func TestThePublishedClientCallsTheTool(t *testing.T) {
	t.Parallel()
	upstream := httptest.NewServer(http.HandlerFunc(serveHTTP))
	t.Cleanup(upstream.Close)
	target, err := url.Parse(upstream.URL)
	if err != nil {
		t.Fatal(err)
	}
	hop := httptest.NewServer(proxy(target))
	t.Cleanup(hop.Close)
	for name, endpoint := range map[string]string{"direct": upstream.URL, "proxy": hop.URL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
			session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: endpoint, DisableStandaloneSSE: true}, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			list, err := session.ListTools(t.Context(), nil)
			if err != nil || len(list.Tools) != 1 {
				t.Fatalf("list: %+v, %v", list, err)
			}
			got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"message": "a \"quoted\" word"}})
			if err != nil {
				t.Fatal(err)
			}
			if text := got.Content[0].(*mcp.TextContent).Text; text != `a "quoted" word` {
				t.Errorf("echo: got %q", text)
			}
		})
	}
}

func TestStdioAnswersInOrder(t *testing.T) {
	t.Parallel()
	in := strings.Join([]string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"message":"m"}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"message":1}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"nope"}`,
		`garbage`,
	}, "\n")
	var out strings.Builder
	if err := serveStdio(strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	want := []string{`"id":0,"result"`, `"id":1,"result"`, `"text":"m"`, `"id":3,"error"`, `"id":4,"error"`, `"id":null,"error"`}
	if len(lines) != len(want) {
		t.Fatalf("replies: got %d, want %d: %q", len(lines), len(want), lines)
	}
	for i, line := range lines {
		if !json.Valid([]byte(line)) || !strings.Contains(line, want[i]) {
			t.Errorf("reply %d: %s does not hold %s", i, line, want[i])
		}
	}
}
