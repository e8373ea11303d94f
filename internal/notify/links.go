// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package notify

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/shelf"
)

// LinkPath is where an account is linked to a person: the path and a code.
const LinkPath = "/console/link/"

const (
	offerFor  = 10 * time.Minute
	maxOffers = 500 // that are open at once, of all channels
)

// Errors of links that a caller can tell apart.
var (
	ErrNoOffer = errors.New("this link is not known, was used, or is too old: press a button in the chat again to get a new one")
	ErrTaken   = errors.New("this account is linked to somebody else: they, or an administrator, must take that away first")
	ErrNobody  = errors.New("only a person who is signed in can be linked")
)

// Account is somebody in a channel, as its platform vouches for them.
type Account struct {
	Channel  string `json:"channel"`
	Operator string `json:"operator"`
	Name     string `json:"name,omitempty"` // as the platform calls them
}

// Link says whose an account is.
type Link struct {
	Account
	Subject string    `json:"subject"`
	Since   time.Time `json:"since"`
}

// kept is a link as it is kept: with what stood for its person and their password
// when they made it. It ends with either, so that nobody who had the name before, or
// the password for a while, goes on voting under it.
type kept struct {
	Link
	Stamp string `json:"stamp"`
}

// Links knows which account of which channel is which person. An account whose
// click was verified is offered a link, once; whoever signs in and follows it in
// time is the person. It is safe for concurrent use.
type Links struct {
	store  Store
	now    func() time.Time
	person Person
}

// Offer makes a one-time code for an account. It takes the place of an earlier
// one of the same account.
func (s *Links) Offer(ctx context.Context, a Account) (string, error) {
	open, err := s.store.Rows(ctx, shelf.Query{Kind: offerKind, Limit: maxOffers + 1})
	if err != nil {
		return "", err
	}
	var changes []shelf.Change
	for _, row := range open {
		var other Account
		if err := json.Unmarshal(row.Body, &other); err != nil {
			return "", fmt.Errorf("read offer: %v", err)
		}
		if other.Channel == a.Channel && other.Operator == a.Operator || !s.now().Before(row.Due) {
			changes = append(changes, shelf.Change{From: row.Revision, Row: row, Drop: true})
		}
	}
	if len(open)-len(changes) >= maxOffers {
		return "", errors.New("offer link: too many accounts wait to be linked: try again in ten minutes")
	}
	body, err := json.Marshal(a)
	if err != nil {
		return "", fmt.Errorf("offer link: %v", err)
	}
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the process instead
	code := strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b[:]))
	row := shelf.Row{Kind: offerKind, Key: hashed(code), Due: s.now().Add(offerFor), Body: body}
	return code, s.store.Shelve(ctx, append(changes, shelf.Change{Row: row}))
}

// Offered tells which account a code would link, for a person to look at before
// they do.
func (s *Links) Offered(ctx context.Context, code string) (Account, error) {
	a, _, err := s.offered(ctx, code)
	return a, err
}

func (s *Links) offered(ctx context.Context, code string) (Account, shelf.Row, error) {
	var a Account
	row, err := s.store.Row(ctx, offerKind, hashed(code))
	if err != nil {
		return a, row, err
	}
	if row.Revision == 0 || !s.now().Before(row.Due) {
		return a, row, ErrNoOffer
	}
	if err := json.Unmarshal(row.Body, &a); err != nil {
		return a, row, fmt.Errorf("read offer: %v", err)
	}
	return a, row, nil
}

// Accept links the account of a code to the person who is signed in, with a
// record. The code is used up.
func (s *Links) Accept(ctx context.Context, by tv.Subject, code string) (Link, error) {
	known, stamp, err := s.person(ctx, by.ID)
	if errors.Is(err, tv.ErrNotFound) || by.Kind != tv.Person || err == nil && known.Kind != tv.Person {
		return Link{}, ErrNobody
	}
	if err != nil {
		return Link{}, err
	}
	a, offer, err := s.offered(ctx, code)
	if err != nil {
		return Link{}, err
	}
	there, err := s.store.Row(ctx, linkKind, keyOf(a.Channel, a.Operator))
	if err != nil {
		return Link{}, err
	}
	is, err := decodeLink(there)
	if err != nil {
		return Link{}, err
	}
	switch holder, err := s.holder(ctx, is); {
	case err != nil:
		return Link{}, err
	case holder.ID != "" && holder.ID != by.ID:
		return Link{}, ErrTaken
	}
	link := kept{Link{Account: a, Subject: by.ID, Since: s.now()}, stamp}
	body, err := json.Marshal(link)
	if err != nil {
		return Link{}, fmt.Errorf("write link: %v", err)
	}
	there.Body, there.Due = body, time.Time{}
	err = s.store.Shelve(ctx, []shelf.Change{{From: there.Revision, Row: there}, {From: offer.Revision, Row: offer, Drop: true}},
		s.record(by, a, "linked to this person"))
	if _, ok := errors.AsType[*tv.ConflictError](err); ok {
		return Link{}, ErrNoOffer // somebody else used it at the same time
	}
	return link.Link, err
}

// holder is the person whom a link names, as the host knows them now. It is nobody
// where they are gone, or where the name or its password is another one than when
// the account was linked.
func (s *Links) holder(ctx context.Context, link kept) (tv.Subject, error) {
	if link.Subject == "" {
		return tv.Subject{}, nil
	}
	by, stamp, err := s.person(ctx, link.Subject)
	if errors.Is(err, tv.ErrNotFound) || err == nil && (by.Kind != tv.Person || stamp != link.Stamp) {
		return tv.Subject{}, nil
	}
	return by, err
}

func (s *Links) record(by tv.Subject, a Account, what string) tv.Record {
	return tv.Record{
		Kind: tv.RecordAdmin, At: s.now(), Subject: by.ID, User: by.User,
		Detail: fmt.Sprintf("account %q of channel %q: %s", Line(a.Operator, maxOperator), a.Channel, what),
	}
}

func decodeLink(row shelf.Row) (kept, error) {
	var l kept
	if row.Revision == 0 {
		return l, nil
	}
	if err := json.Unmarshal(row.Body, &l); err != nil {
		return l, fmt.Errorf("read link: %v", err)
	}
	return l, nil
}

// Find tells whose an account is, as the host knows them now: nobody's, where
// nobody linked it or whoever did is not that person any more.
func (s *Links) Find(ctx context.Context, channel, operator string) (tv.Subject, error) {
	row, err := s.store.Row(ctx, linkKind, keyOf(channel, operator))
	if err != nil {
		return tv.Subject{}, err
	}
	link, err := decodeLink(row)
	if err != nil {
		return tv.Subject{}, err
	}
	return s.holder(ctx, link)
}

// List tells the links of a person; an administrator sees all of them.
func (s *Links) List(ctx context.Context, by tv.Subject) ([]Link, error) {
	var out []Link
	for after := ""; ; {
		page, err := s.store.Rows(ctx, shelf.Query{Kind: linkKind, AfterKey: after, Limit: openPage})
		if err != nil {
			return nil, err
		}
		for _, row := range page {
			link, err := decodeLink(row)
			if err != nil {
				return nil, err
			}
			if mayRemove(by, link.Link) {
				out = append(out, link.Link)
			}
			after = row.Key
		}
		if len(page) < openPage {
			return out, nil
		}
	}
}

// Remove takes a link away, with a record. It is for the person it names, and
// for administrators.
func (s *Links) Remove(ctx context.Context, by tv.Subject, channel, operator string) error {
	row, err := s.store.Row(ctx, linkKind, keyOf(channel, operator))
	if err != nil {
		return err
	}
	link, err := decodeLink(row)
	if err != nil {
		return err
	}
	if row.Revision == 0 || !mayRemove(by, link.Link) {
		return fmt.Errorf("remove link: %w", tv.ErrNotFound)
	}
	return s.store.Shelve(ctx, []shelf.Change{{From: row.Revision, Row: row, Drop: true}},
		s.record(by, link.Account, fmt.Sprintf("link to %q taken away", link.Subject)))
}

func mayRemove(by tv.Subject, l Link) bool {
	return by.Kind == tv.Person && (by.ID == l.Subject || by.HasRole("admin"))
}
