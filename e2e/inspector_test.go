// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/e2e/internal/rig"
)

const (
	inspectorTime = time.Minute
	// inspectorToolError is the exit code for a result with isError.
	inspectorToolError = 5
)

// TestInspector uses the MCP Inspector's command line, which shows results as the server sent them:
// the list of tools must come through the gate unchanged to the last member.
func TestInspector(t *testing.T) {
	t.Parallel()
	for _, server := range publishedServers() {
		t.Run(server.name, func(t *testing.T) {
			t.Parallel()
			dir := serverDir(t)
			direct := append([]string{"--"}, server.command(dir)...)
			list, _ := inspect(t, nil, append([]string{"--method", "tools/list"}, direct...)...)
			g := server.gate(t, dir)
			url := "http://" + serveGate(t, g) + rig.Endpoint(server.name)
			alone := newGate(t, g.Spec())
			stdio := append([]string{"-e", envOf(alone), "--"}, alone.StdioArgv(server.name)...)
			http := []string{"--transport", "http", "--server-url", url, "--header", "Authorization: Bearer " + g.Key}
			routes := map[string][]string{
				"stdio front":               stdio,
				"HTTP front":                http,
				"HTTP front, era by choice": append([]string{"--protocol-era", "auto"}, http...),
			}
			for name, target := range routes {
				t.Run(name, func(t *testing.T) {
					server.inspectThrough(t, dir, target, list)
				})
			}
		})
	}
}

// inspectThrough compares the list of tools, an allowed and a denied call.
func (p published) inspectThrough(t *testing.T, dir string, target []string, list []byte) {
	t.Helper()
	got, code := inspect(t, nil, append([]string{"--method", "tools/list"}, target...)...)
	if diff := cmp.Diff(indented(t, list), indented(t, got)); diff != "" || code != 0 {
		t.Errorf("tools/list, exit code %d (-direct +gate):\n%.4000s", code, diff)
	}
	call := func(s step) ([]byte, int) {
		args := strings.ReplaceAll(s.args, "«dir»", dir)
		return inspect(t, nil, append([]string{"--method", "tools/call", "--tool-name", s.tool, "--tool-args-json", args}, target...)...)
	}
	if got, code := call(p.allowed[0]); code != 0 {
		t.Errorf("%s: exit code %d: %s", p.allowed[0].tool, code, got)
	}
	if got, code := call(p.denied[0]); code != inspectorToolError || !bytes.Contains(got, []byte("POLICY_DENIED")) {
		t.Errorf("%s: exit code %d: %s", p.denied[0].tool, code, got)
	}
	if p.name == "filesystem" {
		p.unharmed(t, dir)
	}
}

// envOf is the variable that hands a gate its key, as the Inspector wants it: it starts servers with
// an environment of its own.
func envOf(g *rig.Gate) string {
	env := g.Env()
	return env[len(env)-1]
}

// inspect runs the Inspector's command line and returns what it printed and its exit code.
func inspect(t *testing.T, env []string, args ...string) ([]byte, int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), inspectorTime)
	defer cancel()
	argv := append([]string{npm("node_modules/.bin/inspector"), "--cli", "--format", "json", "-q"}, args...)
	cmd := exec.CommandContext(ctx, node(), argv...)
	// It keeps a catalog and settings below the home folder.
	cmd.Env = append(append(os.Environ(), "HOME="+t.TempDir()), env...)
	cmd.WaitDelay = time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if ctx.Err() != nil {
		t.Fatalf("the Inspector did not end; it printed %s%s", out.Bytes(), errs.Bytes())
	}
	if err != nil && cmd.ProcessState == nil {
		t.Fatalf("start the Inspector: %v", err)
	}
	code := cmd.ProcessState.ExitCode()
	if code != 0 {
		out.Write(errs.Bytes())
	}
	return out.Bytes(), code
}

func indented(t *testing.T, text []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, bytes.TrimSpace(text), "", " "); err != nil {
		t.Errorf("not JSON: %v: %.300s", err, text)
	}
	return b.String()
}
