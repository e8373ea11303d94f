// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package notifytest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
	"github.com/toolverdict/toolverdict/internal/notify"
	"github.com/toolverdict/toolverdict/internal/notify/words"
	"github.com/toolverdict/toolverdict/internal/shelf"
)

// Store is what the suite needs of one.
type Store interface{ notify.Store }

// store is a store that can be down, and that remembers what was recorded.
type store struct {
	Store
	down    atomic.Bool
	stalled atomic.Bool // answers nothing until whoever asks gives up

	mu      sync.Mutex
	records []tv.Record
}

var errDown = errors.New("the store is down")

func (s *store) ready(ctx context.Context) error {
	if s.stalled.Load() {
		<-ctx.Done()
		return ctx.Err()
	}
	if s.down.Load() {
		return errDown
	}
	return nil
}

func (s *store) Approval(ctx context.Context, id string) (tv.Approval, error) {
	if err := s.ready(ctx); err != nil {
		return tv.Approval{}, err
	}
	return s.Store.Approval(ctx, id)
}

func (s *store) Commit(ctx context.Context, c tv.Changes) error {
	if err := s.ready(ctx); err != nil {
		return err
	}
	err := s.Store.Commit(ctx, c)
	s.remember(err, c.Records)
	return err
}

func (s *store) Row(ctx context.Context, kind, key string) (shelf.Row, error) {
	if err := s.ready(ctx); err != nil {
		return shelf.Row{}, err
	}
	return s.Store.Row(ctx, kind, key)
}

func (s *store) Shelve(ctx context.Context, changes []shelf.Change, records ...tv.Record) error {
	if err := s.ready(ctx); err != nil {
		return err
	}
	err := s.Store.Shelve(ctx, changes, records...)
	s.remember(err, records)
	return err
}

func (s *store) remember(err error, records []tv.Record) {
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = append(s.records, records...)
}

// refused are the records of clicks that did not count.
func (s *store) refused() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for i := range s.records {
		if strings.Contains(s.records[i].Detail, "did not count") {
			out = append(out, s.records[i].Detail)
		}
	}
	return out
}

// Clock is a clock that stands still until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) move(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(by)
}

// People of the suite.
const (
	alice = "alice" // an approver
	bob   = "bob"   // another one
	clerk = "clerk" // an approver, on whose behalf the agent asks
	dora  = "dora"  // a person without the role
	eve   = "eve"   // an account that is nobody's
)

func people(id string) (tv.Subject, bool) {
	s := tv.Subject{ID: id, Kind: tv.Person, User: id, Roles: []string{"finance"}}
	switch id {
	case alice, bob, clerk:
		return s, true
	case dora:
		s.Roles = []string{"ops"}
		return s, true
	}
	return tv.Subject{}, false
}

// bench is one gate's channels with what they stand on.
type bench struct {
	*testing.T
	clock    *clock
	store    *store
	desk     *approval.Desk
	platform Platform
	gate     *notify.Service
	asked    atomic.Int64
	events   atomic.Int64
}

func open(t *testing.T, s Subject, language words.Language) *bench {
	t.Helper()
	b := &bench{T: t, clock: &clock{now: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)}}
	b.store = &store{Store: s.Store(t, b.clock.Now)}
	var err error
	b.desk, err = approval.New(approval.Config{
		Store: b.store, Now: b.clock.Now, NewID: func() string { return "unused" }, Text: func(s string) string { return s },
	})
	if err != nil {
		t.Fatal(err)
	}
	b.platform = s.Open(t, b.clock.Now)
	b.gate, err = notify.New(notify.Config{
		Store: b.store, Desk: b.desk, Person: func(_ context.Context, id string) (tv.Subject, string, error) {
			if s, ok := people(id); ok {
				return s, "", nil
			}
			return tv.Subject{}, "", tv.ErrNotFound
		}, Key: make([]byte, 32), BaseURL: "https://gate.example",
		Text: func(s string) string { return s }, Now: b.clock.Now, Random: func() float64 { return 0 },
		Log: slog.New(slog.DiscardHandler),
		Entries: []notify.Entry{{
			Name: ChannelName, Kind: "test", Channel: b.platform.Channel(), Language: language,
			Decide: []tv.Risk{tv.LowRisk, tv.MediumRisk}, PerMinute: 60,
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := b.platform.Channel().(notify.Listener); ok {
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { b.gate.Listen(ctx) })
		t.Cleanup(func() { stop(); running.Wait() })
	}
	for _, who := range []string{alice, bob, clerk, dora} {
		b.link(who)
	}
	return b
}

// link links an account to the person of the same name.
func (b *bench) link(who string) {
	b.Helper()
	code, err := b.gate.Offer(b.Context(), notify.Account{Channel: ChannelName, Operator: b.platform.Account(who)})
	if err != nil {
		b.Fatal(err)
	}
	by, _ := people(who)
	if _, err := b.gate.Accept(b.Context(), by, code); err != nil {
		b.Fatal(err)
	}
}

// ask has an approval wait, and returns it.
func (b *bench) ask(change func(*tv.Approval)) tv.Approval {
	b.Helper()
	n := b.asked.Add(1)
	now := b.clock.Now()
	a := tv.Approval{
		ID: fmt.Sprintf("approval%d", n), State: tv.ApprovalPending, Digest: fmt.Sprintf("digest-%d", n), Key: fmt.Sprintf("key-%d", n),
		Call:         tv.StoredCall{Tool: "shop/refund", Subject: tv.Subject{ID: "agent", Kind: tv.Agent, User: clerk}, Arguments: []byte(`{}`)},
		Requirements: []tv.Requirement{{Rule: "refunds", Approvers: []string{"role:finance"}, Quorum: 1}},
		Card: tv.Card{
			Tool: "shop/refund", Summary: "Refund 250.00 for order A1001", Risk: tv.MediumRisk, Requester: clerk, Agent: "agent (bot)",
			Rules: []tv.Match{{Rule: "refunds", Verdict: tv.Ask}}, Reason: "Refunds over 100 need a person.", Impact: "Money leaves the shop.",
		},
		Created: now, Expires: now.Add(15 * time.Minute),
	}
	if change != nil {
		change(&a)
	}
	err := b.store.Commit(b.Context(), tv.Changes{
		Records: []tv.Record{{Kind: tv.RecordDecision, At: now}}, Approvals: []tv.ApprovalChange{{To: a}},
	})
	if err != nil {
		b.Fatal(err)
	}
	return a
}

// deliver gives the channel a turn.
func (b *bench) deliver() {
	b.Helper()
	if err := b.gate.Pass(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// waiting has an approval wait and its card be shown; it returns the token of
// its buttons.
func (b *bench) waiting(change func(*tv.Approval)) (tv.Approval, string) {
	b.Helper()
	a := b.ask(change)
	before := b.platform.Token()
	for range 100 { // a channel sends so many at a time
		b.deliver()
		if token := b.platform.Token(); token != before {
			return a, token
		}
		b.clock.move(time.Second)
	}
	b.Fatal("the card was not shown")
	return a, ""
}

// made makes a button up that the platform was never given: as if a token had
// leaked.
func (b *bench) made(a tv.Approval, channel string) string {
	b.Helper()
	token := strings.Repeat("m", 26)
	sum := sha256.Sum256([]byte(token))
	row := shelf.Row{
		Kind: "notify/token", Key: hex.EncodeToString(sum[:]), Due: a.Expires,
		Body: fmt.Appendf(nil, `{"approval":%q,"channel":%q}`, a.ID, channel),
	}
	if err := b.store.Shelve(b.Context(), []shelf.Change{{Row: row}}); err != nil {
		b.Fatal(err)
	}
	return token
}

// press fills in what a press usually is.
func (b *bench) press(p Press) Told {
	b.Helper()
	if p.Event == "" {
		p.Event = fmt.Sprintf("event-%d", b.events.Add(1))
	}
	if p.Who == "" {
		p.Who = alice
	}
	if p.Vote == "" {
		p.Vote = notify.Approve
	}
	if p.At.IsZero() {
		p.At = b.clock.Now()
	}
	return b.platform.Press(b.T, b.gate, p)
}

func (b *bench) now(id string) tv.Approval {
	b.Helper()
	a, err := b.store.Store.Approval(context.WithoutCancel(b.Context()), id)
	if err != nil {
		b.Fatal(err)
	}
	return a
}

// untouched checks that nobody voted and that a refusal was recorded.
func (b *bench) untouched(id, why string) {
	b.Helper()
	if a := b.now(id); a.State != tv.ApprovalPending || len(a.Votes) != 0 {
		b.Errorf("it is %s with votes %v", a.State, a.Votes)
	}
	if all := b.store.refused(); !slices.ContainsFunc(all, func(s string) bool { return strings.Contains(s, why) }) {
		b.Errorf("no record says %q: %q", why, all)
	}
}
