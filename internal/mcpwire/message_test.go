// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpwire_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

func parse(t *testing.T, text string) *mcpwire.Message {
	t.Helper()
	m, err := mcpwire.ParseClient([]byte(text), canon.Limits{})
	if err != nil {
		t.Fatalf("parse %s: %v", text, err)
	}
	return m
}

func TestParseClient(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in     string
		kind   mcpwire.Kind
		id     string
		method string
	}{
		"request":           {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x"}}`, mcpwire.Request, "7", "tools/call"},
		"string id":         {`{"id":"a\u0062","method":"ping","jsonrpc":"2.0"}`, mcpwire.Request, `"a\u0062"`, "ping"},
		"negative id":       {`{"jsonrpc":"2.0","id":-3,"method":"ping"}`, mcpwire.Request, "-3", "ping"},
		"largest id":        {`{"jsonrpc":"2.0","id":9007199254740991,"method":"ping"}`, mcpwire.Request, "9007199254740991", "ping"},
		"notification":      {`{"jsonrpc":"2.0","method":"notifications/initialized"}`, mcpwire.Notification, "", "notifications/initialized"},
		"response":          {`{"jsonrpc":"2.0","id":1,"result":{}}`, mcpwire.Response, "1", ""},
		"error response":    {`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":""}}`, mcpwire.Response, "1", ""},
		"escaped member":    {`{"jsonrpc":"2.0","id":1,"m\u0065thod":"ping"}`, mcpwire.Request, "1", "ping"},
		"unknown top level": {`{"jsonrpc":"2.0","id":1,"method":"ping","x-extra":true}`, mcpwire.Request, "1", "ping"},
		"white space":       {" \n{ \"jsonrpc\" : \"2.0\" , \"id\" : 1 , \"method\" : \"ping\" }\t", mcpwire.Request, "1", "ping"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := parse(t, c.in)
			id := ""
			if m.ID().Exists() {
				id = string(m.ID().Bytes())
			}
			if m.Kind() != c.kind || id != c.id || m.Method() != c.method || string(m.Bytes()) != c.in {
				t.Errorf("got kind %d id %s method %s", m.Kind(), id, m.Method())
			}
		})
	}
}

// TestParseClientRefuses holds the rules for what two programs could read
// differently: each line is what some published server runs as something else
// than what a careful reader sees.
func TestParseClientRefuses(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"duplicate method":            `{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call"}`,
		"Method beside method":        `{"jsonrpc":"2.0","id":1,"method":"tools/list","Method":"tools/call"}`,
		"Method alone":                `{"jsonrpc":"2.0","id":1,"Method":"tools/call"}`,
		"long s in params":            `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{},"paramſ":{"name":"x"}}`,
		"fake params alone":           `{"jsonrpc":"2.0","id":1,"method":"tools/call","paramſ":{"name":"x"}}`,
		"Name beside name":            `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","Name":"b"}}`,
		"Name alone":                  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"Name":"b"}}`,
		"Arguments alone":             `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","Arguments":{}}}`,
		"full width name":             `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"ｎame":"a"}}`,
		"requeststate":                `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","requeststate":"x"}}`,
		"duplicate argument":          `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"m":1,"m":2}}}`,
		"folded argument":             `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"m":1,"M":2}}}`,
		"_META":                       `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_META":{}}}`,
		"folded meta":                 `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"ProgressToken":1}}}`,
		"folded version":              `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/PROTOCOLVERSION":"2026-07-28"}}}`,
		"meta is no object":           `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":[]}}`,
		"params is no object":         `{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}`,
		"big id":                      `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`,
		"id of 2^53":                  `{"jsonrpc":"2.0","id":9007199254740992,"method":"ping"}`,
		"fraction id":                 `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`,
		"id 1.0":                      `{"jsonrpc":"2.0","id":1.0,"method":"ping"}`,
		"id 1e0":                      `{"jsonrpc":"2.0","id":1e0,"method":"ping"}`,
		"id null":                     `{"jsonrpc":"2.0","id":null,"method":"ping"}`,
		"id object":                   `{"jsonrpc":"2.0","id":{},"method":"ping"}`,
		"id true":                     `{"jsonrpc":"2.0","id":true,"method":"ping"}`,
		"answer to null":              `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}`,
		"answer without id":           `{"jsonrpc":"2.0","result":{}}`,
		"lone surrogate":              `{"jsonrpc":"2.0","id":"\ud800","method":"ping"}`,
		"invalid utf-8":               "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}",
		"batch":                       `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`,
		"empty batch":                 `[]`,
		"scalar":                      `1`,
		"trailing":                    `{"jsonrpc":"2.0","id":1,"method":"ping"} {}`,
		"wrong version":               `{"jsonrpc":"1.0","id":1,"method":"ping"}`,
		"no version":                  `{"id":1,"method":"ping"}`,
		"version is a number":         `{"jsonrpc":2.0,"id":1,"method":"ping"}`,
		"method and result":           `{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`,
		"result and error":            `{"jsonrpc":"2.0","id":1,"result":{},"error":{}}`,
		"empty method":                `{"jsonrpc":"2.0","id":1,"method":""}`,
		"method is no string":         `{"jsonrpc":"2.0","id":1,"method":1}`,
		"nothing":                     `{"jsonrpc":"2.0","id":1}`,
		"tools/call as notification":  `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"x"}}`,
		"notification as request":     `{"jsonrpc":"2.0","id":1,"method":"notifications/cancelled"}`,
		"progress token is an object": `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":{}}}}`,
		"progress token is large":     `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":1e300}}}`,
		"byte order mark":             "\ufeff" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		"deep":                        `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}}`,
		"empty":                       "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := mcpwire.ParseClient([]byte(in), canon.Limits{})
			if err == nil {
				t.Fatalf("accepted as %q", m.Method())
			}
			var f *mcpwire.Fault
			if !errors.As(err, &f) || f.Status < 400 || f.Message == "" {
				t.Fatalf("not a fault that can be answered: %v", err)
			}
			if answer, err := mcpwire.ParseServer(f.Answer()); err != nil || answer.ErrorCode() != f.Code {
				t.Errorf("answer %s: %v", f.Answer(), err)
			}
		})
	}
}

// TestFaultNamesTheRequest holds that a refusal carries the id wherever the id
// itself is beyond doubt.
func TestFaultNamesTheRequest(t *testing.T) {
	t.Parallel()
	_, err := mcpwire.ParseClient([]byte(`{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"Name":"b"}}`), canon.Limits{})
	var f *mcpwire.Fault
	if !errors.As(err, &f) || string(f.ID.Bytes()) != `"x"` {
		t.Errorf("got %v", err)
	}
}

func TestParseServer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in string
		ok bool
	}{
		"inexact number in a result":    {`{"jsonrpc":"2.0","id":1,"result":{"pi":3.14159265358979323846264338327950288}}`, true},
		"negative zero in a result":     {`{"jsonrpc":"2.0","id":1,"result":{"z":-0.0}}`, true},
		"folded members in a result":    {`{"jsonrpc":"2.0","id":1,"result":{"a":1,"A":2}}`, false},
		"lone surrogate in a result":    {`{"jsonrpc":"2.0","id":1,"result":{"a":"\ud800"}}`, true},
		"deep result":                   {`{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat("[", 500) + strings.Repeat("]", 500) + `}`, true},
		"error without a readable id":   {`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}`, true},
		"result with null id":           {`{"jsonrpc":"2.0","id":null,"result":{}}`, false},
		"duplicate result":              {`{"jsonrpc":"2.0","id":1,"result":{},"result":{"isError":true}}`, false},
		"Result beside result":          {`{"jsonrpc":"2.0","id":1,"result":{},"Result":{}}`, false},
		"method and result":             {`{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, false},
		"batch":                         {`[{"jsonrpc":"2.0","id":1,"result":{}}]`, false},
		"not json":                      {`oops`, false},
		"two values":                    {`{} {}`, false},
		"server request with big id":    {`{"jsonrpc":"2.0","id":99999999999999999999,"method":"ping"}`, false},
		"notification of unknown kind":  {`{"jsonrpc":"2.0","method":"notifications/whatever","params":{}}`, true},
		"request without notifications": {`{"jsonrpc":"2.0","id":"s","method":"sampling/createMessage","params":{}}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := mcpwire.ParseServer([]byte(c.in))
			if (err == nil) != c.ok {
				t.Errorf("got %v, %v", m, err)
			}
		})
	}
}

// TestKey holds that ids of different kinds are different keys, and spellings of
// one string are one.
func TestKey(t *testing.T) {
	t.Parallel()
	key := func(id string) string {
		return parse(t, `{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`).Key()
	}
	if key("1") == key(`"1"`) || key(`"a"`) != key(`"\u0061"`) || key("1") == key("2") {
		t.Error("ids are told apart wrongly")
	}
}

func TestEdits(t *testing.T) {
	t.Parallel()
	m := parse(t, `{"jsonrpc":"2.0", "id" : 7,"method":"tools/call","params":{"name":"x","extra":1.50,"arguments":{"a": 1},"_meta":{}}}`)
	edited, err := m.Edited(
		m.SetID([]byte(`"gate-1"`)),
		mcpwire.SetMember(m.Params(), "arguments", []byte(`{"b":2}`)),
		mcpwire.SetMember(m.Params().Get("_meta"), "progressToken", []byte(`5`)),
	)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"jsonrpc":"2.0", "id" : "gate-1","method":"tools/call","params":{"name":"x","extra":1.50,"arguments":{"b":2},"_meta":{"progressToken":5}}}`
	if diff := cmp.Diff(want, string(edited.Bytes())); diff != "" {
		t.Error(diff)
	}
	if edited.Key() != `"gate-1` || edited.Params().Lookup("_meta", "progressToken").Bytes()[0] != '5' {
		t.Error("the edited message is not a view of its own bytes")
	}
}

func TestRemoveMember(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"x":1}`:                 `{}`,
		`{"x":1,"y":2}`:           `{"y":2}`,
		`{"w":0, "x":1, "y":2}`:   `{"w":0, "y":2}`,
		`{"w":0 , "x" : [1,{}] }`: `{"w":0 }`,
		`{"w":"x"}`:               `{"w":"x"}`,
	} {
		m := parse(t, `{"jsonrpc":"2.0","id":1,"method":"ping","params":`+in+`}`)
		got := in
		if edit, ok := mcpwire.RemoveMember(m.Params(), "x"); ok {
			out, err := m.Edited(edit)
			if err != nil {
				t.Fatal(err)
			}
			got = string(out.Params().Bytes())
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

func TestKeepItems(t *testing.T) {
	t.Parallel()
	root, _ := mcpwire.Root([]byte(`{"tools":[ {"name":"a"} , {"name":"b","x":[1,2]},{"name":"c"}]}`))
	keep := func(names string) (string, bool) {
		edit, changed := mcpwire.KeepItems(root.Get("tools"), func(n mcpwire.Node) bool { return strings.Contains(names, n.Get("name").Text()) })
		return string(edit.With), changed
	}
	for names, want := range map[string]string{"ac": `[{"name":"a"},{"name":"c"}]`, "": `[]`, "b": `[{"name":"b","x":[1,2]}]`} {
		if got, changed := keep(names); got != want || !changed {
			t.Errorf("keep %q: got %s %v", names, got, changed)
		}
	}
	if _, changed := keep("abc"); changed {
		t.Error("keeping all is a change")
	}
}

func FuzzParseClient(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":[1,"\u00e9",{}]},"_meta":{"progressToken":"p"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","id":"x","result":{"a":1}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","Method":"x"}`,
		`[{}]`, `{"jsonrpc":"2.0","id":1.5,"method":"x"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := mcpwire.ParseClient(b, canon.Limits{})
		if err != nil {
			var fault *mcpwire.Fault
			if !errors.As(err, &fault) || !json.Valid(fault.Answer()) {
				t.Fatalf("refused without an answer: %v", err)
			}
			return
		}
		agree(t, m, b)
		edited, err := m.Edited(edits(m)...)
		if err != nil {
			t.Fatalf("edit: %v", err)
		}
		if m.ID().Exists() && string(edited.ID().Bytes()) != "42" {
			t.Fatalf("id of %s", edited.Bytes())
		}
	})
}

func edits(m *mcpwire.Message) []canon.Edit {
	var out []canon.Edit
	if m.ID().Exists() {
		out = append(out, m.SetID([]byte("42")))
	}
	if m.Params().Exists() {
		out = append(out, mcpwire.SetMember(m.Params(), "arguments", []byte(`{"a":1}`)))
	}
	return out
}

// agree holds the view against the standard library: what was accepted reads the
// same everywhere.
func agree(t *testing.T, m *mcpwire.Message, b []byte) {
	t.Helper()
	var got struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatalf("accepted what the standard library refuses: %v", err)
	}
	text := func(n mcpwire.Node) string {
		if !n.Exists() {
			return ""
		}
		return string(n.Bytes())
	}
	if got.Method != m.Method() || string(got.Params) != text(m.Params()) || string(got.ID) != text(m.ID()) || string(got.Result) != text(m.Result()) {
		t.Fatalf("read differently: %+v", got)
	}
}

func FuzzParseServer(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"x"}],"isError":true}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":-0.0}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := mcpwire.ParseServer(b)
		if err != nil {
			return
		}
		for _, n := range []mcpwire.Node{m.Root(), m.ID(), m.Params(), m.Result(), m.Error(), m.Meta()} {
			if n.Exists() && !json.Valid(n.Bytes()) {
				t.Fatalf("a node is not JSON: %q", n.Bytes())
			}
		}
		for _, item := range m.Result().Get("tools").Items() {
			if !json.Valid(item.Bytes()) {
				t.Fatalf("an item is not JSON: %q", item.Bytes())
			}
		}
		m.ErrorCode()
		edit := mcpwire.KeepMembers(m.Root(), func(string) bool { return true })
		if out, err := m.Edited(edit); err != nil || out.Kind() != m.Kind() {
			t.Fatalf("keeping all members changed the message: %v", err)
		}
	})
}
