// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
)

const (
	tools = `"tools":[{"name":"echo","description":"Says the message back","inputSchema":{"type":"object",` +
		`"properties":{"message":{"type":"string"}},"required":["message"]},"annotations":{"readOnlyHint":true}}]`
	server       = `{"name":"plain","version":"1.0.0"}`
	capabilities = `"capabilities":{"tools":{}}`
	// modern is what every result of the stateless era carries besides.
	modern = `"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":` + server + `}`
	// cacheHints go with what a client of the stateless era may keep.
	cacheHints = `"ttlMs":0,"cacheScope":"private"`
)

// request is the little of a message that is looked at.
type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string `json:"name"`
		Version   string `json:"protocolVersion"`
		Arguments struct {
			Message json.RawMessage `json:"message"`
		} `json:"arguments"`
		Meta struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	} `json:"params"`
}

// answer is the reply to one message, nil where none is due.
func answer(message []byte) []byte {
	if len(bytes.TrimSpace(message)) == 0 {
		return nil
	}
	var req request
	if err := json.Unmarshal(message, &req); err != nil {
		return failure(json.RawMessage("null"), `-32700,"message":"not a JSON-RPC message"`)
	}
	if len(req.ID) == 0 {
		return nil
	}
	stateless := req.Params.Meta.Version != ""
	switch req.Method {
	case "tools/call":
		if req.Params.Name != "echo" || len(req.Params.Arguments.Message) == 0 || req.Params.Arguments.Message[0] != '"' {
			return failure(req.ID, `-32602,"message":"the one tool is echo, with a string named message"`)
		}
		return result(req.ID, stateless, `"content":[{"type":"text","text":`, string(req.Params.Arguments.Message), `}]`)
	case "tools/list":
		if stateless {
			return result(req.ID, true, tools, ",", cacheHints)
		}
		return result(req.ID, false, tools)
	case "initialize":
		return result(req.ID, false, `"protocolVersion":"2025-11-25",`, capabilities, `,"serverInfo":`, server)
	case "server/discover":
		return result(req.ID, true, `"supportedVersions":["2026-07-28","2025-11-25"],`, capabilities, ",", cacheHints)
	case "ping":
		return result(req.ID, stateless)
	}
	return failure(req.ID, `-32601,"message":"no such method"`)
}

func result(id json.RawMessage, stateless bool, members ...string) []byte {
	b := append(make([]byte, 0, 512), `{"jsonrpc":"2.0","id":`...)
	b = append(append(b, id...), `,"result":{`...)
	for _, m := range members {
		b = append(b, m...)
	}
	if stateless {
		if len(members) > 0 {
			b = append(b, ',')
		}
		b = append(b, modern...)
	}
	return append(b, "}}"...)
}

func failure(id json.RawMessage, codeAndMessage string) []byte {
	b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	return append(append(append(b, `,"error":{"code":`...), codeAndMessage...), "}}"...)
}
