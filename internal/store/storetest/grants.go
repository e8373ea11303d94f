// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
)

func grantOf(id string) tv.Grant {
	return tv.Grant{
		ID: id, Approval: "approval of " + id, Tool: "orders/cancel_order", ToolHash: "t", PolicyHash: "p",
		Requirements: []tv.Requirement{{Rule: "r", Approvers: []string{"role:approver"}, Quorum: 1, Expires: time.Hour}},
		Scope:        tv.GrantScope{Subject: "agent:one", Session: "s", Environment: map[string]string{"stage": "prod"}},
		When:         json.RawMessage(`{"args.order_id":"A1001"}`), Label: "Cancel A1001", By: tv.Subject{ID: "boss", Kind: tv.Person},
		Created: start, Expires: start.Add(time.Hour), MaxUses: 3,
	}
}

func withGrant(from int64, to tv.Grant) tv.Changes {
	return tv.Changes{Records: []tv.Record{record("of " + to.ID)}, Grants: []tv.GrantChange{{From: from, To: to}}}
}

func using(at time.Time, ids ...string) tv.Changes {
	r := record("user")
	r.At = at
	return tv.Changes{Records: []tv.Record{r}, Uses: ids}
}

// grants come back as they were written, and not a second time.
func grants(t *testing.T, s Subject) {
	st, ctx := s.open(t), t.Context()
	if _, err := st.Grant(ctx, "g"); !errors.Is(err, tv.ErrNotFound) {
		t.Errorf("a grant that nobody gave: got %v, want ErrNotFound", err)
	}
	want := grantOf("g")
	must(t, st.Commit(ctx, withGrant(0, want)))
	got, err := st.Grant(ctx, "g")
	must(t, err)
	want.Version = 1
	same(t, "grant", got, want)
	wantConflict(t, st.Commit(ctx, withGrant(0, want)), "grant", "g")
	wantConflict(t, st.Commit(ctx, withGrant(2, want)), "grant", "g")

	got.Scope.Environment["stage"], got.When[2] = "test", 'x'
	again, err := st.Grant(ctx, "g")
	must(t, err)
	same(t, "what a caller does with a grant is its own business", again, want)
}

// grantSteps wants nothing of a grant to change but its end.
func grantSteps(t *testing.T, s Subject) {
	st, ctx := s.open(t), t.Context()
	for why, bend := range map[string]func(*tv.Grant){
		"a day":               func(g *tv.Grant) { g.Expires = g.Created.Add(24 * time.Hour) },
		"no time":             func(g *tv.Grant) { g.Expires = g.Created },
		"any number of uses":  func(g *tv.Grant) { g.MaxUses = tv.MaxGrantUses + 1 },
		"no use":              func(g *tv.Grant) { g.MaxUses = 0 },
		"uses from the start": func(g *tv.Grant) { g.Used = -1 },
		"no condition":        func(g *tv.Grant) { g.When = nil },
		"no subject":          func(g *tv.Grant) { g.Scope.Subject = "" },
		"no tool":             func(g *tv.Grant) { g.ToolHash = "" },
		"no policy":           func(g *tv.Grant) { g.PolicyHash = "" },
		"no ask":              func(g *tv.Grant) { g.Requirements = nil },
		"nobody's":            func(g *tv.Grant) { g.By = tv.Subject{} },
		"in place of two":     func(g *tv.Grant) { g.Requirements[0].Quorum = 2 },
		"no name":             func(g *tv.Grant) { g.ID = "" },
	} {
		g := grantOf("new")
		bend(&g)
		wantRefused(t, st.Commit(ctx, withGrant(0, g)), "a grant with "+why)
	}
	must(t, st.Commit(ctx, withGrant(0, grantOf("g"))))
	for why, bend := range map[string]func(*tv.Grant){
		"another tool":      func(g *tv.Grant) { g.Tool = "orders/refund" },
		"another subject":   func(g *tv.Grant) { g.Scope.Subject = "agent:two" },
		"another session":   func(g *tv.Grant) { g.Scope.Session = "" },
		"another condition": func(g *tv.Grant) { g.When = json.RawMessage(`{}`) },
		"more time":         func(g *tv.Grant) { g.Expires = g.Expires.Add(time.Minute) },
		"more uses":         func(g *tv.Grant) { g.MaxUses++ },
		"fewer uses made":   func(g *tv.Grant) { g.Used-- },
		"no condition":      func(g *tv.Grant) { g.When = nil },
	} {
		g := grantOf("g")
		bend(&g)
		wantRefused(t, st.Commit(ctx, withGrant(1, g)), "a grant that is moved to "+why)
	}
	g := grantOf("g")
	g.Revoked = &tv.Revocation{By: "boss", At: start, Reason: "enough"}
	must(t, st.Commit(ctx, withGrant(1, g)))
	got, err := st.Grant(ctx, "g")
	must(t, err)
	g.Version, g.When = 2, nil
	same(t, "a grant that was taken back", got, g)
	g.Revoked = nil
	wantRefused(t, st.Commit(ctx, withGrant(2, g)), "a grant that is given again")
	g.Revoked = &tv.Revocation{By: "other", At: start}
	wantRefused(t, st.Commit(ctx, withGrant(2, g)), "a grant that is taken back twice")
	wantConflict(t, st.Commit(ctx, using(start, "g")), "grant", "g")

	must(t, st.Commit(ctx, withGrant(0, grantOf("late"))))
	late := grantOf("late")
	late.When = nil
	after := withGrant(1, late)
	after.Records[0].At = late.Expires
	must(t, st.Commit(ctx, after))
}

// grantUses are counted one by one, and refused after the last, after the end,
// and before the beginning.
func grantUses(t *testing.T, s Subject) {
	st, ctx := s.open(t), t.Context()
	wantConflict(t, st.Commit(ctx, using(start, "g")), "grant", "g")
	wantRefused(t, st.Commit(ctx, using(start, "")), "a use of a grant without a name")
	must(t, st.Commit(ctx, withGrant(0, grantOf("g"))))
	wantRefused(t, st.Commit(ctx, using(start, "g", "g")), "two uses in one change")
	wantConflict(t, st.Commit(ctx, using(start.Add(-time.Second), "g")), "grant", "g")
	wantConflict(t, st.Commit(ctx, using(start.Add(time.Hour), "g")), "grant", "g")
	for i := range 3 {
		must(t, st.Commit(ctx, using(start.Add(time.Hour-time.Microsecond), "g")))
		got, err := st.Grant(ctx, "g")
		must(t, err)
		if got.Used != i+1 || got.Version != int64(i)+2 {
			t.Errorf("after use %d: used %d, version %d", i+1, got.Used, got.Version)
		}
		if forgotten := got.When == nil; forgotten != (i == 2) {
			t.Errorf("after use %d of 3 the condition is %s", i+1, got.When)
		}
	}
	wantConflict(t, st.Commit(ctx, using(start, "g")), "grant", "g")

	// A use that cannot be had leaves nothing of its change.
	c := withClaim(0, claimOf("k", tv.ClaimDispatched))
	c.Uses = []string{"g"}
	wantConflict(t, st.Commit(ctx, c), "grant", "g")
	if _, err := st.Claim(ctx, "k"); !errors.Is(err, tv.ErrNotFound) {
		t.Errorf("the claim of a call without its grant: got %v, want ErrNotFound", err)
	}
	// Nor does a change that meets another one use up a grant.
	must(t, st.Commit(ctx, withGrant(0, grantOf("h"))))
	c = withClaim(7, claimOf("k", tv.ClaimDispatched))
	c.Uses = []string{"h"}
	wantConflict(t, st.Commit(ctx, c), "claim", "k")
	got, err := st.Grant(ctx, "h")
	must(t, err)
	same(t, "uses", got.Used, 0)
}

// grantRaces wants as many winners as there are uses, and one who takes it back
// to be the last.
func grantRaces(t *testing.T, s Subject) {
	st, ctx := s.open(t), t.Context()
	must(t, st.Commit(ctx, withGrant(0, grantOf("g"))))
	if won := race(t, func(int) error { return st.Commit(ctx, using(start, "g")) }); won != 3 {
		t.Errorf("%d callers used a grant for 3", won)
	}
	wide := grantOf("h")
	wide.MaxUses = tv.MaxGrantUses
	must(t, st.Commit(ctx, withGrant(0, wide)))
	won := race(t, func(i int) error {
		if i != 0 {
			return st.Commit(ctx, using(start, "h"))
		}
		for {
			g, err := st.Grant(ctx, "h")
			if err != nil {
				return err
			}
			g.Revoked = &tv.Revocation{By: "boss", At: start}
			err = st.Commit(ctx, withGrant(g.Version, g))
			if _, ok := errors.AsType[*tv.ConflictError](err); !ok {
				return err
			}
		}
	})
	got, err := st.Grant(ctx, "h")
	must(t, err)
	if got.Revoked == nil || got.Used != won-1 {
		t.Errorf("%d used it and one took it back; it says used %d, taken back %v", won-1, got.Used, got.Revoked)
	}
}

func grantLists(t *testing.T, s Subject) {
	st, ctx := s.open(t), t.Context()
	for i, id := range numbered("g", 6) {
		g := grantOf(id)
		g.Created = start.Add(time.Duration(i) * time.Minute)
		g.Expires = g.Created.Add(10 * time.Minute)
		if i == 1 {
			g.Tool = "orders/refund"
		}
		if i == 2 {
			g.Scope.Subject = "agent:two"
		}
		must(t, st.Commit(ctx, withGrant(0, g)))
		if i == 3 {
			g.Revoked = &tv.Revocation{By: "boss", At: start}
			must(t, st.Commit(ctx, withGrant(1, g)))
		}
	}
	at := func(minutes int) time.Time { return start.Add(time.Duration(minutes) * time.Minute) }
	for name, c := range map[string]struct {
		q    tv.GrantQuery
		want []int
	}{
		"all":            {tv.GrantQuery{}, []int{0, 1, 2, 3, 4, 5}},
		"two":            {tv.GrantQuery{Limit: 2}, []int{0, 1}},
		"the next two":   {tv.GrantQuery{Limit: 2, AfterID: "g-0001"}, []int{2, 3}},
		"after nothing":  {tv.GrantQuery{AfterID: "g-9999"}, nil},
		"of a tool":      {tv.GrantQuery{Tool: "orders/refund"}, []int{1}},
		"of a subject":   {tv.GrantQuery{Subject: "agent:two"}, []int{2}},
		"open":           {tv.GrantQuery{OpenAt: at(9)}, []int{0, 1, 2, 4, 5}},
		"open later":     {tv.GrantQuery{OpenAt: at(12)}, []int{4, 5}},
		"open at first":  {tv.GrantQuery{OpenAt: at(0)}, []int{0}},
		"expired":        {tv.GrantQuery{ExpiredBy: at(12)}, []int{0, 1, 2}},
		"open of a tool": {tv.GrantQuery{OpenAt: at(5), Tool: "orders/cancel_order", Subject: "agent:one"}, []int{0, 4, 5}},
	} {
		found, err := st.Grants(ctx, c.q)
		must(t, err)
		var got, want []string
		for _, g := range found {
			got = append(got, g.ID)
		}
		for _, i := range c.want {
			want = append(want, fmt.Sprintf("g-%04d", i))
		}
		same(t, name, got, want)
	}
}
