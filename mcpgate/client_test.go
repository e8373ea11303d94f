// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/mcpgate"
)

// sdkServer is an upstream made of the official SDK.
func sdkServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
	type text struct {
		Text string `json:"text"`
	}
	mcp.AddTool(s, &mcp.Tool{Name: "echo", Description: "says it again"}, func(_ context.Context, _ *mcp.CallToolRequest, in text) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: in.Text}}}, nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "fail"}, func(context.Context, *mcp.CallToolRequest, any) (*mcp.CallToolResult, any, error) {
		return nil, nil, fmt.Errorf("it does not work")
	})
	mcp.AddTool(s, &mcp.Tool{Name: "wipe"}, func(context.Context, *mcp.CallToolRequest, any) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "wiped"}}}, nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "count"}, func(ctx context.Context, req *mcp.CallToolRequest, _ any) (*mcp.CallToolResult, any, error) {
		for i := range 3 {
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: float64(i)})
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "counted"}}}, nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "ask"}, func(ctx context.Context, req *mcp.CallToolRequest, _ any) (*mcp.CallToolResult, any, error) {
		res, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: "your name?", RequestedSchema: map[string]any{
			"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}},
		}})
		if err != nil {
			return nil, nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprint(res.Action, res.Content["name"])}}}, nil, nil
	})
	s.AddPrompt(&mcp.Prompt{Name: "greet"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "hello"}}}}, nil
	})
	s.AddResource(&mcp.Resource{Name: "note", URI: "test://note"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "test://note", Text: "noted"}}}, nil
	})
	return s
}

// sdkUpstream serves it over HTTP.
func sdkUpstream(t *testing.T, o *mcp.StreamableHTTPOptions) string {
	t.Helper()
	server := sdkServer()
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, o)
	ts := httptest.NewServer(h)
	t.Cleanup(func() {
		ts.CloseClientConnections()
		ts.Close()
	})
	return ts.URL
}

// bearer sends a key with every request.
type bearer struct{ key string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.key)
	return tester.Transport.RoundTrip(r)
}

// connect connects a client of the SDK through a front.
func (r *rig) connect(kind, version string, o *mcp.ClientOptions) *mcp.ClientSession {
	r.t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, o)
	var transport mcp.Transport = &mcp.StreamableClientTransport{Endpoint: r.url, HTTPClient: &http.Client{Transport: bearer{aliceKey}}}
	if kind == "stdio" {
		in, toGate := io.Pipe()
		fromGate, out := io.Pipe()
		done := make(chan error, 1)
		go func() {
			done <- r.front.ServeStdio(context.WithoutCancel(r.t.Context()), in, out, mcpgate.Stdio{Subject: subjects()[aliceKey]})
			out.Close()
		}()
		r.t.Cleanup(func() {
			toGate.Close()
			if err := <-done; err != nil {
				r.t.Errorf("serve stdio: %v", err)
			}
		})
		transport = &mcp.IOTransport{Reader: fromGate, Writer: toGate}
	}
	session, err := client.Connect(r.t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		r.t.Fatalf("connect: %v", err)
	}
	r.t.Cleanup(func() { session.Close() })
	return session
}

func text(res *mcp.CallToolResult) string {
	var parts []string
	for _, c := range res.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			parts = append(parts, t.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// TestOfficialClient drives the official SDK's client against its server with
// the gate between them, in both eras and over both fronts.
func TestOfficialClient(t *testing.T) {
	t.Parallel()
	for _, front := range []string{"http", "stdio"} {
		for _, version := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
			for _, json := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s %s json=%v", front, version, json), func(t *testing.T) {
					t.Parallel()
					url := sdkUpstream(t, &mcp.StreamableHTTPOptions{Stateless: version >= "2026-07-28", JSONResponse: json})
					r := newRig(t, url, setup{policy: verdicts(denies("up/wipe"))})
					driveClient(t, r, front, version)
				})
			}
		}
	}
}

func denies(tool string) map[string]toolverdict.Verdict {
	return map[string]toolverdict.Verdict{tool: toolverdict.Deny}
}

func driveClient(t *testing.T, r *rig, front, version string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	progress := make(chan float64, 16)
	s := r.connect(front, version, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, p *mcp.ProgressNotificationClientRequest) { progress <- p.Params.Progress },
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}, nil
		},
	})
	list, err := s.ListTools(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	if diff := cmp.Diff([]string{"ask", "count", "echo", "fail", "wipe"}, names); diff != "" {
		t.Error(diff)
	}
	got, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "hello"}})
	if err != nil || text(got) != "hello" || got.IsError {
		t.Errorf("echo: %v %v", got, err)
	}
	if got, err = s.CallTool(ctx, &mcp.CallToolParams{Name: "fail"}); err != nil || !got.IsError || text(got) != "it does not work" {
		t.Errorf("fail: %v %v", got, err)
	}
	if got, err = s.CallTool(ctx, &mcp.CallToolParams{Name: "wipe"}); err != nil || !got.IsError || !strings.Contains(text(got), "POLICY_DENIED") {
		t.Errorf("wipe: %v %v", got, err)
	}
	params := &mcp.CallToolParams{Name: "count"}
	params.SetProgressToken("token")
	if got, err = s.CallTool(ctx, params); err != nil || text(got) != "counted" {
		t.Errorf("count: %v %v", got, err)
	}
	if prompt, err := s.GetPrompt(ctx, &mcp.GetPromptParams{Name: "greet"}); err != nil || len(prompt.Messages) != 1 {
		t.Errorf("prompt: %v %v", prompt, err)
	}
	if res, err := s.ReadResource(ctx, &mcp.ReadResourceParams{URI: "test://note"}); err != nil || res.Contents[0].Text != "noted" {
		t.Errorf("resource: %v %v", res, err)
	}
}
