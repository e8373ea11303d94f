// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/notify/words"
	"github.com/toolverdict/toolverdict/internal/shelf"
)

// Status is how a channel is doing.
type Status struct {
	Name      string    `json:"name"`
	Kind      string    `json:"kind"`
	Decide    []tv.Risk `json:"decide"` // risks that are decided in it
	Callback  string    `json:"callback,omitempty"`
	Queued    int       `json:"queued"`  // cards to send, or to bring up to date
	Failing   int       `json:"failing"` // of these, cards that were tried and failed
	Shown     int       `json:"shown"`   // cards that wait for an answer
	More      bool      `json:"more,omitempty"`
	Delivered time.Time `json:"delivered,omitzero"` // the last time that one was, to the minute
	Health
}

// Health is the last error of a channel since it last worked.
type Health struct {
	Error string    `json:"error,omitempty"`
	Since time.Time `json:"since,omitzero"` // when it began to fail
}

// state is what is kept of a channel.
type state struct {
	Health
	Delivered time.Time `json:"delivered,omitzero"`
}

// remember changes what is kept of a channel, where it changes anything.
func (l *lane) remember(ctx context.Context, change func(*state) bool) error {
	row, err := l.s.Store.Row(ctx, stateKind, l.Name)
	if err != nil {
		return err
	}
	var is state
	if row.Revision > 0 {
		if err := json.Unmarshal(row.Body, &is); err != nil {
			return fmt.Errorf("read state of channel: %v", err)
		}
	}
	if !change(&is) {
		return nil
	}
	if row.Body, err = json.Marshal(is); err != nil {
		return fmt.Errorf("write state of channel: %v", err)
	}
	return ours(l.s.Store.Shelve(ctx, []shelf.Change{{From: row.Revision, Row: row}}))
}

func (l *lane) failing(ctx context.Context, text string) error {
	return l.remember(ctx, func(s *state) bool {
		if s.Since.IsZero() {
			s.Since = l.s.Now()
		}
		changed := s.Error != text
		s.Error = text
		return changed
	})
}

func (l *lane) working(ctx context.Context) error {
	now := l.s.Now()
	return l.remember(ctx, func(s *state) bool {
		if s.Error == "" && now.Sub(s.Delivered) < time.Minute {
			return false
		}
		*s = state{Delivered: now}
		return true
	})
}

// statusRows is how many cards of a channel are counted.
const statusRows = 1000

// Status tells how every channel is doing.
func (s *Service) Status(ctx context.Context) ([]Status, error) {
	out := make([]Status, 0, len(s.lanes))
	for _, l := range s.lanes {
		one, err := l.status(ctx)
		if err != nil {
			return nil, fmt.Errorf("read state of channel %q: %w", l.Name, err)
		}
		out = append(out, one)
	}
	return out, nil
}

func (l *lane) status(ctx context.Context) (Status, error) {
	out := Status{Name: l.Name, Kind: l.Kind, Decide: append([]tv.Risk{}, l.Decide...)}
	if _, ok := l.Channel.(Receiver); ok && len(l.Decide) > 0 {
		out.Callback = l.s.BaseURL + CallbackPath + l.Name
	}
	row, err := l.s.Store.Row(ctx, stateKind, l.Name)
	if err != nil {
		return out, err
	}
	var is state
	if row.Revision > 0 {
		if err := json.Unmarshal(row.Body, &is); err != nil {
			return out, fmt.Errorf("read state of channel: %v", err)
		}
	}
	out.Health, out.Delivered = is.Health, is.Delivered
	cards, err := l.s.Store.Rows(ctx, shelf.Query{Kind: cardKind + l.Name, Limit: statusRows})
	if err != nil {
		return out, err
	}
	out.More = len(cards) == statusRows
	for _, card := range cards {
		d, err := decodeDelivery(card)
		switch {
		case err != nil:
			return out, err
		case d.Next.IsZero():
			out.Shown++
		default:
			out.Queued++
		}
		if d.Error != "" {
			out.Failing++
		}
	}
	return out, nil
}

// Test sends a card that is of no approval, and returns what came of it.
func (s *Service) Test(ctx context.Context, name string) error {
	l := s.lane(name)
	if l == nil {
		return fmt.Errorf("test channel %q: %w", name, tv.ErrNotFound)
	}
	ctx, done := context.WithTimeout(ctx, attemptFor)
	defer done()
	d := delivery{Approval: "test", Salt: s.Now().Format(time.RFC3339Nano)}
	_, err := l.Channel.Send(ctx, l.name(&d), Card{
		ID: "test", State: tv.ApprovalCancelled, Risk: tv.LowRisk, Title: l.look.say(words.Test), Summary: l.look.say(words.Test),
		Link: s.BaseURL, Open: l.look.say(words.Open),
	})
	if err != nil {
		return &DeliveryError{s.errorText(err)}
	}
	return nil
}

// DeliveryError is a platform that did not take a card. Its text is fit to be
// shown.
type DeliveryError struct{ Text string }

// Error implements error.
func (e *DeliveryError) Error() string { return "deliver card: " + e.Text }
