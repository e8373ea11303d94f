// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/httpgate/client"
)

// kills is how often gates are killed at random, in all: make e2e asks for more.
var kills = flag.Int("kills", 8, "kill gates at random this many times")

// killedAtRandom kills gates at moments that nobody chose, on the way of a call
// from the question over the approver's yes to the record of its outcome. Nothing
// is done twice, no yes is lost, and what nobody knows is shown.
func killedAtRandom(t *testing.T, gate, orders string) {
	t.Helper()
	const shops = 4 // side by side
	for i := range shops {
		t.Run(fmt.Sprintf("shop %d", i), func(t *testing.T) {
			t.Parallel()
			killedInAShop(t, newShop(t, gate, orders), (*kills+shops-1)/shops)
		})
	}
}

// round is one refund, of an amount of its own, by a gate that is killed on the
// way, and what those who used it were told.
type round struct {
	amount   string
	asked    string        // the approval
	heard    bool          // its caller was told of it
	approved bool          // the approver was told that the yes counts
	ran      bool          // a caller was told that it is done
	step     int           // in which the gate is killed: asking, approving, running
	killed   time.Duration // after the step began
	ended    tv.Code       // what the next gate says of it
}

func (r *round) String() string {
	return fmt.Sprintf("refund of %s, killed %v into step %d: approval %q, yes heard %v, success heard %v, ended as %q", r.amount, r.killed, r.step, r.asked, r.approved, r.ran, r.ended)
}

func killedInAShop(t *testing.T, s *shop, times int) {
	t.Helper()
	rounds := make([]*round, 0, times)
	p := s.serve(s.gate)
	took := [steps]time.Duration{10 * time.Millisecond, 10 * time.Millisecond, 10 * time.Millisecond}
	for i := range times {
		r := &round{amount: fmt.Sprintf("%d.%02d", 1+i/100, i%100), step: min(rand.IntN(steps+1), steps-1)} // half of them while it runs
		r.killed = rand.N(took[r.step] + took[r.step]/4)
		s.runUntilKilled(p, r, &took)
		p = s.serve(s.gate)
		s.end(r)
		rounds = append(rounds, r)
	}
	unknown, err := s.client("approver").Ledger(t.Context(), "unknown")
	if err != nil {
		t.Fatal(err)
	}
	p.kill()
	s.verify()
	shown := map[string]bool{}
	for i := range unknown {
		shown[unknown[i].Approval] = true
	}
	done, came := s.refunds(), map[string]int{}
	for _, r := range rounds {
		n := done[r.amount]
		switch {
		case n > 1:
			t.Errorf("it was done %d times: %v", n, r)
		case r.ran && n != 1:
			t.Errorf("a success was invented: %v", r)
		case r.ended == tv.OutcomeUnknown && !shown[r.asked]:
			t.Errorf("nobody is shown that its outcome is unknown: %v", r)
		case r.ended != tv.OutcomeUnknown && n != 1:
			t.Errorf("it was done %d times, and that does not read as unknown: %v", n, r)
		}
		came[r.fate(n)]++
	}
	t.Logf("%d gates were killed; steps took %v in the end: %v", times, took, came)
}

// fate says in short how far a call came when its gate was killed.
func (r *round) fate(done int) string {
	switch {
	case !r.heard:
		return "while it was asked"
	case !r.approved:
		return "while it was approved"
	case r.ended == tv.OutcomeUnknown:
		return fmt.Sprintf("unknown, done %d times", done)
	case r.ran:
		return "done and told"
	}
	return "done, as told later"
}

func refund(amount, confirmation string) client.Call {
	return client.Call{Tool: "orders/refund", Arguments: []byte(`{"order_id":"A1001","amount":"` + amount + `"}`), Confirmation: confirmation}
}

// steps of a round.
const steps = 3

// runUntilKilled makes the call of a round by a gate that is killed meanwhile. As
// soon as somebody is not answered, they stop. It learns how long steps take.
func (s *shop) runUntilKilled(p *process, r *round, took *[steps]time.Duration) {
	agent, boss := s.client("agent"), s.client("approver")
	defer func() { <-p.stopped }()
	begin := func(step int) (end func()) {
		if step == r.step {
			time.AfterFunc(r.killed, func() { _ = p.Process.Kill() })
		}
		began := time.Now()
		return func() { took[step] = (took[step] + time.Since(began)) / 2 }
	}
	end := begin(0)
	res, _, err := agent.Do(s.t.Context(), refund(r.amount, ""))
	if err != nil || res.Confirmation == nil {
		_ = p.Process.Kill() // it may be gone
		return
	}
	r.asked, r.heard = res.Confirmation.ID, true
	end()
	end = begin(1)
	if _, err := boss.Decide(s.t.Context(), r.asked, "approve", "looked"); err != nil {
		_ = p.Process.Kill()
		return
	}
	r.approved = true
	end()
	end = begin(2)
	var wg sync.WaitGroup
	ran := make([]bool, 3)
	for i := range ran {
		wg.Go(func() {
			res, _, err := agent.Do(s.t.Context(), refund(r.amount, r.asked))
			ran[i] = err == nil && res.Success
		})
	}
	wg.Wait()
	if r.ran = ran[0] || ran[1] || ran[2]; r.ran {
		end()
	}
	if r.step < 2 {
		_ = p.Process.Kill()
	}
}

// end brings a round to its end with the next gate.
func (s *shop) end(r *round) {
	s.t.Helper()
	boss := s.client("approver")
	if r.asked == "" { // the question may have been written all the same
		res := s.do(refund(r.amount, ""))
		if res.Confirmation == nil {
			s.t.Errorf("asked again, it is %q: %v", codeIn(&res), r)
			return
		}
		r.asked = res.Confirmation.ID
	}
	a, err := boss.Approval(s.t.Context(), r.asked)
	switch {
	case err != nil:
		s.t.Errorf("the approval is lost: %v: %v", err, r)
		return
	case a.State == tv.ApprovalPending && r.approved:
		s.t.Errorf("the yes is lost: %v", r)
	case a.State == tv.ApprovalPending:
		if _, err := boss.Decide(s.t.Context(), r.asked, "approve", "looked"); err != nil {
			s.t.Errorf("it cannot be approved any more: %v: %v", err, r)
		}
	}
	res := s.do(refund(r.amount, r.asked))
	r.ended = codeIn(&res)
	r.ran = r.ran || res.Success
	switch r.ended {
	case "", tv.OutcomeUnknown:
	case tv.ConfirmationInvalid: // used, which the next one tells from lost
	default:
		s.t.Errorf("resumed, it is %q: %v", r.ended, r)
	}
	again := s.do(refund(r.amount, ""))
	if unknown := r.ended == tv.OutcomeUnknown; again.Replayed == unknown || unknown != (codeIn(&again) == tv.OutcomeUnknown) {
		s.t.Errorf("made once more, it is %q, replayed %v: %v", codeIn(&again), again.Replayed, r)
	}
}

// refunds counts what the shop really paid out, by amount.
func (s *shop) refunds() map[string]int {
	s.t.Helper()
	out, err := exec.CommandContext(s.t.Context(), s.server, "-data", filepath.Join(s.data(), "shop"), "-changes").Output()
	if err != nil {
		s.t.Fatal(err)
	}
	count := map[string]int{}
	for _, m := range regexp.MustCompile(`"tool":"refund","what":"A1001","detail":"([0-9.]+) EUR"`).FindAllSubmatch(out, -1) {
		count[string(m[1])]++
	}
	read := 0
	for n := range maps.Values(count) {
		read += n
	}
	if n := bytes.Count(out, []byte(`"tool":"refund"`)); n != read {
		s.t.Fatalf("%d refunds are in the books, and %d were read:\n%s", n, read, out)
	}
	return count
}
