// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
)

// racers is how many callers want the same thing at once.
const racers = 64

// race runs something many times at once and returns how often it worked; all
// other times it must have met a conflict.
func race(t *testing.T, act func(i int) error) int {
	t.Helper()
	var mu sync.Mutex
	won := 0
	var wg sync.WaitGroup
	ready := make(chan struct{})
	for i := range racers {
		wg.Go(func() {
			<-ready
			err := act(i)
			var conflict *tv.ConflictError
			switch {
			case err == nil:
				mu.Lock()
				won++
				mu.Unlock()
			case !errors.As(err, &conflict):
				t.Error(err)
			}
		})
	}
	close(ready)
	wg.Wait()
	return won
}

// races wants one winner, and of the losers nothing.
func races(t *testing.T, s Subject) {
	st, ctx := s.open(t), t.Context()
	for round := range 5 {
		key := fmt.Sprint("k", round)
		if won := race(t, func(i int) error {
			c := claimOf(key, tv.ClaimDispatched)
			c.CallID = fmt.Sprint("racer-", i)
			return st.Commit(ctx, withClaim(0, c))
		}); won != 1 {
			t.Errorf("%d callers won a claim", won)
		}
		must(t, st.Commit(ctx, withApproval(0, approvalOf(key, tv.ApprovalPending))))
		must(t, st.Commit(ctx, withApproval(1, approvalOf(key, tv.ApprovalApproved))))
		if won := race(t, func(int) error {
			return st.Commit(ctx, withApproval(2, approvalOf(key, tv.ApprovalClaimed)))
		}); won != 1 {
			t.Errorf("%d callers used an approval", won)
		}
	}
	if got, want := s.verified(t, st).Records, int64(5*(1+2+1)); got != want {
		t.Errorf("got %d records, want %d: one for each winner", got, want)
	}
}

// isolation wants many different changes at once all to be there.
func isolation(t *testing.T, s Subject) {
	st, ctx := s.open(t), t.Context()
	const each = 20
	won := race(t, func(i int) error {
		for n := range each {
			c := claimOf(fmt.Sprintf("k-%d-%d", i, n), tv.ClaimDispatched)
			if err := st.Commit(ctx, withClaim(0, c)); err != nil {
				return err
			}
			if _, err := st.Claim(ctx, c.Key); err != nil { // what was committed is seen at once
				return err
			}
		}
		return nil
	})
	if won != racers {
		t.Errorf("%d of %d callers were served", won, racers)
	}
	if got := s.verified(t, st).Records; got != racers*each {
		t.Errorf("got %d records, want %d", got, racers*each)
	}
}

// lazy changes keep their place: what is committed after them stands after them.
func lazy(t *testing.T, s Subject) {
	st, ctx := s.open(t), t.Context()
	var want []string
	for i := range 200 {
		id := fmt.Sprintf("call-%04d", i)
		want = append(want, id)
		must(t, st.Commit(ctx, tv.Changes{Records: []tv.Record{record(id)}, Lazy: i%10 != 0}))
	}
	must(t, st.Commit(ctx, tv.Changes{Records: []tv.Record{record("last")}}))
	found, err := s.view(t, st).Find(ctx, audit.Query{Page: audit.Page{Limit: 1000}})
	must(t, err)
	same(t, "order", callIDs(found), append(want, "last"))

	// What the caller does with its change afterwards is its own business.
	for i := range 50 {
		c := withClaim(0, claimOf(fmt.Sprint("lazy-", i), tv.ClaimDispatched))
		c.Lazy, c.Takes = true, []tv.Limit{{Rule: "r", Key: "l", Max: 1000, Per: time.Hour}}
		must(t, st.Commit(ctx, c))
		c.Records[0], c.Claims[0], c.Takes[0] = tv.Record{}, tv.ClaimChange{From: 7}, tv.Limit{Key: "other"}
	}
	must(t, st.Commit(ctx, tv.Changes{Records: []tv.Record{record("after")}}))
	for i := range 50 {
		if _, err := st.Claim(ctx, fmt.Sprint("lazy-", i)); err != nil {
			t.Errorf("lazy claim %d: %v", i, err)
		}
	}
	u, err := st.Usage(ctx, []tv.Limit{{Key: "l", Per: time.Hour}}, start)
	must(t, err)
	same(t, "counted", u[0].Count, 50)
}

// cancel wants a caller that is gone to leave nothing behind.
func cancel(t *testing.T, s Subject) {
	st := s.open(t)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	err := st.Commit(ctx, withClaim(0, claimOf("k", tv.ClaimDispatched)))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that the context ended", err)
	}
	if _, err := st.Claim(ctx, "k"); err == nil || errors.Is(err, tv.ErrNotFound) {
		t.Errorf("a read whose context ended: got %v, want that it ended", err)
	}
	if _, err := st.Claim(t.Context(), "k"); !errors.Is(err, tv.ErrNotFound) {
		t.Errorf("the claim of a caller that was gone: got %v, want ErrNotFound", err)
	}
	// Callers that go while they wait: whoever is told that nothing was written
	// must be right, and so must whoever is told that it was.
	var wg sync.WaitGroup
	for i := range racers {
		wg.Go(func() {
			ctx, stop := context.WithTimeout(t.Context(), time.Duration(i*50)*time.Microsecond)
			defer stop()
			key := fmt.Sprint("r", i)
			told := st.Commit(ctx, withClaim(0, claimOf(key, tv.ClaimDispatched)))
			_, err := st.Claim(t.Context(), key)
			if written := err == nil; written != (told == nil) {
				t.Errorf("%s: told %v, and then reading it says %v", key, told, err)
			}
		})
	}
	wg.Wait()
}

func closed(t *testing.T, s Subject) {
	st := s.Open(t, t.TempDir(), "node-1", still)
	ctx := t.Context()
	must(t, st.Healthy(ctx))
	must(t, st.Commit(ctx, tv.Changes{Records: []tv.Record{record("one")}}))
	must(t, st.Close())
	wantRefused(t, st.Commit(ctx, tv.Changes{Records: []tv.Record{record("two")}}), "a change after Close")
	wantRefused(t, st.Healthy(ctx), "the health of a closed store")
}
