// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
)

// runAgainst runs a command with a key against an address.
func runAgainst(t *testing.T, url string, env []string, args ...string) (int, string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), theGate(t), args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(env, "TOOLVERDICT_URL="+url)
	out, _ := cmd.CombinedOutput() // the exit code says it
	return cmd.ProcessState.ExitCode(), string(out)
}

// TestAnswersThatNeverCome tells a gate that is not there from one that may have
// run the call.
func TestAnswersThatNeverCome(t *testing.T) {
	t.Parallel()
	key := []string{"TOOLVERDICT_KEY=tv_x_y"}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 1<<16))
			_ = conn.Close()
		}
	}()
	code, out := runAgainst(t, "http://"+l.Addr().String(), key, "call", "a/b", "{}")
	if code != 6 || !strings.Contains(out, "may have run") {
		t.Errorf("an answer that broke: %d, %s", code, out)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	code, out = runAgainst(t, "http://"+l.Addr().String(), key, "call", "a/b", "{}")
	if code != 6 || !strings.Contains(out, "cannot be reached") || strings.Contains(out, "may have run") {
		t.Errorf("no gate: %d, %s", code, out)
	}
}

// TestWhatOthersAnswer: whoever answers in a gate's place gets no key by a
// redirect and is not taken for a gate, and nothing of it reaches the terminal
// as it is.
func TestWhatOthersAnswer(t *testing.T) {
	t.Parallel()
	key := []string{"TOOLVERDICT_KEY=tv_x_y"}
	stolen := make(chan string, 1)
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { stolen <- r.Header.Get("Authorization") }))
	defer thief.Close()
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		code   int
	}{
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, thief.URL, http.StatusTemporaryRedirect)
		}, 2},
		"html":   {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>\x1b[2Jhello")) }, 1},
		"broken": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, 6},
		"escapes": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"success":false,"error":{"code":"POLICY_DENIED","message":"a\u001b[2Jb\u202Ec"},"stateChanged":false,"decision":{"verdict":"deny"}}`))
		}, 3},
		"nothing said": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"success":false,"stateChanged":false,"decision":{"verdict":"deny"}}`))
		}, 1},
	} {
		ts := httptest.NewServer(c.answer)
		code, out := runAgainst(t, ts.URL, key, "call", "a/b", "{}")
		ts.Close()
		if code != c.code || strings.ContainsAny(out, "\x1b\u202E") {
			t.Errorf("%s: exit code %d, want %d: %q", name, code, c.code, out)
		}
	}
	select {
	case got := <-stolen:
		t.Errorf("the key went to where a redirect led: %q", got)
	default:
	}
}

// TestWhoSpeaks: what the flags say wins over the environment.
func TestWhoSpeaks(t *testing.T) {
	t.Parallel()
	spoken := make(chan string, 1)
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		spoken <- r.Header.Get("Authorization")
		_, _ = w.Write([]byte(`{"approvals":[]}`))
	}))
	defer ts.Close()
	for name, c := range map[string]struct {
		env, args []string
		want      string
	}{
		"environment": {[]string{"TOOLVERDICT_KEY=tv_env"}, nil, "Bearer tv_env"},
		"flag":        {[]string{"TOOLVERDICT_KEY=tv_env"}, []string{"--key", "tv_flag"}, "Bearer tv_flag"},
	} {
		code, out := runAgainst(t, ts.URL, c.env, append([]string{"approvals", "list"}, c.args...)...)
		if code != 0 {
			t.Fatalf("%s: %d %s", name, code, out)
		}
		if got := <-spoken; got != c.want {
			t.Errorf("%s: spoke with %q, want %q", name, got, c.want)
		}
	}
	code, out := runAgainst(t, ts.URL, []string{"TOOLVERDICT_KEY=tv_env"}, "approvals", "list", "--as", "approver")
	if code != 2 || !strings.Contains(out, "--data") {
		t.Errorf("--as without a data folder: %d, %s", code, out)
	}
}
