// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package people knows the persons who sign in with a password: those of the
// configuration and those who were added while the gate ran. It knows no pages
// and no API keys.
//
// Who is looked up is looked up anew each time, so that whoever was removed, or
// lost a role, is gone from the next request on. A store that cannot be read is
// an error: nobody is signed in by it.
package people

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/identity"
	"github.com/toolverdict/toolverdict/internal/identity/password"
	"github.com/toolverdict/toolverdict/internal/shelf"
)

// Person is somebody whom the data store knows.
type Person struct {
	ID          string    `json:"id"`
	Roles       []string  `json:"roles,omitempty"`
	Groups      []string  `json:"groups,omitempty"`
	Permissions []string  `json:"permissions,omitempty"`
	Hash        string    `json:"hash"` // of the password
	Changed     time.Time `json:"changed"`
	By          string    `json:"by"`
}

// Config is what a directory is made of. All of it is required; Passwords may be
// empty.
type Config struct {
	Configured *identity.Set            // whom the configuration knows
	Passwords  map[string]password.Hash // of persons of the configuration
	Shelf      shelf.Shelf              // keeps those who are added
	Now        func() time.Time
}

// kind names people on the shelf.
const kind = "person"

// Directory finds and changes people. It is safe for concurrent use.
type Directory struct{ c Config }

// New checks the parts.
func New(c Config) (*Directory, error) {
	if c.Configured == nil || c.Shelf == nil || c.Now == nil {
		return nil, errors.New("make directory of people: Configured, Shelf and Now are needed")
	}
	for id := range c.Passwords {
		if s, ok := c.Configured.Subject(id); !ok || s.Kind != tv.Person {
			return nil, fmt.Errorf("make directory of people: %q has a password and is no person", id)
		}
	}
	return &Directory{c}, nil
}

// ErrWrong is the answer to every sign-in that fails, whatever was wrong.
var ErrWrong = errors.New("the name or the password is wrong")

// SignIn checks a person's password. The stamp stands for the password: it
// changes with it. Somebody who is not known takes as long as somebody who is.
func (d *Directory) SignIn(ctx context.Context, id, given string) (s tv.Subject, stamp string, err error) {
	s, hash, err := d.find(ctx, id)
	if errors.Is(err, tv.ErrNotFound) {
		password.Nobody().Matches(given)
		return tv.Subject{}, "", ErrWrong
	}
	if err != nil {
		return tv.Subject{}, "", err
	}
	if !hash.Matches(given) {
		return tv.Subject{}, "", ErrWrong
	}
	return s, stampOf(hash), nil
}

// Subject returns a person as they are now, or toolverdict.ErrNotFound, also
// where the password is not the one of the stamp any more.
func (d *Directory) Subject(ctx context.Context, id, stamp string) (tv.Subject, error) {
	s, hash, err := d.find(ctx, id)
	if err == nil && stampOf(hash) != stamp {
		return tv.Subject{}, fmt.Errorf("find person: %w", tv.ErrNotFound)
	}
	return s, err
}

// Known returns a person as they are now, however they sign in, or
// toolverdict.ErrNotFound: for those whom others vouch for, such as a chat. The
// stamp stands for their password, so that somebody else under the same name has
// another one; who is configured without a password has always the same.
func (d *Directory) Known(ctx context.Context, id string) (s tv.Subject, stamp string, err error) {
	s, ok := d.c.Configured.Subject(id)
	if _, has := d.c.Passwords[id]; !ok || has {
		var hash password.Hash
		if s, hash, err = d.find(ctx, id); err != nil {
			return tv.Subject{}, "", err
		}
		stamp = stampOf(hash)
	}
	if s.Kind != tv.Person {
		return tv.Subject{}, "", fmt.Errorf("find person: %w", tv.ErrNotFound)
	}
	return s, stamp, nil
}

func stampOf(h password.Hash) string {
	sum := sha256.Sum256([]byte(h.String()))
	return hex.EncodeToString(sum[:12])
}

// find looks a person up who can sign in. Whom the configuration knows, only
// the configuration can let in.
func (d *Directory) find(ctx context.Context, id string) (tv.Subject, password.Hash, error) {
	if s, ok := d.c.Configured.Subject(id); ok {
		hash, ok := d.c.Passwords[id]
		if !ok {
			return tv.Subject{}, hash, fmt.Errorf("find person: %w", tv.ErrNotFound)
		}
		return s, hash, nil
	}
	p, _, err := d.kept(ctx, id)
	if err != nil {
		return tv.Subject{}, password.Hash{}, fmt.Errorf("find person: %w", err)
	}
	hash, err := password.Parse(p.Hash)
	if err != nil {
		return tv.Subject{}, hash, fmt.Errorf("find person %q: %w", id, err)
	}
	return p.subject(), hash, nil
}

// kept reads a person, with the revision that a change of it names, or returns
// toolverdict.ErrNotFound.
func (d *Directory) kept(ctx context.Context, id string) (Person, int64, error) {
	if id == "" {
		return Person{}, 0, tv.ErrNotFound
	}
	row, err := d.c.Shelf.Row(ctx, kind, id)
	if err != nil {
		return Person{}, 0, err
	}
	if row.Revision == 0 {
		return Person{}, 0, tv.ErrNotFound
	}
	p, err := decode(row.Body)
	return p, row.Revision, err
}

func decode(body []byte) (Person, error) {
	var p Person
	if err := json.Unmarshal(body, &p); err != nil {
		return p, fmt.Errorf("decode person: %v", err)
	}
	return p, nil
}

func (p *Person) subject() tv.Subject {
	return tv.Subject{ID: p.ID, Kind: tv.Person, User: p.ID, Roles: slices.Clone(p.Roles), Groups: slices.Clone(p.Groups), Permissions: slices.Clone(p.Permissions)}
}

// Listed is a person as lists show one: without anything that helps to guess a
// password.
type Listed struct {
	ID          string    `json:"id"`
	Roles       []string  `json:"roles"`
	Groups      []string  `json:"groups"`
	Permissions []string  `json:"permissions"`
	Configured  bool      `json:"configured"` // the configuration knows this person
	Changed     time.Time `json:"changed,omitzero"`
	By          string    `json:"by,omitempty"`
}

// List returns everybody who can sign in, by id.
func (d *Directory) List(ctx context.Context) ([]Listed, error) {
	var out []Listed
	for id := range d.c.Passwords {
		s, _ := d.c.Configured.Subject(id)
		out = append(out, Listed{ID: id, Roles: s.Roles, Groups: s.Groups, Permissions: s.Permissions, Configured: true})
	}
	for after := ""; ; {
		rows, err := d.c.Shelf.Rows(ctx, shelf.Query{Kind: kind, AfterKey: after})
		if err != nil {
			return nil, fmt.Errorf("list people: %w", err)
		}
		for _, row := range rows {
			p, err := decode(row.Body)
			if err != nil {
				return nil, err
			}
			if _, ok := d.c.Configured.Subject(p.ID); !ok {
				out = append(out, Listed{ID: p.ID, Roles: p.Roles, Groups: p.Groups, Permissions: p.Permissions, Changed: p.Changed, By: p.By})
			}
			after = row.Key
		}
		if len(rows) == 0 {
			break
		}
	}
	slices.SortFunc(out, func(a, b Listed) int { return strings.Compare(a.ID, b.ID) })
	return out, nil
}

// ErrConfigured refuses changes of a person whom the configuration knows.
var ErrConfigured = errors.New("the configuration knows this subject: change it there")

// Add keeps a new person. By is who does it.
func (d *Directory) Add(ctx context.Context, p Person, given, by string) error {
	if err := d.changeable(p.ID); err != nil {
		return fmt.Errorf("add person: %w", err)
	}
	entry := identity.Entry{ID: p.ID, Kind: tv.Person, Roles: p.Roles, Groups: p.Groups, Permissions: p.Permissions}
	if _, err := identity.New([]identity.Entry{entry}); err != nil {
		return fmt.Errorf("add person: %w", err)
	}
	if err := d.alone(ctx, p.ID); err != nil {
		return fmt.Errorf("add person: %w", err)
	}
	if err := d.set(&p, given, by); err != nil {
		return fmt.Errorf("add person: %w", err)
	}
	err := d.put(ctx, p, 0, by, "person "+p.ID+" was added")
	if _, ok := errors.AsType[*tv.ConflictError](err); ok {
		return fmt.Errorf("add person: there is a person %q", p.ID)
	}
	return err
}

// alone refuses a name that differs from that of somebody known in case only.
func (d *Directory) alone(ctx context.Context, id string) error {
	other, near := d.c.Configured.Near(id)
	all, err := d.List(ctx)
	if err != nil {
		return err
	}
	for _, one := range all {
		if one.ID != id && strings.EqualFold(one.ID, id) {
			other, near = one.ID, true
		}
	}
	if near {
		return fmt.Errorf("%q and %q differ in case only: write one person's name in one way", id, other)
	}
	return nil
}

// SetPassword changes a person's password: who is signed in with the old one is
// so no longer.
func (d *Directory) SetPassword(ctx context.Context, id, given, by string) error {
	if err := d.changeable(id); err != nil {
		return fmt.Errorf("change password: %w", err)
	}
	p, revision, err := d.kept(ctx, id)
	if err != nil {
		return fmt.Errorf("change password of %q: %w", id, err)
	}
	if err := d.set(&p, given, by); err != nil {
		return fmt.Errorf("change password: %w", err)
	}
	return d.put(ctx, p, revision, by, "the password of "+id+" was changed")
}

// Remove forgets a person.
func (d *Directory) Remove(ctx context.Context, id, by string) error {
	if err := d.changeable(id); err != nil {
		return fmt.Errorf("remove person: %w", err)
	}
	_, revision, err := d.kept(ctx, id)
	if err != nil {
		return fmt.Errorf("remove person %q: %w", id, err)
	}
	return d.c.Shelf.Shelve(ctx, []shelf.Change{{From: revision, Row: shelf.Row{Kind: kind, Key: id}, Drop: true}}, d.record(by, "person "+id+" was removed"))
}

func (d *Directory) put(ctx context.Context, p Person, from int64, by, what string) error {
	body, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("encode person: %v", err)
	}
	return d.c.Shelf.Shelve(ctx, []shelf.Change{{From: from, Row: shelf.Row{Kind: kind, Key: p.ID, Body: body}}}, d.record(by, what))
}

func (d *Directory) changeable(id string) error {
	if _, ok := d.c.Configured.Subject(id); ok {
		return fmt.Errorf("%q: %w", id, ErrConfigured)
	}
	return nil
}

func (d *Directory) set(p *Person, given, by string) error {
	hash, err := password.New(given)
	if err != nil {
		return err
	}
	p.Hash, p.Changed, p.By = hash.String(), d.c.Now(), by
	return nil
}

func (d *Directory) record(by, what string) tv.Record {
	return tv.Record{Kind: tv.RecordAdmin, At: d.c.Now(), Subject: by, Detail: what}
}
