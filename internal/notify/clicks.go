// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
	"github.com/toolverdict/toolverdict/internal/notify/words"
	"github.com/toolverdict/toolverdict/internal/shelf"
)

const (
	// answerWithin is when whoever clicked is answered at the latest: platforms
	// wait three seconds.
	answerWithin = 2 * time.Second
	// keepEvent is how long a click is known again: longer than its signature is
	// believed and than any platform tries.
	keepEvent = time.Hour
)

// take decides what comes of a click that the channel believes, in time: where
// the store does not answer, the one who clicked is told to look again.
func (l *lane) take(ctx context.Context, c Click) Answer {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), answerWithin)
	answered := make(chan Answer, 1)
	l.s.work.Go(func() {
		defer done()
		a, err := l.guarded(ctx, c)
		if err != nil {
			l.fault(err)
			a = l.later()
		}
		answered <- a
	})
	select {
	case a := <-answered:
		return a
	case <-ctx.Done():
	}
	select {
	case a := <-answered: // it came at the last moment
		return a
	default:
		return l.later()
	}
}

// guarded decides a click; a panic on the way is a fault.
func (l *lane) guarded(ctx context.Context, c Click) (a Answer, err error) {
	defer caught(&err)
	return l.decide(ctx, c), nil
}

func (l *lane) later() Answer {
	return Answer{Text: l.look.say(words.Later), Link: l.s.BaseURL + "/"}
}

// decide takes a click through every step after the signature.
func (l *lane) decide(ctx context.Context, c Click) Answer {
	f := refused{channel: l.Name, operator: c.Operator}
	refuse := func(why string, text string) Answer {
		f.why = why
		l.s.refused.add(ctx, f)
		return Answer{Text: text}
	}
	if !c.Valid() {
		return refuse("it says too little", l.look.say(words.Unknown))
	}
	switch first, err := l.first(ctx, c.Event); {
	case err != nil:
		l.fault(err)
		return l.later()
	case !first:
		return refuse("it was received before", l.look.say(words.Repeated))
	}
	a, err := l.pressed(ctx, c.Token)
	if errors.Is(err, tv.ErrNotFound) {
		return refuse("its button is not known", l.look.say(words.Unknown))
	}
	if err != nil {
		l.fault(err)
		return l.later()
	}
	f.approval = &a
	if a.StateAt(l.s.Now()) != tv.ApprovalPending {
		over := refuse("the approval has ended", l.look.say(words.AlreadyOver))
		over.Card = l.shown(&a)
		return over
	}
	if !l.look.decides(a.Card.Risk) {
		text := words.NotHere
		if !Decides(a.Card.Risk) {
			text = words.TooHigh
		}
		here := refuse("its risk is not decided in this channel", l.look.say(text))
		here.Link = l.look.link(a.ID)
		return here
	}
	if !whole(Line(a.Card.Summary, maxSummary)) {
		here := refuse("its card does not tell all that would happen", l.look.say(words.LinkOnly))
		here.Link = l.look.link(a.ID)
		return here
	}
	by, err := l.s.Find(ctx, l.Name, c.Operator)
	if err != nil {
		l.fault(err)
		return l.later()
	}
	if !by.Authenticated() {
		code, err := l.s.Offer(ctx, Account{Channel: l.Name, Operator: c.Operator, Name: Line(c.Name, maxOperator)})
		if err != nil {
			l.fault(err)
			return l.later()
		}
		stranger := refuse("the account is not linked to a person", l.look.say(words.NotLinked))
		stranger.Link = l.s.BaseURL + LinkPath + code
		return stranger
	}
	f.by = by
	return l.vote(ctx, c, &a, by, refuse)
}

// first writes down that a click was taken, and reports whether this is the
// first time.
func (l *lane) first(ctx context.Context, event string) (bool, error) {
	row := shelf.Row{
		Kind: eventKind, Key: keyOf(l.Name, hashed(event)), Due: l.s.Now().Add(keepEvent), Body: []byte("{}"),
	}
	err := l.s.Store.Shelve(ctx, []shelf.Change{{Row: row}})
	if _, ok := errors.AsType[*tv.ConflictError](err); ok {
		return false, nil
	}
	return err == nil, err
}

// pressed finds the approval of a button of this channel.
func (l *lane) pressed(ctx context.Context, token string) (tv.Approval, error) {
	row, err := l.s.Store.Row(ctx, tokenKind, hashed(token))
	if err != nil {
		return tv.Approval{}, err
	}
	var b button
	if row.Revision == 0 {
		return tv.Approval{}, tv.ErrNotFound
	}
	if err := json.Unmarshal(row.Body, &b); err != nil {
		return tv.Approval{}, fmt.Errorf("read button: %v", err)
	}
	if b.Channel != l.Name { // a token of one channel is nothing in another one
		return tv.Approval{}, tv.ErrNotFound
	}
	return l.s.Store.Approval(ctx, b.Approval)
}

// vote is the desk's to take.
func (l *lane) vote(ctx context.Context, c Click, was *tv.Approval, by tv.Subject, refuse func(why, text string) Answer) Answer {
	decide, reason := l.s.Desk.Approve, fmt.Sprintf("approved in channel %s", l.Name)
	if c.Vote == Reject {
		decide, reason = l.s.Desk.Reject, fmt.Sprintf("rejected in channel %s", l.Name)
	}
	a, err := decide(ctx, by, was.ID, reason)
	switch {
	case err == nil:
		l.s.pokeAll()
		text := words.Counted
		if a.State == tv.ApprovalPending {
			text = words.MoreNeeded
		}
		return Answer{Counted: true, Text: l.look.say(text), Card: l.shown(&a)}
	case errors.Is(err, approval.ErrNotEligible), errors.Is(err, tv.ErrNotFound):
		return refuse("the person may not decide it", l.look.say(words.NotYours))
	case errors.Is(err, approval.ErrDecided):
		return l.tooLate(ctx, by, was, refuse)
	}
	l.fault(err)
	return l.later()
}

// tooLate shows what somebody else, or the same person, decided before.
func (l *lane) tooLate(ctx context.Context, by tv.Subject, was *tv.Approval, refuse func(why, text string) Answer) Answer {
	now, err := l.s.Store.Approval(ctx, was.ID)
	if err != nil {
		l.fault(err)
		return l.later()
	}
	text := words.AlreadyOver
	if slices.ContainsFunc(now.Votes, func(v tv.Vote) bool { return v.By.ID == by.ID }) {
		text = words.VotedBefore
	}
	answer := refuse("it is decided already, or the person voted before", l.look.say(text))
	answer.Card = l.shown(&now)
	return answer
}

// shown is the card as it is now, for who sees it already; nil while it waits,
// so that the message stays as it is.
func (l *lane) shown(a *tv.Approval) *Card {
	if a.StateAt(l.s.Now()) == tv.ApprovalPending {
		return nil
	}
	card := l.look.card(a, "", l.s.Now())
	return &card
}

// hear listens once; a panic on the way ends it like an error.
func (l *lane) hear(ctx context.Context, from Listener, take func(context.Context, Click, error) Answer) (err error) {
	defer caught(&err)
	return from.Listen(ctx, take)
}

func (l *lane) fault(err error) {
	l.s.Log.Error("a click could not be decided", "channel", l.Name, "error", err)
}

func (s *Service) pokeAll() {
	for _, l := range s.lanes {
		l.poke()
	}
}

// listen takes clicks from a channel that fetches them, for as long as it takes.
func (l *lane) listen(ctx context.Context, from Listener) {
	for attempt := 1; ctx.Err() == nil; attempt++ {
		started := l.s.Now()
		err := l.hear(ctx, from, func(ctx context.Context, c Click, refusal error) Answer {
			if refusal != nil {
				l.s.refused.add(ctx, refused{channel: l.Name, why: refusal.Error()})
				return Answer{Text: l.look.say(words.Unknown)}
			}
			return l.take(ctx, c)
		})
		if ctx.Err() != nil {
			return
		}
		if l.s.Now().Sub(started) > time.Minute {
			attempt = 1
		}
		if err == nil {
			err = errors.New("the connection ended")
		}
		text := l.s.errorText(err)
		l.s.Log.Warn("a channel does not listen; trying again", "channel", l.Name, "error", text)
		if err := l.failing(ctx, text); err != nil && ctx.Err() == nil {
			l.s.Log.Error("the state of a channel was not written down", "channel", l.Name, "error", err)
		}
		if !wait(ctx, l.s.backoff(attempt, err)) {
			return
		}
	}
}
