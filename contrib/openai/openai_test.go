// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package openai_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/toolverdict/toolverdict/contrib/openai"
	"github.com/toolverdict/toolverdict/guard"
	"github.com/toolverdict/toolverdict/guard/guardtest"
)

// model answers the first request with the calls, and keeps the second one.
type model struct {
	first string
	then  []byte
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json")
	if m.first == "" {
		m.then = body
		_, _ = io.WriteString(w, `{}`)
		return
	}
	_, _ = io.WriteString(w, m.first)
	m.first = ""
}

func connect(t *testing.T, first string) (sdk.Client, *model) {
	t.Helper()
	m := &model{first: first}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	return sdk.NewClient(option.WithBaseURL(server.URL), option.WithAPIKey("test"), option.WithHTTPClient(server.Client()), option.WithMaxRetries(0)), m
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func tools(run guardtest.Tool) openai.Tools {
	all := openai.Tools{}
	for _, name := range guardtest.Names() {
		all[name] = func(ctx context.Context, arguments []byte) (json.RawMessage, error) {
			out, err := run(ctx, name, arguments)
			return json.RawMessage(quote(out)), err
		}
	}
	return all
}

func list(calls []guard.Call, format string) string {
	var all []string
	for _, c := range calls {
		all = append(all, fmt.Sprintf(format, quote(c.ID), quote(c.Tool), quote(string(c.Arguments))))
	}
	return "[" + strings.Join(all, ",") + "]"
}

func TestChat(t *testing.T) {
	t.Parallel()
	guardtest.Run(t, func(_ *testing.T, g guard.Guard, run guardtest.Tool) guardtest.Ask {
		return func(t *testing.T, calls ...guard.Call) []string {
			t.Helper()
			c, m := connect(t, `{"id":"r","object":"chat.completion","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"tool_calls":`+
				list(calls, `{"id":%s,"type":"function","function":{"name":%s,"arguments":%s}}`)+`}}]}`)
			params := sdk.ChatCompletionNewParams{Model: "m", Messages: []sdk.ChatCompletionMessageParamUnion{sdk.UserMessage("go")}}
			done, err := c.Chat.Completions.New(t.Context(), params)
			if err != nil {
				t.Fatal(err)
			}
			answers, err := openai.Chat(t.Context(), g, &done.Choices[0].Message, "1", tools(run))
			if err != nil {
				t.Fatal(err)
			}
			params.Messages = append(append(params.Messages, done.Choices[0].Message.ToParam()), answers...)
			if _, err := c.Chat.Completions.New(t.Context(), params); err != nil {
				t.Fatal(err)
			}
			var then struct {
				Messages []struct {
					Role, Content string
					ID            string `json:"tool_call_id"`
				}
			}
			if err := json.Unmarshal(m.then, &then); err != nil {
				t.Fatalf("%v: %s", err, m.then)
			}
			var told []string
			for _, m := range then.Messages {
				if m.Role == "tool" {
					told = append(told, m.Content)
				}
			}
			return told
		}
	})
}

func TestResponse(t *testing.T) {
	t.Parallel()
	guardtest.Run(t, func(_ *testing.T, g guard.Guard, run guardtest.Tool) guardtest.Ask {
		return func(t *testing.T, calls ...guard.Call) []string {
			t.Helper()
			c, m := connect(t, `{"id":"r","object":"response","output":`+list(calls, `{"type":"function_call","call_id":%s,"name":%s,"arguments":%s}`)+`}`)
			params := responses.ResponseNewParams{Model: "m"}
			done, err := c.Responses.New(t.Context(), params)
			if err != nil {
				t.Fatal(err)
			}
			answers, err := openai.Response(t.Context(), g, done, "1", tools(run))
			if err != nil {
				t.Fatal(err)
			}
			params.Input.OfInputItemList = answers
			if _, err := c.Responses.New(t.Context(), params); err != nil {
				t.Fatal(err)
			}
			var then struct {
				Input []struct{ Type, Output string }
			}
			if err := json.Unmarshal(m.then, &then); err != nil {
				t.Fatalf("%v: %s", err, m.then)
			}
			var told []string
			for _, item := range then.Input {
				told = append(told, item.Output)
			}
			return told
		}
	})
}

// A message that did not come from the API has no bytes that could be decided.
func TestAMessageOfOnesOwn(t *testing.T) {
	t.Parallel()
	var ran guardtest.Ran
	run := func(context.Context, string, []byte) (string, error) {
		ran.Add("", "")
		return "", nil
	}
	m := sdk.ChatCompletionMessage{ToolCalls: []sdk.ChatCompletionMessageToolCallUnion{{ID: "1", Type: "function"}}}
	if out, err := openai.Chat(t.Context(), guardtest.NewGate(t).Guard(), &m, "1", tools(run)); err == nil || len(ran.All()) != 0 {
		t.Errorf("got %v", out)
	}
}
