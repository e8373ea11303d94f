// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"net/http"
	"net/url"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// Channel is how a channel is doing.
type Channel struct {
	Name      string    `json:"name"`
	Kind      string    `json:"kind"`
	Decide    []tv.Risk `json:"decide"`
	Callback  string    `json:"callback,omitempty"`
	Queued    int       `json:"queued"`
	Failing   int       `json:"failing"`
	Shown     int       `json:"shown"`
	More      bool      `json:"more,omitempty"`
	Delivered time.Time `json:"delivered,omitzero"`
	Error     string    `json:"error,omitempty"`
	Since     time.Time `json:"since,omitzero"`
}

// Link says whose an account of a channel is.
type Link struct {
	Channel  string    `json:"channel"`
	Operator string    `json:"operator"`
	Name     string    `json:"name,omitempty"`
	Subject  string    `json:"subject"`
	Since    time.Time `json:"since"`
}

// Channels tells how every channel is doing.
func (c *Client) Channels(ctx context.Context) ([]Channel, error) {
	var out struct {
		Channels []Channel `json:"channels"`
	}
	_, err := c.send(ctx, http.MethodGet, "/v1/channels", nil, &out)
	return out.Channels, err
}

// TestChannel sends a card that is of no approval.
func (c *Client) TestChannel(ctx context.Context, name string) error {
	_, err := c.send(ctx, http.MethodPost, "/v1/channels/"+url.PathEscape(name)+"/test", []byte("{}"), nil)
	return err
}

// Links tells which accounts are this caller's; an administrator sees all.
func (c *Client) Links(ctx context.Context) ([]Link, error) {
	var out struct {
		Links []Link `json:"links"`
	}
	_, err := c.send(ctx, http.MethodGet, "/v1/links", nil, &out)
	return out.Links, err
}

// Link links the account of a code to this caller.
func (c *Client) Link(ctx context.Context, code string) (Link, error) {
	var out Link
	body := append(canon.AppendString([]byte(`{"code":`), code), '}')
	_, err := c.send(ctx, http.MethodPost, "/v1/links", body, &out)
	return out, err
}

// Unlink takes a link away.
func (c *Client) Unlink(ctx context.Context, channel, operator string) error {
	body := canon.AppendString([]byte(`{"channel":`), channel)
	body = canon.AppendString(append(body, `,"operator":`...), operator)
	_, err := c.send(ctx, http.MethodPost, "/v1/links/remove", append(body, '}'), nil)
	return err
}
