// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"errors"
	"sync"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
)

func take(st Store, t *testing.T, at time.Time, l ...tv.Limit) error {
	t.Helper()
	r := record("taker")
	r.At = at
	return st.Commit(t.Context(), tv.Changes{Records: []tv.Record{r}, Takes: l})
}

// limits slides a window over dispatches: one that is exactly a window old
// counts no more.
func limits(t *testing.T, s Subject) {
	st := s.open(t)
	l := tv.Limit{Rule: "r", Key: "l", Max: 3, Per: time.Minute}
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	must(t, take(st, t, at(0), l))
	must(t, take(st, t, at(20), l))
	must(t, take(st, t, at(40), l))
	wantConflict(t, take(st, t, at(59), l), "limit", "l")
	must(t, take(st, t, at(60), l))
	wantConflict(t, take(st, t, at(79), l), "limit", "l")
	must(t, take(st, t, at(80), l))

	wantConflict(t, take(st, t, at(80), tv.Limit{Rule: "r", Key: "never", Max: 0, Per: time.Minute}), "limit", "never")
	other := tv.Limit{Rule: "r", Key: "other", Max: 3, Per: time.Minute}
	wantConflict(t, take(st, t, at(80), other, other, other, other), "limit", "other")
	must(t, take(st, t, at(80), other, other, other))
	wantConflict(t, take(st, t, at(80), other), "limit", "other")
	wantConflict(t, take(st, t, at(81), tv.Limit{Rule: "r", Key: "l", Max: 1, Per: time.Minute}, other), "limit", "l")
}

// limitClock turns the clock back: what was counted goes on counting.
func limitClock(t *testing.T, s Subject) {
	st, ctx := s.open(t), t.Context()
	l := tv.Limit{Rule: "r", Key: "l", Max: 2, Per: time.Minute}
	must(t, take(st, t, start.Add(30*time.Second), l))
	must(t, take(st, t, start, l)) // counts as of the first: later, the stricter side
	wantConflict(t, take(st, t, start, l), "limit", "l")
	wantConflict(t, take(st, t, start.Add(89*time.Second), l), "limit", "l")
	u, err := st.Usage(ctx, []tv.Limit{l}, start)
	must(t, err)
	same(t, "usage", u, []tv.Usage{{Key: "l", Count: 2, Oldest: u[0].Oldest}})
	if want := start.Add(30 * time.Second); !u[0].Oldest.Equal(want) {
		t.Errorf("oldest: got %v, want %v", u[0].Oldest, want)
	}
	must(t, take(st, t, start.Add(90*time.Second), l))
}

func usage(t *testing.T, s Subject) {
	st, ctx := s.open(t), t.Context()
	a := tv.Limit{Rule: "r", Key: "a", Max: 100, Per: time.Minute}
	b := tv.Limit{Rule: "r", Key: "b", Max: 100, Per: time.Hour}
	for i := range 10 {
		must(t, take(st, t, start.Add(time.Duration(i)*10*time.Second), a, b))
	}
	now := start.Add(90 * time.Second)
	unseen := tv.Limit{Rule: "r", Key: "c", Max: 1, Per: time.Hour}
	u, err := st.Usage(ctx, []tv.Limit{b, unseen, a}, now)
	must(t, err)
	for i := range u {
		u[i].Oldest = u[i].Oldest.UTC()
	}
	same(t, "usage", u, []tv.Usage{
		{Key: "b", Count: 10, Oldest: start},
		{Key: "c", Oldest: time.Time{}},
		{Key: "a", Count: 6, Oldest: start.Add(40 * time.Second)},
	})
}

// limitRaces lets many callers at one limit: never more pass than it allows.
func limitRaces(t *testing.T, s Subject) {
	st := s.open(t)
	l := tv.Limit{Rule: "r", Key: "l", Max: 10, Per: time.Minute}
	var mu sync.Mutex
	passed := 0
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			err := take(st, t, start, l)
			var conflict *tv.ConflictError
			switch {
			case err == nil:
				mu.Lock()
				passed++
				mu.Unlock()
			case !errors.As(err, &conflict):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if passed != l.Max {
		t.Errorf("%d dispatches passed a limit of %d", passed, l.Max)
	}
	u, err := st.Usage(t.Context(), []tv.Limit{l}, start)
	must(t, err)
	same(t, "counted", u[0].Count, l.Max)
}

// asks holds new questions to what their asker has open, and to the noes it got.
func asks(t *testing.T, s Subject) {
	st := s.open(t)
	at := func(minutes int) time.Time { return start.Add(time.Duration(minutes) * time.Minute) }
	ask := func(id, run string, minutes int, more ...tv.ApprovalChange) error {
		a := approvalOf(id, tv.ApprovalPending)
		a.Call.Run.ID, a.Digest, a.Created, a.Expires = run, "digest of "+id[:1], at(minutes), at(minutes+15)
		c := withApproval(0, a)
		c.Records[0].At = at(minutes)
		c.Approvals[0].Room = tv.Room{Most: 2, Remember: time.Hour}
		c.Approvals = append(c.Approvals, more...)
		return st.Commit(t.Context(), c)
	}
	end := func(id string, as tv.ApprovalState) tv.ApprovalChange {
		a, err := st.Approval(t.Context(), id)
		must(t, err)
		from := a.Version
		a.State = as
		return tv.ApprovalChange{From: from, To: a}
	}
	run := func(name string) string {
		c := approvalOf("x", tv.ApprovalPending).Call
		c.Run.ID = name
		return c.Asker()
	}
	must(t, ask("a1", "one", 0))
	must(t, ask("b1", "one", 0))
	wantConflict(t, ask("c1", "one", 0), tv.ConflictAsks, run("one"))
	must(t, ask("c1", "two", 0))
	must(t, ask("d1", "one", 0, end("a1", tv.ApprovalCancelled))) // in its place
	wantConflict(t, ask("e1", "one", 14), tv.ConflictAsks, run("one"))
	must(t, ask("e1", "one", 15)) // the others' time is over

	must(t, st.Commit(t.Context(), tv.Changes{Records: []tv.Record{record("no")}, Approvals: []tv.ApprovalChange{end("e1", tv.ApprovalRejected)}}))
	wantConflict(t, ask("e2", "one", 16), tv.ConflictRejected, "e1")
	wantConflict(t, ask("e2", "one", 74), tv.ConflictRejected, "e1")
	must(t, ask("e3", "two", 16))
	must(t, ask("f1", "one", 16))
	must(t, ask("e2", "one", 75))
	goes := func(run string, since int) error {
		return st.Commit(t.Context(), tv.Changes{Records: []tv.Record{record("goes")}, Unasked: []tv.Unasked{{Asker: run, Digest: "digest of e", Since: at(since)}}})
	}
	wantConflict(t, goes(run("one"), 14), tv.ConflictRejected, "e1")
	must(t, goes(run("one"), 15)) // the no is to a question from then, not from after
	must(t, goes(run("two"), 14))
	unbound := approvalOf("g", tv.ApprovalPending)
	unbound.Call.Run.ID = "one"
	must(t, st.Commit(t.Context(), withApproval(0, unbound))) // who expects no room is held to none
}
