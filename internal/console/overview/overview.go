// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package overview is the page of the console that shows how the gate is doing:
// what it decided over time, what is slow, what is denied, what waits, how people
// answer what rules ask, and how the channels work in which they are asked.
//
// It only reads, and a bounded part of the log: where that is not all that was
// asked for, the page says from when on it counted. It is for those who may look
// at what others did; the channels are for administrators.
package overview

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval/fatigue"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/internal/console/door"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// Config is what the page is made of. All of it is required but Channels.
type Config struct {
	Find     func(ctx context.Context, q audit.Query) ([]audit.Numbered, error)
	Waiting  func(ctx context.Context) (int, error) // approvals of everybody
	Unknown  func(ctx context.Context, q tv.ClaimQuery) ([]tv.Claim, error)
	Answers  func(ctx context.Context) (fatigue.Report, error) // how people answered lately
	Channels func(ctx context.Context) (any, error)            // as the API shows them; nil: there are none
}

// Room is the page.
type Room struct {
	Config
	*door.Door

	counting sync.Mutex       // one at a time: it is much work
	counts   map[string]count // by the name of the span
}

// count is what was counted a moment ago.
type count struct {
	figures
	At      time.Time
	Chart   chart
	From    time.Time // from when on was counted, where that is later than was asked for
	Counted int
}

// countFor is how long a count is good enough for others who look.
const countFor = 5 * time.Second

// New checks the parts.
func New(c Config) (*Room, error) {
	if c.Find == nil || c.Waiting == nil || c.Unknown == nil || c.Answers == nil {
		return nil, errors.New("make page of the overview: every part is needed")
	}
	return &Room{Config: c, counts: map[string]count{}}, nil
}

// Lay lays the page out behind a door.
func (m *Room) Lay(d *door.Door) {
	m.Door = d
	d.Lead("overview", (*door.Visitor).Officer)
	d.Handle("GET /console/overview", d.Officers(m.show))
}

// span is a time that the page can look back, and how it is cut up.
type span struct {
	Name  string
	long  time.Duration
	slots int
}

func spans() []span {
	return []span{{"hour", time.Hour, 12}, {"day", 24 * time.Hour, 24}, {"week", 7 * 24 * time.Hour, 28}}
}

// Bounds of a page: records that are counted, and read at once; unknown outcomes
// that are counted; rules that are listed.
const (
	countRecords = 10_000
	readAtOnce   = 1000
	mostUnknown  = 100
	shownRules   = 10
)

// body is what the page shows.
type body struct {
	Spans []span
	Span  string
	now
	count
	Answers  fatigue.Report
	Channels []channel
	Admin    bool
}

// now is how things stand.
type now struct {
	Waiting int
	Unknown int
	Many    bool // there are more unknown outcomes than were counted
}

func (m *Room) show(w http.ResponseWriter, r *http.Request, v door.Visitor) {
	at := m.Now()
	s := spans()[1]
	for _, other := range spans() {
		if other.Name == r.URL.Query().Get("span") {
			s = other
		}
	}
	b := body{Spans: spans(), Span: s.Name, Admin: v.HasRole("admin")}
	for _, step := range []func(context.Context) error{
		func(ctx context.Context) (err error) { b.count, err = m.lately(ctx, v.Mark, at, s); return err },
		func(ctx context.Context) error { return m.standing(ctx, &b.now) },
		func(ctx context.Context) error { return m.answers(ctx, &b) },
		func(ctx context.Context) error { return m.channels(ctx, &b) },
	} {
		if err := step(r.Context()); err != nil {
			m.Fault(w, r, v, err)
			return
		}
	}
	m.Write(w, r, http.StatusOK, "overview", m.Frame(r, v, v.L.T("overview.title"), b))
}

// lately returns what was counted a moment ago, or counts.
func (m *Room) lately(ctx context.Context, mark int64, at time.Time, s span) (count, error) {
	m.counting.Lock()
	defer m.counting.Unlock()
	if c, ok := m.counts[s.Name]; ok && at.Sub(c.At).Abs() < countFor {
		return c, nil
	}
	c, err := m.count(ctx, mark, at, s)
	if err != nil {
		return c, err
	}
	m.counts[s.Name] = c
	return c, nil
}

// count counts the newest records of a span.
func (m *Room) count(ctx context.Context, mark int64, at time.Time, s span) (count, error) {
	since, out := at.Add(-s.long), count{At: at}
	c := newCounter(since, at.Add(time.Nanosecond), s.slots)
	floor, before, oldest := max(0, mark-countRecords), mark, at
	for before > floor {
		found, err := m.Find(ctx, audit.Query{Page: audit.Page{From: floor, Before: before, Newest: true, Limit: readAtOnce}})
		if err != nil {
			return out, fmt.Errorf("count records: %w", err)
		}
		for i := range found {
			c.add(&found[i].Record)
			before, oldest = found[i].Seq, found[i].At
			out.Counted++
		}
		if len(found) < readAtOnce || oldest.Before(since) {
			break
		}
	}
	if floor > 0 && !oldest.Before(since) {
		out.From = oldest
	}
	out.figures = c.figures()
	out.Chart = newChart(out.Slots)
	return out, nil
}

func (m *Room) standing(ctx context.Context, n *now) error {
	var err error
	if n.Waiting, err = m.Config.Waiting(ctx); err != nil {
		return fmt.Errorf("count what waits: %w", err)
	}
	lost, err := m.Unknown(ctx, tv.ClaimQuery{State: tv.ClaimUnknown, Limit: mostUnknown + 1})
	if err != nil {
		return fmt.Errorf("count unknown outcomes: %w", err)
	}
	n.Unknown, n.Many = min(len(lost), mostUnknown), len(lost) > mostUnknown
	return nil
}

// answers tells how people answered what rules asked; the suspicious ones come
// first.
func (m *Room) answers(ctx context.Context, b *body) error {
	report, err := m.Config.Answers(ctx)
	if err != nil {
		return err
	}
	var noise, rest []fatigue.Rule
	for _, rule := range report.Rules {
		rule.Rule = plain.Reveal(rule.Rule)
		if rule.Noise || rule.Hasty > 0 {
			noise = append(noise, rule)
		} else {
			rest = append(rest, rule)
		}
	}
	rules := append(noise, rest...)
	report.Rules = rules[:min(len(rules), shownRules)]
	b.Answers = report
	return nil
}
