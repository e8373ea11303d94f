// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/gatetest"
	"github.com/toolverdict/toolverdict/internal/store/sqlite"
)

// granting is a rig whose grants hold for every call, but for what the gate
// itself checks.
func granting(t testing.TB, p tv.Policy, tools []*tv.Tool, holds func(tv.Grant, tv.Request) bool) *rig {
	t.Helper()
	return newRig(t, p, tools, func(c *tv.Config) {
		c.Grants = gatetest.Grants{Store: c.Store.(listsGrants), Holds: holds}
	})
}

type listsGrants interface {
	Grants(ctx context.Context, q tv.GrantQuery) ([]tv.Grant, error)
}

// grant is one for a tool's calls by the caller, for three of them.
func (r *rig) grant(tool *tv.Tool, edit func(*tv.Grant)) tv.Grant {
	r.t.Helper()
	_, hash := r.snaps.Current().Policy.Identity()
	now := r.clock.Now()
	g := tv.Grant{
		ID: "grant-1", Approval: "a", Tool: tool.Name(), ToolHash: tool.Hash(), PolicyHash: hash,
		Requirements: []tv.Requirement{{Rule: "rule-ask", Approvers: []string{"role:approver"}, Quorum: 1}, {Quorum: 1}},
		Scope:        tv.GrantScope{Subject: caller.ID, User: caller.User, Agent: caller.Agent},
		When:         json.RawMessage(`{}`), By: approver, Created: now, Expires: now.Add(time.Hour), MaxUses: 3,
	}
	if edit != nil {
		edit(&g)
	}
	r.give(g)
	return g
}

func (r *rig) give(g tv.Grant) {
	r.t.Helper()
	if err := r.store.Commit(context.Background(), tv.Changes{
		Records: []tv.Record{{Kind: tv.RecordAdmin, At: g.Created}}, Grants: []tv.GrantChange{{To: g}},
	}); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) used(id string) int {
	r.t.Helper()
	g, err := r.store.Grant(context.Background(), id)
	if err != nil {
		r.t.Fatal(err)
	}
	return g.Used
}

func TestGrantedCallsRunWithoutAPerson(t *testing.T) {
	t.Parallel()
	tool := cancelTool()
	r := granting(t, gatetest.Always(tv.Ask), []*tv.Tool{tool}, nil)
	r.grant(tool, nil)
	for range 3 { // one and the same call: each is its own act, as under an allow
		res := r.do(call("cancel", `{"id":"A1"}`))
		r.want(res, "")
		want := tv.Decision{Verdict: tv.Allow, Rule: "rule-ask", Grant: "grant-1"}
		if diff := cmp.Diff(want, tv.Decision{Verdict: res.Decision.Verdict, Code: res.Decision.Code, Rule: res.Decision.Rule, Grant: res.Decision.Grant}); diff != "" {
			t.Error(diff)
		}
	}
	r.wantRuns(3)
	r.want(r.do(call("cancel", `{"id":"A1"}`)), tv.ConfirmationRequired)
	r.wantRuns(3)
	for _, rec := range r.records() {
		if rec.Kind == tv.RecordDecision && rec.Verdict == "allow" && rec.Grant != "grant-1" {
			t.Errorf("the record of an intent does not name the grant: %+v", rec.Record)
		}
	}
	want := "admin decision:allow/dispatched outcome/succeeded decision:allow/dispatched outcome/succeeded " +
		"decision:allow/dispatched outcome/succeeded decision:ask(CONFIRMATION_REQUIRED)/waiting"
	if got := r.story(); got != want {
		t.Errorf("records\ngot  %s\nwant %s", got, want)
	}
}

// What a grant does not say itself holds nothing open, whatever its condition.
func TestGrantsThatDoNotCount(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		grant func(*tv.Grant)
		after func(*rig, *tv.Proposal)
		want  tv.Code
	}{
		"another subject's":                {grant: func(g *tv.Grant) { g.Scope.Subject = other.ID }},
		"another user's":                   {grant: func(g *tv.Grant) { g.Scope.User = other.User }},
		"another agent's":                  {grant: func(g *tv.Grant) { g.Scope.Agent = "helper" }},
		"of another run":                   {grant: func(g *tv.Grant) { g.Scope.Run = "run-2" }},
		"of another session":               {grant: func(g *tv.Grant) { g.Scope.Session = "s-2" }},
		"in another environment":           {grant: func(g *tv.Grant) { g.Scope.Environment = map[string]string{"stage": "test"} }},
		"of another tool":                  {grant: func(g *tv.Grant) { g.Tool = "server/other" }},
		"of the tool as it was":            {grant: func(g *tv.Grant) { g.ToolHash = "x" }},
		"under another policy":             {grant: func(g *tv.Grant) { g.PolicyHash = "x" }},
		"for another rule's ask":           {grant: func(g *tv.Grant) { g.Requirements = g.Requirements[1:] }},
		"at its end":                       {after: func(r *rig, _ *tv.Proposal) { r.clock.Pass(time.Hour) }},
		"before its beginning":             {after: func(r *rig, _ *tv.Proposal) { r.clock.Pass(-time.Second) }},
		"where it is denied":               {after: deniesNow, want: tv.PolicyDenied},
		"where the permission is gone":     {after: func(_ *rig, p *tv.Proposal) { p.Subject.Permissions = nil }, want: tv.PermissionDenied},
		"in a run that only reads":         {after: func(_ *rig, p *tv.Proposal) { p.Run.ReadOnly = true }, want: tv.ToolNotAllowed},
		"of a tool that was switched off":  {after: func(_ *rig, p *tv.Proposal) { p.Run.Disabled = []string{"server/cancel"} }, want: tv.ToolNotAllowed},
		"to a call that a person rejected": {after: rejects, want: tv.ConfirmationInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := gatetest.Tool("cancel", func(d *tv.Definition) { d.Safety, d.Permission = tv.Destructive, "p.cancel" })
			r := granting(t, gatetest.Always(tv.Ask), []*tv.Tool{tool}, nil)
			p := call("cancel", `{"id":"A1"}`)
			if c.after != nil && name == "to a call that a person rejected" {
				c.after(r, &p)
			}
			r.grant(tool, c.grant)
			if c.after != nil && name != "to a call that a person rejected" {
				c.after(r, &p)
			}
			want := c.want
			if want == "" {
				want = tv.ConfirmationRequired
			}
			r.want(r.do(p), want)
			r.wantRuns(0)
			if n := r.used("grant-1"); n != 0 {
				t.Errorf("it was used %d times", n)
			}
		})
	}
}

// A no holds as long against a grant as against asking again: for the run, past its
// own deadline, and under another key. What another run asks was not rejected.
func TestNoGrantUndoesANo(t *testing.T) {
	t.Parallel()
	tool := cancelTool()
	r := granting(t, gatetest.Always(tv.Ask), []*tv.Tool{tool}, nil)
	first := call("cancel", `{"id":"A1"}`)
	first.Run.ID, first.IdempotencyKey = "run-1", "key-1"
	rejects(r, &first)
	r.grant(tool, nil)
	rejected := func(p tv.Proposal) {
		t.Helper()
		res := r.do(p)
		r.want(res, tv.ConfirmationInvalid)
		if res.Confirmation == nil || res.Confirmation.State != tv.ApprovalRejected {
			t.Errorf("not told that a person said no: %+v", res.Error)
		}
	}
	another := first
	another.IdempotencyKey = "key-2"
	keyless := first
	keyless.IdempotencyKey = ""
	for _, wait := range []time.Duration{0, 16 * time.Minute} {
		r.clock.Pass(wait)
		for _, p := range []tv.Proposal{first, another, keyless} {
			rejected(p)
		}
	}
	r.wantRuns(0)
	if n := r.used("grant-1"); n != 0 {
		t.Errorf("it was used %d times", n)
	}
	elsewhere := keyless
	elsewhere.Run.ID = "run-2"
	r.want(r.do(elsewhere), "")
	like := keyless
	like.Arguments = []byte(`{"id":"A2"}`)
	r.want(r.do(like), "")
	r.wantRuns(2)
}

func deniesNow(r *rig, _ *tv.Proposal) {
	p := gatetest.Always(tv.Deny)
	p.Name = "always-ask" // under the very policy that the grant was given under
	r.snaps.Swap(r.snaps.Current().Catalog, p)
}

func rejects(r *rig, p *tv.Proposal) {
	r.mustDesk(r.desk.Reject, approver, r.do(*p).Confirmation.ID)
}

// A quorum of two is never one person's to answer, whatever the grant says.
func TestGrantsDoNotStandForTwo(t *testing.T) {
	t.Parallel()
	tool := cancelTool()
	two := gatetest.Policy{Name: "two", Func: func(tv.Request) tv.Decision {
		d := gatetest.Says(tv.Ask)
		d.Asks[0].Quorum = 2
		return d
	}}
	r := granting(t, two, []*tv.Tool{tool}, nil)
	r.grant(tool, nil)
	r.want(r.do(call("cancel", `{"id":"A1"}`)), tv.ConfirmationRequired)
	r.wantRuns(0)
}

func TestNoGrantReachesHighRisk(t *testing.T) {
	t.Parallel()
	for _, v := range []tv.Verdict{tv.Ask, tv.Allow} {
		tool := gatetest.Tool("cancel", func(d *tv.Definition) { d.Safety, d.Risk, d.Permission = tv.Destructive, tv.HighRisk, "p.cancel" })
		r := granting(t, gatetest.Always(v), []*tv.Tool{tool}, nil)
		r.grant(tool, nil)
		r.want(r.do(call("cancel", `{"id":"A1"}`)), tv.ConfirmationRequired)
		r.wantRuns(0)
	}
}

// What the definition itself asks counts as an ask where the risk is not high.
func TestGrantsAnswerTheDefinition(t *testing.T) {
	t.Parallel()
	tool := gatetest.Tool("cancel", func(d *tv.Definition) { d.Safety, d.Confirmation = tv.Destructive, tv.ConfirmAlways })
	r := granting(t, gatetest.Always(tv.Allow), []*tv.Tool{tool}, nil)
	r.grant(tool, nil)
	r.want(r.do(call("cancel", `{"id":"A1"}`)), "")
	if n := r.used("grant-1"); n != 1 {
		t.Errorf("it was used %d times", n)
	}
}

// An approval that was given for the very call is used before any grant, and a
// question that still waits ends with the call that a grant answers.
func TestGrantsAndQuestions(t *testing.T) {
	t.Parallel()
	tool := cancelTool()
	r := granting(t, gatetest.Always(tv.Ask), []*tv.Tool{tool}, nil)
	given := r.do(call("cancel", `{"id":"A1","n":1.0}`))
	waiting := r.do(call("cancel", `{"id":"A2"}`))
	r.approve(given)
	r.grant(tool, nil)

	r.want(r.do(call("cancel", `{"n":1,"id":"A1"}`)), "")
	if got := r.exec.Ran()[0].Arguments; got != `{"id":"A1","n":1.0}` || r.used("grant-1") != 0 {
		t.Errorf("ran %s with %d uses of the grant, want the bytes that were approved, with none", got, r.used("grant-1"))
	}
	p := call("cancel", `{"id":"A2"}`)
	p.Confirmation = waiting.Confirmation.ID
	r.want(r.do(p), "")
	r.wantRuns(2)
	if r.used("grant-1") != 1 {
		t.Errorf("%d uses of the grant, want 1", r.used("grant-1"))
	}
	a, err := r.store.Approval(context.Background(), waiting.Confirmation.ID)
	if err != nil || a.State != tv.ApprovalCancelled {
		t.Errorf("the question that the grant answered is %s, %v", a.State, err)
	}
	if _, err := r.desk.Approve(context.Background(), approver, a.ID, ""); err == nil {
		t.Error("a question that a grant answered was answered again")
	}
	r.want(r.do(p), tv.ConfirmationInvalid)
	r.wantRuns(2)
}

// What runs under an approval, or was lost under one, is not passed by.
func TestGrantsDoNotPassWhatIsOpen(t *testing.T) {
	t.Parallel()
	tool := cancelTool()
	r := granting(t, gatetest.Always(tv.Ask), []*tv.Tool{tool}, nil)
	p := call("cancel", `{"id":"A1"}`)
	p.Confirmation = r.approve(r.do(p))
	permit, _, err := r.Check(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	r.grant(tool, nil)
	r.want(r.do(call("cancel", `{"id":"A1"}`)), tv.InProgress)
	if _, err := r.Report(context.Background(), permit, tv.Outcome{Status: tv.Unknown}); err != nil {
		t.Fatal(err)
	}
	r.want(r.do(call("cancel", `{"id":"A1"}`)), tv.OutcomeUnknown)
	r.want(r.do(call("cancel", `{"id":"A2"}`)), "")
	r.wantRuns(1)
}

// A grant that is used up, or taken back, between the look and the write is a
// question again.
func TestGrantLostMeanwhile(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(*rig){
		"used up": func(r *rig) {
			for range 3 {
				if err := r.store.Commit(context.Background(), tv.Changes{Records: []tv.Record{{Kind: tv.RecordAdmin, At: r.clock.Now()}}, Uses: []string{"grant-1"}}); err != nil {
					r.t.Fatal(err)
				}
			}
		},
		"taken back": func(r *rig) {
			g, err := r.store.Grant(context.Background(), "grant-1")
			if err != nil {
				r.t.Fatal(err)
			}
			g.Revoked = &tv.Revocation{By: "boss", At: r.clock.Now()}
			if err := r.store.Commit(context.Background(), tv.Changes{Records: []tv.Record{{Kind: tv.RecordAdmin, At: r.clock.Now()}}, Grants: []tv.GrantChange{{From: g.Version, To: g}}}); err != nil {
				r.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := cancelTool()
			var r *rig
			var once sync.Once
			r = granting(t, gatetest.Always(tv.Ask), []*tv.Tool{tool}, nil)
			inner := r.Grants
			r.Grants = meanwhile{inner, func() { once.Do(func() { lose(r) }) }}
			r.grant(tool, nil)
			r.want(r.do(call("cancel", `{"id":"A1"}`)), tv.ConfirmationRequired)
			r.wantRuns(0)
		})
	}
}

// meanwhile lets something happen after the grants were read.
type meanwhile struct {
	tv.Grants

	then func()
}

func (m meanwhile) Covering(ctx context.Context, r tv.Request) ([]tv.Grant, error) {
	found, err := m.Grants.Covering(ctx, r)
	m.then()
	return found, err
}

type brokenGrants struct{}

func (brokenGrants) Covering(context.Context, tv.Request) ([]tv.Grant, error) {
	return nil, errors.New("no disk")
}

func TestGrantsThatCannotBeReadDeny(t *testing.T) {
	t.Parallel()
	r := newRig(t, gatetest.Always(tv.Ask), []*tv.Tool{cancelTool()}, func(c *tv.Config) { c.Grants = brokenGrants{} })
	res, err := r.Do(context.Background(), call("cancel", `{"id":"A1"}`))
	if err == nil || code(res) != tv.GateUnavailable {
		t.Errorf("got %q, %v", code(res), err)
	}
	r.wantRuns(0)
}

// TestGrantsNeverLoosenADenial gives grants of every kind before calls of every
// kind: whatever was denied without them is denied with them, with the same code,
// and nothing that is outside of a grant's word runs without a person.
func TestGrantsNeverLoosenADenial(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		verdict := rapid.SampledFrom([]tv.Verdict{tv.Deny, tv.Ask, tv.Allow}).Draw(rt, "verdict")
		tool := gatetest.Tool("x", func(d *tv.Definition) {
			d.Safety = rapid.SampledFrom([]tv.Safety{tv.ReadOnly, tv.Destructive}).Draw(rt, "safety")
			d.Risk = rapid.SampledFrom([]tv.Risk{tv.LowRisk, tv.MediumRisk, tv.HighRisk}).Draw(rt, "risk")
			d.Confirmation = rapid.SampledFrom([]tv.Confirmation{tv.ConfirmByRisk, tv.ConfirmAlways, tv.ConfirmNever}).Draw(rt, "confirmation")
			d.Permission = rapid.SampledFrom([]string{"p.x", "q.x"}).Draw(rt, "permission")
		})
		p := call("x", rapid.SampledFrom(arguments).Draw(rt, "arguments"))
		p.Run.ReadOnly = rapid.Bool().Draw(rt, "read-only run")
		p.Subject = rapid.SampledFrom([]tv.Subject{caller, other}).Draw(rt, "subject")
		p.Run.ID = rapid.SampledFrom([]string{"", "r1"}).Draw(rt, "run")

		without := newRig(t, gatetest.Always(verdict), []*tv.Tool{tool}, nil)
		with := granting(t, gatetest.Always(verdict), []*tv.Tool{tool}, nil)
		sound := true
		g := with.grant(tool, func(g *tv.Grant) {
			bend := func(what string, do func()) {
				if rapid.IntRange(0, 5).Draw(rt, what) == 0 {
					sound = false
					do()
				}
			}
			bend("other tool", func() { g.Tool = "server/y" })
			bend("other definition", func() { g.ToolHash = "y" })
			bend("other policy", func() { g.PolicyHash = "y" })
			bend("other ask", func() { g.Requirements = []tv.Requirement{{Rule: "other", Quorum: 1}} })
			if rapid.Bool().Draw(rt, "of a run") {
				g.Scope.Run = "r1"
			}
		})
		if rapid.IntRange(0, 5).Draw(rt, "late") == 0 {
			sound = false
			with.clock.Pass(2 * time.Hour)
		}
		before, after := without.do(p), with.do(p)
		switch {
		case before.Decision.Verdict == tv.Deny:
			if code(before) != code(after) || len(with.exec.Ran()) > 0 {
				rt.Fatalf("denied with %q, and with a grant: %q, ran %v", code(before), code(after), with.exec.Ran())
			}
		case code(before) == tv.ConfirmationRequired:
			fits := sound && tool.Risk() != tv.HighRisk && p.Subject.ID == g.Scope.Subject && (g.Scope.Run == "" || g.Scope.Run == p.Run.ID)
			if after.Success != fits {
				rt.Fatalf("the grant fits: %v; the call ran: %v (%q)", fits, after.Success, code(after))
			}
		case with.used(g.ID) != 0 || !after.Success:
			rt.Fatalf("an allowed call: success %v, uses of the grant %d", after.Success, with.used(g.ID))
		}
	})
}

// TestConcurrentUsesOfAGrant runs 200 calls at once, through two gates over one
// store, of a grant for three.
func TestConcurrentUsesOfAGrant(t *testing.T) {
	t.Parallel()
	for _, shared := range []string{"memory", "sqlite"} {
		t.Run(shared, func(t *testing.T) {
			t.Parallel()
			tool := cancelTool()
			first := granting(t, gatetest.Always(tv.Ask), []*tv.Tool{tool}, nil)
			g := first.grant(tool, nil)
			first.OpenAsks = -1
			conf := first.Config
			conf.Node = "node-2"
			second, err := tv.New(conf)
			if err != nil {
				t.Fatal(err)
			}
			gates := []*tv.Gate{first.Gate, second}
			if shared == "sqlite" {
				dir := t.TempDir()
				gates = []*tv.Gate{onDisk(t, first, dir, "node-1"), onDisk(t, first, dir, "node-2")}
				if err := gates[0].Store.Commit(context.Background(), tv.Changes{
					Records: []tv.Record{{Kind: tv.RecordAdmin, At: g.Created}}, Grants: []tv.GrantChange{{To: g}},
				}); err != nil {
					t.Fatal(err)
				}
			}
			var mu sync.Mutex
			var ran, asked int
			var wg sync.WaitGroup
			for i := range 200 {
				wg.Go(func() {
					p := call("cancel", fmt.Sprintf(`{"id":"A%d"}`, i/2)) // pairs of equal calls
					res, err := gates[i%2].Do(context.Background(), p)
					mu.Lock()
					defer mu.Unlock()
					switch {
					case res.Success && res.Decision.Grant == "grant-1":
						ran++
					case code(res) == tv.ConfirmationRequired:
						asked++
					default:
						t.Errorf("got %q, %v", code(res), err)
					}
				})
			}
			wg.Wait()
			if ran != 3 || asked != 197 || len(first.exec.Ran()) != 3 {
				t.Errorf("%d calls ran, %d asked, %d dispatched; want 3, 197, 3", ran, asked, len(first.exec.Ran()))
			}
		})
	}
}

// onDisk is a gate like the first one, with a database that others open too.
func onDisk(t *testing.T, like *rig, dir, node string) *tv.Gate {
	t.Helper()
	st, err := sqlite.Open(context.Background(), sqlite.Config{Dir: dir, Node: node, Now: like.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	c := like.Config
	c.Node, c.Store, c.Choices, c.Grants = node, st, st, gatetest.Grants{Store: st}
	gate, err := tv.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return gate
}

// Every leg of a call that its tool paused is a use of its own.
func TestPausedCallsUnderAGrant(t *testing.T) {
	t.Parallel()
	tool := cancelTool()
	r := granting(t, gatetest.Always(tv.Ask), []*tv.Tool{tool}, nil)
	r.grant(tool, nil)
	answers := []tv.OutcomeStatus{tv.Paused, tv.Succeeded}
	r.exec.Func = func(context.Context, tv.Permit) tv.Outcome {
		out := tv.Outcome{Status: answers[0]}
		answers = slices.Delete(answers, 0, 1)
		return out
	}
	res := r.do(call("cancel", `{"id":"A1"}`))
	p := call("cancel", `{"id":"A1"}`)
	p.Continues = res.Resume
	r.want(r.do(p), "")
	r.wantRuns(2)
	if n := r.used("grant-1"); n != 2 {
		t.Errorf("%d uses, want one for each leg", n)
	}
}

// What an approver changed about a call waits for a person: the grant would run
// what it was before.
func TestGrantsDoNotPassAnEdit(t *testing.T) {
	t.Parallel()
	tool := cancelTool()
	r := granting(t, gatetest.Always(tv.Ask), []*tv.Tool{tool}, nil)
	p := call("cancel", `{"id":"A1"}`)
	p.Confirmation = r.do(p).Confirmation.ID
	a, err := r.store.Approval(context.Background(), p.Confirmation)
	if err != nil {
		t.Fatal(err)
	}
	a.Editors = []string{approver.ID}
	if err := r.store.Commit(context.Background(), tv.Changes{
		Records: []tv.Record{{Kind: tv.RecordApproval, At: r.clock.Now()}}, Approvals: []tv.ApprovalChange{{From: a.Version, To: a}},
	}); err != nil {
		t.Fatal(err)
	}
	r.grant(tool, nil)
	r.want(r.do(p), tv.ConfirmationRequired)
	r.wantRuns(0)
}
