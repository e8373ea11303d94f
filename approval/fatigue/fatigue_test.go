// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package fatigue_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval/fatigue"
)

var start = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

func person(name string) tv.Subject {
	return tv.Subject{ID: name, User: name, Kind: tv.Person, Roles: []string{"ops"}}
}

// asked is a question of these rules that was answered with these votes, each a
// time after it and yes or no.
func asked(state tv.ApprovalState, rules []string, votes ...tv.Vote) tv.Approval {
	a := tv.Approval{
		State: state, Call: tv.StoredCall{Subject: tv.Subject{ID: "agent", Kind: tv.Agent}}, Created: start, Expires: start.Add(15 * time.Minute), Votes: votes,
	}
	for _, rule := range rules {
		a.Requirements = append(a.Requirements, tv.Requirement{Rule: rule, Approvers: []string{"role:ops"}, Quorum: 1})
	}
	return a
}

func vote(yes bool, after time.Duration) tv.Vote {
	return tv.Vote{By: person("ada"), Approved: yes, At: start.Add(after)}
}

func TestTable(t *testing.T) {
	t.Parallel()
	two := asked(tv.ApprovalExpired, []string{"b"}, vote(true, 3*time.Second))
	two.Requirements[0].Quorum = 2 // nobody gave the second yes
	hasty := asked(tv.ApprovalDone, []string{""}, vote(true, time.Second))
	hasty.Card.Risk = tv.HighRisk
	slow := asked(tv.ApprovalDone, []string{""}, vote(true, 2*time.Second))
	slow.Card.Risk = tv.HighRisk
	late := asked(tv.ApprovalPending, []string{"b"})
	late.Expires = start.Add(time.Minute) // nobody wrote it down yet
	got := fatigue.Table([]tv.Approval{
		asked(tv.ApprovalDone, []string{"a", "b", "a"}, vote(true, 10*time.Second)),
		asked(tv.ApprovalRejected, []string{"a"}, vote(false, 20*time.Second)),
		asked(tv.ApprovalExpired, []string{"a"}, vote(true, time.Minute)), // given, and nobody came for it
		asked(tv.ApprovalRevoked, []string{"a"}, vote(true, 40*time.Second)),
		asked(tv.ApprovalCancelled, []string{"a"}),
		asked(tv.ApprovalPending, []string{"a"}),
		two, late, hasty, slow,
	}, start.Add(2*time.Minute))
	want := []fatigue.Rule{
		{Rule: "a", Asked: 6, Approved: 3, Rejected: 1, Withdrawn: 1, Waiting: 1, Rate: 0.75, Median: 30 * time.Second},
		{Rule: "b", Asked: 3, Approved: 1, Unanswered: 2, Rate: 1.0 / 3, Median: 10 * time.Second},
		{Rule: "", Asked: 2, Approved: 2, Rate: 1, Median: 1500 * time.Millisecond, Hasty: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestNoise holds where a rule begins to be noise: it takes enough questions, and
// more yeses than 95 in a hundred.
func TestNoise(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		yes, no, silent, waiting int
		want                     bool
	}{
		{yes: 50, want: true}, {yes: 49, waiting: 10}, {yes: 95, no: 5}, {yes: 96, no: 4, want: true},
		{yes: 96, silent: 4, want: true}, {yes: 95, silent: 5}, {no: 100}, {},
	} {
		var all []tv.Approval
		for state, n := range map[tv.ApprovalState]int{tv.ApprovalDone: c.yes, tv.ApprovalRejected: c.no, tv.ApprovalExpired: c.silent, tv.ApprovalPending: c.waiting} {
			for range n {
				a := asked(state, []string{"r"})
				if state == tv.ApprovalDone || state == tv.ApprovalRejected {
					a.Votes = []tv.Vote{vote(state == tv.ApprovalDone, time.Minute)}
				}
				all = append(all, a)
			}
		}
		table := fatigue.Table(all, start)
		if got := len(table) == 1 && table[0].Noise; got != c.want {
			t.Errorf("%+v: noise %v", c, got)
		}
	}
}

// shop is a store of approvals, oldest first.
type shop struct {
	all  []tv.Approval
	lost error
}

func (s shop) Approvals(_ context.Context, q tv.ApprovalQuery) ([]tv.Approval, error) {
	all := slices.Clone(s.all)
	if q.Newest {
		slices.Reverse(all)
	}
	if i := slices.IndexFunc(all, func(a tv.Approval) bool { return a.ID == q.AfterID }); i >= 0 {
		all = all[i+1:]
	}
	return all[:min(len(all), q.Limit)], s.lost
}

// TestRead takes the newest of a window, over pages, and says what it left.
func TestRead(t *testing.T) {
	t.Parallel()
	var s shop
	for i := range 1203 {
		a := asked(tv.ApprovalDone, []string{"r"}, vote(true, time.Minute))
		a.ID, a.Created = fmt.Sprint(i), start.Add(time.Duration(i)*time.Second)
		s.all = append(s.all, a)
	}
	at := start.Add(time.Hour)
	for name, c := range map[string]struct {
		since time.Time
		most  int
		want  fatigue.Report
	}{
		"all":                  {since: start, want: fatigue.Report{Since: start, Seen: 1203}},
		"some":                 {since: start.Add(200 * time.Second), want: fatigue.Report{Since: start.Add(200 * time.Second), Seen: 1003}},
		"as many as there are": {since: start, most: 1203, want: fatigue.Report{Since: start, Seen: 1203}},
		"capped":               {since: start, most: 1000, want: fatigue.Report{Since: start.Add(203 * time.Second), Seen: 1000, Capped: true}},
		"none":                 {since: at, want: fatigue.Report{Since: at}},
	} {
		got, err := fatigue.Read(t.Context(), s, fatigue.Window{Since: c.since, At: at, Most: c.most})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		asked := 0
		for _, r := range got.Rules {
			asked += r.Asked
		}
		got.Rules = nil
		if diff := cmp.Diff(c.want, got); diff != "" || asked != c.want.Seen {
			t.Errorf("%s: counted %d: %s", name, asked, diff)
		}
	}
	s.lost = errors.New("disk gone")
	if _, err := fatigue.Read(t.Context(), s, fatigue.Window{At: at}); !errors.Is(err, s.lost) {
		t.Errorf("a store that is lost: %v", err)
	}
}

// TestOrderDoesNotMatter holds that the table is of the questions, not of how
// they are listed.
func TestOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	var all []tv.Approval
	for i := range 60 {
		all = append(all, asked(tv.ApprovalDone, []string{fmt.Sprint(i % 7)}, vote(true, time.Duration(i)*time.Second)))
	}
	want := fatigue.Table(all, start)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if diff := cmp.Diff(want, fatigue.Table(all, start)); diff != "" {
		t.Error(diff)
	}
}
