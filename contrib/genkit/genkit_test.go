// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package genkit_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/firebase/genkit/go/ai"
	sdk "github.com/firebase/genkit/go/genkit"

	"github.com/toolverdict/toolverdict/contrib/genkit"
	"github.com/toolverdict/toolverdict/guard"
	"github.com/toolverdict/toolverdict/guard/guardtest"
)

// script is a model that asks for the calls, then ends, and keeps what it was told.
type script struct {
	calls []guard.Call
	told  map[string]string // by call: Genkit answers calls as they end
}

func (s *script) answer(_ context.Context, r *ai.ModelRequest, _ ai.ModelStreamCallback) (*ai.ModelResponse, error) {
	last := r.Messages[len(r.Messages)-1]
	if last.Role == ai.RoleTool {
		s.told = map[string]string{}
		for _, p := range last.Content {
			text, ok := p.ToolResponse.Output.(string)
			if !ok {
				b, err := json.Marshal(p.ToolResponse.Output)
				if err != nil {
					return nil, err
				}
				text = string(b)
			}
			s.told[p.ToolResponse.Ref] = text
		}
		return &ai.ModelResponse{Request: r, Message: ai.NewModelTextMessage("done")}, nil
	}
	var parts []*ai.Part
	for _, c := range s.calls {
		var in any
		if err := json.Unmarshal(c.Arguments, &in); err != nil {
			return nil, err
		}
		parts = append(parts, ai.NewToolRequestPart(&ai.ToolRequest{Ref: c.ID, Name: c.Tool, Input: in}))
	}
	return &ai.ModelResponse{Request: r, Message: ai.NewModelMessage(parts...)}, nil
}

type define func(g *sdk.Genkit, c genkit.Config, name string, run guardtest.Tool) ai.ToolRef

func plain(g *sdk.Genkit, c genkit.Config, name string, run guardtest.Tool) ai.ToolRef {
	return sdk.DefineTool(g, name, "a tool", genkit.Func(c, name, func(ctx *ai.ToolContext, in map[string]any) (string, error) {
		b, err := json.Marshal(in)
		if err != nil {
			return "", err
		}
		return run(ctx, name, b)
	}))
}

func multipart(g *sdk.Genkit, c genkit.Config, name string, run guardtest.Tool) ai.ToolRef {
	return sdk.DefineMultipartTool(g, name, "a tool", genkit.Multipart(c, name, func(ctx *ai.ToolContext, in map[string]any) (*ai.MultipartToolResponse, error) {
		b, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		out, err := run(ctx, name, b)
		return &ai.MultipartToolResponse{Output: out}, err
	}))
}

// setUp makes a model and the tools.
func setUp(t *testing.T, c genkit.Config, d define, run guardtest.Tool, s *script) (*sdk.Genkit, []ai.GenerateOption) {
	t.Helper()
	g := sdk.Init(t.Context())
	model := sdk.DefineModel(g, "test/script", &ai.ModelOptions{Supports: &ai.ModelSupports{Tools: true, Multiturn: true}}, s.answer)
	var refs []ai.ToolRef
	for _, name := range guardtest.Names() {
		refs = append(refs, d(g, c, name, run))
	}
	return g, []ai.GenerateOption{ai.WithModel(model), ai.WithTools(refs...)}
}

// Genkit parses what the model wrote: of two equal keys one is gone before any
// tool is entered.
func TestTools(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]define{"one output": plain, "parts": multipart} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			guardtest.Run(t, func(_ *testing.T, g guard.Guard, run guardtest.Tool) guardtest.Ask {
				return func(t *testing.T, calls ...guard.Call) []string {
					t.Helper()
					s := &script{calls: calls}
					kit, options := setUp(t, genkit.Config{Guard: g}, d, run, s)
					if _, err := sdk.Generate(t.Context(), kit, append(options, ai.WithPrompt("go"))...); err != nil {
						t.Fatal(err)
					}
					told := make([]string, len(s.told))
					for i, c := range calls {
						told[i] = s.told[c.ID]
					}
					return told
				}
			}, guardtest.DuplicateKeys)
		})
	}
}

// A call that waits for a person pauses the generation. A restart is no yes.
func TestPause(t *testing.T) {
	t.Parallel()
	gate := guardtest.NewGate(t)
	var ran guardtest.Ran
	s := &script{calls: []guard.Call{{ID: "1", Tool: guardtest.Asked, Arguments: []byte(`{"n":1}`)}}}
	kit, options := setUp(t, genkit.Config{Guard: gate.Guard(), Pause: true}, plain, func(_ context.Context, name string, arguments []byte) (string, error) {
		ran.Add(name, string(arguments))
		return "done", nil
	}, s)
	res, err := sdk.Generate(t.Context(), kit, append(options, ai.WithPrompt("go"))...)
	if err != nil {
		t.Fatal(err)
	}
	restart := func() (*ai.ModelResponse, error) {
		part := res.Interrupts()[0]
		return sdk.Generate(t.Context(), kit, append(options, ai.WithMessages(res.History()...),
			ai.WithToolRestarts(sdk.LookupTool(kit, guardtest.Asked).Restart(part, &ai.RestartOptions{ResumedMetadata: map[string]any{"approved": true}})))...)
	}
	if len(res.Interrupts()) != 1 {
		t.Fatalf("it was not interrupted: %+v", res)
	}
	waits, ok := genkit.Waiting(res.Interrupts()[0])
	if !ok || waits.Tool != guardtest.Server+"/"+guardtest.Asked {
		t.Fatalf("it waits for %+v", waits)
	}
	if _, err := restart(); err == nil || len(ran.All()) != 0 { // Genkit has no second pause: it is an error there
		t.Fatalf("restarted without a yes it ran %v", ran.All())
	}
	gate.Approve(t.Context(), waits.ID)
	if done, err := restart(); err != nil || done.Text() != "done" || len(ran.All()) != 1 {
		t.Errorf("%v, ran %v", err, ran.All())
	}
}

// A tool that interrupts by itself still does.
func TestAToolsOwnInterrupt(t *testing.T) {
	t.Parallel()
	kit := sdk.Init(t.Context())
	s := &script{calls: []guard.Call{{ID: "1", Tool: guardtest.Allowed, Arguments: []byte(`{}`)}}}
	model := sdk.DefineModel(kit, "test/script", &ai.ModelOptions{Supports: &ai.ModelSupports{Tools: true, Multiturn: true}}, s.answer)
	c := genkit.Config{Guard: guardtest.NewGate(t).Guard()}
	tool := sdk.DefineTool(kit, guardtest.Allowed, "a tool", genkit.Func(c, guardtest.Allowed, func(ctx *ai.ToolContext, _ map[string]any) (string, error) {
		return "", ctx.Interrupt(&ai.InterruptOptions{Metadata: map[string]any{"size": "which?"}})
	}))
	res, err := sdk.Generate(t.Context(), kit, ai.WithModel(model), ai.WithTools(tool), ai.WithPrompt("go"))
	if err != nil || len(res.Interrupts()) != 1 {
		t.Fatalf("%v %+v", err, res)
	}
	if _, ours := genkit.Waiting(res.Interrupts()[0]); ours {
		t.Error("it is taken for one of the gate's")
	}
}
