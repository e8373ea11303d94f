// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict/e2e/internal/rig"
)

// built holds the programs of this repository that the tests run; it is set once, before any test.
var built struct {
	dir     string
	gateErr error
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	for _, need := range []string{npm("node_modules/.lock-installed"), bin("everything-server"), bin("everything-client"), bin("mcpgo-server")} {
		if _, err := os.Stat(need); err != nil {
			fmt.Fprintf(os.Stderr, "end-to-end tests: %s is missing: run `make test`, or e2e/setup.sh once\n", need)
			return 1
		}
	}
	dir, err := os.MkdirTemp("", "toolverdict-e2e-")
	if err != nil {
		fmt.Fprintf(os.Stderr, "end-to-end tests: %v\n", err)
		return 1
	}
	defer os.RemoveAll(dir)
	built.dir = dir
	for _, pkg := range []string{"./upstream/sdk", "./upstream/plain", "./upstream/tap", "./behind"} {
		if err := build(pkg); err != nil {
			fmt.Fprintf(os.Stderr, "end-to-end tests: %v\n", err)
			return 1
		}
	}
	// Without the gate the direct tests still tell something; every other test fails with this.
	built.gateErr = build("../cmd/toolverdict")
	return m.Run()
}

func build(pkg string) error {
	out, err := exec.Command("go", "build", "-o", built.dir+"/", pkg).CombinedOutput()
	if err != nil {
		return fmt.Errorf("build %s: %v\n%s", pkg, err, out)
	}
	return nil
}

// absolute turns a path below this folder into an absolute one, for programs that run elsewhere.
func absolute(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		panic(err) // the working folder is gone: nothing can run
	}
	return abs
}

func npm(path string) string { return absolute(filepath.Join("npm", path)) }

func bin(name string) string { return absolute(filepath.Join(".bin", name)) }

// own is the path of a program of this repository that was built for this run.
func own(name string) string { return filepath.Join(built.dir, name) }

// node is the Node that setup.sh installed, or the one on PATH where npm has none for the platform.
func node() string {
	if path := npm("node_modules/.bin/node"); exists(path) {
		return path
	}
	return "node"
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// npmServer is the command of a published server.
func npmServer(name string, args ...string) []string {
	return append([]string{node(), npm("node_modules/.bin/mcp-server-" + name)}, args...)
}

// start starts a program and stops it with the test; when the test failed, its output is logged.
func start(t *testing.T, s rig.Spec) *rig.Proc {
	t.Helper()
	p, err := rig.Start(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Stop()
		if t.Failed() {
			t.Logf("%s printed:\n%s", filepath.Base(s.Argv[0]), p.Output())
		}
	})
	return p
}

// listen starts a program that listens on a port of our choice: "{addr}" and "{port}" in its
// command and environment are replaced. It returns the address.
func listen(t *testing.T, s rig.Spec) string {
	t.Helper()
	port, err := rig.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	addr := "127.0.0.1:" + strconv.Itoa(port)
	fill := strings.NewReplacer("{addr}", addr, "{port}", strconv.Itoa(port))
	argv := make([]string, len(s.Argv))
	for i, a := range s.Argv {
		argv[i] = fill.Replace(a)
	}
	env := os.Environ()
	for _, e := range s.Env {
		env = append(env, fill.Replace(e))
	}
	p := start(t, rig.Spec{Argv: argv, Env: env, Dir: s.Dir, User: s.User})
	if err := p.WaitListening(t.Context(), addr); err != nil {
		t.Fatal(err)
	}
	return addr
}

// newGate writes a gate's folder. The test fails here when the gate could not be built.
func newGate(t *testing.T, s rig.GateSpec) *rig.Gate {
	t.Helper()
	if built.gateErr != nil {
		t.Fatal(built.gateErr)
	}
	s.Bin = own("toolverdict")
	if s.Dir == "" {
		s.Dir = t.TempDir()
	}
	g, err := rig.NewGate(s)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// serveGate starts a gate's HTTP front and returns its address.
func serveGate(t *testing.T, g *rig.Gate) string {
	t.Helper()
	p, addr, err := g.Serve(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Stop()
		if t.Failed() {
			t.Logf("the gate printed:\n%s", p.Output())
		}
	})
	return addr
}
