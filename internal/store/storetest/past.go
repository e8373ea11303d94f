// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	tv "github.com/toolverdict/toolverdict"
)

// called is a refund of one person in one session, a minute ago.
func called(id string) tv.Past {
	return tv.Past{
		ID: id, State: tv.PastDispatched, At: start.Add(-time.Minute),
		Tool:    tv.PastTool{Name: "orders/refund", Groups: []string{"money"}, Safety: tv.Destructive, Risk: tv.HighRisk},
		Session: "s1", Subject: "me", User: "u1", Agent: "a1", Run: "r1",
		Numbers: []tv.Number{{Name: "args.amount", Value: "12.5"}},
	}
}

func lookAt(tool string, ties ...tv.Tie) tv.Look {
	return tv.Look{
		Key: "k", Tools: func(t tv.PastTool) bool { return t.Name == tool },
		Ties: ties, Subject: "me", Within: time.Hour, Least: tv.PastDispatched, Most: 100,
	}
}

// withPast writes a call a number of times more than once, under ids of its own.
func withPast(p tv.Past, more int) tv.Changes {
	c := tv.Changes{Records: []tv.Record{record(p.ID)}, Past: []tv.Past{p}}
	for i := range more {
		p.ID = fmt.Sprint(p.ID, "-", i)
		c.Past = append(c.Past, p)
	}
	return c
}

// once is a dispatch that is the only one a look sees.
func once(id string, l tv.Look) tv.Changes {
	c := withPast(called(id), 0)
	c.Expect = tv.Expect{Looks: []tv.Look{l}, At: start, Holds: func(now []tv.Seen) bool { return now[0].Count+now[0].Maybe == 0 }}
	return c
}

func glance(t *testing.T, st Store, l tv.Look) tv.Seen {
	t.Helper()
	seen, err := st.Seen(t.Context(), []tv.Look{l}, start)
	must(t, err)
	return seen[0]
}

// past looks back by everything there is to look by.
func past(t *testing.T, s Subject) {
	st, ctx := s.open(t), t.Context()
	other := called("2")
	other.Tool, other.Session, other.Subject, other.User, other.Agent, other.Run = tv.PastTool{Name: "orders/list", Safety: tv.ReadOnly, Risk: tv.LowRisk}, "s2", "you", "u2", "a2", "r2"
	open := called("3")
	open.Session, open.User, open.Agent, open.Run = "", "", "", ""
	for _, p := range []tv.Past{called("1"), other, open} {
		must(t, st.Commit(ctx, withPast(p, 0)))
	}
	for _, by := range []tv.Tie{{By: "session", Value: "s1"}, {By: "user", Value: "u1"}, {By: "agent", Value: "a1"}, {By: "run", Value: "r1"}} {
		same(t, by.By, glance(t, st, lookAt("orders/refund", by)), tv.Seen{Key: "k", Count: 1, Maybe: 1})
		same(t, "no "+by.By, glance(t, st, lookAt("orders/refund", tv.Tie{By: by.By})), tv.Seen{Key: "k", Maybe: 2})
		same(t, "another "+by.By, glance(t, st, lookAt("orders/list", by)), tv.Seen{Key: "k"})
	}
	same(t, "subject", glance(t, st, lookAt("orders/refund", tv.Tie{By: "subject", Value: "me"})), tv.Seen{Key: "k", Count: 2})
	same(t, "subject and session", glance(t, st, lookAt("orders/refund", tv.Tie{By: "session", Value: "s1"}, tv.Tie{By: "subject", Value: "me"})), tv.Seen{Key: "k", Count: 1, Maybe: 1})
	same(t, "anyone", glance(t, st, lookAt("orders/list")), tv.Seen{Key: "k", Count: 1})
	facts := lookAt("")
	facts.Tools = func(t tv.PastTool) bool { return cmp.Equal(t, called("").Tool) }
	same(t, "by what the tool was", glance(t, st, facts), tv.Seen{Key: "k", Count: 2})
	sum := lookAt("orders/refund", tv.Tie{By: "subject", Value: "me"})
	sum.Sum = "args.amount"
	same(t, "sum", glance(t, st, sum), tv.Seen{Key: "k", Count: 2, Sum: "25"})

	l := []tv.Look{lookAt("orders/list"), lookAt("nothing")}
	l[1].Key = "n"
	seen, err := st.Seen(ctx, l, start)
	must(t, err)
	same(t, "several looks", seen, []tv.Seen{{Key: "k", Count: 1}, {Key: "n"}})
	gone, stop := context.WithCancel(ctx)
	stop()
	if _, err := st.Seen(gone, l, start); err == nil {
		t.Error("a caller that is gone was answered")
	}
}

// pastMoves: what was done stays done, and what came of it is said once.
func pastMoves(t *testing.T, s Subject) {
	for name, c := range map[string]struct {
		first tv.PastState
		next  tv.PastState // written again under the same id
		as    tv.PastState // settled
		want  tv.PastState
	}{
		"an attempt runs":            {tv.PastAttempted, tv.PastDispatched, 0, tv.PastDispatched},
		"an attempt is repeated":     {tv.PastAttempted, tv.PastAttempted, 0, tv.PastAttempted},
		"an attempt after it ran":    {tv.PastDispatched, tv.PastAttempted, 0, tv.PastDispatched},
		"an attempt after success":   {tv.PastSucceeded, tv.PastAttempted, 0, tv.PastSucceeded},
		"it runs again":              {tv.PastFailed, tv.PastDispatched, 0, tv.PastDispatched},
		"success":                    {tv.PastDispatched, 0, tv.PastSucceeded, tv.PastSucceeded},
		"failure":                    {tv.PastDispatched, 0, tv.PastFailed, tv.PastFailed},
		"it was never sent":          {tv.PastDispatched, 0, tv.PastAttempted, tv.PastAttempted},
		"failure after success":      {tv.PastSucceeded, 0, tv.PastFailed, tv.PastSucceeded},
		"success of what never ran":  {tv.PastAttempted, 0, tv.PastSucceeded, tv.PastAttempted},
		"both in one change":         {tv.PastAttempted, tv.PastDispatched, tv.PastSucceeded, tv.PastSucceeded},
		"never sent after it failed": {tv.PastFailed, 0, tv.PastAttempted, tv.PastFailed},
	} {
		t.Run(name, func(t *testing.T) {
			st, ctx := s.open(t), t.Context()
			p := called("1")
			p.State, p.At = c.first, start.Add(-90*time.Minute)
			must(t, st.Commit(ctx, withPast(p, 0)))
			change := tv.Changes{Records: []tv.Record{record("again")}}
			if c.next != 0 {
				p.State, p.At = c.next, start
				change.Past = []tv.Past{p}
			}
			if c.as != 0 {
				change.Settled = []tv.Settled{{ID: "1", State: c.as}, {ID: "nobody's", State: c.as}}
			}
			must(t, st.Commit(ctx, change))
			moved := c.next != 0 && (c.next != tv.PastAttempted || c.first == tv.PastAttempted)
			for least, want := range map[tv.PastState]tv.Seen{
				tv.PastAttempted:  {Key: "k", Count: 1},
				tv.PastDispatched: {Key: "k", Count: number(c.want.Ran())},
				tv.PastSucceeded:  {Key: "k", Count: number(c.want == tv.PastSucceeded), Maybe: number(c.want == tv.PastDispatched)},
			} {
				l := lookAt("orders/refund")
				l.Least, l.Within = least, 2*time.Hour
				same(t, fmt.Sprint("as far as ", least), glance(t, st, l), want)
				l.Within = time.Hour
				if got := glance(t, st, l); (got.Count+got.Maybe > 0) != (moved && want.Count+want.Maybe > 0) {
					t.Errorf("as far as %d, within the last hour: %+v", least, got)
				}
			}
		})
	}
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// pastUnsound: what cannot mean what it says is refused whole.
func pastUnsound(t *testing.T, s Subject) {
	st, ctx := s.open(t), t.Context()
	for name, bend := range map[string]func(*tv.Changes){
		"no id":               func(c *tv.Changes) { c.Past[0].ID = "" },
		"no tool":             func(c *tv.Changes) { c.Past[0].Tool.Name = "" },
		"no state":            func(c *tv.Changes) { c.Past[0].State = 0 },
		"no such state":       func(c *tv.Changes) { c.Past[0].State = 9 },
		"no time":             func(c *tv.Changes) { c.Past[0].At = time.Time{} },
		"settled as nothing":  func(c *tv.Changes) { c.Settled = []tv.Settled{{ID: "1"}} },
		"settled as running":  func(c *tv.Changes) { c.Settled = []tv.Settled{{ID: "1", State: tv.PastDispatched}} },
		"settled nobody":      func(c *tv.Changes) { c.Settled = []tv.Settled{{State: tv.PastFailed}} },
		"rests on it somehow": func(c *tv.Changes) { c.Expect = tv.Expect{Looks: []tv.Look{lookAt("a")}} },
		"it breaks down": func(c *tv.Changes) {
			c.Expect = tv.Expect{Looks: []tv.Look{lookAt("a")}, At: start, Holds: func([]tv.Seen) bool { panic("for the test") }}
		},
	} {
		c := withPast(called("1"), 0)
		bend(&c)
		wantRefused(t, st.Commit(ctx, c), name)
	}
	for name, bend := range map[string]func(*tv.Look){
		"no tools":        func(l *tv.Look) { l.Tools = nil },
		"no window":       func(l *tv.Look) { l.Within = 0 },
		"a long window":   func(l *tv.Look) { l.Within = tv.MaxLookBack + 1 },
		"no bound":        func(l *tv.Look) { l.Most = 0 },
		"no state":        func(l *tv.Look) { l.Least = 0 },
		"failures":        func(l *tv.Look) { l.Least = tv.PastFailed },
		"tied by nothing": func(l *tv.Look) { l.Ties = []tv.Tie{{By: "tool; DROP TABLE past"}} },
	} {
		l := lookAt("orders/refund")
		bend(&l)
		if _, err := st.Seen(ctx, []tv.Look{l}, start); err == nil {
			t.Errorf("a look with %s was answered", name)
		}
		wantRefused(t, st.Commit(ctx, once("1", l)), name)
	}
	same(t, "what was written", glance(t, st, lookAt("orders/refund")), tv.Seen{Key: "k"})
	same(t, "records", s.verified(t, st).Records, int64(0))
}

// pastRaces: of many dispatches that may each be only the first, one is written.
func pastRaces(t *testing.T, s Subject) {
	for _, tie := range []tv.Tie{{By: "session", Value: "s1"}, {By: "session"}} {
		st := s.open(t)
		if won := race(t, func(i int) error {
			return st.Commit(t.Context(), once(fmt.Sprint("p", i), lookAt("orders/refund", tie)))
		}); won != 1 {
			t.Errorf("%d callers by session %q were the only one", won, tie.Value)
		}
		wantConflict(t, st.Commit(t.Context(), once("late", lookAt("orders/refund", tie))), "history", "k")
	}
}

// pastModel: whatever was written, every look is answered as from a plain list.
func pastModel(t *testing.T, s Subject) {
	root := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(root, "")
		must(t, err)
		st := s.Open(t, dir, "node-1", still)
		var list []tv.Past
		for i := range rapid.IntRange(1, 12).Draw(rt, "calls") {
			p := drawPast(rt, fmt.Sprint("id", i))
			list = append(list, p)
			must(t, st.Commit(t.Context(), withPast(p, 0)))
		}
		for range 12 {
			l := drawLook(rt)
			seen, err := st.Seen(t.Context(), []tv.Look{l}, start)
			must(t, err)
			if diff := cmp.Diff(l.Answer(list, start), seen[0]); diff != "" {
				rt.Fatalf("%+v of %+v (-list +store):\n%s", l, list, diff)
			}
		}
		must(t, st.Close())
		must(t, os.RemoveAll(dir))
	})
}

func pick[T any](rt *rapid.T, what string, from ...T) T {
	return rapid.SampledFrom(from).Draw(rt, what)
}

func drawPast(rt *rapid.T, id string) tv.Past {
	p := called(id)
	p.State = pick(rt, "state", tv.PastAttempted, tv.PastDispatched, tv.PastFailed, tv.PastSucceeded)
	p.At = start.Add(-time.Duration(rapid.IntRange(-1, 5).Draw(rt, "ago")) * time.Minute)
	p.Tool.Name = pick(rt, "tool", "t/a", "t/b")
	p.Session, p.Subject = pick(rt, "session", "", "x", "y"), pick(rt, "subject", "", "me", "you")
	p.User, p.Agent, p.Run = pick(rt, "user", "", "x"), pick(rt, "agent", "", "x"), pick(rt, "run", "", "x")
	p.Numbers = pick(rt, "numbers", nil, []tv.Number{{Name: "n"}}, []tv.Number{{Name: "n", Value: "0.1"}}, []tv.Number{{Name: "m", Value: "1"}, {Name: "n", Value: "1e20"}}, []tv.Number{{Name: "n", Value: "2"}})
	return p
}

func drawLook(rt *rapid.T) tv.Look {
	l := lookAt(pick(rt, "tool", "t/a", "t/b", "t/c"))
	l.Subject, l.Within, l.Most = pick(rt, "subject", "", "me", "you"), time.Duration(rapid.IntRange(1, 5).Draw(rt, "within"))*time.Minute, rapid.IntRange(1, 4).Draw(rt, "most")
	l.Least, l.Sum = pick(rt, "least", tv.PastAttempted, tv.PastDispatched, tv.PastSucceeded), pick(rt, "sum", "", "n")
	l.Except = pick(rt, "except", "", "id0")
	for _, by := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"session", "subject", "user", "agent", "run"}), 0, 2, rapid.ID).Draw(rt, "by") {
		tie := tv.Tie{By: by, Value: pick(rt, by, "", "x", "y")}
		if by == "subject" {
			tie.Value = l.Subject
		}
		l.Ties = append(l.Ties, tie)
	}
	return l
}
