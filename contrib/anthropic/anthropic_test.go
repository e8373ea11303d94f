// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package anthropic_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/anthropics/anthropic-sdk-go/v2/toolrunner"

	"github.com/toolverdict/toolverdict/contrib/anthropic"
	"github.com/toolverdict/toolverdict/guard"
	"github.com/toolverdict/toolverdict/guard/guardtest"
)

// plain is a tool that is given the model's bytes as the runner has them.
type plain struct {
	name string
	run  guardtest.Tool
}

func (p plain) Name() string                              { return p.name }
func (p plain) Description() string                       { return "a tool" }
func (p plain) InputSchema() sdk.BetaToolInputSchemaParam { return sdk.BetaToolInputSchemaParam{} }

func (p plain) Execute(ctx context.Context, input json.RawMessage) ([]sdk.BetaToolResultBlockParamContentUnion, error) {
	out, err := p.run(ctx, p.name, input)
	if err != nil {
		return nil, err
	}
	return []sdk.BetaToolResultBlockParamContentUnion{{OfText: &sdk.BetaTextBlockParam{Text: out}}}, nil
}

// model is a scripted one: it asks for the calls, then ends, and keeps what it was
// told.
type model struct {
	calls   []guard.Call
	told    []string
	streams bool
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	body, _ := io.ReadAll(r.Body)
	if err := json.Unmarshal(body, &in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	last := in.Messages[len(in.Messages)-1]
	var results []struct {
		ToolUseID string `json:"tool_use_id"`
		IsError   bool   `json:"is_error"`
		Content   []struct{ Text string }
	}
	if json.Unmarshal(last.Content, &results) == nil && len(results) > 0 && results[0].ToolUseID != "" {
		m.told = make([]string, len(results))
		for i, res := range results {
			m.told[i] = res.Content[0].Text
		}
		if m.streams {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, ended)
			return
		}
		_, _ = io.WriteString(w, `{"id":"m2","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"done"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`)
		return
	}
	if m.streams {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, events(m.calls))
		return
	}
	var uses []string
	for _, c := range m.calls {
		uses = append(uses, `{"type":"tool_use","id":"`+c.ID+`","name":"`+c.Tool+`","input":`+string(c.Arguments)+`}`)
	}
	_, _ = io.WriteString(w, `{"id":"m1","type":"message","role":"assistant","model":"m","content":[`+strings.Join(uses, ",")+`],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}`)
}

func run(t *testing.T, tools []sdk.BetaTool, calls []guard.Call) []string {
	t.Helper()
	m := &model{calls: calls}
	server := httptest.NewServer(m)
	defer server.Close()
	client := sdk.NewClient(option.WithBaseURL(server.URL), option.WithAPIKey("test"), option.WithHTTPClient(server.Client()), option.WithMaxRetries(0))
	runner := client.Beta.Messages.NewToolRunner(tools, sdk.BetaToolRunnerParams{BetaMessageNewParams: sdk.BetaMessageNewParams{
		Model: "m", MaxTokens: 100, Messages: []sdk.BetaMessageParam{sdk.NewBetaUserMessage(sdk.NewBetaTextBlock("go"))},
	}})
	if _, err := runner.RunToCompletion(t.Context()); err != nil {
		t.Fatal(err)
	}
	return m.told
}

func door(t *testing.T, g guard.Guard, do guardtest.Tool) guardtest.Ask {
	t.Helper()
	var tools []sdk.BetaTool
	for _, name := range guardtest.Names() {
		tools = append(tools, plain{name, do})
	}
	return func(t *testing.T, calls ...guard.Call) []string {
		t.Helper()
		return run(t, anthropic.Tools(g, tools...), calls)
	}
}

// The runner parses what the model wrote and hands on what it made of it: of two
// equal keys one is gone before any tool is entered.
func TestToolRunner(t *testing.T) {
	t.Parallel()
	guardtest.Run(t, door, guardtest.DuplicateKeys)
}

// events are a streamed message that asks for the calls, their input in two pieces.
func events(calls []guard.Call) string {
	var b strings.Builder
	event := func(kind, rest string) {
		b.WriteString("event: " + kind + "\ndata: {\"type\":\"" + kind + "\"" + rest + "}\n\n")
	}
	event("message_start", `,"message":{"id":"m1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":1,"output_tokens":1}}`)
	for i, c := range calls {
		at := `,"index":` + strconv.Itoa(i)
		event("content_block_start", at+`,"content_block":{"type":"tool_use","id":"`+c.ID+`","name":"`+c.Tool+`","input":{}}`)
		for _, piece := range []string{string(c.Arguments[:1]), string(c.Arguments[1:])} {
			quoted, _ := json.Marshal(piece)
			event("content_block_delta", at+`,"delta":{"type":"input_json_delta","partial_json":`+string(quoted)+`}`)
		}
		event("content_block_stop", at)
	}
	event("message_delta", `,"delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":1}`)
	event("message_stop", "")
	return b.String()
}

const ended = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m2\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[],\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}}\n\n" +
	"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":1}}\n\n" +
	"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"

// The streaming runner goes through the gate as well.
func TestStreamingRunner(t *testing.T) {
	t.Parallel()
	guardtest.Run(t, func(_ *testing.T, g guard.Guard, do guardtest.Tool) guardtest.Ask {
		var tools []sdk.BetaTool
		for _, name := range guardtest.Names() {
			tools = append(tools, anthropic.Tool(g, plain{name, do}))
		}
		return func(t *testing.T, calls ...guard.Call) []string {
			t.Helper()
			m := &model{calls: calls, streams: true}
			server := httptest.NewServer(m)
			defer server.Close()
			client := sdk.NewClient(option.WithBaseURL(server.URL), option.WithAPIKey("test"), option.WithHTTPClient(server.Client()), option.WithMaxRetries(0))
			runner := client.Beta.Messages.NewToolRunnerStreaming(tools, sdk.BetaToolRunnerParams{BetaMessageNewParams: sdk.BetaMessageNewParams{
				Model: "m", MaxTokens: 100, Messages: []sdk.BetaMessageParam{sdk.NewBetaUserMessage(sdk.NewBetaTextBlock("go"))},
			}})
			for stream, err := range runner.AllStreaming(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				for _, err := range stream {
					if err != nil {
						t.Fatal(err)
					}
				}
			}
			return m.told
		}
	}, guardtest.DuplicateKeys)
}

// What the runner made of two equal keys is what is decided, and what runs.
func TestEqualKeys(t *testing.T) {
	t.Parallel()
	gate := guardtest.NewGate(t)
	var ran guardtest.Ran
	tools := anthropic.Tools(gate.Guard(), plain{guardtest.Asked, func(_ context.Context, name string, arguments []byte) (string, error) {
		ran.Add(name, string(arguments))
		return "done", nil
	}})
	calls := []guard.Call{{ID: "1", Tool: guardtest.Asked, Arguments: []byte(`{"n":1,"n":2}`)}}
	run(t, tools, calls)
	id := gate.Waiting(t.Context())
	shown := gate.Shows(t.Context(), id)
	gate.Approve(t.Context(), id)
	run(t, tools, calls)
	if got := ran.All(); len(got) != 1 || got[0] != guardtest.Asked+" "+shown {
		t.Errorf("shown %s, ran %q", shown, got)
	}
}

// Typed tools get what was decided.
func TestTypedTool(t *testing.T) {
	t.Parallel()
	type in struct {
		N int `json:"n"`
	}
	typed, err := toolrunner.NewBetaToolFromJSONSchema(guardtest.Asked, "a tool", func(_ context.Context, i in) (sdk.BetaToolResultBlockParamContentUnion, error) {
		return sdk.BetaToolResultBlockParamContentUnion{OfText: &sdk.BetaTextBlockParam{Text: strings.Repeat("x", i.N)}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	gate := guardtest.NewGate(t)
	tools := anthropic.Tools(gate.Guard(), typed)
	calls := []guard.Call{{ID: "1", Tool: guardtest.Asked, Arguments: []byte(`{"n":1}`)}}
	if told := run(t, tools, calls); !strings.Contains(told[0], "CONFIRMATION_REQUIRED") {
		t.Fatalf("told %q", told)
	}
	gate.Edit(t.Context(), gate.Waiting(t.Context()), `{"n":3}`)
	if told := run(t, tools, calls); told[0] != "xxx" {
		t.Errorf("told %q", told)
	}
}

// Whoever runs a tool finds the refusal in its error, and what the tool returned
// is not there for a model to see.
func TestTheErrorIsARefusal(t *testing.T) {
	t.Parallel()
	own := errors.New("the word is " + guardtest.Secret)
	tool := anthropic.Tool(guardtest.NewGate(t).Guard(), plain{guardtest.Allowed, func(context.Context, string, []byte) (string, error) { return "", own }})
	_, err := tool.Execute(t.Context(), json.RawMessage(`{}`))
	var refused *guard.Refused
	if !errors.As(err, &refused) || strings.Contains(err.Error(), guardtest.Secret) {
		t.Errorf("got %v", err)
	}
}
