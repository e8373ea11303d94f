// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package notify

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/shelf"
)

// Kinds of rows. Cards are one kind for each channel.
const (
	cardKind  = "notify/card/"
	tokenKind = "notify/token"
	eventKind = "notify/event"
	stateKind = "notify/channel"
	linkKind  = "notify/link"
	offerKind = "notify/offer"
)

// delivery is one card in one channel, from when an approval is first seen until
// its end was shown.
type delivery struct {
	Approval string    `json:"approval"`
	Created  time.Time `json:"created"`
	Salt     string    `json:"salt"`          // makes the token, with a key that is not in the store
	Ref      string    `json:"ref,omitempty"` // finds the message; "" until it was sent
	Attempts int       `json:"attempts,omitempty"`
	Next     time.Time `json:"next,omitzero"` // not before then; zero where nothing is to be done
	Error    string    `json:"error,omitempty"`

	row shelf.Row
}

// rowKey puts older approvals first.
func rowKey(a *tv.Approval) string { return fmt.Sprintf("%016x-%s", a.Created.UnixMicro(), a.ID) }

func decodeDelivery(row shelf.Row) (delivery, error) {
	d := delivery{row: row}
	if err := json.Unmarshal(row.Body, &d); err != nil {
		return d, fmt.Errorf("read delivery: %v", err)
	}
	return d, nil
}

// change is the row as it is to be written.
func (d *delivery) change() (shelf.Change, error) {
	body, err := json.Marshal(d)
	if err != nil {
		return shelf.Change{}, fmt.Errorf("write delivery: %v", err)
	}
	row := d.row
	row.Body, row.Due = body, d.Next
	return shelf.Change{From: d.row.Revision, Row: row}, nil
}

// save writes the row where nobody else did meanwhile.
func (d *delivery) save(ctx context.Context, s shelf.Shelf) error {
	c, err := d.change()
	if err != nil {
		return err
	}
	if err := s.Shelve(ctx, []shelf.Change{c}); err != nil {
		return err
	}
	d.row.Revision++
	return nil
}

func (d *delivery) drop(ctx context.Context, s shelf.Shelf) error {
	return s.Shelve(ctx, []shelf.Change{{From: d.row.Revision, Row: shelf.Row{Kind: d.row.Kind, Key: d.row.Key}, Drop: true}})
}

// button is whose token it is.
type button struct {
	Approval string `json:"approval"`
	Channel  string `json:"channel"`
}

// keepToken is how long after its approval's end a button is still known, so
// that who presses it late is told what came of it.
const keepToken = 24 * time.Hour

// begin writes down that an approval is to be shown in a channel, and whose
// button its token will be.
func (l *lane) begin(ctx context.Context, a *tv.Approval) error {
	kind, key := cardKind+l.Name, rowKey(a)
	there, err := l.s.Store.Row(ctx, kind, key)
	if err != nil || there.Revision > 0 {
		return err
	}
	d := delivery{Approval: a.ID, Created: a.Created, Salt: rand.Text(), Next: l.s.Now(), row: there}
	card, err := d.change()
	if err != nil {
		return err
	}
	body, err := json.Marshal(button{a.ID, l.Name})
	if err != nil {
		return fmt.Errorf("write button: %v", err)
	}
	token := shelf.Row{Kind: tokenKind, Key: hashed(l.token(&d)), Due: a.Expires.Add(keepToken), Body: body}
	err = l.s.Store.Shelve(ctx, []shelf.Change{card, {Row: token}})
	if _, ok := errors.AsType[*tv.ConflictError](err); ok {
		return nil // another gate was quicker
	}
	return err
}

// token is that of a card's buttons: 128 bits that nobody without the key can
// guess, the same each time the card is sent, and kept nowhere but as a digest.
func (l *lane) token(d *delivery) string {
	h := hmac.New(sha256.New, l.s.Key)
	for _, part := range []string{"toolverdict button v1", l.Name, d.Approval, d.Salt} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(h.Sum(nil)[:16]))
}

// name is what a platform knows a card by.
func (l *lane) name(d *delivery) string {
	sum := sha256.Sum256([]byte(l.Name + "/" + d.Approval + "/" + d.Salt))
	return "tv-" + hex.EncodeToString(sum[:16])
}

func hashed(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
