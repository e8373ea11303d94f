// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/gatetest"
)

func named(name string) func(tv.PastTool) bool {
	return func(t tv.PastTool) bool { return t.Name == name }
}

// TestAnswer: what counts for sure, what may count, and what does not.
func TestAnswer(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	base := tv.Past{ID: "1", State: tv.PastSucceeded, At: at.Add(-time.Minute), Tool: tv.PastTool{Name: "s/a"}, Session: "x", Subject: "me", User: "u"}
	look := func(edit func(*tv.Look)) tv.Look {
		l := tv.Look{Key: "k", Tools: named("s/a"), Subject: "me", Within: time.Hour, Least: tv.PastDispatched, Most: 5, Ties: []tv.Tie{{By: "session", Value: "x"}}}
		if edit != nil {
			edit(&l)
		}
		return l
	}
	sure, maybe, none := tv.Seen{Key: "k", Count: 1}, tv.Seen{Key: "k", Maybe: 1}, tv.Seen{Key: "k"}
	for name, c := range map[string]struct {
		past func(*tv.Past)
		look func(*tv.Look)
		want tv.Seen
	}{
		"the same session":                    {nil, nil, sure},
		"another tool":                        {func(p *tv.Past) { p.Tool.Name = "s/b" }, nil, none},
		"a window ago":                        {func(p *tv.Past) { p.At = at.Add(-time.Hour) }, nil, none},
		"less than a window ago":              {func(p *tv.Past) { p.At = at.Add(-time.Hour + time.Microsecond) }, nil, sure},
		"from the future":                     {func(p *tv.Past) { p.At = at.Add(time.Hour) }, nil, sure},
		"another session":                     {func(p *tv.Past) { p.Session = "y" }, nil, none},
		"no session then":                     {func(p *tv.Past) { p.Session = "" }, nil, maybe},
		"no session then, of another":         {func(p *tv.Past) { p.Session, p.Subject = "", "you" }, nil, none},
		"no session now":                      {nil, func(l *tv.Look) { l.Ties[0].Value = "" }, maybe},
		"no session now, of another":          {func(p *tv.Past) { p.Subject = "you" }, func(l *tv.Look) { l.Ties[0].Value = "" }, none},
		"no session at all":                   {func(p *tv.Past) { p.Session = "" }, func(l *tv.Look) { l.Ties[0].Value = "" }, maybe},
		"by two, both the same":               {nil, func(l *tv.Look) { l.Ties = append(l.Ties, tv.Tie{By: "user", Value: "u"}) }, sure},
		"by two, one another":                 {nil, func(l *tv.Look) { l.Ties = append(l.Ties, tv.Tie{By: "user", Value: "v"}) }, none},
		"by two, one not said":                {func(p *tv.Past) { p.User = "" }, func(l *tv.Look) { l.Ties = append(l.Ties, tv.Tie{By: "user", Value: "u"}) }, maybe},
		"by subject":                          {nil, func(l *tv.Look) { l.Ties = []tv.Tie{{By: "subject", Value: "me"}} }, sure},
		"by subject, nobody":                  {func(p *tv.Past) { p.Subject = "" }, func(l *tv.Look) { l.Ties = []tv.Tie{{By: "subject"}} }, sure},
		"by subject, nobody is not me":        {nil, func(l *tv.Look) { l.Ties = []tv.Tie{{By: "subject"}} }, none},
		"by anyone":                           {func(p *tv.Past) { p.Subject = "you" }, func(l *tv.Look) { l.Ties = nil }, sure},
		"an attempt does not run":             {func(p *tv.Past) { p.State = tv.PastAttempted }, nil, none},
		"an attempt counts where asked":       {func(p *tv.Past) { p.State = tv.PastAttempted }, func(l *tv.Look) { l.Least = tv.PastAttempted }, sure},
		"a failure ran":                       {func(p *tv.Past) { p.State = tv.PastFailed }, nil, sure},
		"a failure did not succeed":           {func(p *tv.Past) { p.State = tv.PastFailed }, func(l *tv.Look) { l.Least = tv.PastSucceeded }, none},
		"what runs may succeed":               {func(p *tv.Past) { p.State = tv.PastDispatched }, func(l *tv.Look) { l.Least = tv.PastSucceeded }, maybe},
		"success":                             {nil, func(l *tv.Look) { l.Least = tv.PastSucceeded }, sure},
		"its own earlier try":                 {nil, func(l *tv.Look) { l.Except = "1" }, none},
		"no more than asked for":              {nil, func(l *tv.Look) { l.Most = 1 }, sure},
		"a sum":                               {nil, func(l *tv.Look) { l.Sum = "n" }, tv.Seen{Key: "k", Count: 1, Sum: "2.5"}},
		"a sum of nothing":                    {func(p *tv.Past) { p.Tool.Name = "s/b" }, func(l *tv.Look) { l.Sum = "n" }, tv.Seen{Key: "k", Sum: "0"}},
		"a sum of a number that was not kept": {nil, func(l *tv.Look) { l.Sum = "other" }, sure},
		"a sum of a number it did not say":    {func(p *tv.Past) { p.Numbers = []tv.Number{{Name: "n"}} }, func(l *tv.Look) { l.Sum = "n" }, sure},
		"a sum that would make room":          {func(p *tv.Past) { p.Numbers = []tv.Number{{Name: "n", Value: "-1"}} }, func(l *tv.Look) { l.Sum = "n" }, sure},
		"a sum of what may count":             {func(p *tv.Past) { p.Session = "" }, func(l *tv.Look) { l.Sum = "n" }, maybe},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := base
			p.Numbers = []tv.Number{{Name: "m", Value: "9"}, {Name: "n", Value: "2.5"}}
			if c.past != nil {
				c.past(&p)
			}
			l := look(c.look)
			if diff := cmp.Diff(c.want, l.Answer([]tv.Past{p}, at)); diff != "" {
				t.Error(diff)
			}
		})
	}
	l := look(func(l *tv.Look) { l.Sum, l.Most = "n", 2 })
	two := base
	two.Numbers = []tv.Number{{Name: "n", Value: "0.1"}}
	want := tv.Seen{Key: "k", Count: 2, Sum: "0.2"}
	if diff := cmp.Diff(want, l.Answer([]tv.Past{two, two}, at)); diff != "" {
		t.Error(diff)
	}
	want.Sum = "" // more than were to be counted
	if diff := cmp.Diff(want, l.Answer([]tv.Past{two, two, two}, at)); diff != "" {
		t.Error(diff)
	}
}

// after is a policy that denies the tool "send" once a look at "read" sees
// anything, or cannot tell.
func after(edit func(*tv.Look)) gatetest.Policy {
	return gatetest.Policy{
		Name: "after",
		Past: func(r tv.Request) tv.Hindsight {
			h := tv.Hindsight{Numbers: []tv.Number{{Name: "n", Value: "1"}}}
			if r.Tool.Name() == "server/send" {
				l := tv.Look{Key: "read", Tools: named("server/read"), Subject: r.Subject.ID, Within: time.Hour, Least: tv.PastDispatched, Most: 1, Ties: []tv.Tie{{By: "session", Value: r.Session}}}
				if edit != nil {
					edit(&l)
				}
				h.Looks = []tv.Look{l}
			}
			return h
		},
		Func: func(r tv.Request) tv.Decision {
			if r.Tool.Name() == "server/send" && (len(r.Past) != 1 || r.Past[0].Count+r.Past[0].Maybe > 0) {
				return gatetest.Says(tv.Deny)
			}
			return gatetest.Says(tv.Allow)
		},
	}
}

func readAndSend() []*tv.Tool {
	return []*tv.Tool{gatetest.Tool("read", nil), gatetest.Tool("send", gatetest.Destructive)}
}

// TestHistory: what was read closes the way out, in its session and for an hour.
func TestHistory(t *testing.T) {
	t.Parallel()
	r := newRig(t, after(nil), readAndSend(), nil)
	r.want(r.do(call("send", `{"n":1}`)), "")
	r.want(r.do(call("read", `{}`)), "")
	r.want(r.do(call("send", `{"n":2}`)), tv.PolicyDenied)
	elsewhere := call("send", `{"n":3}`)
	elsewhere.Session = "s-2"
	r.want(r.do(elsewhere), "")
	nowhere := call("send", `{"n":4}`)
	nowhere.Session = ""
	r.want(r.do(nowhere), tv.PolicyDenied) // leaving the session out does not help
	r.clock.Pass(time.Hour)
	r.want(r.do(call("send", `{"n":5}`)), "")
}

// TestHistoryOfAToolThatIsGone: taking a tool out of the catalog takes nothing
// out of the history.
func TestHistoryOfAToolThatIsGone(t *testing.T) {
	t.Parallel()
	r := newRig(t, after(nil), readAndSend(), nil)
	r.want(r.do(call("read", `{}`)), "")
	r.snaps.Swap(gatetest.Catalog(readAndSend()[1:]), after(nil))
	r.want(r.do(call("send", `{}`)), tv.PolicyDenied)
}

// TestHistoryByOutcome: what the executor reports is what later calls see.
func TestHistoryByOutcome(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status tv.OutcomeStatus
		ran    tv.Code // of a look at calls that ran
		done   tv.Code // of a look at calls that succeeded
	}{
		"succeeded": {tv.Succeeded, tv.PolicyDenied, tv.PolicyDenied},
		"failed":    {tv.Failed, tv.PolicyDenied, ""},
		"lost":      {tv.Unknown, tv.PolicyDenied, tv.PolicyDenied},
		"paused":    {tv.Paused, tv.PolicyDenied, tv.PolicyDenied},
		"not sent":  {tv.NotSent, "", ""},
	} {
		for _, least := range []tv.PastState{tv.PastDispatched, tv.PastSucceeded} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				r := newRig(t, after(func(l *tv.Look) { l.Least = least }), readAndSend(), nil)
				r.exec.Func = func(_ context.Context, p tv.Permit) tv.Outcome {
					if p.Tool().Name() == "server/read" {
						return tv.Outcome{Status: c.status}
					}
					return tv.Outcome{Status: tv.Succeeded}
				}
				r.do(call("read", `{}`))
				want := c.ran
				if least == tv.PastSucceeded {
					want = c.done
				}
				r.want(r.do(call("send", `{}`)), want)
			})
		}
	}
}

// TestHistoryOfAttempts: calls that were refused count where attempts count, and
// an approved call counts once.
func TestHistoryOfAttempts(t *testing.T) {
	t.Parallel()
	tools := append(readAndSend(), gatetest.Tool("ask", func(d *tv.Definition) { gatetest.Destructive(d); d.Confirmation = tv.ConfirmAlways }))
	policy := gatetest.Policy{Name: "p", Func: func(r tv.Request) tv.Decision {
		if r.Tool.Name() == "server/read" {
			return gatetest.Says(tv.Deny)
		}
		return gatetest.Says(tv.Allow)
	}}
	r := newRig(t, policy, tools, nil)
	past := func(tool string, least tv.PastState) int {
		l := tv.Look{Key: "k", Tools: named("server/" + tool), Within: time.Hour, Least: least, Most: 100}
		seen, err := r.store.Seen(t.Context(), []tv.Look{l}, r.clock.Now())
		if err != nil {
			t.Fatal(err)
		}
		return seen[0].Count
	}
	r.want(r.do(call("read", `{}`)), tv.PolicyDenied)
	r.want(r.do(call("read", `{}`)), tv.PolicyDenied)
	r.want(r.do(call("gone", `{}`)), tv.UnknownTool)
	asked := call("ask", `{"id":"1"}`)
	first := r.do(asked)
	r.want(first, tv.ConfirmationRequired)
	if got := past("ask", tv.PastAttempted); got != 1 {
		t.Errorf("a call that waits for a person was attempted %d times", got)
	}
	r.want(r.do(asked), tv.ConfirmationRequired)
	asked.Confirmation = r.approve(first)
	r.want(r.do(asked), "")
	r.want(r.do(asked), tv.ConfirmationInvalid) // and does not take the place of what was done

	for _, c := range []struct {
		tool  string
		least tv.PastState
		want  int
	}{
		{"read", tv.PastAttempted, 2}, {"read", tv.PastDispatched, 0}, {"gone", tv.PastAttempted, 0},
		{"ask", tv.PastAttempted, 1}, {"ask", tv.PastDispatched, 1}, {"ask", tv.PastSucceeded, 1},
	} {
		if got := past(c.tool, c.least); got != c.want {
			t.Errorf("calls of %s that came as far as %d: %d, want %d", c.tool, c.least, got, c.want)
		}
	}
}

// TestApprovedCallIsNotItsOwnPast: waiting for a person makes a call no attempt
// of its own, and naming another's confirmation hides nothing.
func TestApprovedCallIsNotItsOwnPast(t *testing.T) {
	t.Parallel()
	policy := gatetest.Policy{
		Name: "once",
		Past: func(tv.Request) tv.Hindsight {
			return tv.Hindsight{Looks: []tv.Look{{Key: "own", Tools: named("server/send"), Within: time.Hour, Least: tv.PastAttempted, Most: 9}}}
		},
		Func: func(r tv.Request) tv.Decision {
			if r.Past[0].Count > 0 {
				return gatetest.Says(tv.Deny)
			}
			return gatetest.Says(tv.Ask)
		},
	}
	r := newRig(t, policy, readAndSend(), nil)
	first := call("send", `{"id":"1"}`)
	first.Confirmation = r.approve(r.do(first))
	second := call("send", `{"id":"2"}`)
	second.Confirmation = first.Confirmation
	r.want(r.do(second), tv.PolicyDenied)
	r.wantRuns(0)

	r = newRig(t, policy, readAndSend(), nil)
	first.Confirmation = ""
	first.Confirmation = r.approve(r.do(first))
	r.want(r.do(first), "")
}

// TestHistoryFaults: a history that cannot be read, or that the policy breaks
// down over while the dispatch is written, denies.
func TestHistoryFaults(t *testing.T) {
	t.Parallel()
	r := newRig(t, after(nil), readAndSend(), func(c *tv.Config) { c.Store = blindStore{c.Store} })
	res, err := r.Do(t.Context(), call("send", `{}`))
	if err == nil || code(res) != tv.GateUnavailable {
		t.Errorf("got %+v, %v", res, err)
	}
	r.wantRuns(0)

	policy, rounds := after(nil), 0
	decide := policy.Func
	policy.Func = func(req tv.Request) tv.Decision {
		if rounds++; rounds > 1 {
			panic("for the test")
		}
		return decide(req)
	}
	r = newRig(t, policy, readAndSend(), nil)
	res, err = r.Do(t.Context(), call("send", `{}`))
	if err == nil || code(res) != tv.GateUnavailable {
		t.Errorf("got %+v, %v", res, err)
	}
	r.wantRuns(0)
}

type blindStore struct{ tv.Store }

func (blindStore) Seen(context.Context, []tv.Look, time.Time) ([]tv.Seen, error) {
	return nil, errBroken
}

// TestHistoryRaces: of calls that race for the only place, one runs; the others
// are decided again and denied.
func TestHistoryRaces(t *testing.T) {
	t.Parallel()
	once := after(func(l *tv.Look) { l.Tools = named("server/send") })
	for _, session := range []string{"s-1", ""} {
		r := newRig(t, once, readAndSend(), nil)
		var wg sync.WaitGroup
		var mu sync.Mutex
		got := map[tv.Code]int{}
		for range 32 {
			wg.Go(func() {
				p := call("send", `{}`)
				p.Session = session
				res := r.do(p)
				mu.Lock()
				defer mu.Unlock()
				got[code(res)]++
			})
		}
		wg.Wait()
		if diff := cmp.Diff(map[tv.Code]int{"": 1, tv.PolicyDenied: 31}, got); diff != "" {
			t.Errorf("in session %q: %s", session, diff)
		}
		r.wantRuns(1)
	}
}

// TestSettledHistory: what a person finds out about a lost answer is what later
// calls see.
func TestSettledHistory(t *testing.T) {
	t.Parallel()
	tools := []*tv.Tool{gatetest.Tool("read", gatetest.Destructive), gatetest.Tool("send", gatetest.Destructive)}
	for state, want := range map[tv.ClaimState]tv.Code{tv.ClaimSucceeded: tv.PolicyDenied, tv.ClaimFailed: ""} {
		r := newRig(t, after(func(l *tv.Look) { l.Least = tv.PastSucceeded }), tools, nil)
		r.exec.Func = func(context.Context, tv.Permit) tv.Outcome { return tv.Outcome{} }
		lost := call("read", `{}`)
		lost.IdempotencyKey = "key"
		r.want(r.do(lost), tv.OutcomeUnknown)
		r.exec.Func = nil
		claims, err := r.store.Claims(t.Context(), tv.ClaimQuery{State: tv.ClaimUnknown})
		if err != nil || len(claims) != 1 {
			t.Fatal(claims, err)
		}
		r.want(r.do(call("send", `{"n":1}`)), tv.PolicyDenied)
		if err := r.book.Settle(t.Context(), approver, claims[0].Key, state, "looked"); err != nil {
			t.Fatal(err)
		}
		r.want(r.do(call("send", `{"n":2}`)), want)
	}
}
