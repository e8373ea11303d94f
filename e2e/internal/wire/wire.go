// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package wire speaks MCP in raw bytes, over Streamable HTTP and over stdio. It adds nothing to a
// message and changes nothing in it, so that a test can send what no well-behaved client would.
package wire

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// own calls for those who bring no client. It keeps connections, as the default
// one does: a server that is told to close may cut a request off that it refuses.
var own = &http.Client{Transport: &http.Transport{}}

// Protocol revisions of the two eras.
const (
	Legacy = "2025-11-25" // sessions, initialize
	Modern = "2026-07-28" // stateless, _meta in every request
)

// ModernMeta is the _meta member that every request of the modern era carries in its params.
const ModernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + Modern + `",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"wire","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + Legacy +
	`","capabilities":{},"clientInfo":{"name":"wire","version":"1"}}}`

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

// maxReply bounds what is read of one reply.
const maxReply = 16 << 20

// Reply is what came back for one message.
type Reply struct {
	Status   int // HTTP status; 0 on stdio
	Header   http.Header
	Body     []byte            // as received
	Messages []json.RawMessage // the JSON values in it, whether JSON or an event stream
}

// HTTP sends messages to one Streamable HTTP endpoint.
type HTTP struct {
	URL    string
	Header http.Header // added to every request, such as Authorization
	Client *http.Client
}

// Initialize opens a session of the legacy era and keeps its id in the header for later messages.
func (h *HTTP) Initialize(ctx context.Context) error {
	if h.Header == nil {
		h.Header = http.Header{}
	}
	r, err := h.Send(ctx, []byte(initialize), nil)
	if err != nil {
		return fmt.Errorf("initialize: %v", err)
	}
	if r.Status != http.StatusOK || len(r.Messages) != 1 || bytes.Contains(r.Messages[0], []byte(`"error"`)) {
		return fmt.Errorf("initialize: status %d, body %q", r.Status, r.Body)
	}
	h.Header.Set("Mcp-Protocol-Version", Legacy)
	if id := r.Header.Get("Mcp-Session-Id"); id != "" {
		h.Header.Set("Mcp-Session-Id", id)
	}
	if r, err = h.Send(ctx, []byte(initialized), nil); err != nil || r.Status/100 != 2 {
		return fmt.Errorf("confirm the session: status %d: %v", r.Status, err)
	}
	return nil
}

// Send posts one message as it is and reads the whole reply. Extra headers replace others.
func (h *HTTP) Send(ctx context.Context, message []byte, extra http.Header) (Reply, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(message))
	if err != nil {
		return Reply{}, fmt.Errorf("make request: %v", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for _, from := range []http.Header{h.Header, extra} {
		for name, values := range from {
			req.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	client := h.Client
	if client == nil {
		client = own
	}
	resp, err := client.Do(req)
	if err != nil {
		return Reply{}, fmt.Errorf("send message: %v", err)
	}
	defer resp.Body.Close()
	r := Reply{Status: resp.StatusCode, Header: resp.Header}
	if r.Body, err = io.ReadAll(io.LimitReader(resp.Body, maxReply)); err != nil {
		return r, fmt.Errorf("read reply: %v", err)
	}
	r.Messages = messages(resp.Header.Get("Content-Type"), r.Body)
	return r, nil
}

// messages are the JSON values of a body; a body that is neither JSON nor a stream has none.
func messages(contentType string, body []byte) []json.RawMessage {
	if !strings.HasPrefix(contentType, "text/event-stream") {
		if json.Valid(body) {
			return []json.RawMessage{body}
		}
		return nil
	}
	var found []json.RawMessage
	for line := range bytes.Lines(body) {
		data, ok := bytes.CutPrefix(line, []byte("data:"))
		if data = bytes.TrimSpace(data); ok && json.Valid(data) {
			found = append(found, json.RawMessage(data))
		}
	}
	return found
}

// Stdio sends messages to a program's standard input and reads its standard output. It is for one
// goroutine.
type Stdio struct {
	in  io.WriteCloser
	out *bufio.Reader
}

// NewStdio speaks over the two pipes of a started program.
func NewStdio(in io.WriteCloser, out io.Reader) *Stdio {
	return &Stdio{in: in, out: bufio.NewReaderSize(out, 64<<10)}
}

// Initialize opens a session of the legacy era.
func (s *Stdio) Initialize() error {
	got, err := s.Ask([]byte(initialize), `0`)
	if err != nil {
		return fmt.Errorf("initialize: %v", err)
	}
	if last := got[len(got)-1]; bytes.Contains(last, []byte(`"error"`)) {
		return fmt.Errorf("initialize: %s", last)
	}
	return s.Write([]byte(initialized))
}

// Write sends a line as it is, with a line feed after it.
func (s *Stdio) Write(line []byte) error {
	if _, err := s.in.Write(append(bytes.Clone(line), '\n')); err != nil {
		return fmt.Errorf("write to the program: %v", err)
	}
	return nil
}

// Ask sends a line and returns what the program printed up to and with the answer to the request
// whose id is given as JSON.
func (s *Stdio) Ask(line []byte, id string) ([]json.RawMessage, error) {
	if err := s.Write(line); err != nil {
		return nil, err
	}
	var got []json.RawMessage
	for {
		text, err := s.out.ReadBytes('\n')
		if err != nil {
			return got, fmt.Errorf("read the answer to %s: %v; before it came %s", id, err, got)
		}
		if !json.Valid(text) {
			return got, fmt.Errorf("read the answer to %s: the program printed what is not JSON: %.200q", id, text)
		}
		got = append(got, json.RawMessage(bytes.TrimSpace(text)))
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if err := json.Unmarshal(text, &m); err == nil && m.Method == "" && string(m.ID) == id {
			return got, nil
		}
	}
}

// Close ends the program's input, at which a stdio server ends.
func (s *Stdio) Close() error { return s.in.Close() }
