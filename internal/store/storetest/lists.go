// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
)

func lists(t *testing.T, s Subject) {
	st, ctx := s.open(t), t.Context()
	ids := numbered("a", 130)
	for i, id := range ids {
		a := approvalOf(id, tv.ApprovalPending)
		a.Created = start.Add(time.Duration(i/2) * time.Second) // pairs share a time
		a.Expires = a.Created.Add(time.Minute)
		a.Requirements = []tv.Requirement{{Approvers: []string{fmt.Sprintf("role:<%d>", i%5)}}}
		if i == 7 {
			a.Call.Subject.User, a.Requirements[0].Escalate = "clerk <7>", tv.Escalation{To: []string{"group:lead"}}
		}
		must(t, st.Commit(ctx, withApproval(0, a)))
		if i%3 == 0 {
			a.State = tv.ApprovalRejected
			must(t, st.Commit(ctx, withApproval(1, a)))
		}
	}
	got := func(q tv.ApprovalQuery) []string {
		t.Helper()
		all, err := st.Approvals(ctx, q)
		must(t, err)
		var out []string
		for _, a := range all {
			out = append(out, a.ID)
		}
		return out
	}
	same(t, "without a limit", got(tv.ApprovalQuery{}), ids[:100])
	same(t, "all", got(tv.ApprovalQuery{Limit: 1000}), ids)
	same(t, "that mention one of these", got(tv.ApprovalQuery{Mentions: []string{"role:<3>", "role:<4>", "role:<"}, Limit: 4}), []string{ids[3], ids[4], ids[8], ids[9]})
	same(t, "that name who may decide later", got(tv.ApprovalQuery{Mentions: []string{"group:lead"}}), ids[7:8])
	same(t, "that name whom it is for", got(tv.ApprovalQuery{Mentions: []string{"clerk <7>"}, State: tv.ApprovalPending, AfterID: ids[6]}), ids[7:8])
	same(t, "that name who asks, newest first", got(tv.ApprovalQuery{Mentions: []string{"agent:one"}, Newest: true, AfterID: ids[9], Limit: 2}), []string{ids[8], ids[7]})
	same(t, "that mention part of a text", got(tv.ApprovalQuery{Mentions: []string{"role:"}}), []string(nil))
	var pages []string
	for after := ""; ; after = pages[len(pages)-1] {
		page := got(tv.ApprovalQuery{AfterID: after, Limit: 7})
		if len(page) == 0 {
			break
		}
		pages = append(pages, page...)
	}
	same(t, "page by page", pages, ids)
	newest := slices.Clone(ids)
	slices.Reverse(newest)
	same(t, "newest first", got(tv.ApprovalQuery{Newest: true, Limit: 1000}), newest)
	same(t, "newest first, on from one whose time another has", got(tv.ApprovalQuery{Newest: true, AfterID: ids[51], Limit: 9}), newest[79:88])
	same(t, "after a stranger", got(tv.ApprovalQuery{AfterID: "nobody"}), []string(nil))

	pending := func(i int) bool { return i%3 != 0 }
	var want []string
	for i, id := range ids {
		if pending(i) && i/2 <= 10 {
			want = append(want, id)
		}
	}
	same(t, "pending, over by then", got(tv.ApprovalQuery{State: tv.ApprovalPending, ExpiredBy: start.Add(70 * time.Second)}), want)
	same(t, "of a state that none has", got(tv.ApprovalQuery{State: tv.ApprovalDone}), []string(nil))
}

func claimLists(t *testing.T, s Subject) {
	st, ctx := s.open(t), t.Context()
	keys := numbered("k", 120)
	for i, key := range keys {
		c := claimOf(key, tv.ClaimDispatched)
		c.Updated = start.Add(-time.Duration(i) * time.Second) // newest first on purpose
		c.Deadline = start.Add(time.Duration(i) * time.Second)
		c.Node = fmt.Sprintf("node-%d", i%2)
		if i%3 == 0 {
			c.Handle = fmt.Sprintf("handle-%d", i%2)
		}
		must(t, st.Commit(ctx, withClaim(0, c)))
		if i%4 == 0 {
			c.State = tv.ClaimUnknown
			must(t, st.Commit(ctx, withClaim(1, c)))
		}
	}
	got := func(q tv.ClaimQuery) []string {
		t.Helper()
		all, err := st.Claims(ctx, q)
		must(t, err)
		var out []string
		for _, c := range all {
			out = append(out, c.Key)
		}
		return out
	}
	want := func(keep func(int) bool, limit int) []string {
		var out []string
		for i, key := range keys {
			if keep(i) {
				out = append(out, key)
			}
		}
		slices.Reverse(out) // oldest change first
		return out[:min(limit, len(out))]
	}
	all := func(int) bool { return true }
	same(t, "without a limit", got(tv.ClaimQuery{}), want(all, 100))
	same(t, "all", got(tv.ClaimQuery{Limit: 500}), want(all, 500))
	same(t, "dispatched", got(tv.ClaimQuery{State: tv.ClaimDispatched, Limit: 500}), want(func(i int) bool { return i%4 != 0 }, 500))
	same(t, "of a node", got(tv.ClaimQuery{State: tv.ClaimUnknown, Node: "node-0", Limit: 5}), want(func(i int) bool { return i%4 == 0 }, 5))
	same(t, "of another node", got(tv.ClaimQuery{State: tv.ClaimUnknown, Node: "node-1"}), []string(nil))
	same(t, "of a handle", got(tv.ClaimQuery{State: tv.ClaimDispatched, Handle: "handle-1"}), want(func(i int) bool { return i%6 == 3 }, 500))
	same(t, "of no such handle", got(tv.ClaimQuery{Handle: "handle-2"}), []string(nil))
	same(t, "late", got(tv.ClaimQuery{State: tv.ClaimDispatched, DeadlineBy: start.Add(9 * time.Second)}),
		want(func(i int) bool { return i%4 != 0 && i <= 9 }, 500))
}

// deadNodes tells those that are gone and left something open from all others.
func deadNodes(t *testing.T, s Subject) {
	st, ctx := s.open(t), t.Context()
	for i, node := range []string{"node-1", "gone", "tidy", "../open.lock", ""} {
		c := claimOf(fmt.Sprint("k", i), tv.ClaimDispatched)
		c.Node = node
		must(t, st.Commit(ctx, withClaim(0, c)))
		if node == "tidy" {
			c.State = tv.ClaimSucceeded
			must(t, st.Commit(ctx, withClaim(1, c)))
		}
		if s.Lose != nil && node != "node-1" {
			s.Lose(st, node)
		}
	}
	dead, err := st.DeadNodes(ctx)
	must(t, err)
	same(t, "dead nodes", dead, []string{"", "../open.lock", "gone"})
}
