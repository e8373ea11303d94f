// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/mcpgate"
)

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// plain is an upstream that answers every request with an empty result.
func plain(t *testing.T) (*fake, string) {
	t.Helper()
	up := &fake{answer: func(w http.ResponseWriter, _ *http.Request, m *mcpwire.Message) {
		if m.Kind() != mcpwire.Request {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(mcpwire.ResultResponse(m.ID(), []byte(`{"content":[]}`)))
	}}
	server := httptest.NewServer(up)
	t.Cleanup(server.Close)
	return up, server.URL
}

func echoTool() []string { return []string{`{"name":"echo","inputSchema":{"type":"object"}}`} }

// TestFrontRefuses holds what an HTTP request needs before its message counts.
func TestFrontRefuses(t *testing.T) {
	t.Parallel()
	up, url := plain(t)
	r := newRig(t, url, setup{tools: echoTool(), front: func(c *mcpgate.Config) {
		c.Hosts, c.Origins = []string{"Gate.Example"}, []string{"https://app.example"}
	}})
	for name, c := range map[string]struct {
		key    string
		header map[string]string
		query  string
		want   int
	}{
		"good":                    {aliceKey, nil, "", 200},
		"no key":                  {"", nil, "", 401},
		"unknown key":             {"nobody", nil, "", 401},
		"basic":                   {"", map[string]string{"Authorization": "Basic YWxpY2Uta2V5"}, "", 401},
		"key without scheme":      {"", map[string]string{"Authorization": aliceKey}, "", 401},
		"foreign host":            {aliceKey, map[string]string{"Host": "evil.example.com"}, "", 403},
		"foreign host, our port":  {aliceKey, map[string]string{"Host": "evil.example.com:8711"}, "", 403},
		"host that starts right":  {aliceKey, map[string]string{"Host": "localhost.evil.example"}, "", 403},
		"host that ends right":    {aliceKey, map[string]string{"Host": "evil-localhost"}, "", 403},
		"configured host":         {aliceKey, map[string]string{"Host": "gate.EXAMPLE:443"}, "", 200},
		"localhost":               {aliceKey, map[string]string{"Host": "localhost:1"}, "", 200},
		"ipv6 loopback":           {aliceKey, map[string]string{"Host": "[::1]:80"}, "", 200},
		"other loopback address":  {aliceKey, map[string]string{"Host": "127.0.0.2"}, "", 403},
		"foreign origin":          {aliceKey, map[string]string{"Origin": "http://evil.example.com"}, "", 403},
		"null origin":             {aliceKey, map[string]string{"Origin": "null"}, "", 403},
		"empty origin":            {aliceKey, map[string]string{"Origin": ""}, "", 403},
		"configured origin":       {aliceKey, map[string]string{"Origin": "https://app.example"}, "", 200},
		"cross-site, configured":  {aliceKey, map[string]string{"Origin": "https://app.example", "Sec-Fetch-Site": "cross-site"}, "", 200},
		"cross-site, no origin":   {aliceKey, map[string]string{"Sec-Fetch-Site": "cross-site"}, "", 403},
		"origin of other scheme":  {aliceKey, map[string]string{"Origin": "http://app.example"}, "", 403},
		"origin of another port":  {aliceKey, map[string]string{"Origin": "http://localhost:1", "Host": "localhost:2"}, "", 403},
		"own origin":              {aliceKey, map[string]string{"Origin": "http://localhost:2", "Host": "localhost:2"}, "", 200},
		"origin with credentials": {aliceKey, map[string]string{"Origin": "http://localhost@evil.example", "Host": "localhost"}, "", 403},
		"text":                    {aliceKey, map[string]string{"Content-Type": "text/plain"}, "", 415},
		"form":                    {aliceKey, map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, "", 415},
		"json with charset":       {aliceKey, map[string]string{"Content-Type": "application/json; charset=utf-8"}, "", 200},
		"compressed":              {aliceKey, map[string]string{"Content-Encoding": "gzip"}, "", 415},
		"accepts only json":       {aliceKey, map[string]string{"Accept": "application/json"}, "", 406},
		"accepts anything":        {aliceKey, map[string]string{"Accept": "*/*"}, "", 200},
		"last event id":           {aliceKey, map[string]string{"Last-Event-ID": "1"}, "", 400},
		"read-only run":           {aliceKey, nil, "?run=read-only", 200},
		"misspelt run":            {aliceKey, nil, "?run=readonly", 400},
		"misspelt query":          {aliceKey, nil, "?Run=read-only", 400},
		"run twice":               {aliceKey, nil, "?run=read-only&run=full", 400},
		"more than a run":         {aliceKey, nil, "?run=read-only&x=1", 400},
		"broken query":            {aliceKey, nil, "?%zz", 400},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, h, body := post(t, r.url+c.query, c.key, ping, c.header)
			if status != c.want {
				t.Errorf("got %d %s, want %d", status, body, c.want)
			}
			if status == http.StatusUnauthorized && h.Get("WWW-Authenticate") == "" {
				t.Error("no challenge")
			}
			if strings.Contains(body, "evil") || strings.Contains(body, aliceKey) {
				t.Errorf("the refusal repeats what was sent: %s", body)
			}
		})
	}
	t.Cleanup(func() {
		for _, got := range up.calls() {
			if got != ping {
				t.Errorf("forwarded %s", got)
			}
		}
	})
}

func TestFrontPaths(t *testing.T) {
	t.Parallel()
	_, url := plain(t)
	r := newRig(t, url, setup{tools: echoTool()})
	base := strings.TrimSuffix(r.url, "/mcp/up")
	for path, want := range map[string]int{"/mcp": 200, "/mcp/up": 200, "/mcp/": 404, "/mcp/other": 404, "/mcp/up/x": 404, "/": 404, "/mcpx": 404} {
		if got, _, _ := post(t, base+path, aliceKey, ping, nil); got != want {
			t.Errorf("%s: got %d, want %d", path, got, want)
		}
	}
	for method, want := range map[string]int{http.MethodPut: 405, http.MethodOptions: 405, http.MethodPatch: 405} {
		req, _ := http.NewRequestWithContext(t.Context(), method, r.url, nil)
		req.Header.Set("Authorization", "Bearer "+aliceKey)
		resp, err := tester.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want || resp.Header.Get("Allow") == "" {
			t.Errorf("%s: got %d", method, resp.StatusCode)
		}
	}
}

// TestCredentialsStayHere holds that nothing a client proves itself with reaches
// an upstream, and nothing of the upstream's credentials a client.
func TestCredentialsStayHere(t *testing.T) {
	t.Parallel()
	seen := make(chan http.Header, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header.Clone()
		w.Header().Set("WWW-Authenticate", "Bearer realm=upstream")
		w.Header().Set("Set-Cookie", "a=b")
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"text":"the key is up\u0073tream-secret"}}`)
	}))
	t.Cleanup(server.Close)
	r := newRig(t, server.URL, setup{tools: echoTool(), held: []string{"upstream-secret"}})
	for _, message := range []string{ping, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`} {
		_, h, body := r.post(aliceKey, message, map[string]string{
			"Cookie": "session=x", "X-Api-Key": "x", "Mcp-Param-Free": "y", "Accept-Encoding": "gzip", "Idempotency-Key": "z", "X-Forwarded-For": "1.2.3.4",
		})
		got := <-seen
		want := http.Header{
			"Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}, "User-Agent": {"toolverdict"},
			"Content-Length": {fmt.Sprint(len(message))}, "Mcp-Param-Free": {"y"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("to the upstream: %s", diff)
		}
		if h.Get("Set-Cookie") != "" || h.Get("WWW-Authenticate") != "" || strings.Contains(body, "tream-secret") || !mcpwireValid(body) {
			t.Errorf("to the client: %v %s", h, body)
		}
	}
}

// TestSecretsInPassing holds that what comes before an answer is redacted too.
func TestSecretsInPassing(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(says(200, "text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"data\":\"upstream-secret\"}}\n\n"+
		"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n"))
	t.Cleanup(server.Close)
	r := newRig(t, server.URL, setup{tools: echoTool(), held: []string{"upstream-secret"}})
	for _, message := range []string{ping, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`} {
		_, h, body := r.post(aliceKey, message, nil)
		if strings.Contains(body, "upstream-secret") || len(messages(h, body)) != 2 {
			t.Errorf("got %s", body)
		}
	}
}

func mcpwireValid(body string) bool {
	_, err := mcpwire.ParseServer([]byte(body))
	return err == nil
}

// TestMalformed holds that what is refused before it is a call is answered, and
// that the front serves the next message.
func TestMalformed(t *testing.T) {
	t.Parallel()
	up, url := plain(t)
	r := newRig(t, url, setup{tools: echoTool()})
	call := func(arguments string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":` + arguments + `}}`
	}
	for name, c := range map[string]struct {
		body   string
		status int
		want   string
	}{
		"batch":                  {`[` + ping + `]`, 400, "batches are not accepted"},
		"not json":               {`hello`, 400, "-32700"},
		"empty":                  {``, 400, "-32700"},
		"duplicate method":       {`{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call"}`, 400, "-32700"},
		"Method":                 {`{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call"}`, 400, "-32700"},
		"fake params":            {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nosuch"},"paramſ":{"name":"echo"}}`, 400, "-32700"},
		"Name":                   {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nosuch","Name":"echo"}}`, 400, "-32700"},
		"big id":                 {`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, 400, "-32600"},
		"fraction id":            {`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, 400, "-32600"},
		"call as notification":   {`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo"}}`, 400, "-32600"},
		"no name":                {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`, 200, "-32602"},
		"name is a number":       {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":1}}`, 200, "-32602"},
		"duplicate argument":     {call(`{"m":1,"m":2}`), 200, "MALFORMED_CALL"},
		"folded argument":        {call(`{"m":1,"M":2}`), 200, "MALFORMED_CALL"},
		"surrogate in arguments": {call(`{"m":"\ud800"}`), 200, "MALFORMED_CALL"},
		"depth bomb":             {call(strings.Repeat(`{"a":`, 90) + "1" + strings.Repeat("}", 90)), 200, "MALFORMED_CALL"},
		"huge depth bomb":        {call(strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)), 400, "-32700"},
		"arguments over 1 MiB":   {call(`{"a":"` + strings.Repeat("x", 2<<20) + `"}`), 200, "MALFORMED_CALL"},
		"10 MiB":                 {call(`{"a":"` + strings.Repeat("x", 10<<20) + `"}`), 413, "larger than the limit"},
		"bad arguments and meta": {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{},"_meta":{"a":1,"a":2}}}`, 400, "-32700"},
		"arguments are a list":   {call(`[]`), 200, "MALFORMED_CALL"},
	} {
		status, _, body := r.post(aliceKey, c.body, nil)
		if status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s: got %d %.300s", name, status, body)
		}
	}
	if n := len(up.calls()); n != 0 {
		t.Errorf("forwarded %d messages: %.300q", n, up.calls())
	}
	malformed := 0
	for _, rec := range r.records("up/echo") {
		if rec.Code == toolverdict.MalformedCall {
			malformed++
		}
	}
	if malformed < 6 {
		t.Errorf("%d of the malformed calls are on record", malformed)
	}
	if status, _, _ := r.post(aliceKey, ping, nil); status != http.StatusOK {
		t.Errorf("the next message: %d", status)
	}
}

// TestHeadersMatchTheBody holds the checks over the wire, with the codes that
// the protocol gives them.
func TestHeadersMatchTheBody(t *testing.T) {
	t.Parallel()
	up, url := plain(t)
	r := newRig(t, url, setup{tools: []string{`{"name":"echo","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}}`}})
	body := modern(1, "echo", `{"region":"eu"}`, with, "")
	good := map[string]string{"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "echo", "Mcp-Param-Region": "eu"}
	for name, change := range map[string]map[string]string{
		"no method":     {"Mcp-Method": ""},
		"other method":  {"Mcp-Method": "tools/list"},
		"other name":    {"Mcp-Name": "wipe"},
		"other version": {"MCP-Protocol-Version": "2025-11-25"},
		"other param":   {"Mcp-Param-Region": "us"},
		"no param":      {"Mcp-Param-Region": ""},
	} {
		h := map[string]string{}
		for k, v := range good {
			if w, changed := change[k]; changed {
				v = w
			}
			if v != "" {
				h[k] = v
			}
		}
		status, _, got := r.post(aliceKey, body, h)
		if status != http.StatusBadRequest || !strings.Contains(got, "-32020") || !strings.Contains(got, `"id":1`) {
			t.Errorf("%s: got %d %s", name, status, got)
		}
	}
	if n := len(up.calls()); n != 0 {
		t.Errorf("forwarded %d messages", n)
	}
	if status, _, got := r.post(aliceKey, body, good); status != http.StatusOK {
		t.Errorf("good: %d %s", status, got)
	}
}

// TestReadOnlyRun hides destructive tools and refuses them all the same, by each
// of the ways that a run can be made read-only.
func TestReadOnlyRun(t *testing.T) {
	t.Parallel()
	definitions := []string{`{"name":"look","inputSchema":{"type":"object"}}`, `{"name":"wipe","inputSchema":{"type":"object"}}`}
	up := &fake{answer: func(w http.ResponseWriter, _ *http.Request, m *mcpwire.Message) {
		w.Header().Set("Content-Type", "application/json")
		result := `{"content":[]}`
		if m.Method() == "tools/list" {
			result = `{"tools":[` + strings.Join(definitions, ",") + `]}`
		}
		_, _ = w.Write(mcpwire.ResultResponse(m.ID(), []byte(result)))
	}}
	server := httptest.NewServer(up)
	t.Cleanup(server.Close)
	for name, c := range map[string]struct {
		query string
		front func(*mcpgate.Config)
	}{
		"by URL":    {"?run=read-only", nil},
		"by server": {"", func(c *mcpgate.Config) { c.Servers[0].ReadOnly = true }},
		"by subject": {"", func(c *mcpgate.Config) {
			c.Run = func(toolverdict.Subject) toolverdict.Run { return toolverdict.Run{ReadOnly: true} }
		}},
		"by choice": {"", func(c *mcpgate.Config) {
			c.Run = func(toolverdict.Subject) toolverdict.Run { return toolverdict.Run{Disabled: []string{"up/wipe"}} }
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, server.URL, setup{tools: definitions, overlay: wipeOverlay, front: c.front})
			before := len(up.calls())
			_, _, list := post(t, r.url+c.query, aliceKey, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil)
			if strings.Contains(list, "wipe") || !strings.Contains(list, "look") {
				t.Errorf("listed %s", list)
			}
			_, _, body := post(t, r.url+c.query, aliceKey, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wipe"}}`, nil)
			if !strings.Contains(body, "TOOL_NOT_ALLOWED") || !strings.Contains(body, `"stateChanged":false`) {
				t.Errorf("got %s", body)
			}
			for _, got := range up.calls()[before:] {
				if strings.Contains(got, "wipe") {
					t.Errorf("forwarded %s", got)
				}
			}
			if rec := r.records("up/wipe"); len(rec) != 1 || rec[0].Code != toolverdict.ToolNotAllowed {
				t.Errorf("recorded %v", rec)
			}
		})
	}
}

// TestQuarantine says of a tool that waits for review that it does.
func TestQuarantine(t *testing.T) {
	t.Parallel()
	up, url := plain(t)
	r := newRig(t, url, setup{tools: []string{`{"name":"echo","inputSchema":{"type":"object"}}`, `{"name":"ec\u200bho","inputSchema":{"type":"object"}}`, `{"name":"bad","inputSchema":{"type":"nosuchtype"}}`}})
	_, _, body := r.post(aliceKey, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"bad"}}`, nil)
	if strings.Count(body, "waits for an operator's review") != 2 || !strings.Contains(body, "UNKNOWN_TOOL") || !strings.Contains(body, `"isError":true`) ||
		strings.Contains(body, "no such tool") || strings.Contains(body, "tool list") {
		t.Errorf("got %s", body)
	}
	if n := len(up.calls()); n != 0 {
		t.Errorf("forwarded %d messages", n)
	}
}

// TestListsAreWatched reports a definition that changed under the gate.
func TestListsAreWatched(t *testing.T) {
	t.Parallel()
	up := &fake{answer: func(w http.ResponseWriter, _ *http.Request, m *mcpwire.Message) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(mcpwire.ResultResponse(m.ID(), []byte(`{"tools":[{"name":"echo","description":"now different","inputSchema":{"type":"object"}}]}`)))
	}}
	server := httptest.NewServer(up)
	t.Cleanup(server.Close)
	r := newRig(t, server.URL, setup{tools: echoTool()})
	if _, _, body := r.post(aliceKey, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil); strings.Contains(body, "echo") {
		t.Errorf("listed %s", body)
	}
	if r.changed.Load() != 1 {
		t.Error("nobody was told")
	}
}

// TestStoreIsLost holds that without a record nothing is forwarded, and that the
// gate recovers.
func TestStoreIsLost(t *testing.T) {
	t.Parallel()
	up, url := plain(t)
	r := newRig(t, url, setup{tools: echoTool()})
	r.store.broken.Store(true)
	_, _, body := r.post(aliceKey, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`, nil)
	if !strings.Contains(body, "GATE_UNAVAILABLE") || len(up.calls()) != 0 {
		t.Errorf("got %s", body)
	}
	r.store.broken.Store(false)
	if _, _, body = r.post(aliceKey, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo"}}`, nil); !strings.Contains(body, `"content":[]`) {
		t.Errorf("after it came back: %s", body)
	}
}

// TestBusy refuses more than it can serve, at once.
func TestBusy(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		<-release
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	}))
	t.Cleanup(server.Close)
	r := newRig(t, server.URL, setup{tools: echoTool(), front: func(c *mcpgate.Config) { c.MaxInFlight = 2 }})
	statuses := make(chan int, 8)
	for range 8 {
		go func() {
			status, _, _ := r.post(aliceKey, ping, nil)
			statuses <- status
		}()
	}
	got := map[int]int{}
	for range 6 {
		got[<-statuses]++
	}
	close(release)
	for range 2 {
		got[<-statuses]++
	}
	if diff := cmp.Diff(map[int]int{200: 2, 503: 6}, got); diff != "" {
		t.Error(diff)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	_, url := plain(t)
	var good mcpgate.Config
	newRig(t, url, setup{tools: echoTool(), front: func(c *mcpgate.Config) { good = *c }})
	for name, spoil := range map[string]func(*mcpgate.Config){
		"no gate":         func(c *mcpgate.Config) { c.Gate = nil },
		"no tools":        func(c *mcpgate.Config) { c.Tools = nil },
		"no redactor":     func(c *mcpgate.Config) { c.Redactor = nil },
		"no authenticate": func(c *mcpgate.Config) { c.Authenticate = nil },
		"no clock":        func(c *mcpgate.Config) { c.Now = nil },
		"no servers":      func(c *mcpgate.Config) { c.Servers = nil },
		"no key":          func(c *mcpgate.Config) { c.Key = nil },
		"short key":       func(c *mcpgate.Config) { c.Key = c.Key[:16] },
		"server name":     func(c *mcpgate.Config) { c.Servers = []mcpgate.Server{{Name: "a/b", Backend: c.Servers[0].Backend}} },
		"server twice":    func(c *mcpgate.Config) { c.Servers = append(c.Servers[:1:1], c.Servers[0]) },
		"no backend":      func(c *mcpgate.Config) { c.Servers = []mcpgate.Server{{Name: "a"}} },
		"base URL":        func(c *mcpgate.Config) { c.BaseURL = "javascript:alert(1)" },
		"host pattern":    func(c *mcpgate.Config) { c.Hosts = []string{"*"} },
		"origin path":     func(c *mcpgate.Config) { c.Origins = []string{"https://a.example/"} },
		"origin null":     func(c *mcpgate.Config) { c.Origins = []string{"null"} },
	} {
		c := good
		spoil(&c)
		if _, err := mcpgate.New(c); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := mcpgate.New(good); err != nil {
		t.Error(err)
	}
}

// FuzzPost sends anything, with any headers, to a front whose policy denies
// everything: nothing that acts is ever forwarded, and the front never breaks
// down.
func FuzzPost(f *testing.F) {
	for _, s := range []string{
		ping, modern(1, "echo", `{"a":1}`, withURL, `,"requestState":"x"`), `[{}]`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":"{}"}}`,
		`{"jsonrpc":"2.0","method":"notifications/x"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","Method":"x","params":{"name":"echo"}}`,
	} {
		f.Add([]byte(s), "2026-07-28", "tools/call", "echo")
		f.Add([]byte(s), "", "", "")
	}
	backend := &watched{}
	r := newBareFront(f, backend)
	f.Fuzz(func(t *testing.T, body []byte, version, method, name string) {
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/mcp/up", strings.NewReader(string(body)))
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "*/*")
		req.Header.Set("Authorization", "Bearer "+aliceKey)
		for k, v := range map[string]string{mcpwire.HeaderVersion: version, mcpwire.HeaderMethod: method, mcpwire.HeaderName: name} {
			if v != "" {
				req.Header.Set(k, v)
			}
		}
		w := httptest.NewRecorder()
		r.ServeHTTP(w, req)
		if w.Code == http.StatusInternalServerError {
			t.Fatalf("broke down: %s", w.Body)
		}
		if acted := backend.acted.Load(); acted != nil {
			t.Fatalf("forwarded %s", *acted)
		}
	})
}
