// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package wecom

import (
	"context"
	"crypto/aes"
	"crypto/sha1" //nolint:gosec // the platform's choice: what it signs is encrypted, too
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict/internal/notify"
	"github.com/toolverdict/toolverdict/internal/notify/cipher"
)

// Form of what is encrypted: random bytes, the length of the message, the
// message, whom it is for.
const (
	randomBytes = 16
	lengthBytes = 4
	padBlock    = 32
)

// keyOf reads an EncodingAESKey: 43 characters of base64 without its last one.
func keyOf(encoded string) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(encoded + "=")
	if err != nil || len(key) != 32 {
		return nil, errors.New("wecom: encodingAESKey: the 43 characters of the application's callback settings are wanted")
	}
	return key, nil
}

// press is a callback of a card, decrypted.
type press struct {
	From    string `xml:"FromUserName"`
	Created string `xml:"CreateTime"`
	Type    string `xml:"MsgType"`
	Event   string `xml:"Event"`
	Key     string `xml:"EventKey"`
	Task    string `xml:"TaskId"`
	Agent   int64  `xml:"AgentID"`
}

// Read implements [notify.Receiver].
func (ch *Channel) Read(r notify.Request) (notify.Click, *notify.Reply, error) {
	if ch.key == nil {
		return notify.Click{}, nil, notify.ErrForm
	}
	sealed := r.Query.Get("echostr") // the check of an address
	if r.Method == http.MethodPost {
		var body struct {
			Encrypt string `xml:"Encrypt"`
		}
		if xml.Unmarshal(r.Body, &body) != nil {
			return notify.Click{}, nil, notify.ErrForm
		}
		sealed = body.Encrypt
	}
	stamp := r.Query.Get("timestamp")
	if sealed == "" || !ch.signed(stamp, r.Query.Get("nonce"), sealed, r.Query.Get("msg_signature")) {
		return notify.Click{}, nil, notify.ErrSignature
	}
	if err := notify.Fresh(stamp, r.At); err != nil {
		return notify.Click{}, nil, err
	}
	message, receiver, ok := decrypt(ch.key, sealed)
	switch {
	case !ok:
		return notify.Click{}, nil, notify.ErrForm
	case subtle.ConstantTimeCompare([]byte(receiver), []byte(ch.c.CorpID)) != 1:
		return notify.Click{}, nil, notify.ErrSender
	case r.Method == http.MethodGet:
		return notify.Click{}, &notify.Reply{Status: http.StatusOK, Type: "text/plain; charset=utf-8", Body: message}, nil
	}
	return ch.read(message, r.At)
}

func (ch *Channel) read(message []byte, now time.Time) (notify.Click, *notify.Reply, error) {
	var p press
	if xml.Unmarshal(message, &p) != nil {
		return notify.Click{}, nil, notify.ErrForm
	}
	if p.Type != "event" || p.Event != "template_card_event" {
		return notify.Click{}, &notify.Reply{Status: http.StatusOK}, nil // nothing is asked of us
	}
	if p.Agent != ch.c.AgentID {
		return notify.Click{}, nil, notify.ErrSender
	}
	vote, token, ok := strings.Cut(p.Key, ".")
	if !ok || p.From == "" || p.Created == "" {
		return notify.Click{}, nil, notify.ErrForm
	}
	// The signature is over the sorted texts: an old time and a nonce that looks
	// like a time of now could change places. What is encrypted has one reading.
	if err := notify.Fresh(p.Created, now); err != nil {
		return notify.Click{}, nil, err
	}
	return notify.Click{
		Event: strings.Join([]string{p.From, p.Created, p.Task, p.Key}, "\n"), Operator: ch.c.CorpID + "/" + p.From,
		Token: token, Vote: notify.Vote(vote), Back: [2]string{p.From},
	}, nil, nil
}

func (ch *Channel) signed(stamp, nonce, sealed, given string) bool {
	sum, err := hex.DecodeString(given)
	return err == nil && subtle.ConstantTimeCompare(sign(ch.c.Token, stamp, nonce, sealed), sum) == 1
}

// sign digests the sorted texts.
func sign(texts ...string) []byte {
	slices.Sort(texts)
	sum := sha1.Sum([]byte(strings.Join(texts, ""))) //nolint:gosec // the platform's choice
	return sum[:]
}

// decrypt opens base64 of a message and whom it is for. The length that it
// tells of itself is held to what there is.
func decrypt(key []byte, sealed string) (message []byte, receiver string, ok bool) {
	raw, err := base64.StdEncoding.Strict().DecodeString(sealed)
	if err != nil {
		return nil, "", false
	}
	text, err := cipher.Open(key, key[:aes.BlockSize], raw, padBlock)
	if err != nil || len(text) < randomBytes+lengthBytes {
		return nil, "", false
	}
	size := uint64(binary.BigEndian.Uint32(text[randomBytes:]))
	text = text[randomBytes+lengthBytes:]
	if size > uint64(len(text)) {
		return nil, "", false
	}
	return text[:size], string(text[size:]), true
}

// encrypt is the way back.
func (ch *Channel) encrypt(message []byte) (string, error) {
	text := make([]byte, randomBytes, randomBytes+lengthBytes+len(message)+len(ch.c.CorpID))
	ch.c.Random(text)
	text = binary.BigEndian.AppendUint32(text, uint32(len(message))) //nolint:gosec // a few hundred bytes of our own
	text = append(append(text, message...), ch.c.CorpID...)
	sealed, err := cipher.Seal(ch.key, ch.key[:aes.BlockSize], text, padBlock)
	return base64.StdEncoding.EncodeToString(sealed), err
}

// changed is the passive reply that has the buttons give way to a line, for the
// one who pressed. Everybody else's change by an update.
type changed struct {
	XMLName xml.Name `xml:"xml"`
	To      string   `xml:"ToUserName"`
	From    string   `xml:"FromUserName"`
	Created int64    `xml:"CreateTime"`
	Type    string   `xml:"MsgType"`
	Name    string   `xml:"Button>ReplaceName"`
}

// envelope is a reply, encrypted.
type envelope struct {
	XMLName   xml.Name `xml:"xml"`
	Encrypt   string   `xml:"Encrypt"`
	Signature string   `xml:"MsgSignature"`
	Stamp     string   `xml:"TimeStamp"`
	Nonce     string   `xml:"Nonce"`
}

// Reply implements [notify.Receiver]. What came of a click is told to the one
// who pressed as a message, unless the card says it.
func (ch *Channel) Reply(c notify.Click, a notify.Answer) notify.Reply {
	r := notify.Reply{Status: http.StatusOK}
	if a.Card == nil {
		r.After = func(ctx context.Context) error {
			var out said
			return ch.call(ctx, "/cgi-bin/message/send", object{
				"touser": c.Back[0], "msgtype": "text", "agentid": ch.c.AgentID, "text": object{"content": a.Full()},
			}, &out, &out.Code)
		}
		return r
	}
	now := ch.c.Now().Unix()
	body, err := xml.Marshal(changed{To: c.Back[0], From: ch.c.CorpID, Created: now, Type: "update_button", Name: ending(a.Card)})
	if err != nil {
		return notify.Reply{Status: http.StatusInternalServerError}
	}
	sealed, err := ch.encrypt(body)
	if err != nil {
		return notify.Reply{Status: http.StatusInternalServerError}
	}
	nonce := make([]byte, 8)
	ch.c.Random(nonce)
	e := envelope{Encrypt: sealed, Stamp: strconv.FormatInt(now, 10), Nonce: hex.EncodeToString(nonce)}
	e.Signature = hex.EncodeToString(sign(ch.c.Token, e.Stamp, e.Nonce, sealed))
	if r.Body, err = xml.Marshal(e); err != nil {
		return notify.Reply{Status: http.StatusInternalServerError}
	}
	r.Type = "text/xml; charset=utf-8"
	return r
}
