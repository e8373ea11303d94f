// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package wire_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict/wire"
)

const refused = `{"success":false,"error":{"code":"POLICY_DENIED"}}`

func TestAnswers(t *testing.T) {
	t.Parallel()
	const asText = `"{\"success\":false,\"error\":{\"code\":\"POLICY_DENIED\"}}"`
	for name, c := range map[string]struct {
		shape   wire.Shape
		message string
		ok      bool
		content string
		want    string
	}{
		"openai-chat": {wire.OpenAIChat, `[{"id":"a","function":{"name":"x","arguments":"{}"}}]`, false, refused,
			`[{"role":"tool","tool_call_id":"a","content":` + asText + `}]`},
		"a text stays a text": {wire.OpenAIChat, `[{"id":"a","function":{"name":"x","arguments":"{}"}}]`, true, `"done <b>"`,
			`[{"role":"tool","tool_call_id":"a","content":"done <b>"}]`},
		"content that is no JSON": {wire.OpenAIChat, `[{"id":"a","function":{"name":"x","arguments":"{}"}}]`, true, `{"a"`,
			`[{"role":"tool","tool_call_id":"a","content":"null"}]`},
		"openai-functions": {wire.OpenAIFunctions, `{"function_call":{"name":"x","arguments":"{}"}}`, false, refused,
			`[{"role":"function","name":"x","content":` + asText + `}]`},
		"a function of responses": {wire.OpenAIResponses, `[{"type":"function_call","call_id":"c","name":"x","arguments":"{}"}]`, false, refused,
			`[{"type":"function_call_output","call_id":"c","output":` + asText + `}]`},
		"a custom tool": {wire.OpenAIResponses, `[{"type":"custom_tool_call","call_id":"c","name":"x","input":""}]`, false, refused,
			`[{"type":"custom_tool_call_output","call_id":"c","output":` + asText + `}]`},
		"shell refused": {wire.OpenAIResponses, `[{"type":"shell_call","call_id":"c","action":{}}]`, false, refused,
			`[{"type":"shell_call_output","call_id":"c","output":[{"stdout":"","stderr":` + asText + `,"outcome":{"type":"exit","exit_code":126}}]}]`},
		"shell": {wire.OpenAIResponses, `[{"type":"shell_call","call_id":"c","action":{}}]`, true, `"ok"`,
			`[{"type":"shell_call_output","call_id":"c","output":[{"stdout":"ok","stderr":"","outcome":{"type":"exit","exit_code":0}}]}]`},
		"local shell": {wire.OpenAIResponses, `[{"type":"local_shell_call","call_id":"c","action":{}}]`, false, refused,
			`[{"type":"local_shell_call_output","id":"c","output":` + asText + `}]`},
		"patch refused": {wire.OpenAIResponses, `[{"type":"apply_patch_call","call_id":"c","operation":{}}]`, false, refused,
			`[{"type":"apply_patch_call_output","call_id":"c","status":"failed","output":` + asText + `}]`},
		"patch": {wire.OpenAIResponses, `[{"type":"apply_patch_call","call_id":"c","operation":{}}]`, true, `"ok"`,
			`[{"type":"apply_patch_call_output","call_id":"c","status":"completed","output":"ok"}]`},
		"remote refused": {wire.OpenAIResponses, `[{"type":"mcp_approval_request","id":"m","server_label":"s","name":"x","arguments":"{}"}]`, false, `"no"`,
			`[{"type":"mcp_approval_response","approval_request_id":"m","approve":false,"reason":"no"}]`},
		"remote": {wire.OpenAIResponses, `[{"type":"mcp_approval_request","id":"m","server_label":"s","name":"x","arguments":"{}"}]`, true, `"yes"`,
			`[{"type":"mcp_approval_response","approval_request_id":"m","approve":true,"reason":"yes"}]`},
		"hosted": {wire.OpenAIResponses, `[{"type":"web_search_call","id":"w"}]`, false, `"it ran"`,
			`[{"type":"message","role":"developer","content":[{"type":"input_text","text":"Call w: it ran"}]}]`},
		"anthropic": {wire.Anthropic, `[{"type":"tool_use","id":"t","name":"x","input":{}},{"type":"server_tool_use","id":"s","name":"y"}]`, false, `"no"`,
			`[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"no"},{"type":"text","text":"Call s: no"}]}]`},
		"anthropic ran": {wire.Anthropic, `[{"type":"tool_use","id":"t","name":"x","input":{}}]`, true, `"yes"`,
			`[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"yes"}]}]`},
		"gemini": {wire.Gemini, `[{"functionCall":{"name":"x"}},{"functionCall":{"name":"x","id":"i"}},{"executableCode":{}}]`, false, `{"n":9007199254740993}`, ""},
		"gemini, one": {wire.Gemini, `[{"functionCall":{"name":"x","id":"i"}}]`, false, `{"n":9007199254740993}`,
			`[{"role":"user","parts":[{"functionResponse":{"id":"i","name":"x","response":{"error":{"n":9007199254740993}}}}]}]`},
		"gemini ran": {wire.Gemini, `[{"functionCall":{"name":"x"}}]`, true, `[1]`,
			`[{"role":"user","parts":[{"functionResponse":{"name":"x","response":{"output":[1]}}}]}]`},
		"bedrock": {wire.Bedrock, `[{"toolUse":{"toolUseId":"t","name":"x","input":{}}}]`, false, `"no"`,
			`[{"role":"user","content":[{"toolResult":{"toolUseId":"t","status":"error","content":[{"text":"no"}]}}]}]`},
		"langchain": {wire.LangChain, `[{"name":"x","args":{},"id":"c"}]`, false, `"no"`,
			`[{"role":"tool","type":"tool","tool_call_id":"c","name":"x","status":"error","content":"no"}]`},
		"autogen": {wire.AutoGen, `[{"id":"c","arguments":"{}","name":"x"}]`, false, `"no"`,
			`[{"type":"FunctionExecutionResultMessage","content":[{"call_id":"c","name":"x","content":"no","is_error":true}]}]`},
		"spring-ai": {wire.SpringAI, `[{"id":"c","name":"x","arguments":"{}"}]`, false, `"no"`,
			`[{"messageType":"TOOL","responses":[{"id":"c","name":"x","responseData":"no"}]}]`},
		"vercel": {wire.Vercel, `[{"type":"tool-call","toolCallId":"c","toolName":"x","input":{}}]`, false, refused,
			`[{"role":"tool","content":[{"type":"tool-result","toolCallId":"c","toolName":"x","output":{"type":"error-json","value":` + refused + `}}]}]`},
		"mcp": {wire.MCP, `{"jsonrpc":"2.0","id":"7","method":"tools/call","params":{"name":"x"}}`, false, `"no"`,
			`[{"jsonrpc":"2.0","id":"7","result":{"content":[{"type":"text","text":"no"}],"isError":true}}]`},
		"mcp without an id": {wire.MCP, `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"x"}}`, false, `"no"`,
			`[{"jsonrpc":"2.0","id":null,"result":{"content":[{"type":"text","text":"no"}],"isError":true}}]`},
		"plain": {wire.Plain, `[{"id":"1","tool":"a/b"}]`, true, `{"a":1}`, `[{"id":"1","tool":"a/b","success":true,"content":{"a":1}}]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls, err := wire.Read(c.shape, []byte(c.message), "", wire.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			got := write(t, c.shape, calls, c.ok, c.content)
			if c.want == "" {
				return // the number of answers is checked
			}
			if d := cmp.Diff(parsed(t, []byte(c.want)), parsed(t, got)); d != "" {
				t.Errorf("%s\n%s", got, d)
			}
		})
	}
}

// write answers all calls alike, and holds that there are as many answers as
// calls, each the one that stands alone.
func write(t interface {
	Helper()
	Fatalf(string, ...any)
}, s wire.Shape, calls []wire.Call, ok bool, content string,
) []byte {
	t.Helper()
	answers, alone := make([]wire.Answer, len(calls)), make([]any, len(calls))
	for i, c := range calls {
		answers[i] = wire.Answer{Call: c, OK: ok, Content: json.RawMessage(content)}
		one, err := wire.One(s, answers[i])
		if err != nil {
			t.Fatalf("%v", err)
		}
		if err := json.Unmarshal(one, &alone[i]); err != nil {
			t.Fatalf("%v", err)
		}
	}
	b, err := wire.Messages(s, answers)
	if err != nil {
		t.Fatalf("%v", err)
	}
	var messages []any
	if err := json.Unmarshal(b, &messages); err != nil {
		t.Fatalf("%v", err)
	}
	inside := messages
	if holder := map[wire.Shape]string{
		wire.Anthropic: "content", wire.Gemini: "parts", wire.Bedrock: "content", wire.AutoGen: "content", wire.SpringAI: "responses", wire.Vercel: "content",
	}[s]; holder != "" {
		if len(messages) != 1 {
			t.Fatalf("%d messages", len(messages))
		}
		inside, _ = messages[0].(map[string]any)[holder].([]any)
	}
	if d := cmp.Diff(alone, inside); d != "" {
		t.Fatalf("%s: the answers are not those to each call, in their order: %s", s, d)
	}
	return b
}

func parsed(t *testing.T, b []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	return v
}

// TestRefusingAnswersEveryCall reads messages that are put together from pieces
// of all shapes, and answers what was found.
func TestRefusingAnswersEveryCall(t *testing.T) {
	t.Parallel()
	pieces := map[wire.Shape][]string{}
	for s, cases := range readings() {
		for _, c := range cases {
			pieces[s] = append(pieces[s], items(t, c.message)...)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(wire.Shapes()).Draw(t, "shape")
		from := pieces[s]
		if rapid.Bool().Draw(t, "of another shape") {
			from = pieces[rapid.SampledFrom(wire.Shapes()).Draw(t, "other")]
		}
		message := "["
		for i, item := range rapid.SliceOfN(rapid.SampledFrom(from), 1, 8).Draw(t, "items") {
			if i > 0 {
				message += ","
			}
			message += item
		}
		calls, err := wire.Read(s, []byte(message+"]"), "", wire.Limits{})
		if err != nil {
			return
		}
		write(t, s, calls, false, refused)
	})
}

// items takes the list out of a message.
func items(t *testing.T, message string) []string {
	t.Helper()
	var list []json.RawMessage
	if json.Unmarshal([]byte(message), &list) != nil {
		var members map[string]json.RawMessage
		if err := json.Unmarshal([]byte(message), &members); err != nil {
			t.Fatal(err)
		}
		list = []json.RawMessage{json.RawMessage(message)}
		for _, m := range members {
			var inner []json.RawMessage
			if json.Unmarshal(m, &inner) == nil {
				list = append(list, inner...)
			}
		}
	}
	out := make([]string, len(list))
	for i, item := range list {
		out[i] = string(item)
	}
	return out
}

func TestTools(t *testing.T) {
	t.Parallel()
	all := []wire.Tool{{Name: "orders__refund", Description: "Refund", Schema: json.RawMessage(`{"type":"object","required":["id"]}`)}, {Name: "ping"}}
	const schema, none = `{"type":"object","required":["id"]}`, `{"type":"object","properties":{}}`
	f := func(schema, name, about string) string {
		return `{"name":"` + name + `","description":"` + about + `","parameters":` + schema + `}`
	}
	for s, want := range map[wire.Shape]string{
		wire.OpenAIChat:      `[{"type":"function","function":` + f(schema, "orders__refund", "Refund") + `},{"type":"function","function":` + f(none, "ping", "") + `}]`,
		wire.LangChain:       `[{"type":"function","function":` + f(schema, "orders__refund", "Refund") + `},{"type":"function","function":` + f(none, "ping", "") + `}]`,
		wire.OpenAIFunctions: `[` + f(schema, "orders__refund", "Refund") + `,` + f(none, "ping", "") + `]`,
		wire.OpenAIResponses: `[{"type":"function","strict":false,"name":"orders__refund","description":"Refund","parameters":` + schema + `},{"type":"function","strict":false,"name":"ping","description":"","parameters":` + none + `}]`,
		wire.AutoGen:         `[{"strict":false,"name":"orders__refund","description":"Refund","parameters":` + schema + `},{"strict":false,"name":"ping","description":"","parameters":` + none + `}]`,
		wire.Anthropic:       `[{"name":"orders__refund","description":"Refund","input_schema":` + schema + `},{"name":"ping","description":"","input_schema":` + none + `}]`,
		wire.Gemini:          `[{"functionDeclarations":[{"name":"orders__refund","description":"Refund","parametersJsonSchema":` + schema + `},{"name":"ping","description":"","parametersJsonSchema":` + none + `}]}]`,
		wire.Bedrock:         `{"tools":[{"toolSpec":{"name":"orders__refund","description":"Refund","inputSchema":{"json":` + schema + `}}},{"toolSpec":{"name":"ping","description":"","inputSchema":{"json":` + none + `}}}]}`,
		wire.SpringAI:        `[{"name":"orders__refund","description":"Refund","inputSchema":"{\"type\":\"object\",\"required\":[\"id\"]}"},{"name":"ping","description":"","inputSchema":"{\"type\":\"object\",\"properties\":{}}"}]`,
		wire.Vercel:          `[{"type":"function","name":"orders__refund","description":"Refund","inputSchema":` + schema + `},{"type":"function","name":"ping","description":"","inputSchema":` + none + `}]`,
		wire.MCP:             `{"tools":[{"name":"orders__refund","description":"Refund","inputSchema":` + schema + `},{"name":"ping","description":"","inputSchema":` + none + `}]}`,
		wire.Plain:           `[{"name":"orders__refund","description":"Refund","inputSchema":` + schema + `},{"name":"ping","description":"","inputSchema":` + none + `}]`,
	} {
		got, err := wire.Tools(s, all)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(parsed(t, []byte(want)), parsed(t, got)); d != "" {
			t.Errorf("%s: %s", s, d)
		}
	}
	if all[1].Schema != nil {
		t.Error("the caller's tools were changed")
	}
	if _, err := wire.Tools("x", all); err == nil {
		t.Error("wrote tools in a shape that there is not")
	}
}
