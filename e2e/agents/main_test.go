// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package agents_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/toolverdict/toolverdict/e2e/agents/internal/drive"
)

// record keeps what agents tell their hooks: hookgate/testdata/recorded comes from there.
var record = flag.String("record", "", "keep the inputs of the hooks in this folder")

// gate is the program of this repository; it is built once, before any test.
var gate string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	flag.Parse()
	for _, a := range agents() {
		for _, need := range a.needs {
			if _, err := os.Stat(need); err != nil {
				fmt.Fprintf(os.Stderr, "tests with real agents: %s is missing: run e2e/setup.sh once, with the word agents for all of them\n", need)
				return 1
			}
		}
	}
	dir, err := os.MkdirTemp("", "toolverdict-agents-")
	if err != nil {
		fmt.Fprintf(os.Stderr, "tests with real agents: %v\n", err)
		return 1
	}
	defer os.RemoveAll(dir)
	gate = filepath.Join(dir, "toolverdict")
	if out, err := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", gate, "../../cmd/toolverdict").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "tests with real agents: build the gate: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// installed is an agent, and the files without which it cannot run.
type installed struct {
	*drive.Agent

	name  string
	needs []string
}

// platform is this machine as npm's packages name it.
func platform() string {
	return "linux-" + map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
}

// npm is a file that npm installed.
func npm(path ...string) string {
	abs, err := filepath.Abs(filepath.Join(append([]string{"npm"}, path...)...))
	if err != nil {
		panic(err) // the working folder is gone: nothing can run
	}
	return abs
}

func claude() installed {
	program := npm("node_modules/@anthropic-ai/claude-code-"+platform(), "claude")
	return installed{drive.Claude(program, "--permission-mode", "bypassPermissions"), "claude", []string{program}}
}

func codex() installed {
	program := codexProgram()
	return installed{drive.Codex(program, "gpt-5.5"), "codex", []string{program}}
}

func codexProgram() string {
	folder := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH] + "-unknown-linux-musl"
	return npm("node_modules/@openai/codex-"+platform(), "vendor", folder, "bin/codex")
}

// node is the Node.js that npm brought for the tests, or the one on PATH.
func node() string {
	if path := npm("../../npm/node_modules/.bin/node"); drive.Exists(path) {
		return path
	}
	return "node"
}

// stage is a stage for an agent.
func (a installed) stage(t *testing.T) *drive.Stage {
	t.Helper()
	s := drive.New(t, a.Agent, gate, []string{node(), npm("../../npm/node_modules/.bin/mcp-server-filesystem")})
	if *record != "" {
		s.Record(t, filepath.Join(*record, string(a.Name)))
	}
	return s
}
