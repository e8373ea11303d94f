// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package slack

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"mime"
	"net/http"
	"net/url"
	"strings"

	client "github.com/slack-go/slack"

	"github.com/toolverdict/toolverdict/internal/notify"
)

// press is what is read of an interaction.
type press struct {
	Type      string `json:"type"`
	TriggerID string `json:"trigger_id"`
	User      struct {
		ID     string `json:"id"`
		Name   string `json:"name"`
		TeamID string `json:"team_id"`
	} `json:"user"`
	Team struct {
		ID string `json:"id"`
	} `json:"team"`
	Channel struct {
		ID string `json:"id"`
	} `json:"channel"`
	Actions []struct {
		ID    string `json:"action_id"`
		Value string `json:"value"`
	} `json:"actions"`
}

// Read implements [notify.Receiver].
func (ch *Channel) Read(r notify.Request) (notify.Click, *notify.Reply, error) {
	stamp := r.Header.Get("X-Slack-Request-Timestamp")
	if r.Method != http.MethodPost {
		return notify.Click{}, nil, notify.ErrForm
	}
	if !ch.signed(stamp, r.Body, r.Header.Get("X-Slack-Signature")) {
		return notify.Click{}, nil, notify.ErrSignature
	}
	if err := notify.Fresh(stamp, r.At); err != nil {
		return notify.Click{}, nil, err
	}
	p, ok := read(r.Header.Get("Content-Type"), r.Body)
	if !ok {
		return notify.Click{}, nil, notify.ErrForm
	}
	if p.Type != "block_actions" || len(p.Actions) == 0 || p.Actions[0].ID == openAction {
		return notify.Click{}, &notify.Reply{Status: http.StatusOK}, nil // nothing is asked of us
	}
	team := p.User.TeamID
	if team == "" {
		team = p.Team.ID
	}
	if len(p.Actions) != 1 || team == "" || p.User.ID == "" {
		return notify.Click{}, nil, notify.ErrForm
	}
	return notify.Click{
		Event: p.TriggerID, Operator: team + "/" + p.User.ID, Name: p.User.Name,
		Token: p.Actions[0].Value, Vote: notify.Vote(p.Actions[0].ID), Back: [2]string{p.Channel.ID, p.User.ID},
	}, nil, nil
}

// signed checks the signature of version 0 over the raw body. Without a secret
// nothing is signed.
func (ch *Channel) signed(stamp string, body []byte, signature string) bool {
	given, ok := strings.CutPrefix(signature, "v0=")
	if !ok || ch.c.SigningSecret == "" || stamp == "" {
		return false
	}
	sum, err := hex.DecodeString(given)
	if err != nil {
		return false
	}
	h := hmac.New(sha256.New, []byte(ch.c.SigningSecret))
	h.Write([]byte("v0:" + stamp + ":"))
	h.Write(body)
	return hmac.Equal(h.Sum(nil), sum)
}

func read(contentType string, body []byte) (press, bool) {
	var p press
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil || kind != "application/x-www-form-urlencoded" {
		return p, false
	}
	form, err := url.ParseQuery(string(body))
	if err != nil || len(form["payload"]) != 1 {
		return p, false
	}
	return p, json.Unmarshal([]byte(form.Get("payload")), &p) == nil
}

// Reply implements [notify.Receiver]. Slack wants an empty answer; what came of
// a click is told to whoever pressed, and the message itself is changed for
// everybody by an update.
func (ch *Channel) Reply(c notify.Click, a notify.Answer) notify.Reply {
	return notify.Reply{Status: http.StatusOK, After: func(ctx context.Context) error {
		_, err := ch.api.PostEphemeralContext(ctx, c.Back[0], c.Back[1], client.MsgOptionText(notify.Clip(a.Full(), maxText), true))
		return explain(err)
	}}
}
