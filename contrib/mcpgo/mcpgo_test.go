// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpgo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolverdict/toolverdict/contrib/mcpgo"
	"github.com/toolverdict/toolverdict/guard"
	"github.com/toolverdict/toolverdict/guard/guardtest"
	"github.com/toolverdict/toolverdict/guard/seal"
)

func key() []byte { return []byte(strings.Repeat("k", 32)) }

func guarded(t *testing.T, g guard.Guard) (*mcpgo.Front, *server.MCPServer) {
	t.Helper()
	f, err := mcpgo.New(mcpgo.Config{Guard: g, Key: key()})
	if err != nil {
		t.Fatal(err)
	}
	options := append([]server.ServerOption{
		server.WithTaskCapabilities(true, true, true), server.WithResourceCapabilities(true, true), server.WithPromptCapabilities(true),
	}, f.Options()...)
	return f, server.NewMCPServer("test", "v1", options...)
}

func connect(t *testing.T, s *server.MCPServer) *client.Client {
	t.Helper()
	c, err := client.NewInProcessClient(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	var r mcp.InitializeRequest
	r.Params.ProtocolVersion, r.Params.ClientInfo = mcp.LATEST_PROTOCOL_VERSION, mcp.Implementation{Name: "model", Version: "v1"}
	if _, err := c.Initialize(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	return c
}

func handler(name string, run guardtest.Tool) server.ToolHandlerFunc {
	return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		out, err := run(ctx, name, r.Params.RawArguments)
		if err != nil {
			return mcp.NewToolResultError(err.Error()), nil
		}
		return mcp.NewToolResultText(out), nil
	}
}

// request is a call as the wire brings it.
func request(c guard.Call, asTask bool) mcp.CallToolRequest {
	var r mcp.CallToolRequest
	r.Params.Name, r.Params.RawArguments = c.Tool, json.RawMessage(c.Arguments)
	if asTask {
		r.Params.Task = &mcp.TaskParams{}
	}
	return r
}

// each makes the calls of one message side by side.
func each(calls []guard.Call, do func(guard.Call) string) []string {
	told := make([]string, len(calls))
	var wg sync.WaitGroup
	for i, c := range calls {
		wg.Go(func() { told[i] = do(c) })
	}
	wg.Wait()
	return told
}

func said(content []mcp.Content) string {
	if len(content) == 0 {
		return ""
	}
	t, _ := content[0].(mcp.TextContent)
	return t.Text
}

func asCall(t *testing.T, c *client.Client) func(guard.Call) string {
	return func(call guard.Call) string {
		res, err := c.CallTool(t.Context(), request(call, false))
		if err != nil {
			return err.Error()
		}
		return said(res.Content)
	}
}

func TestTools(t *testing.T) {
	t.Parallel()
	guardtest.Run(t, func(t *testing.T, g guard.Guard, run guardtest.Tool) guardtest.Ask {
		t.Helper()
		_, s := guarded(t, g)
		for _, name := range guardtest.Names() {
			s.AddTool(mcp.NewTool(name), handler(name, run))
		}
		c := connect(t, s)
		return func(t *testing.T, calls ...guard.Call) []string { return each(calls, asCall(t, c)) }
	})
}

// taskDoor calls tools as tasks and waits for their results.
func taskDoor(add func(f *mcpgo.Front, s *server.MCPServer, name string, run guardtest.Tool)) guardtest.Door {
	return func(t *testing.T, g guard.Guard, run guardtest.Tool) guardtest.Ask {
		t.Helper()
		f, s := guarded(t, g)
		for _, name := range guardtest.Names() {
			add(f, s, name, run)
		}
		return func(t *testing.T, calls ...guard.Call) []string {
			t.Helper()
			return each(calls, func(c guard.Call) string { return asTask(t, s, c) })
		}
	}
}

// asTask speaks to the server in the protocol's own messages: its client knows no
// task calls.
func asTask(t *testing.T, s *server.MCPServer, c guard.Call) string {
	t.Helper()
	params := `{"name":"` + c.Tool + `","task":{},"arguments":` + string(c.Arguments) + `}`
	var created struct {
		Result mcp.CreateTaskResult `json:"result"`
		Error  *struct{ Message string }
	}
	send(t, s, "tools/call", params, &created)
	if created.Error != nil {
		return created.Error.Message
	}
	var done struct {
		Result struct{ Content []struct{ Text string } }
		Error  *struct{ Message string }
	}
	send(t, s, "tasks/result", `{"taskId":"`+created.Result.Task.TaskId+`"}`, &done)
	if done.Error != nil {
		return done.Error.Message
	}
	if len(done.Result.Content) == 0 {
		return ""
	}
	return done.Result.Content[0].Text
}

func send(t *testing.T, s *server.MCPServer, method, params string, into any) {
	t.Helper()
	answer := s.HandleMessage(t.Context(), json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`))
	b, err := json.Marshal(answer)
	if err != nil {
		t.Error(err)
		return
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Errorf("%s: %v", b, err)
	}
}

func TestTaskTools(t *testing.T) {
	t.Parallel()
	guardtest.Run(t, taskDoor(func(f *mcpgo.Front, s *server.MCPServer, name string, run guardtest.Tool) {
		f.AddTask(s, mcp.NewTool(name, mcp.WithTaskSupport(mcp.TaskSupportRequired)), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CreateTaskResult, error) {
			out, err := run(ctx, name, r.Params.RawArguments)
			return &mcp.CreateTaskResult{Content: []mcp.Content{mcp.NewTextContent(out)}}, err
		})
	}))
}

func TestToolsAsTasks(t *testing.T) {
	t.Parallel()
	guardtest.Run(t, taskDoor(func(f *mcpgo.Front, s *server.MCPServer, name string, run guardtest.Tool) {
		f.AddTool(s, mcp.NewTool(name, mcp.WithTaskSupport(mcp.TaskSupportOptional)), handler(name, run))
	}))
}

// A task tool that was added past the front would run without any middleware: it
// is neither listed nor run.
func TestATaskToolThatSlipsPast(t *testing.T) {
	t.Parallel()
	_, s := guarded(t, guardtest.NewGate(t).Guard())
	s.AddTool(mcp.NewTool(guardtest.Denied), handler(guardtest.Denied, nil))
	for _, support := range []mcp.TaskSupport{mcp.TaskSupportOptional, mcp.TaskSupportRequired} {
		s.AddTaskTool(mcp.NewTool(guardtest.Allowed, mcp.WithTaskSupport(support)), func(context.Context, mcp.CallToolRequest) (*mcp.CreateTaskResult, error) {
			t.Error("it ran")
			return &mcp.CreateTaskResult{}, nil
		})
		call := guard.Call{Tool: guardtest.Allowed, Arguments: []byte(`{}`)}
		if told := asTask(t, s, call); !strings.Contains(told, "not found") {
			t.Errorf("%s: told %q", support, told)
		}
		if told := asCall(t, connect(t, s))(call); !strings.Contains(told, "not found") {
			t.Errorf("%s: told %q", support, told)
		}
	}
	l, err := connect(t, s).ListTools(t.Context(), mcp.ListToolsRequest{})
	if err != nil || len(l.Tools) != 1 || l.Tools[0].Name != guardtest.Denied {
		t.Errorf("%v %+v", err, l)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	_, s := guarded(t, guardtest.NewGate(t).Guard())
	for _, name := range guardtest.Names() {
		s.AddTool(mcp.NewTool(name), handler(name, nil))
	}
	l, err := connect(t, s).ListTools(t.Context(), mcp.ListToolsRequest{})
	if err != nil || len(l.Tools) != 3 {
		t.Errorf("%v %+v", err, l)
	}
}

// A handler that reads the parsed arguments, and one that reads the raw ones, see
// what was decided, whatever middleware before the guard did to one of them.
func TestBothFormsOfArguments(t *testing.T) {
	t.Parallel()
	f, err := mcpgo.New(mcpgo.Config{Guard: guardtest.NewGate(t).Guard(), Key: key()})
	if err != nil {
		t.Fatal(err)
	}
	before := server.WithToolHandlerMiddleware(func(next server.ToolHandlerFunc) server.ToolHandlerFunc {
		return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			r.Params.Arguments = map[string]any{"n": 99}
			return next(ctx, r)
		}
	})
	s := server.NewMCPServer("test", "v1", append([]server.ServerOption{before}, f.Options()...)...)
	s.AddTool(mcp.NewTool(guardtest.Allowed), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if r.GetInt("n", 0) != 1 || string(r.Params.RawArguments) != `{"n":1}` {
			t.Errorf("it ran with %v and %s", r.Params.Arguments, r.Params.RawArguments)
		}
		return mcp.NewToolResultText("done"), nil
	})
	if told := asCall(t, connect(t, s))(guard.Call{Tool: guardtest.Allowed, Arguments: []byte(`{"n":1}`)}); told != "done" {
		t.Errorf("told %q", told)
	}
}

// A number that the library's parsed form would round is not run: what was decided
// is another number.
func TestNumbersThatAreRounded(t *testing.T) {
	t.Parallel()
	f, s := guarded(t, guardtest.NewGate(t, "task").Guard())
	var ran guardtest.Ran
	run := func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ran.Add(r.Params.Name, fmt.Sprint(r.GetInt("n", 0)))
		return mcp.NewToolResultText("done"), nil
	}
	s.AddTool(mcp.NewTool(guardtest.Allowed), run)
	f.AddTask(s, mcp.NewTool("task", mcp.WithTaskSupport(mcp.TaskSupportRequired)), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CreateTaskResult, error) {
		out, err := run(ctx, r)
		return &mcp.CreateTaskResult{Content: out.Content}, err
	})
	for _, c := range []struct{ arguments, want string }{{`{"n":9007199254740993}`, "more digits"}, {`{"n":9007199254740992}`, "done"}} {
		call := guard.Call{Tool: guardtest.Allowed, Arguments: []byte(c.arguments)}
		if told := asCall(t, connect(t, s))(call); !strings.Contains(told, c.want) {
			t.Errorf("%s: told %q", c.arguments, told)
		}
		call.Tool = "task"
		if told := asTask(t, s, call); !strings.Contains(told, c.want) {
			t.Errorf("%s as a task: told %q", c.arguments, told)
		}
	}
	if got := strings.Join(ran.All(), ", "); got != "allowed 9007199254740992, task 9007199254740992" {
		t.Errorf("ran %s", got)
	}
}

func TestOtherMethods(t *testing.T) {
	t.Parallel()
	for name, allow := range map[string]bool{"refused": false, "allowed": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var more []string
			if allow {
				more = []string{"@resources/read", "@prompts/get"}
			}
			_, s := guarded(t, guardtest.NewGate(t, more...).Guard())
			entered := 0
			s.AddResource(mcp.NewResource("file:///a", "a"), func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
				entered++
				return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, Text: "the word is " + guardtest.Secret}}, nil
			})
			s.AddPrompt(mcp.NewPrompt("p"), func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				entered++
				return mcp.NewGetPromptResult("p", []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent("hello"))}), nil
			})
			c := connect(t, s)
			var read mcp.ReadResourceRequest
			read.Params.URI = "file:///a"
			var get mcp.GetPromptRequest
			get.Params.Name = "p"
			contents, errRead := c.ReadResource(t.Context(), read)
			prompt, errGet := c.GetPrompt(t.Context(), get)
			if !allow {
				if entered != 0 || !tells(errRead, "UNKNOWN_TOOL") || !tells(errGet, "UNKNOWN_TOOL") {
					t.Errorf("entered %d times: %v, %v", entered, errRead, errGet)
				}
				return
			}
			if errRead != nil || errGet != nil || entered != 2 {
				t.Fatalf("entered %d times: %v, %v", entered, errRead, errGet)
			}
			if text := contents.Contents[0].(mcp.TextResourceContents).Text; text != "the word is [HIDDEN]" {
				t.Errorf("read %q", text)
			}
			if len(prompt.Messages) != 1 {
				t.Errorf("got %+v", prompt)
			}
		})
	}
}

func tells(err error, what string) bool { return err != nil && strings.Contains(err.Error(), what) }

// A tool that asks the client for input goes on under the approval of its first
// round.
func TestInputFromTheClient(t *testing.T) {
	t.Parallel()
	gate := guardtest.NewGate(t)
	f, err := mcpgo.New(mcpgo.Config{Guard: gate.Guard(), Key: key()})
	if err != nil {
		t.Fatal(err)
	}
	rounds := 0
	tool := f.Tool(func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if rounds++; r.Params.RequestState != "mine" {
			return &mcp.CallToolResult{Result: mcp.Result{ResultType: mcp.ResultTypeInputRequired}, MultiRoundTripResult: mcp.MultiRoundTripResult{RequestState: "mine"}}, nil
		}
		return mcp.NewToolResultText("done"), nil
	})
	do := func(state string) *mcp.CallToolResult {
		t.Helper()
		r := request(guard.Call{Tool: guardtest.Asked, Arguments: []byte(`{"n":1}`)}, false)
		r.Params.RequestState = state
		res, err := tool(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	if res := do(""); !res.IsError || rounds != 0 {
		t.Fatalf("%+v", res)
	}
	gate.Approve(t.Context(), gate.Waiting(t.Context()))
	first := do("")
	if !first.NeedsInput() || !strings.HasPrefix(first.RequestState, "toolverdict.") {
		t.Fatalf("%+v", first)
	}
	broken := request(guard.Call{Tool: guardtest.Asked, Arguments: []byte(`{"n":1}`)}, false)
	broken.Params.RequestState = first.RequestState + "x"
	if res, err := tool(t.Context(), broken); err == nil || rounds != 1 {
		t.Errorf("a broken seal: %+v", res)
	}
	if res := do(first.RequestState); res.IsError || said(res.Content) != "done" || rounds != 2 {
		t.Errorf("%+v", res)
	}
	if res := do(first.RequestState); !res.IsError || rounds != 2 {
		t.Errorf("it went on twice: %+v", res)
	}
}

func TestCallers(t *testing.T) {
	t.Parallel()
	gate := guardtest.NewGate(t)
	known := true
	f, err := mcpgo.New(mcpgo.Config{Key: key(), Caller: func(context.Context) (guard.Guard, error) {
		if !known {
			return guard.Guard{}, errors.New("no token")
		}
		return gate.Guard(), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	s := server.NewMCPServer("test", "v1", f.Options()...)
	for _, name := range guardtest.Names() {
		s.AddTool(mcp.NewTool(name), handler(name, func(context.Context, string, []byte) (string, error) {
			if !known {
				t.Error("it ran")
			}
			return "done", nil
		}))
	}
	c := connect(t, s)
	call := guard.Call{Tool: guardtest.Allowed, Arguments: []byte(`{}`)}
	if told := asCall(t, c)(call); told != "done" {
		t.Errorf("told %q", told)
	}
	known = false
	if told := asCall(t, c)(call); !strings.Contains(told, "not known") {
		t.Errorf("told %q", told)
	}
	if l, err := c.ListTools(t.Context(), mcp.ListToolsRequest{}); err != nil || len(l.Tools) != 0 {
		t.Errorf("%v %+v", err, l)
	}
}

func TestNewNeeds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]mcpgo.Config{
		"a key":         {Guard: guard.Guard{Server: "s"}},
		"a filled key":  {Guard: guard.Guard{Server: "s"}, Key: make([]byte, seal.KeyBytes)},
		"a server name": {Key: key()},
	} {
		if _, err := mcpgo.New(c); err == nil {
			t.Errorf("it was made without %s", name)
		}
	}
}
