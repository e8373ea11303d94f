// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package stdio_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/internal/upstream/stdio"
)

// bench is a backend in front of a fake server.
type bench struct {
	*stdio.Backend

	t   *testing.T
	log *logbook
}

// logbook is a log that can be read while it is written.
type logbook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logbook) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func newBench(t *testing.T, c stdio.Config) *bench {
	t.Helper()
	b := &bench{t: t, log: &logbook{}}
	c.Name = "fake"
	c.Log = slog.New(slog.NewTextHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	var err error
	if b.Backend, err = stdio.New(c); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		if t.Failed() {
			t.Logf("log:\n%s", b.log)
		}
	})
	return b
}

// modernBench has a server of the stateless revisions, legacyBench one of the
// older ones.
func modernBench(t *testing.T) *bench {
	t.Helper()
	return newBench(t, stdio.Config{Command: fakeServer("modern")})
}

func legacyBench(t *testing.T) *bench {
	t.Helper()
	return newBench(t, stdio.Config{Command: fakeServer("legacy")})
}

func alice() mcpwire.Caller { return mcpwire.Caller{Principal: "alice"} }
func bob() mcpwire.Caller   { return mcpwire.Caller{Principal: "bob"} }

// parse reads a message that a test wrote.
func parse(t *testing.T, raw string) *mcpwire.Message {
	t.Helper()
	m, err := mcpwire.ParseServer([]byte(raw))
	if err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return m
}

const statelessMeta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`

// modernCall is a tools/call of the stateless revisions. Id, and what is more
// in _meta, are JSON.
func modernCall(id, tool, text, meta string) string {
	if meta != "" {
		meta = "," + meta
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":{"text":%s},"_meta":{%s%s}}}`,
		id, tool, quote(text), statelessMeta, meta)
}

// legacyCall is a tools/call of the older revisions.
func legacyCall(id, tool, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":{"text":%s}}}`, id, tool, quote(text))
}

func quote(text string) []byte { return canon.AppendString(nil, text) }

func (b *bench) exchange(ctx context.Context, who mcpwire.Caller, raw string) (*mcpwire.Reply, error) {
	b.t.Helper()
	return b.Exchange(ctx, mcpwire.Outbound{Caller: who, Message: parse(b.t, raw)})
}

// open sends a message that must be accepted.
func (b *bench) open(who mcpwire.Caller, raw string) *mcpwire.Reply {
	b.t.Helper()
	r, err := b.exchange(b.t.Context(), who, raw)
	if err != nil {
		b.t.Errorf("exchange: %v", err)
		return &mcpwire.Reply{Body: nothing{}}
	}
	b.t.Cleanup(func() { r.Body.Close() })
	return r
}

// nothing is a body without messages.
type nothing struct{}

func (nothing) Next() (mcpwire.Event, error) { return mcpwire.Event{}, io.EOF }
func (nothing) Close() error                 { return nil }

// all reads an answer to its end.
func all(t *testing.T, r *mcpwire.Reply) []string {
	t.Helper()
	var messages []string
	for {
		ev, err := r.Body.Next()
		if errors.Is(err, io.EOF) {
			return messages
		}
		if err != nil {
			t.Errorf("read answer: %v", err)
			return messages
		}
		messages = append(messages, string(ev.Data))
	}
}

// next reads one message.
func next(t *testing.T, r *mcpwire.Reply) string {
	t.Helper()
	ev, err := r.Body.Next()
	if err != nil {
		t.Errorf("read answer: %v", err)
	}
	return string(ev.Data)
}

// ask sends a request and returns the last message of the answer.
func (b *bench) ask(who mcpwire.Caller, raw string) string {
	b.t.Helper()
	messages := all(b.t, b.open(who, raw))
	if len(messages) == 0 {
		b.t.Error("no answer")
		return "{}"
	}
	return messages[len(messages)-1]
}

// session opens a session of the older revisions.
func (b *bench) session(who mcpwire.Caller) mcpwire.Caller {
	b.t.Helper()
	r := b.open(who, `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-06-18"}}`)
	if answer := all(b.t, r); len(answer) != 1 || !strings.Contains(answer[0], `"id":"init","result"`) {
		b.t.Fatalf("initialize: %q", answer)
	}
	who.Session = r.Header.Get(mcpwire.HeaderSession)
	if who.Session == "" {
		b.t.Fatal("no session")
	}
	b.open(who, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return who
}

// received asks the server for the lines that it has read so far.
func (b *bench) received(who mcpwire.Caller) []string {
	b.t.Helper()
	raw := modernCall(`"r"`, "received", "", "")
	if who.Session != "" {
		raw = legacyCall(`"r"`, "received", "")
	}
	var answer struct {
		Result struct{ Received []json.RawMessage }
	}
	if err := json.Unmarshal([]byte(b.ask(who, raw)), &answer); err != nil {
		b.t.Fatal(err)
	}
	var lines []string
	for _, line := range answer.Result.Received {
		lines = append(lines, string(line))
	}
	return lines
}

// pid asks which process answers.
func (b *bench) pid(who mcpwire.Caller) string {
	b.t.Helper()
	if who.Session != "" {
		return b.ask(who, legacyCall("1", "pid", ""))
	}
	return b.ask(who, modernCall("1", "pid", "", ""))
}

func result(id, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}
