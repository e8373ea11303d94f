// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e_test

import (
	"net/http"
	"strings"

	"github.com/toolverdict/toolverdict/e2e/internal/wire"
)

// Outcomes of a message, as [outcome] finds them in a reply.
const (
	lists   = "lists"        // answered as tools/list
	runs    = "runs "        // begins every outcome where a tool ran
	good    = "runs good"    // the tool ran with what policy allows
	evil    = "runs evil"    // the tool ran with what policy denies
	erases  = "runs erase"   // another tool ran, which policy denies
	refused = "refused"      // an error, or an HTTP status that says so
	toolErr = "tool error"   // a result with isError: the arguments did not fit
	silent  = "says nothing" // accepted, no answer
	pings   = "answers a ping"
	other   = "something else" // anything that this test does not know
)

// row is a message that two readers can understand differently. In the body, «meta» stands for the
// _meta member of the modern era, followed by a comma.
type row struct {
	name string
	body string
	// header replaces headers of the request; such rows are for HTTP only.
	header http.Header
	// What each upstream does with it directly, over HTTP, in the legacy era; seen, not wished.
	sdk, mcpgo, reference string
	// oneReading marks a message that every reader understands alike, however odd it looks: the
	// gate may pass it on, and then decides on what the upstream runs.
	oneReading bool
}

const call = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{«meta»"name":"echo","arguments":{"message":"good"}}}`

// rows is the differential table: the first ten are the published ones.
func rows() []row {
	const evilParams = `{«meta»"name":"echo","arguments":{"message":"evil"}}`
	return []row{
		{name: "duplicate method", sdk: evil, mcpgo: evil, reference: evil,
			body: `{"jsonrpc":"2.0","id":7,"method":"tools/list","method":"tools/call","params":` + evilParams + `}`},
		{name: "method and Method", sdk: lists, mcpgo: evil, reference: refused,
			body: `{"jsonrpc":"2.0","id":7,"method":"tools/list","Method":"tools/call","params":` + evilParams + `}`},
		{name: "params and params with a long s", sdk: good, mcpgo: evil, reference: refused,
			body: `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{«meta»"name":"echo","arguments":{"message":"good"}},"paramſ":` + evilParams + `}`},
		{name: "name and Name", sdk: refused, mcpgo: evil, reference: toolErr,
			body: `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{«meta»"name":"nosuch","Name":"echo","arguments":{"message":"evil"}}}`},
		{name: "duplicate argument", sdk: evil, mcpgo: evil, reference: evil,
			body: `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{«meta»"name":"echo","arguments":{"message":"good","message":"evil"}}}`},
		{name: "argument message and Message", sdk: toolErr, mcpgo: evil, reference: good,
			body: `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{«meta»"name":"echo","arguments":{"message":"good","Message":"evil"}}}`},
		{name: "id beyond 2^53", sdk: good, mcpgo: good, reference: refused,
			body: strings.Replace(call, `"id":7`, `"id":9007199254740993`, 1)},
		{name: "fractional id", sdk: good, mcpgo: good, reference: refused,
			body: strings.Replace(call, `"id":7`, `"id":1.5`, 1)},
		{name: "lone surrogate", sdk: evil, mcpgo: evil, reference: evil,
			body: strings.Replace(call, `"good"`, `"evil\ud800"`, 1)},
		{name: "batch", sdk: refused, mcpgo: refused, reference: evil,
			body: `[{"jsonrpc":"2.0","id":7,"method":"tools/call","params":` + evilParams + `}]`},
	}
}

// moreRows are tricks of the same kind that were tried on the way.
func moreRows() []row {
	return []row{
		{name: "duplicate method, one escaped", sdk: evil, mcpgo: evil, reference: evil,
			body: `{"jsonrpc":"2.0","id":7,"method":"tools/list","\u006dethod":"tools/call","params":{«meta»"name":"echo","arguments":{"message":"evil"}}}`},
		{name: "duplicate params", sdk: evil, mcpgo: evil, reference: evil,
			body: `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{«meta»"name":"echo","arguments":{"message":"good"}},"params":{«meta»"name":"echo","arguments":{"message":"evil"}}}`},
		{name: "duplicate name", sdk: erases, mcpgo: erases, reference: toolErr,
			body: `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{«meta»"name":"echo","name":"erase","arguments":{"message":"m"}}}`},
		{name: "duplicate arguments", sdk: evil, mcpgo: evil, reference: evil,
			body: `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{«meta»"name":"echo","arguments":{"message":"good"},"arguments":{"message":"evil"}}}`},
		{name: "arguments and argumentſ", sdk: good, mcpgo: evil, reference: good,
			body: `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{«meta»"name":"echo","arguments":{"message":"good"},"argumentſ":{"message":"evil"}}}`},
		{name: "only Arguments", sdk: toolErr, mcpgo: evil, reference: toolErr,
			body: `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{«meta»"name":"echo","Arguments":{"message":"evil"}}}`},
		{name: "only Message", sdk: toolErr, mcpgo: evil, reference: toolErr,
			body: `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{«meta»"name":"echo","arguments":{"Message":"evil"}}}`},
		{name: "only Method and Params", sdk: silent, mcpgo: evil, reference: refused,
			body: `{"jsonrpc":"2.0","id":7,"Method":"tools/call","Params":{«meta»"name":"echo","arguments":{"message":"evil"}}}`},
		{name: "duplicate id", sdk: good, mcpgo: good, reference: good,
			body: strings.Replace(call, `"id":7`, `"id":8,"id":7`, 1)},
		{name: "duplicate deep in an argument", sdk: toolErr, mcpgo: good, reference: good,
			body: strings.Replace(call, `"good"`, `"good","x":[{"a":1,"a":2}]`, 1)},
		{name: "a result and a method", sdk: evil, mcpgo: silent, reference: refused,
			body: `{"jsonrpc":"2.0","id":7,"result":{},"method":"tools/call","params":{«meta»"name":"echo","arguments":{"message":"evil"}}}`},
		{name: "an error and a method", sdk: evil, mcpgo: evil, reference: refused,
			body: `{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"m"},"method":"tools/call","params":{«meta»"name":"echo","arguments":{"message":"evil"}}}`},
		{name: "a call as a notification", sdk: refused, mcpgo: silent, reference: silent,
			body: `{"jsonrpc":"2.0","method":"tools/call","params":{«meta»"name":"echo","arguments":{"message":"evil"}}}`},
		{name: "null id", sdk: refused, mcpgo: silent, reference: refused,
			body: `{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{«meta»"name":"echo","arguments":{"message":"evil"}}}`},
		{name: "id that is an object", sdk: refused, mcpgo: good, reference: refused,
			body: strings.Replace(call, `"id":7`, `"id":{"a":7}`, 1)},
		{name: "boolean id", sdk: refused, mcpgo: good, reference: refused,
			body: strings.Replace(call, `"id":7`, `"id":true`, 1)},
		{name: "jsonrpc 1.0", sdk: refused, mcpgo: refused, reference: refused,
			body: strings.Replace(call, `"2.0"`, `"1.0"`, 1)},
		{name: "no jsonrpc", sdk: refused, mcpgo: refused, reference: refused,
			body: strings.Replace(call, `"jsonrpc":"2.0",`, ``, 1)},
		{name: "positional params", sdk: refused, mcpgo: refused, reference: refused,
			body: `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":["echo",{"message":"evil"}]}`},
		{name: "name in a list", sdk: refused, mcpgo: refused, reference: refused,
			body: strings.Replace(call, `"name":"echo"`, `"name":["echo"]`, 1)},
		{name: "arguments as a string", sdk: toolErr, mcpgo: refused, reference: refused,
			body: `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{«meta»"name":"echo","arguments":"{\"message\":\"evil\"}"}}`},
		{name: "arguments in a list", sdk: toolErr, mcpgo: refused, reference: refused,
			body: `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{«meta»"name":"echo","arguments":[{"message":"evil"}]}}`},
		{name: "a second message behind the first", sdk: pings, mcpgo: refused, reference: refused,
			body: `{"jsonrpc":"2.0","id":6,"method":"ping"}` + strings.Replace(call, "good", "evil", 1)},
		{name: "garbage behind the message", sdk: good, mcpgo: refused, reference: refused, body: call + `,`},
		{name: "byte order mark", sdk: refused, mcpgo: refused, reference: good, body: "\ufeff" + call},
		{name: "invalid UTF-8", sdk: evil, mcpgo: evil, reference: evil, body: strings.Replace(call, `good`, "evil\xff", 1)},
		{name: "overlong UTF-8", sdk: evil, mcpgo: evil, reference: evil, body: strings.Replace(call, `good`, "evil\xc0\xaf", 1)},
		{name: "raw control character", sdk: refused, mcpgo: refused, reference: refused, body: strings.Replace(call, `good`, "evil\x01", 1)},
		{name: "NaN", sdk: refused, mcpgo: refused, reference: refused, body: strings.Replace(call, `"good"`, `"good","x":NaN`, 1)},
		{name: "number that overflows", sdk: toolErr, mcpgo: refused, reference: good, body: strings.Replace(call, `"good"`, `"good","x":1e999`, 1)},
		{name: "leading zero", sdk: refused, mcpgo: refused, reference: refused, body: strings.Replace(call, `"id":7`, `"id":07`, 1)},
		{name: "comment", sdk: refused, mcpgo: refused, reference: refused, body: strings.Replace(call, `"id":7,`, `/* */"id":7,`, 1)},
		{name: "trailing comma", sdk: refused, mcpgo: refused, reference: refused, body: strings.Replace(call, `"good"}`, `"good",}`, 1)},
		{name: "too deep", sdk: toolErr, mcpgo: good, reference: good, body: strings.Replace(call, `"good"`, `"good","x":`+strings.Repeat("[", 200)+strings.Repeat("]", 200), 1)},
		{name: "depth bomb", sdk: refused, mcpgo: refused, reference: refused, body: strings.Repeat("[", 200_000)},
		{name: "too long", sdk: refused, mcpgo: good, reference: refused, body: strings.Replace(call, `"good"`, `"good","x":"`+strings.Repeat("x", 10<<20)+`"`, 1)},
		{name: "method with a space", sdk: refused, mcpgo: refused, reference: refused, body: strings.Replace(call, `tools/call`, `tools/call `, 1)},
		{name: "method in capitals", sdk: refused, mcpgo: refused, reference: refused, body: strings.Replace(call, `tools/call`, `TOOLS/CALL`, 1)},
		{name: "tool name in capitals", sdk: refused, mcpgo: refused, reference: toolErr, body: strings.Replace(call, `"echo"`, `"ECHO"`, 1)},
		{name: "tool name with a zero-width space", sdk: refused, mcpgo: refused, reference: toolErr, body: strings.Replace(call, `"echo"`, "\"echo\u200b\"", 1)},
		{name: "empty body", sdk: refused, mcpgo: refused, reference: refused, body: ""},

		{name: "escaped method, allowed words", sdk: good, mcpgo: good, reference: good, oneReading: true,
			body: `{"jsonrpc":"2.0","id":7,"method":"tools\/\u0063all","params":{«meta»"name":"\u0065cho","arguments":{"\u006dessage":"g\u006f\u006fd"}}}`},
		{name: "escaped method, denied words", sdk: evil, mcpgo: evil, reference: evil, oneReading: true,
			body: `{"jsonrpc":"2.0","id":7,"method":"tools\/\u0063all","params":{«meta»"name":"\u0065cho","arguments":{"\u006dessage":"\u0065vil"}}}`},
		{name: "escaped name of the denied tool", sdk: erases, mcpgo: erases, reference: toolErr, oneReading: true,
			body: `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{«meta»"name":"er\u0061se","arguments":{"message":"m"}}}`},
		{name: "members in another order", sdk: evil, mcpgo: evil, reference: evil, oneReading: true,
			body: `{"params":{"arguments":{"message":"evil"},«meta»"name":"echo"},"method":"tools/call","id":7,"jsonrpc":"2.0"}`},
		{name: "white space everywhere", sdk: evil, mcpgo: evil, reference: evil, oneReading: true,
			body: " \t{ \"jsonrpc\" : \"2.0\" , \"id\" : 7 , \"method\" : \"tools/call\" , \"params\" : { «meta» \"name\" : \"echo\" , \"arguments\" : { \"message\" : \"evil\" } } } "},

		{name: "gzip that is not", sdk: good, mcpgo: good, reference: good, oneReading: true, header: http.Header{"Content-Encoding": {"gzip"}}, body: call},
		{name: "another charset", sdk: good, mcpgo: good, reference: good, oneReading: true, header: http.Header{"Content-Type": {"application/json; charset=utf-16"}}, body: call},
		{name: "plain text", sdk: refused, mcpgo: refused, reference: refused, oneReading: true, header: http.Header{"Content-Type": {"text/plain"}}, body: call},
		{name: "unknown revision", sdk: refused, mcpgo: refused, reference: refused, oneReading: true, header: http.Header{"Mcp-Protocol-Version": {"1999-01-01"}}, body: call},
	}
}

// modernRows are requests of the modern era whose headers and body disagree: a gate that believed
// the headers would decide on another call than the upstream runs.
func modernRows() []row {
	const denied = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{«meta»"name":"erase","arguments":{"message":"m"}}}`
	return []row{
		{name: "header names the allowed tool", sdk: refused, mcpgo: refused, header: http.Header{"Mcp-Name": {"echo"}}, body: denied},
		{name: "header names another tool", sdk: refused, mcpgo: refused, header: http.Header{"Mcp-Name": {"erase"}}, body: call},
		{name: "two names in headers", sdk: refused, mcpgo: refused, header: http.Header{"Mcp-Name": {"echo", "erase"}}, body: denied},
		{name: "two names in one header", sdk: refused, mcpgo: refused, header: http.Header{"Mcp-Name": {"echo, erase"}}, body: denied},
		{name: "no name in a header", sdk: refused, mcpgo: refused, header: http.Header{"Mcp-Name": nil}, body: call},
		{name: "header names another method", sdk: refused, mcpgo: refused, header: http.Header{"Mcp-Method": {"tools/list"}}, body: call},
		{name: "two methods in headers", sdk: good, mcpgo: good, header: http.Header{"Mcp-Method": {"tools/call", "tools/list"}}, body: call},
		{name: "no method in a header", sdk: refused, mcpgo: refused, header: http.Header{"Mcp-Method": nil}, body: call},
		{name: "header names the older revision", sdk: refused, mcpgo: refused, header: http.Header{"Mcp-Protocol-Version": {wire.Legacy}}, body: call},
		{name: "two revisions in headers", sdk: good, mcpgo: good, header: http.Header{"Mcp-Protocol-Version": {wire.Modern, wire.Legacy}}, body: call},
	}
}
