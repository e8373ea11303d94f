// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package wire_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/wire"
)

// told writes a call as one line.
func told(c wire.Call) string {
	id, name := c.ID, c.Name
	if c.Synthetic {
		id = "(made)"
	}
	if c.Server != "" {
		name = c.Server + ":" + name
	}
	if c.Fault != "" {
		return fmt.Sprintf("%s %s %s !%s", id, c.Kind, name, c.Fault)
	}
	return fmt.Sprintf("%s %s %s %s", id, c.Kind, name, c.Arguments)
}

func read(s wire.Shape, message string) ([]string, error) {
	calls, err := wire.Read(s, []byte(message), "run 1, turn 2", wire.Limits{})
	var out []string
	for _, c := range calls {
		out = append(out, told(c))
	}
	return out, err
}

type reading struct {
	name, message string
	want          []string
}

func readings() map[wire.Shape][]reading {
	return map[wire.Shape][]reading{
		wire.OpenAIChat: {
			{"a function", `{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"orders__refund","arguments":"{\"id\":\"A1\",\"amount\":9007199254740993}"}}]}`,
				[]string{`call_1 function orders__refund "{\"id\":\"A1\",\"amount\":9007199254740993}"`}},
			{"parallel calls", `{"tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"y","arguments":"{}"}}]}`,
				[]string{`a function x "{}"`, `b function y "{}"`}},
			{"the list alone", `[{"id":"a","type":"function","function":{"name":"x","arguments":"{}"}}]`, []string{`a function x "{}"`}},
			{"a custom tool", `{"tool_calls":[{"id":"a","type":"custom","custom":{"name":"sql","input":"select \"1\""}}]}`,
				[]string{`a custom sql {"input":"select \"1\""}`}},
			{"without type, arguments an object, as other servers have it", `{"tool_calls":[{"function":{"name":"x","arguments":{"n":1}}}]}`,
				[]string{`(made) function x {"n":1}`}},
			{"both kinds at once", `[{"id":"a","type":"function","function":{"name":"x","arguments":"{}"},"custom":{"name":"y","input":""}}]`,
				[]string{`a function x !it has both a function and a custom tool`}},
			{"custom with a function", `[{"id":"a","type":"custom","function":{"name":"x","arguments":"{}"},"custom":{"name":"y","input":""}}]`,
				[]string{`a custom y !it has both a function and a custom tool`}},
			{"arguments are a number", `[{"id":"a","function":{"name":"x","arguments":7}}]`,
				[]string{`a function x !its "arguments" is missing or of another type than this form has`}},
			{"no arguments", `[{"id":"a","function":{"name":"x"}}]`,
				[]string{`a function x !its "arguments" is missing or of another type than this form has`}},
			{"no name", `[{"id":"a","function":{"arguments":"{}"}}]`, []string{`a function  !it names no tool`}},
			{"name is a list", `[{"id":"a","function":{"name":["x"],"arguments":"{}"}}]`, []string{`a function  !it names no tool`}},
			{"id is a number", `[{"id":7,"function":{"name":"x","arguments":"{}"}}]`, []string{`(made) function x !its id is no text`}},
			{"an unnamed member is no id", `[{"function":{"":"b","name":"x","arguments":"{}"}}]`, []string{`(made) function x "{}"`}},
			{"another type", `[{"id":"a","type":"computer","computer":{}}]`, []string{`a unknown computer {}`}},
			{"an item that is text", `["x"]`, []string{`(made) unknown  !it is no object`}},
			{"one id twice", `[{"id":"a","function":{"name":"x","arguments":"{}"}},{"id":"a","function":{"name":"y","arguments":"{}"}}]`,
				[]string{`a function x !another call of this message has the same id`, `a function y !another call of this message has the same id`}},
			{"truncated arguments go on as they are", `[{"id":"a","function":{"name":"x","arguments":"{\"a\":"}}]`, []string{`a function x "{\"a\":"`}},
		},
		wire.OpenAIFunctions: {
			{"a function", `{"role":"assistant","function_call":{"name":"x","arguments":"{\"a\":1}"}}`, []string{`(made) function x "{\"a\":1}"`}},
			{"an object as arguments", `{"function_call":{"name":"x","arguments":{}}}`, []string{`(made) function x !its "arguments" is missing or of another type than this form has`}},
			{"text", `{"function_call":"x"}`, []string{`(made) unknown  !it is no object`}},
		},
		wire.OpenAIResponses: {
			{"a function", `[{"type":"reasoning","id":"r"},{"type":"function_call","id":"fc","call_id":"c1","name":"x","arguments":"{}","status":"completed"}]`,
				[]string{`c1 function x "{}"`}},
			{"a response", `{"id":"resp","output":[{"type":"message","content":[]},{"type":"function_call","call_id":"c1","namespace":"crm","name":"x","arguments":"{}"}]}`,
				[]string{`c1 function crm:x "{}"`}},
			{"a custom tool", `[{"type":"custom_tool_call","call_id":"c1","name":"code","input":"print(1)"}]`, []string{`c1 custom code {"input":"print(1)"}`}},
			{"shell", `[{"type":"shell_call","call_id":"c1","action":{"commands":["ls","rm -rf /"],"timeout_ms":null},"environment":{"type":"local"}}]`,
				[]string{`c1 shell shell {"commands":["ls","rm -rf /"],"timeout_ms":null}`}},
			{"shell in the provider's container", `[{"type":"shell_call","call_id":"c1","action":{"commands":["ls"]},"environment":{"type":"container_reference","container_id":"k"}}]`,
				[]string{`c1 hosted shell_call {}`}},
			{"local shell", `[{"type":"local_shell_call","call_id":"c1","action":{"type":"exec","command":["ls"],"env":{}}}]`,
				[]string{`c1 shell local_shell {"type":"exec","command":["ls"],"env":{}}`}},
			{"apply patch", `[{"type":"apply_patch_call","call_id":"c1","operation":{"type":"delete_file","path":"a"}}]`,
				[]string{`c1 patch apply_patch {"type":"delete_file","path":"a"}`}},
			{"computer", `[{"type":"computer_call","call_id":"c1","action":{"type":"click","x":1,"y":2}},{"type":"computer_call","call_id":"c2","actions":[]},{"type":"computer_call","call_id":"c3"},{"type":"computer_call","call_id":"c4","action":{},"actions":[]}]`,
				[]string{`c1 computer computer {"action":{"type":"click","x":1,"y":2}}`, `c2 computer computer {"actions":[]}`, `c3 computer computer !it has no action`, `c4 computer computer !it has both an action and actions`}},
			{"approval of a remote tool", `[{"type":"mcp_approval_request","id":"m1","server_label":"crm","name":"del","arguments":"{}"},{"type":"mcp_approval_request","id":"m2","name":"del","arguments":"{}"}]`,
				[]string{`m1 mcp crm:del "{}"`, `m2 mcp del !it names no server`}},
			{"two servers for one call", `[{"type":"mcp_approval_request","id":"m1","server_label":"crm","namespace":"erp","name":"del","arguments":"{}"},{"type":"function_call","call_id":"c1","namespace":7,"name":"x","arguments":"{}"}]`,
				[]string{`m1 mcp crm:del !its namespace is no text, or stands beside another server`, `c1 function x !its namespace is no text, or stands beside another server`}},
			{"what ran already", `[{"type":"web_search_call","id":"w"},{"type":"mcp_call","id":"m"},{"type":"code_interpreter_call","id":"i"}]`,
				[]string{`w hosted web_search_call {}`, `m hosted mcp_call {}`, `i hosted code_interpreter_call {}`}},
			{"a new kind", `[{"type":"quantum_call","call_id":"q","name":"x"}]`, []string{`(made) unknown quantum_call {}`}},
			{"half a call", `[{"type":"function_call","call_id":"c1","name":"x","arguments":"{}","status":"in_progress"}]`, []string{`c1 function x !it is not complete yet`}},
		},
		wire.Anthropic: {
			{"tool use", `{"role":"assistant","content":[{"type":"text","text":"I'll look"},{"type":"tool_use","id":"toolu_1","name":"get_weather","input":{"city":"Oslo"}}]}`,
				[]string{`toolu_1 function get_weather {"city":"Oslo"}`}},
			{"parallel", `[{"type":"tool_use","id":"1","name":"x","input":{}},{"type":"tool_use","id":"2","name":"y","input":{}}]`, []string{`1 function x {}`, `2 function y {}`}},
			{"a toolset that is no text", `[{"type":"tool_use","id":"1","name":"x","toolset_name":["crm"],"input":{}}]`, []string{`1 function x !its toolset_name is no text`}},
			{"input is text", `[{"type":"tool_use","id":"1","name":"x","input":"{}"}]`, []string{`1 function x !its "input" is missing or of another type than this form has`}},
			{"what ran already", `[{"type":"server_tool_use","id":"s","name":"web_search","input":{"query":"x"}},{"type":"web_search_tool_result","tool_use_id":"s","content":[]},{"type":"mcp_tool_use","id":"m","server_name":"crm","name":"del","input":{}}]`,
				[]string{`s hosted server_tool_use:web_search {}`, `m hosted mcp_tool_use:del {}`}},
			{"a new kind", `[{"type":"dream_use","id":"d","name":"x"}]`, []string{`d unknown dream_use {}`}},
			{"no type", `[{"id":"d","name":"x","input":{}}]`, []string{`d unknown  {}`}},
		},
		wire.Gemini: {
			{"a function", `{"role":"model","parts":[{"text":"so"},{"functionCall":{"name":"x","args":{"a":1}},"thoughtSignature":"s"}]}`, []string{`(made) function x {"a":1}`}},
			{"with id, no args, the other spelling", `[{"function_call":{"id":"f1","name":"x"}}]`, []string{`f1 function x {}`}},
			{"the same tool twice", `[{"functionCall":{"name":"x","args":{"a":1}}},{"functionCall":{"name":"x","args":{"a":2}}}]`, []string{`(made) function x {"a":1}`, `(made) function x {"a":2}`}},
			{"both spellings", `[{"functionCall":{"name":"x"},"function_call":{"name":"y"}}]`, []string{`(made) function x !its part says more than one thing`, `(made) function y !its part says more than one thing`}},
			{"not complete", `[{"functionCall":{"name":"x","args":{},"willContinue":true}},{"functionCall":{"name":"x","partialArgs":[{"jsonPath":"$.a"}]}}]`,
				[]string{`(made) function x !it is not complete yet`, `(made) function x !its arguments are not complete yet`}},
			{"args are text", `[{"functionCall":{"name":"x","args":"{}"}}]`, []string{`(made) function x !its "args" is missing or of another type than this form has`}},
			{"code that ran", `[{"executableCode":{"language":"PYTHON","code":"1"}},{"codeExecutionResult":{}}]`, []string{`(made) hosted executableCode {}`}},
			{"a new kind", `[{"toolCall":{"name":"x"}}]`, []string{`(made) unknown toolCall {}`}},
		},
		wire.Bedrock: {
			{"tool use", `{"role":"assistant","content":[{"text":"so"},{"toolUse":{"toolUseId":"t1","name":"x","input":{"a":1}}}]}`, []string{`t1 function x {"a":1}`}},
			{"input is a list", `[{"toolUse":{"toolUseId":"t1","name":"x","input":[]}}]`, []string{`t1 function x !its "input" is missing or of another type than this form has`}},
			{"what ran already", `[{"toolUse":{"toolUseId":"t1","name":"x","input":{},"type":"server_tool_use"}}]`, []string{`t1 hosted server_tool_use:x {}`}},
			{"another type", `[{"toolUse":{"toolUseId":"t1","name":"x","input":{},"type":"odd"}},{"odd":{}}]`, []string{`t1 unknown odd {}`, `(made) unknown odd {}`}},
		},
		wire.LangChain: {
			{"tool calls", `{"type":"ai","content":"","tool_calls":[{"name":"x","args":{"a":1},"id":"c1","type":"tool_call"}],"invalid_tool_calls":[]}`, []string{`c1 function x {"a":1}`}},
			{"no id", `{"tool_calls":[{"name":"x","args":{},"id":null}]}`, []string{`(made) function x {}`}},
			{"broken ones", `{"tool_calls":[],"invalid_tool_calls":[{"name":"x","args":"{\"a\"","id":"c1","type":"invalid_tool_call"}]}`, []string{`c1 function x !the framework could not read its arguments`}},
			{"args are text", `[{"name":"x","args":"{}","id":"c1"}]`, []string{`c1 function x !its "args" is missing or of another type than this form has`}},
			{"another type", `[{"name":"x","args":{},"id":"c1","type":"tool_call_chunk"}]`, []string{`c1 unknown tool_call_chunk {}`}},
		},
		wire.AutoGen: {
			{"an event", `{"source":"assistant","type":"ToolCallRequestEvent","content":[{"id":"c1","arguments":"{\"a\":1}","name":"x"}]}`, []string{`c1 function x "{\"a\":1}"`}},
			{"arguments are an object", `[{"id":"c1","arguments":{},"name":"x"}]`, []string{`c1 function x !its "arguments" is missing or of another type than this form has`}},
		},
		wire.SpringAI: {
			{"tool calls", `{"messageType":"ASSISTANT","toolCalls":[{"id":"c1","type":"function","name":"x","arguments":"{\"a\":1}"}]}`, []string{`c1 function x "{\"a\":1}"`}},
			{"empty arguments", `[{"id":"c1","type":"function","name":"x","arguments":""},{"id":"c2","name":"x"}]`, []string{`c1 function x {}`, `c2 function x {}`}},
			{"another type", `[{"id":"c1","type":"agent","name":"x","arguments":"{}"}]`, []string{`c1 unknown agent {}`}},
		},
		wire.Vercel: {
			{"a message", `{"role":"assistant","content":[{"type":"text","text":"so"},{"type":"tool-call","toolCallId":"c1","toolName":"x","input":{"a":1}}]}`, []string{`c1 function x {"a":1}`}},
			{"a result", `{"text":"","toolCalls":[{"type":"tool-call","toolCallId":"c1","toolName":"x","input":"{}"}]}`, []string{`c1 function x "{}"`}},
			{"what could not be read", `[{"type":"tool-call","toolCallId":"c1","toolName":"x","input":{},"invalid":true}]`, []string{`c1 function x !the framework could not read it`}},
			{"what ran already", `[{"type":"tool-call","toolCallId":"c1","toolName":"x","input":{},"providerExecuted":true}]`, []string{`c1 hosted tool-call:x {}`}},
			{"another type", `[{"type":"tool-dance","toolCallId":"c1"}]`, []string{`c1 unknown tool-dance {}`}},
		},
		wire.MCP: {
			{"a request", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":1}}}`, []string{`1 function x {"a":1}`}},
			{"a number and its digits are two ids", `[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}},{"jsonrpc":"2.0","id":"1","method":"tools/call","params":{"name":"x"}},{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":{"name":"x"}}]`,
				[]string{`1 function x !another call of this message has the same id`, `"1" function x {}`, `1 function x !another call of this message has the same id`}},
			{"a notification", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"x"}}`, []string{`(made) function x !it has no id, so nobody could be told what came of it`}},
			{"another method", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"x"}}`, []string{`1 unknown resources/read {}`}},
			{"no params", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, []string{`1 function  !it names no tool`}},
		},
		wire.Plain: {
			{"one", `{"id":"1","tool":"orders/refund","arguments":{"a":1}}`, []string{`1 function orders/refund {"a":1}`}},
			{"several", `{"calls":[{"tool":"a/b"},{"tool":"a/c","arguments":"{}"}]}`, []string{`(made) function a/b {}`, `(made) function a/c "{}"`}},
			{"no tool", `[{"arguments":{}}]`, []string{`(made) function  !it names no tool`}},
		},
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	for _, s := range wire.Shapes() {
		if len(readings()[s]) == 0 {
			t.Errorf("%s: nothing is read", s)
		}
		for _, c := range readings()[s] {
			t.Run(string(s)+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				got, err := read(s, c.message)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(c.want, got); d != "" {
					t.Error(d)
				}
			})
		}
	}
}

// What two readers could read differently is refused as a whole, whatever the
// shape.
func TestHostileMessages(t *testing.T) {
	t.Parallel()
	call := func(args string) string {
		return `[{"type":"tool_use","id":"1","name":"x","input":` + args + `}]`
	}
	for name, c := range map[string]struct {
		shape   wire.Shape
		message string
		want    string
	}{
		"a key twice in the arguments":    {wire.Anthropic, call(`{"a":1,"a":2}`), "duplicate"},
		"a key twice in the message":      {wire.OpenAIChat, `{"tool_calls":[],"tool_calls":[{"id":"a"}]}`, "duplicate"},
		"a key in another case":           {wire.OpenAIChat, `{"tool_calls":[],"Tool_calls":[{"id":"a"}]}`, "read calls"},
		"half a surrogate pair":           {wire.Anthropic, call(`{"a":"\ud800"}`), "surrogate"},
		"a number that no float64 holds":  {wire.Anthropic, call(`{"a":1e999}`), "number"},
		"not a number":                    {wire.Anthropic, call(`{"a":NaN}`), "read calls"},
		"too deep":                        {wire.Anthropic, call(strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100)), "deep"},
		"text behind the message":         {wire.Anthropic, call("{}") + "{}", "read calls"},
		"nothing":                         {wire.Anthropic, "", "read calls"},
		"another shape's message":         {wire.Anthropic, `{"tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":"{}"}}]}`, "no call"},
		"only text":                       {wire.Anthropic, `{"role":"assistant","content":"hello"}`, "no call"},
		"a list that is none":             {wire.OpenAIChat, `{"tool_calls":{"id":"a"}}`, "must be a list"},
		"a message that is text":          {wire.OpenAIChat, `"tool_calls"`, "must be a list"},
		"the older form as the newer one": {wire.OpenAIChat, `{"tool_calls":[{"id":"a","function":{"name":"x","arguments":"{}"}}],"function_call":{"name":"y","arguments":"{}"}}`, "openai-functions"},
		"the newer form as the older one": {wire.OpenAIFunctions, `{"tool_calls":[],"function_call":{"name":"y","arguments":"{}"}}`, "openai-chat"},
		"two lists of one framework":      {wire.Vercel, `{"toolCalls":[{"type":"tool-call","toolCallId":"1","toolName":"x","input":{}}],"content":[]}`, "send one of them"},
		"a call beside calls":             {wire.Plain, `{"tool":"rm","calls":[{"tool":"ls"}]}`, "send one of them"},
		"too many calls":                  {wire.Plain, "[" + strings.Repeat(`{"tool":"a"},`, 64) + `{"tool":"a"}]`, "more than 64"},
		"a shape that there is not":       {"openai", "{}", "unknown shape"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := read(c.shape, c.message)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("read %v, error %v; want one about %q", got, err, c.want)
			}
		})
	}
}

func TestNoCallIsToldApart(t *testing.T) {
	t.Parallel()
	if _, err := read(wire.Bedrock, `{"content":[{"text":"hello"}]}`); !errors.Is(err, wire.ErrNone) {
		t.Errorf("got %v", err)
	}
}

// An id that was made is the same for the same place, and another elsewhere.
func TestMadeIDs(t *testing.T) {
	t.Parallel()
	made := func(place string) string {
		calls, err := wire.Read(wire.Plain, []byte(`[{"tool":"a"},{"tool":"a"}]`), place, wire.Limits{})
		if err != nil || len(calls) != 2 || calls[0].ID == calls[1].ID {
			t.Fatalf("%v %v", calls, err)
		}
		return calls[0].ID
	}
	one, again, elsewhere := made("run 1"), made("run 1"), made("run 2")
	if one != again || one == elsewhere {
		t.Error("ids do not hang on the place alone")
	}
}
