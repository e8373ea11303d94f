// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package doors_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/httpgate/client"
	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/daemon"
	"github.com/toolverdict/toolverdict/internal/daemon/hooks"
	"github.com/toolverdict/toolverdict/internal/daemon/records"
	"github.com/toolverdict/toolverdict/internal/store/sqlite"
	"github.com/toolverdict/toolverdict/standard"
)

const server = "doors" // whose tools they are

func tools() []string {
	return []string{"shell", "read", "write", "query", "fetch", "pay", "mail", "echo", "strict"}
}

// site is one folder with a policy and a catalog, and everything that decides by
// them: a served gate, one in the program, and one for hooks without a server.
type site struct {
	dir     string
	url     string
	http    *http.Client
	keys    map[string]string // of the agent, by the address
	daemon  *daemon.Daemon
	library *standard.Gate
	ran     *ran

	// Hooks have a layer of rules of their own, so they have a gate of their own.
	asked string // where it is served
	hooks *hooks.Local
}

// ran is what reached the tools: how often each call did, by its very bytes.
type ran struct {
	mu    sync.Mutex
	times map[string]int
}

func (r *ran) add(tool string, arguments []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.times[tool+" "+string(arguments)]++
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{dir: t.TempDir(), keys: map[string]string{}, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}, ran: &ran{times: map[string]int{}}}
	up := httptest.NewServer(s.ran)
	t.Cleanup(func() { up.CloseClientConnections(); up.Close() })
	agents := make([]string, 0, len(hookgate.Agents()))
	for _, a := range hookgate.Agents() {
		agents = append(agents, string(a))
	}
	const rest = `
approvals: {openPerRun: 1000}
stdio: {subject: agent}
subjects:
  - {id: agent, kind: agent, permissions: ["*"], keys: [{example: true}]}
  - {id: boss, kind: person, roles: [approver], keys: [{example: true}]}
`
	files := "version: 1\npolicies: [../policy.yaml]\ncatalogs: [../catalog.yaml]\n"
	upstream := fmt.Sprintf("upstreams: {%s: {url: %q, pin: first-sight}}\n", server, up.URL)
	for name, text := range map[string]string{
		"policy.yaml": read(t, "policy.yaml"), "catalog.yaml": read(t, "catalog.yaml"),
		"served/toolverdict.yaml":  files + "data: ../data\nenvoy: [{path: /mcp, server: " + server + "}]\n" + upstream + rest,
		"library/toolverdict.yaml": files + "data: ../own\n" + rest,
		"hooks/toolverdict.yaml":   files + "data: ../asked\nhooks: {agents: [" + strings.Join(agents, ", ") + "], workspace: /workspace, home: /home/agent}\n" + upstream + rest,
		"files/toolverdict.yaml":   files + "data: ../files-data\nhooks: {agents: [" + strings.Join(agents, ", ") + "], workspace: /workspace, home: /home/agent}\n" + upstream + rest,
	} {
		path := filepath.Join(s.dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	s.daemon, s.url = s.serve(t, "served")
	// One key for all folders: then equal arguments have equal digests on record.
	key, err := os.ReadFile(filepath.Join(s.dir, "data", "redaction.key"))
	must(t, err)
	for _, folder := range []string{"asked", "own", "files-data"} {
		must(t, os.MkdirAll(filepath.Join(s.dir, folder), 0o700))
		must(t, os.WriteFile(filepath.Join(s.dir, folder, "redaction.key"), key, 0o600))
	}
	_, s.asked = s.serve(t, "hooks")
	s.open(t)
	return s
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	must(t, err)
	return string(b)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// serve opens the gate of a folder, and serves it.
func (s *site) serve(t *testing.T, folder string) (d *daemon.Daemon, url string) {
	t.Helper()
	conf := s.config(t, folder)
	d, err := daemon.Open(context.Background(), daemon.Options{
		Config: conf, Version: "test", Log: slog.New(slog.DiscardHandler), Now: time.Now,
		Getenv: func(string) (string, bool) { return "", false },
	})
	must(t, err)
	front := httptest.NewServer(d.Handler())
	t.Cleanup(func() {
		front.CloseClientConnections()
		front.Close()
		if err := d.Close(); err != nil {
			t.Errorf("close the gate of %s: %v", folder, err)
		}
	})
	key, err := os.ReadFile(filepath.Join(conf.Data, "keys", "agent"))
	must(t, err)
	s.keys[front.URL] = strings.TrimSpace(string(key))
	return d, front.URL
}

func (s *site) config(t *testing.T, folder string) *config.Config {
	t.Helper()
	conf, err := config.Load(filepath.Join(s.dir, folder, "toolverdict.yaml"))
	must(t, err)
	return conf
}

// open makes the gates that need no server. Each has a folder of its own: they write
// at once, and one that waits too long for another refuses.
func (s *site) open(t *testing.T) {
	t.Helper()
	functions := map[string]standard.Func{}
	for _, tool := range tools() {
		functions[server+"/"+tool] = func(_ context.Context, arguments []byte) (json.RawMessage, error) {
			s.ran.add(tool, arguments)
			return json.RawMessage(`{"ok":true}`), nil
		}
	}
	var err error
	s.library, err = standard.Open(context.Background(), filepath.Join(s.dir, "library"), functions)
	must(t, err)
	s.hooks, err = hooks.Open(context.Background(), hooks.Options{Config: s.config(t, "files"), Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	must(t, err)
	t.Cleanup(func() {
		for _, closes := range []func() error{s.library.Close, s.hooks.Close} {
			if err := closes(); err != nil {
				t.Error(err)
			}
		}
	})
}

// agent is who calls, as every door finds out for itself.
func agent() tv.Subject {
	return tv.Subject{ID: "agent", Kind: tv.Agent, Permissions: []string{"*"}}
}

func (s *site) client(t *testing.T) *client.Client {
	t.Helper()
	c, err := client.New(s.url, s.keys[s.url])
	must(t, err)
	return c
}

// post sends a body as the agent.
func (s *site) post(t *testing.T, path, body string, headers map[string]string) (int, string) {
	t.Helper()
	return s.postTo(t, s.url, path, body, headers)
}

func (s *site) postTo(t *testing.T, url, path, body string, headers map[string]string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+path, strings.NewReader(body))
	must(t, err)
	req.Header.Set("Authorization", "Bearer "+s.keys[url])
	req.Header.Set("Content-Type", "application/json")
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	resp, err := s.http.Do(req)
	must(t, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	must(t, err)
	return resp.StatusCode, string(b)
}

// decisions are the records of what was decided, by the label that its call had.
func (s *site) decisions(t *testing.T) map[string][]tv.Record {
	t.Helper()
	out := map[string][]tv.Record{}
	for _, folder := range []string{"data", "asked", "own", "files-data"} {
		store, err := sqlite.Open(t.Context(), sqlite.Config{Dir: filepath.Join(s.dir, folder), Node: "reader", Now: time.Now})
		must(t, err)
		found, err := records.Log{Store: store}.Find(t.Context(), audit.Query{Kind: tv.RecordDecision, Page: audit.Page{Limit: math.MaxInt32}})
		must(t, err)
		must(t, store.Close())
		for _, n := range found {
			label := n.Record.Session
			if !strings.HasPrefix(label, "#") {
				label = n.Record.CallerID
			}
			out[label] = append(out[label], n.Record)
		}
	}
	return out
}

// ServeHTTP is an MCP server of both eras. It tells no tool anything but what was
// sent, and keeps count.
func (r *ran) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
			Meta      map[string]any  `json:"_meta"`
		} `json:"params"`
	}
	if req.Method != http.MethodPost || err != nil || json.Unmarshal(body, &m) != nil {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	if len(m.ID) == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	const info = `{"name":"doors","version":"1"}`
	result := ""
	switch m.Method {
	case "initialize":
		result = `"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":` + info
	case "server/discover":
		result = `"supportedVersions":["2026-07-28","2025-11-25"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"`
	case "tools/list":
		result = `"ttlMs":0,"cacheScope":"private","tools":` + list()
	case "tools/call":
		r.add(m.Params.Name, m.Params.Arguments)
		result = `"content":[{"type":"text","text":"done"}]`
	}
	if m.Params.Meta["io.modelcontextprotocol/protocolVersion"] != nil {
		if result != "" {
			result += ","
		}
		result += `"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":` + info + `}`
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{%s}}`, m.ID, result)
}

func list() string {
	all := make([]string, 0, len(tools()))
	for _, tool := range tools() {
		all = append(all, fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"}}`, tool))
	}
	return "[" + strings.Join(all, ",") + "]"
}
