// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package console_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/httpgate/client"
)

// programs is the folder of what the tests run; axe is the accessibility checker.
var programs, axe string

const axeFile = "../npm/node_modules/axe-core/axe.min.js"

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	checker, err := os.ReadFile(axeFile)
	if err == nil {
		_, err = exec.LookPath("chromium")
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "console tests: a browser and axe-core are needed: run `make test`, or e2e/setup.sh once: %v\n", err)
		return 1
	}
	axe = string(checker)
	if programs, err = os.MkdirTemp("", "toolverdict-console-"); err != nil {
		fmt.Fprintf(os.Stderr, "console tests: %v\n", err)
		return 1
	}
	defer os.RemoveAll(programs)
	for name, pkg := range map[string]string{"toolverdict": "../../cmd/toolverdict", "orders-server": "../../examples/orders/server"} {
		out, err := exec.Command("go", "build", "-o", filepath.Join(programs, name), pkg).CombinedOutput()
		if err != nil {
			fmt.Fprintf(os.Stderr, "console tests: build %s: %v\n%s", pkg, err, out)
			return 1
		}
	}
	return m.Run()
}

const gateFile = `version: 1
listen: 127.0.0.1:0
policies: [POLICY]
catalogs: [CATALOG]
env: {stage: dev}
upstreams:
  orders: {command: [SERVER, -data, "{data}/shop"], env: [PATH], pin: first-sight}
subjects:
  - {id: agent, kind: agent, user: u_100, roles: [support], permissions: ["*"], keys: [{example: true}]}
  - {id: ada, kind: person, roles: [finance, approver], password: {example: true}}
  - {id: adam, kind: person, roles: [admin, finance], password: {example: true}}
  - {id: vera, kind: person, roles: [viewer], password: {example: true}}
  - {id: olaf, kind: person, roles: [approver], password: {example: true}}
  - {id: root, kind: person, roles: [admin], password: {example: true}}
  - {id: u_100, kind: person, roles: [approver, finance], password: {example: true}}
approvals: {approvers: ["role:approver"], pending: PENDING}
`

// gate is a gate of the orders example that runs.
type gate struct {
	t        *testing.T
	dir, url string
	cmd      *exec.Cmd
	agent    *client.Client
	observes bool
}

// newGate starts a gate in a folder of its own.
func newGate(t *testing.T, pending string, more ...string) *gate {
	t.Helper()
	orders, err := filepath.Abs("../../examples/orders")
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{t: t, dir: t.TempDir()}
	text := strings.NewReplacer("POLICY", filepath.Join(orders, "policy.yaml"), "CATALOG", filepath.Join(orders, "catalog.yaml"),
		"SERVER", filepath.Join(programs, "orders-server"), "PENDING", pending).Replace(gateFile) + strings.Join(more, "\n")
	g.observes = slices.Contains(more, "mode: observe")
	if err := os.WriteFile(filepath.Join(g.dir, "toolverdict.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	g.start("127.0.0.1:0")
	t.Cleanup(g.stop)
	return g
}

var address = regexp.MustCompile(`listening on (http://\S+)`)

func (g *gate) start(listen string) {
	g.t.Helper()
	g.cmd = exec.Command(filepath.Join(programs, "toolverdict"), "serve", "--config", "toolverdict.yaml", "--listen", listen)
	g.cmd.Dir, g.cmd.Env = g.dir, append(os.Environ(), "HOOK=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if g.observes {
		g.cmd.Args = append(g.cmd.Args, "--observe")
	}
	out, err := g.cmd.StdoutPipe()
	if err != nil {
		g.t.Fatal(err)
	}
	logs, err := os.OpenFile(filepath.Join(g.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		g.t.Fatal(err)
	}
	defer logs.Close()
	g.cmd.Stderr = logs
	if err := g.cmd.Start(); err != nil {
		g.t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if m := address.FindStringSubmatch(lines.Text()); m != nil {
			g.url = m[1]
			break
		}
	}
	if g.url == "" {
		text, _ := os.ReadFile(filepath.Join(g.dir, "log"))
		g.t.Fatalf("the gate did not start:\n%s", text)
	}
	go func() { _, _ = out.Read(make([]byte, 1<<16)) }()
	if g.agent, err = client.New(g.url, g.read("keys/agent")); err != nil {
		g.t.Fatal(err)
	}
}

func (g *gate) stop() {
	_ = g.cmd.Process.Signal(syscall.SIGTERM)
	_ = g.cmd.Wait()
	if g.t.Failed() {
		text, _ := os.ReadFile(filepath.Join(g.dir, "log"))
		g.t.Logf("the gate's log:\n%s", text)
	}
}

func (g *gate) read(name string) string {
	g.t.Helper()
	b, err := os.ReadFile(filepath.Join(g.dir, "data", name))
	if err != nil {
		g.t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

func (g *gate) password(id string) string { return g.read("passwords/" + id) }

// outcome is what a held call came to.
type outcome struct {
	tv.Result
	raw string
	err error
}

// call asks for a call and holds it for a while; the channel tells what came of
// it.
func (g *gate) call(tool, arguments, session string, wait time.Duration) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		r, raw, err := g.agent.Do(context.Background(), client.Call{Tool: tool, Arguments: []byte(arguments), Session: session, Wait: wait})
		done <- outcome{r, string(raw), err}
	}()
	return done
}

// ask opens an approval and returns its id.
func (g *gate) ask(tool, arguments, session string) string {
	g.t.Helper()
	got := <-g.call(tool, arguments, session, 0)
	if got.err != nil || got.Confirmation == nil {
		g.t.Fatalf("%s: no approval: %s, %v", tool, got.raw, got.err)
	}
	return got.Confirmation.ID
}

func (g *gate) await(done <-chan outcome) outcome {
	g.t.Helper()
	select {
	case got := <-done:
		if got.err != nil {
			g.t.Fatal(got.err)
		}
		return got
	case <-time.After(30 * time.Second):
		g.t.Fatal("the held call did not finish")
		return outcome{}
	}
}

// quote is a text as JSON has it.
func quote(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(errors.Join(errors.New("a text that JSON cannot hold"), err))
	}
	return string(b)
}
