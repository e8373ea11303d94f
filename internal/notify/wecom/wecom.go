// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package wecom shows approvals in WeCom (企业微信): template cards of an
// application, changed when they end, with buttons whose callbacks are signed
// and encrypted XML. It is a small client of its own for qyapi.weixin.qq.com
// (https://developer.work.weixin.qq.com/document/path/90236, …/94945, …/90968).
package wecom

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict/internal/notify"
	"github.com/toolverdict/toolverdict/internal/notify/caller"
	"github.com/toolverdict/toolverdict/internal/notify/words"
)

// API is WeCom's address.
const API = "https://qyapi.weixin.qq.com"

// Bounds of a template card, in characters, and of how many lines it has.
const (
	maxTitle    = 36
	maxSummary  = 160
	maxKey      = 8
	maxValue    = 30
	maxLines    = 6
	maxButton   = 10
	maxReplaced = 30
	maxReason   = 120
)

// Config is what a channel is made of.
type Config struct {
	To             []string // ids of members
	CorpID         string
	AgentID        int64  // of the application
	Secret         string // of the application
	Token          string // of its callback; "" where nothing is decided
	EncodingAESKey string // the same
	API            string // "" means WeCom's own
	Now            func() time.Time
	Random         func([]byte) // fills with random bytes
}

// Channel is some members. It is safe for concurrent use.
type Channel struct {
	c      Config
	client *caller.Client
	token  caller.Token
	key    []byte // of the callback; nil where nothing is decided
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
	if len(c.To) == 0 || c.CorpID == "" || c.AgentID == 0 || c.Secret == "" || c.Now == nil || c.Random == nil {
		return nil, errors.New("wecom: to, corpID, agentID and secret are needed")
	}
	for _, id := range c.To {
		if id == "" || id == "@all" || strings.Contains(id, "|") {
			return nil, errors.New("wecom: to: name members one by one: @all would show every call to everybody")
		}
	}
	if (c.Token == "") != (c.EncodingAESKey == "") {
		return nil, errors.New("wecom: token and encodingAESKey go together: without both, a callback could be anybody's")
	}
	client, err := caller.New(c.API)
	if err != nil {
		return nil, fmt.Errorf("wecom: api: %w", err)
	}
	ch := &Channel{c: c, client: client}
	if c.EncodingAESKey != "" {
		if ch.key, err = keyOf(c.EncodingAESKey); err != nil {
			return nil, err
		}
	}
	ch.token = caller.Token{Now: c.Now, Fetch: ch.fetch}
	return ch, nil
}

// said is what every answer begins with.
type said struct {
	Code int `json:"errcode"`
}

func (ch *Channel) fetch(ctx context.Context) (string, time.Duration, error) {
	var out struct {
		said
		Token   string `json:"access_token"`
		Expires int    `json:"expires_in"`
	}
	query := url.Values{"corpid": {ch.c.CorpID}, "corpsecret": {ch.c.Secret}}
	err := ch.client.JSON(ctx, caller.Call{Method: http.MethodGet, Path: "/cgi-bin/gettoken?" + query.Encode()}, &out)
	if err == nil && out.Code != 0 {
		err = fmt.Errorf("call platform: code %d", out.Code)
	}
	return out.Token, time.Duration(out.Expires) * time.Second, err
}

// Codes of answers that mean something to us, from the platform's list.
const (
	codeBadToken = 40014
	codeNoToken  = 41001
	codeOldToken = 42001
	codeTooOften = 45009
	codeTooMany  = 45033
)

// call posts with an access token, and again with a new one where the first is
// not taken.
func (ch *Channel) call(ctx context.Context, path string, body, out any, code *int) error {
	for try := 0; ; try++ {
		token, err := ch.token.Get(ctx)
		if err != nil {
			return err
		}
		err = ch.client.JSON(ctx, caller.Call{
			Method: http.MethodPost, Path: path + "?access_token=" + url.QueryEscape(token), Body: body,
		}, out)
		switch {
		case err != nil:
			return err
		case (*code == codeBadToken || *code == codeNoToken || *code == codeOldToken) && try == 0:
			ch.token.Drop()
			*code = 0
		case *code == codeTooOften || *code == codeTooMany:
			return &notify.LaterError{After: time.Minute, Err: errors.New("call platform: too many messages")}
		case *code != 0:
			return fmt.Errorf("call platform: code %d", *code)
		default:
			return nil
		}
	}
}

// object is a part of a card.
type object = map[string]any

// Send implements [notify.Channel]. What finds the card again is the code that
// the platform gives for one change, within 72 hours.
func (ch *Channel) Send(ctx context.Context, delivery string, c notify.Card) (string, error) {
	var out struct {
		said
		ResponseCode string `json:"response_code"`
	}
	err := ch.call(ctx, "/cgi-bin/message/send", object{
		"touser": strings.Join(ch.c.To, "|"), "msgtype": "template_card", "agentid": ch.c.AgentID, "template_card": card(delivery, &c),
	}, &out, &out.Code)
	return out.ResponseCode, err
}

// Update implements [notify.Channel]: the buttons give way to one line.
func (ch *Channel) Update(ctx context.Context, ref string, c notify.Card) error {
	var out said
	return ch.call(ctx, "/cgi-bin/message/update_template_card", object{
		"atall": 1, "agentid": ch.c.AgentID, "response_code": ref, "button": object{"replace_name": ending(&c)},
	}, &out, &out.Code)
}

// ending is the line that takes the place of buttons.
func ending(c *notify.Card) string {
	text := c.Title
	if c.Note != "" {
		text += " · " + c.Note
	}
	return notify.Clip(text, maxReplaced)
}

// card is a template card with buttons. The platform shows its texts as they
// are: it knows no markup in them.
func card(task string, c *notify.Card) object {
	summary := c.Summary
	if c.Note != "" {
		summary = notify.Clip(summary, maxSummary-len([]rune(c.Note))-1) + "\n" + c.Note
	}
	buttons := []object{}
	if c.Token != "" {
		buttons = append(buttons,
			object{"text": notify.Clip(c.Yes, maxButton), "style": 1, "key": string(notify.Approve) + "." + c.Token},
			object{"text": notify.Clip(c.No, maxButton), "style": 2, "key": string(notify.Reject) + "." + c.Token})
	}
	buttons = append(buttons, object{"text": notify.Clip(c.Open, maxButton), "type": 1, "style": 3, "url": c.Link})
	lines, reason := lines(c)
	out := object{
		"card_type":               "button_interaction",
		"main_title":              object{"title": notify.Clip(c.Title, maxTitle)},
		"sub_title_text":          notify.Clip(summary, maxSummary),
		"horizontal_content_list": lines,
		"task_id":                 task,
		"button_list":             buttons,
	}
	if reason != "" {
		out["quote_area"] = object{"type": 0, "quote_text": notify.Clip(reason, maxReason)}
	}
	return out
}

// lines are the facts that matter most: there is room for six. The reason has a
// place of its own.
func lines(c *notify.Card) (lines []object, reason string) {
	lines = []object{}
	for _, f := range c.Facts {
		if f.Name == words.Reason {
			reason = f.Text
		} else if len(lines) < maxLines {
			lines = append(lines, object{"keyname": notify.Clip(f.Label, maxKey), "value": notify.Clip(f.Text, maxValue)})
		}
	}
	return lines, reason
}
