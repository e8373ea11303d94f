// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package canary

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// revision is the protocol that is spoken over HTTP; without sessions, one request
// is all of it.
const revision = "2026-07-28"

// toolCall is a call as an MCP client makes it; the mark is the request's id.
func toolCall(mark string, meta map[string]any) []byte {
	params := map[string]any{"name": tv.CanaryName, "arguments": map[string]any{}}
	if meta != nil {
		params["_meta"] = meta
	}
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": mark, "method": "tools/call", "params": params})
	if err != nil { // texts always marshal
		return nil
	}
	return b
}

func (g Gate) mcp(ctx context.Context, server, mark string) error {
	body := toolCall(mark, map[string]any{
		"io.modelcontextprotocol/protocolVersion": revision, "io.modelcontextprotocol/clientInfo": clientInfo(), "io.modelcontextprotocol/clientCapabilities": map[string]any{},
	})
	answer, err := g.post(ctx, "/mcp/"+server, body, map[string]string{
		"Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": revision, "Mcp-Method": "tools/call", "Mcp-Name": tv.CanaryName,
	})
	f, ok := errors.AsType[*fault](err)
	if err != nil && (!ok || f.status != http.StatusBadRequest) { // as the revision has it for a tool that there is not
		return denied(err)
	}
	return refusedMCP(answer, mark)
}

// Envoy is an MCP server behind an Envoy that asks the gate.
type Envoy struct {
	Host, Path, Server string
	Keyed              bool // it is asked with a key of Envoy's own, and names the caller
}

// envoy asks as Envoy does of a request that a client makes.
func (g Gate) envoy(ctx context.Context, e Envoy, mark string) error {
	if e.Keyed {
		return &Untried{"it is asked with a key of Envoy's own"}
	}
	answer, err := g.post(ctx, "/envoy"+e.Path, toolCall(mark, nil), map[string]string{"Host": e.Host, "X-Envoy-Auth-Partial-Body": "false"})
	f, ok := errors.AsType[*fault](err)
	switch {
	case err == nil: // Envoy would go on
		return passed(answer)
	case !ok || f.status != http.StatusForbidden:
		return denied(err)
	}
	return refusedMCP(answer, mark)
}

func clientInfo() map[string]any {
	return map[string]any{"name": tv.CanaryName, "version": "1"}
}

// refusedMCP holds an answer against the gate's refusal of a tool that there is not:
// a server's own would not carry the decision.
func refusedMCP(answer []byte, mark string) error {
	var m struct {
		ID     string
		Result json.RawMessage
		Error  struct{ Data said }
	}
	if json.Unmarshal(answer, &m) != nil || m.ID != mark || m.Result != nil || !m.Error.Data.refuses() {
		return passed(answer)
	}
	return nil
}

// Stdio is the gate as a client starts it, for one server.
type Stdio struct {
	Server  string
	Command []string // program and arguments
	Dir     string
	Env     []string
	Log     Log
	Now     func() time.Time
}

// Door is the way in.
func (s Stdio) Door() Door {
	return Door{
		Way: "MCP stdio " + s.Server, Tool: s.Server + "/" + tv.CanaryName, Log: s.Log, Now: s.Now, Knock: s.knock,
		Fix: "see what 'toolverdict mcp --upstream " + s.Server + "' says",
	}
}

func (s Stdio) knock(ctx context.Context, mark string) (err error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.Command[0], s.Command[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = s.Dir, s.Env, time.Second
	var log tail
	cmd.Stderr = &log
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("it cannot be started: %v", err)
	}
	answer, err := talk(in, out, mark)
	_ = in.Close() // it ends by that
	_ = cmd.Wait() // what counts is the answer
	if err != nil {
		return fmt.Errorf("%v%s", err, log.said())
	}
	return refusedMCP(answer, mark)
}

// talk makes one call as the clients of before do, and returns its answer.
func talk(in io.Writer, out io.Reader, mark string) ([]byte, error) {
	hello, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": map[string]any{
		"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": clientInfo(),
	}})
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, maxAnswer)
	if _, err := fmt.Fprintf(in, "%s\n", hello); err != nil {
		return nil, errors.New("it does not read")
	}
	if _, err := answerTo(lines, "hello"); err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintf(in, "%s\n%s\n", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, toolCall(mark, nil)); err != nil {
		return nil, errors.New("it does not read")
	}
	return answerTo(lines, mark)
}

// answerTo reads until the answer to a request comes.
func answerTo(lines *bufio.Scanner, id string) ([]byte, error) {
	for lines.Scan() {
		var m struct {
			ID     any
			Method string
		}
		if json.Unmarshal(lines.Bytes(), &m) == nil && m.ID == id && m.Method == "" {
			return bytes.Clone(lines.Bytes()), nil
		}
	}
	return nil, errors.New("it ended, or was ended, without an answer")
}

// tail keeps the end of what a program logs.
type tail struct{ text []byte }

// said is that, fit to stand behind what went wrong.
func (t *tail) said() string {
	text := plain.Line(string(t.text))
	if text == "" {
		return ""
	}
	return ": " + text
}

// Write implements [io.Writer].
func (t *tail) Write(p []byte) (int, error) {
	const most = 300
	t.text = append(t.text, p...)
	if over := len(t.text) - most; over > 0 {
		t.text = append([]byte(nil), t.text[over:]...)
	}
	return len(p), nil
}
