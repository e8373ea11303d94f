// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/notify/words"
	"github.com/toolverdict/toolverdict/internal/plain"
	"github.com/toolverdict/toolverdict/internal/shelf"
)

// Store is what is needed of durable state.
type Store interface {
	Approvals
	shelf.Shelf
}

// Approvals are what is shown. What is written of them is refusals only.
type Approvals interface {
	Approval(ctx context.Context, id string) (tv.Approval, error)
	Approvals(ctx context.Context, q tv.ApprovalQuery) ([]tv.Approval, error)
	Commit(ctx context.Context, c tv.Changes) error
	Changed() <-chan struct{}
}

// Desk takes votes: an *approval.Desk.
type Desk interface {
	Approve(ctx context.Context, by tv.Subject, id, reason string) (tv.Approval, error)
	Reject(ctx context.Context, by tv.Subject, id, reason string) (tv.Approval, error)
}

// Person returns a person as the host knows them now, or toolverdict.ErrNotFound.
// The stamp stands for the person behind the name, and for their password: it is
// another one where either is.
type Person func(ctx context.Context, id string) (s tv.Subject, stamp string, err error)

// Config is what a service is made of. All fields are required.
type Config struct {
	Store   Store
	Desk    Desk
	Person  Person
	Key     []byte              // makes the tokens of buttons
	BaseURL string              // where people reach the gate
	Text    func(string) string // hides secrets in free text
	Now     func() time.Time
	Random  func() float64 // from 0 up to 1, to spread what is tried again
	Log     *slog.Logger
	Entries []Entry
}

// Entry is one channel as the configuration has it.
type Entry struct {
	Name      string
	Kind      string
	Channel   Channel
	Language  words.Language
	Decide    []tv.Risk // risks whose calls may be decided here; high is none of them
	Approvers []string  // only approvals that name one of them are shown; empty means all
	PerMinute int       // messages; 0 means 15
}

// Service shows approvals in channels and takes clicks. It is safe for
// concurrent use, and several gates may run one on the same store.
type Service struct {
	Config
	*Links
	lanes   []*lane
	refused *refusals
	work    sync.WaitGroup // what runs after an answer
}

func channelName(s string) bool { return plain.Name{Signs: "_-", Max: 63, Lower: true}.Fits(s) }

// New checks the parts.
func New(c Config) (*Service, error) {
	if c.Store == nil || c.Desk == nil || c.Person == nil || len(c.Key) < 32 || c.BaseURL == "" || c.Text == nil ||
		c.Now == nil || c.Random == nil || c.Log == nil {
		return nil, errors.New("open channels: every part is needed")
	}
	c.BaseURL = strings.TrimRight(c.BaseURL, "/")
	s := &Service{Config: c, refused: newRefusals(c.Store, c.Now, c.Log)}
	s.Links = &Links{store: c.Store, now: c.Now, person: c.Person}
	for _, e := range c.Entries {
		switch {
		case !channelName(e.Name) || s.lane(e.Name) != nil:
			return nil, fmt.Errorf("open channel %q: a name of its own is needed, of a-z, 0-9, _ and -", e.Name)
		case e.Channel == nil:
			return nil, fmt.Errorf("open channel %q: it has no way out", e.Name)
		case slices.ContainsFunc(e.Decide, func(r tv.Risk) bool { return !Decides(r) }):
			return nil, fmt.Errorf("open channel %q: only low and medium risk can be decided in a chat", e.Name)
		}
		s.lanes = append(s.lanes, s.newLane(e))
	}
	return s, nil
}

func (s *Service) newLane(e Entry) *lane {
	if e.PerMinute <= 0 {
		e.PerMinute = defaultPerMinute
	}
	return &lane{
		Entry: e, s: s, limit: newLimiter(e.PerMinute), poked: make(chan struct{}, 1),
		look: look{
			language: e.Language,
			link:     func(id string) string { return s.BaseURL + "/approvals/" + id },
			decides:  func(r tv.Risk) bool { return Decides(r) && slices.Contains(e.Decide, r) },
		},
	}
}

func (s *Service) lane(name string) *lane {
	for _, l := range s.lanes {
		if l.Name == name {
			return l
		}
	}
	return nil
}

// Pass does once what Run does all the time, and not while Run does it: every
// approval that waits gets its rows, and every channel a turn.
func (s *Service) Pass(ctx context.Context) error {
	_, err := s.look(ctx, "")
	for _, l := range s.lanes {
		err = errors.Join(err, l.pass(ctx))
	}
	return err
}

// Run works until ctx ends: it looks for approvals to show, shows them, and
// listens where channels fetch clicks themselves.
func (s *Service) Run(ctx context.Context) {
	var all sync.WaitGroup
	if len(s.lanes) > 0 {
		all.Go(func() { s.survey(ctx) })
		all.Go(func() { s.tidy(ctx) })
	}
	for _, l := range s.lanes {
		all.Go(func() { l.run(ctx) })
	}
	s.Listen(ctx)
	all.Wait()
	s.work.Wait()
}

// Listen takes clicks of channels that fetch them themselves, until ctx ends.
func (s *Service) Listen(ctx context.Context) {
	var all sync.WaitGroup
	for _, l := range s.lanes {
		if listener, ok := l.Channel.(Listener); ok && len(l.Decide) > 0 {
			all.Go(func() { l.listen(ctx, listener) })
		}
	}
	all.Wait()
}
