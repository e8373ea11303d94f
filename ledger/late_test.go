// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/ledger"
)

const hook tv.Door = "hook-test"

var agent = tv.Subject{ID: "agent", Kind: tv.Agent, User: "me"}

// open stores a claim of a call that another process reports.
func (s *shelf) open(key, call string) {
	s.t.Helper()
	claim := tv.Claim{
		Key: key, State: tv.ClaimDispatched, Node: "gone", Subject: agent.ID, Tool: "t/x", CallID: "c-" + key, Digest: "d",
		Handle: tv.Handle(hook, agent, "s1", call), Deadline: s.clock.Now().Add(time.Minute),
		Reconcile: &tv.Reconcile{Tool: "t/ask"},
	}
	err := s.store.Commit(context.Background(), tv.Changes{
		Records: []tv.Record{{Kind: tv.RecordDecision, At: s.clock.Now()}}, Claims: []tv.ClaimChange{{To: claim}},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.clock.Pass(time.Second)
}

func (s *shelf) state(key string) tv.ClaimState {
	s.t.Helper()
	c, err := s.store.Claim(context.Background(), key)
	if err != nil {
		s.t.Fatal(err)
	}
	return c.State
}

func late(call string, o tv.OutcomeStatus) ledger.Late {
	return ledger.Late{Door: hook, By: agent, Session: "s1", Call: call, Outcome: tv.Outcome{Status: o}}
}

func TestLateOutcome(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.open("done", "1")
	s.open("failed", "2")
	s.open("lost", "3")
	s.store.Lose("gone")
	if n, err := s.Recover(context.Background()); n != 0 || err != nil {
		t.Fatalf("the process that asked is gone, and it was never to report: %d, %v", n, err)
	}
	for call, o := range map[string]tv.OutcomeStatus{"1": tv.Succeeded, "2": tv.Failed} {
		if err := s.Report(context.Background(), late(call, o)); err != nil {
			t.Fatal(err)
		}
		if err := s.Report(context.Background(), late(call, tv.Succeeded)); !errors.Is(err, tv.ErrNotFound) {
			t.Errorf("reported twice: %v", err)
		}
	}
	if s.state("done") != tv.ClaimSucceeded || s.state("failed") != tv.ClaimFailed || s.state("lost") != tv.ClaimDispatched {
		t.Errorf("done %s, failed %s, lost %s", s.state("done"), s.state("failed"), s.state("lost"))
	}
	for key, asked := range map[string]bool{"done": false, "failed": false, "lost": true} {
		if c, err := s.store.Claim(context.Background(), key); err != nil || (c.Reconcile != nil) != asked {
			t.Errorf("%s: its reconcile call is kept for as long as it may be asked: %v, %v", key, c.Reconcile, err)
		}
	}
	s.clock.Pass(time.Hour)
	if n, err := s.Recover(context.Background()); n != 1 || err != nil || s.state("lost") != tv.ClaimUnknown {
		t.Errorf("nobody reported in time: %d, %v, %s", n, err, s.state("lost"))
	}
	if err := s.Report(context.Background(), late("3", tv.Succeeded)); !errors.Is(err, tv.ErrNotFound) {
		t.Errorf("reported too late: %v", err)
	}
}

// TestLateOutcomeOfAnother: every part of who called counts.
func TestLateOutcomeOfAnother(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.open("k", "1")
	for name, change := range map[string]func(*ledger.Late){
		"door":    func(l *ledger.Late) { l.Door = tv.DoorHTTP },
		"subject": func(l *ledger.Late) { l.By.ID = "other" },
		"user":    func(l *ledger.Late) { l.By.User = "other" },
		"agent":   func(l *ledger.Late) { l.By.Agent = "other" },
		"session": func(l *ledger.Late) { l.Session = "s2" },
		"call":    func(l *ledger.Late) { l.Call = "2" },
	} {
		l := late("1", tv.Succeeded)
		change(&l)
		if err := s.Report(context.Background(), l); !errors.Is(err, tv.ErrNotFound) {
			t.Errorf("another %s: %v", name, err)
		}
	}
	for name, change := range map[string]func(*ledger.Late){
		"door": func(l *ledger.Late) { l.Door = "" }, "subject": func(l *ledger.Late) { l.By.ID = "" },
		"session": func(l *ledger.Late) { l.Session = "" }, "call": func(l *ledger.Late) { l.Call = "" },
	} {
		l := late("1", tv.Succeeded)
		change(&l)
		if err := s.Report(context.Background(), l); !errors.Is(err, ledger.ErrIncomplete) {
			t.Errorf("no %s: %v", name, err)
		}
	}
	if s.state("k") != tv.ClaimDispatched {
		t.Error(s.state("k"))
	}
}

// TestLateOutcomeUnknown: a word that is no outcome never reads as done.
func TestLateOutcomeUnknown(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.open("k", "1")
	if err := s.Report(context.Background(), late("1", "succeded")); err != nil {
		t.Fatal(err)
	}
	if s.state("k") != tv.ClaimUnknown {
		t.Error(s.state("k"))
	}
}

// TestSameHandle: of two calls at once that cannot be told apart, each is reported
// once.
func TestSameHandle(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.open("first", "1")
	s.open("second", "1")
	for _, want := range []string{"succeeded dispatched", "succeeded succeeded"} {
		if err := s.Report(context.Background(), late("1", tv.Succeeded)); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join([]string{string(s.state("first")), string(s.state("second"))}, " "); got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
}
