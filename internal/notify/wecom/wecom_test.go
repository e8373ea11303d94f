// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package wecom_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/toolverdict/toolverdict/internal/notify"
	"github.com/toolverdict/toolverdict/internal/notify/cipher"
	"github.com/toolverdict/toolverdict/internal/notify/notifytest"
	"github.com/toolverdict/toolverdict/internal/notify/wecom"
	"github.com/toolverdict/toolverdict/internal/store/memory"
)

var update = flag.Bool("update", false, "write the cards of testdata anew")

// The example of https://developer.work.weixin.qq.com/document/path/90968.
const (
	corp   = "wx5823bf96d3bd56c7"
	token  = "QDG6eK"
	aesKey = "jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C"
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

// platform is WeCom.
type platform struct {
	*notifytest.Server
	notifytest.Mail
	channel *wecom.Channel
}

func open(t testing.TB, now func() time.Time) notifytest.Platform {
	t.Helper()
	p := &platform{}
	p.Server = notifytest.NewServer(t, map[string]http.HandlerFunc{
		"GET /cgi-bin/gettoken": func(w http.ResponseWriter, r *http.Request) {
			if r.FormValue("corpid") != corp || r.FormValue("corpsecret") != "s" {
				t.Errorf("asked for a token with %v", r.Form)
			}
			_, _ = w.Write([]byte(`{"errcode":0,"errmsg":"ok","access_token":"t-1","expires_in":7200}`))
		},
		"POST /cgi-bin/message/send": func(w http.ResponseWriter, r *http.Request) {
			var m struct {
				Touser, Msgtype string
				Agentid         int
				TemplateCard    json.RawMessage `json:"template_card"`
				Text            struct{ Content string }
			}
			if err := json.NewDecoder(r.Body).Decode(&m); err != nil || r.FormValue("access_token") != "t-1" || m.Agentid != 1000002 {
				t.Errorf("%+v, %v", m, err)
			}
			switch {
			case m.Msgtype == "template_card" && m.Touser == "alice|bob":
				p.Show(m.TemplateCard)
				_, _ = w.Write([]byte(`{"errcode":0,"errmsg":"ok","msgid":"m","response_code":"rc-1"}`))
			case m.Msgtype == "text":
				p.Put(m.Text.Content)
				_, _ = w.Write([]byte(`{"errcode":0,"errmsg":"ok","msgid":"m"}`))
			default:
				t.Errorf("%+v", m)
			}
		},
		"POST /cgi-bin/message/update_template_card": func(w http.ResponseWriter, r *http.Request) {
			var m struct {
				Atall, Agentid int
				ResponseCode   string `json:"response_code"`
				Button         struct {
					ReplaceName string `json:"replace_name"`
				}
			}
			if err := json.NewDecoder(r.Body).Decode(&m); err != nil || m.Atall != 1 || m.Agentid != 1000002 || m.ResponseCode != "rc-1" || m.Button.ReplaceName == "" {
				t.Errorf("%+v, %v", m, err)
			}
			var card map[string]any
			if err := json.Unmarshal(p.Shown(), &card); err != nil {
				t.Error(err)
			}
			card["button_list"] = []any{}
			card["replace_text"] = m.Button.ReplaceName
			shown, err := json.Marshal(card)
			if err != nil {
				t.Error(err)
			}
			p.Show(shown)
			_, _ = w.Write([]byte(`{"errcode":0,"errmsg":"ok"}`))
		},
	})
	p.channel = channel(t, p.URL, now)
	return p
}

func channel(t testing.TB, api string, now func() time.Time) *wecom.Channel {
	t.Helper()
	ch, err := wecom.New(wecom.Config{
		To: []string{"alice", "bob"}, CorpID: corp, AgentID: 1000002, Secret: "s", Token: token, EncodingAESKey: aesKey, API: api,
		Now: now, Random: func(b []byte) { copy(b, "0123456789abcdef") },
	})
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

func (p *platform) Channel() notify.Channel   { return p.channel }
func (p *platform) Account(who string) string { return corp + "/" + who }

func (p *platform) Token() string {
	var card struct {
		Buttons []struct{ Key string } `json:"button_list"`
	}
	_ = json.Unmarshal(p.Shown(), &card)
	for _, b := range card.Buttons {
		if _, token, ok := strings.Cut(b.Key, "."); ok {
			return token
		}
	}
	return ""
}

func (p *platform) Press(t testing.TB, gate *notify.Service, press notifytest.Press) notifytest.Told {
	// The event id is not the platform's: its time and what was pressed are. Two
	// presses within a second are two where a test says so.
	event := fmt.Sprintf(`<xml><ToUserName><![CDATA[%s]]></ToUserName><FromUserName><![CDATA[%s]]></FromUserName><CreateTime>%d</CreateTime>
<MsgType><![CDATA[event]]></MsgType><Event><![CDATA[template_card_event]]></Event><EventKey><![CDATA[%s.%s]]></EventKey>
<TaskId><![CDATA[%s]]></TaskId><CardType><![CDATA[button_interaction]]></CardType><ResponseCode><![CDATA[rc-2]]></ResponseCode><AgentID>1000002</AgentID></xml>`,
		corp, press.Who, press.At.Unix(), press.Vote, press.Token, press.Event)
	sealed, err := p.channel.Encrypt([]byte(event))
	if err != nil {
		t.Fatal(err)
	}
	key := token
	switch press.Forge {
	case notifytest.WrongKey:
		key = "another"
	case notifytest.Malformed:
		sealed = base64.StdEncoding.EncodeToString(make([]byte, 64))
	case notifytest.Honest, notifytest.Tampered, notifytest.Oversized:
	}
	stamp := strconv.FormatInt(press.At.Unix(), 10)
	query := url.Values{"timestamp": {stamp}, "nonce": {"n"}, "msg_signature": {hex.EncodeToString(wecom.Sign(key, stamp, "n", sealed))}}
	if press.Forge == notifytest.Tampered {
		sealed = "A" + sealed[1:]
	}
	body := fmt.Sprintf("<xml><ToUserName><![CDATA[%s]]></ToUserName><AgentID><![CDATA[1000002]]></AgentID><Encrypt><![CDATA[%s]]></Encrypt></xml>", corp, sealed)
	if press.Forge == notifytest.Oversized {
		body += strings.Repeat(" ", 70<<10)
	}
	r := httptest.NewRequest(http.MethodPost, notify.CallbackPath+notifytest.ChannelName+"?"+query.Encode(), strings.NewReader(body))
	w := notifytest.Deliver(t, gate, r)
	switch {
	case w.Code != http.StatusOK:
		return notifytest.Told{Refused: true}
	case w.Body.Len() == 0:
		return notifytest.Told{Text: p.Take(t)}
	}
	return notifytest.Told{Ended: true, Text: p.opened(t, w.Body.Bytes())}
}

// opened reads a passive reply as the platform does.
func (p *platform) opened(t testing.TB, body []byte) string {
	t.Helper()
	var e struct{ Encrypt, MsgSignature, TimeStamp, Nonce string }
	if err := xml.Unmarshal(body, &e); err != nil {
		t.Fatal(err)
	}
	if want := hex.EncodeToString(wecom.Sign(token, e.TimeStamp, e.Nonce, e.Encrypt)); e.MsgSignature != want {
		t.Errorf("the reply's signature is %s, not %s", e.MsgSignature, want)
	}
	key, err := wecom.KeyOf(aesKey)
	if err != nil {
		t.Fatal(err)
	}
	message, receiver, ok := wecom.Decrypt(key, e.Encrypt)
	var changed struct {
		MsgType string
		Button  struct{ ReplaceName string }
	}
	if err := xml.Unmarshal(message, &changed); err != nil || !ok || receiver != corp || changed.MsgType != "update_button" || changed.Button.ReplaceName == "" {
		t.Errorf("reply %s for %s, %v", message, receiver, err)
	}
	return changed.Button.ReplaceName
}

// Harmless holds a card to the platform's limits.
func (p *platform) Harmless(t testing.TB, shown []byte) {
	var card struct {
		Title   struct{ Title string }            `json:"main_title"`
		Text    string                            `json:"sub_title_text"`
		Lines   []struct{ Keyname, Value string } `json:"horizontal_content_list"`
		Task    string                            `json:"task_id"`
		Buttons []struct{ Text string }           `json:"button_list"`
	}
	if err := json.Unmarshal(shown, &card); err != nil {
		t.Fatal(err)
	}
	if len([]rune(card.Title.Title)) > 36 || len([]rune(card.Text)) > 160 || len(card.Lines) > 6 || len(card.Buttons) > 6 || len(card.Task) > 128 {
		t.Errorf("too much: %+v", card)
	}
	for _, l := range card.Lines {
		if len([]rune(l.Value)) > 30 || l.Value == "" {
			t.Errorf("line %+v", l)
		}
	}
}

// TestDocumentedMessages are the examples of
// https://developer.work.weixin.qq.com/document/path/90968.
func TestDocumentedMessages(t *testing.T) {
	t.Parallel()
	const message = "RypEvHKD8QQKFhvQ6QleEB4J58tiPdvo+rtK1I9qca6aM/wvqnLSV5zEPeusUiX5L5X/0lWfrf0QADHHhGd3QczcdCUpj911L3vg3W/sYYvuJTs3TUUkSUXxaccAS0qhxchrRYt66wiSpGLYL42aM6A8dTT+6k4aSknmPj48kzJs8qLjvd4Xgpue06DOdnLxAUHzM6+kDZ+HMZfJYuR+LtwGc2hgf5gsijff0ekUNXZiqATP7PF5mZxZ3Izoun1s4zG4LUMnvw2r+KqCKIw+3IQH03v+BCA9nMELNqbSf6tiWSrXJB3LAVGUcallcrw8V2t9EL4EhzJWrQUax5wLVMNS0+rUPA3k22Ncx4XXZS9o0MBH27Bo6BpNelZpS+/uh9KsNlY6bHCmJU9p8g7m3fVKn28H3KDYA5Pl/T8Z1ptDAVe0lXdQ2YoyyH2uyPIGHBZZIs2pDBS8R07+qN+E7Q=="
	if got := hex.EncodeToString(wecom.Sign(token, "1409659813", "1372623149", message)); got != "477715d11cdb4164915debcba66cb864d751f3e6" {
		t.Errorf("signature %s", got)
	}
	key, err := wecom.KeyOf(aesKey)
	if err != nil {
		t.Fatal(err)
	}
	text, receiver, ok := wecom.Decrypt(key, message)
	if !ok || receiver != corp || !bytes.Contains(text, []byte("<Content><![CDATA[hello]]></Content>")) {
		t.Errorf("got %q for %q", text, receiver)
	}
	// The check of an address.
	ch := channel(t, "", time.Now)
	const echo = "P9nAzCzyDtyTWESHep1vC5X9xho/qYX3Zpb4yKa9SKld1DsH3Iyt3tP3zNdtp+4RPcs8TgAE7OaBO+FZXvnaqQ=="
	r := notify.Request{Method: http.MethodGet, At: time.Unix(1409659589, 0), Query: url.Values{
		"msg_signature": {"5c45ff5e21c57e6ad56bac8758b79b1d9ac89fd3"}, "timestamp": {"1409659589"}, "nonce": {"263014780"}, "echostr": {echo},
	}}
	if _, reply, err := ch.Read(r); err != nil || reply == nil || string(reply.Body) != "1616140317555161061" {
		t.Errorf("address check: %v, %v", reply, err)
	}
	r.At = r.At.Add(time.Hour)
	if _, _, err := ch.Read(r); !errors.Is(err, notify.ErrAge) {
		t.Errorf("an hour later: %v", err)
	}
}

// TestBounds: a message that lies about its own length, or that is too short,
// takes nothing down.
func TestBounds(t *testing.T) {
	t.Parallel()
	key, err := wecom.KeyOf(aesKey)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{
		"too long":    append(make([]byte, 16), 0xff, 0xff, 0xff, 0xff, 'x'),
		"one too far": append(make([]byte, 16), 0, 0, 0, 2, 'x'),
		"no length":   make([]byte, 17),
		"nothing":     nil,
	} {
		sealed, err := cipher.Seal(key, key[:16], text, 32)
		if err != nil {
			t.Fatal(err)
		}
		if message, receiver, ok := wecom.Decrypt(key, base64.StdEncoding.EncodeToString(sealed)); ok {
			t.Errorf("%s: %q for %q", name, message, receiver)
		}
	}
}

// TestSender: what is signed and meant for another organisation or application
// is refused; an event that is no press is nobody's business.
func TestSender(t *testing.T) {
	t.Parallel()
	now := time.Unix(1700000000, 0)
	other, err := wecom.New(wecom.Config{
		To: []string{"a"}, CorpID: "another", AgentID: 1, Secret: "s", Token: token, EncodingAESKey: aesKey, Now: time.Now, Random: func([]byte) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	mine := channel(t, "", time.Now)
	press := "<xml><FromUserName>a</FromUserName><CreateTime>1700000000</CreateTime><MsgType>event</MsgType><Event>template_card_event</Event><EventKey>approve.t</EventKey><AgentID>%d</AgentID></xml>"
	for name, c := range map[string]struct {
		by      *wecom.Channel
		message string
		want    error
	}{
		"another organisation": {other, fmt.Sprintf(press, 1000002), notify.ErrSender},
		"another application":  {mine, fmt.Sprintf(press, 7), notify.ErrSender},
		"another event":        {mine, "<xml><MsgType>event</MsgType><Event>enter_agent</Event></xml>", nil},
		"no XML":               {mine, "hello", notify.ErrForm},
		"an honest press":      {mine, fmt.Sprintf(press, 1000002), nil},
	} {
		sealed, err := c.by.Encrypt([]byte(c.message))
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = mine.Read(notify.Request{
			Method: http.MethodPost, At: now, Body: []byte("<xml><Encrypt>" + sealed + "</Encrypt></xml>"),
			Query: url.Values{"timestamp": {"1700000000"}, "nonce": {"n"}, "msg_signature": {hex.EncodeToString(wecom.Sign(token, "1700000000", "n", sealed))}},
		})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOldPressWithItsTextsSwapped: the platform signs a time and a nonce as a set,
// so that one passes for the other. How old a press is, is told inside of it.
func TestOldPressWithItsTextsSwapped(t *testing.T) {
	t.Parallel()
	mine := channel(t, "", time.Now)
	sealed, err := mine.Encrypt([]byte("<xml><FromUserName>a</FromUserName><CreateTime>1700000000</CreateTime><MsgType>event</MsgType>" +
		"<Event>template_card_event</Event><EventKey>approve.t</EventKey><AgentID>1000002</AgentID></xml>"))
	if err != nil {
		t.Fatal(err)
	}
	const stamp, nonce = "1700000000", "1700009999"
	signature := hex.EncodeToString(wecom.Sign(token, stamp, nonce, sealed))
	for at, c := range map[int64]struct {
		stamp, nonce string
		want         error
	}{
		1700000000: {stamp, nonce, nil}, 1700009999: {nonce, stamp, notify.ErrAge},
	} {
		_, _, err := mine.Read(notify.Request{
			Method: http.MethodPost, At: time.Unix(at, 0), Body: []byte("<xml><Encrypt>" + sealed + "</Encrypt></xml>"),
			Query: url.Values{"timestamp": {c.stamp}, "nonce": {c.nonce}, "msg_signature": {signature}},
		})
		if !errors.Is(err, c.want) {
			t.Errorf("at %d: %v, want %v", at, err, c.want)
		}
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	whole := wecom.Config{To: []string{"a"}, CorpID: "c", AgentID: 1, Secret: "s", Now: time.Now, Random: func([]byte) {}}
	if _, err := wecom.New(whole); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*wecom.Config){
		"no secret": func(c *wecom.Config) { c.Secret = "" }, "everybody": func(c *wecom.Config) { c.To = []string{"@all"} },
		"two in one": func(c *wecom.Config) { c.To = []string{"a|@all"} }, "half a callback": func(c *wecom.Config) { c.Token = "t" },
		"short key": func(c *wecom.Config) { c.Token, c.EncodingAESKey = "t", "AAAA" },
	} {
		c := whole
		change(&c)
		if _, err := wecom.New(c); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func FuzzDecrypt(f *testing.F) {
	key, err := wecom.KeyOf(aesKey)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte("0123456789abcdef\x00\x00\x00\x05helloid"), true)
	f.Add([]byte("0123456789abcdef\xff\xff\xff\xff"), true)
	f.Add([]byte{}, true)
	f.Add(make([]byte, 48), false)
	f.Fuzz(func(t *testing.T, text []byte, honest bool) {
		if honest {
			if text, err = cipher.Seal(key, key[:16], text, 32); err != nil {
				t.Fatal(err)
			}
		}
		message, receiver, ok := wecom.Decrypt(key, base64.StdEncoding.EncodeToString(text))
		if ok && len(message)+len(receiver)+20 > len(text) {
			t.Errorf("%d and %d bytes of %d", len(message), len(receiver), len(text))
		}
	})
}

func FuzzRead(f *testing.F) {
	ch := channel(f, "", time.Now)
	f.Add([]byte("<xml><FromUserName>a</FromUserName><CreateTime>1700000000</CreateTime><MsgType>event</MsgType><Event>template_card_event</Event><EventKey>approve.t</EventKey><AgentID>1000002</AgentID></xml>"), true)
	f.Add([]byte("<xml>"), true)
	f.Add([]byte("<xml><Encrypt>x</Encrypt></xml>"), false)
	f.Fuzz(func(t *testing.T, text []byte, honest bool) {
		body, signature := text, ""
		if honest {
			sealed, err := ch.Encrypt(text)
			if err != nil {
				t.Fatal(err)
			}
			body, signature = []byte("<xml><Encrypt>"+sealed+"</Encrypt></xml>"), hex.EncodeToString(wecom.Sign(token, "1700000000", "n", sealed))
		}
		click, _, err := ch.Read(notify.Request{Method: http.MethodPost, At: time.Unix(1700000000, 0), Body: body, Query: url.Values{
			"timestamp": {"1700000000"}, "nonce": {"n"}, "msg_signature": {signature},
		}})
		if !honest && err == nil {
			t.Errorf("believed: %+v", click)
		}
	})
}
