// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpwire_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

func TestCheckHeaders(t *testing.T) {
	t.Parallel()
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"héllo",` + modernMeta + `}}`
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + modernMeta + `}}`
	read := `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a://b",` + modernMeta + `}}`
	legacy := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`
	v := func(more ...string) http.Header {
		return header(append([]string{"MCP-Protocol-Version", "2026-07-28"}, more...)...)
	}
	for name, c := range map[string]struct {
		body string
		h    http.Header
		code int // 0 is accepted
	}{
		"modern list":                   {list, v("Mcp-Method", "tools/list"), 0},
		"modern call in base64":         {call, v("Mcp-Method", "tools/call", "Mcp-Name", "=?base64?aMOpbGxv?="), 0},
		"modern read":                   {read, v("Mcp-Method", "resources/read", "Mcp-Name", "a://b"), 0},
		"method missing":                {list, v(), mcpwire.CodeHeaderMismatch},
		"method of other case":          {list, v("Mcp-Method", "TOOLS/LIST"), mcpwire.CodeHeaderMismatch},
		"method of another":             {call, v("Mcp-Method", "tools/list", "Mcp-Name", "=?base64?aMOpbGxv?="), mcpwire.CodeHeaderMismatch},
		"name missing":                  {call, v("Mcp-Method", "tools/call"), mcpwire.CodeHeaderMismatch},
		"name of another":               {call, v("Mcp-Method", "tools/call", "Mcp-Name", "echo"), mcpwire.CodeHeaderMismatch},
		"name in bad base64":            {call, v("Mcp-Method", "tools/call", "Mcp-Name", "=?base64?aMOpbGx?="), mcpwire.CodeHeaderMismatch},
		"name in loose base64":          {call, v("Mcp-Method", "tools/call", "Mcp-Name", "=?base64?aMOpbGxw?="), mcpwire.CodeHeaderMismatch},
		"name twice":                    {call, v("Mcp-Method", "tools/call", "Mcp-Name", "=?base64?aMOpbGxv?=", "Mcp-Name", "echo"), mcpwire.CodeHeaderMismatch},
		"method twice":                  {list, v("Mcp-Method", "tools/list", "Mcp-Method", "tools/list"), mcpwire.CodeHeaderMismatch},
		"version twice":                 {list, v("Mcp-Method", "tools/list", "Mcp-Protocol-Version", "2025-11-25"), mcpwire.CodeHeaderMismatch},
		"session twice":                 {legacy, header("Mcp-Session-Id", "a", "Mcp-Session-Id", "b"), mcpwire.CodeHeaderMismatch},
		"version only in the body":      {list, header("Mcp-Method", "tools/list"), mcpwire.CodeHeaderMismatch},
		"version only in the header":    {legacy, v("Mcp-Method", "tools/call", "Mcp-Name", "x"), mcpwire.CodeInvalidParams},
		"version differs":               {list, header("Mcp-Protocol-Version", "2027-01-01", "Mcp-Method", "tools/list"), mcpwire.CodeHeaderMismatch},
		"older in the header only":      {list, header("Mcp-Protocol-Version", "2025-11-25", "Mcp-Method", "tools/list"), mcpwire.CodeHeaderMismatch},
		"legacy":                        {legacy, header("Mcp-Protocol-Version", "2025-06-18"), 0},
		"legacy without version":        {legacy, header(), 0},
		"version that never was":        {legacy, header("Mcp-Protocol-Version", "2025-01-01"), mcpwire.CodeInvalidRequest},
		"legacy with a lying name":      {legacy, header("Mcp-Name", "other"), mcpwire.CodeHeaderMismatch},
		"legacy with a lying method":    {legacy, header("Mcp-Method", "tools/list"), mcpwire.CodeHeaderMismatch},
		"name for a call without one":   {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + modernMeta + `}}`, v("Mcp-Method", "tools/call", "Mcp-Name", "x"), mcpwire.CodeHeaderMismatch},
		"notification needs no headers": {`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}`, v(), 0},
		"answer needs no headers":       {`{"jsonrpc":"2.0","id":1,"result":{}}`, v(), 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := mcpwire.CheckHeaders(c.h, parse(t, c.body))
			got := 0
			if f, ok := errors.AsType[*mcpwire.Fault](err); ok {
				got = f.Code
			}
			if got != c.code {
				t.Errorf("got %d (%v), want %d", got, err, c.code)
			}
		})
	}
}

const mirrored = `{"type":"object","properties":{
	"region":{"type":"string","x-mcp-header":"Region"},
	"level":{"type":"integer","x-mcp-header":"Level"},
	"on":{"type":"boolean","x-mcp-header":"On"},
	"deep":{"type":"object","properties":{"er":{"type":"string","x-mcp-header":"Er"}}},
	"plain":{"type":"string"}}}`

func TestCheckParams(t *testing.T) {
	t.Parallel()
	params, err := mcpwire.ParamHeaders([]byte(mirrored))
	if err != nil || len(params) != 4 {
		t.Fatalf("got %v, %v", params, err)
	}
	for name, c := range map[string]struct {
		arguments string
		h         http.Header
		ok        bool
	}{
		"all":                  {`{"region":"eu","level":42,"on":true,"deep":{"er":"x"}}`, header("Mcp-Param-Region", "eu", "Mcp-Param-Level", "42", "Mcp-Param-On", "true", "Mcp-Param-Er", "x"), true},
		"none":                 {`{"plain":"x"}`, header(), true},
		"base64":               {`{"region":"Hello"}`, header("Mcp-Param-Region", "=?base64?SGVsbG8=?="), true},
		"no prefix is literal": {`{"region":"SGVsbG8="}`, header("Mcp-Param-Region", "SGVsbG8="), true},
		"no suffix is literal": {`{"region":"=?base64?SGVsbG8="}`, header("Mcp-Param-Region", "=?base64?SGVsbG8="), true},
		"number by value":      {`{"level":42}`, header("Mcp-Param-Level", "42.0"), true},
		"null has none":        {`{"region":null}`, header(), true},
		"padding missing":      {`{"region":"Hello"}`, header("Mcp-Param-Region", "=?base64?SGVsbG8?="), false},
		"bad characters":       {`{"region":"Hello"}`, header("Mcp-Param-Region", "=?base64?SGVs!!!bG8=?="), false},
		"missing":              {`{"region":"eu"}`, header(), false},
		"nested missing":       {`{"deep":{"er":"x"}}`, header(), false},
		"other value":          {`{"region":"eu"}`, header("Mcp-Param-Region", "us"), false},
		"other case":           {`{"on":true}`, header("Mcp-Param-On", "True"), false},
		"without argument":     {`{}`, header("Mcp-Param-Region", "eu"), false},
		"with null":            {`{"region":null}`, header("Mcp-Param-Region", "null"), false},
		"string for a number":  {`{"level":"42"}`, header("Mcp-Param-Level", "42.0"), false},
		"object":               {`{"region":{}}`, header("Mcp-Param-Region", "{}"), false},
		"fraction":             {`{"level":1.5}`, header("Mcp-Param-Level", "1.5"), false},
		"huge number":          {`{"level":9007199254740993}`, header("Mcp-Param-Level", "9007199254740993"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := parse(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":`+c.arguments+`}}`)
			if err := mcpwire.CheckParams(c.h, m, params); (err == nil) != c.ok {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestParamHeadersRefuses(t *testing.T) {
	t.Parallel()
	for name, schema := range map[string]string{
		"empty name":     `{"properties":{"a":{"type":"string","x-mcp-header":""}}}`,
		"line end":       `{"properties":{"a":{"type":"string","x-mcp-header":"a\r\nb"}}}`,
		"space":          `{"properties":{"a":{"type":"string","x-mcp-header":"a b"}}}`,
		"a number":       `{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}`,
		"an object":      `{"properties":{"a":{"type":"object","x-mcp-header":"A"}}}`,
		"same but case":  `{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}`,
		"no string":      `{"properties":{"a":{"type":"string","x-mcp-header":1}}}`,
		"not json":       `{`,
		"type is a list": `{"properties":{"a":{"type":["string"],"x-mcp-header":"A"}}}`,
	} {
		if got, err := mcpwire.ParamHeaders([]byte(schema)); err == nil {
			t.Errorf("%s: got %v", name, got)
		}
	}
	deep := `{"type":"string","x-mcp-header":"A"}`
	for range 100 {
		deep = `{"properties":{"a":` + deep + `}}`
	}
	if _, err := mcpwire.ParamHeaders([]byte(deep)); err == nil {
		t.Error("a schema a hundred deep was searched to its end")
	}
}

// TestHeaderEncoding holds that every text survives a header, and that headers
// made for a message are those that the check wants.
func TestHeaderEncoding(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		if text == "" {
			return
		}
		encoded := mcpwire.EncodeHeader(text)
		for i := range len(encoded) {
			if encoded[i] < 0x20 || encoded[i] > 0x7e {
				t.Fatalf("header %q holds what a header cannot", encoded)
			}
		}
		if got, ok := mcpwire.DecodeHeader(encoded); !ok || got != text {
			t.Fatalf("%q became %q", text, got)
		}
		m, err := mcpwire.ParseClient([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":`+string(canon.Quote(text))+
			`,"arguments":{"region":`+string(canon.Quote(text))+`},`+modernMeta+`}}`), canon.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		params, _ := mcpwire.ParamHeaders([]byte(mirrored))
		h := http.Header{}
		mcpwire.SetHeaders(h, m, params)
		if err := mcpwire.CheckHeaders(h, m); err != nil {
			t.Fatal(err)
		}
		if err := mcpwire.CheckParams(h, m, params); err != nil {
			t.Fatal(err)
		}
	})
}

func TestHTTPStatus(t *testing.T) {
	t.Parallel()
	modern := parse(t, `{"jsonrpc":"2.0","id":1,"method":"x","params":{`+modernMeta+`}}`)
	legacy := parse(t, `{"jsonrpc":"2.0","id":1,"method":"x"}`)
	got := map[int][]int{}
	for _, code := range []int{mcpwire.CodeMethodNotFound, mcpwire.CodeInvalidParams, mcpwire.CodeVersion, mcpwire.CodeNoCapability, mcpwire.CodeInternal} {
		answer, err := mcpwire.ParseServer(mcpwire.ErrorResponse(modern.ID(), code, "x", nil))
		if err != nil {
			t.Fatal(err)
		}
		got[code] = []int{mcpwire.HTTPStatus(modern, answer), mcpwire.HTTPStatus(legacy, answer)}
	}
	want := map[int][]int{-32601: {404, 200}, -32602: {400, 200}, -32022: {400, 200}, -32021: {400, 200}, -32603: {200, 200}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzCheckHeaders(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"region":"eu"},`+modernMeta+`}}`, "2026-07-28", "tools/call", "x", "eu")
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "", "", "", "=?base64?eA==?=")
	params, err := mcpwire.ParamHeaders([]byte(mirrored))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body, version, method, name, region string) {
		m, err := mcpwire.ParseClient([]byte(body), canon.Limits{})
		if err != nil {
			return
		}
		h := http.Header{}
		for k, v := range map[string]string{mcpwire.HeaderVersion: version, mcpwire.HeaderMethod: method, mcpwire.HeaderName: name, "Mcp-Param-Region": region} {
			if v != "" {
				h.Set(k, v)
			}
		}
		if mcpwire.CheckHeaders(h, m) != nil {
			return
		}
		if method != "" && m.Kind() != mcpwire.Response && method != m.Method() {
			t.Fatal("a method that is not the body's was accepted")
		}
		if m.Kind() == mcpwire.Request && m.Modern() && version != m.Version() {
			t.Fatal("a version that is not the body's was accepted")
		}
		_ = mcpwire.CheckParams(h, m, params)
	})
}
