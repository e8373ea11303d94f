// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/gatetest"
	"github.com/toolverdict/toolverdict/internal/store/memory"
	"github.com/toolverdict/toolverdict/ledger"
)

var person = tv.Subject{ID: "boss", Kind: tv.Person}

type shelf struct {
	*ledger.Book
	t     *testing.T
	clock *gatetest.Clock
	store *memory.Store
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	s := &shelf{t: t, clock: gatetest.NewClock()}
	var err error
	if s.store, err = memory.New(memory.Config{Now: s.clock.Now}); err != nil {
		t.Fatal(err)
	}
	if s.Book, err = ledger.New(ledger.Config{Store: s.store, Now: s.clock.Now, Text: gatetest.Redactor{Secret: "s3cret"}.Text}); err != nil {
		t.Fatal(err)
	}
	return s
}

// put stores a claim that a node dispatched, with the approval it used.
func (s *shelf) put(key, node string, state tv.ClaimState) {
	s.t.Helper()
	claim := tv.Claim{Key: key, State: tv.ClaimDispatched, Node: node, Approval: "a-" + key, CallID: "c-" + key, Deadline: s.clock.Now().Add(time.Minute)}
	a := tv.Approval{ID: "a-" + key, State: tv.ApprovalPending, Key: key, Expires: claim.Deadline}
	steps := []tv.Changes{
		{Approvals: []tv.ApprovalChange{{To: a}}},
		{Approvals: []tv.ApprovalChange{{From: 1, To: with(a, tv.ApprovalApproved)}}},
		{Approvals: []tv.ApprovalChange{{From: 2, To: with(a, tv.ApprovalClaimed)}}, Claims: []tv.ClaimChange{{To: claim}}},
	}
	if state != tv.ClaimDispatched {
		next := claim
		next.State = state
		steps = append(steps, tv.Changes{Claims: []tv.ClaimChange{{From: 1, To: next}}})
	}
	for _, c := range steps {
		c.Records = []tv.Record{{Kind: tv.RecordDecision, At: s.clock.Now()}}
		if err := s.store.Commit(context.Background(), c); err != nil {
			s.t.Fatal(err)
		}
	}
}

func with(a tv.Approval, s tv.ApprovalState) tv.Approval {
	a.State = s
	return a
}

func (s *shelf) want(key string, claim tv.ClaimState, approval tv.ApprovalState) {
	s.t.Helper()
	c, err := s.store.Claim(context.Background(), key)
	if err != nil || c.State != claim {
		s.t.Errorf("claim %s is %q, want %q (%v)", key, c.State, claim, err)
	}
	a, err := s.store.Approval(context.Background(), "a-"+key)
	if err != nil || a.State != approval {
		s.t.Errorf("approval of %s is %q, want %q (%v)", key, a.State, approval, err)
	}
}

func TestRecoverMarksOnlyWhatNobodyWillReport(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.put("alive", "n1", tv.ClaimDispatched)
	s.put("dead", "n2", tv.ClaimDispatched)
	s.put("paused", "n1", tv.ClaimPaused)
	s.store.Lose("n2")
	if n, err := s.Recover(context.Background()); n != 1 || err != nil {
		t.Fatalf("recovered %d, %v", n, err)
	}
	s.want("alive", tv.ClaimDispatched, tv.ApprovalClaimed)
	s.want("dead", tv.ClaimUnknown, tv.ApprovalUnknown)
	s.want("paused", tv.ClaimPaused, tv.ApprovalClaimed)

	s.clock.Pass(2 * time.Minute)
	if n, err := s.Recover(context.Background()); n != 2 || err != nil {
		t.Fatalf("recovered %d, %v", n, err)
	}
	s.want("alive", tv.ClaimUnknown, tv.ApprovalUnknown)
	s.want("paused", tv.ClaimFailed, tv.ApprovalFailed)
	if n, err := s.Recover(context.Background()); n != 0 || err != nil {
		t.Errorf("recovered %d more, %v", n, err)
	}
}

func TestRecoverWorksThroughManyPages(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	const many = 1203
	for i := range many {
		c := tv.Claim{Key: fmt.Sprint(i), State: tv.ClaimDispatched, Node: "gone", Deadline: s.clock.Now().Add(time.Hour)}
		if err := s.store.Commit(context.Background(), tv.Changes{Records: []tv.Record{{Kind: tv.RecordDecision, At: s.clock.Now()}}, Claims: []tv.ClaimChange{{To: c}}}); err != nil {
			t.Fatal(err)
		}
	}
	s.store.Lose("gone")
	if n, err := s.Recover(context.Background()); n != many || err != nil {
		t.Errorf("recovered %d, %v", n, err)
	}
}

func TestSettle(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		by       tv.Subject
		key      string
		as       tv.ClaimState
		evidence string
		ok       bool
	}{
		"done":            {person, "k", tv.ClaimSucceeded, "seen in the shop", true},
		"failed":          {person, "k", tv.ClaimFailed, "the order is open", true},
		"an agent":        {tv.Subject{ID: "a", Kind: tv.Agent}, "k", tv.ClaimFailed, "x", false},
		"nobody":          {tv.Subject{Kind: tv.Person}, "k", tv.ClaimFailed, "x", false},
		"no evidence":     {person, "k", tv.ClaimFailed, "", false},
		"a book for it":   {person, "k", tv.ClaimFailed, strings.Repeat("x", 2001), false},
		"another state":   {person, "k", tv.ClaimDispatched, "x", false},
		"not unknown":     {person, "running", tv.ClaimFailed, "x", false},
		"no such outcome": {person, "nothing", tv.ClaimFailed, "x", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShelf(t)
			s.put("k", "dead", tv.ClaimDispatched)
			s.put("running", "alive", tv.ClaimDispatched)
			s.store.Lose("dead")
			if _, err := s.Recover(context.Background()); err != nil {
				t.Fatal(err)
			}
			err := s.Settle(context.Background(), c.by, c.key, c.as, c.evidence)
			if (err == nil) != c.ok {
				t.Fatalf("got %v", err)
			}
			switch {
			case !c.ok:
				s.want("k", tv.ClaimUnknown, tv.ApprovalUnknown)
			case c.as == tv.ClaimSucceeded:
				s.want("k", tv.ClaimSucceeded, tv.ApprovalDone)
			default:
				s.want("k", tv.ClaimFailed, tv.ApprovalFailed)
			}
			if again := s.Settle(context.Background(), c.by, c.key, c.as, c.evidence); c.ok && !errors.Is(again, ledger.ErrNotUnknown) {
				t.Errorf("settled twice: %v", again)
			}
		})
	}
}

// A record is shown on terminals: evidence must not draw over them.
func TestEvidenceIsPlainInTheRecord(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.put("k", "dead", tv.ClaimDispatched)
	s.store.Lose("dead")
	if _, err := s.Recover(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := s.Settle(context.Background(), person, "k", tv.ClaimFailed, "open\x1b[2J\u202e"); err != nil {
		t.Fatal(err)
	}
	view, err := s.store.Log(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	n := int64(0)
	for e, err := range view.Entries(context.Background(), 0) {
		if n++; err != nil || strings.Contains(string(e.Leaf), "u001b") || strings.Contains(string(e.Leaf), "\u202e") {
			t.Errorf("record %d: %s, %v", e.Seq, e.Leaf, err)
		}
	}
	if n == 0 {
		t.Error("nothing was recorded")
	}
}

func TestNewWantsItsParts(t *testing.T) {
	t.Parallel()
	if _, err := ledger.New(ledger.Config{}); err == nil {
		t.Error("made a book of nothing")
	}
}
