// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/gatetest"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// TestWhatWasApprovedIsAllThatRuns approves one call and then changes one thing:
// a byte of the arguments, the tool's definition, the policy, the caller, what
// the caller may do, or what the host says. However the caller then comes back,
// nothing runs that was not approved, unless it is the approved call itself.
func TestWhatWasApprovedIsAllThatRuns(t *testing.T) {
	t.Parallel()
	tb := t
	rapid.Check(t, func(t *rapid.T) {
		tool := func(d *tv.Definition) { d.Safety, d.Permission = tv.Destructive, "p.cancel" }
		r := newRig(tb, gatetest.Always(tv.Ask), []*tv.Tool{gatetest.Tool("cancel", tool)}, nil)
		args, err := json.Marshal(map[string]any{
			"id": rapid.StringMatching(`[A-Za-z0-9 é\\"]{0,8}`).Draw(t, "id"), "n": rapid.IntRange(-5, 500).Draw(t, "n"), "deep": []any{true, nil, "x"},
		})
		if err != nil {
			t.Fatal(err)
		}
		edited := rapid.Bool().Draw(t, "edited before")
		p := call("cancel", string(args))
		asked := r.do(p)
		id := asked.Confirmation.ID
		if edited {
			next, err := r.Edit(context.Background(), approver, id, []byte(`{"id":"edited"}`), "")
			if err != nil {
				t.Fatal(err)
			}
			id = next.ID
		}
		r.mustDesk(r.desk.Approve, third, id)
		approved, err := r.store.Approval(context.Background(), id)
		if err != nil {
			t.Fatal(err)
		}
		changed := change(t, r, &p, tool)
		if how := rapid.IntRange(0, 2).Draw(t, "comes back"); how == 1 {
			p.Confirmation = rapid.SampledFrom([]string{id, asked.Confirmation.ID}).Draw(t, "with")
		} else if how == 2 {
			p.Confirmation, p.Tool, p.Arguments = id, "", nil
		}
		res, err := r.Do(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		ran := r.exec.Ran()
		same := p.Tool == "" && changed == "arguments" || changed == "nothing" || changed == "arguments" && spelt(p.Arguments, args)
		if !same && len(ran) != 0 {
			t.Fatalf("with other %s than was approved, %v ran: %+v", changed, ran, res)
		}
		if same && len(ran) != 1 || len(ran) == 1 && ran[0].Arguments != string(approved.Call.Arguments) {
			t.Fatalf("approved was %s, and %v ran: %+v", approved.Call.Arguments, ran, res.Error)
		}
	})
}

// change changes one thing and says which.
func change(t *rapid.T, r *rig, p *tv.Proposal, tool func(*tv.Definition)) string {
	what := rapid.SampledFrom([]string{
		"nothing", "arguments", "definition", "policy", "verdict", "permissions", "subject", "user", "agent", "environment", "run", "switch", "deadline",
	}).Draw(t, "change")
	switch what {
	case "arguments":
		at := rapid.IntRange(0, len(p.Arguments)-1).Draw(t, "at")
		b := slices.Clone(p.Arguments)
		b[at] = rapid.Byte().Draw(t, "byte")
		p.Arguments = b
	case "definition":
		r.snaps.Swap(gatetest.Catalog{gatetest.Tool("cancel", func(d *tv.Definition) { tool(d); d.Impact = "other" })}, r.snaps.Current().Policy)
	case "policy":
		other := gatetest.Always(tv.Ask)
		other.Name = "another that asks"
		r.snaps.Swap(r.snaps.Current().Catalog, other)
	case "verdict":
		r.snaps.Swap(r.snaps.Current().Catalog, gatetest.Always(tv.Deny))
	case "permissions":
		p.Subject.Permissions = rapid.SampledFrom([][]string{nil, {"p.canc"}, {"q.*"}, {"P.CANCEL"}}).Draw(t, "permissions")
	case "subject":
		p.Subject.ID = "agent-2"
	case "user":
		p.Subject.User = "user-2"
	case "agent":
		p.Subject.Agent = "helper"
	case "environment":
		p.Environment = map[string]string{"stage": "prod"}
	case "run":
		p.Run.ReadOnly = true
	case "switch":
		p.Run.Disabled = []string{"server/cancel"}
	case "deadline":
		a, err := r.store.Approvals(context.Background(), tv.ApprovalQuery{State: tv.ApprovalApproved})
		if err != nil || len(a) != 1 {
			t.Fatal(a, err)
		}
		r.clock.Pass(a[0].Expires.Sub(r.clock.Now()))
	}
	return what
}

// spelt reports whether two texts are the same arguments in two spellings.
func spelt(a, b []byte) bool {
	one, err := canon.ParseArguments(a, canon.Limits{})
	other, otherErr := canon.ParseArguments(b, canon.Limits{})
	return err == nil && otherErr == nil && canon.Equal(one, other)
}

// TestOnlyThoseWhoAreNamedApprove: whatever roles, groups and ids somebody has
// beside the one that is asked for, it is that one that counts.
func TestOnlyThoseWhoAreNamedApprove(t *testing.T) {
	t.Parallel()
	tb := t
	names := []string{"finance", "ops", "viewer", "finance2", "Finance", "role:finance", "*", ""}
	rapid.Check(t, func(t *rapid.T) {
		of := func(what string) []string { return rapid.SliceOfN(rapid.SampledFrom(names), 0, 4).Draw(t, what) }
		by := tv.Subject{
			ID:    rapid.SampledFrom([]string{"fin-1", "boss", "user-1", "agent-1", "finance", ""}).Draw(t, "id"),
			Kind:  rapid.SampledFrom([]tv.SubjectKind{tv.Person, tv.Agent, tv.Service, ""}).Draw(t, "kind"),
			User:  rapid.SampledFrom([]string{"", "user-1", "fin-1"}).Draw(t, "user"),
			Roles: of("roles"), Groups: of("groups"), Permissions: []string{"*"},
		}
		who := rapid.SampledFrom([]string{"role:finance", "group:finance", "user:fin-1"}).Draw(t, "asked")
		p := gatetest.Policy{Name: "p", Func: func(tv.Request) tv.Decision {
			d := gatetest.Says(tv.Ask)
			d.Asks[0].Approvers = []string{who}
			return d
		}}
		r := newRig(tb, p, []*tv.Tool{cancelTool()}, nil)
		id := r.do(call("cancel", `{"id":"A1"}`)).Confirmation.ID
		_, err := r.desk.Approve(context.Background(), by, id, "")
		named := map[string]bool{
			"role:finance": slices.Contains(by.Roles, "finance"), "group:finance": slices.Contains(by.Groups, "finance"), "user:fin-1": by.ID == "fin-1",
		}[who]
		requester := by.ID == "user-1" || by.ID == "agent-1" || by.User == "user-1"
		may := named && by.Kind == tv.Person && by.ID != "" && !requester
		if (err == nil) != may {
			t.Fatalf("%s is asked and %+v answers: %v", who, by, err)
		}
		if _, err := r.Edit(context.Background(), by, id, []byte(`{"id":"A2"}`), ""); err == nil {
			t.Fatalf("%+v changed what is answered, or is not theirs to answer", by)
		}
		a, err := r.store.Approval(context.Background(), id)
		if err != nil || (a.State == tv.ApprovalApproved) != may {
			t.Fatalf("it is %s, %v", a.State, err)
		}
	})
}
