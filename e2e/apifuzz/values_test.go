// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package apifuzz_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// maker makes JSON that a schema describes, as text, so that it can also be what
// no encoder would write.
type maker struct {
	*rapid.T

	lab    *lab
	slips  int // how many things may still be other than the schema says
	shapes []string
}

// pick is a number below n. What rapid draws is mostly small, which would ask the
// same questions again and again.
func (m *maker) pick(n int) int {
	x := rapid.Uint64().Draw(m.T, "pick") * 0x9e3779b97f4a7c15
	return int((x ^ x>>32) * 0xbf58476d1ce4e5b9 >> 33 % uint64(n))
}

func pickFrom[T any](m *maker, of []T) T { return of[m.pick(len(of))] }

func (m *maker) one(of ...string) string { return of[m.pick(len(of))] }

func (m *maker) chance(oneIn int) bool { return m.pick(oneIn) == 0 }

// slip reports whether something is to be other than the schema says, here.
func (m *maker) slip(oneIn int) bool {
	if m.slips == 0 || !m.chance(oneIn) {
		return false
	}
	m.slips--
	return true
}

// value makes a value for the member of that name.
func (m *maker) value(name string, schema object, depth int) string {
	if m.slip(12) {
		return m.odd()
	}
	schema = m.lab.api.resolve(schema)
	for _, several := range []string{"oneOf", "anyOf"} {
		if forms, ok := schema[several].([]any); ok {
			form, _ := pickFrom(m, forms).(object)
			return m.value(name, form, depth)
		}
	}
	if words, ok := schema["enum"].([]any); ok {
		b, _ := json.Marshal(pickFrom(m, words))
		return string(b)
	}
	switch schema["type"] {
	case "object":
		return m.object(name, schema, depth+1)
	case "array":
		items, _ := schema["items"].(object)
		var all []string
		for range m.pick(4) {
			all = append(all, m.value(name, items, depth+1))
		}
		return "[" + strings.Join(all, ",") + "]"
	case "string":
		return quoted(m.text(name))
	case "boolean":
		return m.one("true", "false")
	case "integer", "number":
		return m.one("0", "1", "7", "100000", "9007199254740993")
	}
	switch name {
	case "arguments":
		return m.arguments()
	case "message":
		_, message := m.message()
		return message
	}
	return m.one("{}", `"text"`, "7", `{"token":"hunter2","n":[1,null,true]}`, m.arguments())
}

func (m *maker) object(of string, schema object, depth int) string {
	properties, _ := schema["properties"].(object)
	always, _ := schema["required"].([]any)
	var members []string
	add := func(name, value string) { members = append(members, quoted(name)+":"+value) }
	shape, message := m.message()
	told := m.claim()
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		needed := slices.Contains(always, any(name)) || slices.Contains([]string{"tool", "arguments", "reason", "subject", "action", "resource"}, name)
		if m.slip(12) {
			needed = !needed
		}
		if depth > 6 || !needed && !m.chance(3) {
			continue
		}
		inner, _ := properties[name].(object)
		called := name
		if of == "subject" || of == "action" || of == "resource" {
			called = of + "." + name
		}
		value := m.value(called, inner, depth)
		_, both := properties["message"]
		switch { // those that must agree
		case name == "claim" && !m.slip(8):
			value = quoted(told.id)
		case name == "token" && !m.slip(8):
			value = quoted(told.token)
		case both && name == "shape" && m.slips == 0:
			value = quoted(shape)
		case both && name == "message" && m.slips == 0:
			value = message
		}
		add(name, value)
		if m.slip(20) {
			add(m.one(name, strings.ToUpper(name), name+"\u0000"), value)
		}
	}
	if schema["properties"] == nil {
		for range m.pick(3) {
			add(m.one("ticket", "amount", "stage", "x"), m.one(`"T-1"`, "7", `"prod"`, `{}`))
		}
	}
	if m.slip(20) {
		add(m.text("member"), m.odd())
	}
	return "{" + strings.Join(members, ",") + "}"
}

// text makes a text for a member of that name: mostly one that means something.
func (m *maker) text(name string) string {
	if m.slip(8) || m.chance(40) {
		return m.strange()
	}
	s := &m.lab.seen
	switch name {
	case "tool", "resource.id":
		return m.one("up/read", "up/pay", "up/wipe", "app/read", "app/pay", "app/wipe", "up/nothing", "read", "UP/READ", "up/@resources/read")
	case "confirmation", "approval":
		return m.of(s.approvals)
	case "id":
		return m.of(slices.Concat(s.runs, s.approvals, []string{"mine", "mine-2"}))
	case "run":
		return m.of(s.runs)
	case "idempotencyKey", "key":
		return m.of(slices.Concat(s.keys, []string{"act-1", "act-2"}))
	case "wait":
		return m.one("1ms", "0s", "-5s", "soon")
	case "expires":
		return m.one("1h", "1ns", "-1h", "900h", "soon")
	case "status":
		return m.one("succeeded", "failed", "notSent", "unknown", "Succeeded", "pending", "approved")
	case "code":
		return m.one("", "TOOL_ERROR", "TOOL_TIMEOUT", "POLICY_DENIED")
	case "disabled":
		return m.one("up/read", "up/pay", "nothing")
	case "server":
		return m.one("up", "app", "nothing")
	case "agent":
		return m.one("claude-code", "codex", "nothing")
	case "resource.type":
		return "tool"
	case "subject.type":
		return "user"
	case "action.name":
		return "tools/call"
	case "subject.id":
		return m.one("agent", "agent", "agent", "reader", "root")
	case "user", "subject":
		return m.one(names...)
	case "reason", "evidence", "session", "model", "turn", "message", "member", "operator":
		return m.one("because", "s-1", "7")
	}
	return m.one("", "a", "because", "v1", "up/read", "T-1")
}

// claim is one that waits for its outcome.
func (m *maker) claim() claim {
	open := m.lab.seen.claims
	if len(open) == 0 {
		return claim{}
	}
	return pickFrom(m, open)
}

// of picks one of those that were seen last, or makes one up.
func (m *maker) of(seen []string) string {
	if len(seen) == 0 || m.chance(8) {
		return m.strange()
	}
	return seen[max(0, len(seen)-1-m.pick(6))]
}

// strange is text that nobody means well with.
func (m *maker) strange() string {
	return m.one("", " ", ".", "..", "a/b", "../../etc/passwd", "\x00", "\x1b[31m", "\u202eevil", "\u200b", "\ufeff", "%2e%2e", "'; drop table approvals; --", "run_", "run_1",
		"__proto__", "ａｌｌｏｗ", strings.Repeat("x", 300), strings.Repeat("é", 3000), rapid.String().Draw(m.T, "any"))
}

// arguments are an object, or text that holds one.
func (m *maker) arguments() string {
	args := m.one("{}", `{"amount":50}`, `{"amount":100}`, `{"amount":100.0000000000000000001}`, `{"amount":5000}`, `{"amount":"50"}`, `{"amount":1e2}`, `{"amount":1e400}`,
		`{"amount":-1}`, `{"amount":9007199254740993}`, `{"amount":50,"to":{"a":[1,2,{"b":null}]}}`, `{"id":"A1"}`)
	if m.slip(4) {
		args = m.one(`{"amount":50,"amount":5000}`, `{"amount":50,"Amount":5000}`, `{"amount":NaN}`, `{"a":"\ud800"}`, `{"amount":050}`, `{"a":1,}`, `[]`, `7`, `null`, `""`, `"{}"`,
			`{"amount":50}{"amount":5000}`, "{\"a\":\"\xff\"}", `{"a":`, strings.Repeat(`{"a":`, 40)+"1"+strings.Repeat("}", 40), `{"a":"`+strings.Repeat("x", 6000)+`"}`, `{"a":`+strings.Repeat("9", 2000)+`}`)
	}
	if m.chance(4) {
		return quoted(args)
	}
	return args
}

// message is a model's answer, and the name of its form.
func (m *maker) message() (shape, message string) {
	tool := m.one("up__read", "up__pay", "up__wipe", "app__read", "app__pay", "nothing")
	args := m.arguments()
	for strings.HasPrefix(args, `"`) && json.Valid([]byte(args)) {
		_ = json.Unmarshal([]byte(args), &args)
	}
	shape = m.one(m.shapes...)
	return shape, fmt.Sprintf(map[string]string{
		"openai-chat":      `{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":%[1]q,"arguments":%[3]s}},{"id":"c2","type":"function","function":{"name":"up__read","arguments":"{}"}}]}`,
		"openai-functions": `{"function_call":{"name":%[1]q,"arguments":%[3]s}}`,
		"openai-responses": `[{"type":"reasoning"},{"type":"function_call","call_id":"c1","name":%[1]q,"arguments":%[3]s},{"type":"shell_call","call_id":"c2","action":{"commands":["ls"]}},{"type":"web_search_call","id":"w"}]`,
		"anthropic":        `{"content":[{"type":"text","text":"so"},{"type":"tool_use","id":"t1","name":%[1]q,"input":%[2]s}]}`,
		"gemini":           `{"parts":[{"functionCall":{"name":%[1]q,"args":%[2]s}}]}`,
		"bedrock":          `{"content":[{"toolUse":{"toolUseId":"t1","name":%[1]q,"input":%[2]s}}]}`,
		"langchain":        `{"tool_calls":[{"name":%[1]q,"args":%[2]s,"id":"c1","type":"tool_call"}],"invalid_tool_calls":[{"name":"up__read","args":"{","id":"c2"}]}`,
		"autogen":          `{"type":"ToolCallRequestEvent","content":[{"id":"c1","arguments":%[3]s,"name":%[1]q}]}`,
		"spring-ai":        `{"toolCalls":[{"id":"c1","type":"function","name":%[1]q,"arguments":%[3]s}]}`,
		"vercel":           `{"content":[{"type":"tool-call","toolCallId":"c1","toolName":%[1]q,"input":%[2]s}]}`,
		"mcp":              `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%[1]q,"arguments":%[2]s}}`,
		"plain":            `{"calls":[{"tool":"up/pay","arguments":%[2]s},{"tool":%[1]q}]}`,
	}[shape], tool, args, quoted(args))
}

// odd is any JSON, or nearly JSON.
func (m *maker) odd() string {
	return m.one("null", "true", "0", "-0", "1e999", "1e-999", "[]", "{}", `""`, `"\ud800"`, `"\u0000"`, "NaN", "0x1", "01", "'a'", "[1,]", "{,}", "", "\"\xff\"", "\"\x01\"", `{"a":1,"a":2}`,
		strings.Repeat("[", 100)+strings.Repeat("]", 100), strings.Repeat("[", 5000), `{"\u0061":1,"a":2}`, strings.Repeat("9", 400), `"`+strings.Repeat("y", 5000)+`"`)
}

// quoted is text as JSON has it. What is no UTF-8 stays so.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < 0x20:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
