// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package activity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/internal/console/door"
)

// Bounds of a story: records to each side of the one it starts from that are
// looked at, records of it that are shown, approvals that are followed.
const (
	storyReach    = lookRecords
	storyRecords  = 40
	soughtRecords = 1000 // among which a call is found by its id: callers may give theirs the same name
	storyAsks     = 4
)

// seed finds the record that a story starts from: the one at a place, or the
// newest that is about the call. tv.ErrNotFound means that there is none for
// this visitor.
func (m *Room) seed(ctx context.Context, v *door.Visitor, call, at string) (audit.Numbered, error) {
	q := audit.Query{Call: call, Page: audit.Page{From: max(0, v.Mark-2*storyReach), Before: v.Mark, Newest: true, Limit: soughtRecords}}
	if at != "" {
		place, err := strconv.ParseInt(at, 10, 64)
		if err != nil || place < 0 || place >= v.Mark {
			return audit.Numbered{}, tv.ErrNotFound
		}
		q = audit.Query{Page: audit.Page{From: place, Before: place + 1, Limit: 1}}
	}
	own(v, &q)
	if v.Mark == 0 {
		return audit.Numbered{}, tv.ErrNotFound
	}
	found, err := m.Log.Find(ctx, q)
	if err != nil {
		return audit.Numbered{}, fmt.Errorf("find call: %w", err)
	}
	for i := range found { // a query finds callers' own names of calls, too
		if n := found[i]; (n.CallID == call || n.CallID == "" && call == loneRecord) && owns(v, &n.Record) {
			return n, nil
		}
	}
	return audit.Numbered{}, tv.ErrNotFound
}

// thread is all that belongs to one call, oldest first.
type thread struct {
	records   []audit.Numbered
	approvals []tv.Approval // those that concern the visitor
	cut       bool          // there may be more, further away than what was looked at
}

// gather finds what belongs to the call of a record: what has its entry in the
// ledger or its id, and what is about its approvals.
func (m *Room) gather(ctx context.Context, v *door.Visitor, seed *audit.Numbered) (thread, error) {
	t := thread{records: []audit.Numbered{*seed}, cut: seed.Seq > storyReach || v.Mark-seed.Seq > storyReach}
	q := audit.Query{Call: seed.CallID}
	if seed.Key != "" {
		q = audit.Query{Mention: audit.Mention{Key: seed.Key}}
	}
	if q.Call != "" || q.Key != "" {
		if err := m.around(ctx, v, seed, q, &t); err != nil {
			return t, err
		}
	}
	asked := map[string]bool{}
	for range storyAsks { // what is about an approval may name another, in the place of which it came
		id := ""
		for i := range t.records {
			if a := t.records[i].Approval; a != "" && !asked[a] {
				id = a
			}
		}
		if id == "" {
			break
		}
		asked[id] = true
		a, err := m.Approval(ctx, v.Subject, id)
		if err != nil && !errors.Is(err, tv.ErrNotFound) {
			return t, fmt.Errorf("read approval: %w", err)
		}
		if err == nil {
			t.approvals = append(t.approvals, a)
		}
		if err := m.around(ctx, v, seed, audit.Query{Approval: id}, &t); err != nil {
			return t, err
		}
	}
	slices.SortFunc(t.records, func(a, b audit.Numbered) int { return cmp.Compare(a.Seq, b.Seq) })
	t.records = slices.CompactFunc(t.records, func(a, b audit.Numbered) bool { return a.Seq == b.Seq })
	slices.SortFunc(t.approvals, func(a, b tv.Approval) int { return a.Created.Compare(b.Created) })
	return t, nil
}

// around adds what a query finds to both sides of a record.
func (m *Room) around(ctx context.Context, v *door.Visitor, seed *audit.Numbered, q audit.Query, t *thread) error {
	for _, side := range []audit.Page{
		{From: max(0, seed.Seq-storyReach), Before: seed.Seq, Newest: true, Limit: storyRecords},
		{From: seed.Seq + 1, Before: min(v.Mark, seed.Seq+1+storyReach), Limit: storyRecords},
	} {
		if side.Before <= side.From {
			continue
		}
		q.Page = side
		found, err := m.Log.Find(ctx, q)
		if err != nil {
			return fmt.Errorf("find what belongs to a call: %w", err)
		}
		t.cut = t.cut || len(found) == storyRecords
		for i := range found {
			if n := &found[i]; (q.Call == "" || n.CallID == q.Call) && m.belongs(v, seed, n, t) {
				t.records = append(t.records, *n)
			}
		}
	}
	return nil
}

// belongs reports whether a record is of the same call, and for this visitor.
// Whoever makes calls names them: what another caller did is no part of it.
func (m *Room) belongs(v *door.Visitor, seed, n *audit.Numbered, t *thread) bool {
	answer := n.Kind == tv.RecordApproval || n.Kind == tv.RecordAdmin
	switch asked := seed.Kind == tv.RecordApproval || seed.Kind == tv.RecordAdmin; {
	case !answer && !asked && n.Subject != seed.Subject:
		return false
	case owns(v, &n.Record):
		return true
	}
	return answer && slices.ContainsFunc(t.approvals, func(a tv.Approval) bool { return a.ID == n.Approval })
}
