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
	"github.com/toolverdict/toolverdict/internal/bundle"
	"github.com/toolverdict/toolverdict/internal/rollout"
)

// versionOf is a policy that was put in force some time after the start.
func versionOf(n int) *rollout.Version {
	return &rollout.Version{
		Point:  rollout.Point{Hash: fmt.Sprintf("%064d", n), Version: fmt.Sprintf("v%d", n), Origin: "files", At: start.Add(time.Duration(n) * time.Second)},
		Files:  []bundle.File{{Name: "policy.yaml", Content: []byte("# <\u2028>\n" + strings.Repeat("x", n))}},
		Bundle: append([]byte{0xff}, fmt.Sprint(n)...),
	}
}

// policies come back as they were kept, with the record of each and not without.
func policies(t *testing.T, s Subject) {
	st, ctx := s.open(t), t.Context()
	if _, err := st.PolicyVersion(ctx, "none"); !errors.Is(err, tv.ErrNotFound) {
		t.Errorf("a policy that is not there: %v", err)
	}
	for n := range 3 {
		must(t, st.KeepPolicy(ctx, rollout.Change{Version: versionOf(n), Record: record("kept")}))
	}
	again := versionOf(0) // comes back into force, from elsewhere
	again.At, again.Origin = start.Add(time.Minute), "bundle"
	must(t, st.KeepPolicy(ctx, rollout.Change{Version: again, Record: record("kept")}))
	all, err := st.PolicyVersions(ctx)
	must(t, err)
	same(t, "the newest first", all, []rollout.Point{again.Point, versionOf(2).Point, versionOf(1).Point})
	for _, want := range []*rollout.Version{again, versionOf(1), versionOf(2)} {
		got, err := st.PolicyVersion(ctx, want.Hash)
		must(t, err)
		same(t, "version "+want.Version, got, *want)
	}
	wantRefused(t, st.KeepPolicy(ctx, rollout.Change{Version: versionOf(9)}), "a policy without a record")
	wantRefused(t, st.KeepPolicy(ctx, rollout.Change{Version: &rollout.Version{}, Record: record("x")}), "a policy without a hash")
	if n := s.verified(t, st).Records; n != 4 {
		t.Errorf("four changes left %d records", n)
	}
}

// policyNotes are changed by many at once: of those who read the same one, one
// wins, and the others write nothing at all.
func policyNotes(t *testing.T, s Subject) {
	st, ctx := s.open(t), t.Context()
	none, err := st.PolicyNote(ctx, "a")
	must(t, err)
	same(t, "no note", none, rollout.Note{})
	won := make(chan int, 8)
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			err := st.KeepPolicy(ctx, rollout.Change{
				Notes:   []rollout.NoteChange{{Key: "a", Body: []byte("first")}, {Key: fmt.Sprint("b", n), Body: []byte("beside")}},
				Version: versionOf(n), Record: record("note"),
			})
			if err == nil {
				won <- n
				return
			}
			if conflict, ok := errors.AsType[*tv.ConflictError](err); !ok || conflict.What != "policy" || conflict.Key != "a" {
				t.Errorf("got %v, want a conflict", err)
			}
		})
	}
	wg.Wait()
	kept, err := st.PolicyVersions(ctx)
	must(t, err)
	if len(won) != 1 || len(kept) != 1 || s.verified(t, st).Records != 1 {
		t.Errorf("%d won, %d versions are kept", len(won), len(kept))
	}
	beside, err := st.PolicyNote(ctx, "b"+strings.TrimPrefix(kept[0].Version, "v"))
	must(t, err)
	same(t, "the other note of the one that won", beside, rollout.Note{Body: []byte("beside"), Revision: 1})
	must(t, st.KeepPolicy(ctx, rollout.Change{Notes: []rollout.NoteChange{{Key: "a", From: 1, Body: []byte("second")}}, Record: record("note")}))
	got, err := st.PolicyNote(ctx, "a")
	must(t, err)
	same(t, "changed", got, rollout.Note{Body: []byte("second"), Revision: 2})
	wantConflict(t, st.KeepPolicy(ctx, rollout.Change{Notes: []rollout.NoteChange{{Key: "a", From: 1, Body: []byte("late")}}, Record: record("note")}), "policy", "a")
	for name, notes := range map[string][]rollout.NoteChange{
		"no key": {{Body: []byte("x")}}, "no text": {{Key: "c"}}, "from nowhere": {{Key: "c", From: -1, Body: []byte("x")}},
		"twice": {{Key: "c", Body: []byte("x")}, {Key: "c", Body: []byte("y")}},
	} {
		wantRefused(t, st.KeepPolicy(ctx, rollout.Change{Notes: notes, Record: record("note")}), name)
	}
}

// oldPolicies are forgotten, but for those that are needed.
func oldPolicies(t *testing.T, s Subject) {
	st, ctx := s.open(t), t.Context()
	for n := range rollout.MaxVersions + 3 {
		must(t, st.KeepPolicy(ctx, rollout.Change{Version: versionOf(n), Spare: []string{versionOf(1).Hash}, Record: record("kept")}))
	}
	late := versionOf(0) // of a clock that was set back: what is written now stays
	must(t, st.KeepPolicy(ctx, rollout.Change{Version: late, Spare: []string{versionOf(1).Hash}, Record: record("kept")}))
	all, err := st.PolicyVersions(ctx)
	must(t, err)
	got := map[string]bool{}
	for _, p := range all {
		got[p.Version] = true
	}
	if len(all) != rollout.MaxVersions+2 || !got["v0"] || !got["v1"] || got["v2"] || !got["v3"] || !got["v52"] {
		t.Errorf("%d are kept: %v", len(all), got)
	}
}
