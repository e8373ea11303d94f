// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/httpgate/client"
)

// shop is the orders example in a folder of its own, with programs to run it.
type shop struct {
	t            *testing.T
	dir          string
	gate, server string
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
		if isReady(s.url()) {
			return p
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

func (s *shop) url() string {
	url, _ := servedIn(s.data())
	return url
}

func (s *shop) client(as string) *client.Client {
	s.t.Helper()
	key, err := os.ReadFile(filepath.Join(s.data(), "keys", as))
	if err != nil {
		s.t.Fatal(err)
	}
	c, err := client.New(s.url(), strings.TrimSpace(string(key)))
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
	t.Run("fifty resumes", func(t *testing.T) {
		t.Parallel()
		fiftyResumes(t, gate, orders)
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

// fiftyResumes has one approval resumed by fifty callers at once.
func fiftyResumes(t *testing.T, gate, orders string) {
	t.Helper()
	s := newShop(t, gate, orders)
	s.serve(s.gate)
	id := s.approved("A1001")
	const callers = 50
	results := make([]tv.Result, callers)
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			res, _, err := s.client("agent").Do(t.Context(), cancelCall("A1001", id))
			if err != nil {
				t.Error(err)
			}
			results[i] = res
		})
	}
	wg.Wait()
	done := 0
	for i := range results {
		switch code := codeIn(&results[i]); code {
		case "":
			done++
		case tv.InProgress, tv.ConfirmationInvalid:
		default:
			t.Errorf("a resume ended in %s", code)
		}
	}
	if n := s.cancelled("A1001"); done != 1 || n != 1 {
		t.Errorf("%d resumes ran and %d cancellations happened, want one of each", done, n)
	}
	decisions, outcomes := 0, 0
	for record := range strings.Lines(s.verify()) {
		if strings.Contains(record, `"tool":"orders/cancel_order"`) {
			decisions += strings.Count(record, `"kind":"decision"`)
			outcomes += strings.Count(record, `"kind":"outcome"`)
		}
	}
	if decisions != callers+1 || outcomes != 1 {
		t.Errorf("%d decisions and %d outcomes are recorded, want %d and 1", decisions, outcomes, callers+1)
	}
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

// killedAtRandom kills the gate at moments that nobody chose.
func killedAtRandom(t *testing.T, healthy, orders string) {
	t.Helper()
	s := newShop(t, healthy, orders)
	for round, order := range []string{"A1001", "A1002", "A1006", "A1011", "A1012"} {
		p := s.serve(healthy)
		id := s.approved(order)
		agent := s.client("agent")
		delay := time.Duration(rand.IntN(40_000)) * time.Microsecond
		answers := make(chan tv.Result, 10)
		var wg sync.WaitGroup
		for range cap(answers) {
			wg.Go(func() {
				if res, _, err := agent.Do(t.Context(), cancelCall(order, id)); err == nil {
					answers <- res
				}
			})
		}
		time.Sleep(delay)
		p.kill()
		wg.Wait()
		close(answers)
		seen := 0
		for res := range answers {
			if res.Success && !res.Replayed {
				seen++
			}
		}
		p = s.serve(healthy)
		again := s.do(cancelCall(order, id))
		last := s.do(cancelCall(order, ""))
		n := s.cancelled(order)
		what := fmt.Sprintf("round %d, killed after %v: %d seen done, again %q, last %q, %d cancellations",
			round, delay, seen, codeIn(&again), codeIn(&last), n)
		switch {
		case n > 1:
			t.Error("cancelled twice: ", what)
		case n < seen:
			t.Error("a success was invented: ", what)
		case n == 0 && codeIn(&again) != tv.OutcomeUnknown:
			t.Error("nothing was done, and it does not read as unknown: ", what)
		case last.Success && n != 1:
			t.Error("success without a cancellation: ", what)
		}
		p.kill()
		s.verify()
	}
}
