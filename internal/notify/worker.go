// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package notify

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/shelf"
)

// How often and how much is looked at. Every pass is bounded: a store full of
// approvals makes cards late and nothing else slow.
const (
	lookEvery    = time.Second
	pause        = 50 * time.Millisecond // between two passes
	surveyPage   = 200
	surveyAnew   = 30 * time.Second // from the first approval on
	lanePage     = 100
	openPage     = 500
	tidyEvery    = time.Minute
	tidyPage     = 500
	attemptFor   = 20 * time.Second // one call of a platform
	leaseFor     = time.Minute      // a card that a gate has in hand is left to it
	firstRetry   = 2 * time.Second
	lastRetry    = 5 * time.Minute
	maxUpdates   = 12 // tries to show how an approval ended
	maxErrorText = 300
)

// wait returns after a hint, or after a while, and not at once.
func wait(ctx context.Context, every time.Duration, hints ...<-chan struct{}) bool {
	timer, rest := time.NewTimer(every), time.NewTimer(pause)
	defer timer.Stop()
	defer rest.Stop()
	var first, second <-chan struct{}
	if len(hints) > 0 {
		first = hints[0]
	}
	if len(hints) > 1 {
		second = hints[1]
	}
	select {
	case <-ctx.Done():
		return false
	case <-first:
	case <-second:
	case <-timer.C:
	}
	select {
	case <-ctx.Done():
		return false
	case <-rest.C:
		return true
	}
}

// survey looks for approvals that wait and are in no channel's rows yet.
func (s *Service) survey(ctx context.Context) {
	var after string
	var anew time.Time
	for {
		changed := s.Store.Changed()
		if now := s.Now(); !now.Before(anew) {
			after, anew = "", now.Add(surveyAnew)
		}
		var err error
		if after, err = s.look(ctx, after); err != nil && ctx.Err() == nil {
			s.Log.Error("approvals for channels cannot be read; trying again", "error", err)
		}
		if !wait(ctx, lookEvery, changed) {
			return
		}
	}
}

// look begins a delivery for every approval that waits, from one on.
func (s *Service) look(ctx context.Context, after string) (string, error) {
	for {
		page, err := s.Store.Approvals(ctx, tv.ApprovalQuery{State: tv.ApprovalPending, AfterID: after, Limit: surveyPage})
		if err != nil {
			return after, err
		}
		for i := range page {
			a := &page[i]
			for _, l := range s.lanes {
				if !named(a, l.Approvers) || a.StateAt(s.Now()) != tv.ApprovalPending {
					continue
				}
				if err := l.begin(ctx, a); err != nil {
					return after, err
				}
				l.poke()
			}
			after = a.ID
		}
		if len(page) < surveyPage {
			return after, nil
		}
	}
}

// lane is one channel with its work.
type lane struct {
	Entry
	s      *Service
	look   look
	limit  *limiter
	poked  chan struct{}
	cursor string // of the cards that are shown and wait for an end
}

func (l *lane) poke() {
	select {
	case l.poked <- struct{}{}:
	default:
	}
}

func (l *lane) run(ctx context.Context) {
	for {
		changed := l.s.Store.Changed()
		if err := l.pass(ctx); err != nil && ctx.Err() == nil {
			l.s.Log.Error("cards of a channel cannot be read or written; trying again", "channel", l.Name, "error", err)
		}
		if !wait(ctx, lookEvery, changed, l.poked) {
			return
		}
	}
}

// pass sends what is due, and looks at some of the cards that are shown: whether
// their approvals have ended.
func (l *lane) pass(ctx context.Context) error {
	due, err := l.s.Store.Rows(ctx, shelf.Query{Kind: cardKind + l.Name, DueBy: l.s.Now(), Limit: lanePage})
	if err != nil {
		return err
	}
	for i := range due {
		if err := l.tend(ctx, due[i]); err != nil {
			return err
		}
	}
	open, err := l.s.Store.Rows(ctx, shelf.Query{Kind: cardKind + l.Name, AfterKey: l.cursor, Limit: openPage})
	if err != nil {
		return err
	}
	l.cursor = ""
	if len(open) == openPage {
		l.cursor = open[len(open)-1].Key
	}
	for i := range open {
		if !open[i].Due.IsZero() {
			continue // in its turn
		}
		if err := l.tend(ctx, open[i]); err != nil {
			return err
		}
	}
	return nil
}

// tend does what is to be done for one card now.
func (l *lane) tend(ctx context.Context, row shelf.Row) error {
	d, err := decodeDelivery(row)
	if err != nil {
		return err
	}
	a, err := l.s.Store.Approval(ctx, d.Approval)
	if errors.Is(err, tv.ErrNotFound) {
		return ours(d.drop(ctx, l.s.Store))
	}
	if err != nil {
		return err
	}
	ended := a.StateAt(l.s.Now()) != tv.ApprovalPending
	switch {
	case ended && d.Ref != "" && d.Attempts >= maxUpdates:
		l.s.Log.Error("a card was left as it was: its end could not be shown", "channel", l.Name, "approval", d.Approval, "error", d.Error)
		return ours(d.drop(ctx, l.s.Store))
	case ended && d.Ref == "":
		return ours(d.drop(ctx, l.s.Store))
	case !ended && d.Ref != "":
		return nil
	case d.Ref == "" && !l.limit.take(l.s.Now()):
		return nil
	}
	d.Attempts++
	d.Next = l.s.Now().Add(leaseFor)
	if err := d.save(ctx, l.s.Store); err != nil {
		return ours(err)
	}
	return ours(l.settle(ctx, &d, ended, l.attempt(ctx, &d, &a)))
}

// ours lets pass that another gate has the card in hand.
func ours(err error) error {
	if _, ok := errors.AsType[*tv.ConflictError](err); ok {
		return nil
	}
	return err
}

// attempt calls the platform once. A channel that panics is one that failed: the
// gate goes on.
func (l *lane) attempt(ctx context.Context, d *delivery, a *tv.Approval) (err error) {
	ctx, done := context.WithTimeout(ctx, attemptFor)
	defer done()
	defer caught(&err)
	card := l.look.card(a, l.token(d), l.s.Now())
	if d.Ref != "" {
		if err := l.Channel.Update(ctx, d.Ref, card); !errors.Is(err, ErrGone) {
			return err
		}
		return nil
	}
	ref, err := l.Channel.Send(ctx, l.name(d), card)
	if err == nil && ref == "" {
		err = errors.New("the platform did not say which message it made")
	}
	if err == nil {
		d.Ref = ref
	}
	return err
}

// caught makes an error of a panic.
func caught(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("panic: %v", v)
	}
}

// settle writes down what came of an attempt.
func (l *lane) settle(ctx context.Context, d *delivery, ended bool, failed error) error {
	ctx = context.WithoutCancel(ctx) // what was sent must be known, even at the end
	if failed != nil {
		d.Error = l.s.errorText(failed)
		d.Next = l.s.Now().Add(l.s.backoff(d.Attempts, failed))
		l.s.Log.Warn("a card was not delivered; trying again", "channel", l.Name, "approval", d.Approval, "attempts", d.Attempts, "error", d.Error)
		return errors.Join(d.save(ctx, l.s.Store), l.failing(ctx, d.Error))
	}
	if err := l.working(ctx); err != nil {
		l.s.Log.Error("the state of a channel was not written down", "channel", l.Name, "error", err)
	}
	if ended {
		return d.drop(ctx, l.s.Store)
	}
	d.Attempts, d.Error, d.Next = 0, "", time.Time{}
	return d.save(ctx, l.s.Store)
}

// backoff doubles with each attempt, spread by chance so that what failed
// together does not come back together.
func (s *Service) backoff(attempts int, failed error) time.Duration {
	d := firstRetry << min(max(attempts-1, 0), 10)
	d = min(d, lastRetry)
	if later, ok := errors.AsType[*LaterError](failed); ok {
		d = max(d, min(later.After, time.Hour))
	}
	return d + time.Duration(s.Random()*float64(d)/2)
}

// errorText is what is kept and shown of an error: no address, which may hold a
// credential, no secret, and nothing that cannot be seen.
func (s *Service) errorText(err error) string {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return Line(s.Text(err.Error()), maxErrorText)
}

// tidy drops what nobody needs any more.
func (s *Service) tidy(ctx context.Context) {
	for {
		for _, kind := range []string{tokenKind, eventKind, offerKind} {
			if err := s.forget(ctx, kind); err != nil && ctx.Err() == nil {
				s.Log.Error("old rows of channels were not dropped; trying again", "error", err)
			}
		}
		if !wait(ctx, tidyEvery) {
			return
		}
	}
}

func (s *Service) forget(ctx context.Context, kind string) error {
	old, err := s.Store.Rows(ctx, shelf.Query{Kind: kind, DueBy: s.Now(), Limit: tidyPage})
	if err != nil || len(old) == 0 {
		return err
	}
	drops := make([]shelf.Change, len(old))
	for i, row := range old {
		drops[i] = shelf.Change{From: row.Revision, Row: row, Drop: true}
	}
	return ours(s.Store.Shelve(ctx, drops))
}
