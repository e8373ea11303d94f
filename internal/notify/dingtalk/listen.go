// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package dingtalk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/toolverdict/toolverdict/internal/notify"
	"github.com/toolverdict/toolverdict/internal/notify/caller"
)

const (
	callbackTopic = "/v1.0/card/instances/callback"
	maxFrame      = 256 << 10 // beyond it the connection is given up
	maxClicks     = 32        // that are decided at once
	pingEvery     = 60 * time.Second
	pingFor       = 10 * time.Second
	writeFor      = 5 * time.Second
)

// Listen implements [notify.Listener]: one connection, until it ends.
func (ch *Channel) Listen(ctx context.Context, take func(context.Context, notify.Click, error) notify.Answer) error {
	if ch.c.CorpID == "" {
		return errors.New("listen: corpID is needed: without it members of any organisation could decide")
	}
	address, err := ch.open(ctx)
	if err != nil {
		return err
	}
	conn, resp, err := websocket.Dial(ctx, address, &websocket.DialOptions{HTTPClient: caller.HTTP()})
	if resp != nil && resp.Body != nil {
		resp.Body.Close()
	}
	if err != nil {
		return errors.New("listen: the platform's connection cannot be opened") // the error holds the ticket
	}
	defer func() { _ = conn.CloseNow() }() // it may be closed by now
	conn.SetReadLimit(maxFrame)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s := &stream{ch: ch, conn: conn, take: take, busy: make(chan struct{}, maxClicks)}
	defer s.work.Wait()
	s.work.Go(func() { s.ping(ctx, stop) })
	err = s.read(ctx)
	stop()
	return err
}

// open asks for a connection: where it is, and the ticket that opens it.
func (ch *Channel) open(ctx context.Context) (string, error) {
	var out struct {
		Endpoint string `json:"endpoint"`
		Ticket   string `json:"ticket"`
	}
	err := ch.client.JSON(ctx, caller.Call{Method: http.MethodPost, Path: "/v1.0/gateway/connections/open", Body: object{
		"clientId": ch.c.ClientID, "clientSecret": ch.c.ClientSecret, "ua": "toolverdict",
		"subscriptions": []object{{"type": "CALLBACK", "topic": callbackTopic}},
	}}, &out)
	if err != nil {
		return "", fmt.Errorf("listen: %w", err)
	}
	u, err := url.Parse(out.Endpoint)
	if err != nil || out.Ticket == "" || u.Scheme != "wss" && u.Scheme != "ws" {
		return "", errors.New("listen: the platform named no connection")
	}
	if web := strings.Replace(out.Endpoint, "ws", "http", 1); caller.CheckURL(web) != nil {
		return "", errors.New("listen: the platform named a connection without TLS")
	}
	query := u.Query()
	query.Set("ticket", out.Ticket)
	u.RawQuery = query.Encode()
	return u.String(), nil
}

// frame is what comes over a connection.
type frame struct {
	Type    string            `json:"type"`
	Headers map[string]string `json:"headers"`
	Data    string            `json:"data"`
}

// ack is what goes back.
type ack struct {
	Code    int               `json:"code"`
	Headers map[string]string `json:"headers"`
	Message string            `json:"message"`
	Data    string            `json:"data"`
}

// stream is one connection.
type stream struct {
	ch   *Channel
	conn *websocket.Conn
	take func(context.Context, notify.Click, error) notify.Answer
	busy chan struct{}
	work sync.WaitGroup
}

// ping notices a connection that is dead.
func (s *stream) ping(ctx context.Context, stop func()) {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		within, done := context.WithTimeout(ctx, pingFor)
		err := s.conn.Ping(within)
		done()
		if err != nil {
			stop()
			return
		}
	}
}

func (s *stream) read(ctx context.Context) error {
	for {
		kind, raw, err := s.conn.Read(ctx)
		if err != nil {
			return fmt.Errorf("listen: the connection ended: %v", websocket.CloseStatus(err))
		}
		if kind != websocket.MessageText {
			continue
		}
		var f frame
		if json.Unmarshal(raw, &f) != nil {
			s.take(ctx, notify.Click{}, notify.ErrForm)
			continue
		}
		switch {
		case f.Type == "SYSTEM" && f.Headers["topic"] == "disconnect":
			return nil // it moves: a new connection is opened
		case f.Type == "SYSTEM":
			s.answer(ctx, &f, ack{Code: http.StatusOK, Message: "OK", Data: f.Data})
		case f.Type == "CALLBACK" && f.Headers["topic"] == callbackTopic:
			select {
			case s.busy <- struct{}{}:
			case <-ctx.Done():
				return nil
			}
			s.work.Go(func() {
				defer func() { <-s.busy }()
				s.pressed(ctx, &f)
			})
		default:
			s.answer(ctx, &f, ack{Code: http.StatusNotFound, Message: "not handled"})
		}
	}
}

func (s *stream) answer(ctx context.Context, f *frame, a ack) {
	a.Headers = map[string]string{"messageId": f.Headers["messageId"], "contentType": "application/json"}
	b, err := json.Marshal(a)
	if err != nil {
		return
	}
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), writeFor)
	defer done()
	_ = s.conn.Write(ctx, websocket.MessageText, b) // where it is lost, the platform asks again
}

// pressed has a click decided and answers its frame with the card as it is now.
func (s *stream) pressed(ctx context.Context, f *frame) {
	click, err := s.ch.read(f, s.ch.c.Now())
	a := s.take(ctx, click, err)
	if err != nil {
		s.answer(ctx, f, ack{Code: http.StatusBadRequest, Message: "refused"})
		return
	}
	response := object{}
	if a.Card != nil {
		response = object{
			"cardUpdateOptions": object{"updateCardDataByKey": true}, "cardData": object{"cardParamMap": params(a.Card)},
		}
	}
	data, err := json.Marshal(object{"response": response})
	if err != nil {
		s.answer(ctx, f, ack{Code: http.StatusInternalServerError, Message: "failed"})
		return
	}
	s.answer(ctx, f, ack{Code: http.StatusOK, Message: "OK", Data: string(data)})
	if a.Card == nil {
		text, err := json.Marshal(map[string]string{"content": a.Full()})
		if err == nil {
			_ = s.ch.tell(ctx, click.Back[0], string(text)) // the card stays as it was: that says it, too
		}
	}
}

// maxData bounds what one callback may hold, in bytes.
const maxData = 64 << 10

// callback is the data of a frame.
type callback struct {
	UserID  string `json:"userId"`
	CorpID  string `json:"corpId"`
	Content string `json:"content"`
	Value   string `json:"value"` // the same, in frames of another form
}

// action is the content of a callback.
type action struct {
	Private struct {
		Params struct {
			Action string `json:"action"`
			Token  string `json:"token"`
		} `json:"params"`
	} `json:"cardPrivateData"`
}

// read believes a frame of this connection for its organisation, and for its
// age.
func (ch *Channel) read(f *frame, now time.Time) (notify.Click, error) {
	if len(f.Data) > maxData {
		return notify.Click{}, notify.ErrSize
	}
	stamp := f.Headers["time"] // in milliseconds
	if len(stamp) < 4 {
		return notify.Click{}, notify.ErrAge
	}
	if err := notify.Fresh(stamp[:len(stamp)-3], now); err != nil {
		return notify.Click{}, err
	}
	var c callback
	if json.Unmarshal([]byte(f.Data), &c) != nil {
		return notify.Click{}, notify.ErrForm
	}
	if ch.c.CorpID == "" || c.CorpID != ch.c.CorpID {
		return notify.Click{}, notify.ErrSender
	}
	if c.Content == "" {
		c.Content = c.Value
	}
	var a action
	if json.Unmarshal([]byte(c.Content), &a) != nil || c.UserID == "" || f.Headers["messageId"] == "" {
		return notify.Click{}, notify.ErrForm
	}
	return notify.Click{
		Event: f.Headers["messageId"], Operator: c.CorpID + "/" + c.UserID,
		Token: a.Private.Params.Token, Vote: notify.Vote(a.Private.Params.Action), Back: [2]string{c.UserID},
	}, nil
}
