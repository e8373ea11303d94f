// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	main "github.com/toolverdict/toolverdict/cmd/toolverdict"
)

// tester calls the servers under test. The default transport will not do: each
// httptest.Server that another test closes breaks that one's connections.
var tester = &http.Client{Transport: &http.Transport{}}

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"toolverdict": main.Main,
		"fakeserver":  fakeServer,
	})
}

// TestScripts runs the stories of testdata/script: each is a user with a fresh
// folder that looks like the repository's root after `make build`.
func TestScripts(t *testing.T) {
	t.Parallel()
	orders := buildOrders(t)
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/script",
		RequireUniqueNames: true,
		Setup:              func(e *testscript.Env) error { return settle(e, orders) },
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"ready": ready, "code": code, "id": keep, "changes": changes, "until": until, "sql": sqlStatement, "signal": send, "pending": pending, "granted": granted, "shortcode": shortCode, "ledgerkey": ledgerKey, "big": big, "talk": talk, "post": post, "expand": expand, "document": document,
		},
	})
}

// buildOrders builds the example's server, which tests cannot import.
func buildOrders(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "orders-server")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", bin, "../../examples/orders/server")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build the orders server: %v\n%s", err, out)
	}
	return bin
}

// settle lays out the example as the repository has it.
func settle(e *testscript.Env, orders string) error {
	e.Setenv("HOME", e.WorkDir)
	e.Setenv("NO_COLOR", "1")
	if err := os.MkdirAll(filepath.Join(e.WorkDir, "bin"), 0o755); err != nil {
		return err
	}
	if err := os.Symlink(orders, filepath.Join(e.WorkDir, "bin", "orders-server")); err != nil {
		return err
	}
	to := filepath.Join(e.WorkDir, "examples", "orders")
	if err := os.MkdirAll(filepath.Join(to, "server"), 0o755); err != nil {
		return err
	}
	for _, name := range []string{"toolverdict.yaml", "catalog.yaml", "policy.yaml", "policy_test.yaml", "server/tools.json"} {
		b, err := os.ReadFile(filepath.Join("../../examples/orders", name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, name), b, 0o644); err != nil {
			return err
		}
	}
	for _, name := range []string{"starters", "coding-agent"} {
		if err := os.CopyFS(filepath.Join(e.WorkDir, "examples", name), os.DirFS(filepath.Join("../../examples", name))); err != nil {
			return err
		}
	}
	return nil
}

// patience bounds every wait of a story: machines may be slow, a hang must end.
const patience = 20 * time.Second

// poll tries something until it works.
func poll(ts *testscript.TestScript, what string, try func() bool) {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if try() {
			return
		}
	}
	ts.Fatalf("%s: it did not come about in %v", what, patience)
}

// ready waits for the gate of a data folder: ready [DATA].
func ready(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: ready [DATA]")
	}
	data := ".data/orders"
	if len(args) == 1 {
		data = args[0]
	}
	poll(ts, "ready", func() bool {
		url, pid := servedIn(ts.MkAbs(data))
		if !isReady(url) {
			return false
		}
		ts.Setenv("URL", url)
		ts.Setenv("ADDRESS", strings.TrimPrefix(url, "http://"))
		ts.Setenv("PID", strconv.Itoa(pid))
		return true
	})
}

// servedIn finds the gate that answers for a data folder, "" for none: one that
// was killed leaves its word behind.
func servedIn(data string) (url string, pid int) {
	paths, _ := filepath.Glob(filepath.Join(data, "served", "*.json"))
	for _, path := range paths {
		b, err := os.ReadFile(path)
		var served struct {
			URL string `json:"url"`
			PID int    `json:"pid"`
		}
		if err == nil && json.Unmarshal(b, &served) == nil && answers(served.URL, "/livez") {
			return served.URL, served.PID
		}
	}
	return "", 0
}

func isReady(url string) bool { return url != "" && answers(url, "/readyz") }

func answers(url, path string) bool {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url+path, nil)
	if err != nil {
		return false
	}
	resp, err := tester.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// send sends a signal to the gate that ready found: signal TERM|HUP|KILL.
func send(ts *testscript.TestScript, neg bool, args []string) {
	signals := map[string]syscall.Signal{"TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "KILL": syscall.SIGKILL}
	if neg || len(args) != 1 || signals[args[0]] == 0 {
		ts.Fatalf("usage: signal TERM|HUP|KILL")
	}
	pid, err := strconv.Atoi(ts.Getenv("PID"))
	ts.Check(err)
	ts.Check(syscall.Kill(pid, signals[args[0]]))
}

// code runs a command that must end with this exit code: code N COMMAND ARGS….
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N COMMAND ARGS…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// keep keeps the one line that the last command printed: id NAME.
func keep(ts *testscript.TestScript, neg bool, args []string) {
	text := strings.TrimSpace(ts.ReadFile("stdout"))
	if neg || len(args) != 1 || text == "" || strings.Contains(text, "\n") {
		ts.Fatalf("id NAME: the last command printed %q and not one line", text)
	}
	ts.Setenv(args[0], text)
}

// pending keeps the id of the one approval that is pending: pending NAME.
func pending(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: pending NAME")
	}
	ts.Check(ts.Exec("toolverdict", "approvals", "list", "--state", "pending", "--output", "json"))
	var list []struct{ ID string }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &list))
	if len(list) != 1 {
		ts.Fatalf("%d approvals are pending, want one", len(list))
	}
	ts.Setenv(args[0], list[0].ID)
}

// shortCode keeps the short code of an approval: shortcode NAME ID.
func shortCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: shortcode NAME ID")
	}
	ts.Check(ts.Exec("toolverdict", "approvals", "show", args[1], "--as", "boss", "--output", "json"))
	var v struct{ Code string }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &v))
	ts.Setenv(args[0], v.Code)
}

// granted keeps the id of the one grant that is open: granted NAME.
func granted(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: granted NAME")
	}
	ts.Check(ts.Exec("toolverdict", "grants", "list", "--output", "json"))
	var list []struct{ ID string }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &list))
	if len(list) != 1 {
		ts.Fatalf("%d grants are open, want one", len(list))
	}
	ts.Setenv(args[0], list[0].ID)
}

// ledgerKey keeps the key of the one unknown entry of a tool: ledgerkey NAME TOOL.
func ledgerKey(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: ledgerkey NAME TOOL")
	}
	ts.Check(ts.Exec("toolverdict", "ledger", "list", "--state", "unknown", "--output", "json"))
	var list []struct{ Key, Tool string }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &list))
	for _, e := range list {
		if e.Tool == args[1] {
			ts.Setenv(args[0], e.Key)
			return
		}
	}
	ts.Fatalf("no entry of %s is unknown", args[1])
}

// big writes 10 MiB of arguments: big FILE.
func big(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: big FILE")
	}
	text := `{"order_id":"` + strings.Repeat("A", 10<<20) + `"}`
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

// changes counts what really happened, by the shop's own books:
// changes N TOOL [WHAT].
func changes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: changes N TOOL [WHAT]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	what := ""
	if len(args) > 2 {
		what = args[2]
	}
	if got := countChanges(ts, args[1], what); got != want {
		ts.Fatalf("%s %s happened %d times, want %d", args[1], what, got, want)
	}
}

func countChanges(ts *testscript.TestScript, tool, what string) int {
	cmd := exec.CommandContext(context.Background(), ts.MkAbs("bin/orders-server"), "-data", ts.MkAbs(".data/orders/shop"), "-changes")
	out, err := cmd.Output()
	ts.Check(err)
	n := 0
	for row := range bytes.Lines(out) {
		var change struct{ Tool, What string }
		ts.Check(json.Unmarshal(row, &change))
		if change.Tool == tool && (what == "" || change.What == what) {
			n++
		}
	}
	return n
}

// until runs a command until it ends with this exit code and prints this text:
// until N TEXT COMMAND ARGS….
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: until N TEXT COMMAND ARGS…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	poll(ts, strings.Join(args, " "), func() bool {
		got := 0
		if err := ts.Exec(args[2], args[3:]...); err != nil {
			exit, ok := errors.AsType[*exec.ExitError](err)
			if !ok {
				ts.Fatalf("%v", err)
			}
			got = exit.ExitCode()
		}
		return got == want && strings.Contains(ts.ReadFile("stdout")+ts.ReadFile("stderr"), args[1])
	})
}

// expand puts variables into a file: expand FILE.
func expand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: expand FILE")
	}
	text := os.Expand(ts.ReadFile(args[0]), ts.Getenv)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}
