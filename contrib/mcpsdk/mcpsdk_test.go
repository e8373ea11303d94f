// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpsdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolverdict/toolverdict/contrib/mcpsdk"
	"github.com/toolverdict/toolverdict/guard"
	"github.com/toolverdict/toolverdict/guard/guardtest"
	"github.com/toolverdict/toolverdict/guard/seal"
)

func key() []byte { return []byte(strings.Repeat("k", 32)) }

func newServer() *mcp.Server {
	return mcp.NewServer(&mcp.Implementation{Name: "test", Version: "v1"}, nil)
}

func guarded(t *testing.T, g guard.Guard) *mcp.Server {
	t.Helper()
	s := newServer()
	m, err := mcpsdk.Middleware(mcpsdk.Config{Guard: g, Key: key()})
	if err != nil {
		t.Fatal(err)
	}
	s.AddReceivingMiddleware(m)
	return s
}

func connect(t *testing.T, s *mcp.Server, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	there, here := mcp.NewInMemoryTransports()
	if _, err := s.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	c, err := mcp.NewClient(&mcp.Implementation{Name: "model", Version: "v1"}, o).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func handler(name string, run guardtest.Tool) mcp.ToolHandler {
	return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		out, err := run(ctx, name, r.Params.Arguments)
		if err != nil {
			res := &mcp.CallToolResult{}
			res.SetError(err)
			return res, nil
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: out}}}, nil
	}
}

func object() map[string]any { return map[string]any{"type": "object"} }

// ask makes the calls of one message side by side.
func ask(t *testing.T, c *mcp.ClientSession, calls []guard.Call) []string {
	t.Helper()
	told := make([]string, len(calls))
	var wg sync.WaitGroup
	for i, call := range calls {
		wg.Go(func() {
			res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: call.Tool, Arguments: json.RawMessage(call.Arguments)})
			if err != nil {
				told[i] = err.Error()
				return
			}
			told[i] = res.Content[0].(*mcp.TextContent).Text
		})
	}
	wg.Wait()
	return told
}

func TestMiddleware(t *testing.T) {
	t.Parallel()
	guardtest.Run(t, func(t *testing.T, g guard.Guard, run guardtest.Tool) guardtest.Ask {
		t.Helper()
		s := guarded(t, g)
		for _, name := range guardtest.Names() {
			s.AddTool(&mcp.Tool{Name: name, InputSchema: object()}, handler(name, run))
		}
		c := connect(t, s, nil)
		return func(t *testing.T, calls ...guard.Call) []string { return ask(t, c, calls) }
	})
}

func TestTool(t *testing.T) {
	t.Parallel()
	guardtest.Run(t, func(t *testing.T, g guard.Guard, run guardtest.Tool) guardtest.Ask {
		t.Helper()
		s := newServer()
		for _, name := range guardtest.Names() {
			s.AddTool(&mcp.Tool{Name: name, InputSchema: object()}, mcpsdk.Tool(g, handler(name, run)))
		}
		c := connect(t, s, nil)
		return func(t *testing.T, calls ...guard.Call) []string { return ask(t, c, calls) }
	})
}

// Typed tools have their schema checked by the SDK, behind the gate.
func TestTypedTools(t *testing.T) {
	t.Parallel()
	type in struct {
		N int `json:"n"`
	}
	type out struct {
		Doubled int `json:"doubled"`
	}
	s := guarded(t, guardtest.NewGate(t).Guard())
	mcp.AddTool(s, &mcp.Tool{Name: guardtest.Allowed}, func(_ context.Context, _ *mcp.CallToolRequest, i in) (*mcp.CallToolResult, out, error) {
		return nil, out{2 * i.N}, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: guardtest.Denied}, func(context.Context, *mcp.CallToolRequest, in) (*mcp.CallToolResult, out, error) {
		t.Error("it ran")
		return nil, out{}, nil
	})
	c := connect(t, s, nil)
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: guardtest.Allowed, Arguments: in{4}})
	if err != nil || res.IsError {
		t.Fatalf("%v %+v", err, res)
	}
	if diff := cmp.Diff(map[string]any{"doubled": 8.0}, res.StructuredContent); diff != "" {
		t.Error(diff)
	}
	if res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: guardtest.Denied, Arguments: in{4}}); err != nil || !res.IsError {
		t.Errorf("%v %+v", err, res)
	}
}

// A number that the SDK would round on its way to a typed tool is not run: what was
// decided is another number.
func TestNumbersThatAreRounded(t *testing.T) {
	t.Parallel()
	type in struct {
		N int64 `json:"n"`
	}
	s := guarded(t, guardtest.NewGate(t).Guard())
	var ran []int64
	mcp.AddTool(s, &mcp.Tool{Name: guardtest.Allowed}, func(_ context.Context, _ *mcp.CallToolRequest, i in) (*mcp.CallToolResult, any, error) {
		ran = append(ran, i.N)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil, nil
	})
	c := connect(t, s, nil)
	for _, call := range []struct{ arguments, want string }{
		{`{"n":9007199254740993}`, "more digits"}, {`{"n":9223372036854775807}`, "more digits"}, {`{"n":9007199254740992}`, "done"},
	} {
		told := ask(t, c, []guard.Call{{Tool: guardtest.Allowed, Arguments: []byte(call.arguments)}})[0]
		if !strings.Contains(told, call.want) {
			t.Errorf("%s: told %q", call.arguments, told)
		}
	}
	if diff := cmp.Diff([]int64{1 << 53}, ran); diff != "" {
		t.Errorf("what ran (-want +got):\n%s", diff)
	}
}

// A tool that is guarded itself reads the bytes, with every digit.
func TestToolReadsEveryDigit(t *testing.T) {
	t.Parallel()
	s := newServer()
	s.AddTool(&mcp.Tool{Name: guardtest.Allowed, InputSchema: object()}, mcpsdk.Tool(guardtest.NewGate(t).Guard(), handler(guardtest.Allowed, func(_ context.Context, _ string, arguments []byte) (string, error) {
		return string(arguments), nil
	})))
	calls := []guard.Call{{Tool: guardtest.Allowed, Arguments: []byte(`{"n":9007199254740993}`)}}
	if told := ask(t, connect(t, s, nil), calls)[0]; told != `{"n":9007199254740993}` {
		t.Errorf("told %q", told)
	}
}

// A tool without the middleware seals nothing: there is no key with which anybody
// could have.
func TestToolTakesNoSeal(t *testing.T) {
	t.Parallel()
	g := guardtest.NewGate(t).Guard()
	s := newServer()
	s.AddTool(&mcp.Tool{Name: guardtest.Allowed, InputSchema: object()}, mcpsdk.Tool(g, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		t.Error("it ran")
		return &mcp.CallToolResult{}, nil
	}))
	c := connect(t, s, nil)
	for name, key := range map[string][]byte{"no key": nil, "a key of zeros": make([]byte, seal.KeyBytes)} {
		state := seal.Seal{Key: key, Session: g.Session, Tool: guardtest.Allowed}.Close("digest:made-up", "")
		res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: guardtest.Allowed, Arguments: object(), RequestState: state})
		var e *jsonrpc.Error
		if !errors.As(err, &e) || e.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("%s: %v %+v", name, err, res)
		}
	}
}

func TestOtherMethods(t *testing.T) {
	t.Parallel()
	s := guarded(t, guardtest.NewGate(t).Guard())
	s.AddResource(&mcp.Resource{URI: "file:///secret", Name: "secret"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		t.Error("it was read")
		return &mcp.ReadResourceResult{}, nil
	})
	s.AddPrompt(&mcp.Prompt{Name: "p"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		t.Error("it was fetched")
		return &mcp.GetPromptResult{}, nil
	})
	for _, name := range []string{guardtest.Allowed, guardtest.Missing} {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: object()}, handler(name, nil))
	}
	c := connect(t, s, nil)
	_, read := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "file:///secret"})
	_, get := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "p"})
	for _, err := range []error{read, get} {
		var e *jsonrpc.Error
		if !errors.As(err, &e) || e.Code != mcpsdk.Refused || !strings.Contains(string(e.Data), "UNKNOWN_TOOL") {
			t.Errorf("got %v", err)
		}
	}
	if err := c.Ping(t.Context(), nil); err != nil {
		t.Error(err)
	}
	if l, err := c.ListResources(t.Context(), nil); err != nil || len(l.Resources) != 1 {
		t.Errorf("%v %+v", err, l)
	}
	l, err := c.ListTools(t.Context(), nil)
	if err != nil || len(l.Tools) != 1 || l.Tools[0].Name != guardtest.Allowed {
		t.Errorf("%v %+v", err, l)
	}
}

// A policy may let a method through: it then runs with what was decided.
func TestAMethodThatIsAllowed(t *testing.T) {
	t.Parallel()
	g := guardtest.NewGate(t, "@resources/read").Guard()
	s := guarded(t, g)
	s.AddResource(&mcp.Resource{URI: "file:///a", Name: "a"}, func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: "the word is " + guardtest.Secret}}}, nil
	})
	res, err := connect(t, s, nil).ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "file:///a"})
	if err != nil || len(res.Contents) != 1 || res.Contents[0].Text != "the word is [HIDDEN]" {
		t.Errorf("%v %+v", err, res)
	}
}

// What a handler says of its failure has its secrets hidden, whatever kind of error
// it is; the protocol's own code is kept.
func TestAMethodThatFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		want int64
	}{
		"an error":              {errors.New("no file at " + guardtest.Secret), mcpsdk.Refused},
		"the protocol's":        {&jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no file at " + guardtest.Secret, Data: json.RawMessage(`"` + guardtest.Secret + `"`)}, jsonrpc.CodeInvalidParams},
		"one that is wrapped":   {fmt.Errorf("read %s: %w", guardtest.Secret, &jsonrpc.Error{Code: 7, Message: "x"}), 7},
		"an error with no word": {errors.New(""), mcpsdk.Refused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := guarded(t, guardtest.NewGate(t, "@resources/read").Guard())
			s.AddResource(&mcp.Resource{URI: "file:///a", Name: "a"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				return nil, c.err
			})
			_, err := connect(t, s, nil).ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "file:///a"})
			var e *jsonrpc.Error
			if !errors.As(err, &e) || e.Code != c.want {
				t.Fatalf("got %v", err)
			}
			if strings.Contains(e.Message+string(e.Data), guardtest.Secret) || c.err.Error() != "" && !strings.Contains(e.Message, "[HIDDEN]") && c.want != 7 {
				t.Errorf("the client was told %q, %s", e.Message, e.Data)
			}
		})
	}
}

// A tool that asks the client for input is one call in several rounds, under one
// approval.
func TestInputFromTheClient(t *testing.T) {
	t.Parallel()
	gate := guardtest.NewGate(t)
	s := guarded(t, gate.Guard())
	rounds := 0
	s.AddTool(&mcp.Tool{Name: guardtest.Asked, InputSchema: object()}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if rounds++; r.Params.RequestState != "mine" {
			return &mcp.CallToolResult{RequestState: "mine", InputRequests: mcp.InputRequestMap{
				"size": &mcp.ElicitParams{Message: "which size?", RequestedSchema: object()},
			}}, nil
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil
	})
	c := connect(t, s, &mcp.ClientOptions{
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{}}, nil
		},
	})
	call := func(state string, in mcp.InputResponseMap) (*mcp.CallToolResult, error) {
		return c.CallTool(t.Context(), &mcp.CallToolParams{Name: guardtest.Asked, Arguments: json.RawMessage(`{"n":1}`), RequestState: state, InputResponses: in})
	}
	if res, err := call("", nil); err != nil || !res.IsError || rounds != 0 {
		t.Fatalf("%v %+v", err, res)
	}
	gate.Approve(t.Context(), gate.Waiting(t.Context()))
	first, err := call("", nil)
	if err != nil || !first.NeedsInput() || !strings.HasPrefix(first.RequestState, "toolverdict.") {
		t.Fatalf("%v %+v", err, first)
	}
	in := mcp.InputResponseMap{"size": &mcp.ElicitResult{Action: "accept"}}
	if _, err := call(first.RequestState+"x", in); err == nil {
		t.Error("a broken seal was taken")
	}
	if res, err := call("mine", in); err != nil || !res.IsError || !strings.Contains(res.Content[0].(*mcp.TextContent).Text, "CONFIRMATION_REQUIRED") {
		t.Errorf("without the seal nobody was asked anew: %v %+v", err, res)
	}
	if rounds != 1 {
		t.Errorf("%d rounds", rounds)
	}
}

func TestTheNextRound(t *testing.T) {
	t.Parallel()
	gate := guardtest.NewGate(t)
	s := guarded(t, gate.Guard())
	s.AddTool(&mcp.Tool{Name: guardtest.Asked, InputSchema: object()}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if len(r.Params.InputResponses) == 0 {
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"size": &mcp.ElicitParams{Message: "which size?", RequestedSchema: object()}}}, nil
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil
	})
	c := connect(t, s, &mcp.ClientOptions{ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{}}, nil
	}})
	calls := []guard.Call{{Tool: guardtest.Asked, Arguments: []byte(`{"n":1}`)}}
	if told := ask(t, c, calls)[0]; !strings.Contains(told, "CONFIRMATION_REQUIRED") {
		t.Fatal(told)
	}
	gate.Approve(t.Context(), gate.Waiting(t.Context()))
	if told := ask(t, c, calls)[0]; told != "done" {
		t.Errorf("told %q", told)
	}
}

// Middleware that a server adds later stands before the guard: what it changes
// is what is decided.
func TestLaterMiddlewareStandsBefore(t *testing.T) {
	t.Parallel()
	var ran guardtest.Ran
	s := guarded(t, guardtest.NewGate(t).Guard())
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			if call, ok := r.(*mcp.CallToolRequest); ok {
				call.Params.Name = guardtest.Denied
			}
			return next(ctx, method, r)
		}
	})
	for _, name := range guardtest.Names() {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: object()}, handler(name, func(_ context.Context, name string, _ []byte) (string, error) {
			ran.Add(name, "")
			return "", nil
		}))
	}
	told := ask(t, connect(t, s, nil), []guard.Call{{Tool: guardtest.Allowed, Arguments: []byte(`{}`)}})[0]
	if !strings.Contains(told, "POLICY_DENIED") || len(ran.All()) != 0 {
		t.Errorf("told %q, ran %v", told, ran.All())
	}
}

func TestCallers(t *testing.T) {
	t.Parallel()
	gate := guardtest.NewGate(t)
	known := true
	m, err := mcpsdk.Middleware(mcpsdk.Config{Key: key(), Caller: func(context.Context, mcp.Request) (guard.Guard, error) {
		if !known {
			return guard.Guard{}, errors.New("no token")
		}
		return gate.Guard(), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	s := newServer()
	s.AddReceivingMiddleware(m)
	var ran guardtest.Ran
	s.AddTool(&mcp.Tool{Name: guardtest.Allowed, InputSchema: object()}, handler(guardtest.Allowed, func(context.Context, string, []byte) (string, error) {
		ran.Add("", "")
		return "done", nil
	}))
	c := connect(t, s, nil)
	calls := []guard.Call{{Tool: guardtest.Allowed, Arguments: []byte(`{}`)}}
	if told := ask(t, c, calls)[0]; told != "done" {
		t.Errorf("told %q", told)
	}
	known = false
	if told := ask(t, c, calls)[0]; !strings.Contains(told, "not known") || len(ran.All()) != 1 {
		t.Errorf("told %q, ran %v", told, ran.All())
	}
}

func TestMiddlewareNeeds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]mcpsdk.Config{
		"a key":         {Guard: guard.Guard{Server: "s"}},
		"a filled key":  {Guard: guard.Guard{Server: "s"}, Key: make([]byte, seal.KeyBytes)},
		"a server name": {Key: key()},
	} {
		if _, err := mcpsdk.Middleware(c); err == nil {
			t.Errorf("it was made without %s", name)
		}
	}
}
