// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tester calls the servers under test. The default transport will not do: each
// httptest.Server that another test closes breaks that one's connections.
var tester = &http.Client{Transport: &http.Transport{}}

const cancelA1001 = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"cancel_order","arguments":{"order_id":"A1001"}}}`

// calling starts a call and gives its outcome later.
func calling(ctx context.Context, s *mcp.ClientSession) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "cancel_order", Arguments: args{"order_id": "A1001"}})
		done <- err
	}()
	return done
}

// untilCancelled asks until the order is cancelled: the test's own deadline ends a vain wait.
func untilCancelled(t *testing.T, s *mcp.ClientSession) {
	t.Helper()
	for must(t, s, "query_order", args{"order_id": "A1001"})["state"] != "cancelled" {
		continue
	}
}

func TestFaultHang(t *testing.T) {
	t.Parallel()
	for name, open := range over("-fault", "hang:cancel_order") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newDir(t)
			s, _ := open(t, dir)
			ctx, cancel := context.WithCancel(t.Context())
			done := calling(ctx, s)
			// The same connection still serves other tools.
			if o := must(t, s, "query_order", args{"order_id": "A1001"}); o["state"] != "paid" {
				t.Errorf("state %v while hanging", o["state"])
			}
			select {
			case err := <-done:
				t.Fatalf("it answered: %v", err)
			default:
			}
			cancel()
			if err := <-done; err == nil {
				t.Error("a call that hangs came to a good end")
			}
			if n := count(t, dir, "cancel_order", "A1001"); n != 0 {
				t.Errorf("%d cancellations, want none", n)
			}
		})
	}
}

func TestFaultHangAfter(t *testing.T) {
	t.Parallel()
	for name, open := range over("-fault", "hang-after:cancel_order") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newDir(t)
			s, _ := open(t, dir)
			ctx, cancel := context.WithCancel(t.Context())
			done := calling(ctx, s)
			untilCancelled(t, s)
			select {
			case err := <-done:
				t.Fatalf("it answered: %v", err)
			default:
			}
			cancel()
			if err := <-done; err == nil {
				t.Error("a call that hangs came to a good end")
			}
			if n := count(t, dir, "cancel_order", "A1001"); n != 1 {
				t.Errorf("%d cancellations, want 1", n)
			}
		})
	}
}

func TestFaultExit(t *testing.T) {
	t.Parallel()
	for fault, want := range map[string]int{"exit": 1, "exit-before": 0} {
		for name, open := range over("-fault", fault+":cancel_order") {
			t.Run(fault+" "+name, func(t *testing.T) {
				t.Parallel()
				dir := newDir(t)
				s, cmd := open(t, dir)
				if err := <-calling(t.Context(), s); err == nil {
					t.Error("the call came to a good end")
				}
				_ = s.Close()
				if cmd.ProcessState == nil { // over HTTP no one waits for it otherwise
					err := cmd.Wait()
					if _, ok := errors.AsType[*exec.ExitError](err); !ok {
						t.Error(err)
					}
				}
				if code := cmd.ProcessState.ExitCode(); code != 3 {
					t.Errorf("exit code %d, want 3", code)
				}
				if n := count(t, dir, "cancel_order", "A1001"); n != want {
					t.Errorf("%d cancellations, want %d", n, want)
				}
			})
		}
	}
}

// The bytes themselves: a client library would hide them.
func TestFaultGarbageOverStdio(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	cmd := command("-data", dir, "-fault", "garbage:cancel_order")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, err = io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`+cancelA1001+"\n")
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	first, err1 := lines.ReadString('\n')
	second, err2 := lines.ReadString('\n')
	// Hanging up only now: a server drops the calls of a client that is gone.
	rest, err3 := closeAndRead(in, lines)
	if err := errors.Join(err1, err2, err3, cmd.Wait()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(first, `"serverInfo"`) || !strings.HasPrefix(second, "<html>502") || strings.Contains(rest, `"id":7`) {
		t.Errorf("answers: %q, %q, %q", first, second, rest)
	}
	if n := count(t, dir, "cancel_order", "A1001"); n != 1 {
		t.Errorf("%d cancellations, want 1", n)
	}
}

func closeAndRead(in io.Closer, out io.Reader) (string, error) {
	cerr := in.Close()
	rest, err := io.ReadAll(out)
	return string(rest), errors.Join(cerr, err)
}

func TestFaultGarbageOverHTTP(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	l := startHTTP(t, dir, "-stateless", "-fault", "garbage:cancel_order")
	status, body := post(t, l.url, nil)
	if status != http.StatusOK || !strings.HasPrefix(body, "<html>502") {
		t.Errorf("status %d, body %q", status, body)
	}
	if n := count(t, dir, "cancel_order", "A1001"); n != 1 {
		t.Errorf("%d cancellations, want 1", n)
	}
}

// A page in the user's browser must not reach the server, nor a name that was
// rebound to this machine.
func TestHTTPRefusesBrowsersOfOthers(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	l := startHTTP(t, dir, "-stateless")
	for name, edit := range map[string]func(*http.Request){
		"foreign origin": func(r *http.Request) { r.Header.Set("Origin", "https://shop.example.com") },
		"cross-site":     func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"rebound name":   func(r *http.Request) { r.Host = "shop.example.com" },
	} {
		if status, body := post(t, l.url, edit); status != http.StatusForbidden {
			t.Errorf("%s: status %d, %q; want 403", name, status, body)
		}
	}
	if got := changes(t, dir); len(got) != 0 {
		t.Fatalf("refused requests changed something: %v", got)
	}
	// The same request without the trick is served: the test can tell.
	if status, body := post(t, l.url, nil); status != http.StatusOK || !strings.Contains(body, "is cancelled") {
		t.Errorf("an ordinary request: status %d, %q", status, body)
	}
}

func post(t *testing.T, url string, edit func(*http.Request)) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(cancelA1001))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if edit != nil {
		edit(req)
	}
	resp, err := tester.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}
