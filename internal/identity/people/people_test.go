// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package people_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/identity"
	"github.com/toolverdict/toolverdict/internal/identity/password"
	"github.com/toolverdict/toolverdict/internal/identity/people"
	"github.com/toolverdict/toolverdict/internal/shelf"
	"github.com/toolverdict/toolverdict/internal/store/memory"
)

// broken is a shelf that cannot be read while it has an error.
type broken struct {
	*memory.Store
	err     error
	records []tv.Record
}

func (b *broken) Row(ctx context.Context, kind, key string) (shelf.Row, error) {
	if b.err != nil {
		return shelf.Row{}, b.err
	}
	return b.Store.Row(ctx, kind, key)
}

// Shelve notes the records.
func (b *broken) Shelve(ctx context.Context, changes []shelf.Change, records ...tv.Record) error {
	err := b.Store.Shelve(ctx, changes, records...)
	if err == nil {
		b.records = append(b.records, records...)
	}
	return err
}

const right, other = "a right password", "another password"

func open(t *testing.T) (*people.Directory, *broken) {
	t.Helper()
	known, err := identity.New([]identity.Entry{
		{ID: "ann", Kind: tv.Person, Roles: []string{"finance"}},
		{ID: "mute", Kind: tv.Person, Roles: []string{"admin"}},
		{ID: "bot", Kind: tv.Agent, User: "ann"},
	})
	if err != nil {
		t.Fatal(err)
	}
	hash, err := password.New(right)
	if err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return time.Unix(1e9, 0).UTC() }
	store, err := memory.New(memory.Config{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	s := &broken{Store: store}
	d, err := people.New(people.Config{Configured: known, Passwords: map[string]password.Hash{"ann": hash}, Shelf: s, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	return d, s
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	d, s := open(t)
	if err := d.Add(t.Context(), people.Person{ID: "dora", Roles: []string{"ops"}}, other, "os:root"); err != nil {
		t.Fatal(err)
	}
	// Somebody who writes to the table cannot shadow whom the configuration knows.
	planted, err := s.Row(t.Context(), "person", "dora")
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"mute", "bot", "ann"} {
		planted.Key = id
		if err := s.Shelve(t.Context(), []shelf.Change{{Row: planted}}); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		id, given string
		roles     []string
	}{
		"configured":                {"ann", right, []string{"finance"}},
		"added":                     {"dora", other, []string{"ops"}},
		"wrong":                     {"ann", other, nil},
		"wrong of an added one":     {"dora", right, nil},
		"empty":                     {"ann", "", nil},
		"unknown":                   {"zoe", right, nil},
		"nobody":                    {"", "", nil},
		"configured, no password":   {"mute", other, nil},
		"an agent":                  {"bot", other, nil},
		"a configured one, planted": {"ann", other, nil},
		"another case":              {"Ann", right, nil},
	} {
		got, stamp, err := d.SignIn(t.Context(), c.id, c.given)
		if c.roles == nil {
			if !errors.Is(err, people.ErrWrong) || got.Authenticated() || stamp != "" {
				t.Errorf("%s: %v, %q, %v", name, got, stamp, err)
			}
			continue
		}
		if err != nil || !slices.Equal(got.Roles, c.roles) || got.Kind != tv.Person || got.User != c.id {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	s.err = errors.New("no disk")
	if _, _, err := d.SignIn(t.Context(), "dora", other); err == nil || errors.Is(err, people.ErrWrong) {
		t.Errorf("a store that is gone: %v", err)
	}
}

func TestWhoIsSignedInIsLookedUpAnew(t *testing.T) {
	t.Parallel()
	d, s := open(t)
	add := func() string {
		if err := d.Add(t.Context(), people.Person{ID: "dora", Roles: []string{"ops"}}, right, "os:root"); err != nil {
			t.Fatal(err)
		}
		_, stamp, err := d.SignIn(t.Context(), "dora", right)
		if err != nil {
			t.Fatal(err)
		}
		return stamp
	}
	stamp := add()
	if got, err := d.Subject(t.Context(), "dora", stamp); err != nil || got.ID != "dora" {
		t.Fatalf("%+v, %v", got, err)
	}
	linked := stampOf(t, d, "dora")
	if err := d.SetPassword(t.Context(), "dora", other, "os:root"); err != nil {
		t.Fatal(err)
	}
	if now := stampOf(t, d, "dora"); now == linked {
		t.Error("others vouch for her as before, with another password")
	}
	if _, err := d.Subject(t.Context(), "dora", stamp); !errors.Is(err, tv.ErrNotFound) {
		t.Errorf("still signed in with the old password: %v", err)
	}
	if err := d.Remove(t.Context(), "dora", "os:root"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.Known(t.Context(), "dora"); !errors.Is(err, tv.ErrNotFound) {
		t.Errorf("others vouch for somebody who is gone: %v", err)
	}
	if again := add(); again == stamp || stampOf(t, d, "dora") == linked {
		t.Error("somebody who was added anew has the stamp of before")
	}
	if _, err := d.Subject(t.Context(), "dora", stamp); !errors.Is(err, tv.ErrNotFound) {
		t.Errorf("signed in as somebody else of the same name: %v", err)
	}
	for _, r := range s.records {
		if r.Kind != tv.RecordAdmin || r.Subject != "os:root" || strings.Contains(r.Detail, right) || strings.Contains(r.Detail, "argon") {
			t.Errorf("record: %+v", r)
		}
	}
	if len(s.records) != 4 {
		t.Errorf("%d records of 4 changes", len(s.records))
	}
}

// stampOf is the stamp of somebody whom others vouch for.
func stampOf(t *testing.T, d *people.Directory, id string) string {
	t.Helper()
	s, stamp, err := d.Known(t.Context(), id)
	if err != nil || s.ID != id || stamp == "" {
		t.Fatalf("%+v, %q, %v", s, stamp, err)
	}
	return stamp
}

func TestOthersVouchForPersonsOnly(t *testing.T) {
	t.Parallel()
	d, _ := open(t)
	if s, _, err := d.Known(t.Context(), "mute"); err != nil || s.ID != "mute" {
		t.Errorf("a person with a key: %+v, %v", s, err)
	}
	for _, id := range []string{"bot", "nobody", ""} {
		if s, _, err := d.Known(t.Context(), id); !errors.Is(err, tv.ErrNotFound) {
			t.Errorf("%q: %+v, %v", id, s, err)
		}
	}
}

func TestChangesThatAreRefused(t *testing.T) {
	t.Parallel()
	d, s := open(t)
	for name, err := range map[string]error{
		"configured":        d.Add(t.Context(), people.Person{ID: "ann"}, right, "x"),
		"bad id":            d.Add(t.Context(), people.Person{ID: "a b"}, right, "x"),
		"a role for all":    d.Add(t.Context(), people.Person{ID: "eve", Roles: []string{"*"}}, right, "x"),
		"a short password":  d.Add(t.Context(), people.Person{ID: "eve"}, "short", "x"),
		"another case":      d.Add(t.Context(), people.Person{ID: "Ann"}, right, "x"),
		"passwd configured": d.SetPassword(t.Context(), "ann", other, "x"),
		"passwd unknown":    d.SetPassword(t.Context(), "eve", other, "x"),
		"remove configured": d.Remove(t.Context(), "ann", "x"),
		"remove unknown":    d.Remove(t.Context(), "eve", "x"),
	} {
		if err == nil {
			t.Errorf("%s: was done", name)
		}
	}
	if rows, err := s.Rows(t.Context(), shelf.Query{Kind: "person"}); err != nil || len(rows)+len(s.records) != 0 {
		t.Errorf("left %v, %v, %v", rows, s.records, err)
	}
	if _, err := people.New(people.Config{}); err == nil {
		t.Error("made a directory of nothing")
	}
}

// One person has one name: nobody is added beside themselves.
func TestOnePersonHasOneName(t *testing.T) {
	t.Parallel()
	d, _ := open(t)
	if err := d.Add(t.Context(), people.Person{ID: "dora"}, right, "x"); err != nil {
		t.Fatal(err)
	}
	if err := d.Add(t.Context(), people.Person{ID: "DORA"}, right, "x"); err == nil || !strings.Contains(err.Error(), `"dora"`) {
		t.Errorf("added beside herself: %v", err)
	}
	if err := d.Add(t.Context(), people.Person{ID: "dora2"}, right, "x"); err != nil {
		t.Errorf("another name: %v", err)
	}
}

func TestListShowsNoHash(t *testing.T) {
	t.Parallel()
	d, _ := open(t)
	if err := d.Add(t.Context(), people.Person{ID: "abe", Roles: []string{"ops"}}, right, "os:root"); err != nil {
		t.Fatal(err)
	}
	got, err := d.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []people.Listed{
		{ID: "abe", Roles: []string{"ops"}, Changed: time.Unix(1e9, 0).UTC(), By: "os:root"},
		{ID: "ann", Roles: []string{"finance"}, Configured: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
