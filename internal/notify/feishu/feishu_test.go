// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package feishu_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
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

	"github.com/toolverdict/toolverdict/internal/notify"
	"github.com/toolverdict/toolverdict/internal/notify/cipher"
	"github.com/toolverdict/toolverdict/internal/notify/feishu"
	"github.com/toolverdict/toolverdict/internal/notify/notifytest"
	"github.com/toolverdict/toolverdict/internal/store/memory"
)

var update = flag.Bool("update", false, "write the cards of testdata anew")

const (
	encryptKey = "test key" // of the example in the documentation
	verify     = "v-token"
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

// platform is Feishu.
type platform struct {
	*notifytest.Server
	notifytest.Mail
	channel *feishu.Channel
}

func open(t testing.TB, now func() time.Time) notifytest.Platform {
	t.Helper()
	p := &platform{}
	authorised := func(next func(w http.ResponseWriter, r *http.Request, body map[string]string)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if got := r.Header.Get("Authorization"); got != "Bearer t-1" {
				t.Errorf("authorization %q", got)
			}
			var body map[string]string
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
				t.Error(err)
			}
			next(w, r, body)
		}
	}
	p.Server = notifytest.NewServer(t, map[string]http.HandlerFunc{
		"POST /open-apis/auth/v3/tenant_access_token/internal": func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if want := `{"app_id":"cli_1","app_secret":"s"}`; string(body) != want {
				t.Errorf("asked for a token with %s", body)
			}
			_, _ = w.Write([]byte(`{"code":0,"msg":"ok","tenant_access_token":"t-1","expire":7200}`))
		},
		"POST /open-apis/im/v1/messages": authorised(func(w http.ResponseWriter, r *http.Request, body map[string]string) {
			switch kind := r.FormValue("receive_id_type"); {
			case kind == "chat_id" && body["msg_type"] == "interactive" && body["receive_id"] == "oc_1" && body["uuid"] != "" && len(body["uuid"]) <= 50:
				p.Show([]byte(body["content"]))
			case kind == "open_id" && body["msg_type"] == "text" && strings.HasPrefix(body["receive_id"], "ou_"):
				p.Put(body["content"])
			default:
				t.Errorf("%s %v", kind, body)
			}
			_, _ = w.Write([]byte(`{"code":0,"msg":"success","data":{"message_id":"om_1"}}`))
		}),
		"PATCH /open-apis/im/v1/messages/om_1": authorised(func(w http.ResponseWriter, _ *http.Request, body map[string]string) {
			p.Show([]byte(body["content"]))
			_, _ = w.Write([]byte(`{"code":0,"msg":"success","data":{}}`))
		}),
	})
	p.channel = channel(t, p.URL, now)
	return p
}

func channel(t testing.TB, api string, now func() time.Time) *feishu.Channel {
	t.Helper()
	ch, err := feishu.New(feishu.Config{
		To: "oc_1", AppID: "cli_1", AppSecret: "s", EncryptKey: encryptKey, VerificationToken: verify, API: api, Now: now,
	})
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

func (p *platform) Channel() notify.Channel   { return p.channel }
func (p *platform) Account(who string) string { return "tenant1/ou_" + who }

func (p *platform) Token() string {
	var card struct {
		Elements []struct {
			Actions []struct{ Value struct{ Token string } }
		}
	}
	_ = json.Unmarshal(p.Shown(), &card)
	for _, e := range card.Elements {
		for _, a := range e.Actions {
			if a.Value.Token != "" {
				return a.Value.Token
			}
		}
	}
	return ""
}

func (p *platform) Press(t testing.TB, gate *notify.Service, press notifytest.Press) notifytest.Told {
	event, err := json.Marshal(map[string]any{
		"schema": "2.0",
		"header": map[string]string{
			"event_id": press.Event, "token": verify, "create_time": strconv.FormatInt(press.At.UnixMicro(), 10),
			"event_type": "card.action.trigger", "tenant_key": "tenant1", "app_id": "cli_1",
		},
		"event": map[string]any{
			"operator": map[string]string{"tenant_key": "tenant1", "open_id": "ou_" + press.Who, "union_id": "on_" + press.Who},
			"token":    "c-1", "host": "im_message",
			"action":  map[string]any{"tag": "button", "value": map[string]string{"action": string(press.Vote), "token": press.Token}},
			"context": map[string]string{"open_message_id": "om_1", "open_chat_id": "oc_1"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	body, key := sealed(t, encryptKey, event), encryptKey
	switch press.Forge {
	case notifytest.WrongKey:
		body, key = sealed(t, "another", event), "another"
	case notifytest.Malformed:
		body = event // as it comes where there is no key
	case notifytest.Oversized:
		body = append(body, bytes.Repeat([]byte(" "), 70<<10)...)
	case notifytest.Honest, notifytest.Tampered:
	}
	signature := sign(key, press.At, body)
	if press.Forge == notifytest.Tampered {
		body[len(body)/2] ^= 1
	}
	w := notifytest.Deliver(t, gate, request(body, press.At, signature))
	if w.Code != http.StatusOK {
		return notifytest.Told{Refused: true}
	}
	var reply struct {
		Toast struct{ Type, Content string }
		Card  *struct {
			Type string
			Data json.RawMessage
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &reply); err != nil || reply.Toast.Content == "" {
		t.Errorf("reply %s: %v", w.Body.Bytes(), err)
	}
	told := notifytest.Told{Text: reply.Toast.Content, Ended: reply.Card != nil && reply.Card.Type == "raw"}
	if press.Link {
		told.Text = p.Take(t)
		var message struct{ Text string }
		if json.Unmarshal([]byte(told.Text), &message) == nil {
			told.Text = message.Text
		}
	}
	return told
}

func request(body []byte, at time.Time, signature string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, notify.CallbackPath+notifytest.ChannelName, bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	if signature != "" {
		r.Header.Set("X-Lark-Request-Timestamp", strconv.FormatInt(at.Unix(), 10))
		r.Header.Set("X-Lark-Request-Nonce", "n")
		r.Header.Set("X-Lark-Signature", signature)
	}
	return r
}

func sign(key string, at time.Time, body []byte) string {
	sum := sha256.Sum256(append([]byte(strconv.FormatInt(at.Unix(), 10)+"n"+key), body...))
	return hex.EncodeToString(sum[:])
}

func sealed(t testing.TB, key string, text []byte) []byte {
	t.Helper()
	sum, iv := sha256.Sum256([]byte(key)), bytes.Repeat([]byte{3}, 16)
	out, err := cipher.Seal(sum[:], iv, text, 16)
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(map[string]string{"encrypt": base64.StdEncoding.EncodeToString(append(iv, out...))})
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// Harmless holds a card to the platform's limits, and its texts to being plain.
func (p *platform) Harmless(t testing.TB, shown []byte) {
	if len(shown) > 30<<10 {
		t.Errorf("the card has %d bytes", len(shown))
	}
	var card any
	if err := json.Unmarshal(shown, &card); err != nil {
		t.Fatal(err)
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			if _, says := v["content"]; says && v["tag"] != "plain_text" {
				t.Errorf("a text is not plain: %v", v)
			}
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(card)
}

// TestDocumentedDecryption is the example of
// https://open.feishu.cn/document/ukTMukTMukTM/uYDNxYjL2QTM24iN0EjN.
func TestDocumentedDecryption(t *testing.T) {
	t.Parallel()
	got, ok := feishu.Decrypt("test key", "P37w+VZImNgPEO1RBhJ6RtKl7n6zymIbEG1pReEzghk=")
	if !ok || string(got) != "hello world" {
		t.Errorf("got %q, %v", got, ok)
	}
	for _, bad := range []string{"", "%", "P37w+VZImNgPEO1RBhJ6Rg==", "P37w+VZImNgPEO1RBhJ6RtKl7n6zymIbEG1pReEzghk", "P37w+VZImNgPEO1RBhJ6RtKl7n6zymIbEG1pReEzghl="} {
		if got, ok := feishu.Decrypt("test key", bad); ok {
			t.Errorf("%q: got %q", bad, got)
		}
	}
}

// TestAddressCheck: the platform asks whether an address is ours, without a
// signature; only who knows the token is answered.
func TestAddressCheck(t *testing.T) {
	t.Parallel()
	now := time.Unix(1700000000, 0)
	ch := channel(t, "", time.Now)
	read := func(body []byte) (*notify.Reply, error) {
		_, reply, err := ch.Read(notify.Request{Method: http.MethodPost, Body: body, Header: http.Header{}, At: now})
		return reply, err
	}
	reply, err := read(sealed(t, encryptKey, []byte(`{"challenge":"c-1","token":"v-token","type":"url_verification"}`)))
	if err != nil || reply == nil || string(reply.Body) != `{"challenge":"c-1"}` {
		t.Errorf("got %v, %v", reply, err)
	}
	for name, body := range map[string][]byte{
		"another token":     sealed(t, encryptKey, []byte(`{"challenge":"c-1","token":"x","type":"url_verification"}`)),
		"another key":       sealed(t, "x", []byte(`{"challenge":"c-1","token":"v-token","type":"url_verification"}`)),
		"not encrypted":     []byte(`{"challenge":"c-1","token":"v-token","type":"url_verification"}`),
		"a press, unsigned": sealed(t, encryptKey, []byte(`{"header":{"event_id":"e","token":"v-token","app_id":"cli_1","event_type":"card.action.trigger","tenant_key":"t"},"event":{"operator":{"open_id":"o"},"action":{"value":{"action":"approve","token":"t"}}}}`)),
	} {
		// The same for all: a stranger who could tell them apart would learn what is in
		// a body that is sealed.
		if reply, err := read(body); !errors.Is(err, notify.ErrSignature) || reply != nil {
			t.Errorf("%s: %v, %v", name, reply, err)
		}
	}
}

// TestSender: a callback that is signed and of another application is refused.
func TestSender(t *testing.T) {
	t.Parallel()
	now := time.Unix(1700000000, 0)
	for name, header := range map[string]string{
		"another application": `"token":"v-token","app_id":"cli_2"`, "another token": `"token":"x","app_id":"cli_1"`,
	} {
		body := sealed(t, encryptKey, []byte(`{"header":{`+header+`,"event_type":"card.action.trigger","tenant_key":"t"},"event":{"operator":{"open_id":"o"}}}`))
		r := request(body, now, sign(encryptKey, now, body))
		_, _, err := channel(t, "", time.Now).Read(notify.Request{Method: http.MethodPost, Body: body, Header: r.Header, At: now})
		if !errors.Is(err, notify.ErrSender) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestToken: a token that the platform no longer takes is fetched anew, once.
func TestToken(t *testing.T) {
	t.Parallel()
	fetched, sent := 0, 0
	server := notifytest.NewServer(t, map[string]http.HandlerFunc{
		"/open-apis/auth/v3/tenant_access_token/internal": func(w http.ResponseWriter, _ *http.Request) {
			fetched++
			_, _ = w.Write([]byte(`{"code":0,"tenant_access_token":"t-` + strconv.Itoa(fetched) + `","expire":7200}`))
		},
		"/open-apis/im/v1/messages": func(w http.ResponseWriter, r *http.Request) {
			sent++
			if r.Header.Get("Authorization") != "Bearer t-2" {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = w.Write([]byte(`{"code":99991663,"msg":"token invalid"}`))
				return
			}
			_, _ = w.Write([]byte(`{"code":0,"data":{"message_id":"om_1"}}`))
		},
	})
	ch := channel(t, server.URL, time.Now)
	for range 2 {
		if ref, err := ch.Send(t.Context(), "d", notify.Card{Title: "t"}); err != nil || ref != "om_1" {
			t.Errorf("got %q, %v", ref, err)
		}
	}
	if fetched != 2 || sent != 3 {
		t.Errorf("%d tokens, %d messages", fetched, sent)
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	whole := feishu.Config{To: "oc", AppID: "a", AppSecret: "s", Now: time.Now}
	if _, err := feishu.New(whole); err != nil { // it shows, and decides nothing
		t.Error(err)
	}
	for name, change := range map[string]func(*feishu.Config){
		"no secret": func(c *feishu.Config) { c.AppSecret = "" }, "half a callback": func(c *feishu.Config) { c.EncryptKey = "k" },
		"the other half": func(c *feishu.Config) { c.VerificationToken = "v" }, "no such type": func(c *feishu.Config) { c.ToType = "everybody" },
		"plain http": func(c *feishu.Config) { c.API = "http://open.feishu.example" },
	} {
		c := whole
		change(&c)
		if _, err := feishu.New(c); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func FuzzDecrypt(f *testing.F) {
	f.Add("test key", "P37w+VZImNgPEO1RBhJ6RtKl7n6zymIbEG1pReEzghk=")
	f.Add("", "AAAA")
	f.Add("k", strings.Repeat("A", 64))
	f.Fuzz(func(t *testing.T, key, text string) {
		if out, ok := feishu.Decrypt(key, text); ok && len(out) >= len(text) {
			t.Errorf("%d bytes of %d", len(out), len(text))
		}
	})
}

func FuzzRead(f *testing.F) {
	now := time.Unix(1700000000, 0)
	ch := channel(f, "", time.Now)
	f.Add([]byte(`{"header":{"token":"v-token","app_id":"cli_1","event_type":"card.action.trigger","tenant_key":"t","event_id":"e"},"event":{"operator":{"open_id":"o"},"action":{"value":{"action":"approve","token":"t"}}}}`), true)
	f.Add([]byte(`{"type":"url_verification","token":"v-token","challenge":"c"}`), false)
	f.Add([]byte(`{"event":{"action":{"value":"text"}}}`), true)
	f.Fuzz(func(t *testing.T, text []byte, signed bool) {
		body := sealed(t, encryptKey, text)
		r := request(body, now, "")
		if signed {
			r = request(body, now, sign(encryptKey, now, body))
		}
		click, reply, err := ch.Read(notify.Request{Method: http.MethodPost, Body: body, Header: r.Header, At: now})
		if !signed && err == nil && reply == nil {
			t.Errorf("believed without a signature: %+v", click)
		}
		if _, _, err := ch.Read(notify.Request{Method: http.MethodPost, Body: text, Header: r.Header, At: now}); err == nil && signed {
			t.Errorf("believed with the signature of another body: %q", text)
		}
	})
}
