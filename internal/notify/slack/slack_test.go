// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package slack_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/toolverdict/toolverdict/internal/notify"
	"github.com/toolverdict/toolverdict/internal/notify/notifytest"
	"github.com/toolverdict/toolverdict/internal/notify/slack"
	"github.com/toolverdict/toolverdict/internal/store/memory"
)

var update = flag.Bool("update", false, "write the cards of testdata anew")

const secret = "8f742231b10e8888abcd99yyyzzz85a5" // of the example in Slack's documentation

func TestChannel(t *testing.T) {
	t.Parallel()
	notifytest.Run(t, notifytest.Subject{
		Update: *update,
		Store: func(t testing.TB, now func() time.Time) notifytest.Store {
			s, err := memory.New(memory.Config{Now: now})
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
		Open: open,
	})
}

// platform is Slack.
type platform struct {
	*notifytest.Server
	notifytest.Mail
	channel *slack.Channel
}

func open(t testing.TB, now func() time.Time) notifytest.Platform {
	t.Helper()
	p := &platform{}
	take := func(kind string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer xoxb-1" && r.FormValue("token") != "xoxb-1" {
				t.Errorf("%s comes without the token", kind)
			}
			w.Header().Set("Content-Type", "application/json")
			switch kind {
			case "ephemeral":
				p.Put(r.FormValue("text"))
			case "post", "update":
				if r.FormValue("channel") != "C1" || kind == "update" && r.FormValue("ts") != "17.1" {
					t.Errorf("%s goes to %q %q", kind, r.FormValue("channel"), r.FormValue("ts"))
				}
				shown, err := json.Marshal(map[string]any{"text": r.FormValue("text"), "blocks": json.RawMessage(r.FormValue("blocks"))})
				if err != nil {
					t.Errorf("the blocks are no JSON: %v", err)
				}
				p.Show(shown)
			}
			_, _ = w.Write([]byte(`{"ok":true,"channel":"C1","ts":"17.1","message_ts":"17.2"}`))
		}
	}
	p.Server = notifytest.NewServer(t, map[string]http.HandlerFunc{
		"/api/chat.postMessage": take("post"), "/api/chat.update": take("update"), "/api/chat.postEphemeral": take("ephemeral"),
	})
	var err error
	p.channel, err = slack.New(slack.Config{To: "C1", Token: "xoxb-1", SigningSecret: secret, API: p.URL + "/api", Now: now})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *platform) Channel() notify.Channel   { return p.channel }
func (p *platform) Account(who string) string { return "T1/U" + who }

func (p *platform) Token() string {
	var card struct {
		Blocks []struct {
			Elements []struct{ Value string }
		}
	}
	_ = json.Unmarshal(p.Shown(), &card)
	for _, b := range card.Blocks {
		for _, e := range b.Elements {
			if e.Value != "" {
				return e.Value
			}
		}
	}
	return ""
}

func (p *platform) Press(t testing.TB, gate *notify.Service, press notifytest.Press) notifytest.Told {
	payload, err := json.Marshal(map[string]any{
		"type": "block_actions", "trigger_id": press.Event, "api_app_id": "A1",
		"user": map[string]string{"id": "U" + press.Who, "name": press.Who, "team_id": "T1"}, "team": map[string]string{"id": "T1"},
		"channel": map[string]string{"id": "C1"}, "container": map[string]string{"type": "message", "message_ts": "17.1"},
		"actions": []map[string]string{{"type": "button", "action_id": string(press.Vote), "value": press.Token}},
	})
	if err != nil {
		t.Fatal(err)
	}
	body, key := []byte(url.Values{"payload": {string(payload)}}.Encode()), secret
	switch press.Forge {
	case notifytest.WrongKey:
		key = "another"
	case notifytest.Malformed:
		body = []byte("payload=%7B&payload=%7B%7D")
	case notifytest.Oversized:
		body = append(body, "&more="+strings.Repeat("x", 70<<10)...)
	case notifytest.Honest, notifytest.Tampered:
	}
	signature := sign(key, press.At, body)
	if press.Forge == notifytest.Tampered {
		body = bytes.Replace(body, []byte("approve"), []byte("reject"), 1)
	}
	r := httptest.NewRequest(http.MethodPost, notify.CallbackPath+notifytest.ChannelName, bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("X-Slack-Request-Timestamp", strconv.FormatInt(press.At.Unix(), 10))
	r.Header.Set("X-Slack-Signature", signature)
	w := notifytest.Deliver(t, gate, r)
	if w.Code != http.StatusOK {
		return notifytest.Told{Refused: true}
	}
	if w.Body.Len() > 0 {
		t.Errorf("Slack would show %q", w.Body.String())
	}
	return notifytest.Told{Text: p.Take(t)}
}

func sign(key string, at time.Time, body []byte) string {
	h := hmac.New(sha256.New, []byte(key))
	h.Write([]byte("v0:" + strconv.FormatInt(at.Unix(), 10) + ":"))
	h.Write(body)
	return "v0=" + hex.EncodeToString(h.Sum(nil))
}

// Harmless holds a card to Block Kit's limits, and its texts to being plain.
func (p *platform) Harmless(t testing.TB, shown []byte) {
	var card struct {
		Text   string
		Blocks []struct {
			Type   string
			Text   *text
			Fields []text
		}
	}
	if err := json.Unmarshal(shown, &card); err != nil {
		t.Fatal(err)
	}
	if len(card.Blocks) > 50 || len([]rune(card.Text)) > 4000 || strings.ContainsAny(card.Text, "<>") {
		t.Errorf("%d blocks; notification %q", len(card.Blocks), card.Text)
	}
	for _, b := range card.Blocks {
		most := 3000
		if b.Type == "header" {
			most = 150
		}
		if b.Text != nil {
			b.Text.check(t, most)
		}
		if len(b.Fields) > 10 {
			t.Errorf("%d fields", len(b.Fields))
		}
		for _, f := range b.Fields {
			f.check(t, 2000)
		}
	}
}

type text struct{ Type, Text string }

func (x text) check(t testing.TB, most int) {
	t.Helper()
	if x.Type != "plain_text" || len([]rune(x.Text)) > most || x.Text == "" {
		t.Errorf("%s of %d characters: %q", x.Type, len([]rune(x.Text)), x.Text)
	}
}

// TestDocumentedSignature is the example of
// https://docs.slack.dev/authentication/verifying-requests-from-slack/.
func TestDocumentedSignature(t *testing.T) {
	t.Parallel()
	const body = "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
	ch := channel(t)
	r := notify.Request{Method: http.MethodPost, Body: []byte(body), At: time.Unix(1531420618, 0), Header: http.Header{
		"Content-Type": {"application/x-www-form-urlencoded"}, "X-Slack-Request-Timestamp": {"1531420618"},
		"X-Slack-Signature": {"v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"},
	}}
	if _, _, err := ch.Read(r); !errors.Is(err, notify.ErrForm) { // believed, and no press of a button
		t.Errorf("got %v", err)
	}
	r.Body[0]++
	if _, _, err := ch.Read(r); !errors.Is(err, notify.ErrSignature) {
		t.Errorf("changed: got %v", err)
	}
}

func channel(t testing.TB) *slack.Channel {
	t.Helper()
	ch, err := slack.New(slack.Config{To: "C1", Token: "xoxb-1", SigningSecret: secret, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

// TestNothingIsAsked: a press on the link, which Slack tells of, too, is
// answered and means nothing.
func TestNothingIsAsked(t *testing.T) {
	t.Parallel()
	now := time.Unix(1700000000, 0)
	for _, payload := range []string{
		`{"type":"block_actions","actions":[{"action_id":"open"}]}`, `{"type":"view_closed"}`, `{"type":"block_actions"}`,
	} {
		body := []byte(url.Values{"payload": {payload}}.Encode())
		_, reply, err := channel(t).Read(notify.Request{Method: http.MethodPost, Body: body, At: now, Header: http.Header{
			"Content-Type": {"application/x-www-form-urlencoded"}, "X-Slack-Request-Timestamp": {"1700000000"}, "X-Slack-Signature": {sign(secret, now, body)},
		}})
		if err != nil || reply == nil || reply.Status != http.StatusOK {
			t.Errorf("%s: %v, %v", payload, reply, err)
		}
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]slack.Config{
		"no token": {To: "C1"}, "no place": {Token: "x"}, "plain http": {To: "C1", Token: "x", API: "http://slack.example"},
	} {
		c.Now = time.Now
		if _, err := slack.New(c); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	open, err := slack.New(slack.Config{To: "C1", Token: "x", Now: time.Now}) // without a secret it believes nothing
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = open.Read(notify.Request{Method: http.MethodPost, At: time.Unix(1, 0), Header: http.Header{
		"X-Slack-Request-Timestamp": {"1"}, "X-Slack-Signature": {sign("", time.Unix(1, 0), nil)},
	}})
	if !errors.Is(err, notify.ErrSignature) {
		t.Errorf("got %v", err)
	}
}

func FuzzRead(f *testing.F) {
	ch := channel(f)
	now := time.Unix(1700000000, 0)
	f.Add([]byte("payload="+url.QueryEscape(`{"type":"block_actions","trigger_id":"e","user":{"id":"U"},"team":{"id":"T"},"actions":[{"action_id":"approve","value":"t"}]}`)), true)
	f.Add([]byte("payload=%7B"), true)
	f.Add([]byte("%"), true)
	f.Add([]byte(""), false)
	f.Fuzz(func(t *testing.T, body []byte, honest bool) {
		signature := "v0=00"
		if honest {
			signature = sign(secret, now, body)
		}
		click, _, err := ch.Read(notify.Request{Method: http.MethodPost, Body: body, At: now, Header: http.Header{
			"Content-Type": {"application/x-www-form-urlencoded"}, "X-Slack-Request-Timestamp": {"1700000000"}, "X-Slack-Signature": {signature},
		}})
		if !honest && err == nil || click.Valid() && !strings.Contains(click.Operator, "/") {
			t.Errorf("%+v, %v", click, err)
		}
	})
}
