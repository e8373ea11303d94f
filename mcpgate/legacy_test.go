// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/mcpgate"
)

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`

// do sends a request with no body.
func (r *rig) do(method, key, session, query string) int {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.url+query, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Accept", "text/event-stream")
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	resp, err := tester.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

// TestSessionsAreBound holds that a session is of use only to the subject that
// opened it, at the upstream and in the kind of run it was opened for.
func TestSessionsAreBound(t *testing.T) {
	t.Parallel()
	r := newRig(t, sdkUpstream(t, nil), setup{})
	_, h, _ := r.post(aliceKey, initialize, nil)
	session := h.Get("Mcp-Session-Id")
	if session == "" {
		t.Fatal("no session")
	}
	use := func(key, session, query string) int {
		status, _, _ := post(t, r.url+query, key, `{"jsonrpc":"2.0","id":2,"method":"ping"}`, map[string]string{"Mcp-Session-Id": session})
		return status
	}
	if got := use(aliceKey, session, ""); got != http.StatusOK {
		t.Fatalf("its own: %d", got)
	}
	flipped := []byte(session)
	flipped[3] ^= 1
	for name, got := range map[string]int{
		"another subject":  use(bobKey, session, ""),
		"a read-only run":  use(aliceKey, session, "?run=read-only"),
		"a flipped bit":    use(aliceKey, string(flipped), ""),
		"made up":          use(aliceKey, "session", ""),
		"stolen GET":       r.do(http.MethodGet, bobKey, session, ""),
		"stolen DELETE":    r.do(http.MethodDelete, bobKey, session, ""),
		"made up DELETE":   r.do(http.MethodDelete, aliceKey, "x", ""),
		"read-only DELETE": r.do(http.MethodDelete, aliceKey, session, "?run=read-only"),
	} {
		if got != http.StatusNotFound {
			t.Errorf("%s: got %d", name, got)
		}
	}
	if got := r.do(http.MethodDelete, aliceKey, session, ""); got != http.StatusNoContent {
		t.Errorf("end: %d", got)
	}
	if got := use(aliceKey, session, ""); got != http.StatusNotFound {
		t.Errorf("after the end: %d", got)
	}
	status, _, body := post(t, r.url, aliceKey, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}}`, map[string]string{"Mcp-Session-Id": session})
	if status != http.StatusNotFound {
		t.Errorf("a call after the end: %d %s", status, body)
	}
}

// TestSessionIsHidden holds that the upstream's own session id stays here.
func TestSessionIsHidden(t *testing.T) {
	t.Parallel()
	seen := make(chan string, 4)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header.Get("Mcp-Session-Id")
		w.Header().Set("Mcp-Session-Id", "upstream-session")
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`)
	}))
	t.Cleanup(server.Close)
	r := newRig(t, server.URL, setup{tools: echoTool()})
	_, h, _ := r.post(aliceKey, initialize, nil)
	session := h.Get("Mcp-Session-Id")
	if strings.Contains(session, "upstream") || session == "" {
		t.Errorf("the client got %q", session)
	}
	<-seen
	_, h, _ = r.post(aliceKey, ping, map[string]string{"Mcp-Session-Id": session})
	if got := <-seen; got != "upstream-session" {
		t.Errorf("the upstream got %q", got)
	}
	if got := h.Get("Mcp-Session-Id"); got != session {
		t.Errorf("the session is called %q now, and was %q", got, session)
	}
	// A modern request has no session, whatever either side says.
	message := strings.Replace(modern(1, "echo", `{}`, with, ""), "tools/call", "ping", 1)
	_, h, _ = r.post(aliceKey, message, map[string]string{"Mcp-Session-Id": session, "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "ping"})
	if got := <-seen; got != "" || h.Get("Mcp-Session-Id") != "" {
		t.Errorf("the upstream got %q, the client %q", got, h.Get("Mcp-Session-Id"))
	}
}

// TestServerAsksClient has a server of the older era ask the user in the middle
// of a call, over both fronts, and the policy say whether it may.
func TestServerAsksClient(t *testing.T) {
	t.Parallel()
	for _, front := range []string{"http", "stdio"} {
		for _, v := range []toolverdict.Verdict{toolverdict.Allow, toolverdict.Deny, toolverdict.Ask} {
			t.Run(fmt.Sprintf("%s %s", front, v), func(t *testing.T) {
				t.Parallel()
				r := newRig(t, sdkUpstream(t, nil), setup{policy: verdicts(map[string]toolverdict.Verdict{"up/@elicitation/create": v})})
				asked := make(chan struct{}, 1)
				s := r.connect(front, "2025-11-25", &mcp.ClientOptions{ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					asked <- struct{}{}
					return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}, nil
				}})
				got, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "ask"})
				if err != nil {
					t.Fatal(err)
				}
				if v == toolverdict.Allow {
					if text(got) != "acceptAda" {
						t.Errorf("got %q", text(got))
					}
					return
				}
				if !got.IsError || !strings.Contains(text(got), "refused on the client's side") || len(asked) != 0 {
					t.Errorf("got %q", text(got))
				}
			})
		}
	}
}

// TestServerStream passes on what a server says on a session's own stream.
func TestServerStream(t *testing.T) {
	t.Parallel()
	for _, front := range []string{"http", "stdio"} {
		t.Run(front, func(t *testing.T) {
			t.Parallel()
			server := sdkServer()
			h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
			ts := httptest.NewServer(h)
			t.Cleanup(func() {
				ts.CloseClientConnections()
				ts.Close()
			})
			r := newRig(t, ts.URL, setup{})
			changed := make(chan struct{}, 16)
			s := r.connect(front, "2025-11-25", &mcp.ClientOptions{
				ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
			})
			// The stream opens a moment after the handshake: change until it is heard.
			for heard := false; !heard; {
				server.AddTool(&mcp.Tool{Name: "fresh", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					return &mcp.CallToolResult{}, nil
				})
				select {
				case <-changed:
					heard = true
				case <-time.After(50 * time.Millisecond):
				case <-t.Context().Done():
					t.Fatal("never heard")
				}
			}
			if r.changed.Load() == 0 {
				t.Error("the catalog was not told")
			}
			// The new tool waits for review: not listed, and not called.
			list, err := s.ListTools(t.Context(), nil)
			if err != nil || len(list.Tools) != 5 {
				t.Errorf("listed %d tools, %v", len(list.Tools), err)
			}
			if got, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "fresh"}); err == nil {
				t.Errorf("called a tool that nobody reviewed: %v", got)
			}
		})
	}
}

// polling is a server that ends its stream in the middle of a call, as the
// protocol lets it, and gives the answer on the stream that the client resumes.
func polling() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		if r.Method == http.MethodGet {
			if r.Header.Get("Last-Event-ID") != "s_1" {
				w.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			_, _ = io.WriteString(w, "id: s_2\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"late but here\"}]}}\n\n")
			return
		}
		m := received(r)
		switch {
		case m.Method() == "initialize":
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Mcp-Session-Id", "s")
			_, _ = w.Write(mcpwire.ResultResponse(m.ID(), []byte(`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`)))
		case m.Kind() != mcpwire.Request:
			w.WriteHeader(http.StatusAccepted)
		default:
			_, _ = io.WriteString(w, "id: s_0\ndata:\n\nevent: close\nid: s_1\nretry: 10\n\n")
		}
	})
}

func received(r *http.Request) *mcpwire.Message {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return &mcpwire.Message{}
	}
	m, err := mcpwire.ParseServer(b)
	if err != nil {
		return &mcpwire.Message{}
	}
	return m
}

// TestAnswerOnAnotherStream holds that a call whose answer comes late is known
// to have succeeded, and that the client gets the bytes it would have got.
func TestAnswerOnAnotherStream(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(polling())
	t.Cleanup(server.Close)
	r := newRig(t, server.URL, setup{tools: []string{`{"name":"wipe","inputSchema":{"type":"object"}}`}, overlay: wipeOverlay})
	_, h, _ := r.post(aliceKey, initialize, nil)
	session := map[string]string{"Mcp-Session-Id": h.Get("Mcp-Session-Id")}
	_, _, first := r.post(aliceKey, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"wipe"}}`, session)
	if want := "id: s_0\ndata:\n\nevent: close\nid: s_1\nretry: 10\n\n"; first != want {
		t.Errorf("got %q, want %q", first, want)
	}
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, r.url, nil)
	req.Header.Set("Authorization", "Bearer "+aliceKey)
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Last-Event-ID", "s_1")
	req.Header.Set("Mcp-Session-Id", session["Mcp-Session-Id"])
	resp, err := tester.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	rest, _ := io.ReadAll(resp.Body)
	if want := "id: s_2\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"late but here\"}]}}\n\n"; string(rest) != want {
		t.Errorf("got %q, want %q", rest, want)
	}
	all := r.records("up/wipe")
	if last := all[len(all)-1]; last.Claim != toolverdict.ClaimSucceeded {
		t.Errorf("recorded %s", last.Claim)
	}
}

// TestAnswerOnAnotherStreamStdio has the front itself fetch the rest for a
// client whose transport has no streams.
func TestAnswerOnAnotherStreamStdio(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(polling())
	t.Cleanup(server.Close)
	r := newRig(t, server.URL, setup{tools: []string{`{"name":"wipe","inputSchema":{"type":"object"}}`}, overlay: wipeOverlay})
	say := r.speaker("stdio")
	say(initialize, 1)
	got := say(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"wipe"}}`, 1)
	if !strings.Contains(got[0], "late but here") {
		t.Errorf("got %s", got)
	}
}

// TestStreamDropsForeignAnswers holds that a server cannot answer a call on a
// stream that nobody resumed.
func TestStreamDropsForeignAnswers(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n\n")
	}))
	t.Cleanup(server.Close)
	r := newRig(t, server.URL, setup{tools: echoTool()})
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, r.url, nil)
	req.Header.Set("Authorization", "Bearer "+aliceKey)
	req.Header.Set("Accept", "text/event-stream")
	resp, err := tester.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if rest, _ := io.ReadAll(resp.Body); strings.Contains(string(rest), "result") || !strings.Contains(string(rest), "notifications/message") {
		t.Errorf("got %s", rest)
	}
}

// TestCancel stops waiting for a call that the client took back, and says that
// nobody knows what came of it.
func TestCancel(t *testing.T) {
	t.Parallel()
	for _, front := range []string{"http", "stdio"} {
		t.Run(front, func(t *testing.T) {
			t.Parallel()
			begun, cancelled := make(chan struct{}), make(chan string, 1)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				m := received(r)
				if m.Kind() == mcpwire.Notification {
					cancelled <- string(m.Bytes())
					w.WriteHeader(http.StatusAccepted)
					return
				}
				close(begun)
				<-r.Context().Done()
			}))
			t.Cleanup(func() {
				server.CloseClientConnections()
				server.Close()
			})
			r := newRig(t, server.URL, setup{tools: []string{`{"name":"wipe","inputSchema":{"type":"object"}}`}, overlay: wipeOverlay})
			cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
			var answer string
			if front == "http" {
				done := make(chan string)
				go func() {
					_, _, body := r.post(aliceKey, wipeCall, nil)
					done <- body
				}()
				<-begun
				r.post(aliceKey, cancel, nil)
				answer = <-done
			} else {
				in, toGate := io.Pipe()
				fromGate, out := io.Pipe()
				go func() {
					_ = r.front.ServeStdio(t.Context(), in, out, mcpgate.Stdio{Subject: subjects()[aliceKey]})
					out.Close()
				}()
				t.Cleanup(func() { toGate.Close() })
				_, _ = io.WriteString(toGate, wipeCall+"\n")
				<-begun
				_, _ = io.WriteString(toGate, cancel+"\n")
				answer, _ = bufio.NewReader(fromGate).ReadString('\n')
			}
			if !strings.Contains(answer, "OUTCOME_UNKNOWN") {
				t.Errorf("got %s", answer)
			}
			outcome := r.store.await(func(rec toolverdict.Record) bool { return rec.Kind == toolverdict.RecordOutcome })
			if !strings.Contains(outcome.Detail, "took the call back") {
				t.Errorf("recorded %q", outcome.Detail)
			}
			if got := <-cancelled; got != cancel {
				t.Errorf("the upstream was told %s", got)
			}
		})
	}
}

// TestClientLeaves holds what a broken connection means: in the older era
// nothing, so that the outcome is known; in the modern one a cancellation.
func TestClientLeaves(t *testing.T) {
	t.Parallel()
	for name, message := range map[string]string{"legacy": wipeCall, "legacy stream": wipeCall, "modern": modern(1, "wipe", `{}`, with, "")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begun, release := make(chan struct{}), make(chan struct{})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				m := received(r)
				answer := mcpwire.ResultResponse(m.ID(), []byte(`{"content":[]}`))
				w.Header().Set("Content-Type", "application/json")
				if name == "legacy stream" {
					w.Header().Set("Content-Type", "text/event-stream")
					_ = http.NewResponseController(w).Flush()
				}
				close(begun)
				select {
				case <-release:
				case <-r.Context().Done():
					return
				}
				if name == "legacy stream" {
					// More than the gate can write without noticing that nobody reads.
					note := mcpwire.AppendEvent(nil, mcpwire.Event{Data: []byte(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"` + strings.Repeat("x", 1<<20) + `"}}`)})
					for range 16 {
						_, _ = w.Write(note)
					}
					answer = mcpwire.AppendEvent(nil, mcpwire.Event{Data: answer})
				}
				_, _ = w.Write(answer)
			}))
			t.Cleanup(server.Close)
			r := newRig(t, server.URL, setup{tools: []string{`{"name":"wipe","inputSchema":{"type":"object"}}`}, overlay: wipeOverlay})
			ctx, cancel := context.WithCancel(t.Context())
			m, _ := mcpwire.ParseServer([]byte(message))
			req, _ := http.NewRequestWithContext(ctx, http.MethodPost, r.url, strings.NewReader(message))
			mcpwire.SetHeaders(req.Header, m, nil)
			req.Header.Set("Authorization", "Bearer "+aliceKey)
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Accept", "*/*")
			gone := make(chan struct{})
			go func() {
				if resp, err := tester.Do(req); err == nil {
					resp.Body.Close()
				}
				close(gone)
			}()
			<-begun
			cancel()
			<-gone
			want := toolverdict.ClaimUnknown
			if name != "modern" {
				close(release)
				want = toolverdict.ClaimSucceeded
			}
			outcome := r.store.await(func(rec toolverdict.Record) bool { return rec.Kind == toolverdict.RecordOutcome })
			if outcome.Claim != want {
				t.Errorf("recorded %s, want %s", outcome.Claim, want)
			}
		})
	}
}

// TestSameIDs has clients that share nothing but their ids and tokens, one
// upstream and one key, and checks that none gets another's answer.
func TestSameIDs(t *testing.T) {
	t.Parallel()
	for _, stateless := range []bool{false, true} {
		t.Run(fmt.Sprint("stateless ", stateless), func(t *testing.T) {
			t.Parallel()
			r := newRig(t, sdkUpstream(t, &mcp.StreamableHTTPOptions{Stateless: stateless}), setup{})
			var wg sync.WaitGroup
			for i := range 24 {
				wg.Go(func() {
					secret := fmt.Sprint("client-", i)
					h := map[string]string{}
					if !stateless {
						_, got, _ := r.post(aliceKey, initialize, nil)
						h["Mcp-Session-Id"] = got.Get("Mcp-Session-Id")
						r.post(aliceKey, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, h)
					}
					for range 5 {
						_, hd, body := r.post(aliceKey, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"`+secret+`"},"_meta":{"progressToken":1}}}`, h)
						all := messages(hd, body)
						if len(all) != 1 || !strings.Contains(all[0], secret+`"`) {
							t.Errorf("%s got %s", secret, body)
						}
					}
				})
			}
			wg.Wait()
		})
	}
}

// TestCancelOfAnother holds that a cancellation reaches no request but the one
// it can only mean: not another subject's, and none where clients that share a
// credential chose the same id.
func TestCancelOfAnother(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][]string{"another subject's": {aliceKey, bobKey}, "one of two": {aliceKey, aliceKey}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begun, release := make(chan struct{}, 2), make(chan struct{})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				m := received(r)
				if m.Kind() == mcpwire.Notification {
					w.WriteHeader(http.StatusAccepted)
					return
				}
				begun <- struct{}{}
				select {
				case <-release:
				case <-r.Context().Done():
					return
				}
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write(mcpwire.ResultResponse(m.ID(), []byte(`{"content":[]}`)))
			}))
			t.Cleanup(server.Close)
			r := newRig(t, server.URL, setup{tools: echoTool()})
			open := map[string]int{"another subject's": 1, "one of two": 2}[name]
			answers := make(chan string, open)
			for range open {
				go func() {
					_, _, body := r.post(keys[0], `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`, nil)
					answers <- body
				}()
				<-begun
			}
			r.post(keys[1], `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, nil)
			close(release)
			for range open {
				if body := <-answers; !strings.Contains(body, `"content":[]`) {
					t.Errorf("got %s", body)
				}
			}
		})
	}
}

// TestStdioPipelining lets a client send the next messages without waiting for
// the answer to initialize.
func TestStdioPipelining(t *testing.T) {
	t.Parallel()
	sessions := make(chan string, 8)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m := received(r)
		sessions <- m.Method() + " " + r.Header.Get("Mcp-Session-Id") + " " + r.Header.Get("Mcp-Protocol-Version")
		w.Header().Set("Content-Type", "application/json")
		switch {
		case m.Method() == "initialize":
			w.Header().Set("Mcp-Session-Id", "s1")
			_, _ = w.Write(mcpwire.ResultResponse(m.ID(), []byte(resultFor("initialize"))))
		case m.Kind() == mcpwire.Request:
			_, _ = w.Write(mcpwire.ResultResponse(m.ID(), []byte(`{}`)))
		default:
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
	}))
	t.Cleanup(server.Close)
	r := newRig(t, server.URL, setup{tools: echoTool()})
	var out strings.Builder
	in := strings.NewReader(initialize + "\n" + `{"jsonrpc":"2.0","id":2,"method":"ping"}` + "\n")
	if err := r.front.ServeStdio(t.Context(), in, &out, mcpgate.Stdio{Subject: subjects()[aliceKey]}); err != nil {
		t.Fatal(err)
	}
	if got, want := <-sessions, "initialize  "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := <-sessions, "ping s1 2025-11-25"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := <-sessions, " s1 2025-11-25"; got != want {
		t.Errorf("the session was not ended: %q", got)
	}
	if n := strings.Count(out.String(), "\n"); n != 2 {
		t.Errorf("answered %s", out.String())
	}
}

// TestStdioLongLine drops a line that is too long and reads on.
func TestStdioLongLine(t *testing.T) {
	t.Parallel()
	_, url := plain(t)
	r := newRig(t, url, setup{tools: echoTool(), front: func(c *mcpgate.Config) { c.MaxMessage = 1000 }})
	var out strings.Builder
	in := strings.NewReader(`{"x":"` + strings.Repeat("y", 200_000) + "\"}\n\n" + ping + "\nnot json\n" + ping)
	if err := r.front.ServeStdio(t.Context(), in, &out, mcpgate.Stdio{Server: "up", Subject: subjects()[aliceKey]}); err != nil {
		t.Fatal(err)
	}
	got := out.String()
	if strings.Count(got, "\n") != 4 || !strings.Contains(got, "4013") || !strings.Contains(got, "-32700") || strings.Count(got, `"result"`) != 2 {
		t.Errorf("answered %s", got)
	}
	for _, who := range []mcpgate.Stdio{{Server: "other", Subject: subjects()[aliceKey]}, {Server: "up"}} {
		if err := r.front.ServeStdio(t.Context(), strings.NewReader(""), &out, who); err == nil {
			t.Errorf("served %v", who)
		}
	}
}

// TestStdioEndsWithItsSession serves a client whose server forgot the session. A
// stdio client initializes once: going on would refuse everything for ever.
func TestStdioEndsWithItsSession(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m := received(r)
		w.Header().Set("Content-Type", "application/json")
		switch {
		case m.Method() == "initialize":
			w.Header().Set("Mcp-Session-Id", "s1")
			_, _ = w.Write(mcpwire.ResultResponse(m.ID(), []byte(resultFor("initialize"))))
		case m.Kind() == mcpwire.Request && r.Header.Get("Mcp-Session-Id") != "":
			w.WriteHeader(http.StatusNotFound)
		default:
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
	}))
	t.Cleanup(server.Close)
	r := newRig(t, server.URL, setup{tools: echoTool()})
	in, client := io.Pipe()
	defer client.Close()
	out, answers := io.Pipe()
	go func() { _, _ = io.Copy(io.Discard, out) }()
	go func() { _, _ = io.WriteString(client, initialize+"\n"+`{"jsonrpc":"2.0","id":2,"method":"ping"}`+"\n") }()
	if err := r.front.ServeStdio(t.Context(), in, answers, mcpgate.Stdio{Subject: subjects()[aliceKey]}); err == nil {
		t.Error("it ended as if the client had gone")
	}
}
