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
	"github.com/toolverdict/toolverdict/internal/notify"
	"github.com/toolverdict/toolverdict/internal/shelf"
)

func (g *gate) rows(kind string) (int, error) {
	all, err := g.store.Rows(context.WithoutCancel(g.Context()), shelf.Query{Kind: kind})
	return len(all), err
}

func account(n int) notify.Account {
	return notify.Account{Channel: "c0", Operator: fmt.Sprintf("T1/U%d", n)}
}

func other() tv.Subject { return tv.Subject{ID: "other", Kind: tv.Person} }

// TestLinks: a code links one account to one person, once and in time.
func TestLinks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		s, ctx := g.service(), t.Context()
		offer := func(n int) string {
			t.Helper()
			code, err := s.Offer(ctx, account(n))
			if err != nil || len(code) != 26 {
				t.Fatalf("%q, %v", code, err)
			}
			return code
		}
		first, code := offer(1), offer(1)
		if _, err := s.Accept(ctx, boss(), first); !errors.Is(err, notify.ErrNoOffer) {
			t.Errorf("a code that another one took the place of: %v", err)
		}
		for name, by := range map[string]tv.Subject{
			"an agent": {ID: "bot", Kind: tv.Agent}, "nobody": {}, "a stranger": {ID: "stranger", Kind: tv.Person}, "an agent that says it is a person": {ID: "bot", Kind: tv.Person},
		} {
			if _, err := s.Accept(ctx, by, code); !errors.Is(err, notify.ErrNobody) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if l, err := s.Accept(ctx, boss(), code); err != nil || l.Subject != "boss" || l.Operator != "T1/U1" {
			t.Errorf("%+v, %v", l, err)
		}
		if _, err := s.Accept(ctx, boss(), code); !errors.Is(err, notify.ErrNoOffer) {
			t.Errorf("a second time: %v", err)
		}
		if l, err := s.Find(ctx, "c0", "T1/U1"); err != nil || l.ID != "boss" {
			t.Errorf("%+v, %v", l, err)
		}
		for _, none := range [][2]string{{"c1", "T1/U1"}, {"c0", "T1/U2"}} {
			if l, err := s.Find(ctx, none[0], none[1]); err != nil || l.ID != "" {
				t.Errorf("%v is %+v, %v", none, l, err)
			}
		}
		if _, err := s.Accept(ctx, other(), offer(1)); !errors.Is(err, notify.ErrTaken) {
			t.Errorf("somebody else's: %v", err)
		}
		if _, err := s.Accept(ctx, boss(), offer(1)); err != nil {
			t.Errorf("one's own again: %v", err)
		}
		late := offer(2)
		time.Sleep(10 * time.Minute)
		if _, err := s.Accept(ctx, boss(), late); !errors.Is(err, notify.ErrNoOffer) {
			t.Errorf("too late: %v", err)
		}
	})
}

// TestLinksAreOfThePersonNotOfTheName: who is gone, and whoever had somebody's
// password for a while, leaves no account behind that votes.
func TestLinksAreOfThePersonNotOfTheName(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	stamp := "first"
	s, err := notify.New(notify.Config{
		Store: g.store, Desk: g.desk, Key: make([]byte, 32), BaseURL: "https://g", Text: plainly, Now: time.Now,
		Person: func(ctx context.Context, id string) (tv.Subject, string, error) {
			by, _, err := person(ctx, id)
			return by, stamp, err
		},
		Random: func() float64 { return 0 }, Log: slog.New(slog.DiscardHandler), Entries: []notify.Entry{{Name: "c0", Channel: &chat{}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	link := func(by tv.Subject) error {
		t.Helper()
		code, err := s.Offer(t.Context(), account(1))
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Accept(t.Context(), by, code)
		return err
	}
	whose := func() string {
		t.Helper()
		by, err := s.Find(t.Context(), "c0", "T1/U1")
		if err != nil {
			t.Fatal(err)
		}
		return by.ID
	}
	if err := link(boss()); err != nil || whose() != "boss" {
		t.Fatalf("%q, %v", whose(), err)
	}
	if err := link(other()); !errors.Is(err, notify.ErrTaken) {
		t.Errorf("somebody else's: %v", err)
	}
	stamp = "second"
	if got := whose(); got != "" {
		t.Errorf("with another password, or another person, it is still %q", got)
	}
	if err := link(other()); err != nil || whose() != "other" {
		t.Errorf("an account that is nobody's: %q, %v", whose(), err)
	}
}

// TestRemovingLinks is for who is linked, and for administrators.
func TestRemovingLinks(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	s, ctx := g.service(), t.Context()
	for n, by := range []tv.Subject{boss(), boss(), other()} {
		code, err := s.Offer(ctx, account(n))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Accept(ctx, by, code); err != nil {
			t.Fatal(err)
		}
	}
	admin := tv.Subject{ID: "root", Kind: tv.Person, Roles: []string{"admin"}}
	for name, c := range map[string]struct {
		by   tv.Subject
		want int
	}{"own": {boss(), 2}, "others": {other(), 1}, "all": {admin, 3}, "an agent's": {tv.Subject{ID: "boss", Kind: tv.Agent, Roles: []string{"admin"}}, 0}} {
		if all, err := s.List(ctx, c.by); err != nil || len(all) != c.want {
			t.Errorf("%s: %d, %v", name, len(all), err)
		}
	}
	if err := s.Remove(ctx, other(), "c0", "T1/U0"); !errors.Is(err, tv.ErrNotFound) {
		t.Errorf("somebody else's: %v", err)
	}
	for _, by := range []tv.Subject{boss(), admin} {
		if err := s.Remove(ctx, by, "c0", map[string]string{"boss": "T1/U0", "root": "T1/U2"}[by.ID]); err != nil {
			t.Errorf("%s: %v", by.ID, err)
		}
	}
	if all, err := s.List(ctx, admin); err != nil || len(all) != 1 || all[0].Operator != "T1/U1" {
		t.Errorf("%+v, %v", all, err)
	}
	if n, err := g.rows("notify/link"); err != nil || n != 1 {
		t.Errorf("%d rows, %v", n, err)
	}
}

// TestOneCodeOneLink: of many who use a code at once, one is linked.
func TestOneCodeOneLink(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	s, ctx := g.service(), t.Context()
	code, err := s.Offer(ctx, account(1))
	if err != nil {
		t.Fatal(err)
	}
	won := make(chan string, 16)
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			by := []tv.Subject{boss(), other()}[i%2]
			if l, err := s.Accept(ctx, by, code); err == nil {
				won <- l.Subject
			}
		})
	}
	all.Wait()
	if len(won) != 1 {
		t.Fatalf("%d were linked", len(won))
	}
	if l, err := s.Find(ctx, "c0", "T1/U1"); err != nil || l.ID != <-won {
		t.Errorf("%+v, %v", l, err)
	}
}

// TestOffersAreBounded: who presses buttons without end fills nothing, and shuts
// nobody out for longer than a code lives.
func TestOffersAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, ctx := newGate(t).service(), t.Context()
		made := 0
		for n := range 600 {
			if _, err := s.Offer(ctx, account(n)); err == nil {
				made++
			}
		}
		if made != 500 {
			t.Errorf("%d codes", made)
		}
		if _, err := s.Offer(ctx, account(7)); err != nil {
			t.Errorf("one in the place of an earlier one: %v", err)
		}
		time.Sleep(10 * time.Minute)
		if _, err := s.Offer(ctx, account(1000)); err != nil {
			t.Errorf("after they ended: %v", err)
		}
	})
}

func TestParts(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	whole := func() notify.Config {
		return notify.Config{
			Store: g.store, Desk: g.desk, Person: person, Key: make([]byte, 32), BaseURL: "https://g", Text: plainly, Now: time.Now,
			Random: func() float64 { return 0 }, Log: slog.New(slog.DiscardHandler), Entries: []notify.Entry{{Name: "a", Channel: &chat{}}},
		}
	}
	if _, err := notify.New(whole()); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*notify.Config){
		"short key":  func(c *notify.Config) { c.Key = c.Key[:31] },
		"no person":  func(c *notify.Config) { c.Person = nil },
		"high risk":  func(c *notify.Config) { c.Entries[0].Decide = []tv.Risk{tv.HighRisk} },
		"some risk":  func(c *notify.Config) { c.Entries[0].Decide = []tv.Risk{"some"} },
		"no channel": func(c *notify.Config) { c.Entries[0].Channel = nil },
		"slash":      func(c *notify.Config) { c.Entries[0].Name = "a/b" },
		"twice":      func(c *notify.Config) { c.Entries = append(c.Entries, c.Entries[0]) },
	} {
		c := whole()
		change(&c)
		if _, err := notify.New(c); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
