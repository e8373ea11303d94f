// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package stdio_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/internal/upstream/stdio"
)

// tester calls the servers under test. The default transport will not do: each
// httptest.Server that another test closes breaks that one's connections.
var tester = &http.Client{Transport: &http.Transport{}}

// runSDK is a server made of the official SDK.
func runSDK() {
	s := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, &mcp.ServerOptions{
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	type text struct {
		Text string `json:"text"`
	}
	say := func(format string, args ...any) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}
	}
	mcp.AddTool(s, &mcp.Tool{Name: "echo"}, func(_ context.Context, _ *mcp.CallToolRequest, in text) (*mcp.CallToolResult, any, error) {
		return say("%s", in.Text), nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "count"}, func(ctx context.Context, req *mcp.CallToolRequest, in text) (*mcp.CallToolResult, any, error) {
		for i := range 3 {
			if err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: req.Params.GetProgressToken(), Progress: float64(i), Message: in.Text,
			}); err != nil {
				return nil, nil, err
			}
		}
		return say("%s", in.Text), nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "ask"}, func(ctx context.Context, req *mcp.CallToolRequest, in text) (*mcp.CallToolResult, any, error) {
		res, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: in.Text, RequestedSchema: map[string]any{
			"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}},
		}})
		if err != nil {
			return nil, nil, err
		}
		return say("%s %v", res.Action, res.Content["name"]), nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "touch"}, func(ctx context.Context, _ *mcp.CallToolRequest, _ any) (*mcp.CallToolResult, any, error) {
		return say("touched"), nil, s.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: "test://note"})
	})
	mcp.AddTool(s, &mcp.Tool{Name: "wait"}, func(ctx context.Context, _ *mcp.CallToolRequest, in text) (*mcp.CallToolResult, any, error) {
		<-ctx.Done()
		err := os.WriteFile(in.Text, []byte("cancelled"), 0o600)
		return say("done"), nil, err
	})
	s.AddResource(&mcp.Resource{Name: "note", URI: "test://note"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "test://note", Text: "noted"}}}, nil
	})
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(os.Stderr, err)
	}
}

// door is the least that makes an HTTP server of a backend: it decides nothing.
type door struct{ backend mcpwire.Backend }

func (d door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	who := mcpwire.Caller{Principal: r.Header.Get("X-Principal"), Session: r.Header.Get(mcpwire.HeaderSession)}
	reply, err := d.pass(r, who)
	switch {
	case errors.Is(err, mcpwire.ErrNoSession):
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	case errors.Is(err, mcpwire.ErrNoStream):
		http.Error(w, err.Error(), http.StatusMethodNotAllowed)
		return
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer reply.Body.Close()
	maps.Copy(w.Header(), reply.Header)
	w.WriteHeader(reply.Status)
	for {
		_ = http.NewResponseController(w).Flush()
		ev, err := reply.Body.Next()
		if err != nil {
			return
		}
		if reply.Stream {
			ev.Data = mcpwire.AppendEvent(nil, ev)
		}
		if _, err := w.Write(ev.Data); err != nil {
			return
		}
	}
}

func (d door) pass(r *http.Request, who mcpwire.Caller) (*mcpwire.Reply, error) {
	switch r.Method {
	case http.MethodGet:
		return d.backend.Listen(r.Context(), who, r.Header.Get(mcpwire.HeaderLastEventID))
	case http.MethodDelete:
		return d.backend.End(r.Context(), who)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	m, err := mcpwire.ParseClient(body, canon.Limits{})
	if err != nil {
		return nil, err
	}
	return d.backend.Exchange(r.Context(), mcpwire.Outbound{Caller: who, Message: m})
}

// as names the principal of a client's requests.
type as string

func (a as) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Principal", string(a))
	return tester.Transport.RoundTrip(r)
}

func serve(t *testing.T, b mcpwire.Backend) string {
	t.Helper()
	server := httptest.NewServer(door{b})
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

func connect(t *testing.T, url, principal, version string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, o)
	session, err := client.Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: as(principal)}},
		&mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// TestOfficialClients has many clients of the official SDK use its server at the
// same time. Each counts its requests from one, so that their ids are the same.
func TestOfficialClients(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-03-26", "2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, stdio.Config{Command: []string{os.Args[0], "as", "sdk"}, MaxPerPrincipal: 32})
			url := serve(t, b)
			var all sync.WaitGroup
			for i := range 8 {
				all.Go(func() { drive(t, url, fmt.Sprint("p", i%2), fmt.Sprint("client ", i), version) })
			}
			all.Wait()
		})
	}
}

func drive(t *testing.T, url, principal, name, version string) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	progress := make(chan string, 16)
	s := connect(t, url, principal, version, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, p *mcp.ProgressNotificationClientRequest) { progress <- p.Params.Message },
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": r.Params.Message}}, nil
		},
	})
	if got := s.InitializeResult().ProtocolVersion; got != version {
		t.Errorf("%s settled on %s", name, got)
	}
	call := func(tool string) string {
		params := &mcp.CallToolParams{Name: tool, Arguments: map[string]any{"text": name}}
		params.SetProgressToken("token")
		res, err := s.CallTool(ctx, params)
		if err != nil || len(res.Content) != 1 {
			t.Errorf("%s: %s: %v, %v", name, tool, res, err)
			return ""
		}
		text, _ := res.Content[0].(*mcp.TextContent)
		return text.Text
	}
	for range 5 {
		if got := call("echo"); got != name {
			t.Errorf("%s got %q", name, got)
		}
		if got := call("count"); got != name {
			t.Errorf("%s counted %q", name, got)
		}
		for range 3 {
			select {
			case got := <-progress:
				if got != name {
					t.Errorf("%s got the progress of %q", name, got)
				}
			case <-ctx.Done():
				t.Errorf("%s: progress is missing", name)
			}
		}
	}
	if version == "2025-11-25" { // newer ones have no such requests, older ones no forms
		if got := call("ask"); got != "accept "+name {
			t.Errorf("%s was answered %q", name, got)
		}
	}
	if _, err := s.ReadResource(ctx, &mcp.ReadResourceParams{URI: "test://nowhere"}); err == nil {
		t.Errorf("%s read what is not there", name)
	}
}

func TestOfficialSubscriptions(t *testing.T) {
	t.Parallel()
	b := newBench(t, stdio.Config{Command: []string{os.Args[0], "as", "sdk"}})
	url := serve(t, b)
	updates := make(chan string, 16)
	s := connect(t, url, "p", "2025-11-25", &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { updates <- r.Params.URI },
	})
	if err := s.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "test://note"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "touch"}); err != nil {
		t.Fatal(err)
	}
	if got := <-updates; got != "test://note" {
		t.Errorf("got %q", got)
	}
}

func TestOfficialCancellation(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, stdio.Config{Command: []string{os.Args[0], "as", "sdk"}})
			s := connect(t, serve(t, b), "p", version, nil)
			mark := t.TempDir() + "/mark"
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			if _, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "wait", Arguments: map[string]any{"text": mark}}); err == nil {
				t.Error("the call came to an end")
			}
			// The server hears of it.
			for {
				if text, err := os.ReadFile(mark); err == nil && cmp.Equal(string(text), "cancelled") {
					break
				}
				if err := t.Context().Err(); err != nil {
					t.Fatal(err)
				}
				time.Sleep(5 * time.Millisecond)
			}
		})
	}
}
