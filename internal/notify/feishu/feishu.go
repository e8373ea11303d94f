// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package feishu shows approvals in Feishu and Lark: interactive cards, changed
// when they end, with buttons whose callbacks are signed and encrypted with the
// application's Encrypt Key. It is a small client of its own for
// open.feishu.cn: access token, sending, changing, callback.
package feishu

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/toolverdict/toolverdict/internal/notify"
	"github.com/toolverdict/toolverdict/internal/notify/caller"
)

// API is Feishu's address; Lark's is https://open.larksuite.com.
const API = "https://open.feishu.cn"

// maxCard is what the platform takes of one card, in bytes.
const maxCard = 30 << 10

// Bounds of texts, in bytes: of all of a card together they stay below maxCard,
// escaped as JSON in JSON.
const (
	maxTitle   = 200
	maxSummary = 2000
	maxFact    = 600
	maxButton  = 60
)

// Config is what a channel is made of.
type Config struct {
	To                string // whom it goes to
	ToType            string // chat_id, open_id, user_id, union_id or email; "" means chat_id
	AppID, AppSecret  string
	EncryptKey        string // "" where nothing is decided
	VerificationToken string // the same
	API               string // "" means Feishu's own
	Now               func() time.Time
}

// Channel is one chat or person. It is safe for concurrent use.
type Channel struct {
	c      Config
	client *caller.Client
	token  caller.Token
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
	if c.ToType == "" {
		c.ToType = "chat_id"
	}
	if c.To == "" || c.AppID == "" || c.AppSecret == "" || c.Now == nil {
		return nil, errors.New("feishu: to, appID and appSecret are needed")
	}
	if !slices.Contains([]string{"chat_id", "open_id", "user_id", "union_id", "email"}, c.ToType) {
		return nil, errors.New("feishu: toType: chat_id, open_id, user_id, union_id or email")
	}
	if (c.EncryptKey == "") != (c.VerificationToken == "") {
		return nil, errors.New("feishu: encryptKey and verificationToken go together: without both, a callback could be anybody's")
	}
	client, err := caller.New(c.API)
	if err != nil {
		return nil, fmt.Errorf("feishu: api: %w", err)
	}
	ch := &Channel{c: c, client: client}
	ch.token = caller.Token{Now: c.Now, Fetch: ch.fetch}
	return ch, nil
}

// said is what every answer begins with.
type said struct {
	Code int `json:"code"`
}

func (ch *Channel) fetch(ctx context.Context) (string, time.Duration, error) {
	var out struct {
		said
		Token  string `json:"tenant_access_token"`
		Expire int    `json:"expire"`
	}
	err := ch.client.JSON(ctx, caller.Call{
		Method: http.MethodPost, Path: "/open-apis/auth/v3/tenant_access_token/internal",
		Body: map[string]string{"app_id": ch.c.AppID, "app_secret": ch.c.AppSecret},
	}, &out)
	if err == nil && out.Code != 0 {
		err = fmt.Errorf("call platform: code %d", out.Code)
	}
	return out.Token, time.Duration(out.Expire) * time.Second, err
}

// Codes of answers that mean something to us, from the platform's list.
const (
	codeToken   = 99991663 // the access token is not valid
	codeTooMany = 99991400
)

// call makes a call with an access token, and a second one with a new token
// where the first is not taken.
func (ch *Channel) call(ctx context.Context, c caller.Call, out any, code *int) error {
	for try := 0; ; try++ {
		token, err := ch.token.Get(ctx)
		if err != nil {
			return err
		}
		c.Header = http.Header{"Authorization": {"Bearer " + token}}
		err = ch.client.JSON(ctx, c, out)
		if status, ok := errors.AsType[*caller.StatusError](err); ok { // the code is in the body, whatever the status
			var s said
			if json.Unmarshal(status.Body, &s) != nil || s.Code == 0 {
				return err
			}
			*code, err = s.Code, nil
		}
		switch {
		case err != nil:
			return err
		case *code == codeToken && try == 0:
			ch.token.Drop()
		case *code == codeTooMany:
			return &notify.LaterError{After: time.Minute, Err: errors.New("call platform: too many messages")}
		case *code != 0:
			return fmt.Errorf("call platform: code %d", *code)
		default:
			return nil
		}
	}
}

// sent is the answer to a message.
type sent struct {
	said
	Data struct {
		MessageID string `json:"message_id"`
	} `json:"data"`
}

func (ch *Channel) message(ctx context.Context, toType string, body map[string]string) (string, error) {
	var out sent
	err := ch.call(ctx, caller.Call{
		Method: http.MethodPost, Path: "/open-apis/im/v1/messages?receive_id_type=" + url.QueryEscape(toType), Body: body,
	}, &out, &out.Code)
	return out.Data.MessageID, err
}

// Send implements [notify.Channel]. Of two messages with one uuid within an hour
// the platform makes one.
func (ch *Channel) Send(ctx context.Context, delivery string, c notify.Card) (string, error) {
	content, err := content(&c)
	if err != nil {
		return "", err
	}
	return ch.message(ctx, ch.c.ToType, map[string]string{
		"receive_id": ch.c.To, "msg_type": "interactive", "content": content, "uuid": delivery,
	})
}

// Update implements [notify.Channel].
func (ch *Channel) Update(ctx context.Context, ref string, c notify.Card) error {
	content, err := content(&c)
	if err != nil {
		return err
	}
	var out said
	return ch.call(ctx, caller.Call{
		Method: http.MethodPatch, Path: "/open-apis/im/v1/messages/" + url.PathEscape(ref), Body: map[string]string{"content": content},
	}, &out, &out.Code)
}

func content(c *notify.Card) (string, error) {
	b, err := json.Marshal(card(c))
	if err != nil {
		return "", fmt.Errorf("write card: %v", err)
	}
	if len(b) > maxCard {
		return "", errors.New("write card: it is larger than the platform takes")
	}
	return string(b), nil
}

// object is a part of a card.
type object = map[string]any

// card is a message card that every client shows. All of its texts are plain
// ones: the platform reads no mention, link or format in them.
func card(c *notify.Card) object {
	elements := []object{{"tag": "div", "text": text(c.Summary, maxSummary)}}
	var fields []object
	for _, f := range c.Facts {
		fields = append(fields, object{"is_short": len(f.Text) < 30, "text": text(f.Label+": "+f.Text, maxFact)})
	}
	if len(fields) > 0 {
		elements = append(elements, object{"tag": "div", "fields": fields})
	}
	if c.Note != "" {
		elements = append(elements, object{"tag": "note", "elements": []object{text(c.Note, maxFact)}})
	}
	var actions []object
	if c.Token != "" {
		actions = append(actions, button(c.Yes, "primary", notify.Approve, c.Token), button(c.No, "danger", notify.Reject, c.Token))
	}
	actions = append(actions, object{"tag": "button", "type": "default", "text": text(c.Open, maxButton), "url": c.Link})
	return object{
		"config":   object{"wide_screen_mode": true, "update_multi": true}, // everybody sees it change
		"header":   object{"template": colour(c), "title": text(c.Title, maxTitle)},
		"elements": append(elements, object{"tag": "action", "actions": actions}),
	}
}

func text(s string, most int) object {
	return object{"tag": "plain_text", "content": notify.ClipBytes(s, most)}
}

func button(says, look string, vote notify.Vote, token string) object {
	return object{
		"tag": "button", "type": look, "text": text(says, maxButton),
		"value": object{"action": string(vote), "token": token},
	}
}

func colour(c *notify.Card) string {
	switch c.State {
	case "pending":
		return "orange"
	case "approved", "claimed", "done":
		return "green"
	default:
		return "grey"
	}
}
