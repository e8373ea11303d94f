// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package slack shows approvals in Slack: Block Kit messages, updated when they
// end, with buttons whose clicks Slack signs
// (https://docs.slack.dev/authentication/verifying-requests-from-slack/).
package slack

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	client "github.com/slack-go/slack"

	"github.com/toolverdict/toolverdict/internal/notify"
	"github.com/toolverdict/toolverdict/internal/notify/caller"
)

// API is Slack's address.
const API = "https://slack.com/api"

// Bounds of Block Kit, in characters, and of how much of it there is.
const (
	maxHeader  = 150
	maxSection = 3000
	maxField   = 2000
	maxFields  = 10
	maxNote    = 1000
	maxButton  = 75
	maxText    = 3000
)

// Config is what a channel is made of.
type Config struct {
	To            string // id of the channel or person, such as C0123456789
	Token         string // of the bot: xoxb-…, with the scope chat:write
	SigningSecret string // of the app; "" where nothing is decided
	API           string // "" means Slack's own
	Now           func() time.Time
}

// Channel is one place in Slack. It is safe for concurrent use.
type Channel struct {
	c   Config
	api *client.Client
}

var (
	_ notify.Channel  = (*Channel)(nil)
	_ notify.Receiver = (*Channel)(nil)
)

// New checks the parts.
func New(c Config) (*Channel, error) {
	if c.API == "" {
		c.API = API
	}
	if err := caller.CheckURL(c.API); err != nil {
		return nil, fmt.Errorf("slack: api: %w", err)
	}
	if c.To == "" || c.Token == "" || c.Now == nil {
		return nil, errors.New("slack: to and token are needed")
	}
	api := client.New(c.Token, client.OptionHTTPClient(caller.HTTP()), client.OptionAPIURL(strings.TrimRight(c.API, "/")+"/"))
	return &Channel{c: c, api: api}, nil
}

// Send implements [notify.Channel]. Slack cannot tell that it has a message
// already: one whose answer was lost is there twice.
func (ch *Channel) Send(ctx context.Context, _ string, c notify.Card) (string, error) {
	place, stamp, err := ch.api.PostMessageContext(ctx, ch.c.To, message(&c)...)
	if err != nil {
		return "", explain(err)
	}
	return place + "/" + stamp, nil
}

// gone are Slack's words for a message that cannot be changed any more.
func gone() []string {
	return []string{"message_not_found", "cant_update_message", "edit_window_closed", "channel_not_found", "is_inactive"}
}

// Update implements [notify.Channel].
func (ch *Channel) Update(ctx context.Context, ref string, c notify.Card) error {
	place, stamp, _ := strings.Cut(ref, "/")
	_, _, _, err := ch.api.UpdateMessageContext(ctx, place, stamp, message(&c)...)
	if said, ok := errors.AsType[client.SlackErrorResponse](err); ok && slices.Contains(gone(), said.Err) {
		return notify.ErrGone
	}
	return explain(err)
}

func explain(err error) error {
	if err == nil {
		return nil
	}
	if limited, ok := errors.AsType[*client.RateLimitedError](err); ok {
		return &notify.LaterError{After: limited.RetryAfter, Err: errors.New("call platform: too many messages")}
	}
	return fmt.Errorf("call platform: %w", err)
}

// message is a card in Block Kit. Every text of it is plain: Slack reads no
// mention, link or format in it.
func message(c *notify.Card) []client.MsgOption {
	var fields []*client.TextBlockObject
	for _, f := range c.Facts[:min(len(c.Facts), maxFields)] {
		fields = append(fields, text(f.Label+": "+f.Text, maxField))
	}
	blocks := []client.Block{
		client.NewHeaderBlock(text(c.Title, maxHeader)),
		client.NewSectionBlock(text(c.Summary, maxSection), nil, nil),
	}
	if len(fields) > 0 {
		blocks = append(blocks, client.NewSectionBlock(nil, fields, nil))
	}
	if c.Note != "" {
		blocks = append(blocks, client.NewContextBlock("", text(c.Note, maxNote)))
	}
	var buttons []client.BlockElement
	if c.Token != "" {
		buttons = append(buttons,
			client.NewButtonBlockElement(string(notify.Approve), c.Token, text(c.Yes, maxButton)).WithStyle(client.StylePrimary),
			client.NewButtonBlockElement(string(notify.Reject), c.Token, text(c.No, maxButton)).WithStyle(client.StyleDanger))
	}
	open := client.NewButtonBlockElement(openAction, "", text(c.Open, maxButton))
	open.URL = c.Link
	blocks = append(blocks, client.NewActionBlock("", append(buttons, open)...))
	return []client.MsgOption{
		client.MsgOptionBlocks(blocks...),
		client.MsgOptionText(notify.Clip(c.Title+": "+c.Summary, maxText), true), // what a notification says: escaped
		client.MsgOptionDisableLinkUnfurl(), client.MsgOptionDisableMediaUnfurl(),
	}
}

// openAction is what Slack calls a press on the link, which it tells of, too.
const openAction = "open"

func text(s string, most int) *client.TextBlockObject {
	return client.NewTextBlockObject(client.PlainTextType, notify.Clip(s, most), false, false)
}
