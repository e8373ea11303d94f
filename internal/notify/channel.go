// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package notify

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	tv "github.com/toolverdict/toolverdict"
)

// Channel shows cards somewhere. It is safe for concurrent use.
type Channel interface {
	// Send shows a card and returns what finds it again. The delivery names the
	// card, so that a platform that can tell drops one that it has already.
	Send(ctx context.Context, delivery string, c Card) (ref string, err error)
	// Update shows a card that was sent as it is now.
	Update(ctx context.Context, ref string, c Card) error
}

// Receiver is a channel whose platform sends clicks over HTTP.
type Receiver interface {
	// Read believes a request only after its signature over the raw body and its
	// age. It returns a click, or a reply that needs none. Its error is a
	// [Refusal].
	Read(r Request) (Click, *Reply, error)
	// Reply tells whoever clicked what came of it.
	Reply(c Click, a Answer) Reply
}

// Listener is a channel that fetches clicks itself.
type Listener interface {
	// Listen hands clicks over until ctx ends. An error is the reason why a click
	// was refused before it could be read.
	Listen(ctx context.Context, take func(context.Context, Click, error) Answer) error
}

// Request is an HTTP request whose body was read.
type Request struct {
	Method string
	Header http.Header
	Query  url.Values
	Body   []byte
	At     time.Time
}

// Reply is an HTTP answer.
type Reply struct {
	Status int
	Type   string
	Body   []byte
	After  func(context.Context) error // what else is to be told, once the answer is out; may be nil
}

// Vote is what a button says.
type Vote string

// Votes.
const (
	Approve Vote = "approve"
	Reject  Vote = "reject"
)

// Click is a button that somebody pressed, as the platform vouches for it.
type Click struct {
	Event    string // the platform's id of it, the same when it is told twice
	Operator string // the platform's account, with the organisation it is of
	Name     string // what the platform calls the account; "" where it does not say
	Token    string // of the button
	Vote     Vote
	Back     [2]string // what the channel needs to reply
}

// Valid reports whether a click says all that it must.
func (c *Click) Valid() bool {
	return c.Event != "" && c.Operator != "" && len(c.Operator) <= maxOperator && c.Token != "" && (c.Vote == Approve || c.Vote == Reject)
}

// maxOperator bounds the name of an account, in bytes.
const maxOperator = 256

// Answer is what came of a click.
type Answer struct {
	Counted bool   // the vote was written
	Text    string // for whoever clicked, and nobody else
	Link    string // what they may open now; "" where there is nothing. It may be theirs alone
	Card    *Card  // the card as it is now; nil where it stays as it was
}

// Full is the text with its link.
func (a *Answer) Full() string {
	if a.Link == "" {
		return a.Text
	}
	return a.Text + " " + a.Link
}

// Refusal is why a click was not believed. It holds nothing that came with it.
type Refusal string

// Refusals by channels.
const (
	ErrSignature Refusal = "its signature is wrong"
	ErrAge       Refusal = "it is too old, or from the future"
	ErrForm      Refusal = "it is not of the documented form"
	ErrSize      Refusal = "it is too large"
	ErrSender    Refusal = "it is not of the application or organisation that is configured"
)

// Error implements error.
func (r Refusal) Error() string { return "callback refused: " + string(r) }

// MaxAge is how far the time of a click may be from now, either way.
const MaxAge = 5 * time.Minute

// Fresh refuses a time in seconds that is too far from now. It takes decimal
// digits only: what was signed must have one reading.
func Fresh(seconds string, now time.Time) error {
	for _, r := range seconds {
		if r < '0' || r > '9' {
			return ErrAge
		}
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || now.Sub(time.Unix(n, 0)).Abs() > MaxAge {
		return ErrAge
	}
	return nil
}

// LaterError is a platform that asks to be left alone for a while.
type LaterError struct {
	After time.Duration
	Err   error
}

// Error implements error.
func (e *LaterError) Error() string { return e.Err.Error() }

// ErrGone is returned by Update for a card that cannot be changed any more.
var ErrGone = errors.New("the card cannot be changed any more")

// Decides reports whether risks of a kind may be decided in a chat at all.
func Decides(r tv.Risk) bool { return r == tv.LowRisk || r == tv.MediumRisk }
