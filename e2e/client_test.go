// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e_test

import (
	"fmt"
	"net/http"
	"os/exec"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolverdict/toolverdict/e2e/internal/rig"
)

// tester calls the servers under test. The default transport will not do: each
// httptest.Server that another test closes breaks that one's connections.
var tester = &http.Client{Transport: &http.Transport{}}

// connect opens a session with the Go SDK's client and closes it with the test.
func connect(t *testing.T, transport mcp.Transport) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

func stdioTransport(argv, env []string) mcp.Transport {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = env
	// Some published servers do not end with their input.
	return &mcp.CommandTransport{Command: cmd, TerminateDuration: time.Second}
}

func httpTransport(url, key string) mcp.Transport {
	return &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer(key)}}
}

// bearer adds an API key to every request.
type bearer string

func (key bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if key != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+string(key))
	}
	return tester.Transport.RoundTrip(r)
}

// throughGate starts the HTTP front and gives the ways for a client to reach a command through the
// gate: over HTTP, over stdio, and by wrapping the command where a client's settings have it. The
// last two get gate folders of their own, as they would have on a user's machine.
func throughGate(t *testing.T, g *rig.Gate, upstream string) map[string]mcp.Transport {
	t.Helper()
	alone := newGate(t, g.Spec())
	bare := g.Spec()
	command := bare.Upstreams[0].Command
	bare.Upstreams = nil
	wrap := newGate(t, bare)
	return map[string]mcp.Transport{
		"wrapped":     stdioTransport(wrap.WrapArgv(upstream, command), wrap.Env()),
		"HTTP front":  httpTransport("http://"+serveGate(t, g)+rig.Endpoint(upstream), g.Key),
		"stdio front": stdioTransport(alone.StdioArgv(upstream), alone.Env()),
	}
}

// allowAll lets every call through, for measuring what the gate changes when it objects to nothing.
const allowAll = `policy: allow-all
version: v1
default: deny
rules:
  - id: everything
    verdict: allow
    reason: Nothing is judged in this test
    tools: ["*", "@*"] # every tool, and every method that acts
`

// lowRisk is an overlay that calls every tool of an upstream read-only and harmless. Without it a
// tool of an unknown server is destructive and of high risk, and a human would be asked.
func lowRisk(upstream string) string {
	return fmt.Sprintf("tools:\n  \"%s/*\": {safety: read-only, risk: low}\n", upstream)
}

func toolNames(t *testing.T, session *mcp.ClientSession) []string {
	t.Helper()
	var names []string
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	return names
}
