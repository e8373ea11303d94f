// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolverdict/toolverdict/e2e/internal/rig"
)

// ssrfPolicy allows inline data and one host.
const ssrfPolicy = `policy: ssrf
version: v1
default: deny
rules:
  - id: inline-data
    verdict: allow
    reason: Data that is in the call itself is fetched from nowhere
    tools: ["everything/gzip-file-as-resource"]
    when: {args.data: {prefix: "data:"}}
  - id: one-host
    verdict: allow
    reason: The one host that files are fetched from
    tools: ["everything/gzip-file-as-resource"]
    when: {args.data: {hostIn: [files.example.com]}}
`

// inside starts a server on loopback that nothing outside should reach, and counts who did.
func inside(t *testing.T) (port string, hits *atomic.Int64) {
	t.Helper()
	hits = new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		hits.Add(1)
		_, _ = io.WriteString(w, "inside only")
	}))
	t.Cleanup(s.Close)
	_, port, _ = strings.Cut(strings.TrimPrefix(s.URL, "http://"), ":")
	return port, hits
}

// TestSSRFDirect has a published server fetch an address on loopback.
func TestSSRFDirect(t *testing.T) {
	t.Parallel()
	port, hits := inside(t)
	session := connect(t, stdioTransport(npmServer("everything"), nil))
	for _, s := range spellings(port) {
		before := hits.Load()
		fetch(t, session, s.url)
		if reached := hits.Load() > before; reached != s.reaches {
			t.Errorf("directly, %q reaches loopback: %t, expected %t", s.url, reached, s.reaches)
		}
	}
}

// TestSSRFGate tries the same through the gate, however the address is spelt.
func TestSSRFGate(t *testing.T) {
	t.Parallel()
	port, hits := inside(t)
	up := rig.Upstream{Name: "everything", Command: npmServer("everything")}
	g := newGate(t, rig.GateSpec{Policy: ssrfPolicy, Catalog: lowRisk("everything"), Upstreams: []rig.Upstream{up}})
	for name, transport := range throughGate(t, g, "everything") {
		session := connect(t, transport)
		if got := fetch(t, session, "data:text/plain;base64,aGVsbG8="); got.IsError {
			t.Errorf("%s: inline data: %s", name, text(got))
		}
		for _, s := range spellings(port) {
			if got := fetch(t, session, s.url); !got.IsError || !strings.Contains(text(got), "POLICY_DENIED") {
				t.Errorf("%s: %q: %s", name, s.url, text(got))
			}
		}
	}
	if n := hits.Load(); n > 0 {
		t.Errorf("loopback was reached %d times through the gate", n)
	}
}

// spelling is one way to write an address on loopback.
type spelling struct {
	url     string
	reaches bool // what the server's own URL parser makes of it; its fetch refuses user names
}

func spellings(port string) []spelling {
	at := ":" + port + "/secret"
	return []spelling{
		{"http://127.0.0.1" + at, true},
		{"http://localhost" + at, true},
		{"HTTP://LOCALHOST" + at, true},
		{"http://127.1" + at, true},
		{"http://2130706433" + at, true},
		{"http://0x7f000001" + at, true},
		{"http://0177.0.0.1" + at, true},
		{"http://0" + at, true},
		{"http://[::ffff:127.0.0.1]" + at, true},
		{"http://files.example.com@127.0.0.1" + at, false},
		{"http://files.example.com:x@127.0.0.1" + at, false},
		{"http://127.0.0.1:" + port + "\\@files.example.com/", true},
		{"http:\\\\127.0.0.1" + at, true},
		{"http:127.0.0.1" + at, true},
		{"http:///127.0.0.1" + at, true},
		{"http://127.0.0.1" + at + "#@files.example.com", true},
		{"http://127.0.0.1" + at + "?files.example.com", true},
		{" http://127.0.0.1" + at, true},
		{"ht\ntp://127.0.0.1" + at, true},
		{"http://127.0.\t0.1" + at, true},
		{"http://１２７.0.0.1" + at, true},
		{"http://127。0。0。1" + at, true},
	}
}

func fetch(t *testing.T, session *mcp.ClientSession, url string) *mcp.CallToolResult {
	t.Helper()
	got, err := session.CallTool(t.Context(), &mcp.CallToolParams{
		Name:      "gzip-file-as-resource",
		Arguments: map[string]any{"name": "f.gz", "data": url, "outputType": "resource"},
	})
	if err != nil {
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}}}
	}
	return got
}
