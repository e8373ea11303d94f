// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package webhook_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/toolverdict/toolverdict/internal/notify"
	"github.com/toolverdict/toolverdict/internal/notify/notifytest"
	"github.com/toolverdict/toolverdict/internal/notify/webhook"
	"github.com/toolverdict/toolverdict/internal/store/memory"
)

var update = flag.Bool("update", false, "write the cards of testdata anew")

const (
	outgoing = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" // the specification's example
	next     = "whsec_QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFB"
	incoming = "whsec_QkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJC"
)

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

// platform is a program that takes events and decides.
type platform struct {
	*notifytest.Server
	channel *webhook.Channel
}

func open(t testing.TB, now func() time.Time) notifytest.Platform {
	t.Helper()
	p := &platform{}
	hooks := []*standard.Webhook{hook(t, outgoing), hook(t, next)}
	p.Server = notifytest.NewServer(t, map[string]http.HandlerFunc{"POST /events": func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		for i, h := range hooks {
			if err := h.VerifyIgnoringTimestamp(body, r.Header); err != nil {
				t.Errorf("the event is not signed with secret %d: %v", i+1, err)
			}
		}
		var e struct{ Data json.RawMessage }
		if err := json.Unmarshal(body, &e); err != nil {
			t.Error(err)
		}
		p.Show(e.Data)
		w.WriteHeader(http.StatusNoContent)
	}})
	var err error
	p.channel, err = webhook.New(webhook.Config{URL: p.URL + "/events", Secrets: []string{outgoing, next}, Callers: []string{incoming}, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func hook(t testing.TB, secret string) *standard.Webhook {
	t.Helper()
	h, err := standard.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func (p *platform) Channel() notify.Channel   { return p.channel }
func (p *platform) Account(who string) string { return "people/" + who }

func (p *platform) Token() string {
	var d struct{ Token string }
	_ = json.Unmarshal(p.Shown(), &d)
	return d.Token
}

func (p *platform) Press(t testing.TB, gate *notify.Service, press notifytest.Press) notifytest.Told {
	body, err := json.Marshal(map[string]any{"type": "approval.decide", "data": map[string]string{
		"token": press.Token, "vote": string(press.Vote), "operator": p.Account(press.Who), "name": press.Who,
	}})
	if err != nil {
		t.Fatal(err)
	}
	secret := incoming
	switch press.Forge {
	case notifytest.WrongKey:
		secret = outgoing
	case notifytest.Malformed:
		body = []byte(`{"type":"approval.asked","data":{}}`)
	case notifytest.Oversized:
		body = append(body, bytes.Repeat([]byte(" "), 70<<10)...)
	case notifytest.Honest, notifytest.Tampered:
	}
	signature, err := hook(t, secret).Sign(press.Event, press.At, body)
	if err != nil {
		t.Fatal(err)
	}
	if press.Forge == notifytest.Tampered {
		body = bytes.Replace(body, []byte("approve"), []byte("reject"), 1)
	}
	r := httptest.NewRequest(http.MethodPost, notify.CallbackPath+notifytest.ChannelName, bytes.NewReader(body))
	r.Header.Set("webhook-id", press.Event)
	r.Header.Set("webhook-timestamp", strconv.FormatInt(press.At.Unix(), 10))
	r.Header.Set("webhook-signature", "v1,bm9uZQ== "+signature)
	w := notifytest.Deliver(t, gate, r)
	var told struct {
		Text, Link string
		Card       *struct{ State string }
	}
	if w.Code == http.StatusOK {
		if err := json.Unmarshal(w.Body.Bytes(), &told); err != nil {
			t.Error(err)
		}
	}
	return notifytest.Told{Refused: w.Code != http.StatusOK, Text: told.Text + " " + told.Link, Ended: told.Card != nil}
}

// TestSpecification: the example of the specification's own libraries.
func TestSpecification(t *testing.T) {
	t.Parallel()
	const want = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	got, err := hook(t, outgoing).Sign("msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if err != nil || got != want {
		t.Errorf("got %s, %v", got, err)
	}
	c, err := webhook.New(webhook.Config{URL: "https://example.com", Secrets: []string{next}, Callers: []string{outgoing}, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	r := notify.Request{Method: http.MethodPost, Body: []byte(`{"test": 2432232314}`), At: time.Unix(1614265330, 0), Header: http.Header{
		"Webhook-Id": {"msg_p5jXN8AQM9LWM0D4loKWxJek"}, "Webhook-Timestamp": {"1614265330"}, "Webhook-Signature": {want},
	}}
	if _, _, err := c.Read(r); !errors.Is(err, notify.ErrForm) { // the signature is good, and it is no decision
		t.Errorf("got %v", err)
	}
	r.Header.Set("webhook-timestamp", "+1614265330") // another reading of what was signed
	if _, _, err := c.Read(r); !errors.Is(err, notify.ErrForm) && !errors.Is(err, notify.ErrSignature) {
		t.Errorf("got %v", err)
	}
}

// TestAsymmetric: v1a in both directions.
func TestAsymmetric(t *testing.T) {
	t.Parallel()
	seed := bytes.Repeat([]byte{7}, ed25519.SeedSize)
	key := ed25519.NewKeyFromSeed(seed)
	public := "whpk_" + base64.StdEncoding.EncodeToString(key[ed25519.SeedSize:])
	var got http.Header
	var body []byte
	server := notifytest.NewServer(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
		got, body = r.Header, nil
		body, _ = io.ReadAll(r.Body)
	}})
	now := time.Unix(1700000000, 0)
	c, err := webhook.New(webhook.Config{
		URL: server.URL, Secrets: []string{"whsk_" + base64.StdEncoding.EncodeToString(seed)}, Callers: []string{public}, Now: func() time.Time { return now },
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Send(t.Context(), "d", notify.Card{Title: "t"}); err != nil {
		t.Fatal(err)
	}
	encoded, _ := strings.CutPrefix(got.Get("webhook-signature"), "v1a,")
	sum, _ := base64.StdEncoding.DecodeString(encoded)
	signed := got.Get("webhook-id") + "." + got.Get("webhook-timestamp") + "." + string(body)
	if !ed25519.Verify(key.Public().(ed25519.PublicKey), []byte(signed), sum) {
		t.Errorf("not signed: %s", encoded)
	}
	decide := []byte(`{"type":"approval.decide","data":{"operator":"o","token":"t","vote":"approve"}}`)
	sign := func(id string) string {
		return "v1a," + base64.StdEncoding.EncodeToString(ed25519.Sign(key, append([]byte(id+".1700000000."), decide...)))
	}
	for name, c2 := range map[string]struct {
		signature string
		ok        bool
	}{"good": {sign("e"), true}, "another event": {sign("f"), false}, "short": {"v1a,AAAA", false}, "none": {"", false}} {
		_, _, err := c.Read(notify.Request{Method: http.MethodPost, Body: decide, At: now, Header: http.Header{
			"Webhook-Id": {"e"}, "Webhook-Timestamp": {"1700000000"}, "Webhook-Signature": {c2.signature},
		}})
		if (err == nil) != c2.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]webhook.Config{
		"no secret":         {URL: "https://example.com"},
		"plain http":        {URL: "http://example.com", Secrets: []string{outgoing}},
		"a user in it":      {URL: "https://a:b@example.com", Secrets: []string{outgoing}},
		"short secret":      {URL: "https://example.com", Secrets: []string{"whsec_AAAA"}},
		"no prefix":         {URL: "https://example.com", Secrets: []string{strings.TrimPrefix(outgoing, "whsec_")}},
		"public key signs":  {URL: "https://example.com", Secrets: []string{"whpk_" + strings.Repeat("A", 43) + "="}},
		"private verifies":  {URL: "https://example.com", Secrets: []string{outgoing}, Callers: []string{"whsk_" + strings.Repeat("A", 43) + "="}},
		"reflected":         {URL: "https://example.com", Secrets: []string{outgoing}, Callers: []string{outgoing}},
		"short private key": {URL: "https://example.com", Secrets: []string{"whsk_AAAA"}},
	} {
		c.Now = time.Now
		if _, err := webhook.New(c); err == nil {
			t.Errorf("%s: taken", name)
		} else if strings.Contains(err.Error(), "MfKQ9r8") {
			t.Errorf("%s: the secret is in the error", name)
		}
	}
}

func FuzzRead(f *testing.F) {
	now := time.Unix(1700000000, 0)
	c, err := webhook.New(webhook.Config{URL: "https://example.com", Secrets: []string{next}, Callers: []string{incoming}, Now: time.Now})
	if err != nil {
		f.Fatal(err)
	}
	h, err := standard.NewWebhook(incoming)
	if err != nil {
		f.Fatal(err)
	}
	f.Add("e", []byte(`{"type":"approval.decide","data":{"operator":"o","token":"t","vote":"approve"}}`), true)
	f.Add("", []byte(`{`), true)
	f.Add("e", []byte(`{}`), false)
	f.Fuzz(func(t *testing.T, id string, body []byte, honest bool) {
		signature := "v1,AAAA v1a,AAAA v2,AAAA ,"
		if honest {
			if signature, err = h.Sign(id, now, body); err != nil {
				t.Fatal(err)
			}
		}
		click, reply, err := c.Read(notify.Request{Method: http.MethodPost, Body: body, At: now, Header: http.Header{
			"Webhook-Id": {id}, "Webhook-Timestamp": {"1700000000"}, "Webhook-Signature": {signature},
		}})
		if reply != nil || !honest && err == nil || err == nil && click.Event != id {
			t.Errorf("%+v, %v, %v", click, reply, err)
		}
	})
}
