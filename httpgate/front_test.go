// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/gatetest"
	"github.com/toolverdict/toolverdict/httpgate"
	"github.com/toolverdict/toolverdict/httpgate/client"
	"github.com/toolverdict/toolverdict/httpgate/runs"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/store/memory"
	"github.com/toolverdict/toolverdict/internal/switches"
	"github.com/toolverdict/toolverdict/ledger"
)

// tester calls the servers under test. The default transport will not do: each
// httptest.Server that another test closes breaks that one's connections.
var tester = &http.Client{Transport: &http.Transport{}}

var subjects = map[string]tv.Subject{
	"agent-key":    {ID: "agent", Kind: tv.Agent, User: "clerk"},
	"other-key":    {ID: "other", Kind: tv.Agent, User: "somebody"},
	"clerk-key":    {ID: "clerk", Kind: tv.Person},
	"boss-key":     {ID: "boss", Kind: tv.Person, Roles: []string{"approver"}},
	"deputy-key":   {ID: "deputy", Kind: tv.Person, Roles: []string{"approver"}},
	"admin-key":    {ID: "root", Kind: tv.Person, Roles: []string{"admin"}},
	"machine-key":  {ID: "machine", Kind: tv.Agent, Roles: []string{"admin"}},
	"proxy-key":    {ID: "proxy", Kind: tv.Service, Roles: []string{"authzen"}},
	"readonly-key": {ID: "reader", Kind: tv.Agent},
}

var limits = canon.Limits{MaxBytes: 4096, MaxDepth: 16}

// site is a whole gate behind an HTTP server on loopback.
type site struct {
	t       testing.TB
	url     string
	exec    *gatetest.Executor
	gate    *tv.Gate
	store   *memory.Store
	ready   error
	kept    *kept
	chats   *chats
	granter *granter
	front   *httpgate.Front
	now     *gatetest.Snapshots
	tools   gatetest.Catalog
	ahead   atomic.Int64 // how far the clock was put ahead
}

func (s *site) clock() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }

type finder struct{ store *memory.Store }

func (f finder) Find(ctx context.Context, q audit.Query) ([]audit.Numbered, error) {
	view, err := f.store.Log(ctx)
	if err != nil {
		return nil, err
	}
	return view.Find(ctx, q)
}

func newSite(t testing.TB) *site {
	t.Helper()
	s := &site{t: t, exec: &gatetest.Executor{}, kept: &kept{}, chats: &chats{}, granter: &granter{}}
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	var n atomic.Int64
	ids := func() string { return fmt.Sprintf("call%08d", n.Add(1)) }
	plain := gatetest.Redactor{}
	var err error
	s.store, err = memory.New(memory.Config{Now: s.clock})
	must(err)
	desk, err := approval.New(approval.Config{Store: s.store, Now: s.clock, NewID: ids, Text: plain.Text, Poll: time.Millisecond})
	must(err)
	book, err := ledger.New(ledger.Config{Store: s.store, Now: s.clock, Text: plain.Text})
	must(err)
	tools := gatetest.Catalog{gatetest.Tool("read", nil), gatetest.Tool("cancel", gatetest.Destructive), gatetest.Tool("never", gatetest.Destructive)}
	policy := gatetest.Policy{Name: "by-tool", Func: func(r tv.Request) tv.Decision {
		return gatetest.Says(map[string]tv.Verdict{"server/read": tv.Allow, "server/cancel": tv.Ask}[r.Tool.Name()])
	}}
	s.tools, s.now = tools, gatetest.NewSnapshots(tools, policy)
	s.gate, err = tv.New(tv.Config{
		Snapshots: s.now, Choices: s.store, Analyser: gatetest.Analyser(nil), Confirmations: desk, Store: s.store,
		Executor: s.exec, Redactor: plain, Now: s.clock, NewID: ids, Node: "n", Limits: limits,
	})
	must(err)
	started, err := runs.New(runs.Config{
		Shelf: s.store, Environment: map[string]string{"stage": "prod"}, Limits: limits, Now: s.clock, NewID: ids, Log: slog.New(slog.DiscardHandler),
		Claims: func(sub tv.Subject) []string { return map[string][]string{"agent": {"ticket"}}[sub.ID] },
	})
	must(err)
	s.front, err = httpgate.New(httpgate.Config{
		NewID: ids, BaseURL: "https://gate.example", Subject: func(id string) (tv.Subject, bool) { sub, ok := subjects[id+"-key"]; return sub, ok }, Runs: started, Routes: started.Routes(), Redactor: gatetest.Redactor{Secret: "hunter2"}, Timeout: time.Minute, Environment: map[string]string{"stage": "prod"},
		Gate: s.gate, Reader: desk, Voter: desk, Book: &ledger.Clerk{Book: book, Gate: s.gate, Run: func(tv.Subject) tv.Run { return tv.Run{} }}, Choices: switches.Board{Store: s.store, Known: func(name string) bool { _, ok := tools.Tool(name); return ok }, Now: s.clock}, Records: finder{s.store}, Policies: s.kept, Channels: s.chats, Grants: s.granter, All: tools.Tools,
		Authenticate: func(b string) (tv.Subject, bool) { sub, ok := subjects[b]; return sub, ok },
		Run:          func(sub tv.Subject) tv.Run { return tv.Run{ReadOnly: sub.ID == "reader"} },
		Ready:        func(context.Context) error { return s.ready }, Now: s.clock, Log: slog.New(slog.DiscardHandler),
		Limits: limits, Hooks: hooksStub(),
		Envoy: []httpgate.EnvoyRoute{
			{Path: "/mcp", Server: "server"}, {Path: "/closed", Server: "server", ReadOnly: true},
			{Host: "tools.example", Path: "/mcp", Server: "other", Subject: "X-User"},
		},
	})
	must(err)
	server := httptest.NewServer(s.front)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func newRequestID() string { return "request-1" }

func (s *site) as(key string) *client.Client {
	s.t.Helper()
	c, err := client.New(s.url, key)
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// post sends raw bytes and returns status and body.
func (s *site) post(key, path, body string, edit func(*http.Request)) (int, string) {
	s.t.Helper()
	return s.send(key, http.MethodPost, path, body, edit)
}

func (s *site) send(key, method, path, body string, edit func(*http.Request)) (int, string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+key)
	if edit != nil {
		edit(req)
	}
	resp, err := tester.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if strings.Contains(resp.Header.Get("Content-Type"), "json") && (strings.HasPrefix(path, "/v1/") || strings.HasPrefix(path, "/access/")) {
		s.holds(method, path, resp.StatusCode, string(b))
	}
	return resp.StatusCode, string(b)
}

func TestCallApproveAndCallAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	agent, boss := s.as("agent-key"), s.as("boss-key")
	ctx := context.Background()
	res, _, err := agent.Do(ctx, client.Call{Tool: "server/cancel", Arguments: []byte(`{"id":1.0}`)})
	if err != nil || res.Error == nil || res.Error.Code != tv.ConfirmationRequired {
		t.Fatalf("%+v %v", res, err)
	}
	id := res.Confirmation.ID
	open, err := boss.Approvals(ctx, "pending")
	if err != nil || len(open) != 1 || open[0].ID != id || open[0].Card.Summary != "Run cancel on 1.0" {
		t.Fatalf("%+v %v", open, err)
	}
	if _, err := agent.Decide(ctx, id, "approve", ""); status(err) != http.StatusForbidden {
		t.Errorf("the agent approved: %v", err)
	}
	if _, err := s.as("clerk-key").Decide(ctx, id, "approve", ""); status(err) != http.StatusForbidden {
		t.Errorf("the requester approved: %v", err)
	}
	if _, err := s.as("other-key").Approval(ctx, id); status(err) != http.StatusNotFound {
		t.Errorf("a stranger sees it: %v", err)
	}
	if a, err := boss.Decide(ctx, id, "approve", "fine"); err != nil || a.State != tv.ApprovalApproved {
		t.Fatalf("%+v %v", a, err)
	}
	if _, err := boss.Decide(ctx, id, "reject", ""); status(err) != http.StatusConflict {
		t.Errorf("rejected after approving: %v", err)
	}
	res, raw, err := agent.Do(ctx, client.Call{Confirmation: id})
	if err != nil || !res.Success || res.StateChanged != tv.Changed || !strings.Contains(string(raw), `"result":{"id":1.0}`) {
		t.Fatalf("%s %v", raw, err)
	}
	res, _, err = agent.Do(ctx, client.Call{Confirmation: id})
	if err != nil || res.Error == nil || res.Error.Code != tv.ConfirmationInvalid {
		t.Errorf("%+v %v", res, err)
	}
	if ran := s.exec.Ran(); len(ran) != 1 || ran[0].Arguments != `{"id":1.0}` {
		t.Errorf("ran %v", ran)
	}
}

func status(err error) int {
	if p, ok := errors.AsType[*client.Problem](err); ok {
		return p.Status
	}
	return 0
}

func TestHeldCallIsAnsweredWhenApproved(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	done := make(chan tv.Result, 1)
	go func() {
		res, _, _ := s.as("agent-key").Do(context.Background(), client.Call{Tool: "server/cancel", Arguments: []byte(`{}`), Wait: 30 * time.Second})
		done <- res
	}()
	boss := s.as("boss-key")
	for {
		open, err := boss.Approvals(context.Background(), "pending")
		if err != nil {
			t.Fatal(err)
		}
		if len(open) == 1 {
			if _, err := boss.Decide(context.Background(), open[0].ID, "approve", ""); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	if res := <-done; !res.Success {
		t.Errorf("%+v", res)
	}
}

func TestBodiesThatAreNoCall(t *testing.T) {
	s := newSite(t)
	deep := `{"tool":"server/read","arguments":` + strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40) + `}`
	for name, c := range map[string]struct {
		body   string
		status int
		want   string
	}{
		"duplicate argument":    {`{"tool":"server/read","arguments":{"a":1,"a":2}}`, 200, "MALFORMED_CALL"},
		"duplicate tool":        {`{"tool":"server/never","tool":"server/read"}`, 200, "MALFORMED_CALL"},
		"folding member":        {`{"tool":"server/never","Tool":"server/read"}`, 200, "MALFORMED_CALL"},
		"lone surrogate":        {`{"tool":"server/read","arguments":{"a":"\ud800"}}`, 200, "MALFORMED_CALL"},
		"trailing data":         {`{"tool":"server/read"} {}`, 200, "MALFORMED_CALL"},
		"deep arguments":        {deep, 200, "MALFORMED_CALL"},
		"arguments are a list":  {`{"tool":"server/read","arguments":[1]}`, 200, "MALFORMED_CALL"},
		"string in a string":    {`{"tool":"server/read","arguments":"\"{}\""}`, 200, "MALFORMED_CALL"},
		"stringified arguments": {`{"tool":"server/read","arguments":"{\"a\":1}"}`, 200, `"result":{"a":1}`},
		"no arguments":          {`{"tool":"server/read"}`, 200, `"success":true`},
		"unknown tool":          {`{"tool":"server/nothing","arguments":{}}`, 200, "UNKNOWN_TOOL"},
		"denied":                {`{"tool":"server/never","arguments":{}}`, 200, "POLICY_DENIED"},
		"unknown member":        {`{"tool":"server/read","argumants":{}}`, 400, "argumants"},
		"tool is a number":      {`{"tool":7}`, 400, "tool"},
		"run is text":           {`{"tool":"server/read","run":"read-only"}`, 400, "run"},
		"read-only is text":     {`{"tool":"server/read","run":{"readOnly":"true"}}`, 400, "readOnly"},
		"read-only misspelt":    {`{"tool":"server/read","run":{"read_only":true}}`, 400, "read_only"},
		"bad wait":              {`{"tool":"server/read","wait":"-5s"}`, 400, "wait"},
		"nothing named":         {`{}`, 400, "name a tool"},
		"a list":                {`[]`, 200, "MALFORMED_CALL"},
		"a string":              {`"{}"`, 400, "JSON object"},
		"empty":                 {``, 400, "JSON object"},
		"too large":             {`{"tool":"server/read","arguments":{"a":"` + strings.Repeat("x", 100_000) + `"}}`, 413, "larger"},
		"large arguments":       {`{"tool":"server/read","arguments":{"a":"` + strings.Repeat("x", 5_000) + `"}}`, 200, "MALFORMED_CALL"},
	} {
		t.Run(name, func(t *testing.T) {
			got, body := s.post("agent-key", "/v1/calls", c.body, nil)
			if got != c.status || !strings.Contains(body, c.want) {
				t.Errorf("status %d: %.300s\nwant %d with %s", got, body, c.status, c.want)
			}
		})
	}
	for _, ran := range s.exec.Ran() {
		if ran.Tool != "server/read" {
			t.Errorf("ran %v", ran)
		}
	}
}

func TestWhoIsLetIn(t *testing.T) {
	s := newSite(t)
	body := `{"tool":"server/read","arguments":{}}`
	for name, c := range map[string]struct {
		edit func(*http.Request)
		want int
	}{
		"a good key":        {nil, 200},
		"no key":            {func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		"an unknown key":    {func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") }, 401},
		"two keys":          {func(r *http.Request) { r.Header.Add("Authorization", "Bearer agent-key") }, 401},
		"basic":             {func(r *http.Request) { r.Header.Set("Authorization", "Basic agent-key") }, 401},
		"a foreign host":    {func(r *http.Request) { r.Host = "evil.example" }, 403},
		"a rebound host":    {func(r *http.Request) { r.Host = "127.0.0.1.evil.example:80" }, 403},
		"a foreign origin":  {func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, 403},
		"a null origin":     {func(r *http.Request) { r.Header.Set("Origin", "null") }, 403},
		"a cross-site page": {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, 403},
		"a form":            {func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, 415},
		"compressed":        {func(r *http.Request) { r.Header.Set("Content-Encoding", "gzip") }, 415},
	} {
		t.Run(name, func(t *testing.T) {
			if got, text := s.post("agent-key", "/v1/calls", body, c.edit); got != c.want {
				t.Errorf("got %d, want %d: %s", got, c.want, text)
			}
		})
	}
}

func TestReadOnlyRunsAndSwitchedOffTools(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := context.Background()
	names := func(c *client.Client, all bool) string {
		tools, err := c.Tools(ctx, all)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, tool := range tools {
			name := tool.Name
			if tool.Hidden {
				name += "(hidden)"
			}
			out = append(out, name)
		}
		return strings.Join(out, " ")
	}
	reader := s.as("readonly-key")
	if got := names(reader, false); got != "server/read" {
		t.Errorf("a read-only caller sees %s", got)
	}
	res, _, err := reader.Do(ctx, client.Call{Tool: "server/cancel", Arguments: []byte(`{}`)})
	if err != nil || res.Error == nil || res.Error.Code != tv.ToolNotAllowed {
		t.Errorf("%+v %v", res, err)
	}
	res, _, err = s.as("agent-key").Do(ctx, client.Call{Tool: "server/cancel", Arguments: []byte(`{}`), ReadOnly: true})
	if err != nil || res.Error == nil || res.Error.Code != tv.ToolNotAllowed {
		t.Errorf("%+v %v", res, err)
	}
	if _, err := s.as("agent-key").Choose(ctx, "server/read", true, ""); status(err) != http.StatusForbidden {
		t.Errorf("an agent chose: %v", err)
	}
	if _, err := s.as("boss-key").Choose(ctx, "server/read", true, "clerk"); status(err) != http.StatusForbidden {
		t.Errorf("somebody chose for another: %v", err)
	}
	if _, err := s.as("clerk-key").Choose(ctx, "server/read", true, ""); err != nil {
		t.Fatal(err)
	}
	if got := names(s.as("agent-key"), true); got != "server/read(hidden) server/cancel server/never" {
		t.Errorf("after switching off the agent sees %s", got)
	}
	res, _, err = s.as("agent-key").Do(ctx, client.Call{Tool: "server/read"})
	if err != nil || res.Error == nil || res.Error.Code != tv.ToolNotAllowed {
		t.Errorf("%+v %v", res, err)
	}
	if _, err := s.as("admin-key").Choose(ctx, "server/read", false, "clerk"); err != nil {
		t.Fatal(err)
	}
	if res, _, err = s.as("agent-key").Do(ctx, client.Call{Tool: "server/read"}); err != nil || !res.Success {
		t.Errorf("%+v %v", res, err)
	}
}

func TestBatchKeepsCallOrder(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	got, body := s.post("agent-key", "/v1/batch", `{"calls":[{"tool":"server/read","arguments":{"n":1}},{"tool":"server/never"},{"tool":"server/read","arguments":{"n":3}}]}`, nil)
	var out struct{ Results []tv.Result }
	if err := json.Unmarshal([]byte(body), &out); got != 200 || err != nil || len(out.Results) != 3 {
		t.Fatalf("%d %s %v", got, body, err)
	}
	if string(out.Results[0].Content) != `{"n":1}` || out.Results[1].Success || string(out.Results[2].Content) != `{"n":3}` {
		t.Errorf("%s", body)
	}
	for _, bad := range []string{`{"calls":[]}`, `{"calls":{}}`, `{}`, `{"calls":[1]}`, `{"calls":[{}]}`, `{"calls":[{"tool":"server/read","arguments":{"a":1,"a":2}}]}`} {
		if got, body := s.post("agent-key", "/v1/batch", bad, nil); got != 400 {
			t.Errorf("%s: %d %s", bad, got, body)
		}
	}
}

func TestOnlyOfficersSeeWhatOthersDid(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := context.Background()
	if _, _, err := s.as("agent-key").Do(ctx, client.Call{Tool: "server/read"}); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"agent-key", "clerk-key"} {
		if _, err := s.as(key).Audit(ctx, nil); status(err) != http.StatusForbidden {
			t.Errorf("%s reads the records: %v", key, err)
		}
		if _, err := s.as(key).Ledger(ctx, ""); status(err) != http.StatusForbidden {
			t.Errorf("%s reads the ledger: %v", key, err)
		}
		if err := s.as(key).Settle(ctx, "k", tv.ClaimFailed, "x"); status(err) != http.StatusForbidden {
			t.Errorf("%s settles: %v", key, err)
		}
		if _, err := s.as(key).Reconcile(ctx, "k"); status(err) != http.StatusForbidden {
			t.Errorf("%s asks: %v", key, err)
		}
	}
	records, err := s.as("admin-key").Audit(ctx, nil)
	if err != nil || len(records) != 2 {
		t.Errorf("%d records, %v", len(records), err)
	}
	if err := s.as("admin-key").Settle(ctx, "k", tv.ClaimFailed, "x"); status(err) != http.StatusNotFound {
		t.Errorf("settled nothing: %v", err)
	}
	if _, err := s.as("admin-key").Reconcile(ctx, "k"); status(err) != http.StatusNotFound {
		t.Errorf("asked about nothing: %v", err)
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	get := func(path string) (int, string) {
		resp, err := tester.Get(s.url + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(b)
	}
	if got, _ := get("/readyz"); got != 200 {
		t.Errorf("ready: %d", got)
	}
	s.ready = errors.New("disk /secret/path is full")
	if got, body := get("/readyz"); got != 503 || strings.Contains(body, "secret") {
		t.Errorf("ready: %d %s", got, body)
	}
	if got, _ := get("/livez"); got != 200 {
		t.Errorf("live: %d", got)
	}
}

// TestHTTPDecidesLikeTheLibrary sends the same calls through both doors.
func TestHTTPDecidesLikeTheLibrary(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, c := range []struct{ tool, args string }{
		{"server/read", `{"a":1}`}, {"server/never", `{}`}, {"server/cancel", `{"id":"x"}`}, {"server/nothing", `{}`}, {"server/read", `{"a":1,"a":1}`},
	} {
		direct, err := s.gate.Do(context.Background(), tv.Proposal{Door: tv.DoorLibrary, Tool: c.tool, Arguments: []byte(c.args), Subject: subjects["agent-key"]})
		if err != nil {
			t.Fatal(err)
		}
		over, _, err := s.as("agent-key").Do(context.Background(), client.Call{Tool: c.tool, Arguments: []byte(c.args)})
		if err != nil {
			t.Fatal(err)
		}
		direct.Decision.ID, over.Decision.ID = "", ""
		a, _ := json.Marshal(direct.Decision)
		b, _ := json.Marshal(over.Decision)
		if string(a) != string(b) || direct.Success != over.Success {
			t.Errorf("%s %s\nlibrary %s\nhttp    %s", c.tool, c.args, a, b)
		}
	}
}

func TestClientRefusesAnotherServer(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://evil.example", http.StatusTemporaryRedirect)
	}))
	defer other.Close()
	c, err := client.New(other.URL, "k")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Do(context.Background(), client.Call{Tool: "x"}); status(err) != http.StatusTemporaryRedirect {
		t.Errorf("followed a redirect with a key: %v", err)
	}
	if _, err := client.New("ftp://x", ""); err == nil {
		t.Error("took an address that is not HTTP")
	}
	gone, _ := client.New("http://127.0.0.1:1", "k")
	if _, _, err := gone.Do(context.Background(), client.Call{Tool: "x"}); !errors.Is(err, client.ErrUnreachable) {
		t.Errorf("got %v", err)
	}
}

// Two choices made at once both hold: one that was answered with yes and lost
// would leave a tool on that its user switched off.
func TestChoicesMadeAtOnceAllHold(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	tools := []string{"read", "cancel", "never"}
	var wg sync.WaitGroup
	for _, tool := range tools {
		wg.Go(func() {
			if status, body := s.post("clerk-key", "/v1/tools/server/"+tool+"/disable", `{}`, nil); status != http.StatusOK {
				t.Errorf("%d %s", status, body)
			}
		})
	}
	wg.Wait()
	off, err := s.store.Disabled(context.Background(), "clerk")
	if err != nil || len(off) != len(tools) {
		t.Errorf("switched off: %v, %v, want %v", off, err, tools)
	}
}

func TestChoiceOfWhatIsNoName(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, path := range []string{
		"server/%1b%5b31m/disable", "server/a%20b/disable", "server/" + strings.Repeat("x", 300) + "/disable", "server/read/disable?user=%1b",
	} {
		if status, body := s.post("admin-key", "/v1/tools/"+path, `{}`, nil); status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
}

// hooksStub stands for the desk of coding agents' hooks, which has tests of its own.
func hooksStub() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte("{}"))
	})
}
