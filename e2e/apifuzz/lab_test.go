// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package apifuzz_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/daemon"
)

const policy = `policy: lab
version: v1
default: deny
rules:
  - {id: reads, verdict: allow, reason: Reading is open, tools: [up/read, app/read]}
  - {id: small, verdict: allow, reason: Small sums are paid, tools: [up/pay, app/pay], when: {args.amount: {lte: 100}}}
  - {id: large, verdict: ask, reason: Large sums are asked about, tools: [up/pay, app/pay], when: {args.amount: {gt: 100}}}
  - {id: wipes, verdict: deny, reason: Nothing is wiped, tools: [up/wipe, app/wipe]}
`

const catalog = `tools:
  up/read: {safety: read-only, risk: low}
  up/pay: {safety: destructive, risk: low}
  up/wipe: {safety: destructive, risk: low}
  app/read: {safety: read-only, risk: low, schema: {type: object}}
  app/pay: {safety: destructive, risk: low, schema: {type: object, required: [amount], properties: {amount: {type: number}}}}
  app/wipe: {safety: destructive, risk: low, schema: {type: object}}
`

const configuration = `version: 1
policies: [policy.yaml]
catalogs: [catalog.yaml]
env: {stage: test}
limits: {argumentBytes: 4096, depth: 16}
hooks: {agents: [claude-code, codex], workspace: WORK, wait: 1s}
upstreams:
  up: {url: "URL", pin: first-sight}
  app: {local: true, timeout: 1h}
subjects:
  - {id: agent, kind: agent, user: clerk, claims: [ticket], keys: [{example: true}]}
  - {id: reader, kind: agent, readOnly: true, keys: [{example: true}]}
  - {id: clerk, kind: person, keys: [{example: true}]}
  - {id: boss, kind: person, roles: [approver], keys: [{example: true}]}
  - {id: root, kind: person, roles: [admin], keys: [{example: true}]}
  - {id: proxy, kind: service, roles: [authzen], keys: [{example: true}]}
`

// names are the subjects of the configuration.
var names = []string{"agent", "reader", "clerk", "boss", "root", "proxy"}

// lab is a whole gate, asked without a network in between, so that a panic is
// seen, and one server behind it that judges by itself what reaches it.
type lab struct {
	handler http.Handler
	keys    map[string]string
	api     *document
	seen    seen

	mu       sync.Mutex
	ran      []ran
	approved int // yeses that were answered with 200
	calls    int
	reached  map[string]int // how many requests came to what
}

// ran is a call that reached the server.
type ran struct{ tool, arguments string }

// seen are names that the gate gave, which later requests use.
type seen struct {
	approvals, runs, keys []string
	claims                []claim
}

type claim struct{ id, token, owner string }

func newLab(t testing.TB) *lab {
	t.Helper()
	l := &lab{keys: map[string]string{}, reached: map[string]int{}}
	dir := t.TempDir()
	files := map[string]string{
		"policy.yaml": policy, "catalog.yaml": catalog,
		"toolverdict.yaml": strings.NewReplacer("URL", l.upstream(t), "WORK", t.TempDir()).Replace(configuration),
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := config.Load(filepath.Join(dir, "toolverdict.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := daemon.Open(context.Background(), daemon.Options{
		Config: c, Version: "test", Log: slog.New(slog.DiscardHandler), Now: time.Now,
		Getenv: func(string) (string, bool) { return "", false },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	l.handler = d.Handler()
	for _, name := range names {
		key, err := os.ReadFile(filepath.Join(dir, "data", "keys", name))
		if err != nil {
			t.Fatal(err)
		}
		l.keys[name] = strings.TrimSpace(string(key))
	}
	l.api = readDocument(t, l.ask(t, http.MethodGet, "/v1/openapi.json", "", "").Body.Bytes())
	return l
}

// upstream is an MCP server that remembers what it was asked to run.
func (l *lab) upstream(t testing.TB) (url string) {
	s := mcp.NewServer(&mcp.Implementation{Name: "up", Version: "1"}, nil)
	for _, name := range []string{"read", "pay", "wipe"} {
		schema := `{"type":"object"}`
		if name == "pay" {
			schema = `{"type":"object","required":["amount"],"properties":{"amount":{"type":"number"}}}`
		}
		s.AddTool(&mcp.Tool{Name: name, Description: name, InputSchema: json.RawMessage(schema)},
			func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				l.mu.Lock()
				defer l.mu.Unlock()
				l.ran = append(l.ran, ran{"up/" + name, string(r.Params.Arguments)})
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil
			})
	}
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true})
	ts := httptest.NewServer(h)
	t.Cleanup(func() {
		ts.CloseClientConnections()
		ts.Close()
	})
	return ts.URL
}

// ask sends a plain, valid request.
func (l *lab) ask(t fataler, method, path, as, body string) *httptest.ResponseRecorder {
	t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), method, "http://localhost"+path, strings.NewReader(body))
	if err != nil {
		t.Fatalf("%v", err)
	}
	r.Header.Set("Content-Type", "application/json")
	if as != "" {
		r.Header.Set("Authorization", "Bearer "+l.keys[as])
	}
	w := httptest.NewRecorder()
	l.handler.ServeHTTP(w, r)
	return w
}

// fataler is what tests, fuzz targets and properties have in common.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// take returns what ran since it was asked last.
func (l *lab) take() []ran {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := l.ran
	l.ran = nil
	return out
}

// verdict is what the policy above says of a call, worked out anew.
func verdict(tool string, arguments []byte) string {
	_, name, _ := strings.Cut(tool, "/")
	switch name {
	case "read":
		return "allow"
	case "pay":
		var in map[string]json.RawMessage
		if json.Unmarshal(arguments, &in) != nil {
			return "deny"
		}
		var amount float64
		if json.Unmarshal(bytes.TrimSpace(in["amount"]), &amount) != nil {
			return "deny"
		}
		if amount <= 100 {
			return "allow"
		}
		return "ask"
	}
	return "deny"
}
