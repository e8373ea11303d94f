// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/httpgate/client"
	"github.com/toolverdict/toolverdict/internal/daemon"
)

// shop is the orders example in a folder of its own, with programs to run it.
type shop struct {
	t            *testing.T
	dir          string
	gate, server string
	url          string // of the gate that was started last
}

func newShop(t *testing.T, gate, server string, flags ...string) *shop {
	t.Helper()
	s := &shop{t: t, dir: t.TempDir(), gate: gate, server: server}
	for _, name := range []string{"toolverdict.yaml", "catalog.yaml", "policy.yaml"} {
		b, err := os.ReadFile(filepath.Join("../../examples/orders", name))
		if err != nil {
			t.Fatal(err)
		}
		b = bytes.Replace(b, []byte("../../bin/orders-server"), []byte(server), 1)
		b = bytes.Replace(b, []byte("failedAfter: 1m"), []byte("failedAfter: 1ms"), 1) // a dead server has nothing on its way
		if len(flags) > 0 {
			b = bytes.Replace(b, []byte(`"{data}/shop"`), []byte(`"{data}/shop", `+strings.Join(flags, ", ")), 1)
		}
		if err := os.WriteFile(filepath.Join(s.dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (s *shop) data() string { return filepath.Join(s.dir, "data") }

// process is a running gate.
type process struct {
	*exec.Cmd
	out     bytes.Buffer
	url     string
	stopped chan struct{}
}

// serve starts the gate and waits until it is ready.
func (s *shop) serve(gate string) *process {
	s.t.Helper()
	p := &process{stopped: make(chan struct{})}
	p.Cmd = exec.CommandContext(context.Background(), gate, "serve", "--config", filepath.Join(s.dir, "toolverdict.yaml"),
		"--data", s.data(), "--listen", "127.0.0.1:0")
	p.Stdout, p.Stderr = &p.out, &p.out
	if err := p.Start(); err != nil {
		s.t.Fatal(err)
	}
	go func() {
		_ = p.Wait() // it is killed: there is no good end
		close(p.stopped)
	}()
	s.t.Cleanup(p.kill)
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		gates, err := daemon.ReadServed(s.data())
		if err != nil {
			s.t.Fatal(err)
		}
		for _, g := range gates {
			if g.PID == p.Process.Pid && isReady(g.URL) {
				p.url, s.url = g.URL, g.URL // another may have got the address of one that was killed
				return p
			}
		}
	}
	p.kill()
	s.t.Fatalf("the gate is not ready; it printed:\n%s", p.out.String())
	return nil
}

// kill ends the gate as a power cut would.
func (p *process) kill() {
	_ = p.Process.Kill() // it may be gone
	<-p.stopped
}

func (s *shop) client(as string) *client.Client {
	s.t.Helper()
	return s.clientOf(s.url, as)
}

// clientOf is a client of one gate of several.
func (s *shop) clientOf(url, as string) *client.Client {
	s.t.Helper()
	key, err := os.ReadFile(filepath.Join(s.data(), "keys", as))
	if err != nil {
		s.t.Fatal(err)
	}
	c, err := client.New(url, strings.TrimSpace(string(key)))
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

func cancelCall(order, confirmation string) client.Call {
	return client.Call{Tool: "orders/cancel_order", Arguments: []byte(`{"order_id":"` + order + `"}`), Confirmation: confirmation}
}

func (s *shop) do(c client.Call) tv.Result {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	res, _, err := s.client("agent").Do(ctx, c)
	if err != nil {
		s.t.Fatal(err)
	}
	return res
}

func codeIn(r *tv.Result) tv.Code {
	if r.Error == nil {
		return ""
	}
	return r.Error.Code
}

// approved asks to cancel an order and has it approved.
func (s *shop) approved(order string) (confirmation string) {
	s.t.Helper()
	res := s.do(cancelCall(order, ""))
	if res.Confirmation == nil {
		s.t.Fatalf("no confirmation: %s", codeIn(&res))
	}
	if _, err := s.client("approver").Decide(s.t.Context(), res.Confirmation.ID, "approve", "it is due"); err != nil {
		s.t.Fatal(err)
	}
	return res.Confirmation.ID
}

// cancelled counts how often an order really was cancelled.
func (s *shop) cancelled(order string) int {
	s.t.Helper()
	out, err := exec.CommandContext(s.t.Context(), s.server, "-data", filepath.Join(s.data(), "shop"), "-changes").Output()
	if err != nil {
		s.t.Fatal(err)
	}
	return bytes.Count(out, []byte(`"tool":"cancel_order","what":"`+order+`"`))
}

// verify checks the log and returns the records of a tool.
func (s *shop) verify() string {
	s.t.Helper()
	for _, args := range [][]string{{"audit", "verify"}, {"audit", "query", "--limit", "100000", "--output", "json"}} {
		out, err := exec.CommandContext(s.t.Context(), s.gate, append(args, "--data", s.data())...).CombinedOutput()
		if err != nil {
			s.t.Fatalf("%v: %v\n%s", args, err, out)
		}
		if args[1] == "query" {
			return string(out)
		}
	}
	return ""
}

// theGate is the program as the tests run it: their own binary, by another name.
func theGate(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("toolverdict")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// buildDrilled builds the program so that it can be told where to crash.
func buildDrilled(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "drilled")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-tags", "faultpoints", "-o", bin, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build the gate: %v\n%s", err, out)
	}
	return bin
}

// TestAtMostOnce holds the gate to its promise with real processes, real
// signals and a shop that counts what really happened.
func TestAtMostOnce(t *testing.T) {
	t.Parallel()
	gate, orders := theGate(t), buildOrders(t)
	t.Run("a crowd at two gates", func(t *testing.T) {
		t.Parallel()
		crowdAtTwoGates(t, gate, orders)
	})
	t.Run("killed at random", func(t *testing.T) {
		t.Parallel()
		killedAtRandom(t, gate, orders)
	})
	t.Run("full disk", func(t *testing.T) {
		t.Parallel()
		fullDisk(t, gate, orders)
	})
	t.Run("killed at every step", func(t *testing.T) {
		t.Parallel()
		killedAtEveryStep(t, gate, buildDrilled(t), orders)
	})
}

// killedAtEveryStep kills the gate, for real, at each step of running an
// approved call, with several callers at once.
func killedAtEveryStep(t *testing.T, healthy, drilled, orders string) {
	t.Helper()
	for point, want := range map[string]struct {
		before int     // cancellations when the gate is back
		again  tv.Code // of the same call with its confirmation
		after  int     // cancellations in the end
	}{
		"intent:before":  {0, "", 1},
		"intent:after":   {0, tv.OutcomeUnknown, 0},
		"execute:before": {0, tv.OutcomeUnknown, 0},
		"execute:after":  {1, tv.OutcomeUnknown, 1},
		"outcome:before": {1, tv.OutcomeUnknown, 1},
		"outcome:after":  {1, tv.ConfirmationInvalid, 1},
	} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			s := newShop(t, healthy, orders)
			p := s.serve(drilled)
			id := s.approved("A1001")
			if err := os.WriteFile(filepath.Join(s.data(), "crash-at"), []byte(point), 0o600); err != nil {
				t.Fatal(err)
			}
			s.resumeUntilKilled(p, id, 5)
			s.serve(healthy)
			if n := s.cancelled("A1001"); n != want.before {
				t.Errorf("%d cancellations after the crash, want %d", n, want.before)
			}
			if res := s.do(cancelCall("A1001", id)); codeIn(&res) != want.again {
				t.Errorf("the same again: %q, want %q", codeIn(&res), want.again)
			}
			res := s.do(cancelCall("A1001", ""))
			if n := s.cancelled("A1001"); n != want.after {
				t.Errorf("%d cancellations in the end, want %d", n, want.after)
			}
			if want.again == tv.OutcomeUnknown && (codeIn(&res) != tv.OutcomeUnknown || res.StateChanged != tv.MaybeChange) {
				t.Errorf("a new call for the same act: %q, state changed %q", codeIn(&res), res.StateChanged)
			}
			if want.again == tv.OutcomeUnknown {
				s.reconcile(want.before == 1)
			}
			records := s.verify()
			if point != "intent:before" && !strings.Contains(records, `"approvalState":"claimed"`) {
				t.Error("the attempt left no record")
			}
			if want.again == tv.OutcomeUnknown && !strings.Contains(records, `"claim":"unknown"`) {
				t.Error("the lost outcome left no record")
			}
		})
	}
}

// reconcile has the shop asked what came of the one call whose outcome is unknown.
// Then it counts as done, or can be made; in the end it was done once.
func (s *shop) reconcile(done bool) {
	s.t.Helper()
	boss := s.client("approver")
	unknown, err := boss.Ledger(s.t.Context(), "unknown")
	if err != nil || len(unknown) != 1 {
		s.t.Fatalf("%d outcomes are unknown, %v", len(unknown), err)
	}
	want := map[bool]tv.ClaimState{true: tv.ClaimSucceeded, false: tv.ClaimFailed}[done]
	found, err := boss.Reconcile(s.t.Context(), unknown[0].Key)
	if err != nil || found.State != want {
		s.t.Errorf("the shop was asked: %s (%s), %v; want %s", found.State, found.Detail, err, want)
	}
	if !done {
		s.do(cancelCall("A1001", s.approved("A1001")))
	}
	if res := s.do(cancelCall("A1001", "")); !res.Replayed {
		s.t.Errorf("what was done does not read as done: %q", codeIn(&res))
	}
	if n := s.cancelled("A1001"); n != 1 {
		s.t.Errorf("%d cancellations after the shop was asked", n)
	}
}

// resumeUntilKilled calls from several callers until the gate is gone.
func (s *shop) resumeUntilKilled(p *process, id string, callers int) {
	s.t.Helper()
	agent := s.client("agent")
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() { _, _, _ = agent.Do(ctx, cancelCall("A1001", id)) }) // they end in whatever way
	}
	wg.Wait()
	select {
	case <-p.stopped:
	case <-ctx.Done():
		s.t.Fatal("the gate did not crash")
	}
}
