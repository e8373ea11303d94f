// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package notify_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
	"github.com/toolverdict/toolverdict/internal/notify"
	"github.com/toolverdict/toolverdict/internal/store/memory"
)

// chat is a channel that keeps what it was sent.
type chat struct {
	mu      sync.Mutex
	sent    []notify.Card
	names   []string // of deliveries
	at      []time.Time
	updated []notify.Card
	send    func(ctx context.Context, n int) error // n counts attempts from 1; nil means that all is well
	update  func() error
}

func (c *chat) Send(ctx context.Context, delivery string, card notify.Card) (string, error) {
	c.mu.Lock()
	c.at = append(c.at, time.Now())
	c.names = append(c.names, delivery)
	n, send := len(c.at), c.send
	c.mu.Unlock()
	if send != nil {
		if err := send(ctx, n); err != nil {
			return "", err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent = append(c.sent, card)
	return "ref-" + card.ID, nil
}

func (c *chat) Update(_ context.Context, ref string, card notify.Card) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.updated = append(c.updated, card)
	if c.update != nil {
		return c.update()
	}
	if ref != "ref-"+card.ID {
		return fmt.Errorf("another card: %s", ref)
	}
	return nil
}

func (c *chat) counts() (sent, updated int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.sent), len(c.updated)
}

// gate is a store with a desk.
type gate struct {
	*testing.T
	store *memory.Store
	desk  *approval.Desk
	asked int
}

func newGate(t *testing.T) *gate {
	t.Helper()
	g := &gate{T: t}
	var err error
	if g.store, err = memory.New(memory.Config{Now: time.Now}); err != nil {
		t.Fatal(err)
	}
	g.desk, err = approval.New(approval.Config{Store: g.store, Now: time.Now, NewID: func() string { return "x" }, Text: plainly})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func plainly(s string) string { return strings.ReplaceAll(s, "s3cret", "[hidden]") }

func boss() tv.Subject { return tv.Subject{ID: "boss", Kind: tv.Person, Roles: []string{"finance"}} }

func person(_ context.Context, id string) (tv.Subject, string, error) {
	for _, s := range []tv.Subject{boss(), {ID: "other", Kind: tv.Person}, {ID: "root", Kind: tv.Person, Roles: []string{"admin"}}, {ID: "bot", Kind: tv.Agent}} {
		if s.ID == id {
			return s, "", nil
		}
	}
	return tv.Subject{}, "", tv.ErrNotFound
}

func (g *gate) service(entries ...notify.Entry) *notify.Service {
	g.Helper()
	for i := range entries {
		if entries[i].Name == "" {
			entries[i].Name = fmt.Sprintf("c%d", i)
		}
		if entries[i].PerMinute == 0 {
			entries[i].PerMinute = 6000
		}
	}
	s, err := notify.New(notify.Config{
		Store: g.store, Desk: g.desk, Person: person, Key: make([]byte, 32), BaseURL: "https://gate.example/", Text: plainly,
		Now: time.Now, Random: func() float64 { return 0 }, Log: slog.New(slog.DiscardHandler), Entries: entries,
	})
	if err != nil {
		g.Fatal(err)
	}
	return s
}

// ask has an approval wait.
func (g *gate) ask(who string) tv.Approval {
	g.Helper()
	g.asked++
	now := time.Now()
	a := tv.Approval{
		ID: fmt.Sprintf("a%03d", g.asked), State: tv.ApprovalPending, Digest: fmt.Sprint(g.asked), Key: fmt.Sprint("k", g.asked),
		Call: tv.StoredCall{Tool: "t", Subject: tv.Subject{ID: "agent", Kind: tv.Agent}}, Requirements: []tv.Requirement{{Approvers: []string{who}, Quorum: 1}},
		Card: tv.Card{Tool: "t", Summary: "s", Risk: tv.LowRisk}, Created: now.Add(time.Duration(g.asked) * time.Microsecond), Expires: now.Add(time.Hour),
	}
	err := g.store.Commit(g.Context(), tv.Changes{Records: []tv.Record{{Kind: tv.RecordDecision, At: now}}, Approvals: []tv.ApprovalChange{{To: a}}})
	if err != nil {
		g.Fatal(err)
	}
	return a
}

// run runs services until the returned function is called.
func run(t *testing.T, all ...*notify.Service) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for _, s := range all {
		running.Go(func() { s.Run(ctx) })
	}
	return func() { cancel(); running.Wait() }
}

// TestRetries: what fails is tried again, later each time, under one name, and
// comes in the end.
func TestRetries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		c := &chat{send: func(_ context.Context, n int) error {
			switch n {
			case 3:
				return &notify.LaterError{After: time.Minute, Err: errors.New("slow down")}
			case 6:
				panic("a bug in a channel")
			case 1, 2, 4, 5:
				return errors.New("no route with s3cret \u202e")
			}
			return nil
		}}
		s := g.service(notify.Entry{Channel: c})
		defer run(t, s)()
		g.ask("role:finance")
		time.Sleep(5 * time.Second)
		all, err := s.Status(t.Context())
		if err != nil || all[0].Failing != 1 || all[0].Error != "no route with [hidden] \ufffd" {
			t.Errorf("status %+v, %v", all, err)
		}
		time.Sleep(10 * time.Minute)
		if sent, _ := c.counts(); sent != 1 || len(c.at) != 7 {
			t.Fatalf("%d sent in %d attempts", sent, len(c.at))
		}
		least := []time.Duration{2 * time.Second, 4 * time.Second, time.Minute, 16 * time.Second, 32 * time.Second, 64 * time.Second}
		for i, want := range least {
			if gap := c.at[i+1].Sub(c.at[i]); gap < want || gap > want+3*time.Second {
				t.Errorf("attempt %d came after %v, not %v", i+2, gap, want)
			}
			if c.names[i+1] != c.names[0] {
				t.Errorf("attempt %d goes by another name", i+2)
			}
		}
		if all, err = s.Status(t.Context()); err != nil || all[0].Error != "" || all[0].Shown != 1 || all[0].Delivered.IsZero() {
			t.Errorf("status %+v, %v", all, err)
		}
	})
}

// TestCrash: a gate that ends while it sends leaves the card to the next one,
// with the same name and buttons.
func TestCrash(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		hangs := &chat{send: func(ctx context.Context, _ int) error { <-ctx.Done(); return ctx.Err() }}
		low := []tv.Risk{tv.LowRisk}
		stop := run(t, g.service(notify.Entry{Channel: hangs, Decide: low}))
		g.ask("role:finance")
		time.Sleep(time.Second)
		stop()
		good := &chat{}
		defer run(t, g.service(notify.Entry{Channel: good, Decide: low}))()
		time.Sleep(2 * time.Minute)
		if sent, _ := good.counts(); sent != 1 || good.names[0] != hangs.names[0] || good.sent[0].Token == "" {
			t.Errorf("%d sent as %v, before %v", sent, good.names, hangs.names)
		}
	})
}

// TestTwoGates: on one store each card is sent once, and changed once.
func TestTwoGates(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		c := &chat{send: func(context.Context, int) error { time.Sleep(3 * time.Second); return nil }}
		defer run(t, g.service(notify.Entry{Channel: c}), g.service(notify.Entry{Channel: c}))()
		for range 10 {
			g.ask("role:finance")
		}
		time.Sleep(time.Minute)
		for i := range 10 {
			if _, err := g.desk.Approve(t.Context(), boss(), fmt.Sprintf("a%03d", i+1), ""); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(30 * time.Second)
		if sent, updated := c.counts(); sent != 10 || updated != 10 {
			t.Errorf("%d sent, %d changed", sent, updated)
		}
	})
}

// TestLimit: a flood is sent bit by bit, the oldest first.
func TestLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, c := newGate(t), &chat{}
		defer run(t, g.service(notify.Entry{Channel: c, PerMinute: 15}))()
		for range 60 {
			g.ask("role:finance")
		}
		time.Sleep(time.Minute)
		if sent, _ := c.counts(); sent < 15 || sent > 20 {
			t.Errorf("%d in the first minute", sent)
		}
		time.Sleep(4 * time.Minute)
		if sent, _ := c.counts(); sent != 60 {
			t.Errorf("%d in five minutes", sent)
		}
		for i, card := range c.sent {
			if card.ID != fmt.Sprintf("a%03d", i+1) {
				t.Fatalf("card %d is of %s", i+1, card.ID)
			}
		}
	})
}

// TestOneChannelHoldsUpNoOther, nor the desk.
func TestOneChannelHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, good := newGate(t), &chat{}
		hangs := &chat{send: func(ctx context.Context, _ int) error { <-ctx.Done(); return ctx.Err() }}
		defer run(t, g.service(notify.Entry{Channel: hangs}, notify.Entry{Channel: good}))()
		a := g.ask("role:finance")
		time.Sleep(time.Second)
		if sent, _ := good.counts(); sent != 1 {
			t.Errorf("%d sent", sent)
		}
		if got, err := g.desk.Approve(t.Context(), boss(), a.ID, ""); err != nil || got.State != tv.ApprovalApproved {
			t.Errorf("%s, %v", got.State, err)
		}
		time.Sleep(3 * time.Second)
		if _, updated := good.counts(); updated != 1 {
			t.Errorf("%d changed", updated)
		}
	})
}

// TestOnlyWhoIsNamed: a channel of some approvers shows no others' calls.
func TestOnlyWhoIsNamed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, c := newGate(t), &chat{}
		defer run(t, g.service(notify.Entry{Channel: c, Approvers: []string{"role:ops", "user:ann"}}))()
		g.ask("role:finance")
		g.ask("user:ann")
		time.Sleep(5 * time.Second)
		if sent, _ := c.counts(); sent != 1 || c.sent[0].ID != "a002" {
			t.Errorf("%d sent: %+v", sent, c.sent)
		}
	})
}

// TestUpdatesGiveUp: a card that cannot be changed any more is left alone.
func TestUpdatesGiveUp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		want int
	}{"gone": {notify.ErrGone, 1}, "fails": {errors.New("no"), 12}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g, ch := newGate(t), &chat{update: func() error { return c.err }}
				s := g.service(notify.Entry{Channel: ch})
				defer run(t, s)()
				a := g.ask("role:finance")
				time.Sleep(3 * time.Second)
				if _, err := g.desk.Reject(t.Context(), boss(), a.ID, ""); err != nil {
					t.Fatal(err)
				}
				time.Sleep(40 * time.Minute)
				if _, updated := ch.counts(); updated != c.want {
					t.Errorf("changed %d times", updated)
				}
				if all, err := s.Status(t.Context()); err != nil || all[0].Queued+all[0].Shown != 0 {
					t.Errorf("status %+v, %v", all, err)
				}
			})
		})
	}
}

// TestNothingPilesUp: a day later the store holds no row of an approval.
func TestNothingPilesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, c := newGate(t), &chat{}
		stop := run(t, g.service(notify.Entry{Channel: c}))
		for range 3 {
			g.ask("role:finance")
		}
		time.Sleep(61 * time.Minute)
		stop()
		if sent, updated := c.counts(); sent != 3 || updated != 3 || c.updated[0].Title != "Nobody answered in time" {
			t.Errorf("%d sent, %d changed", sent, updated)
		}
		time.Sleep(25 * time.Hour)
		stop = run(t, g.service(notify.Entry{Channel: c}))
		time.Sleep(2 * time.Minute)
		stop()
		for _, kind := range []string{"notify/card/c0", "notify/token", "notify/event"} {
			if rows, err := g.rows(kind); err != nil || rows != 0 {
				t.Errorf("%s: %d rows, %v", kind, rows, err)
			}
		}
	})
}
