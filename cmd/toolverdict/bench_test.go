// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// BenchmarkDurableDecide asks a gate that is served with a store on disk about a
// command, over connections that stay open: one caller, and many.
func BenchmarkDurableDecide(b *testing.B) {
	s := servedGate(b)
	key, err := os.ReadFile(s.key)
	if err != nil {
		b.Fatal(err)
	}
	own := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	decide := func() {
		req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, s.url+"/v1/decide", strings.NewReader(`{"tool":"claude-code/Bash","arguments":{"command":"ls"}}`))
		if err != nil {
			b.Error(err)
			return
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(key)))
		resp, err := own.Do(req)
		if err != nil {
			b.Error(err)
			return
		}
		defer resp.Body.Close()
		if out, err := io.ReadAll(resp.Body); err != nil || !bytes.Contains(out, []byte(`"verdict":"allow"`)) {
			b.Errorf("%d %s %v", resp.StatusCode, out, err)
		}
	}
	b.Run("1", func(b *testing.B) {
		for b.Loop() {
			decide()
		}
	})
	b.Run("32", func(b *testing.B) {
		b.SetParallelism(16)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				decide()
			}
		})
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "decisions/s")
	})
}

// BenchmarkHook starts the program as an agent does, for one answer each: without a
// server, under the built-in policy, and with one that is asked. "start" is the
// program that does nothing, "none" the smallest program of the system.
func BenchmarkHook(b *testing.B) {
	s := servedGate(b)
	program, home, workspace, url, key := s.program, s.home, s.workspace, s.url, s.key
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

// served is a gate that runs until the benchmark ends.
type served struct{ program, home, workspace, url, key string }

func servedGate(b *testing.B) served {
	b.Helper()
	dir := b.TempDir()
	s := served{program: filepath.Join(dir, "toolverdict"), home: filepath.Join(dir, "home"), workspace: filepath.Join(dir, "home", "app")}
	build := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", s.program, ".")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("build: %v\n%s", err, out)
	}
	if err := os.MkdirAll(s.workspace, 0o700); err != nil {
		b.Fatal(err)
	}
	s.serve(b, filepath.Join(dir, "gate"))
	return s
}

func (s *served) serve(b *testing.B, dir string) {
	b.Helper()
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
`, s.workspace, s.home),
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
	cmd := exec.CommandContext(ctx, s.program, "serve", "--config", config, "--data", data)
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
		if s.url, _ = servedIn(data); s.url != "" {
			s.key = filepath.Join(data, "keys", "agent")
			return
		}
	}
	stop()
	_ = cmd.Wait()
	b.Fatalf("the gate does not answer:\n%s", log.String())
}
