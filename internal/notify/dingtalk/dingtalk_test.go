// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package dingtalk_test

import (
	"context"
	"encoding/json"
	"flag"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/toolverdict/toolverdict/internal/notify"
	"github.com/toolverdict/toolverdict/internal/notify/dingtalk"
	"github.com/toolverdict/toolverdict/internal/notify/notifytest"
	"github.com/toolverdict/toolverdict/internal/store/memory"
)

var update = flag.Bool("update", false, "write the cards of testdata anew")

const topic = "/v1.0/card/instances/callback"

func TestChannel(t *testing.T) {
	t.Parallel()
	notifytest.Run(t, notifytest.Subject{
		Update: *update, NoSignature: true,
		Store: func(t testing.TB, now func() time.Time) notifytest.Store {
			s, err := memory.New(memory.Config{Now: now})
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
		Open: func(t testing.TB, now func() time.Time) notifytest.Platform { return open(t, now) },
	})
}

// platform is DingTalk.
type platform struct {
	*notifytest.Server
	notifytest.Mail
	channel *dingtalk.Channel
	lines   chan *line // connections that were opened

	mu   sync.Mutex
	line *line
}

// line is one connection, with who waits for an answer to a frame.
type line struct {
	conn *websocket.Conn
	mu   sync.Mutex
	wait map[string]chan ack
}

type ack struct {
	Code    int
	Headers map[string]string
	Data    string
}

func open(t testing.TB, now func() time.Time) *platform {
	t.Helper()
	p := &platform{lines: make(chan *line, 16)}
	p.Server = notifytest.NewServer(t, map[string]http.HandlerFunc{
		"POST /v1.0/oauth2/accessToken": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"accessToken":"t-1","expireIn":7200}`))
		},
		"POST /v1.0/gateway/connections/open": func(w http.ResponseWriter, r *http.Request) {
			var m struct {
				ClientID, ClientSecret string
				Subscriptions          []struct{ Type, Topic string }
			}
			if err := json.NewDecoder(r.Body).Decode(&m); err != nil || len(m.Subscriptions) != 1 || m.Subscriptions[0].Topic != topic || m.Subscriptions[0].Type != "CALLBACK" {
				t.Errorf("%+v, %v", m, err)
			}
			if m.ClientID != "ding1" || m.ClientSecret != "s" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			_, _ = w.Write([]byte(`{"endpoint":"` + strings.Replace(p.URL, "http", "ws", 1) + `/connect","ticket":"a b&c"}`))
		},
		"GET /connect": func(w http.ResponseWriter, r *http.Request) {
			if r.FormValue("ticket") != "a b&c" {
				t.Errorf("ticket %q", r.FormValue("ticket"))
			}
			p.serve(t, w, r)
		},
		"POST /v1.0/card/instances/createAndDeliver": p.card(t, func(m map[string]any) bool {
			return m["callbackType"] == "STREAM" && m["openSpaceId"] == "dtv1.card//IM_GROUP.cid1" && m["cardTemplateId"] == "tpl" && m["imGroupOpenDeliverModel"] != nil
		}),
		"PUT /v1.0/card/instances": p.card(t, func(m map[string]any) bool { return m["cardUpdateOptions"] != nil }),
		"POST /v1.0/robot/oToMessages/batchSend": func(_ http.ResponseWriter, r *http.Request) {
			var m struct{ MsgParam string }
			if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
				t.Error(err)
			}
			var text struct{ Content string }
			if err := json.Unmarshal([]byte(m.MsgParam), &text); err != nil || text.Content == "" {
				t.Errorf("%+v, %v", m, err)
			}
			p.Put(text.Content)
		},
	})
	p.channel = channel(t, p.URL, "s", now)
	return p
}

func channel(t testing.TB, api, secret string, now func() time.Time) *dingtalk.Channel {
	t.Helper()
	ch, err := dingtalk.New(dingtalk.Config{
		To: "dtv1.card//IM_GROUP.cid1", ClientID: "ding1", ClientSecret: secret, RobotCode: "ding1", Template: "tpl", CorpID: "corp1", API: api, Now: now,
	})
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

// card takes a card.
func (p *platform) card(t testing.TB, whole func(map[string]any) bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var m map[string]any
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil || r.Header.Get("x-acs-dingtalk-access-token") != "t-1" || !whole(m) || m["outTrackId"] == "" {
			t.Errorf("%v, %v", m, err)
		}
		data, _ := m["cardData"].(map[string]any)
		shown, err := json.Marshal(data["cardParamMap"])
		if err != nil {
			t.Error(err)
		}
		p.Show(shown)
		_, _ = w.Write([]byte(`{"success":true}`))
	}
}

// serve keeps one connection and gives answers to those who wait for them.
func (p *platform) serve(t testing.TB, w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = conn.CloseNow() }() // it may be closed by now
	l := &line{conn: conn, wait: map[string]chan ack{}}
	p.lines <- l
	for {
		_, raw, err := conn.Read(context.WithoutCancel(r.Context()))
		if err != nil {
			return
		}
		var a ack
		if err := json.Unmarshal(raw, &a); err != nil {
			t.Errorf("answer %s: %v", raw, err)
		}
		l.mu.Lock()
		to := l.wait[a.Headers["messageId"]]
		l.mu.Unlock()
		if to != nil {
			to <- a
		}
	}
}

// current is the connection that the gate has open.
func (p *platform) current(t testing.TB) *line {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.line == nil {
		select {
		case p.line = <-p.lines:
		case <-t.Context().Done():
			t.Fatal("the gate opened no connection")
		}
	}
	return p.line
}

// send sends a frame and waits for its answer.
func (l *line) send(t testing.TB, kind, about, id string, at time.Time, data string) ack {
	t.Helper()
	frame, err := json.Marshal(map[string]any{
		"specVersion": "1.0", "type": kind, "data": data,
		"headers": map[string]string{"topic": about, "messageId": id, "contentType": "application/json", "time": strconv.FormatInt(at.UnixMilli(), 10)},
	})
	if err != nil {
		t.Fatal(err)
	}
	answer := make(chan ack, 2)
	l.mu.Lock()
	l.wait[id] = answer
	l.mu.Unlock()
	if err := l.conn.Write(t.Context(), websocket.MessageText, frame); err != nil {
		t.Fatal(err)
	}
	select {
	case a := <-answer:
		return a
	case <-t.Context().Done():
		t.Fatal("the frame was not answered")
		return ack{}
	}
}

func (p *platform) Channel() notify.Channel   { return p.channel }
func (p *platform) Account(who string) string { return "corp1/" + who }

func (p *platform) Token() string {
	var params map[string]string
	_ = json.Unmarshal(p.Shown(), &params)
	if params["buttons"] != "true" {
		return ""
	}
	return params["token"]
}

func (p *platform) Press(t testing.TB, _ *notify.Service, press notifytest.Press) notifytest.Told {
	content, err := json.Marshal(map[string]any{"cardPrivateData": map[string]any{
		"actionIds": []string{string(press.Vote)}, "params": map[string]string{"action": string(press.Vote), "token": press.Token},
	}})
	if err != nil {
		t.Fatal(err)
	}
	callback := map[string]any{"type": "actionCallback", "outTrackId": "tv", "userId": press.Who, "userIdType": 1, "corpId": "corp1", "spaceType": "IM_GROUP", "content": string(content)}
	switch press.Forge {
	case notifytest.Tampered:
		callback["corpId"] = "corp2"
	case notifytest.WrongKey:
		delete(callback, "corpId")
	case notifytest.Oversized:
		callback["extension"] = strings.Repeat("x", 70<<10)
	case notifytest.Malformed:
		callback["content"] = "no JSON"
	case notifytest.Honest:
	}
	data, err := json.Marshal(callback)
	if err != nil {
		t.Fatal(err)
	}
	a := p.current(t).send(t, "CALLBACK", topic, press.Event, press.At, string(data))
	if a.Code != http.StatusOK {
		return notifytest.Told{Refused: true}
	}
	var reply struct {
		Response struct {
			CardData *struct{ CardParamMap map[string]string }
		}
	}
	if err := json.Unmarshal([]byte(a.Data), &reply); err != nil {
		t.Errorf("answer %s: %v", a.Data, err)
	}
	if card := reply.Response.CardData; card != nil {
		return notifytest.Told{Ended: true, Text: card.CardParamMap["title"]}
	}
	return notifytest.Told{Text: p.Take(t)}
}

// Harmless holds texts to having no sign that means something in a template.
func (p *platform) Harmless(t testing.TB, shown []byte) {
	var params map[string]string
	if err := json.Unmarshal(shown, &params); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"title", "summary", "note", "facts"} {
		if strings.ContainsAny(params[name], "<>[]()*_`@#&") || len([]rune(params[name])) > 6000 {
			t.Errorf("%s: %q", name, params[name])
		}
	}
}

// TestConnection: pings are answered, a connection that moves is opened anew,
// and what is not asked for is said to be.
func TestConnection(t *testing.T) {
	t.Parallel()
	p := open(t, time.Now)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- p.channel.Listen(ctx, func(context.Context, notify.Click, error) notify.Answer { return notify.Answer{Text: "x"} })
	}()
	l := p.current(t)
	if a := l.send(t, "SYSTEM", "ping", "m1", time.Now(), `{"opaque":"1"}`); a.Code != http.StatusOK || a.Data != `{"opaque":"1"}` {
		t.Errorf("ping: %+v", a)
	}
	if a := l.send(t, "EVENT", "*", "m2", time.Now(), `{}`); a.Code != http.StatusNotFound {
		t.Errorf("an event: %+v", a)
	}
	frame := []byte(`{"type":"SYSTEM","headers":{"topic":"disconnect","messageId":"m3"}}`)
	if err := l.conn.Write(t.Context(), websocket.MessageText, frame); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("moved: %v", err)
	}
	stop()
	large := make(chan error, 1)
	go func() {
		large <- p.channel.Listen(t.Context(), func(context.Context, notify.Click, error) notify.Answer { return notify.Answer{} })
	}()
	second := <-p.lines
	_ = second.conn.Write(t.Context(), websocket.MessageText, make([]byte, 300<<10))
	if err := <-large; err == nil {
		t.Error("a frame without end was read")
	}
}

// TestOpening: without the application's secret there is no connection, and none
// is opened to where TLS is missing.
func TestOpening(t *testing.T) {
	t.Parallel()
	p := open(t, time.Now)
	take := func(context.Context, notify.Click, error) notify.Answer { return notify.Answer{} }
	if err := channel(t, p.URL, "wrong", time.Now).Listen(t.Context(), take); err == nil || strings.Contains(err.Error(), "wrong") {
		t.Errorf("got %v", err)
	}
	for _, answer := range []string{
		`{"endpoint":"ws://evil.example/x","ticket":"t"}`, `{"endpoint":"https://api.example","ticket":"t"}`, `{"endpoint":"wss://a.example"}`, `{}`,
	} {
		server := notifytest.NewServer(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(answer)) }})
		if err := channel(t, server.URL, "s", time.Now).Listen(t.Context(), take); err == nil {
			t.Errorf("%s: opened", answer)
		}
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	whole := dingtalk.Config{To: "dtv1.card//IM_ROBOT.u1", ClientID: "c", ClientSecret: "s", RobotCode: "r", Template: "t", Now: time.Now}
	ch, err := dingtalk.New(whole)
	if err != nil {
		t.Fatal(err)
	}
	if err := ch.Listen(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "corpID") {
		t.Errorf("it listens to every organisation: %v", err)
	}
	for name, change := range map[string]func(*dingtalk.Config){
		"no secret": func(c *dingtalk.Config) { c.ClientSecret = "" }, "no template": func(c *dingtalk.Config) { c.Template = "" },
		"no such space": func(c *dingtalk.Config) { c.To = "everybody" }, "plain http": func(c *dingtalk.Config) { c.API = "http://api.example" },
	} {
		c := whole
		change(&c)
		if _, err := dingtalk.New(c); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func FuzzRead(f *testing.F) {
	now := time.Unix(1700000000, 0)
	ch := channel(f, "", "s", time.Now)
	f.Add("e", "1700000000000", `{"userId":"u","corpId":"corp1","content":"{\"cardPrivateData\":{\"params\":{\"action\":\"approve\",\"token\":\"t\"}}}"}`)
	f.Add("e", "17", `{}`)
	f.Add("", "-1700000000000", `{"corpId":"corp1","value":"{}"}`)
	f.Fuzz(func(t *testing.T, id, stamp, data string) {
		click, err := ch.Read(id, stamp, data, now)
		if err == nil && (click.Event == "" || !strings.HasPrefix(click.Operator, "corp1/") || !strings.Contains(data, "corp1")) {
			t.Errorf("%+v", click)
		}
	})
}
