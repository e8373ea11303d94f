// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/catalog"
)

// reopen wants everything to be there in the next process.
func reopen(t *testing.T, s Subject) {
	dir, ctx := t.TempDir(), t.Context()
	st := s.Open(t, dir, "node-1", still)
	limit := tv.Limit{Rule: "r", Key: "l", Max: 2, Per: time.Hour}
	must(t, st.Commit(ctx, withClaim(0, claimOf("k", tv.ClaimDispatched))))
	must(t, st.Commit(ctx, withApproval(0, approvalOf("a", tv.ApprovalPending))))
	must(t, take(st, t, start, limit))
	must(t, st.Commit(ctx, withPast(called("p"), 1)))
	must(t, st.SetDisabled(ctx, "eva", []string{"orders/refund"}, record("choice")))
	must(t, st.PutPins(ctx, []catalog.Pin{{Tool: "orders/a", Definition: []byte("{}"), At: start}}, record("pin")))
	fill(t, st, 300)
	must(t, st.Commit(ctx, tv.Changes{Records: []tv.Record{record("lazy")}, Lazy: true}))
	want := snapshot(t, st, limit)
	must(t, st.Close())

	for _, node := range []string{"node-2", "node-1"} {
		st = s.Open(t, dir, node, still)
		same(t, "after the restart as "+node, snapshot(t, st, limit), want)
		if r := s.verified(t, st); r.Records != 307 {
			t.Errorf("got %d records, want 307", r.Records)
		}
		dead, err := st.DeadNodes(ctx)
		must(t, err)
		if node == "node-2" {
			same(t, "dead nodes", dead, []string{"node-1"})
		} else {
			same(t, "dead nodes", dead, []string(nil)) // its own name, taken up again
		}
		must(t, st.Close())
	}
}

// snapshot reads what a store holds.
func snapshot(t *testing.T, st Store, l tv.Limit) map[string]any {
	t.Helper()
	ctx := t.Context()
	out := map[string]any{}
	var err error
	out["claims"], err = st.Claims(ctx, tv.ClaimQuery{Limit: 1000})
	must(t, err)
	out["approvals"], err = st.Approvals(ctx, tv.ApprovalQuery{Limit: 1000})
	must(t, err)
	out["usage"], err = st.Usage(ctx, []tv.Limit{l}, start)
	must(t, err)
	out["past"], err = st.Seen(ctx, []tv.Look{lookAt("orders/refund")}, start)
	must(t, err)
	out["choices"], err = st.Disabled(ctx, "eva")
	must(t, err)
	out["pins"], err = st.Pins(ctx)
	must(t, err)
	return out
}

// twoHandles lets two stores write to one folder: one log, one winner, one
// count, and no node taken for dead that lives.
func twoHandles(t *testing.T, s Subject) {
	dir, ctx := t.TempDir(), t.Context()
	both := []Store{s.Open(t, dir, "node-1", still), s.Open(t, dir, "node-2", still)}
	for round := range 3 {
		if won := race(t, func(i int) error {
			return both[i%2].Commit(ctx, withClaim(0, claimOf(fmt.Sprint("k", round), tv.ClaimDispatched)))
		}); won != 1 {
			t.Errorf("%d callers of two processes won a claim", won)
		}
	}
	limit := tv.Limit{Rule: "r", Key: "l", Max: 7, Per: time.Hour}
	if passed := race(t, func(i int) error { return take(both[i%2], t, start, limit) }); passed != limit.Max {
		t.Errorf("%d dispatches of two processes passed a limit of %d", passed, limit.Max)
	}
	for i := range 6 {
		p := called(fmt.Sprint("p", i))
		p.Tool.Name = fmt.Sprint("orders/t", i) // each process meets tools that the other called first
		must(t, both[i%2].Commit(ctx, withPast(p, 0)))
	}
	for i, st := range both {
		all := lookAt("")
		all.Tools = func(tv.PastTool) bool { return true }
		seen, err := st.Seen(ctx, []tv.Look{all}, start)
		must(t, err)
		same(t, fmt.Sprint("history as process ", i, " sees it"), seen, []tv.Seen{{Key: "k", Count: 6}})
	}
	if won := race(t, func(i int) error {
		return both[i%2].Commit(ctx, once(fmt.Sprint("q", i), lookAt("orders/refund")))
	}); won != 1 {
		t.Errorf("%d callers of two processes were the only one", won)
	}
	for i := range 300 {
		must(t, both[i%2].Commit(ctx, tv.Changes{Records: []tv.Record{record(fmt.Sprint("turn-", i))}}))
	}
	for i, st := range both {
		r := s.verified(t, st)
		if r.Records != 3+7+6+1+300 {
			t.Errorf("process %d sees %d records, want %d", i, r.Records, 3+7+6+1+300)
		}
		dead, err := st.DeadNodes(ctx)
		must(t, err)
		same(t, "dead nodes", dead, []string(nil))
	}
	c := claimOf("other", tv.ClaimDispatched)
	c.Node = "node-2"
	must(t, both[1].Commit(ctx, withClaim(0, c)))
	must(t, both[1].Close())
	dead, err := both[0].DeadNodes(ctx)
	must(t, err)
	same(t, "dead nodes after one is closed", dead, []string{"node-2"})
	l, err := s.Log(both[0])
	must(t, err)
	found, err := l.Find(ctx, audit.Query{Call: "turn-299"})
	must(t, err)
	must(t, l.Close())
	if len(found) != 1 {
		t.Errorf("the other process's record was found %d times", len(found))
	}
	if _, err := both[0].Claim(ctx, "nobody's"); !errors.Is(err, tv.ErrNotFound) {
		t.Error(err)
	}
	must(t, both[0].Close())
}
