// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package hookgate_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/internal/canon"
)

func FuzzClaudeCode(f *testing.F) { fuzz(f, hookgate.ClaudeCode) }
func FuzzCodex(f *testing.F)      { fuzz(f, hookgate.Codex) }
func FuzzGemini(f *testing.F)     { fuzz(f, hookgate.Gemini) }
func FuzzCopilot(f *testing.F)    { fuzz(f, hookgate.Copilot) }
func FuzzQwen(f *testing.F)       { fuzz(f, hookgate.Qwen) }
func FuzzCursor(f *testing.F)     { fuzz(f, hookgate.Cursor) }
func FuzzOpenCode(f *testing.F)   { fuzz(f, hookgate.OpenCode) }
func FuzzCline(f *testing.F)      { fuzz(f, hookgate.Cline) }

// fuzz: what is read is complete, names no other agent's tool, and its arguments
// are what the agent sent.
func fuzz(f *testing.F, agent hookgate.Agent) {
	f.Helper()
	for _, from := range hookgate.Agents() {
		files, err := filepath.Glob(filepath.Join("testdata", "inputs", string(from), "*.json"))
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		e, err := hookgate.Read(agent, input)
		if err != nil {
			if objects, ok := hookgate.Objects(agent, hookgate.Denial(agent, err.Error())); !objects || !ok {
				t.Fatalf("%v is no denial", err)
			}
			return
		}
		server, tool, ok := strings.Cut(e.Tool, "/")
		if !ok || server == "" || e.Session == "" || e.Call == "" || e.Phase != hookgate.Before && e.Phase != hookgate.After {
			t.Fatalf("not complete: %+v", e)
		}
		if slices.Contains(hookgate.Agents(), hookgate.Agent(server)) && server != string(agent) {
			t.Fatalf("%s passes for %s", tool, server)
		}
		if e.Folder != "" && e.Folder[0] != '/' {
			t.Fatalf("a folder that is not absolute: %q", e.Folder)
		}
		if _, err := canon.Parse(e.Arguments, canon.Limits{MaxBytes: hookgate.MaxInput, MaxDepth: 128}); err != nil {
			t.Fatalf("arguments: %v", err)
		}
		if agent != hookgate.Cursor && !bytes.Contains(input, e.Arguments) {
			t.Fatal("the arguments are not those that were sent")
		}
	})
}
