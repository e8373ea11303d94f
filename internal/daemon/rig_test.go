// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package daemon_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/httpgate/client"
	"github.com/toolverdict/toolverdict/internal/bundle"
	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/daemon"
)

// allowAll is a policy for everything.
const allowAll = "policy: all\nversion: v1\ndefault: deny\nrules:\n  - {id: all, verdict: allow, reason: The test says so, tools: \"*\"}\n"

// lab is a folder with a gate's files.
type lab struct {
	t    testing.TB
	dir  string
	env  map[string]string
	logs *logs

	clock func() time.Time
}

// logs keeps what a gate logs.
type logs struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// newLab writes a configuration with these upstreams, and the files besides.
func newLab(t testing.TB, upstreams string, files map[string]string) *lab {
	t.Helper()
	l := &lab{t: t, dir: t.TempDir(), env: map[string]string{"PATH": os.Getenv("PATH")}, logs: &logs{}, clock: time.Now}
	all := map[string]string{"policy.yaml": allowAll, "catalog.yaml": "tools: {}\n"}
	maps.Copy(all, files)
	all["toolverdict.yaml"] = "version: 1\npolicies: [policy.yaml]\ncatalogs: [catalog.yaml]\nupstreams:\n" + upstreams + `
subjects:
  - {id: agent, kind: agent, permissions: ["*"], keys: [{example: true}]}
  - {id: reader, kind: agent, permissions: ["*"], readOnly: true, keys: [{example: true}]}
  - {id: boss, kind: person, roles: [approver, admin], keys: [{example: true}]}
stdio: {subject: agent}
`
	for name, text := range all {
		l.write(name, text)
	}
	return l
}

func (l *lab) write(name, text string) {
	l.t.Helper()
	if err := os.WriteFile(filepath.Join(l.dir, name), []byte(text), 0o600); err != nil {
		l.t.Fatal(err)
	}
}

// spoil puts a file in the place of what should be there.
func (l *lab) spoil(name, text string, mode os.FileMode) {
	l.t.Helper()
	path := filepath.Join(l.dir, name)
	if text == "" {
		if err := os.Remove(path); err != nil {
			l.t.Fatal(err)
		}
		return
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		l.t.Fatal(err)
	}
	l.write(name, text)
	if err := os.Chmod(path, mode); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) options() daemon.Options {
	l.t.Helper()
	c, err := config.Load(filepath.Join(l.dir, "toolverdict.yaml"))
	if err != nil {
		l.t.Fatal(err)
	}
	return daemon.Options{
		Config: c, Version: "test", Log: slog.New(slog.NewTextHandler(l.logs, nil)), Now: l.clock,
		Getenv: func(name string) (string, bool) { v, ok := l.env[name]; return v, ok },
	}
}

// gate is a running daemon.
type gate struct {
	*daemon.Daemon

	lab *lab
	url string
}

// open opens the daemon and serves it.
func (l *lab) open() *gate {
	l.t.Helper()
	d, err := daemon.Open(context.Background(), l.options())
	if err != nil {
		l.t.Fatal(err)
	}
	ts := httptest.NewServer(d.Handler())
	l.t.Cleanup(func() {
		ts.Close()
		if err := d.Close(); err != nil {
			l.t.Errorf("close: %v", err)
		}
	})
	return &gate{d, l, ts.URL}
}

func (g *gate) client(as string) *client.Client {
	g.lab.t.Helper()
	key, err := os.ReadFile(filepath.Join(g.lab.dir, "data", "keys", as))
	if err != nil {
		g.lab.t.Fatal(err)
	}
	c, err := client.New(g.url, strings.TrimSpace(string(key)))
	if err != nil {
		g.lab.t.Fatal(err)
	}
	return c
}

func (g *gate) call(as, tool, args string) tv.Result {
	g.lab.t.Helper()
	res, _, err := g.client(as).Do(g.lab.t.Context(), client.Call{Tool: tool, Arguments: []byte(args)})
	if err != nil {
		g.lab.t.Fatal(err)
	}
	return res
}

func code(r *tv.Result) tv.Code {
	if r.Error == nil {
		return ""
	}
	return r.Error.Code
}

// eventually waits for what a goroutine of the gate brings about.
func (g *gate) eventually(what string, try func() bool) {
	g.lab.t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if try() {
			return
		}
	}
	g.lab.t.Fatalf("it did not come about: %s\n%s", what, g.lab.logs)
}

// upstream is an MCP server of the official SDK over HTTP, whose tools a test
// can change.
type upstream struct {
	*mcp.Server

	url string
}

func newUpstream(t testing.TB, stateless bool, tools ...string) *upstream {
	t.Helper()
	u := &upstream{Server: mcp.NewServer(&mcp.Implementation{Name: "up", Version: "1"}, nil)}
	for _, name := range tools {
		u.add(name, "does "+name, `{"type":"object"}`)
	}
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return u.Server }, &mcp.StreamableHTTPOptions{Stateless: stateless})
	ts := httptest.NewServer(h)
	u.url = ts.URL
	t.Cleanup(func() {
		ts.CloseClientConnections()
		ts.Close()
	})
	return u
}

// add adds a tool, or changes it.
func (u *upstream) add(name, description, schema string) {
	u.AddTool(&mcp.Tool{Name: name, Description: description, InputSchema: json.RawMessage(schema)},
		func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			text := name + " " + string(r.Params.Arguments)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
		})
}

func at(url, more string) string { return fmt.Sprintf("  up: {url: %q%s}\n", url, more) }

// bundle has the gate fetch a bundle, from a file. It returns what signs one.
func (l *lab) bundle(now time.Time) (publish func(serial int64, expires time.Time)) {
	l.t.Helper()
	key, err := bundle.Generate(rand.Reader)
	if err != nil {
		l.t.Fatal(err)
	}
	conf, err := os.ReadFile(filepath.Join(l.dir, "toolverdict.yaml"))
	if err != nil {
		l.t.Fatal(err)
	}
	l.write("toolverdict.yaml", fmt.Sprintf("%sbundle: {name: prod, url: \"file://%s/org.bundle\", keys: [%q]}\n", conf, l.dir, key.Public()))
	return func(serial int64, expires time.Time) {
		l.t.Helper()
		text := fmt.Sprintf("policy: org\nversion: v%d\nrules:\n  - {id: org, verdict: allow, reason: The test says so, tools: up/echo}\n", serial)
		b := bundle.Bundle{Name: "prod", Serial: serial, Created: now, Expires: expires, Files: []bundle.File{{Name: "org.yaml", Content: []byte(text)}}}
		envelope, err := bundle.Sign(b, key)
		if err != nil {
			l.t.Fatal(err)
		}
		l.write("org.bundle", string(envelope))
	}
}
