// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package overview

import (
	"cmp"
	"maps"
	"slices"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// figures is what some records come to.
type figures struct {
	verdicts
	Slots    []slot // oldest first
	Slow     []tool // slowest first
	Denied   []denied
	Observed bool // some verdicts are those that would have been: the gate only observed
}

// verdicts counts decisions.
type verdicts struct{ Allow, Ask, Deny int }

// Sum is all of them.
func (v verdicts) Sum() int { return v.Allow + v.Ask + v.Deny }

func (v *verdicts) add(verdict tv.Verdict) {
	switch verdict {
	case tv.Allow:
		v.Allow++
	case tv.Ask:
		v.Ask++
	default:
		v.Deny++
	}
}

// slot is the decisions of a stretch of time.
type slot struct {
	verdicts
	From time.Time
}

// tool is how long calls of one took.
type tool struct {
	Name              string
	Calls, Failed     int
	Median, Late, Max time.Duration // Late: 95 of 100 took no longer
	Share             int           // of the slowest one's Late, in hundredths
}

// denied is how often something was denied.
type denied struct {
	Tool, Rule string
	Code       tv.Code
	Count      int
	Share      int // of the most, in hundredths
}

// counter makes figures of records.
type counter struct {
	since, until time.Time
	out          figures
	took         map[string]*timed
	denied       map[denied]int
}

type timed struct {
	all    []time.Duration
	failed int
}

func newCounter(since, until time.Time, slots int) *counter {
	c := &counter{since: since, until: until, took: map[string]*timed{}, denied: map[denied]int{}}
	each := until.Sub(since) / time.Duration(slots)
	for i := range slots {
		c.out.Slots = append(c.out.Slots, slot{From: since.Add(time.Duration(i) * each)})
	}
	return c
}

func (c *counter) add(r *tv.Record) {
	if r.At.Before(c.since) || !r.At.Before(c.until) {
		return
	}
	switch r.Kind {
	case tv.RecordDecision:
		c.decision(r)
	case tv.RecordOutcome:
		if r.Tool == "" || r.Took <= 0 {
			return // it was lost: nobody knows how long it took
		}
		t := c.took[r.Tool]
		if t == nil {
			t = &timed{}
			c.took[r.Tool] = t
		}
		t.all = append(t.all, r.Took)
		if r.Code != "" {
			t.failed++
		}
	case tv.RecordApproval, tv.RecordReplay, tv.RecordAdmin:
	}
}

func (c *counter) decision(r *tv.Record) {
	verdict, code, rule := tv.Deny, r.Code, r.Rule
	switch {
	case r.Observed != nil:
		verdict, code, rule, c.out.Observed = r.Observed.Verdict, r.Observed.Code, r.Observed.Rule, true
	case r.Verdict == tv.Allow.String():
		verdict = tv.Allow
	case r.Verdict == tv.Ask.String():
		verdict = tv.Ask
	}
	c.out.add(verdict)
	each := c.until.Sub(c.since) / time.Duration(len(c.out.Slots))
	c.out.Slots[min(int(r.At.Sub(c.since)/each), len(c.out.Slots)-1)].add(verdict)
	if verdict == tv.Deny {
		c.denied[denied{Tool: plain.Reveal(r.Tool), Rule: plain.Reveal(rule), Code: tv.Code(plain.Reveal(string(code)))}]++
	}
}

// shown is how many tools, and how many reasons to deny, are listed.
const shown = 8

func (c *counter) figures() figures {
	for name, t := range c.took {
		slices.Sort(t.all)
		n := len(t.all)
		c.out.Slow = append(c.out.Slow, tool{
			Name: plain.Reveal(name), Calls: n, Failed: t.failed, Median: t.all[n/2], Late: t.all[(n*95-1)/100], Max: t.all[n-1],
		})
	}
	slices.SortFunc(c.out.Slow, func(a, b tool) int {
		return cmp.Or(cmp.Compare(b.Late, a.Late), cmp.Compare(a.Name, b.Name))
	})
	c.out.Slow = c.out.Slow[:min(len(c.out.Slow), shown)]
	for i := range c.out.Slow {
		c.out.Slow[i].Share = share(int64(c.out.Slow[i].Late), int64(c.out.Slow[0].Late))
	}
	for _, d := range slices.SortedFunc(maps.Keys(c.denied), func(a, b denied) int {
		return cmp.Or(cmp.Compare(c.denied[b], c.denied[a]), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Code, b.Code))
	}) {
		n := c.denied[d]
		d.Count = n
		c.out.Denied = append(c.out.Denied, d)
		if len(c.out.Denied) == shown {
			break
		}
	}
	for i := range c.out.Denied {
		c.out.Denied[i].Share = share(int64(c.out.Denied[i].Count), int64(c.out.Denied[0].Count))
	}
	return c.out
}

// share is a part of the most, in hundredths; what is not nothing shows.
func share(part, most int64) int {
	if part <= 0 || most <= 0 {
		return 0
	}
	return max(1, int(100*part/most))
}
