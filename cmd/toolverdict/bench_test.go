// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkHook starts the program as an agent does, for one answer each: without a
// server, under the built-in policy, and with one that is asked. "start" is the
// program that does nothing, "none" the smallest program of the system.
func BenchmarkHook(b *testing.B) {
	dir := b.TempDir()
	program := filepath.Join(dir, "toolverdict")
	build := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, ".")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("build: %v\n%s", err, out)
	}
	home, workspace := filepath.Join(dir, "home"), filepath.Join(dir, "home", "app")
	if err := os.MkdirAll(workspace, 0o700); err != nil {
		b.Fatal(err)
	}
	url, key := serveHooks(b, program, home, workspace)
	hook := []string{program, "hook", "claude-code"}
	for _, c := range []struct {
		name string
		argv []string
	}{
		{"none", []string{"/bin/true"}},
		{"start", []string{program, "version"}},
		{"local", hook},
		{"through", append(hook, "--server", url, "--key-file", key)},
	} {
		b.Run(c.name, func(b *testing.B) {
			argv := c.argv
			for b.Loop() {
				cmd := exec.CommandContext(b.Context(), argv[0], argv[1:]...)
				cmd.Dir, cmd.Env = workspace, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
				cmd.Stdin = bytes.NewReader(fmt.Appendf(nil, `{"session_id":"s","cwd":%q,"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"t"}`, workspace))
				out, err := cmd.CombinedOutput()
				if err != nil || argv[0] == program && argv[1] == "hook" && string(out) != "{}\n" {
					b.Fatalf("%v: %s", err, out)
				}
			}
		})
	}
}

// serveHooks serves a gate for the hook until the benchmark ends.
func serveHooks(b *testing.B, program, home, workspace string) (url, key string) {
	b.Helper()
	dir := filepath.Join(filepath.Dir(home), "gate")
	data := filepath.Join(dir, "data")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		b.Fatal(err)
	}
	config := filepath.Join(dir, "toolverdict.yaml")
	for path, text := range map[string]string{
		config: fmt.Sprintf(`version: 1
policies: [policy.yaml]
listen: 127.0.0.1:0
stdio: {subject: agent}
hooks: {agents: [claude-code], workspace: %s, home: %s}
subjects: [{id: agent, kind: agent, keys: [{example: true}]}]
`, workspace, home),
		filepath.Join(dir, "policy.yaml"): `policy: p
version: v1
rules:
  - {id: allow-ls, verdict: allow, reason: r, tools: "group:shell", when: {effects.every: {any: [{kind: read}, {kind: execute, known: true}]}}}
`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program, "serve", "--config", config, "--data", data)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		stop()
		_ = cmd.Wait() // it was ended
	})
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if url, _ := servedIn(data); url != "" {
			return url, filepath.Join(data, "keys", "agent")
		}
	}
	stop()
	_ = cmd.Wait()
	b.Fatalf("the gate does not answer:\n%s", log.String())
	return "", ""
}
