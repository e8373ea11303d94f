// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package feishu

import (
	"context"
	"crypto/aes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"

	"github.com/toolverdict/toolverdict/internal/notify"
	"github.com/toolverdict/toolverdict/internal/notify/cipher"
)

// event is a callback of the second form, decrypted, or the check of an address.
type event struct {
	Type      string `json:"type"` // of a check
	Token     string `json:"token"`
	Challenge string `json:"challenge"`
	Header    struct {
		EventID   string `json:"event_id"`
		EventType string `json:"event_type"`
		Token     string `json:"token"`
		TenantKey string `json:"tenant_key"`
		AppID     string `json:"app_id"`
	} `json:"header"`
	Event struct {
		Operator struct {
			OpenID string `json:"open_id"`
		} `json:"operator"`
		Action struct {
			Value struct {
				Action string `json:"action"`
				Token  string `json:"token"`
			} `json:"value"`
		} `json:"action"`
	} `json:"event"`
}

// Read implements [notify.Receiver].
func (ch *Channel) Read(r notify.Request) (notify.Click, *notify.Reply, error) {
	if r.Method != http.MethodPost || ch.c.EncryptKey == "" {
		return notify.Click{}, nil, notify.ErrForm
	}
	given, stamp := r.Header.Get("X-Lark-Signature"), r.Header.Get("X-Lark-Request-Timestamp")
	if given != "" && !ch.signed(stamp, r.Header.Get("X-Lark-Request-Nonce"), r.Body, given) {
		return notify.Click{}, nil, notify.ErrSignature
	}
	if given != "" {
		if err := notify.Fresh(stamp, r.At); err != nil {
			return notify.Click{}, nil, err
		}
	}
	e, ok := ch.open(r.Body)
	asks := ok && e.Type == "url_verification" // comes without a signature: the token is what vouches for it
	switch {
	case asks && same(e.Token, ch.c.VerificationToken):
		return notify.Click{}, reply(map[string]string{"challenge": e.Challenge}), nil
	case given == "": // one answer, whatever it decrypts to: a stranger could read by the difference
		return notify.Click{}, nil, notify.ErrSignature
	case !ok:
		return notify.Click{}, nil, notify.ErrForm
	case asks:
		return notify.Click{}, nil, notify.ErrSender
	case !same(e.Header.Token, ch.c.VerificationToken) || e.Header.AppID != ch.c.AppID:
		return notify.Click{}, nil, notify.ErrSender
	case e.Header.EventType != "card.action.trigger" || e.Header.TenantKey == "" || e.Event.Operator.OpenID == "":
		return notify.Click{}, nil, notify.ErrForm
	}
	return notify.Click{
		Event: e.Header.EventID, Operator: e.Header.TenantKey + "/" + e.Event.Operator.OpenID,
		Token: e.Event.Action.Value.Token, Vote: notify.Vote(e.Event.Action.Value.Action), Back: [2]string{e.Event.Operator.OpenID},
	}, nil, nil
}

// signed checks the signature over time, nonce, key and raw body.
func (ch *Channel) signed(stamp, nonce string, body []byte, given string) bool {
	sum, err := hex.DecodeString(given)
	if err != nil {
		return false
	}
	h := sha256.New()
	h.Write([]byte(stamp + nonce + ch.c.EncryptKey))
	h.Write(body)
	return subtle.ConstantTimeCompare(h.Sum(nil), sum) == 1
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// open decrypts a body. One that is not encrypted is not the platform's: it
// encrypts everything where there is a key.
func (ch *Channel) open(body []byte) (event, bool) {
	var e event
	var sealed struct {
		Encrypt string `json:"encrypt"`
	}
	if json.Unmarshal(body, &sealed) != nil {
		return e, false
	}
	text, ok := decrypt(ch.c.EncryptKey, sealed.Encrypt)
	return e, ok && json.Unmarshal(text, &e) == nil
}

// decrypt opens base64 of an initial vector and a text that are sealed with the
// digest of the key.
func decrypt(key, sealed string) ([]byte, bool) {
	raw, err := base64.StdEncoding.Strict().DecodeString(sealed)
	if err != nil || len(raw) < 2*aes.BlockSize {
		return nil, false
	}
	sum := sha256.Sum256([]byte(key))
	text, err := cipher.Open(sum[:], raw[:aes.BlockSize], raw[aes.BlockSize:], aes.BlockSize)
	return text, err == nil
}

// Reply implements [notify.Receiver]: a line that only the one who pressed sees,
// and the card as it is now. A link goes to them alone, as a message: nobody can
// open one in a line that vanishes.
func (ch *Channel) Reply(c notify.Click, a notify.Answer) notify.Reply {
	kind := "warning"
	if a.Counted {
		kind = "success"
	}
	body := object{"toast": object{"type": kind, "content": a.Text}}
	if a.Card != nil {
		body["card"] = object{"type": "raw", "data": card(a.Card)}
	}
	r := reply(body)
	if a.Link != "" {
		r.After = func(ctx context.Context) error {
			content, err := json.Marshal(map[string]string{"text": a.Full()})
			if err != nil {
				return err
			}
			_, err = ch.message(ctx, "open_id", map[string]string{"receive_id": c.Back[0], "msg_type": "text", "content": string(content)})
			return err
		}
	}
	return *r
}

func reply(v any) *notify.Reply {
	body, err := json.Marshal(v)
	if err != nil {
		return &notify.Reply{Status: http.StatusInternalServerError}
	}
	return &notify.Reply{Status: http.StatusOK, Type: "application/json", Body: body}
}
