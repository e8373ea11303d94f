// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package canary_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/internal/doctor"
	"github.com/toolverdict/toolverdict/internal/doctor/canary"
)

// TestInstalled: a hook's program is believed when it denies, ends well, and the
// denial is recorded.
func TestInstalled(t *testing.T) {
	t.Parallel()
	denial := string(hookgate.Denial(hookgate.ClaudeCode, "UNKNOWN_TOOL"))
	for name, c := range map[string]struct {
		script string
		want   doctor.Level
		said   string
	}{
		"denies, and records nothing": {"cat >/dev/null; echo '" + denial + "'", doctor.Unknown, "no record"},
		"no objection":                {"cat >/dev/null; echo '{}'", doctor.Failure, "NOT GUARDED"},
		"nothing":                     {"cat >/dev/null", doctor.Failure, "NOT GUARDED"},
		"words":                       {"echo deny", doctor.Failure, "NOT GUARDED"},
		"another agent's":             {"echo '" + string(hookgate.Denial(hookgate.Gemini, "UNKNOWN_TOOL")) + "'", doctor.Failure, "NOT GUARDED"},
		"denies, and says more":       {"echo '" + denial + "'; echo more", doctor.Failure, "NOT GUARDED"},
		"for another reason":          {"echo '" + string(hookgate.Denial(hookgate.ClaudeCode, "no key")) + "'", doctor.Failure, "for another reason: no key"},
		"at fault":                    {"echo '" + string(hookgate.Denial(hookgate.ClaudeCode, "disk full")) + "'; exit 2", doctor.Failure, "at fault (exit code 2): disk full"},
		"breaks":                      {"printf 'no such\\033[31m thing' >&2; exit 127", doctor.Failure, "at fault (exit code 127): no such"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			program := filepath.Join(dir, "toolverdict")
			if err := os.WriteFile(program, []byte("#!/bin/sh\n"+c.script+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			i := canary.Installed{
				Hook:  canary.Hook{Agent: hookgate.ClaudeCode, Workspace: dir, Home: dir},
				Where: "a test", Command: []string{"/bin/sh", program, "hook", "claude-code"}, Env: []string{"PATH=/usr/bin:/bin"}, Gate: canary.Gate{Log: &log{}, Now: time.Now},
			}
			found := i.Doors()[0].Look(t.Context())
			if found[0].Level != c.want || !strings.Contains(found[0].Text, c.said) || strings.Contains(found[0].Text, "\x1b") {
				t.Errorf("%+v", found)
			}
		})
	}
	gone := canary.Installed{Hook: canary.Hook{Agent: hookgate.Codex}, Command: []string{"/nowhere/toolverdict"}, Gate: canary.Gate{Log: &log{}, Now: time.Now}}
	if found := gone.Doors()[0].Look(t.Context()); found[0].Level != doctor.Failure || !strings.Contains(found[0].Text, "cannot be started") {
		t.Errorf("%+v", found)
	}
}

// TestAsked: an agent that asks a server itself.
func TestAsked(t *testing.T) {
	t.Parallel()
	for name, record := range map[string]bool{"recorded": true, "not recorded": false} {
		l := &log{}
		server := httptest.NewServer(&world{l, honest, record})
		i := canary.Installed{
			Hook: canary.Hook{Agent: hookgate.ClaudeCode, Workspace: "/w", Home: "/h"},
			Gate: canary.Gate{URL: server.URL, Key: "k", Client: server.Client(), Log: l, Now: time.Now},
		}
		for _, d := range i.Doors() {
			if found := d.Look(t.Context()); (found[0].Level == doctor.OK) != record {
				t.Errorf("%s: %+v", name, found)
			}
		}
		server.Close()
	}
}

// TestStdio: a gate that a client starts, and what is none.
func TestStdio(t *testing.T) {
	t.Parallel()
	const hello = `read hello; echo '{"jsonrpc":"2.0","id":"hello","result":{}}'; read ready; read call; id=$(echo "$call" | sed 's/.*"id":"\([^"]*\)".*/\1/');`
	for name, c := range map[string]struct {
		script string
		want   doctor.Level
		said   string
	}{
		"refuses, and records nothing": {hello + `echo '{"jsonrpc":"2.0","method":"notifications/x"}'; echo '{"jsonrpc":"2.0","id":"'$id'","error":{"code":-32602,"data":` + refusal + `}}'`, doctor.Unknown, "no record"},
		"a server without a gate":      {hello + `echo '{"jsonrpc":"2.0","id":"'$id'","error":{"code":-32602,"message":"Unknown tool"}}'`, doctor.Failure, "NOT GUARDED"},
		"a tool of that name":          {hello + `echo '{"jsonrpc":"2.0","id":"'$id'","result":{"content":[]}}'`, doctor.Failure, "NOT GUARDED"},
		"ends at once":                 {"echo broken >&2; exit 2", doctor.Failure, "broken"},
		"says nothing sensible":        {"echo hello; read hello; exit 0", doctor.Failure, "without an answer"},
	} {
		s := canary.Stdio{Server: "s", Command: []string{"/bin/sh", "-c", c.script}, Dir: t.TempDir(), Env: []string{"PATH=/usr/bin:/bin"}, Log: &log{}, Now: time.Now}
		found := s.Door().Look(t.Context())
		if found[0].Level != c.want || !strings.Contains(found[0].Text, c.said) {
			t.Errorf("%s: %+v", name, found)
		}
	}
	if d := (canary.Stdio{Server: "s"}).Door(); d.Tool != "s/"+tv.CanaryName {
		t.Error(d.Tool)
	}
}
