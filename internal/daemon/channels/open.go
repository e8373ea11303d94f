// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package channels

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/daemon/subjects"
	"github.com/toolverdict/toolverdict/internal/identity"
	"github.com/toolverdict/toolverdict/internal/identity/people"
	"github.com/toolverdict/toolverdict/internal/notify"
	"github.com/toolverdict/toolverdict/internal/secret"
)

// Parts are what the channels of a gate stand on.
type Parts struct {
	Config  *config.Config
	Secret  func(config.Secret) (string, error)
	Store   notify.Store
	Desk    *approval.Desk
	People  *identity.Set
	Text    func(string) string
	BaseURL string
	Now     func() time.Time
	Log     *slog.Logger
}

// Open makes the channels of a gate. It starts nothing.
func Open(p Parts) (*Channels, error) {
	entries, err := Entries(p.Config, p.Secret, p.Now)
	if err != nil {
		return nil, err
	}
	key := make([]byte, secret.KeySize)
	if len(entries) > 0 { // else there is nothing to make tokens for
		if key, err = secret.OwnKey(p.Config.Data, secret.ChannelKey); err != nil {
			return nil, err
		}
	}
	hashes, _, err := subjects.Passwords(p.Config)
	if err != nil {
		return nil, err
	}
	directory, err := people.New(people.Config{Configured: p.People, Passwords: hashes, Shelf: p.Store, Now: p.Now})
	if err != nil {
		return nil, err
	}
	s, err := notify.New(notify.Config{
		Store: p.Store, Desk: p.Desk, Person: directory.Known, Key: key, BaseURL: cmp.Or(p.BaseURL, "http://"+p.Config.Listen), Text: p.Text,
		Now: p.Now, Random: rand.Float64, Log: p.Log, Entries: entries,
	})
	if err != nil {
		return nil, err
	}
	return &Channels{s}, nil
}

// Channels are those of a gate, as its HTTP interface shows them.
type Channels struct{ *notify.Service }

// Status implements httpgate.Channels.
func (c *Channels) Status(ctx context.Context) (any, error) { return c.Service.Status(ctx) }

// Test implements httpgate.Channels.
func (c *Channels) Test(ctx context.Context, name string) error {
	err := c.Service.Test(ctx, name)
	if failed, ok := errors.AsType[*notify.DeliveryError](err); ok {
		return &refusal{failed.Error()}
	}
	return err
}

// Links implements httpgate.Channels.
func (c *Channels) Links(ctx context.Context, by tv.Subject) (any, error) {
	all, err := c.List(ctx, by)
	if all == nil {
		all = []notify.Link{}
	}
	return all, err
}

// Link implements httpgate.Channels.
func (c *Channels) Link(ctx context.Context, by tv.Subject, code string) (any, error) {
	link, err := c.Accept(ctx, by, code)
	for _, why := range []error{notify.ErrNoOffer, notify.ErrTaken, notify.ErrNobody} {
		if errors.Is(err, why) {
			return nil, &refusal{why.Error()}
		}
	}
	return link, err
}

// Unlink implements httpgate.Channels.
func (c *Channels) Unlink(ctx context.Context, by tv.Subject, channel, account string) error {
	return c.Remove(ctx, by, channel, account)
}

// Linker is how the console links accounts.
type Linker struct{ In *Channels }

// Offer implements console.Linker.
func (l Linker) Offer(ctx context.Context, code string) (channel, account string, err error) {
	a, err := l.In.Offered(ctx, code)
	if errors.Is(err, notify.ErrNoOffer) {
		err = fmt.Errorf("find offer: %w", tv.ErrNotFound)
	}
	if account = a.Operator; a.Name != "" {
		account += " (" + a.Name + ")"
	}
	return a.Channel, account, err
}

// Take implements console.Linker.
func (l Linker) Take(ctx context.Context, by tv.Subject, code string) error {
	_, err := l.In.Accept(ctx, by, code)
	switch {
	case errors.Is(err, notify.ErrNoOffer), errors.Is(err, notify.ErrNobody):
		return fmt.Errorf("link account: %w", tv.ErrNotFound)
	case errors.Is(err, notify.ErrTaken):
		return &refusal{notify.ErrTaken.Error()}
	}
	return err
}

// refusal is why something cannot be done, in words for whoever asks.
type refusal struct{ why string }

// Error implements error.
func (r *refusal) Error() string { return r.why }

// Conflict implements what httpgate asks of a refusal.
func (r *refusal) Conflict() string { return r.why }
