// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/shelf"
)

func rowOf(kind, key string, due time.Time, body string) shelf.Row {
	return shelf.Row{Kind: kind, Key: key, Due: due, Body: []byte(body)}
}

// rows come back as they were kept, by their keys, and only those of their kind.
func rows(t *testing.T, s Subject) {
	st, ctx := s.open(t), t.Context()
	none, err := st.Row(ctx, "a", "1")
	must(t, err)
	same(t, "no row", none, shelf.Row{Kind: "a", Key: "1"})
	soon, late := start.Add(time.Minute), start.Add(time.Hour)
	must(t, st.Shelve(ctx, []shelf.Change{
		{Row: rowOf("a", "3", late, "three")}, {Row: rowOf("a", "1", soon, "one")},
		{Row: rowOf("a", "2", time.Time{}, "two")}, {Row: rowOf("b", "1", soon, "\xff\x00")},
	}))
	got, err := st.Row(ctx, "a", "1")
	must(t, err)
	want := rowOf("a", "1", soon, "one")
	want.Revision = 1
	same(t, "one row", got, want)
	for name, q := range map[string]struct {
		query shelf.Query
		keys  string
	}{
		"all":          {shelf.Query{Kind: "a"}, "123"},
		"page":         {shelf.Query{Kind: "a", Limit: 2}, "12"},
		"next page":    {shelf.Query{Kind: "a", Limit: 2, AfterKey: "2"}, "3"},
		"due":          {shelf.Query{Kind: "a", DueBy: soon}, "1"},
		"not yet":      {shelf.Query{Kind: "a", DueBy: soon.Add(-time.Microsecond)}, ""},
		"due later":    {shelf.Query{Kind: "a", DueBy: late}, "13"},
		"another kind": {shelf.Query{Kind: "b"}, "1"},
		"no such kind": {shelf.Query{Kind: "c"}, ""},
	} {
		all, err := st.Rows(ctx, q.query)
		must(t, err)
		var keys []string
		for i := range all {
			keys = append(keys, all[i].Key)
		}
		same(t, name, strings.Join(keys, ""), q.keys)
	}
	must(t, st.Shelve(ctx, []shelf.Change{{From: 1, Row: shelf.Row{Kind: "a", Key: "1"}, Drop: true}, {From: 1, Row: rowOf("a", "2", late, "again")}}, record("moved")))
	gone, err := st.Row(ctx, "a", "1")
	must(t, err)
	same(t, "gone", gone, shelf.Row{Kind: "a", Key: "1"})
	if n := s.verified(t, st).Records; n != 1 {
		t.Errorf("%d records", n)
	}
	must(t, st.Shelve(ctx, []shelf.Change{{Row: rowOf("a", "1", soon, "anew")}}))
}

// rowRaces: of those who read the same row, one wins, and the others write
// nothing at all, no record either.
func rowRaces(t *testing.T, s Subject) {
	st, ctx := s.open(t), t.Context()
	won := make(chan int, 8)
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			err := st.Shelve(ctx, []shelf.Change{
				{Row: rowOf("a", fmt.Sprint("beside", n), start, "x")}, {Row: rowOf("a", "0", start, "first")},
			}, record("won"))
			if err == nil {
				won <- n
				return
			}
			if conflict, ok := errors.AsType[*tv.ConflictError](err); !ok || conflict.What != "a" || conflict.Key != "0" {
				t.Errorf("got %v, want a conflict", err)
			}
		})
	}
	wg.Wait()
	all, err := st.Rows(ctx, shelf.Query{Kind: "a"})
	must(t, err)
	if len(won) != 1 || len(all) != 2 || s.verified(t, st).Records != 1 {
		t.Errorf("%d won, %d rows", len(won), len(all))
	}
	stale := []shelf.Change{{From: 7, Row: shelf.Row{Kind: "a", Key: "0"}, Drop: true}}
	wantConflict(t, st.Shelve(ctx, stale), "a", "0")
	wantConflict(t, st.Shelve(ctx, []shelf.Change{{From: 1, Row: rowOf("a", "none", start, "x")}}), "a", "none")
	for name, changes := range map[string][]shelf.Change{
		"nothing": nil, "no kind": {{Row: rowOf("", "k", start, "x")}}, "no key": {{Row: rowOf("k", "", start, "x")}},
		"no body": {{Row: rowOf("k", "k", start, "")}}, "from nowhere": {{From: -1, Row: rowOf("k", "k", start, "x")}},
		"twice":    {{Row: rowOf("k", "k", start, "x")}, {Row: rowOf("k", "k", start, "y")}},
		"drop new": {{Row: shelf.Row{Kind: "k", Key: "k"}, Drop: true}},
		"large":    {{Row: shelf.Row{Kind: "k", Key: "k", Body: make([]byte, 1<<20)}}},
	} {
		wantRefused(t, st.Shelve(ctx, changes), name)
	}
}
