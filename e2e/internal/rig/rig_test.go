// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package rig_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/toolverdict/toolverdict/e2e/internal/rig"
	"github.com/toolverdict/toolverdict/internal/config"
)

func start(t *testing.T, script string) *rig.Proc {
	t.Helper()
	p, err := rig.Start(rig.Spec{Argv: []string{"/bin/sh", "-c", script}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	return p
}

func TestWaitLineReturnsTheRestOfTheLine(t *testing.T) {
	t.Parallel()
	p := start(t, "echo starting; echo 'listening on http://127.0.0.1:9 (ready)'; exec sleep 600")
	got, err := p.WaitLine(t.Context(), "listening on http://")
	if err != nil {
		t.Fatal(err)
	}
	if want := "127.0.0.1:9 (ready)"; got != want {
		t.Errorf("rest of the line: got %q, want %q", got, want)
	}
}

func TestWaitShowsWhatAProgramThatEndedPrinted(t *testing.T) {
	t.Parallel()
	p := start(t, "echo the reason >&2; exit 3")
	_, err := p.WaitLine(t.Context(), "listening")
	if err == nil || !strings.Contains(err.Error(), "the reason") || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("error does not say how it ended and what it printed: %v", err)
	}
}

func TestWaitListeningEndsWithTheProgram(t *testing.T) {
	t.Parallel()
	p := start(t, "echo no port for you; exit 1")
	// Port 1 on loopback: nothing listens there.
	err := p.WaitListening(t.Context(), "127.0.0.1:1")
	if err == nil || !strings.Contains(err.Error(), "no port for you") {
		t.Errorf("error does not say what it printed: %v", err)
	}
}

func TestStopEndsTheWholeGroup(t *testing.T) {
	t.Parallel()
	p := start(t, "sleep 600 & echo child $!; wait")
	pid, err := p.WaitLine(t.Context(), "child ")
	if err != nil {
		t.Fatal(err)
	}
	p.Stop()
	p.Stop()
	// It was killed; the kernel may take a moment to take it away. A test that
	// times out here has found one that was not.
	for alive(pid) {
		runtime.Gosched()
	}
	if err := syscall.Kill(p.PID(), 0); err == nil {
		t.Error("the program still runs")
	}
}

// alive reports whether a process is more than a name that nobody fetched yet.
func alive(pid string) bool {
	state, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	return err == nil && !strings.Contains(string(state), ") Z ")
}

func TestStartRefusesNothing(t *testing.T) {
	t.Parallel()
	if _, err := rig.Start(rig.Spec{}); err == nil {
		t.Error("no error for an empty command")
	}
	if _, err := rig.Start(rig.Spec{Argv: []string{"/no/such/program"}}); err == nil {
		t.Error("no error for a program that is not there")
	}
}

func TestGateConfig(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	g, err := rig.NewGate(rig.GateSpec{Bin: "/bin/false", Dir: dir, Policy: "policy: p\n", Catalog: "tools: {}\n", Upstreams: []rig.Upstream{
		{Name: "a", Command: []string{"sh", "-c", "echo: #not a comment"}, Env: []string{"PATH"}},
		{Name: "b", URL: "http://127.0.0.1:1/mcp"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(g.ConfigPath())
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), g.Key) {
		t.Error("the key itself is in the config file")
	}
	var got struct {
		Policies  []string
		Catalogs  []string
		Upstreams map[string]struct {
			Command, Env []string
			URL, Pin     string
		}
	}
	if err := yaml.Unmarshal(text, &got); err != nil {
		t.Fatalf("config is not YAML: %v\n%s", err, text)
	}
	if diff := cmp.Diff([]string{"sh", "-c", "echo: #not a comment"}, got.Upstreams["a"].Command); diff != "" {
		t.Errorf("command (-want +got):\n%s", diff)
	}
	if _, err := config.Load(g.ConfigPath()); err != nil {
		t.Errorf("the product refuses the config: %v\n%s", err, text)
	}
	if got.Upstreams["b"].URL != "http://127.0.0.1:1/mcp" || len(got.Catalogs) != 1 || len(got.Policies) != 1 {
		t.Errorf("config: %+v", got)
	}
	if _, _, err := g.Serve(context.Background()); err == nil || !strings.Contains(err.Error(), "exit status 1") {
		t.Errorf("serve with a binary that ends: %v", err)
	}
}
