// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	server "github.com/toolverdict/toolverdict/examples/orders/server"
	"github.com/toolverdict/toolverdict/examples/orders/shop"
)

// asServer makes the test binary the server itself, so that tests speak to a
// real process.
const asServer = "ORDERS_TEST_AS_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) != "" {
		server.Main()
		return
	}
	os.Exit(m.Run())
}

func command(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asServer+"=1")
	return cmd
}

func newDir(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "shop")
}

// runOnce runs the program to its end.
func runOnce(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := command(args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// changes asks the program itself what really happened.
func changes(t *testing.T, dir string) []shop.Change {
	t.Helper()
	out, errs, code := runOnce(t, "-data", dir, "-changes")
	if code != 0 {
		t.Fatalf("-changes ended with %d: %s", code, errs)
	}
	var all []shop.Change
	for line := range strings.Lines(out) {
		var c shop.Change
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		all = append(all, c)
	}
	return all
}

// count says how often a tool really did something to one object.
func count(t *testing.T, dir, tool, what string) int {
	t.Helper()
	n := 0
	for _, c := range changes(t, dir) {
		if c.Tool == tool && c.What == what {
			n++
		}
	}
	return n
}

// stdio starts the server as a child process and speaks to it.
func stdio(t *testing.T, dir string, args ...string) (*mcp.ClientSession, *exec.Cmd) {
	t.Helper()
	cmd := command(append([]string{"-data", dir}, args...)...)
	s := connect(t, &mcp.CommandTransport{Command: cmd})
	return s, cmd
}

// listening is a server that was started with -http.
type listening struct {
	url string
	cmd *exec.Cmd
}

func startHTTP(t *testing.T, dir string, args ...string) listening {
	t.Helper()
	cmd := command(append([]string{"-data", dir, "-http", "127.0.0.1:0"}, args...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop := sync.OnceValue(func() error {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended by a fault
		return cmd.Wait()
	})
	t.Cleanup(func() { _ = stop() })
	line, err := bufio.NewReader(out).ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if err != nil || !ok {
		t.Fatalf("first line %q, %v", line, err)
	}
	return listening{url, cmd}
}

func overHTTP(t *testing.T, dir string, args ...string) (*mcp.ClientSession, *exec.Cmd) {
	t.Helper()
	l := startHTTP(t, dir, args...)
	return connect(t, &mcp.StreamableClientTransport{Endpoint: l.url, MaxRetries: -1}), l.cmd
}

// opener starts a server on a folder and speaks to it.
type opener = func(*testing.T, string) (*mcp.ClientSession, *exec.Cmd)

// over gives both transports, with the same extra arguments.
func over(args ...string) map[string]opener {
	return map[string]opener{
		"stdio": func(t *testing.T, dir string) (*mcp.ClientSession, *exec.Cmd) {
			t.Helper()
			return stdio(t, dir, args...)
		},
		"http": func(t *testing.T, dir string) (*mcp.ClientSession, *exec.Cmd) {
			t.Helper()
			return overHTTP(t, dir, args...)
		},
	}
}

func connect(t *testing.T, tr mcp.Transport) *mcp.ClientSession {
	t.Helper()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), tr, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // the server may have ended by a fault
	return s
}

type args = map[string]any

// call calls a tool and gives its text and whether it is an error.
func call(t *testing.T, s *mcp.ClientSession, tool string, a args) (*mcp.CallToolResult, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: a})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	if len(res.Content) == 0 {
		t.Fatalf("%s answered without any text", tool)
	}
	return res, res.Content[0].(*mcp.TextContent).Text
}

// must is call for what must succeed; it gives the structured content.
func must(t *testing.T, s *mcp.ClientSession, tool string, a args) map[string]any {
	t.Helper()
	res, text := call(t, s, tool, a)
	if res.IsError {
		t.Fatalf("%s: %s", tool, text)
	}
	got, ok := res.StructuredContent.(map[string]any)
	if !ok {
		t.Fatalf("%s has no structured content: %T", tool, res.StructuredContent)
	}
	return got
}
