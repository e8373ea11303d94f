// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package agents_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolverdict/toolverdict/e2e/agents/internal/drive"
	"github.com/toolverdict/toolverdict/e2e/agents/internal/model"
	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/hookgate/setup"
)

// fault is one thing that can happen to a gate.
type fault struct {
	name string
	// make breaks the gate of a stage, and says how the hook is set up.
	make func(t *testing.T, s *drive.Stage) setup.Entry
	says string // what the model is told, where the gate itself can still say something
	// runs are the agents that run the tool all the same: docs/hooks.md, "What is not
	// covered", names each.
	runs []hookgate.Agent
	wait int // seconds that the agent waits, where that matters
}

func faults() []fault {
	script := func(text string) func(*testing.T, *drive.Stage) setup.Entry {
		return func(t *testing.T, s *drive.Stage) setup.Entry {
			t.Helper()
			s.Wrap(t, text)
			return s.Usual()
		}
	}
	return []fault{
		// The gate waits for a person when it is killed, so that it cannot have answered.
		{name: "killed", make: func(t *testing.T, s *drive.Stage) setup.Entry {
			t.Helper()
			s.Wrap(t, `exec 3<&0; GATE "$@" <&3 & sleep 1; kill -9 $! $$`)
			return s.Usual("--wait", "20s")
		}},
		{name: "hangs", make: script("exec sleep 30"), wait: 2, runs: []hookgate.Agent{hookgate.Codex, hookgate.Gemini, hookgate.Qwen, hookgate.Copilot}},
		{name: "garbage", make: script("cat >/dev/null; echo all is well"), runs: []hookgate.Agent{
			hookgate.ClaudeCode, hookgate.Codex, hookgate.Gemini, hookgate.Qwen, hookgate.Copilot,
		}},
		{name: "panics", make: script("cat >/dev/null; echo panic: boom >&2; exit 2")},
		{name: "disk full", make: script(`ulimit -f 1; exec GATE "$@"`), says: "Toolverdict"},
		{name: "not executable", make: func(t *testing.T, s *drive.Stage) setup.Entry {
			t.Helper()
			s.Wrap(t, `exec GATE "$@"`)
			if err := os.Chmod(s.Gate, 0o644); err != nil {
				t.Fatal(err)
			}
			return s.Usual()
		}},
		{name: "missing", make: func(t *testing.T, s *drive.Stage) setup.Entry {
			t.Helper()
			if err := os.Remove(s.Gate); err != nil {
				t.Fatal(err)
			}
			return s.Usual()
		}},
		{name: "server down", make: asking("http://127.0.0.1:1"), says: "no gate answers at"},
		{name: "server hangs", make: served(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }), says: "no answer within"},
		{name: "server answers garbage", make: served(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "all is well") }), says: "is no gate"},
	}
}

// asking sets the hook up to ask a server.
func asking(url string) func(*testing.T, *drive.Stage) setup.Entry {
	return func(t *testing.T, s *drive.Stage) setup.Entry {
		t.Helper()
		key := filepath.Join(s.Own(), "agent.key")
		s.Put(t, key, "tv_none\n")
		e := s.Usual("--server", url, "--key-file", key, "--deadline", "2s")
		e.Deadline = 2 * time.Second
		return e
	}
}

// served is the same for a server that answers in its own way.
func served(answer http.HandlerFunc) func(*testing.T, *drive.Stage) setup.Entry {
	return func(t *testing.T, s *drive.Stage) setup.Entry {
		t.Helper()
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // with a body unread, it is not seen that the client is gone
			answer(w, r)
		}))
		t.Cleanup(server.Close)
		return asking(server.URL)(t, s)
	}
}

// TestFaults: whatever happens to the gate, the tool does not run and the model is told
// why, as far as the agent lets us. Where it does not, the gap is the one that the docs
// name, and no other.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, a := range agents() {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			for _, f := range faults() {
				t.Run(f.name, func(t *testing.T) { a.fails(t, f) })
			}
		})
	}
}

func (a installed) fails(t *testing.T, f fault) {
	t.Helper()
	s := a.stage(t)
	e := f.make(t, s)
	s.Waits = f.wait
	file := filepath.Join(s.Project, "release") // a person is asked about it
	r := s.Run(t, e, model.Script{Word: "main-script", Turns: []model.Turn{{Calls: []model.Call{a.Shell("echo ran > " + file)}}}})
	if want := slices.Contains(f.runs, a.Name); drive.Exists(file) != want {
		t.Errorf("the tool ran: %v, and the docs say %v", drive.Exists(file), want)
	}
	if told := r.All() + r.Output; !a.Aborts && !strings.Contains(told, f.says) {
		t.Errorf("neither the model nor the user was told %q", f.says)
	}
}
