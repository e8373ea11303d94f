// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package doors_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

const (
	modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}},`
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	ready      = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

// message is a call as MCP has it.
func (r *row) message(meta string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{%s"name":%s,"arguments":%s}}`, ascii(r.label), meta, ascii(r.Tool), r.Arguments)
}

// rpc reads what a client of MCP is answered.
func rpc(t *testing.T, message string) answer {
	t.Helper()
	var m struct {
		Error *struct {
			Code    int
			Message string
			Data    *tv.Result
		}
		Result *struct {
			IsError           bool
			StructuredContent *tv.Result
			Meta              map[string]json.RawMessage `json:"_meta"`
		}
	}
	must(t, json.Unmarshal([]byte(message), &m))
	switch {
	case m.Error != nil && m.Error.Data != nil:
		a := result(m.Error.Data)
		a.text = message
		return a
	case m.Error != nil:
		return answer{verdict: "deny", code: fmt.Sprintf("error %d", m.Error.Code), text: message}
	case m.Result == nil:
		return answer{verdict: "deny", code: "no answer", text: message}
	case !m.Result.IsError:
		return answer{verdict: "allow", text: message}
	case m.Result.StructuredContent == nil:
		return answer{verdict: "deny", code: "no result of the gate", text: message}
	}
	a := result(m.Result.StructuredContent)
	a.text = message
	return a
}

// inMCP says what a front of MCP answers to what it does not take for a call.
func inMCP(r *row) (not, bool) {
	switch {
	case r.kind() == noJSON:
		return not{code: "error -32700"}, true
	case r.Tool == "":
		return not{code: "error -32602"}, true
	case strings.HasPrefix(r.Tool, "@"): // a tool of that name is none of the methods
		return not{code: "UNKNOWN_TOOL", record: "deny UNKNOWN_TOOL"}, true
	}
	return not{}, false
}

// mirrored is the same where headers have to say what the body says.
func mirrored(r *row) (not, bool) {
	if r.Tool == "" {
		return not{code: "error -32020"}, true
	}
	return inMCP(r)
}

func (s *site) overMCP(t *testing.T) []door {
	t.Helper()
	headers := map[string]string{"Accept": "application/json, text/event-stream"}
	for _, message := range []string{initialize, ready} {
		if code, text := s.post(t, "/mcp/"+server, message, headers); code >= http.StatusBadRequest {
			t.Fatalf("%d %s", code, text)
		}
	}
	over := func(with func(r *row) map[string]string) func(*testing.T, string, *row) answer {
		return func(t *testing.T, message string, r *row) answer {
			t.Helper()
			_, text := s.post(t, "/mcp/"+server, message, with(r))
			return rpc(t, text)
		}
	}
	older := func(r *row) string { return r.message("") }
	modern := func(r *row) string { return r.message(modernMeta) }
	return []door{
		{name: "MCP over HTTP", as: tv.DoorMCPHTTP, runs: true, instead: inMCP, write: older, send: over(func(*row) map[string]string { return headers })},
		{name: "MCP over HTTP, stateless", as: tv.DoorMCPHTTP, runs: true, instead: mirrored, write: modern, send: over(func(r *row) map[string]string {
			return map[string]string{
				"Accept": headers["Accept"], "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": mcpwire.EncodeHeader(r.Tool),
			}
		})},
		{name: "MCP over stdio", as: tv.DoorMCPStdio, runs: true, instead: inMCP, write: older, send: s.pipe(t, initialize, ready)},
		{name: "MCP over stdio, stateless", as: tv.DoorMCPStdio, runs: true, instead: inMCP, write: modern, send: s.pipe(t)},
		{name: "Envoy", as: tv.DoorEnvoy, write: older, send: s.envoy, instead: inEnvoy},
	}
}

// pipe is a client on standard input and output.
func (s *site) pipe(t *testing.T, first ...string) func(*testing.T, string, *row) answer {
	t.Helper()
	in, toGate := io.Pipe()
	fromGate, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := s.daemon.ServeStdio(context.Background(), in, out, server, false)
		_ = out.Close()
		ended <- err
	}()
	t.Cleanup(func() {
		_ = toGate.Close()
		if err := <-ended; err != nil {
			t.Errorf("serve stdio: %v", err)
		}
	})
	lines := bufio.NewScanner(fromGate)
	lines.Buffer(nil, 16<<20)
	exchange := func(t *testing.T, message string) string {
		t.Helper()
		_, err := io.WriteString(toGate, message+"\n")
		must(t, err)
		if message == ready {
			return ""
		}
		for lines.Scan() {
			if line := lines.Text(); !strings.Contains(line, `"method"`) {
				return line
			}
		}
		t.Fatalf("no answer to %s: %v", message, lines.Err())
		return ""
	}
	for _, message := range first {
		exchange(t, message)
	}
	return func(t *testing.T, message string, _ *row) answer {
		t.Helper()
		return rpc(t, exchange(t, message))
	}
}

// envoy asks as Envoy does.
func (s *site) envoy(t *testing.T, message string, r *row) answer {
	t.Helper()
	code, text := s.post(t, "/envoy/mcp", message, map[string]string{"X-Envoy-Auth-Partial-Body": "false"})
	switch code {
	case http.StatusOK:
		// What passes is what Envoy holds: the bytes that were sent.
		return answer{verdict: "allow", leave: r.meant(), text: text}
	case http.StatusForbidden:
		return rpc(t, text)
	}
	return status(code, text)
}

// inEnvoy says what does not pass a proxy besides: it can change nothing.
func inEnvoy(r *row) (not, bool) {
	if r.kind() == text {
		return not{code: "error -32602"}, true
	}
	return inMCP(r)
}
