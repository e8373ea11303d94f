// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolverdict/toolverdict/e2e/internal/rig"
	"github.com/toolverdict/toolverdict/e2e/internal/wire"
)

// TestFrontRefusesStrangers sends requests that a web page, another program on this machine or a
// guesser could send. None may reach the upstream.
func TestFrontRefusesStrangers(t *testing.T) {
	t.Parallel()
	g := route{}.build(t, upstreams()[0])
	gate := g.gate(t)
	addr := serveGate(t, gate)
	endpoint := "http://" + addr + rig.Endpoint(g.upstream.Name)
	key := "Bearer " + gate.Key
	tests := map[string]struct {
		url    string
		header http.Header
		host   string
		status []int
	}{
		"no key":                   {header: http.Header{}, status: []int{http.StatusUnauthorized}},
		"wrong key":                {header: http.Header{"Authorization": {"Bearer " + strings.Repeat("0", len(gate.Key))}}, status: []int{http.StatusUnauthorized}},
		"part of the key":          {header: http.Header{"Authorization": {key[:len(key)-1]}}, status: []int{http.StatusUnauthorized}},
		"key of another scheme":    {header: http.Header{"Authorization": {"Basic " + gate.Key}}, status: []int{http.StatusUnauthorized}},
		"empty key":                {header: http.Header{"Authorization": {"Bearer "}}, status: []int{http.StatusUnauthorized}},
		"key in the URL":           {url: endpoint + "?access_token=" + gate.Key, header: http.Header{}, status: []int{http.StatusUnauthorized}},
		"key in a cookie":          {header: http.Header{"Cookie": {"Authorization=" + gate.Key}}, status: []int{http.StatusUnauthorized}},
		"two keys":                 {header: http.Header{"Authorization": {"Bearer x", key}}, status: []int{http.StatusUnauthorized, http.StatusBadRequest}},
		"foreign host":             {header: http.Header{"Authorization": {key}}, host: "evil.example.com", status: []int{http.StatusForbidden}},
		"host that begins alike":   {header: http.Header{"Authorization": {key}}, host: "127.0.0.1.evil.example.com", status: []int{http.StatusForbidden}},
		"foreign origin":           {header: http.Header{"Authorization": {key}, "Origin": {"http://evil.example.com"}}, status: []int{http.StatusForbidden}},
		"origin that begins alike": {header: http.Header{"Authorization": {key}, "Origin": {"http://127.0.0.1.evil.example.com"}}, status: []int{http.StatusForbidden}},
		"null origin":              {header: http.Header{"Authorization": {key}, "Origin": {"null"}}, status: []int{http.StatusForbidden}},
		"unknown upstream":         {url: "http://" + addr + rig.Endpoint("nosuch"), header: http.Header{"Authorization": {key}}, status: []int{http.StatusNotFound}},
		"a path beside":            {url: endpoint + "/../../etc", header: http.Header{"Authorization": {key}}, status: []int{http.StatusNotFound, http.StatusBadRequest}},
	}
	for name, tt := range tests {
		url := tt.url
		if url == "" {
			url = endpoint
		}
		client := &wire.HTTP{URL: url, Header: tt.header, Client: &http.Client{Transport: hostHeader(tt.host)}}
		reply := send(t, client, row{name: name, body: strings.Replace(call, "good", "evil", 1)}, "")
		if !slices.Contains(tt.status, reply.Status) {
			t.Errorf("%s: status %d, want one of %d: %.200s", name, reply.Status, tt.status, reply.Body)
		}
		if bytes.Contains(reply.Body, []byte(gate.Key)) {
			t.Errorf("%s: the answer holds the key: %s", name, reply.Body)
		}
	}
	if seen := g.seen(); bytes.Contains(seen, []byte("evil")) {
		t.Errorf("the upstream was sent: %.500s", seen)
	}
}

// hostHeader replaces the Host of every request, where it is not empty.
type hostHeader string

func (h hostHeader) RoundTrip(r *http.Request) (*http.Response, error) {
	if h != "" {
		r = r.Clone(r.Context())
		r.Host = string(h)
	}
	return tester.Transport.RoundTrip(r)
}

// TestNothingOfTheClientReachesTheUpstream checks that what tells the gate who asks stays there.
func TestNothingOfTheClientReachesTheUpstream(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var headers []http.Header
	target := strings.TrimSuffix(strings.TrimPrefix(upstreams()[0].http(t, t.TempDir()+"/effects"), "http://"), "/")
	s := httptest.NewUnstartedServer(nil)
	forward := rig.Forward(target, s.Listener.Addr().String(), nil)
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		headers = append(headers, r.Header.Clone())
		mu.Unlock()
		forward.ServeHTTP(w, r)
	})
	s.Start()
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })

	g := newGate(t, rig.GateSpec{Policy: allowAll, Catalog: lowRisk("sdk"), Upstreams: []rig.Upstream{{Name: "sdk", URL: s.URL}}})
	client := &wire.HTTP{URL: "http://" + serveGate(t, g) + rig.Endpoint("sdk"), Header: http.Header{
		"Authorization": {"Bearer " + g.Key}, "Cookie": {"session=secret-cookie"}, "Accept-Encoding": {"gzip"},
		"X-Forwarded-For": {"203.0.113.9"}, "Proxy-Authorization": {"Basic secret-proxy"},
	}}
	if err := client.Initialize(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := outcome(send(t, client, row{name: "plain call", body: call}, "")); got != good {
		t.Fatalf("a plain call: %s", got)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, h := range headers {
		for name, values := range h {
			for _, secret := range []string{g.Key, "secret-cookie", "secret-proxy", "203.0.113.9"} {
				if strings.Contains(strings.Join(values, " "), secret) {
					t.Errorf("the upstream got %s: %q", name, values)
				}
			}
		}
	}
	if len(headers) == 0 {
		t.Error("the upstream got nothing: the test shows nothing")
	}
}

// TestTheKeyStaysOutOfTheChildsEnvironment asks the reference server for its environment.
func TestTheKeyStaysOutOfTheChildsEnvironment(t *testing.T) {
	t.Parallel()
	g := newGate(t, rig.GateSpec{Policy: allowAll, Catalog: lowRisk("everything"),
		Upstreams: []rig.Upstream{{Name: "everything", Command: npmServer("everything"), Env: []string{"PATH"}}}})
	for name, transport := range throughGate(t, g, "everything") {
		got, err := connect(t, transport).CallTool(t.Context(), &mcp.CallToolParams{Name: "get-env"})
		if err != nil || got.IsError || !strings.Contains(text(got), "PATH") {
			t.Fatalf("%s: get-env: %v %.300s", name, err, text(got))
		}
		if strings.Contains(text(got), "TOOLVERDICT_E2E_KEY") || strings.Contains(text(got), g.Key) {
			t.Errorf("%s: the upstream can read the gate's key", name)
		}
		// A wrapped command gets what the gate's own client would have given it, as documented.
		if name != "wrapped" && strings.Contains(text(got), "HOME") {
			t.Errorf("%s: the upstream got a variable that is not on its list: %s", name, text(got))
		}
	}
}

// TestClientsDoNotMix has many clients use the same ids and the same progress tokens at the same
// time over one upstream: each gets its own answers and its own progress.
func TestClientsDoNotMix(t *testing.T) {
	t.Parallel()
	direct := upstreams()[2].http(t, "")
	t.Run("direct", func(t *testing.T) {
		t.Parallel()
		crowd(t, direct, "", 24)
	})
	tests := map[string]struct {
		upstream rig.Upstream
		clients  int
	}{
		"gate to HTTP": {rig.Upstream{Name: "reference", URL: direct}, 24},
		// Each session has a process of its own here.
		"gate to stdio": {rig.Upstream{Name: "reference", Command: npmServer("everything")}, 6},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGate(t, rig.GateSpec{Policy: allowAll, Catalog: lowRisk("reference"), Upstreams: []rig.Upstream{tt.upstream}})
			crowd(t, "http://"+serveGate(t, g)+rig.Endpoint("reference"), g.Key, tt.clients)
		})
	}
}

// crowd has many clients at one endpoint at the same time.
func crowd(t *testing.T, url, key string, clients int) {
	t.Helper()
	const calls = 10
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			client := &wire.HTTP{URL: url, Header: http.Header{"Authorization": {"Bearer " + key}}}
			if err := client.Initialize(t.Context()); err != nil {
				t.Error(err)
				return
			}
			for n := range calls {
				echoOnce(t, client, fmt.Sprintf("client %d call %d", c, n))
			}
			progressOnce(t, client)
		})
	}
	wg.Wait()
}

// TestClientsOfOneProcessDoNotMix does the same in the stateless era, where all share one process.
func TestClientsOfOneProcessDoNotMix(t *testing.T) {
	t.Parallel()
	const clients, calls, steps = 24, 10, 3
	effects := filepath.Join(t.TempDir(), "effects")
	g := newGate(t, rig.GateSpec{Policy: allowAll, Catalog: "tools:\n  \"*\": {safety: read-only, risk: low}\n", Upstreams: []rig.Upstream{
		{Name: "echoes", Command: []string{own("sdk"), "-log", effects}, Shared: true},
		{Name: "progress", Command: []string{bin("everything-server")}, Shared: true},
	}})
	addr := serveGate(t, g)
	ask := func(upstream, tool, arguments string) (wire.Reply, error) {
		ctx, cancel := context.WithTimeout(t.Context(), exchangeTime)
		defer cancel()
		client := &wire.HTTP{URL: "http://" + addr + rig.Endpoint(upstream), Header: modernHeader()}
		client.Header.Set("Authorization", "Bearer "+g.Key)
		client.Header.Set("Mcp-Name", tool)
		meta := strings.Replace(wire.ModernMeta, "{", `{"progressToken":"same",`, 1)
		return client.Send(ctx, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{%s,"name":"%s","arguments":%s}}`, meta, tool, arguments), nil)
	}
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			for n := range calls {
				message := fmt.Sprintf("client %d call %d", c, n)
				reply, err := ask("echoes", "echo", `{"message":"`+message+`"}`)
				if err != nil || !bytes.Contains(reply.Body, []byte(`"echo: `+message+`"`)) || !bytes.Contains(reply.Body, []byte(`"id":7`)) {
					t.Errorf("%s: %v: %.300s", message, err, reply.Body)
				}
			}
			reply, err := ask("progress", "test_tool_with_progress", "{}")
			if got := bytes.Count(reply.Body, []byte(`"progressToken":"same"`)); err != nil || got != steps {
				t.Errorf("client %d: %d progress notifications, want %d: %v: %.600s", c, got, steps, err, reply.Body)
			}
		})
	}
	wg.Wait()
}

func echoOnce(t *testing.T, client *wire.HTTP, message string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), exchangeTime)
	defer cancel()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"message":"%s"},"_meta":{"progressToken":"same"}}}`, message)
	reply, err := client.Send(ctx, []byte(body), nil)
	if err != nil {
		t.Error(err)
		return
	}
	if want := `"Echo: ` + message + `"`; !bytes.Contains(reply.Body, []byte(want)) || !bytes.Contains(reply.Body, []byte(`"id":7`)) {
		t.Errorf("wanted %s, got %d messages: %.300s", want, len(reply.Messages), reply.Body)
	}
}

func progressOnce(t *testing.T, client *wire.HTTP) {
	t.Helper()
	const steps = 3
	ctx, cancel := context.WithTimeout(t.Context(), exchangeTime)
	defer cancel()
	body := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"trigger-long-running-operation","arguments":{"duration":0.3,"steps":3},"_meta":{"progressToken":"same"}}}`
	reply, err := client.Send(ctx, []byte(body), nil)
	if err != nil {
		t.Error(err)
		return
	}
	progress := 0
	for _, m := range reply.Messages {
		if bytes.Contains(m, []byte(`"notifications/progress"`)) && bytes.Contains(m, []byte(`"progressToken":"same"`)) {
			progress++
		}
	}
	if progress != steps || bytes.Count(reply.Body, []byte(`"notifications/progress"`)) != steps || !bytes.Contains(reply.Body, []byte(`"id":7`)) {
		t.Errorf("got %d progress notifications in %d messages, want %d and the answer: %.600s", progress, len(reply.Messages), steps, reply.Body)
	}
}

// TestAllowedCallsGoOnAsTheyAre sends calls whose bytes a re-encoding gate would change, and
// compares the params that reach the upstream byte for byte.
func TestAllowedCallsGoOnAsTheyAre(t *testing.T) {
	t.Parallel()
	params := []string{
		`{"name":"echo","arguments":{"message":"good"}}`,
		`{ "arguments" : { "message" : "good" } , "name" : "echo" }`,
		`{"name":"echo","arguments":{"message":"g\u006f\u006fd"}}`,
		`{"name":"\u0065cho","arguments":{"m\u0065ssage":"good"}}`,
		`{"name":"echo","arguments":{"message":"good"},"_meta":{"x.example/y":[1.0,1e2,9007199254740993,18446744073709551616,0.1000]}}`,
		`{"name":"echo","arguments":{"message":"good"},"_meta":{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}`,
		`{"name":"echo","arguments":{"message":"\"\\\/\b\f\n\r\t\u00e9é𝄞\ud834\udd1e\u2028"}}`,
	}
	t.Run("direct", func(t *testing.T) {
		t.Parallel()
		client := &wire.HTTP{URL: mcpgo(t, filepath.Join(t.TempDir(), "effects"))}
		if err := client.Initialize(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, p := range params {
			answered(t, client, p)
		}
	})
	for _, r := range []route{{name: "HTTP upstream"}, {name: "stdio upstream", stdio: true}} {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			g := r.build(t, upstreams()[1])
			gate := g.gate(t)
			client := &wire.HTTP{URL: "http://" + serveGate(t, gate) + rig.Endpoint(g.upstream.Name), Header: http.Header{"Authorization": {"Bearer " + gate.Key}}}
			if err := client.Initialize(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, p := range params {
				before := g.mark()
				answered(t, client, p)
				if got := g.since(before).got; !bytes.Contains(got, []byte(p)) {
					t.Errorf("sent on otherwise:\n sent: %s\n got:  %s", p, got)
				}
			}
		})
	}
}

// answered sends a call with the params as they are written, which must run.
func answered(t *testing.T, client *wire.HTTP, params string) {
	t.Helper()
	reply := send(t, client, row{name: params, body: `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":` + params + `}`}, "")
	if reply.Status != http.StatusOK || !bytes.Contains(reply.Body, []byte("echo: ")) {
		t.Errorf("%s: status %d: %.300s", params, reply.Status, reply.Body)
	}
}
