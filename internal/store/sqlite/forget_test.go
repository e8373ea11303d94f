// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/store/sqlite"
)

// TestForgetting keeps what may still matter and forgets the rest.
func TestForgetting(t *testing.T) {
	t.Parallel()
	var now atomic.Int64 // seconds after the clock's start
	s, err := sqlite.Open(t.Context(), sqlite.Config{
		Dir: filepath.Join(t.TempDir(), "data"), Node: "n1",
		Now: func() time.Time { return clock.Add(time.Duration(now.Load()) * time.Second) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx := t.Context()
	states := []tv.ClaimState{tv.ClaimWaiting, tv.ClaimDispatched, tv.ClaimSucceeded, tv.ClaimFailed, tv.ClaimPaused, tv.ClaimUnknown}
	const each = 400
	for _, state := range states {
		for i := range each {
			c := tv.Claim{Key: fmt.Sprint(state, i), State: state, Node: "n1", Updated: clock, Deadline: clock.Add(time.Hour)}
			r := tv.Record{Kind: tv.RecordOutcome, At: clock}
			if err := s.Commit(ctx, tv.Changes{Records: []tv.Record{r}, Claims: []tv.ClaimChange{{To: c}}, Lazy: i > 0}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range 100 {
		takeAt(t, s, clock, fmt.Sprint("short", i), time.Minute)
		takeAt(t, s, clock, fmt.Sprint("long", i), 48*time.Hour)
	}
	count := func(table string, want int) {
		t.Helper()
		s.Forget()
		if n, err := s.Count(ctx, table); err != nil || n != want {
			t.Errorf("after %d s there are %d %s (%v), want %d", now.Load(), n, table, err, want)
		}
	}
	count("claims", len(states)*each)
	count("takes", 200)
	now.Store(int64((2 * time.Hour).Seconds()))
	count("claims", len(states)*each) // over, and kept for a day
	count("takes", 100)
	now.Store(int64((26 * time.Hour).Seconds()))
	count("claims", (len(states)-2)*each)
	for _, key := range []string{"waiting0", "dispatched0", "paused0", "unknown0"} {
		if _, err := s.Claim(ctx, key); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	if _, err := s.Claim(ctx, "succeeded0"); !errors.Is(err, tv.ErrNotFound) {
		t.Errorf("a forgotten claim: got %v, want ErrNotFound", err)
	}
	now.Store(int64((49 * time.Hour).Seconds()))
	count("takes", 0)
}

func takeAt(t *testing.T, s *sqlite.Store, at time.Time, key string, per time.Duration) {
	t.Helper()
	if err := tryTake(s, at, key, per, 1<<30); err != nil {
		t.Fatal(err)
	}
}

func tryTake(s *sqlite.Store, at time.Time, key string, per time.Duration, most int) error {
	return s.Commit(context.Background(), tv.Changes{
		Records: []tv.Record{{Kind: tv.RecordDecision, At: at}},
		Takes:   []tv.Limit{{Rule: "r", Key: key, Max: most, Per: per}},
	})
}

// TestClockThatWasAYearAhead: what was counted then ends one window after the
// clock was set right, and not in a year.
func TestClockThatWasAYearAhead(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	s := open(t, dir, "n1")
	year := clock.AddDate(1, 0, 0)
	for i := range 3 {
		takeAt(t, s, year.Add(time.Duration(i)*time.Second), "k", time.Minute)
	}
	if err := tryTake(s, clock, "k", time.Minute, 3); err == nil {
		t.Error("what was counted in the future did not count")
	}
	s.Forget()
	shut(t, s)
	s = open(t, dir, "n1")
	defer s.Close()
	if err := tryTake(s, clock.Add(59*time.Second), "k", time.Minute, 3); err == nil {
		t.Error("what was counted in the future was forgotten too early")
	}
	if err := tryTake(s, clock.Add(60*time.Second), "k", time.Minute, 3); err != nil {
		t.Errorf("one window later: %v", err)
	}
	u, err := s.Usage(t.Context(), []tv.Limit{{Key: "k", Per: time.Minute}}, clock.Add(61*time.Second))
	if err != nil || u[0].Count != 1 {
		t.Errorf("got %+v (%v), want one", u, err)
	}
}

// TestForgettingCalls keeps the history as far back as a rule can look, and no
// further.
func TestForgettingCalls(t *testing.T) {
	t.Parallel()
	var now atomic.Int64 // hours after the clock's start
	s, err := sqlite.Open(t.Context(), sqlite.Config{
		Dir: filepath.Join(t.TempDir(), "data"), Node: "n1",
		Now: func() time.Time { return clock.Add(time.Duration(now.Load()) * time.Hour) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx := t.Context()
	const calls = 600
	for i := range calls {
		callAt(t, s, clock.Add(time.Duration(i)*time.Second), fmt.Sprint("old", i))
	}
	callAt(t, s, clock.Add(5*24*time.Hour), "young")
	rows := func(table string) int {
		t.Helper()
		n, err := s.Count(ctx, table)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	now.Store(30 * 24)
	s.Forget()
	if got := rows("past"); got != calls+1 {
		t.Errorf("after 30 days there are %d calls, want all %d", got, calls+1)
	}
	now.Store(30*24 + 1)
	s.Forget()
	if got := rows("past"); got != 1 {
		t.Errorf("an hour later there are %d calls, want the young one", got)
	}
	now.Store(40 * 24)
	s.Forget()
	if got := rows("past"); got != 0 {
		t.Errorf("after 40 days there are %d calls", got)
	}
}

func callAt(t *testing.T, s *sqlite.Store, at time.Time, id string) {
	t.Helper()
	err := s.Commit(t.Context(), tv.Changes{
		Records: []tv.Record{{Kind: tv.RecordDecision, At: at}}, Lazy: id != "young",
		Past: []tv.Past{{ID: id, State: tv.PastDispatched, At: at, Subject: "me", Tool: tv.PastTool{Name: "s/" + id[:3]}}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestCallsFromAClockThatWasAhead: they end one window after the clock was set
// right.
func TestCallsFromAClockThatWasAhead(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	s := open(t, dir, "n1")
	callAt(t, s, clock.AddDate(1, 0, 0), "young")
	s.Forget()
	shut(t, s)
	s = open(t, dir, "n1")
	defer s.Close()
	for after, want := range map[time.Duration]int{59 * time.Second: 1, 60 * time.Second: 0} {
		l := tv.Look{Tools: func(tv.PastTool) bool { return true }, Within: time.Minute, Least: tv.PastDispatched, Most: 1}
		seen, err := s.Seen(t.Context(), []tv.Look{l}, clock.Add(after))
		if err != nil || seen[0].Count != want {
			t.Errorf("%s later: %+v (%v), want %d", after, seen, err, want)
		}
	}
}
