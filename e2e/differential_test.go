// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolverdict/toolverdict/e2e/internal/rig"
	"github.com/toolverdict/toolverdict/e2e/internal/wire"
)

// exchangeTime bounds one message and its reply.
const exchangeTime = 20 * time.Second

// upstream is a server that the differential table is run against.
type upstream struct {
	name string
	http func(t *testing.T, effects string) string // starts it and returns its URL
	// stdio is its command.
	stdio  func(effects string) []string
	modern bool // it serves the modern era too
	// modernHTTP starts it for the modern era, where it has a mode of its own for that.
	modernHTTP func(t *testing.T, effects string) string
	// records: it writes every call that it runs to the effects file.
	records bool
}

func upstreams() []upstream {
	return []upstream{
		{name: "sdk", records: true, modern: true,
			modernHTTP: func(t *testing.T, effects string) string {
				return "http://" + listen(t, rig.Spec{Argv: []string{own("sdk"), "-http", "{addr}", "-stateless", "-log", effects}}) + "/"
			},
			http: func(t *testing.T, effects string) string {
				return "http://" + listen(t, rig.Spec{Argv: []string{own("sdk"), "-http", "{addr}", "-log", effects}}) + "/"
			},
			stdio: func(effects string) []string { return []string{own("sdk"), "-log", effects} }},
		{name: "mcpgo", records: true, modern: true, http: mcpgo, modernHTTP: mcpgo,
			stdio: func(effects string) []string { return []string{bin("mcpgo-server"), "-log", effects} }},
		{name: "reference",
			http: func(t *testing.T, _ string) string {
				argv := npmServer("everything", "streamableHttp")
				return "http://" + listen(t, rig.Spec{Argv: argv, Env: []string{"PORT={port}"}}) + "/mcp"
			},
			stdio: func(string) []string { return npmServer("everything") }},
	}
}

func mcpgo(t *testing.T, effects string) string {
	return "http://" + listen(t, rig.Spec{Argv: []string{bin("mcpgo-server"), "-http", "{addr}", "-log", effects}}) + "/mcp"
}

func (r row) direct(upstream string) string {
	return map[string]string{"sdk": r.sdk, "mcpgo": r.mcpgo, "reference": r.reference}[upstream]
}

// TestDifferentialDirect documents what the upstreams run when nothing stands in front of them.
func TestDifferentialDirect(t *testing.T) {
	t.Parallel()
	for _, up := range upstreams() {
		t.Run(up.name, func(t *testing.T) {
			t.Parallel()
			effects := filepath.Join(t.TempDir(), "effects")
			client := &wire.HTTP{URL: up.http(t, effects)}
			if err := client.Initialize(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, r := range append(rows(), moreRows()...) {
				before := size(effects)
				got := outcome(send(t, client, r, ""))
				if want := r.direct(up.name); got != want {
					t.Errorf("%s: %s, expected: %s", r.name, got, want)
				}
				if ran := size(effects) > before; up.records && ran != strings.HasPrefix(got, runs) {
					t.Errorf("%s: the reply says %q, a call ran: %t", r.name, got, ran)
				}
			}
		})
	}
}

// TestDifferentialDirectModern does the same for what only the modern era has, and shows that the
// upstreams serve that era on both transports.
func TestDifferentialDirectModern(t *testing.T) {
	t.Parallel()
	for _, up := range upstreams() {
		if !up.modern {
			continue
		}
		t.Run(up.name, func(t *testing.T) {
			t.Parallel()
			effects := filepath.Join(t.TempDir(), "effects")
			client := &wire.HTTP{URL: up.modernHTTP(t, effects), Header: modernHeader()}
			plain := row{name: "plain call", body: call, sdk: good, mcpgo: good}
			for _, r := range append(modernRows(), plain) {
				got := outcome(send(t, client, r, wire.ModernMeta+","))
				if want := r.direct(up.name); got != want {
					t.Errorf("%s: %s, expected: %s", r.name, got, want)
				}
			}
			pipe := openStdio(t, up.stdio(effects), nil)
			replies, err := pipe.Ask([]byte(strings.ReplaceAll(call, "«meta»", wire.ModernMeta+",")), "7")
			if err != nil {
				t.Fatal(err)
			}
			if got := outcomeOf(replies[len(replies)-1]); got != good {
				t.Errorf("plain call on stdio: %s", got)
			}
		})
	}
}

func modernHeader() http.Header {
	return http.Header{"Mcp-Protocol-Version": {wire.Modern}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"echo"}}
}

func send(t *testing.T, c *wire.HTTP, r row, meta string) wire.Reply {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), exchangeTime)
	defer cancel()
	reply, err := c.Send(ctx, []byte(strings.ReplaceAll(r.body, "«meta»", meta)), r.header)
	if err != nil {
		t.Fatalf("%s: %v", r.name, err)
	}
	return reply
}

func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// outcome says what a reply tells about what was run.
func outcome(r wire.Reply) string {
	if r.Status >= http.StatusBadRequest {
		return refused
	}
	if len(r.Messages) == 0 {
		return silent
	}
	last := r.Messages[len(r.Messages)-1]
	if last[0] == '[' {
		var batch []json.RawMessage
		if json.Unmarshal(last, &batch) == nil && len(batch) == 1 {
			last = batch[0]
		}
	}
	return outcomeOf(last)
}

func outcomeOf(message json.RawMessage) string {
	var m struct {
		Error  json.RawMessage
		Result struct {
			Tools   []json.RawMessage
			IsError bool
			Content []struct{ Text string }
		}
	}
	if err := json.Unmarshal(message, &m); err != nil {
		return other + ": " + string(message)
	}
	switch {
	case len(m.Error) > 0 && !bytes.Equal(m.Error, []byte("null")):
		return refused
	case bytes.Contains(message, []byte(`"result":{}`)):
		return pings
	case len(m.Result.Tools) > 0:
		return lists
	case m.Result.IsError:
		return toolErr
	case len(m.Result.Content) == 1:
		return said(m.Result.Content[0].Text)
	}
	return other + ": " + string(message)
}

// said reads the tool's own text, such as "echo: good" or "Echo: good".
func said(text string) string {
	tool, message, _ := strings.Cut(text, ": ")
	switch {
	case tool == "erase":
		return erases
	case strings.EqualFold(tool, "echo") && message == "good":
		return good
	case strings.EqualFold(tool, "echo") && strings.HasPrefix(message, "evil"):
		return evil
	}
	return other + ": " + text[:min(len(text), 80)]
}
