// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"crypto/rand"
	"fmt"
	"slices"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
)

// fill writes records one by one, a second apart.
func fill(t *testing.T, st Store, n int) {
	t.Helper()
	for i := range n {
		r := record(fmt.Sprintf("call-%04d", i))
		r.At = start.Add(time.Duration(i) * time.Second)
		r.Approval = []string{"", "apr-1", "apr-2"}[i%3]
		r.Verdict = []string{"allow", "ask", "deny"}[i%3]
		r.User = []string{"eva", "bob"}[i%2]
		r.Tool = []string{"orders/refund", "orders/cancel_order", "files/read"}[i%3]
		must(t, st.Commit(t.Context(), tv.Changes{Records: []tv.Record{r}}))
	}
}

func logs(t *testing.T, s Subject) {
	st := s.open(t)
	if r := s.verified(t, st); r.Records != 0 || r.Checkpoints < 1 {
		t.Errorf("a new log has %d records and %d checkpoints, want none and its birth", r.Records, r.Checkpoints)
	}
	r := record("first")
	r.At = r.At.Add(1234 * time.Nanosecond).In(time.FixedZone("far", 7200))
	must(t, st.Commit(t.Context(), tv.Changes{Records: []tv.Record{r, record("second")}}))
	l := s.view(t, st)
	found, err := l.Find(t.Context(), audit.Query{})
	must(t, err)
	r.At = r.At.UTC().Truncate(time.Microsecond)
	same(t, "records", found, []audit.Numbered{{Seq: 0, Record: r}, {Seq: 1, Record: record("second")}})

	fill(t, st, 2*audit.CheckpointEvery+10)
	report := s.verified(t, st)
	if report.Records != 2*audit.CheckpointEvery+12 || report.Unsigned >= audit.CheckpointEvery {
		t.Errorf("got %d records of which %d are unsigned", report.Records, report.Unsigned)
	}
	if size, err := l.Size(t.Context()); err != nil || size != 2 {
		t.Errorf("a view moved on: it has %d records (%v), and had 2", size, err)
	}
}

func find(t *testing.T, s Subject) {
	st := s.open(t)
	fill(t, st, 600)
	l := s.view(t, st)
	want := func(keep func(i int) bool, limit int) []string {
		var out []string
		for i := range 600 {
			if keep(i) && len(out) < limit {
				out = append(out, fmt.Sprintf("call-%04d", i))
			}
		}
		return out
	}
	at := func(i int) time.Time { return start.Add(time.Duration(i) * time.Second) }
	for name, c := range map[string]struct {
		q    audit.Query
		want []string
	}{
		"all":            {audit.Query{}, want(func(int) bool { return true }, 100)},
		"since":          {audit.Query{Since: at(560)}, want(func(i int) bool { return i >= 560 }, 100)},
		"since ever":     {audit.Query{Since: at(-9)}, want(func(int) bool { return true }, 100)},
		"since later":    {audit.Query{Since: at(600)}, nil},
		"between":        {audit.Query{Since: at(299), Until: at(303)}, want(func(i int) bool { return i >= 299 && i < 303 }, 100)},
		"call":           {audit.Query{Call: "call-0321"}, []string{"call-0321"}},
		"tool":           {audit.Query{Tool: "orders/refund"}, want(func(i int) bool { return i%3 == 0 }, 100)},
		"tools":          {audit.Query{Tool: "orders/*", Page: audit.Page{Limit: 500}}, want(func(i int) bool { return i%3 < 2 }, 500)},
		"no such tool":   {audit.Query{Tool: "orders/ref"}, nil},
		"user":           {audit.Query{Subject: "bob"}, want(func(i int) bool { return i%2 == 1 }, 100)},
		"subject":        {audit.Query{Subject: "agent:one"}, want(func(int) bool { return true }, 100)},
		"verdict":        {audit.Query{Verdict: "deny"}, want(func(i int) bool { return i%3 == 2 }, 100)},
		"approval":       {audit.Query{Approval: "apr-1", Since: at(500)}, want(func(i int) bool { return i%3 == 1 && i >= 500 }, 100)},
		"kind":           {audit.Query{Kind: tv.RecordOutcome}, nil},
		"code":           {audit.Query{Code: tv.PolicyDenied}, nil},
		"session":        {audit.Query{Session: "s"}, nil},
		"page":           {audit.Query{Page: audit.Page{From: 10, Before: 13}}, []string{"call-0010", "call-0011", "call-0012"}},
		"newest":         {audit.Query{Page: audit.Page{Newest: true, Limit: 2}}, []string{"call-0599", "call-0598"}},
		"newest of page": {audit.Query{Verdict: "allow", Page: audit.Page{Newest: true, Before: 9, Limit: 2}}, []string{"call-0006", "call-0003"}},
	} {
		found, err := l.Find(t.Context(), c.q)
		must(t, err)
		same(t, name, callIDs(found), c.want)
	}
}

func proofs(t *testing.T, s Subject) {
	st, ctx := s.open(t), t.Context()
	fill(t, st, 2*audit.CheckpointEvery)
	l := s.view(t, st)
	other, err := audit.Generate("somebody/else", rand.Reader)
	must(t, err)
	stranger, err := audit.ParseSigner(other)
	must(t, err)
	for _, seq := range []int64{0, 1, 255, 256, 300, 511} {
		proof, err := l.Prove(ctx, l.Key(), seq)
		must(t, err)
		p, err := audit.CheckProof(l.Key(), proof)
		must(t, err)
		same(t, "proven call", p.CallID, fmt.Sprintf("call-%04d", seq))
		if _, err := audit.CheckProof(stranger.Verifier(), proof); err == nil {
			t.Errorf("record %d: the proof passed with another log's key", seq)
		}
		at := slices.Index(proof, '\n') + 20
		proof[at] ^= 1
		if _, err := audit.CheckProof(l.Key(), proof); err == nil {
			t.Errorf("record %d: the proof passed with a changed record", seq)
		}
	}
	for _, seq := range []int64{-1, 512, 1 << 40} {
		if _, err := l.Prove(ctx, l.Key(), seq); err == nil {
			t.Errorf("record %d: there is a proof for a record that there is not", seq)
		}
	}
}
