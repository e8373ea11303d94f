// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
)

// book is the obvious store: what the real one must be told apart from never.
type book struct {
	claims    map[string]tv.Claim
	approvals map[string]tv.Approval
	takes     map[string][]time.Time
	calls     []string // of the records, in order
}

// conflict says what the change meets, "" for nothing.
func (b *book) conflict(c tv.Changes) string {
	for _, x := range c.Claims {
		if b.claims[x.To.Key].Epoch != x.From {
			return "claim"
		}
		from, to := b.claims[x.To.Key].State, x.To.State
		open := to == tv.ClaimWaiting || to == tv.ClaimDispatched
		if open && (from == tv.ClaimDispatched || from == tv.ClaimUnknown) || from == tv.ClaimUnknown && (to == tv.ClaimUnknown || to == tv.ClaimPaused) {
			return "step"
		}
	}
	for _, x := range c.Approvals {
		is := b.approvals[x.To.ID]
		if is.Version != x.From {
			return "approval"
		}
		stays := is.State == x.To.State && slices.Contains([]tv.ApprovalState{tv.ApprovalPending, tv.ApprovalApproved, tv.ApprovalClaimed, tv.ApprovalUnknown}, is.State)
		if is.Version > 0 && !is.State.CanBecome(x.To.State) && !stays {
			return "step"
		}
	}
	for i, l := range c.Takes {
		before := 0
		for _, earlier := range c.Takes[:i] {
			if earlier.Key == l.Key {
				before++
			}
		}
		if len(b.within(l, c.Records[0].At))+before >= l.Max {
			return "limit"
		}
	}
	return ""
}

func (b *book) within(l tv.Limit, at time.Time) []time.Time {
	var in []time.Time
	for _, t := range b.takes[l.Key] {
		if t.After(at.Add(-l.Per)) {
			in = append(in, t)
		}
	}
	return in
}

func (b *book) write(c tv.Changes) {
	for _, r := range c.Records {
		b.calls = append(b.calls, r.CallID)
	}
	for _, x := range c.Claims {
		x.To.Epoch = x.From + 1
		b.claims[x.To.Key] = x.To
	}
	for _, x := range c.Approvals {
		x.To.Version = x.From + 1
		if slices.Contains([]tv.ApprovalState{tv.ApprovalDone, tv.ApprovalFailed, tv.ApprovalRejected, tv.ApprovalExpired, tv.ApprovalCancelled, tv.ApprovalRevoked}, x.To.State) {
			x.To.Call.Arguments = nil
		}
		b.approvals[x.To.ID] = x.To
	}
	for _, l := range c.Takes {
		b.takes[l.Key] = append(b.takes[l.Key], c.Records[0].At)
	}
}

// machine drives a store and a book with the same steps.
type machine struct {
	t       testing.TB
	s       Subject
	dir     string
	st      Store
	book    book
	now     time.Time
	node, n int
}

// model runs random histories against the book: whatever the store says, the
// book says too.
func model(t *testing.T, s Subject) {
	root := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(root, "")
		must(t, err)
		m := &machine{t: t, s: s, dir: dir, now: start, book: book{
			claims: map[string]tv.Claim{}, approvals: map[string]tv.Approval{}, takes: map[string][]time.Time{},
		}}
		m.open()
		actions := map[string]func(*rapid.T){"": m.compare, "commit": m.commit, "again": m.commit, "wait": m.wait}
		if s.Shared {
			actions["restart"] = m.restart
		}
		rt.Repeat(actions)
		m.check(rt)
		must(t, m.st.Close())
		must(t, os.RemoveAll(dir))
	})
}

func (m *machine) open() {
	m.node++
	m.st = m.s.Open(m.t, m.dir, fmt.Sprint("node-", m.node), func() time.Time { return m.now })
}

func (m *machine) restart(rt *rapid.T) {
	if rapid.IntRange(0, 7).Draw(rt, "luck") != 0 {
		return // opening takes far longer than any other step
	}
	if err := m.st.Close(); err != nil {
		m.t.Fatal(err)
	}
	m.open()
}

func (m *machine) wait(rt *rapid.T) {
	m.now = m.now.Add(time.Duration(rapid.IntRange(1, 20).Draw(rt, "seconds")) * time.Second)
}

// commit makes a change out of few names, so that it often meets another.
func (m *machine) commit(rt *rapid.T) {
	m.n++
	r := record(fmt.Sprint("call-", m.n))
	r.At = m.now
	c := tv.Changes{Records: []tv.Record{r}}
	if rapid.Bool().Draw(rt, "second record") {
		c.Records = append(c.Records, r)
	}
	for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"k1", "k2"}), 0, 2, rapid.ID).Draw(rt, "claims") {
		x := claimOf(key, rapid.SampledFrom([]tv.ClaimState{
			tv.ClaimWaiting, tv.ClaimDispatched, tv.ClaimSucceeded, tv.ClaimFailed, tv.ClaimPaused, tv.ClaimUnknown,
		}).Draw(rt, "state"))
		x.Updated = m.now
		c.Claims = append(c.Claims, tv.ClaimChange{From: m.guess(rt, m.book.claims[key].Epoch), To: x})
	}
	for _, id := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a1", "a2"}), 0, 2, rapid.ID).Draw(rt, "approvals") {
		x := approvalOf(id, rapid.SampledFrom([]tv.ApprovalState{
			tv.ApprovalPending, tv.ApprovalApproved, tv.ApprovalApproved, tv.ApprovalClaimed, tv.ApprovalDone, tv.ApprovalUnknown, tv.ApprovalExpired,
		}).Draw(rt, "state"))
		c.Approvals = append(c.Approvals, tv.ApprovalChange{From: m.guess(rt, m.book.approvals[id].Version), To: x})
	}
	for range rapid.IntRange(0, 2).Draw(rt, "takes") {
		c.Takes = append(c.Takes, m.limit(rt))
	}
	want := m.book.conflict(c)
	err := m.st.Commit(m.t.Context(), c)
	got := ""
	var conflict *tv.ConflictError
	switch {
	case errors.As(err, &conflict):
		got = conflict.What
	case err != nil:
		got = "step"
	}
	if got != want {
		rt.Fatalf("commit %+v: got %q (%v), want %q", c, got, err, want)
	}
	if want == "" {
		m.book.write(c)
	}
}

// guess is mostly right.
func (m *machine) guess(rt *rapid.T, right int64) int64 {
	return max(0, right+rapid.SampledFrom([]int64{0, 0, 0, 0, 1, -1}).Draw(rt, "off by"))
}

func (m *machine) limit(rt *rapid.T) tv.Limit {
	return tv.Limit{
		Rule: "r", Key: rapid.SampledFrom([]string{"l1", "l2"}).Draw(rt, "limit"),
		Max: rapid.IntRange(1, 4).Draw(rt, "max"), Per: 30 * time.Second,
	}
}

// compare reads everything back.
func (m *machine) compare(rt *rapid.T) {
	ctx := m.t.Context()
	diff := func(what string, got, want any, err error) {
		if err != nil {
			rt.Fatalf("%s: %v", what, err)
		}
		if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
			rt.Fatalf("%s: got %s, want %s", what, g, w)
		}
	}
	claims, err := m.st.Claims(ctx, tv.ClaimQuery{})
	diff("claims", claims, sorted(m.book.claims, func(a, b tv.Claim) int {
		return cmp.Or(a.Updated.Compare(b.Updated), cmp.Compare(a.Key, b.Key))
	}), err)
	approvals, err := m.st.Approvals(ctx, tv.ApprovalQuery{})
	diff("approvals", approvals, sorted(m.book.approvals, func(a, b tv.Approval) int { return cmp.Compare(a.ID, b.ID) }), err)
	for _, key := range []string{"l1", "l2"} {
		l := tv.Limit{Key: key, Max: 1, Per: 30 * time.Second}
		u, err := m.st.Usage(ctx, []tv.Limit{l}, m.now)
		diff("usage of "+key, u[0].Count, len(m.book.within(l, m.now)), err)
	}
}

func sorted[T any](in map[string]T, by func(a, b T) int) []T {
	var out []T
	for _, v := range in {
		out = append(out, v)
	}
	slices.SortFunc(out, by)
	return out
}

// check reads the log.
func (m *machine) check(rt *rapid.T) {
	m.s.verified(m.t, m.st)
	l, err := m.s.Log(m.st)
	must(m.t.(*testing.T), err)
	found, err := l.Find(m.t.Context(), audit.Query{Page: audit.Page{Limit: 1 << 20}})
	must(m.t.(*testing.T), errors.Join(err, l.Close()))
	if !slices.Equal(callIDs(found), m.book.calls) {
		rt.Fatalf("the log has %v, want %v", callIDs(found), m.book.calls)
	}
}
