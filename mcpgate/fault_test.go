// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

const wipeCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wipe","arguments":{},"_meta":{"toolverdict/idempotencyKey":"k"}}}`

// says answers with a status, a content type and a body.
func says(status int, kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// breaks sends the beginning of an answer and breaks the connection.
func breaks(kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Content-Length", "100000")
		_, _ = io.WriteString(w, body)
		panic(http.ErrAbortHandler)
	}
}

// TestUpstreamFaults tells truthfully what a fault means: whether the call was
// sent, and whether its outcome is known. The tool is destructive, so an unknown
// outcome blocks its repetition and a known one does not.
func TestUpstreamFaults(t *testing.T) {
	t.Parallel()
	const (
		stream = "text/event-stream"
		js     = "application/json"
	)
	hang := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // a server notices that its client left only after that
		<-r.Context().Done()
	}
	for name, c := range map[string]struct {
		up     http.HandlerFunc
		code   string                 // what the caller is told, "" where the upstream's own words go through
		claim  toolverdict.ClaimState // what the ledger knows
		repeat string                 // what the caller is told the second time, where that differs
	}{
		"breaks before answering": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "OUTCOME_UNKNOWN", toolverdict.ClaimUnknown, ""},
		"breaks in the answer":    {breaks(js, `{"jsonrpc":"2.0","id":1,"resu`), "OUTCOME_UNKNOWN", toolverdict.ClaimUnknown, ""},
		"breaks in a stream":      {breaks(stream, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n\ndata: {"), "OUTCOME_UNKNOWN", toolverdict.ClaimUnknown, ""},
		"stream without answer":   {says(200, stream, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n\n"), "OUTCOME_UNKNOWN", toolverdict.ClaimUnknown, ""},
		"hangs":                   {hang, "OUTCOME_UNKNOWN", toolverdict.ClaimUnknown, ""},
		"not json":                {says(200, js, `oops`), "OUTCOME_UNKNOWN", toolverdict.ClaimUnknown, ""},
		"markup":                  {says(200, "text/html", `<h1>hi</h1>`), "OUTCOME_UNKNOWN", toolverdict.ClaimUnknown, ""},
		"empty":                   {says(200, js, ``), "OUTCOME_UNKNOWN", toolverdict.ClaimUnknown, ""},
		"accepted":                {says(202, js, ``), "OUTCOME_UNKNOWN", toolverdict.ClaimUnknown, ""},
		"another id":              {says(200, js, `{"jsonrpc":"2.0","id":2,"result":{}}`), "OUTCOME_UNKNOWN", toolverdict.ClaimUnknown, ""},
		"id as a string":          {says(200, js, `{"jsonrpc":"2.0","id":"1","result":{}}`), "OUTCOME_UNKNOWN", toolverdict.ClaimUnknown, ""},
		"two results":             {says(200, js, `{"jsonrpc":"2.0","id":1,"result":{},"result":{"isError":true}}`), "OUTCOME_UNKNOWN", toolverdict.ClaimUnknown, ""},
		"batch":                   {says(200, js, `[{"jsonrpc":"2.0","id":1,"result":{}}]`), "OUTCOME_UNKNOWN", toolverdict.ClaimUnknown, ""},
		"garbage in a stream":     {says(200, stream, "data: hello\n\n"), "OUTCOME_UNKNOWN", toolverdict.ClaimUnknown, ""},
		"too large":               {says(200, js, `{"jsonrpc":"2.0","id":1,"result":{"a":"`+strings.Repeat("x", 17<<20)+`"}}`), "OUTCOME_UNKNOWN", toolverdict.ClaimUnknown, ""},
		"too large in a stream":   {says(200, stream, "data: "+strings.Repeat("x", 17<<20)+"\n\n"), "OUTCOME_UNKNOWN", toolverdict.ClaimUnknown, ""},
		"fault of its own":        {says(500, js, `down`), "OUTCOME_UNKNOWN", toolverdict.ClaimUnknown, ""},
		"unasked encoding": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			says(200, js, "x")(w, nil)
		}, "OUTCOME_UNKNOWN", toolverdict.ClaimUnknown, ""},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://other.example/", http.StatusTemporaryRedirect)
		}, "TOOL_ERROR", toolverdict.ClaimFailed, ""},
		"refused credentials": {says(401, js, `{}`), "TOOL_ERROR", toolverdict.ClaimFailed, ""},
		"refused in words":    {says(400, "text/plain", `no such header`), "", toolverdict.ClaimFailed, ""},
		"its own error":       {says(200, js, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"x"}}`), "", toolverdict.ClaimFailed, ""},
		"its tool's error":    {says(200, js, `{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[]}}`), "", toolverdict.ClaimFailed, ""},
		"done":                {says(200, js, `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`), "", toolverdict.ClaimSucceeded, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(c.up)
			t.Cleanup(func() {
				server.CloseClientConnections()
				server.Close()
			})
			overlay := wipeOverlay
			if name == "hangs" {
				overlay = strings.Replace(wipeOverlay, `"up/wipe": {`, `"up/wipe": {timeout: 200ms, `, 1)
			}
			r := newRig(t, server.URL, setup{tools: []string{`{"name":"wipe","inputSchema":{"type":"object"}}`}, overlay: overlay})
			_, h, body := r.post(aliceKey, wipeCall, nil)
			if c.code == "" && strings.Contains(body, "decision") || !strings.Contains(body, c.code) {
				t.Errorf("got %.400s", body)
			}
			if strings.Contains(body, server.URL) || strings.Contains(h.Get("Location"), "other") {
				t.Errorf("the answer shows the upstream's address: %s", body)
			}
			all := r.records("up/wipe")
			last := all[len(all)-1]
			if last.Kind != toolverdict.RecordOutcome || last.Claim != c.claim {
				t.Errorf("recorded %s %s, want %s", last.Kind, last.Claim, c.claim)
			}
			if c.claim == toolverdict.ClaimUnknown {
				if _, _, again := r.post(aliceKey, wipeCall, nil); !strings.Contains(again, "OUTCOME_UNKNOWN") {
					t.Errorf("the repeat: %.300s", again)
				}
			}
			// The gate still serves.
			if _, _, body := r.post(aliceKey, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"nosuch"}}`, nil); !strings.Contains(body, "UNKNOWN_TOOL") {
				t.Errorf("afterwards: %s", body)
			}
		})
	}
}

// TestUpstreamIsDead knows that nothing was sent, so that the call can be
// repeated.
func TestUpstreamIsDead(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	r := newRig(t, "http://"+address, setup{tools: []string{`{"name":"wipe","inputSchema":{"type":"object"}}`}, overlay: wipeOverlay})
	_, _, body := r.post(aliceKey, wipeCall, nil)
	if !strings.Contains(body, "Nothing was sent") || !strings.Contains(body, `"stateChanged":false`) || strings.Contains(body, address) {
		t.Errorf("got %s", body)
	}
	if status, _, body := r.post(aliceKey, ping, nil); status != http.StatusBadGateway || !strings.Contains(body, "4502") || strings.Contains(body, address) {
		t.Errorf("ping: %d %s", status, body)
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		if got := r.do(method, aliceKey, "", ""); got != http.StatusBadGateway {
			t.Errorf("%s: got %d", method, got)
		}
	}
	server := &http.Server{Handler: says(200, "application/json", `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)}
	if l, err = net.Listen("tcp", address); err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { server.Close() })
	if _, _, body := r.post(aliceKey, wipeCall, nil); !strings.Contains(body, `"content":[]`) {
		t.Errorf("once it is back: %s", body)
	}
}

// TestPassiveFaults holds that a message which is no call ends in an error of
// the protocol, whatever the upstream does.
func TestPassiveFaults(t *testing.T) {
	t.Parallel()
	for name, up := range map[string]http.HandlerFunc{
		"breaks":      func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"not json":    says(200, "application/json", `oops`),
		"another id":  says(200, "application/json", `{"jsonrpc":"2.0","id":2,"result":{}}`),
		"a request":   says(200, "application/json", `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"}`),
		"empty":       says(200, "application/json", ``),
		"redirect":    func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/x", http.StatusFound) },
		"credentials": says(403, "text/plain", `who are you`),
		"cut stream":  says(200, "text/event-stream", "data: {"),
		"no answer":   says(200, "text/event-stream", ": nothing\n\n"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(up)
			t.Cleanup(server.Close)
			r := newRig(t, server.URL, setup{tools: echoTool()})
			_, h, body := r.post(aliceKey, ping, nil)
			all := messages(h, body)
			if len(all) == 0 {
				t.Fatalf("no answer: %s", body)
			}
			m, err := mcpwire.ParseServer([]byte(all[len(all)-1]))
			if err != nil || m.ErrorCode() != mcpwire.CodeUpstream || m.Key() != "1" {
				t.Errorf("got %s", body)
			}
		})
	}
}

// TestAddressesAreTold: a server learns where the names of a call lead, from the
// gate alone: what a client writes there itself does not get through.
func TestAddressesAreTold(t *testing.T) {
	t.Parallel()
	const told = `"toolverdict/addresses":{"example.com":["192.0.2.7"]}`
	for name, c := range map[string]struct {
		addresses map[string][]netip.Addr
		meta      string
		want      string
	}{
		"nothing was looked up": {nil, "", "{}"},
		"a name":                {map[string][]netip.Addr{"example.com": {netip.MustParseAddr("192.0.2.7")}}, "", `{` + told + `}`},
		"a name beside other members": {
			map[string][]netip.Addr{"example.com": {netip.MustParseAddr("192.0.2.7")}}, `,"_meta":{"a":1}`, `{"a":1,` + told + `}`,
		},
		"a client that writes it": {nil, `,"_meta":{"toolverdict/addresses":{"example.com":["10.0.0.1"]}}`, "{}"},
		"a client that writes it as well": {
			map[string][]netip.Addr{"example.com": {netip.MustParseAddr("192.0.2.7")}},
			`,"_meta":{"toolverdict/addresses":{"example.com":["10.0.0.1"]}}`, `{` + told + `}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := make(chan string, 1)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				var m struct {
					Params struct {
						Meta json.RawMessage `json:"_meta"`
					}
				}
				if err := json.Unmarshal(body, &m); err != nil || m.Params.Meta == nil {
					m.Params.Meta = json.RawMessage("{}")
				}
				got <- string(m.Params.Meta)
				says(200, "application/json", `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)(w, r)
			}))
			defer server.Close()
			r := newRig(t, server.URL, setup{
				tools:   []string{`{"name":"fetch","inputSchema":{"type":"object"}}`},
				overlay: "tools:\n  up/fetch: {safety: read-only, risk: low, roles: {/url: url}}\n",
				analyse: func(*toolverdict.Tool, toolverdict.Value) toolverdict.Analysis {
					return toolverdict.Analysis{Addresses: c.addresses}
				},
			})
			r.post(aliceKey, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fetch","arguments":{"url":"https://example.com"}`+c.meta+`}}`, nil)
			if sent := <-got; sent != c.want {
				t.Errorf("the server was told %s, want %s", sent, c.want)
			}
		})
	}
}
