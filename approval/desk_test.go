// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package approval_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
	"github.com/toolverdict/toolverdict/gatetest"
	"github.com/toolverdict/toolverdict/internal/store/memory"
)

var (
	agent   = tv.Subject{ID: "agent", Kind: tv.Agent, User: "clerk", Agent: "bot", Roles: []string{"finance"}}
	clerk   = tv.Subject{ID: "clerk", Kind: tv.Person, Roles: []string{"finance"}}
	finance = tv.Subject{ID: "fin-1", Kind: tv.Person, Roles: []string{"finance"}}
	second  = tv.Subject{ID: "fin-2", Kind: tv.Person, Roles: []string{"finance"}}
	ops     = tv.Subject{ID: "ops-1", Kind: tv.Person, Roles: []string{"ops"}}
	robot   = tv.Subject{ID: "robot", Kind: tv.Service, Roles: []string{"finance"}}
	member  = tv.Subject{ID: "mem-1", Kind: tv.Person, Groups: []string{"finance"}}
	viewer  = tv.Subject{ID: "viewer", Kind: tv.Person}
)

type bench struct {
	*approval.Desk
	t     *testing.T
	clock *gatetest.Clock
	store *memory.Store
	edit  func(*tv.Approval) // of each one that is opened
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, clock: gatetest.NewClock()}
	var err error
	if b.store, err = memory.New(memory.Config{Now: b.clock.Now}); err != nil {
		t.Fatal(err)
	}
	var n atomic.Int64
	b.Desk, err = approval.New(approval.Config{
		Store: b.store, Now: b.clock.Now, NewID: func() string { return fmt.Sprintf("a-%d", n.Add(1)) },
		Text: gatetest.Redactor{Secret: "s3cret"}.Text, Approvers: []string{"role:finance"}, Poll: time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// open stores a pending approval with these requirements.
func (b *bench) open(needs ...tv.Requirement) tv.Approval {
	b.t.Helper()
	tool := gatetest.Tool("refund", func(d *tv.Definition) {
		d.Safety, d.Summary, d.Impact = tv.Destructive, "Refund {amount} for order {order}", "Money leaves"
	})
	a := b.Draft(tv.Question{
		Call: &tv.Call{ID: "c-1", Tool: tool.Name(), Subject: agent, Bytes: []byte(`{}`)}, Tool: tool,
		Decision: tv.Decision{Verdict: tv.Ask, Asks: needs, PolicyVersion: "v1", PolicyHash: "h"},
		Digest:   "digest", Key: "key", Redacted: json.RawMessage(`{"order":"A1","amount":"9.50"}`),
	})
	if b.edit != nil {
		b.edit(&a)
	}
	if err := b.store.Commit(context.Background(), tv.Changes{Records: []tv.Record{{Kind: tv.RecordDecision, At: b.clock.Now()}}, Approvals: []tv.ApprovalChange{{To: a}}}); err != nil {
		b.t.Fatal(err)
	}
	return a
}

func (b *bench) state(id string) tv.ApprovalState {
	b.t.Helper()
	a, err := b.store.Approval(context.Background(), id)
	if err != nil {
		b.t.Fatal(err)
	}
	return a.State
}

func TestWhoMayApprove(t *testing.T) {
	t.Parallel()
	byRole := tv.Requirement{Approvers: []string{"role:finance"}, Quorum: 1}
	self := byRole
	self.SelfApproval = true
	for name, c := range map[string]struct {
		by   tv.Subject
		need tv.Requirement
		want error
	}{
		"a person with the role":             {finance, byRole, nil},
		"a person by name":                   {ops, tv.Requirement{Approvers: []string{"user:ops-1"}, Quorum: 1}, nil},
		"the default approvers":              {finance, tv.Requirement{}, nil},
		"a person with another role":         {ops, byRole, tv.ErrNotFound},
		"a person without a role":            {viewer, byRole, tv.ErrNotFound},
		"nobody":                             {tv.Subject{}, byRole, tv.ErrNotFound},
		"the agent that asked":               {agent, byRole, approval.ErrNotEligible},
		"the agent, even where self is fine": {agent, self, approval.ErrNotEligible},
		"the person it works for":            {clerk, byRole, approval.ErrNotEligible},
		"that person, where self is fine":    {clerk, self, nil},
		"a service":                          {robot, byRole, tv.ErrNotFound},
		"a member of the group":              {member, tv.Requirement{Approvers: []string{"group:finance"}, Quorum: 1}, nil},
		"a role named like the group":        {finance, tv.Requirement{Approvers: []string{"group:finance"}, Quorum: 1}, tv.ErrNotFound},
		"a group named like the role":        {member, byRole, tv.ErrNotFound},
		"a role named like a user":           {finance, tv.Requirement{Approvers: []string{"user:finance"}, Quorum: 1}, tv.ErrNotFound},
		"an unknown kind of approver":        {finance, tv.Requirement{Approvers: []string{"finance", "team:finance", "role:", "group:", "*"}, Quorum: 1}, tv.ErrNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			a := b.open(c.need)
			_, err := b.Approve(context.Background(), c.by, a.ID, "")
			if !errors.Is(err, c.want) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			want := tv.ApprovalPending
			if c.want == nil {
				want = tv.ApprovalApproved
			}
			if got := b.state(a.ID); got != want {
				t.Errorf("state is %s, want %s", got, want)
			}
		})
	}
}

// After a while nobody answered, others may: by the clock, with nothing that
// could be lost, and never the one who asks.
func TestEscalation(t *testing.T) {
	t.Parallel()
	lead := tv.Subject{ID: "lead-1", Kind: tv.Person, Groups: []string{"lead"}}
	asking := tv.Subject{ID: "clerk", Kind: tv.Person, Groups: []string{"lead"}}
	for name, c := range map[string]struct {
		need  tv.Requirement
		after time.Duration
	}{
		"a third of the gate's time": {tv.Requirement{Escalate: tv.Escalation{To: []string{"group:lead"}}}, 5 * time.Minute},
		"a third of the rule's time": {tv.Requirement{Expires: time.Hour, Escalate: tv.Escalation{To: []string{"group:lead"}}}, 20 * time.Minute},
		"the rule's own":             {tv.Requirement{Expires: time.Hour, Escalate: tv.Escalation{After: time.Minute, To: []string{"group:lead"}}}, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			a := b.open(c.need)
			b.clock.Pass(c.after - time.Nanosecond)
			if _, err := b.Approve(context.Background(), lead, a.ID, ""); !errors.Is(err, tv.ErrNotFound) {
				t.Fatalf("before its time: %v", err)
			}
			if all, err := b.List(context.Background(), lead, tv.ApprovalQuery{}); err != nil || len(all) != 0 {
				t.Fatalf("listed before its time: %d, %v", len(all), err)
			}
			b.clock.Pass(time.Nanosecond)
			if all, err := b.List(context.Background(), lead, tv.ApprovalQuery{}); err != nil || len(all) != 1 {
				t.Fatalf("lists %d, %v", len(all), err)
			}
			if _, err := b.Approve(context.Background(), asking, a.ID, ""); !errors.Is(err, approval.ErrNotEligible) {
				t.Fatalf("the one who asks: %v", err)
			}
			if _, err := b.Approve(context.Background(), ops, a.ID, ""); !errors.Is(err, tv.ErrNotFound) {
				t.Fatalf("one who is not named: %v", err)
			}
			if got, err := b.Approve(context.Background(), lead, a.ID, ""); err != nil || got.State != tv.ApprovalApproved {
				t.Fatalf("got %s, %v", got.State, err)
			}
		})
	}
}

// Those named first may still answer, and one person is one vote.
func TestEscalationAddsAndTakesNobodyAway(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	a := b.open(tv.Requirement{Approvers: []string{"role:finance"}, Quorum: 2, Escalate: tv.Escalation{After: time.Minute, To: []string{"user:fin-1", "role:ops"}}})
	b.clock.Pass(time.Minute)
	if _, err := b.Approve(context.Background(), finance, a.ID, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Approve(context.Background(), finance, a.ID, ""); !errors.Is(err, approval.ErrDecided) {
		t.Errorf("one person voted twice: %v", err)
	}
	if got, err := b.Approve(context.Background(), ops, a.ID, ""); err != nil || got.State != tv.ApprovalApproved {
		t.Errorf("got %s, %v", got.State, err)
	}
}

func TestCodeIsOfOneQuestion(t *testing.T) {
	t.Parallel()
	a := tv.Approval{ID: "a-1", Digest: "d"}
	b, c := a, a
	b.ID, c.Digest = "a-2", "e"
	if !regexp.MustCompile("^[A-Z2-7]{8}$").MatchString(a.Code()) || a.Code() == b.Code() || a.Code() == c.Code() {
		t.Error(a.Code(), b.Code(), c.Code())
	}
}

func TestEveryRequirementNeedsItsQuorum(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	a := b.open(tv.Requirement{Approvers: []string{"role:finance"}, Quorum: 2}, tv.Requirement{Approvers: []string{"role:ops"}, Quorum: 1})
	for i, step := range []struct {
		by   tv.Subject
		want tv.ApprovalState
	}{{finance, tv.ApprovalPending}, {ops, tv.ApprovalPending}, {second, tv.ApprovalApproved}} {
		if _, err := b.Approve(context.Background(), step.by, a.ID, ""); err != nil {
			t.Fatal(err)
		}
		if got := b.state(a.ID); got != step.want {
			t.Errorf("after vote %d: %s, want %s", i+1, got, step.want)
		}
	}
	if _, err := b.Approve(context.Background(), finance, a.ID, ""); !errors.Is(err, approval.ErrDecided) {
		t.Errorf("a second vote of one person: %v", err)
	}
}

// One person is one person, however a directory or a host writes their name: they
// have one vote, and none about what was asked for them.
func TestOnePersonHasOneVoteHoweverSpelt(t *testing.T) {
	t.Parallel()
	loud := tv.Subject{ID: "FIN-1", Kind: tv.Person, Roles: []string{"finance"}}
	shout := tv.Subject{ID: "Clerk", Kind: tv.Person, User: "Clerk", Roles: []string{"finance"}}
	b := newBench(t)
	a := b.open(tv.Requirement{Approvers: []string{"role:finance"}, Quorum: 2})
	if _, err := b.Approve(t.Context(), shout, a.ID, ""); !errors.Is(err, approval.ErrNotEligible) {
		t.Errorf("the person it was asked for approved under another spelling: %v", err)
	}
	if _, err := b.Cancel(t.Context(), shout, a.ID, ""); !errors.Is(err, tv.ErrNotFound) {
		t.Errorf("a spelling gives the rights of the one who asked: %v", err)
	}
	if _, err := b.Approve(t.Context(), finance, a.ID, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Approve(t.Context(), loud, a.ID, ""); !errors.Is(err, approval.ErrDecided) || b.state(a.ID) != tv.ApprovalPending {
		t.Errorf("one person voted twice: %v", err)
	}
	if got, err := b.Get(t.Context(), loud, a.ID); err != nil || b.Standing(loud, got).Vote {
		t.Errorf("a second vote is offered: %v", err)
	}
	phone := tv.Subject{ID: "phone-7", Kind: tv.Person, User: "fin-1", Roles: []string{"finance"}}
	if _, err := b.Approve(t.Context(), phone, a.ID, ""); !errors.Is(err, approval.ErrDecided) || b.state(a.ID) != tv.ApprovalPending {
		t.Errorf("one person voted twice, under another id: %v", err)
	}
	edited := b.open()
	edited.Editors = []string{"FIN-1"}
	if err := b.Alone(phone, &edited); !errors.Is(err, approval.ErrNotEligible) {
		t.Errorf("who changed the call may approve it under another id: %v", err)
	}
	if err := b.Alone(finance, &edited); !errors.Is(err, approval.ErrNotEligible) {
		t.Errorf("who changed the call may approve it under another spelling: %v", err)
	}
}

// High risk is approved with a reason at every door, because here it is asked for.
func TestHighRiskNeedsAReason(t *testing.T) {
	t.Parallel()
	for _, risk := range []tv.Risk{tv.LowRisk, tv.MediumRisk, tv.HighRisk, ""} {
		b := newBench(t)
		b.edit = func(a *tv.Approval) { a.Card.Risk = risk }
		a := b.open()
		high := risk != tv.LowRisk && risk != tv.MediumRisk
		for _, reason := range []string{"", " \n\t"} {
			if _, err := b.Approve(t.Context(), finance, a.ID, reason); errors.Is(err, approval.ErrNoReason) != high {
				t.Errorf("risk %q, reason %q: %v", risk, reason, err)
			}
		}
		if want := map[bool]tv.ApprovalState{true: tv.ApprovalPending, false: tv.ApprovalApproved}[high]; b.state(a.ID) != want || b.Standing(finance, a).MustSay != high {
			t.Errorf("risk %q: %s", risk, b.state(a.ID))
		}
		if _, err := b.Approve(t.Context(), finance, a.ID, "it is due"); high && err != nil || high && b.state(a.ID) != tv.ApprovalApproved {
			t.Errorf("risk %q with a reason: %v", risk, err)
		}
		if no := b.open(); high {
			if _, err := b.Reject(t.Context(), finance, no.ID, ""); err != nil {
				t.Errorf("a no needs no reason here: %v", err)
			}
		}
	}
}

func TestOneNoIsFinal(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	a := b.open(tv.Requirement{Approvers: []string{"role:finance"}, Quorum: 2})
	if _, err := b.Approve(context.Background(), finance, a.ID, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Approve(context.Background(), finance, a.ID, ""); !errors.Is(err, approval.ErrDecided) {
		t.Errorf("one person voted twice: %v", err)
	}
	got, err := b.Reject(context.Background(), second, a.ID, "not with s3cret\x1b[31m")
	if err != nil || got.State != tv.ApprovalRejected {
		t.Fatalf("got %s, %v", got.State, err)
	}
	if reason := got.Votes[1].Reason; reason != "not with [HIDDEN]\uFFFD[31m" {
		t.Errorf("the reason was kept as %q", reason)
	}
	if _, err := b.Approve(context.Background(), ops, a.ID, ""); err == nil {
		t.Error("approved after a no")
	}
}

func TestTimeEndsApprovals(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	pending := b.open()
	given := b.open()
	if _, err := b.Approve(context.Background(), finance, given.ID, ""); err != nil {
		t.Fatal(err)
	}
	b.clock.Pass(15 * time.Minute)
	if _, err := b.Approve(context.Background(), finance, pending.ID, ""); !errors.Is(err, approval.ErrDecided) {
		t.Errorf("approved at the deadline: %v", err)
	}
	if _, err := b.Approve(context.Background(), ops, pending.ID, ""); !errors.Is(err, tv.ErrNotFound) {
		t.Errorf("somebody it does not concern learns that it was there: %v", err)
	}
	if a, err := b.Await(context.Background(), pending.ID); err != nil || a.State != tv.ApprovalExpired {
		t.Errorf("waited for one that is over: %s, %v", a.State, err)
	}
	if n, err := b.Sweep(context.Background()); n != 2 || err != nil {
		t.Errorf("swept %d, %v", n, err)
	}
	for _, id := range []string{pending.ID, given.ID} {
		if got := b.state(id); got != tv.ApprovalExpired {
			t.Errorf("%s is %s", id, got)
		}
	}
	if n, err := b.Sweep(context.Background()); n != 0 || err != nil {
		t.Errorf("swept again: %d, %v", n, err)
	}
}

func TestApprovalLastsLongEnoughToBeUsed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	a := b.open()
	b.clock.Pass(14 * time.Minute)
	got, err := b.Approve(context.Background(), finance, a.ID, "")
	if err != nil {
		t.Fatal(err)
	}
	if want := b.clock.Now().Add(5 * time.Minute); !got.Expires.Equal(want) {
		t.Errorf("expires %s, want %s", got.Expires, want)
	}
}

func TestShortestDeadlineHolds(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	a := b.open(tv.Requirement{Expires: time.Hour}, tv.Requirement{Expires: time.Minute}, tv.Requirement{})
	if want := b.clock.Now().Add(time.Minute); !a.Expires.Equal(want) {
		t.Errorf("expires %s, want %s", a.Expires, want)
	}
	long := b.open(tv.Requirement{Expires: 1000 * time.Hour})
	if want := b.clock.Now().Add(approval.MaxPending); !long.Expires.Equal(want) {
		t.Errorf("expires %s, want %s", long.Expires, want)
	}
}

func TestOnlyTheRequesterCancelsAndOnlyApproversRevoke(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	a := b.open()
	if _, err := b.Cancel(context.Background(), finance, a.ID, ""); !errors.Is(err, tv.ErrNotFound) {
		t.Errorf("an approver cancelled: %v", err)
	}
	if _, err := b.Revoke(context.Background(), finance, a.ID, ""); !errors.Is(err, approval.ErrDecided) {
		t.Errorf("revoked what was not given: %v", err)
	}
	if _, err := b.Approve(context.Background(), finance, a.ID, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Revoke(context.Background(), agent, a.ID, ""); !errors.Is(err, approval.ErrNotEligible) {
		t.Errorf("the agent revoked: %v", err)
	}
	if _, err := b.Revoke(context.Background(), ops, a.ID, ""); !errors.Is(err, tv.ErrNotFound) {
		t.Errorf("somebody it does not concern learns that it is there: %v", err)
	}
	if got, err := b.Revoke(context.Background(), finance, a.ID, ""); err != nil || got.State != tv.ApprovalRevoked {
		t.Errorf("got %s, %v", got.State, err)
	}
	again := b.open()
	if got, err := b.Cancel(context.Background(), agent, again.ID, ""); err != nil || got.State != tv.ApprovalCancelled {
		t.Errorf("got %s, %v", got.State, err)
	}
}

func TestRacingVotesHaveOneEnd(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	a := b.open()
	var wg sync.WaitGroup
	var yes, no atomic.Int64
	for i := range 100 {
		by := tv.Subject{ID: fmt.Sprintf("p-%d", i), Kind: tv.Person, Roles: []string{"finance"}}
		wg.Go(func() {
			if i%2 == 0 {
				if got, err := b.Approve(context.Background(), by, a.ID, ""); err == nil && got.State == tv.ApprovalApproved {
					yes.Add(1)
				}
			} else if _, err := b.Reject(context.Background(), by, a.ID, ""); err == nil {
				no.Add(1)
			}
		})
	}
	wg.Wait()
	if yes.Load()+no.Load() != 1 {
		t.Errorf("%d approvals and %d rejections took effect", yes.Load(), no.Load())
	}
}

func TestStrangersSeeNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	a := b.open()
	for _, by := range []tv.Subject{viewer, ops, robot, {}, {ID: "x", User: "y"}} {
		if _, err := b.Get(context.Background(), by, a.ID); !errors.Is(err, tv.ErrNotFound) {
			t.Errorf("%q was shown it: %v", by.ID, err)
		}
		if all, err := b.List(context.Background(), by, tv.ApprovalQuery{}); err != nil || len(all) != 0 {
			t.Errorf("%q lists %d, %v", by.ID, len(all), err)
		}
	}
	for _, by := range []tv.Subject{agent, clerk, finance} {
		if got, err := b.Get(context.Background(), by, a.ID); err != nil || got.ID != a.ID {
			t.Errorf("%q cannot see it: %v", by.ID, err)
		}
	}
}

func TestCardSaysWhatWillHappen(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	a := b.open(tv.Requirement{})
	want := tv.Card{
		Tool: "server/refund", Summary: "Refund 9.50 for order A1", Arguments: json.RawMessage(`{"order":"A1","amount":"9.50"}`),
		Risk: tv.LowRisk, Safety: tv.Destructive, Impact: "Money leaves", Requester: "clerk", Agent: "agent (bot)",
	}
	if diff := cmp.Diff(want, a.Card); diff != "" {
		t.Error(diff)
	}
	for name, c := range map[string]struct{ summary, args, want string }{
		"escapes":     {"Send {x}", `{"x":"a\u001b[2Jb\u202ec\u200bd"}`, "Send a\uFFFD[2Jb\uFFFDc\uFFFDd"},
		"missing":     {"Send {y}", `{"x":"a"}`, "Send (not given)"},
		"no template": {"", `{"x":1}`, `Run server/t with {"x":1}`},
		"long":        {"Send {x}", `{"x":"` + strings.Repeat("a", 500) + `"}`, "Send " + strings.Repeat("a", 80) + "…"},
		"no nesting":  {"Send {x}", `{"x":"{y}","y":"secret"}`, "Send {y}"},
		"a number":    {"Send {x}", `{"x":12}`, "Send 12"},
	} {
		tool := gatetest.Tool("t", func(d *tv.Definition) { d.Summary = c.summary })
		got := b.Draft(tv.Question{Call: &tv.Call{Subject: agent}, Tool: tool, Redacted: json.RawMessage(c.args)}).Card.Summary
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestAwaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	a := b.open()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got, err := b.Await(ctx, a.ID); err == nil && got.State != tv.ApprovalPending {
		t.Errorf("got %s", got.State)
	}
	done := make(chan tv.ApprovalState, 1)
	go func() {
		got, _ := b.Await(context.Background(), a.ID)
		done <- got.State
	}()
	if _, err := b.Approve(context.Background(), finance, a.ID, ""); err != nil {
		t.Fatal(err)
	}
	if got := <-done; got != tv.ApprovalApproved {
		t.Errorf("the waiting call saw %s", got)
	}
}

func TestNewWantsItsParts(t *testing.T) {
	t.Parallel()
	if _, err := approval.New(approval.Config{}); err == nil {
		t.Error("made a desk of nothing")
	}
}

// tap keeps the last record that was written.
type tap struct {
	*memory.Store
	record tv.Record
}

func (s *tap) Commit(ctx context.Context, c tv.Changes) error {
	s.record = c.Records[0]
	return s.Store.Commit(ctx, c)
}

// A session's name is the caller's to choose, and stands on the card and in the
// records of votes; a reason is an approver's.
func TestFreeTextIsHiddenBeforeItIsCut(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	kept := &tap{Store: b.store}
	desk, err := approval.New(approval.Config{
		Store: kept, Now: b.clock.Now, NewID: func() string { return "a-1" },
		Text: gatetest.Redactor{Secret: "s3cret"}.Text, Approvers: []string{"role:finance"},
	})
	if err != nil {
		t.Fatal(err)
	}
	tool := gatetest.Tool("refund", gatetest.Destructive)
	hostile := strings.Repeat("x", 998) + "s3cret\x1b[31m"
	a := desk.Draft(tv.Question{
		Call: &tv.Call{ID: "c-1", Tool: tool.Name(), Subject: agent, Session: hostile, Run: tv.Run{ID: hostile}, Bytes: []byte(`{}`)}, Tool: tool,
		Digest: "digest", Key: "key", Redacted: json.RawMessage(`{}`),
	})
	if b.edit != nil {
		b.edit(&a)
	}
	if err := b.store.Commit(context.Background(), tv.Changes{Records: []tv.Record{{Kind: tv.RecordDecision, At: b.clock.Now()}}, Approvals: []tv.ApprovalChange{{To: a}}}); err != nil {
		t.Fatal(err)
	}
	voted, err := desk.Reject(context.Background(), finance, a.ID, hostile)
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{
		"card": voted.Card.Session, "vote": voted.Votes[0].Reason, "session": kept.record.Session, "run": kept.record.Run, "detail": kept.record.Detail,
	} {
		if text == "" || strings.Contains(text, "s3") || strings.Contains(text, "\x1b") {
			t.Errorf("%s: %q", what, text[max(0, len(text)-20):])
		}
	}
}

// Paths of effects tell of the host what the call itself did not say: people
// see them, the agent that asked sees them as a record has them.
func TestAgentsSeeNoHomeFolders(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	desk, err := approval.New(approval.Config{
		Store: b.store, Now: b.clock.Now, NewID: func() string { return "a-1" },
		Text: gatetest.Redactor{Home: "/home/ana"}.Text, Approvers: []string{"role:finance"},
	})
	if err != nil {
		t.Fatal(err)
	}
	tool := gatetest.Tool("shell", gatetest.Destructive)
	a := desk.Draft(tv.Question{
		Call: &tv.Call{ID: "c-1", Tool: tool.Name(), Subject: agent, Bytes: []byte(`{}`)}, Tool: tool,
		Digest: "digest", Key: "key", Redacted: json.RawMessage(`{}`),
		Effects: []tv.Effect{{Kind: tv.EffectRead, Path: "/home/ana/notes", Argv: []string{"/home/ana/x"}}},
	})
	if err := b.store.Commit(t.Context(), tv.Changes{Records: []tv.Record{{Kind: tv.RecordDecision, At: b.clock.Now()}}, Approvals: []tv.ApprovalChange{{To: a}}}); err != nil {
		t.Fatal(err)
	}
	see := func(what string, got tv.Approval, err error, want string) {
		t.Helper()
		if err != nil || got.Card.Effects[0].Path != want+"/notes" || got.Card.Effects[0].Argv[0] != want+"/x" {
			t.Errorf("%s: %v, %v", what, got.Card.Effects, err)
		}
	}
	for by, want := range map[*tv.Subject]string{&agent: "[HOME]", &finance: "/home/ana"} {
		got, err := desk.Get(t.Context(), *by, "a-1")
		see(by.ID, got, err, want)
		list, err := desk.List(t.Context(), *by, tv.ApprovalQuery{})
		see(by.ID+", list", list[0], err, want)
	}
	got, err := desk.Cancel(t.Context(), agent, "a-1", "")
	see("cancel", got, err, "[HOME]")
	kept, err := b.store.Approval(t.Context(), "a-1")
	see("kept", kept, err, "/home/ana")
}

// However many approvals others wait on, an approver sees their own.
// A list has an end, whatever is asked for: who asks for all must not fill the
// gate's memory.
func TestListHasAnEnd(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for range 1001 {
		b.open()
	}
	if all, err := b.List(t.Context(), agent, tv.ApprovalQuery{Limit: 1 << 40}); err != nil || len(all) != 1000 {
		t.Errorf("%d are listed, %v", len(all), err)
	}
}

func TestListIsNotHiddenByOthers(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for range 620 {
		b.open(tv.Requirement{Approvers: []string{"role:ops"}, Quorum: 1})
	}
	for range 3 {
		b.open(tv.Requirement{Approvers: []string{"role:finance"}, Quorum: 1})
	}
	for by, want := range map[*tv.Subject][2]int{&finance: {3, 2}, &ops: {100, 2}, &viewer: {0, 0}} {
		for i, limit := range []int{0, 2} {
			got, err := b.List(context.Background(), *by, tv.ApprovalQuery{State: tv.ApprovalPending, Limit: limit})
			if err != nil || len(got) != want[i] {
				t.Errorf("%s, limit %d: %d approvals, %v, want %d", by.ID, limit, len(got), err, want[i])
			}
		}
	}
	first, err := b.List(context.Background(), finance, tv.ApprovalQuery{Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	rest, err := b.List(context.Background(), finance, tv.ApprovalQuery{AfterID: first[1].ID, Limit: 2})
	if err != nil || len(rest) != 1 {
		t.Errorf("the next page: %d approvals, %v", len(rest), err)
	}
}
