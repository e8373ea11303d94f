// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/catalog"
)

func claims(t *testing.T, s Subject) {
	st, ctx := s.open(t), t.Context()
	if _, err := st.Claim(ctx, "k"); !errors.Is(err, tv.ErrNotFound) {
		t.Fatalf("a missing claim: got %v, want ErrNotFound", err)
	}
	waiting := claimOf("k", tv.ClaimWaiting)
	wantConflict(t, st.Commit(ctx, withClaim(3, waiting)), "claim", "k")
	must(t, st.Commit(ctx, withClaim(0, waiting)))
	wantConflict(t, st.Commit(ctx, withClaim(0, waiting)), "claim", "k")

	dispatched := claimOf("k", tv.ClaimDispatched)
	must(t, st.Commit(ctx, withClaim(1, dispatched)))
	wantConflict(t, st.Commit(ctx, withClaim(1, dispatched)), "claim", "k")

	done := claimOf("k", tv.ClaimSucceeded)
	// Bytes that any re-encoding would change: they must come back as they are.
	done.Outcome = &tv.Outcome{Status: tv.Succeeded, Content: json.RawMessage("{ \"a\":1.0, \"b\":\"<&\\u003e\" }"), Took: time.Second}
	must(t, st.Commit(ctx, withClaim(2, done)))
	got, err := st.Claim(ctx, "k")
	must(t, err)
	done.Epoch = 3
	same(t, "claim", got, done)

	odd := claimOf("odd", tv.ClaimSucceeded)
	odd.Outcome = &tv.Outcome{Status: tv.Succeeded, Content: json.RawMessage("no JSON at all \xff")}
	must(t, st.Commit(ctx, withClaim(0, odd))) // what came of a call is written, whatever it looks like
	odd.Epoch = 1
	same(t, "odd claim", claimIn(t, st, "odd"), odd)

	got.Outcome.Content[0] = 'X'
	got.Outcome.Status = tv.Failed
	again, err := st.Claim(ctx, "k")
	must(t, err)
	same(t, "claim after its reader changed what it was given", again, done)
}

func claimIn(t *testing.T, st Store, key string) tv.Claim {
	t.Helper()
	c, err := st.Claim(t.Context(), key)
	must(t, err)
	return c
}

// claimSteps holds a store to running nothing twice, even for a writer that
// read the newest epoch.
func claimSteps(t *testing.T, s Subject) {
	st, ctx := s.open(t), t.Context()
	for i, from := range []tv.ClaimState{tv.ClaimDispatched, tv.ClaimUnknown} {
		key := fmt.Sprint("k", i)
		must(t, st.Commit(ctx, withClaim(0, claimOf(key, tv.ClaimDispatched))))
		epoch := int64(1)
		if from == tv.ClaimUnknown {
			must(t, st.Commit(ctx, withClaim(epoch, claimOf(key, tv.ClaimUnknown))))
			epoch++
		}
		for _, to := range []tv.ClaimState{tv.ClaimWaiting, tv.ClaimDispatched} {
			wantRefused(t, st.Commit(ctx, withClaim(epoch, claimOf(key, to))), fmt.Sprintf("%s to %s", from, to))
		}
		must(t, st.Commit(ctx, withClaim(epoch, claimOf(key, tv.ClaimFailed))))
		must(t, st.Commit(ctx, withClaim(epoch+1, claimOf(key, tv.ClaimDispatched)))) // after a failure a new try is fine
	}
}

func approvals(t *testing.T, s Subject) {
	st, ctx := s.open(t), t.Context()
	if _, err := st.Approval(ctx, "a"); !errors.Is(err, tv.ErrNotFound) {
		t.Fatalf("a missing approval: got %v, want ErrNotFound", err)
	}
	a := approvalOf("a", tv.ApprovalPending)
	wantConflict(t, st.Commit(ctx, withApproval(1, a)), "approval", "a")
	must(t, st.Commit(ctx, withApproval(0, a)))
	wantConflict(t, st.Commit(ctx, withApproval(0, a)), "approval", "a")

	a.Votes = []tv.Vote{{By: tv.Subject{ID: "eva", Kind: tv.Person}, Approved: true, At: start}}
	must(t, st.Commit(ctx, withApproval(1, a))) // a vote that decides nothing
	a.State = tv.ApprovalApproved
	a.Expires = start.Add(time.Hour)
	must(t, st.Commit(ctx, withApproval(2, a)))
	got, err := st.Approval(ctx, "a")
	must(t, err)
	a.Version = 3
	same(t, "approval", got, a)

	moved := a
	moved.Digest = "another call's"
	wantRefused(t, st.Commit(ctx, withApproval(3, moved)), "an approval for another call")
	moved = a
	moved.State = tv.ApprovalPending
	wantRefused(t, st.Commit(ctx, withApproval(3, moved)), "approved back to pending")
}

// approvalEnds tries every step there is: those that the state machine lacks
// are refused.
func approvalEnds(t *testing.T, s Subject) {
	st, ctx := s.open(t), t.Context()
	paths := map[tv.ApprovalState][]tv.ApprovalState{
		tv.ApprovalPending:   {},
		tv.ApprovalApproved:  {tv.ApprovalApproved},
		tv.ApprovalClaimed:   {tv.ApprovalApproved, tv.ApprovalClaimed},
		tv.ApprovalDone:      {tv.ApprovalApproved, tv.ApprovalClaimed, tv.ApprovalDone},
		tv.ApprovalFailed:    {tv.ApprovalApproved, tv.ApprovalClaimed, tv.ApprovalFailed},
		tv.ApprovalUnknown:   {tv.ApprovalApproved, tv.ApprovalClaimed, tv.ApprovalUnknown},
		tv.ApprovalRejected:  {tv.ApprovalRejected},
		tv.ApprovalExpired:   {tv.ApprovalExpired},
		tv.ApprovalCancelled: {tv.ApprovalCancelled},
		tv.ApprovalRevoked:   {tv.ApprovalApproved, tv.ApprovalRevoked},
	}
	over := map[tv.ApprovalState]bool{
		tv.ApprovalDone: true, tv.ApprovalFailed: true, tv.ApprovalRejected: true,
		tv.ApprovalExpired: true, tv.ApprovalCancelled: true, tv.ApprovalRevoked: true,
	}
	for from, path := range paths {
		for to := range paths {
			id := string(from + "-" + to)
			must(t, st.Commit(ctx, withApproval(0, approvalOf(id, tv.ApprovalPending))))
			version := int64(1)
			for _, step := range path {
				must(t, st.Commit(ctx, withApproval(version, approvalOf(id, step))))
				version++
			}
			err := st.Commit(ctx, withApproval(version, approvalOf(id, to)))
			if from.CanBecome(to) || from == to && !over[from] {
				must(t, err)
			} else {
				wantRefused(t, err, id)
			}
		}
	}
}

// wiping wants the arguments gone once an approval can lead to nothing.
func wiping(t *testing.T, s Subject) {
	st, ctx := s.open(t), t.Context()
	raw := approvalOf("x", tv.ApprovalPending).Call.Arguments
	for _, end := range []tv.ApprovalState{
		tv.ApprovalRejected, tv.ApprovalExpired, tv.ApprovalCancelled, tv.ApprovalRevoked, tv.ApprovalDone, tv.ApprovalFailed,
	} {
		id := string(end)
		version := int64(0)
		step := func(state tv.ApprovalState, kept bool) {
			t.Helper()
			must(t, st.Commit(ctx, withApproval(version, approvalOf(id, state))))
			version++
			got, err := st.Approval(ctx, id)
			must(t, err)
			want := raw
			if !kept {
				want = nil
			}
			same(t, id+" as "+string(state)+": arguments", got.Call.Arguments, want)
			same(t, id+": card", string(got.Card.Arguments), `{"order_id":"A1001"}`)
		}
		step(tv.ApprovalPending, true)
		ran := end == tv.ApprovalDone || end == tv.ApprovalFailed
		if ran || end == tv.ApprovalRevoked {
			step(tv.ApprovalApproved, true)
		}
		if ran {
			step(tv.ApprovalClaimed, true)
			step(tv.ApprovalUnknown, true)
		}
		step(end, false)
	}
}

// atomic wants nothing written where one part of many meets another change.
func atomic(t *testing.T, s Subject) {
	st, ctx := s.open(t), t.Context()
	must(t, st.Commit(ctx, withClaim(0, claimOf("taken", tv.ClaimWaiting))))
	must(t, st.Commit(ctx, withApproval(0, approvalOf("taken", tv.ApprovalPending))))
	limit := tv.Limit{Rule: "r", Key: "l", Max: 1, Per: time.Hour}
	must(t, st.Commit(ctx, tv.Changes{Records: []tv.Record{record("full")}, Takes: []tv.Limit{limit}}))
	before := s.verified(t, st).Records

	fresh := tv.Limit{Rule: "r", Key: "fresh", Max: 9, Per: time.Hour}
	whole := func() tv.Changes {
		return tv.Changes{
			Records:   []tv.Record{record("one"), record("two")},
			Claims:    []tv.ClaimChange{{To: claimOf("new", tv.ClaimWaiting)}},
			Approvals: []tv.ApprovalChange{{To: approvalOf("new", tv.ApprovalPending)}},
			Takes:     []tv.Limit{fresh},
		}
	}
	parts := map[string]func(*tv.Changes){
		"claim": func(c *tv.Changes) {
			c.Claims = append(c.Claims, tv.ClaimChange{To: claimOf("taken", tv.ClaimWaiting)})
		},
		"approval": func(c *tv.Changes) {
			c.Approvals = append(c.Approvals, tv.ApprovalChange{To: approvalOf("taken", tv.ApprovalPending)})
		},
		"limit": func(c *tv.Changes) { c.Takes = append(c.Takes, limit) },
	}
	for what, spoil := range parts {
		c := whole()
		spoil(&c)
		key := "taken"
		if what == "limit" {
			key = limit.Key
		}
		wantConflict(t, st.Commit(ctx, c), what, key)
		if _, err := st.Claim(ctx, "new"); !errors.Is(err, tv.ErrNotFound) {
			t.Errorf("spoilt by a %s: the claim was written (%v)", what, err)
		}
		if _, err := st.Approval(ctx, "new"); !errors.Is(err, tv.ErrNotFound) {
			t.Errorf("spoilt by a %s: the approval was written (%v)", what, err)
		}
		u, err := st.Usage(ctx, []tv.Limit{fresh}, start)
		must(t, err)
		same(t, "spoilt by a "+what+": counted", u[0].Count, 0)
	}
	if after := s.verified(t, st).Records; after != before {
		t.Errorf("failed changes left %d records", after-before)
	}
	must(t, st.Commit(ctx, whole()))
	if after := s.verified(t, st).Records; after != before+2 {
		t.Errorf("a change with two records left %d", after-before)
	}
}

// unsound changes are refused, whatever is stored.
func unsound(t *testing.T, s Subject) {
	st, ctx := s.open(t), t.Context()
	r := []tv.Record{record("c")}
	noKind, noTime, noJSON := record("c"), record("c"), record("c")
	noKind.Kind, noTime.At, noJSON.Arguments = "gossip", time.Time{}, json.RawMessage("{")
	k := tv.ClaimChange{To: claimOf("k", tv.ClaimWaiting)}
	a := tv.ApprovalChange{To: approvalOf("a", tv.ApprovalPending)}
	for why, c := range map[string]tv.Changes{
		"nothing":                {},
		"no record":              {Claims: []tv.ClaimChange{k}},
		"unknown kind":           {Records: []tv.Record{noKind}},
		"record without time":    {Records: []tv.Record{noTime}},
		"broken arguments":       {Records: []tv.Record{noJSON}},
		"one claim twice":        {Records: r, Claims: []tv.ClaimChange{k, k}},
		"one approval twice":     {Records: r, Approvals: []tv.ApprovalChange{a, a}},
		"claim without key":      {Records: r, Claims: []tv.ClaimChange{{To: tv.Claim{State: tv.ClaimWaiting}}}},
		"claim without state":    {Records: r, Claims: []tv.ClaimChange{{To: tv.Claim{Key: "k"}}}},
		"claim from the past":    {Records: r, Claims: []tv.ClaimChange{{From: -1, To: k.To}}},
		"approval without id":    {Records: r, Approvals: []tv.ApprovalChange{{To: tv.Approval{State: tv.ApprovalPending}}}},
		"approval of no state":   {Records: r, Approvals: []tv.ApprovalChange{{To: tv.Approval{ID: "a", State: "maybe"}}}},
		"limit without key":      {Records: r, Takes: []tv.Limit{{Rule: "r", Max: 1, Per: time.Second}}},
		"limit without window":   {Records: r, Takes: []tv.Limit{{Rule: "r", Key: "l", Max: 1}}},
		"approval from the past": {Records: r, Approvals: []tv.ApprovalChange{{From: -1, To: a.To}}},
	} {
		wantRefused(t, st.Commit(ctx, c), why)
	}
	if n := s.verified(t, st).Records; n != 0 {
		t.Errorf("refused changes left %d records", n)
	}
}

func choices(t *testing.T, s Subject) {
	st, ctx := s.open(t), t.Context()
	off := func(user string, want ...string) {
		t.Helper()
		got, err := st.Disabled(ctx, user)
		must(t, err)
		same(t, "disabled for "+user, got, want)
	}
	off("eva")
	must(t, st.SetDisabled(ctx, "eva", []string{"orders/refund", "orders/cancel_order", "orders/refund"}, record("one")))
	must(t, st.SetDisabled(ctx, "bob", []string{"orders/delete_user"}, record("two")))
	off("eva", "orders/cancel_order", "orders/refund")
	off("bob", "orders/delete_user")
	must(t, st.SetDisabled(ctx, "eva", []string{"orders/send_email"}, record("three")))
	off("eva", "orders/send_email")
	must(t, st.SetDisabled(ctx, "eva", nil, record("four")))
	off("eva")
	off("bob", "orders/delete_user")
	wantRefused(t, st.SetDisabled(ctx, "bob", nil, tv.Record{}), "a choice without a record")
	off("bob", "orders/delete_user")
	if n := s.verified(t, st).Records; n != 4 {
		t.Errorf("four choices left %d records", n)
	}
}

// switches makes many choices of single tools at once: none undoes another.
func switches(t *testing.T, s Subject) {
	st, ctx := s.open(t), t.Context()
	const tools = 40
	all := func(off bool, step int) {
		var wg sync.WaitGroup
		for i := 0; i < tools; i += step {
			wg.Go(func() {
				if err := st.Switch(ctx, "eva", fmt.Sprintf("s/tool%02d", i), off, record("choice")); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	all(true, 1)
	all(true, 2) // what is off stays off
	all(false, 2)
	all(false, 2)
	got, err := st.Disabled(ctx, "eva")
	must(t, err)
	var want []string
	for i := 1; i < tools; i += 2 {
		want = append(want, fmt.Sprintf("s/tool%02d", i))
	}
	same(t, "what is off", got, want)
	wantRefused(t, st.Switch(ctx, "eva", "s/tool00", true, tv.Record{}), "a choice without a record")
	if n := s.verified(t, st).Records; n != tools+3*tools/2 {
		t.Errorf("%d choices left %d records", tools+3*tools/2, n)
	}
}

func pins(t *testing.T, s Subject) {
	st, ctx := s.open(t), t.Context()
	pin := func(tool, definition string) catalog.Pin {
		return catalog.Pin{
			Tool: tool, Hash: "hash of " + definition, Fields: map[string]string{"name": "h"},
			Definition: json.RawMessage(definition), By: "eva", At: start,
		}
	}
	kept := func(want ...catalog.Pin) {
		t.Helper()
		got, err := st.Pins(ctx)
		must(t, err)
		same(t, "pins", got, want)
	}
	kept()
	a, b := pin("orders/a", `{"description":"<b>&"}`), pin("orders/b", `{}`)
	must(t, st.PutPins(ctx, []catalog.Pin{b, a}, record("one")))
	kept(a, b)
	a = pin("orders/a", `{"description":"other"}`)
	must(t, st.PutPins(ctx, []catalog.Pin{a}, record("two")))
	kept(a, b)
	wantRefused(t, st.PutPins(ctx, []catalog.Pin{pin("orders/c", `{}`)}, tv.Record{}), "a pin without a record")
	wantRefused(t, st.PutPins(ctx, []catalog.Pin{pin("orders/c", `{}`), {}}, record("three")), "a pin of no tool")
	kept(a, b)
	if n := s.verified(t, st).Records; n != 2 {
		t.Errorf("two acts left %d records", n)
	}
}

func hint(t *testing.T, s Subject) {
	st, ctx := s.open(t), t.Context()
	changed := st.Changed()
	must(t, st.Commit(ctx, withClaim(0, claimOf("k", tv.ClaimWaiting))))
	select {
	case <-changed:
		t.Error("a claim woke those who wait for an approval")
	default:
	}
	must(t, st.Commit(ctx, withApproval(0, approvalOf("a", tv.ApprovalPending))))
	<-changed
	changed = st.Changed()
	wantConflict(t, st.Commit(ctx, withApproval(0, approvalOf("a", tv.ApprovalPending))), "approval", "a")
	select {
	case <-changed:
		t.Error("a failed change woke those who wait")
	default:
	}
}
