// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package eino_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	"github.com/toolverdict/toolverdict/contrib/eino"
	"github.com/toolverdict/toolverdict/guard"
	"github.com/toolverdict/toolverdict/guard/guardtest"
)

// base is a tool of one of the kinds below.
type base struct {
	name string
	run  guardtest.Tool
}

func (b base) Info(context.Context) (*schema.ToolInfo, error) {
	return &schema.ToolInfo{Name: b.name, Desc: "a tool"}, nil
}

type (
	invokable          struct{ base }
	streamable         struct{ base }
	enhancedInvokable  struct{ base }
	enhancedStreamable struct{ base }
)

func (t invokable) InvokableRun(ctx context.Context, arguments string, _ ...tool.Option) (string, error) {
	return t.run(ctx, t.name, []byte(arguments))
}

func halves(s string) []string { return []string{s[:len(s)/2], s[len(s)/2:]} }

func (t streamable) StreamableRun(ctx context.Context, arguments string, _ ...tool.Option) (*schema.StreamReader[string], error) {
	out, err := t.run(ctx, t.name, []byte(arguments))
	if err != nil {
		return nil, err
	}
	return schema.StreamReaderFromArray(halves(out)), nil
}

func result(s string) *schema.ToolResult {
	return &schema.ToolResult{Parts: []schema.ToolOutputPart{{Type: schema.ToolPartTypeText, Text: s}}}
}

func (t enhancedInvokable) InvokableRun(ctx context.Context, arguments *schema.ToolArgument, _ ...tool.Option) (*schema.ToolResult, error) {
	out, err := t.run(ctx, t.name, []byte(arguments.Text))
	return result(out), err
}

func (t enhancedStreamable) StreamableRun(ctx context.Context, arguments *schema.ToolArgument, _ ...tool.Option) (*schema.StreamReader[*schema.ToolResult], error) {
	out, err := t.run(ctx, t.name, []byte(arguments.Text))
	if err != nil {
		return nil, err
	}
	h := halves(out)
	return schema.StreamReaderFromArray([]*schema.ToolResult{result(h[0]), result(h[1])}), nil
}

func kinds() map[string]func(base) tool.BaseTool {
	return map[string]func(base) tool.BaseTool{
		"invokable":           func(b base) tool.BaseTool { return invokable{b} },
		"streamable":          func(b base) tool.BaseTool { return streamable{b} },
		"enhanced invokable":  func(b base) tool.BaseTool { return enhancedInvokable{b} },
		"enhanced streamable": func(b base) tool.BaseTool { return enhancedStreamable{b} },
	}
}

// script is a model that asks for the calls it was given, whatever it is told.
type script struct{ calls []guard.Call }

func (s script) Generate(context.Context, []*schema.Message, ...model.Option) (*schema.Message, error) {
	m := &schema.Message{Role: schema.Assistant}
	for _, c := range s.calls {
		m.ToolCalls = append(m.ToolCalls, schema.ToolCall{ID: c.ID, Type: "function", Function: schema.FunctionCall{Name: c.Tool, Arguments: string(c.Arguments)}})
	}
	return m, nil
}

func (s script) Stream(ctx context.Context, in []*schema.Message, o ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	m, err := s.Generate(ctx, in, o...)
	return schema.StreamReaderFromArray([]*schema.Message{m}), err
}

func (s script) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return s, nil }

type graph = compose.Runnable[[]*schema.Message, []*schema.Message]

// build makes a model and its tools.
func build(t *testing.T, c eino.Config, tools []tool.BaseTool, calls []guard.Call, o ...compose.GraphCompileOption) graph {
	t.Helper()
	node, err := compose.NewToolNode(t.Context(), &compose.ToolsNodeConfig{
		Tools: tools, ToolCallMiddlewares: []compose.ToolMiddleware{eino.Middleware(c)}, UnknownToolsHandler: eino.Unknown(c.Guard),
	})
	if err != nil {
		t.Fatal(err)
	}
	chain := compose.NewChain[[]*schema.Message, []*schema.Message]().AppendChatModel(script{calls}).AppendToolsNode(node)
	g, err := chain.Compile(t.Context(), o...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func start() []*schema.Message { return []*schema.Message{schema.UserMessage("go")} }

func say(m *schema.Message) string {
	s := m.Content
	for _, p := range m.UserInputMultiContent {
		s += p.Text
	}
	return s
}

func texts(all []*schema.Message) []string {
	told := make([]string, len(all))
	for i, m := range all {
		if m != nil {
			told[i] = say(m)
		}
	}
	return told
}

// Every kind of tool, invoked and streamed.
func TestMiddleware(t *testing.T) {
	t.Parallel()
	for kind, of := range kinds() {
		for _, streams := range []bool{false, true} {
			name := kind + ", invoked"
			if streams {
				name = kind + ", streamed"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				guardtest.Run(t, func(t *testing.T, g guard.Guard, run guardtest.Tool) guardtest.Ask {
					t.Helper()
					var tools []tool.BaseTool
					for _, name := range guardtest.Names() {
						tools = append(tools, of(base{name, run}))
					}
					return func(t *testing.T, calls ...guard.Call) []string {
						t.Helper()
						graph := build(t, eino.Config{Guard: g}, tools, calls)
						if !streams {
							out, err := graph.Invoke(t.Context(), start())
							if err != nil {
								t.Fatal(err)
							}
							return texts(out)
						}
						s, err := graph.Stream(t.Context(), start())
						if err != nil {
							t.Fatal(err)
						}
						told := slices.Repeat([]string{""}, len(calls))
						for {
							chunk, err := s.Recv()
							if errors.Is(err, io.EOF) {
								return told
							}
							if err != nil {
								t.Fatal(err)
							}
							for i, s := range texts(chunk) {
								told[i] += s
							}
						}
					}
				})
			})
		}
	}
}

// A name that the model made up is refused and does not end the run.
func TestUnknown(t *testing.T) {
	t.Parallel()
	g := build(t, eino.Config{Guard: guardtest.NewGate(t).Guard()}, []tool.BaseTool{invokable{base{guardtest.Denied, nil}}},
		[]guard.Call{{ID: "1", Tool: "made_up", Arguments: []byte(`{}`)}, {ID: "2", Tool: guardtest.Allowed, Arguments: []byte(`{}`)}})
	out, err := g.Invoke(t.Context(), start())
	if err != nil {
		t.Fatal(err)
	}
	if told := texts(out); !strings.Contains(told[0], "UNKNOWN_TOOL") || !strings.Contains(told[1], "there is no such tool here") {
		t.Errorf("told %q", told)
	}
}

// store keeps checkpoints.
type store struct {
	mu  sync.Mutex
	all map[string][]byte
}

func (s *store) Get(_ context.Context, id string) ([]byte, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.all[id]
	return b, ok, nil
}

func (s *store) Set(_ context.Context, id string, b []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[id] = b
	return nil
}

// interrupted runs a graph to its interrupt and returns what it waits for.
func interrupted(ctx context.Context, t *testing.T, g graph) (id string, info any) {
	t.Helper()
	_, err := g.Invoke(ctx, start(), compose.WithCheckPointID("c"))
	in, ok := compose.ExtractInterruptInfo(err)
	if !ok {
		t.Fatalf("it was not interrupted: %v", err)
	}
	for _, c := range in.InterruptContexts {
		if c.IsRootCause {
			return c.ID, c.Info
		}
	}
	t.Fatal("the interrupt has no cause")
	return "", nil
}

// A call that waits for a person pauses the graph. Resuming is no yes; after one,
// the approved call runs once and its siblings are not run again.
func TestPause(t *testing.T) {
	t.Parallel()
	for kind, of := range kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			gate := guardtest.NewGate(t)
			var ran guardtest.Ran
			run := func(_ context.Context, name string, arguments []byte) (string, error) {
				ran.Add(name, string(arguments))
				return "done", nil
			}
			tools := []tool.BaseTool{of(base{guardtest.Allowed, run}), of(base{guardtest.Asked, run})}
			g := build(t, eino.Config{Guard: gate.Guard(), Pause: true}, tools, []guard.Call{
				{ID: "1", Tool: guardtest.Allowed, Arguments: []byte(`{"n":1}`)}, {ID: "2", Tool: guardtest.Asked, Arguments: []byte(`{"n":2}`)},
			}, compose.WithCheckPointStore(&store{all: map[string][]byte{}}))
			id, info := interrupted(t.Context(), t, g)
			waits, ok := eino.Waiting(info)
			if !ok || waits.Tool != guardtest.Server+"/"+guardtest.Asked {
				t.Fatalf("it waits for %v", info)
			}
			id, info = interrupted(compose.ResumeWithData(t.Context(), id, "approved"), t, g)
			if again, ok := eino.Waiting(info); !ok || again.ID != waits.ID {
				t.Fatalf("resumed without a yes, it waits for %v", info)
			}
			if got := ran.All(); len(got) != 1 {
				t.Fatalf("ran %q", got)
			}
			gate.Approve(t.Context(), waits.ID)
			out, err := g.Invoke(compose.Resume(t.Context(), id), start(), compose.WithCheckPointID("c"))
			if err != nil {
				t.Fatal(err)
			}
			if told := texts(out); len(told) != 2 || told[0] != "done" || told[1] != "done" {
				t.Errorf("told %q", told)
			}
			if got := ran.All(); len(got) != 2 || got[1] != guardtest.Asked+` {"n":2}` {
				t.Errorf("ran %q", got)
			}
		})
	}
}

// A rejection ends the pause with words for the model.
func TestPauseIsRejected(t *testing.T) {
	t.Parallel()
	gate := guardtest.NewGate(t)
	g := build(t, eino.Config{Guard: gate.Guard(), Pause: true}, []tool.BaseTool{invokable{base{guardtest.Asked, nil}}},
		[]guard.Call{{ID: "1", Tool: guardtest.Asked, Arguments: []byte(`{}`)}}, compose.WithCheckPointStore(&store{all: map[string][]byte{}}))
	id, info := interrupted(t.Context(), t, g)
	waits, _ := eino.Waiting(info)
	gate.Reject(t.Context(), waits.ID)
	out, err := g.Invoke(compose.ResumeWithData(t.Context(), id, true), start(), compose.WithCheckPointID("c"))
	if err != nil {
		t.Fatal(err)
	}
	if told := texts(out); !strings.Contains(told[0], "CONFIRMATION_INVALID") {
		t.Errorf("told %q", told)
	}
}

// asking is a tool that pauses the graph itself, and keeps state of its own.
type asking struct {
	base

	legs *int
}

func (a asking) InvokableRun(ctx context.Context, _ string, _ ...tool.Option) (string, error) {
	*a.legs++
	if _, has, state := tool.GetInterruptState[string](ctx); has {
		_, _, size := tool.GetResumeContext[string](ctx)
		return state + " " + size, nil
	}
	return "", tool.StatefulInterrupt(ctx, "which size?", "mine")
}

// A tool's own pause goes on under the approval that its first leg used.
func TestAToolsOwnPause(t *testing.T) {
	t.Parallel()
	gate := guardtest.NewGate(t)
	legs := 0
	g := build(t, eino.Config{Guard: gate.Guard(), Pause: true}, []tool.BaseTool{asking{base{guardtest.Asked, nil}, &legs}},
		[]guard.Call{{ID: "1", Tool: guardtest.Asked, Arguments: []byte(`{}`)}}, compose.WithCheckPointStore(&store{all: map[string][]byte{}}))
	id, info := interrupted(t.Context(), t, g)
	waits, _ := eino.Waiting(info)
	gate.Approve(t.Context(), waits.ID)
	id, info = interrupted(compose.Resume(t.Context(), id), t, g)
	if info != "which size?" || legs != 1 {
		t.Fatalf("it waits for %v after %d legs", info, legs)
	}
	out, err := g.Invoke(compose.ResumeWithData(t.Context(), id, "large"), start(), compose.WithCheckPointID("c"))
	if err != nil {
		t.Fatal(err)
	}
	if told := texts(out); told[0] != "mine large" || legs != 2 {
		t.Errorf("told %q after %d legs", told, legs)
	}
}

// A slot that is left out lets tools of its kind slip past: none may be.
func TestEverySlotIsFilled(t *testing.T) {
	t.Parallel()
	m := eino.Middleware(eino.Config{})
	if m.Invokable == nil || m.Streamable == nil || m.EnhancedInvokable == nil || m.EnhancedStreamable == nil {
		t.Error("a kind of tools is not covered")
	}
}
