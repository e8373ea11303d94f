// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package webhook shows approvals to programs, as the Standard Webhooks
// specification has it (https://www.standardwebhooks.com): an event for each
// card, signed with a shared secret (v1), a private key (v1a), or both. Programs
// decide by an event of theirs, signed with other secrets.
package webhook

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/toolverdict/toolverdict/internal/notify"
	"github.com/toolverdict/toolverdict/internal/notify/caller"
	"github.com/toolverdict/toolverdict/internal/notify/words"
)

// Prefixes that the specification gives to keys.
const (
	secretPrefix  = "whsec_"
	privatePrefix = "whsk_"
	publicPrefix  = "whpk_"
)

// minSecret is the fewest bytes that the specification lets a secret have.
const minSecret = 24

// Config is what a channel is made of.
type Config struct {
	URL     string
	Secrets []string // whsec_: each signs; whsk_ signs with v1a
	Callers []string // whsec_ or whpk_: whose events decide; none: nothing is decided
	Now     func() time.Time
}

// Channel is one address. It is safe for concurrent use.
type Channel struct {
	url     string
	http    *http.Client
	signers []func(id string, at time.Time, body []byte) (string, error)
	callers []func(id string, at int64, body []byte, signature string) bool
	now     func() time.Time
}

var (
	_ notify.Channel  = (*Channel)(nil)
	_ notify.Receiver = (*Channel)(nil)
)

// New checks the address and the keys.
func New(c Config) (*Channel, error) {
	if err := caller.CheckURL(c.URL); err != nil {
		return nil, fmt.Errorf("webhook: url: %w", err)
	}
	if len(c.Secrets) == 0 || c.Now == nil {
		return nil, errors.New("webhook: a secret is needed: events that nobody signs could be anybody's")
	}
	ch := &Channel{url: c.URL, http: caller.HTTP(), now: c.Now}
	for i, text := range c.Secrets {
		sign, err := signer(text)
		if err != nil {
			return nil, fmt.Errorf("webhook: secret %d: %w", i+1, err)
		}
		ch.signers = append(ch.signers, sign)
	}
	for i, text := range c.Callers {
		if slices.Contains(c.Secrets, text) { // else an event of ours, sent back, would be believed
			return nil, fmt.Errorf("webhook: caller %d: its secret signs the gate's own events: use another one", i+1)
		}
		verify, err := verifier(text)
		if err != nil {
			return nil, fmt.Errorf("webhook: caller %d: %w", i+1, err)
		}
		ch.callers = append(ch.callers, verify)
	}
	return ch, nil
}

var errKey = errors.New("a key is wanted: whsec_ with base64 of 24 bytes or more, or whsk_ (to sign) or whpk_ (to verify) with an Ed25519 key")

func signer(text string) (func(string, time.Time, []byte) (string, error), error) {
	if encoded, ok := strings.CutPrefix(text, privatePrefix); ok {
		raw, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || len(raw) != ed25519.SeedSize && len(raw) != ed25519.PrivateKeySize {
			return nil, errKey
		}
		key := ed25519.NewKeyFromSeed(raw[:ed25519.SeedSize])
		if len(raw) == ed25519.PrivateKeySize && !bytes.Equal(key, raw) {
			return nil, errKey
		}
		return func(id string, at time.Time, body []byte) (string, error) {
			return "v1a," + base64.StdEncoding.EncodeToString(ed25519.Sign(key, signed(id, at.Unix(), body))), nil
		}, nil
	}
	hook, err := shared(text)
	if err != nil {
		return nil, err
	}
	return hook.Sign, nil
}

func verifier(text string) (func(string, int64, []byte, string) bool, error) {
	if encoded, ok := strings.CutPrefix(text, publicPrefix); ok {
		key, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || len(key) != ed25519.PublicKeySize {
			return nil, errKey
		}
		return func(id string, at int64, body []byte, signature string) bool {
			encoded, ok := strings.CutPrefix(signature, "v1a,")
			sig, err := base64.StdEncoding.DecodeString(encoded)
			return ok && err == nil && len(sig) == ed25519.SignatureSize && ed25519.Verify(key, signed(id, at, body), sig)
		}, nil
	}
	hook, err := shared(text)
	if err != nil {
		return nil, err
	}
	return func(id string, at int64, body []byte, signature string) bool {
		return hook.VerifyIgnoringTimestamp(body, http.Header{ // the age is looked at by the gate's own clock
			http.CanonicalHeaderKey(standard.HeaderWebhookID):        {id},
			http.CanonicalHeaderKey(standard.HeaderWebhookTimestamp): {strconv.FormatInt(at, 10)},
			http.CanonicalHeaderKey(standard.HeaderWebhookSignature): {signature},
		}) == nil
	}, nil
}

func shared(text string) (*standard.Webhook, error) {
	encoded, ok := strings.CutPrefix(text, secretPrefix)
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil || len(raw) < minSecret {
		return nil, errKey
	}
	return standard.NewWebhookRaw(raw)
}

func signed(id string, at int64, body []byte) []byte {
	return append([]byte(id+"."+strconv.FormatInt(at, 10)+"."), body...)
}

// event is what is sent.
type event struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Data      data      `json:"data"`
}

// data is a card as programs read it.
type data struct {
	Approval string `json:"approval"`
	State    string `json:"state"`
	Risk     string `json:"risk"`
	Title    string `json:"title"`
	Summary  string `json:"summary"`
	Facts    []fact `json:"facts,omitempty"`
	Note     string `json:"note,omitempty"`
	Link     string `json:"link"`
	Token    string `json:"token,omitempty"` // to decide with; there is none where the channel may not
}

type fact struct {
	Name  words.Word `json:"name"`
	Label string     `json:"label"`
	Text  string     `json:"text"`
}

func dataOf(c *notify.Card) data {
	d := data{
		Approval: c.ID, State: string(c.State), Risk: string(c.Risk), Title: c.Title, Summary: c.Summary,
		Note: c.Note, Link: c.Link, Token: c.Token,
	}
	for _, f := range c.Facts {
		d.Facts = append(d.Facts, fact(f))
	}
	return d
}

// Send implements [notify.Channel]. The event's id is the delivery's, so that a
// receiver drops what it has.
func (ch *Channel) Send(ctx context.Context, delivery string, c notify.Card) (string, error) {
	return delivery, ch.post(ctx, delivery+".asked", "approval.asked", c)
}

// Update implements [notify.Channel].
func (ch *Channel) Update(ctx context.Context, ref string, c notify.Card) error {
	return ch.post(ctx, ref+".ended", "approval.ended", c)
}

func (ch *Channel) post(ctx context.Context, id, kind string, c notify.Card) error {
	at := ch.now()
	body, err := json.Marshal(event{Type: kind, Timestamp: at.UTC().Truncate(time.Second), Data: dataOf(&c)})
	if err != nil {
		return fmt.Errorf("write event: %v", err)
	}
	var signatures []string
	for _, sign := range ch.signers {
		s, err := sign(id, at, body)
		if err != nil {
			return fmt.Errorf("sign event: %v", err)
		}
		signatures = append(signatures, s)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, ch.url, bytes.NewReader(body))
	if err != nil {
		return errors.New("write event: the address cannot be called")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(standard.HeaderWebhookID, id)
	req.Header.Set(standard.HeaderWebhookTimestamp, strconv.FormatInt(at.Unix(), 10))
	req.Header.Set(standard.HeaderWebhookSignature, strings.Join(signatures, " "))
	_, err = caller.Do(ch.http, req)
	return err
}
