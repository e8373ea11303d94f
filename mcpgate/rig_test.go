// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
	"github.com/toolverdict/toolverdict/catalog"
	"github.com/toolverdict/toolverdict/gatetest"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/internal/redact"
	"github.com/toolverdict/toolverdict/internal/store/memory"
	"github.com/toolverdict/toolverdict/internal/upstream"
	upstreamhttp "github.com/toolverdict/toolverdict/internal/upstream/http"
	"github.com/toolverdict/toolverdict/mcpgate"
)

// tester calls the servers under test. The default transport will not do: each
// httptest.Server that another test closes breaks that one's connections.
var tester = &http.Client{Transport: &http.Transport{}}

// rig is a whole gate around one upstream, with everything real but the policy.
type rig struct {
	t        *testing.T
	store    *recorder
	desk     *approval.Desk
	redactor *redact.Redactor
	gate     *toolverdict.Gate
	front    *mcpgate.Front
	url      string // of the gate's HTTP front
	backend  mcpwire.Backend
	catalog  atomic.Pointer[catalog.Catalog]
	policy   atomic.Pointer[policyFunc]
	changed  atomic.Int64
}

// policyFunc is a policy in one function.
type policyFunc func(toolverdict.Request) toolverdict.Decision

func (f policyFunc) Decide(r toolverdict.Request) toolverdict.Decision { return f(r) }
func (policyFunc) Identity() (string, string)                          { return "v1", "hash" }
func (policyFunc) History(toolverdict.Request) toolverdict.Hindsight   { return toolverdict.Hindsight{} }

func allowAll(toolverdict.Request) toolverdict.Decision {
	return toolverdict.Decision{Verdict: toolverdict.Allow, Rule: "everything", Reason: "test"}
}

// verdicts allows everything but the tools named.
func verdicts(special map[string]toolverdict.Verdict) policyFunc {
	return func(r toolverdict.Request) toolverdict.Decision {
		v, named := special[r.Tool.Name()]
		if !named {
			return allowAll(r)
		}
		d := toolverdict.Decision{Verdict: v, Rule: "special", Reason: "test"}
		if v == toolverdict.Ask {
			d.Code, d.Asks = toolverdict.ConfirmationRequired, []toolverdict.Requirement{{Quorum: 1}}
		}
		return d
	}
}

// setup changes what a rig is made of.
type setup struct {
	overlay string
	policy  policyFunc
	front   func(*mcpgate.Config)
	backend mcpwire.Backend // instead of a URL
	held    []string
	analyse gatetest.Analyser
	tools   []string // definitions to take as reviewed, instead of asking the upstream
}

// openOverlay makes every tool low risk, so that the policy alone decides.
const openOverlay = `tools:
  "up/*": {safety: read-only, risk: low}
`

// keys of the subjects of a rig.
const (
	aliceKey    = "alice-key"
	bobKey      = "bob-key"
	approverKey = "approver-key"
	deputyKey   = "deputy-key"
)

func subjects() map[string]toolverdict.Subject {
	all := []string{"*"}
	return map[string]toolverdict.Subject{
		aliceKey:    {ID: "agent:alice", Kind: toolverdict.Agent, User: "alice", Agent: "one", Permissions: all},
		bobKey:      {ID: "agent:bob", Kind: toolverdict.Agent, User: "bob", Agent: "one", Permissions: all},
		deputyKey:   {ID: "user:dave", Kind: toolverdict.Person, User: "dave", Roles: []string{"approver"}},
		approverKey: {ID: "user:carol", Kind: toolverdict.Person, User: "carol", Roles: []string{"approver"}},
	}
}

// newRig puts a gate in front of an upstream URL.
func newRig(t *testing.T, url string, s setup) *rig {
	t.Helper()
	r := &rig{t: t, backend: s.backend}
	if r.backend == nil {
		b, err := upstreamhttp.New(upstreamhttp.Config{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		r.backend = b
	}
	t.Cleanup(func() { r.backend.Close() })
	if s.policy == nil {
		s.policy = allowAll
	}
	r.policy.Store(&s.policy)
	if s.overlay == "" {
		s.overlay = openOverlay
	}
	if s.tools != nil {
		var tools []json.RawMessage
		for _, def := range s.tools {
			tools = append(tools, json.RawMessage(def))
		}
		r.take(s.overlay, tools)
	} else {
		r.learn(s.overlay)
	}
	r.build(s)
	return r
}

// learn lists the upstream's tools and takes them as reviewed.
func (r *rig) learn(overlay string) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 20*time.Second)
	defer cancel()
	listing, err := upstream.ListTools(ctx, r.backend)
	if err != nil {
		r.t.Fatalf("list upstream tools: %v", err)
	}
	r.take(overlay, listing.Tools)
}

func (r *rig) take(overlay string, tools []json.RawMessage) {
	r.t.Helper()
	o, err := catalog.ParseOverlay("catalog.yaml", []byte("version: 1\n"+overlay))
	if err != nil {
		r.t.Fatal(err)
	}
	c, _, err := catalog.Build(catalog.Input{
		Servers:  []catalog.Server{{Name: "up", Announced: tools, Pinning: catalog.PinFirstSight}},
		Overlays: []*catalog.Overlay{o}, Now: time.Now(),
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.catalog.Store(c)
}

func (r *rig) build(s setup) {
	t := r.t
	t.Helper()
	state, err := memory.New(memory.Config{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	r.store = &recorder{Store: state}
	r.store.more.L = &r.store.mu
	redactor, err := redact.New(redact.Config{Key: make([]byte, 32), Held: s.held})
	if err != nil {
		t.Fatal(err)
	}
	if r.desk, err = approval.New(approval.Config{
		Store: r.store, Now: time.Now, NewID: rand.Text, Text: redactor.Text, Approvers: []string{"role:approver"},
	}); err != nil {
		t.Fatal(err)
	}
	if r.gate, err = toolverdict.New(toolverdict.Config{
		Snapshots: r, Choices: r.store, Analyser: s.analyse, Confirmations: r.desk, Store: r.store, Executor: noExecutor{},
		Redactor: redactor, Now: time.Now, NewID: rand.Text, Node: "test", Timeout: 20 * time.Second,
		OpenAsks: -1, // the ways through the gate name sessions differently, and questions are counted by them
	}); err != nil {
		t.Fatal(err)
	}
	r.redactor = redactor
	r.open(s)
}

// open makes the front of a rig.
func (r *rig) open(s setup) {
	t := r.t
	t.Helper()
	c := mcpgate.Config{
		Gate: r.gate, Desk: r.desk, Tools: tools{r}, Redactor: r.redactor, Servers: []mcpgate.Server{{Name: "up", Backend: r.backend}},
		Authenticate: func(key string) (toolverdict.Subject, bool) {
			who, ok := subjects()[key]
			return who, ok
		},
		Key: make([]byte, mcpgate.KeySize), Now: time.Now, Changed: func(string) { r.changed.Add(1) },
		BaseURL: "https://gate.example",
	}
	if s.front != nil {
		s.front(&c)
	}
	var err error
	if r.front, err = mcpgate.New(c); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(r.front)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	r.url = server.URL + "/mcp/up"
}

// Current implements toolverdict.Snapshots.
func (r *rig) Current() *toolverdict.Snapshot {
	return &toolverdict.Snapshot{Catalog: r.catalog.Load(), Policy: *r.policy.Load()}
}

// tools is the catalog in force.
type tools struct{ r *rig }

func (t tools) Tool(name string) (*toolverdict.Tool, bool) { return t.r.catalog.Load().Tool(name) }
func (t tools) Quarantined(name string) (string, bool)     { return t.r.catalog.Load().Quarantined(name) }
func (t tools) Holds(server string, raw []byte) (string, bool) {
	return t.r.catalog.Load().Holds(server, raw)
}

// noExecutor is never used: calls of this front have their own.
type noExecutor struct{}

func (noExecutor) Execute(context.Context, toolverdict.Permit) toolverdict.Outcome {
	return toolverdict.Outcome{Status: toolverdict.NotSent}
}

// approve gives an approval as the approver.
func (r *rig) approve(id string) {
	r.t.Helper()
	if _, err := r.desk.Approve(r.t.Context(), subjects()[approverKey], id, "fine"); err != nil {
		r.t.Fatalf("approve: %v", err)
	}
}

// exchangeHTTP posts one message and returns status, headers and body.
func (r *rig) post(key, body string, header map[string]string) (int, http.Header, string) {
	r.t.Helper()
	return post(r.t, r.url, key, body, header)
}

func post(t *testing.T, url, key, body string, header map[string]string) (int, http.Header, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	for k, v := range header {
		if k == "Host" {
			req.Host = v
			continue
		}
		req.Header.Set(k, v)
	}
	resp, err := tester.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var b strings.Builder
	buf := make([]byte, 32<<10)
	for {
		n, err := resp.Body.Read(buf)
		b.Write(buf[:n])
		if err != nil {
			return resp.StatusCode, resp.Header, b.String()
		}
	}
}

// records returns what was recorded of calls of a tool, oldest first.
func (r *rig) records(tool string) []toolverdict.Record {
	r.t.Helper()
	var out []toolverdict.Record
	for _, rec := range r.store.all() {
		if rec.Tool == tool {
			out = append(out, rec)
		}
	}
	return out
}

// recorder is a store that remembers what was recorded.
type recorder struct {
	*memory.Store

	mu      sync.Mutex
	more    sync.Cond
	records []toolverdict.Record
	broken  atomic.Bool // refuses every write
}

// await returns the first record that fits, as soon as there is one.
func (s *recorder) await(fits func(toolverdict.Record) bool) toolverdict.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	for from := 0; ; from++ {
		for from >= len(s.records) {
			s.more.Wait()
		}
		if fits(s.records[from]) {
			return s.records[from]
		}
	}
}

func (s *recorder) Commit(ctx context.Context, c toolverdict.Changes) error {
	if s.broken.Load() {
		return errors.New("disk full")
	}
	if err := s.Store.Commit(ctx, c); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = append(s.records, c.Records...)
	s.more.Broadcast()
	return nil
}

func (s *recorder) all() []toolverdict.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]toolverdict.Record{}, s.records...)
}

// fake is an upstream that a test scripts: it logs what it received.
type fake struct {
	mu       sync.Mutex
	received []string
	answer   func(w http.ResponseWriter, r *http.Request, m *mcpwire.Message)
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b := make([]byte, r.ContentLength)
	for n := 0; n < len(b); {
		k, err := r.Body.Read(b[n:])
		n += k
		if err != nil {
			break
		}
	}
	m, err := mcpwire.ParseServer(b)
	if err != nil {
		http.Error(w, "not a message", http.StatusBadRequest)
		return
	}
	if m.Method() != "tools/list" {
		f.mu.Lock()
		f.received = append(f.received, string(b))
		f.mu.Unlock()
	}
	f.answer(w, r, m)
}

func (f *fake) calls() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string{}, f.received...)
}
