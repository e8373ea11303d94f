// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/internal/upstream/stdio"
)

// TestMain runs the test binary again as one of the servers.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "as" {
		switch os.Args[2] {
		case "logger":
			runLogger(os.Args[3])
		case "sdk":
			if err := sdkServer().Run(context.Background(), &mcp.StdioTransport{}); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child is an upstream that is a process.
func child(t *testing.T, role, argument string) *stdio.Backend {
	t.Helper()
	b, err := stdio.New(stdio.Config{Name: "up", Command: []string{os.Args[0], "as", role, argument}, Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// runLogger is a server that answers everything and writes what it received to a
// file.
func runLogger(file string) {
	log, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		os.Exit(1)
	}
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		m, err := mcpwire.ParseServer([]byte(strings.TrimSpace(line)))
		if err != nil {
			fmt.Fprintln(os.Stderr, "received", line)
			os.Exit(1)
		}
		if !handshake(m.Method()) {
			_, _ = log.WriteString(line)
		}
		if m.Kind() == mcpwire.Request {
			fmt.Println(string(mcpwire.ResultResponse(m.ID(), []byte(resultFor(m.Method())))))
		}
	}
}

func handshake(method string) bool {
	return method == "initialize" || method == "server/discover" || method == "notifications/initialized" || method == "tools/list"
}

// resultFor is what the servers of the parity test answer.
func resultFor(method string) string {
	switch method {
	case "initialize":
		return `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`
	case "server/discover":
		return `{"resultType":"complete","supportedVersions":["2026-07-28","2025-11-25"],"capabilities":{}}`
	case "tools/list":
		return `{"tools":[]}`
	}
	return `{"content":[{"type":"text","text":"` + method + `"}],"z":-0.0}`
}

// TestOfficialClientChild drives the official client against the official
// server as a process, in both eras and over both fronts.
func TestOfficialClientChild(t *testing.T) {
	t.Parallel()
	for _, front := range []string{"http", "stdio"} {
		for _, version := range []string{"2025-11-25", "2026-07-28"} {
			t.Run(front+" "+version, func(t *testing.T) {
				t.Parallel()
				r := newRig(t, "", setup{backend: child(t, "sdk", ""), policy: verdicts(denies("up/wipe"))})
				driveClient(t, r, front, version)
			})
		}
	}
}

// logged returns what a logging server received, with the labels of the wire
// that a backend may change put back to those of the message sent.
func logged(t *testing.T, file string, from int, sent string) []string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	want, _ := mcpwire.ParseServer([]byte(sent))
	var out []string
	for _, line := range strings.SplitAfter(string(b), "\n")[from:] {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		m, err := mcpwire.ParseServer([]byte(line))
		if err != nil {
			t.Fatalf("the child received %q", line)
		}
		if want != nil && m.ID().Exists() && want.ID().Exists() {
			if m, err = m.Edited(m.SetID(want.ID().Bytes())); err != nil {
				t.Fatal(err)
			}
		}
		token := m.Meta().Get("progressToken")
		if want != nil && token.Exists() && want.Meta().Get("progressToken").Exists() {
			if m, err = m.Edited(mcpwire.Replace(token, want.Meta().Get("progressToken").Bytes())); err != nil {
				t.Fatal(err)
			}
		}
		out = append(out, string(m.Bytes()))
	}
	return out
}

func logFile(t *testing.T) string { return filepath.Join(t.TempDir(), "log") }
