// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package dingtalk shows approvals in DingTalk: instances of a card template,
// changed when they end, with buttons whose callbacks come over a WebSocket that
// the gate opens (Stream mode), so that nothing of it is reachable from outside.
// It is a small client of its own for api.dingtalk.com.
//
// A frame carries no signature: it is believed because it comes over TLS on a
// connection for which the platform gave a ticket against the application's
// secret.
package dingtalk

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict/internal/notify"
	"github.com/toolverdict/toolverdict/internal/notify/caller"
)

// API is DingTalk's address.
const API = "https://api.dingtalk.com"

// Kinds of places, as the platform names them.
const (
	groupSpace = "dtv1.card//IM_GROUP."
	robotSpace = "dtv1.card//IM_ROBOT."
)

// maxParam bounds one text of a card, in characters.
const maxParam = 600

// Config is what a channel is made of.
type Config struct {
	To                     string // dtv1.card//IM_GROUP.CONVERSATION or dtv1.card//IM_ROBOT.USER
	ClientID, ClientSecret string
	RobotCode              string
	Template               string // id of the card template
	CorpID                 string // whose members may decide; "" where nothing is decided
	API                    string // "" means DingTalk's own
	Now                    func() time.Time
}

// Channel is one group or person. It is safe for concurrent use.
type Channel struct {
	c      Config
	client *caller.Client
	token  caller.Token
}

var (
	_ notify.Channel  = (*Channel)(nil)
	_ notify.Listener = (*Channel)(nil)
)

// New checks the parts.
func New(c Config) (*Channel, error) {
	if c.API == "" {
		c.API = API
	}
	if c.ClientID == "" || c.ClientSecret == "" || c.RobotCode == "" || c.Template == "" || c.Now == nil {
		return nil, errors.New("dingtalk: clientID, clientSecret, robotCode and template are needed")
	}
	if !strings.HasPrefix(c.To, groupSpace) && !strings.HasPrefix(c.To, robotSpace) {
		return nil, fmt.Errorf("dingtalk: to: %sCONVERSATION or %sUSER is wanted", groupSpace, robotSpace)
	}
	client, err := caller.New(c.API)
	if err != nil {
		return nil, fmt.Errorf("dingtalk: api: %w", err)
	}
	ch := &Channel{c: c, client: client}
	ch.token = caller.Token{Now: c.Now, Fetch: ch.fetch}
	return ch, nil
}

func (ch *Channel) fetch(ctx context.Context) (string, time.Duration, error) {
	var out struct {
		Token  string `json:"accessToken"`
		Expire int    `json:"expireIn"`
	}
	err := ch.client.JSON(ctx, caller.Call{
		Method: http.MethodPost, Path: "/v1.0/oauth2/accessToken",
		Body: map[string]string{"appKey": ch.c.ClientID, "appSecret": ch.c.ClientSecret},
	}, &out)
	return out.Token, time.Duration(out.Expire) * time.Second, err
}

// object is a part of a request.
type object = map[string]any

// call makes a call with an access token, and again with a new one where the
// first is not taken.
func (ch *Channel) call(ctx context.Context, method, path string, body any) error {
	for try := 0; ; try++ {
		token, err := ch.token.Get(ctx)
		if err != nil {
			return err
		}
		err = ch.client.JSON(ctx, caller.Call{
			Method: method, Path: path, Header: http.Header{"X-Acs-Dingtalk-Access-Token": {token}}, Body: body,
		}, nil)
		status, ok := errors.AsType[*caller.StatusError](err)
		if !ok || status.Status != http.StatusUnauthorized || try > 0 {
			return err
		}
		ch.token.Drop()
	}
}

// Send implements [notify.Channel]. The card is known by our own id, so that one
// whose answer was lost is not there twice.
func (ch *Channel) Send(ctx context.Context, delivery string, c notify.Card) (string, error) {
	body := object{
		"cardTemplateId": ch.c.Template, "outTrackId": delivery, "callbackType": "STREAM",
		"cardData": object{"cardParamMap": params(&c)}, "openSpaceId": ch.c.To,
	}
	if strings.HasPrefix(ch.c.To, groupSpace) {
		body["imGroupOpenSpaceModel"] = object{"supportForward": false}
		body["imGroupOpenDeliverModel"] = object{"robotCode": ch.c.RobotCode}
	} else {
		body["imRobotOpenSpaceModel"] = object{"supportForward": false}
		body["imRobotOpenDeliverModel"] = object{"spaceType": "IM_ROBOT", "robotCode": ch.c.RobotCode}
	}
	return delivery, ch.call(ctx, http.MethodPost, "/v1.0/card/instances/createAndDeliver", body)
}

// Update implements [notify.Channel].
func (ch *Channel) Update(ctx context.Context, ref string, c notify.Card) error {
	return ch.call(ctx, http.MethodPut, "/v1.0/card/instances", object{
		"outTrackId": ref, "cardData": object{"cardParamMap": params(&c)},
		"cardUpdateOptions": object{"updateCardDataByKey": true},
	})
}

// params are the variables of the template: texts, all of them. The template
// shows approve and reject where buttons is "true", and gives action and token
// back.
func params(c *notify.Card) map[string]string {
	var facts []string
	for _, f := range c.Facts {
		facts = append(facts, harmless(f.Label)+"："+harmless(f.Text))
	}
	buttons := "false"
	if c.Token != "" {
		buttons = "true"
	}
	return map[string]string{
		"title": harmless(c.Title), "summary": harmless(c.Summary), "facts": strings.Join(facts, "\n\n"), "note": harmless(c.Note),
		"link": c.Link, "open": harmless(c.Open), "buttons": buttons, "token": c.Token, "approve": harmless(c.Yes), "reject": harmless(c.No),
	}
}

// marks are the characters that mean something in the platform's Markdown and in
// its HTML, and what is shown in their place: the same signs, of full width.
func marks() *strings.Replacer {
	var pairs []string
	for _, r := range "\\`*_[](){}<>#+-!|~@&:/" {
		pairs = append(pairs, string(r), string(r-'!'+'！'))
	}
	return strings.NewReplacer(pairs...)
}

// harmless makes a text that no template reads a format, a link or a mention in.
func harmless(s string) string { return marks().Replace(notify.Clip(s, maxParam)) }

// tell sends a message to one member.
func (ch *Channel) tell(ctx context.Context, user, content string) error {
	return ch.call(ctx, http.MethodPost, "/v1.0/robot/oToMessages/batchSend", object{
		"robotCode": ch.c.RobotCode, "userIds": []string{user}, "msgKey": "sampleText", "msgParam": content,
	})
}
