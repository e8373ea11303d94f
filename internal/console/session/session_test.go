// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package session_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/console/session"
	"github.com/toolverdict/toolverdict/internal/shelf"
	"github.com/toolverdict/toolverdict/internal/store/memory"
)

type rig struct {
	t     *testing.T
	store *memory.Store
	shelf shelf.Shelf
	at    time.Time
	*session.Sessions
	handler http.Handler
	hold    chan struct{} // a request to /hold waits on it before it ends
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, at: time.Now(), hold: make(chan struct{})}
	var err error
	if r.store, err = memory.New(memory.Config{Now: func() time.Time { return r.at }}); err != nil {
		t.Fatal(err)
	}
	r.shelf = r.store
	r.restart()
	return r
}

// restart makes sessions anew over the same store.
func (r *rig) restart() {
	var err error
	r.Sessions, err = session.New(session.Config{
		Shelf: r.shelf, Now: func() time.Time { return r.at }, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.handler = r.Wrap(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var err error
		switch req.URL.Path {
		case "/in":
			err = r.Begin(req.Context(), session.Who{ID: "ada", Stamp: "s1"})
		case "/out":
			err = r.End(req.Context())
		case "/hold":
			<-r.hold
		}
		who, ok := r.Who(req.Context())
		fmt.Fprint(w, who.ID, who.Stamp, ok, err)
	}))
}

func (r *rig) get(path, cookie string, header ...string) (body string, set *http.Cookie) {
	req := httptest.NewRequest(http.MethodGet, path, nil)
	for _, name := range header {
		req.Header.Set(name, "1")
	}
	if cookie != "" {
		req.AddCookie(&http.Cookie{Name: "__Host-toolverdict", Value: cookie})
	}
	w := httptest.NewRecorder()
	r.handler.ServeHTTP(w, req)
	for _, c := range w.Result().Cookies() {
		set = c
	}
	return w.Body.String(), set
}

const ada, nobody = "adas1true <nil>", "false <nil>"

func TestSessions(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	if body, set := r.get("/", ""); body != nobody || set != nil {
		t.Errorf("a stranger: %s, %v", body, set)
	}
	_, set := r.get("/in", "chosen-by-somebody")
	if set == nil || set.Value == "chosen-by-somebody" || len(set.Value) < 32 {
		t.Fatalf("the token is not a new one: %v", set)
	}
	if !set.Secure || !set.HttpOnly || set.SameSite != http.SameSiteStrictMode || set.Path != "/" || set.Domain != "" || set.MaxAge != 0 || !set.Expires.IsZero() {
		t.Errorf("the cookie: %+v", set)
	}
	rows, err := r.store.Rows(t.Context(), shelf.Query{Kind: "session"})
	if err != nil || len(rows) != 1 || strings.Contains(rows[0].Key+string(rows[0].Body), set.Value) {
		t.Errorf("what is kept shows the token: %v, %v", rows, err)
	}
	if body, _ := r.get("/", rows[0].Key); body != nobody {
		t.Errorf("signed in by what the store shows: %s", body)
	}
	r.restart()
	if body, _ := r.get("/", set.Value); body != ada {
		t.Errorf("after a restart: %s", body)
	}
	_, again := r.get("/in", set.Value)
	if again.Value == set.Value {
		t.Error("a sign-in keeps the token of before")
	}
	if body, _ := r.get("/", set.Value); body != nobody {
		t.Errorf("the token of before still counts: %s", body)
	}
	if _, gone := r.get("/out", again.Value); gone == nil || gone.MaxAge >= 0 {
		t.Errorf("the cookie stays after signing out: %v", gone)
	}
	if body, _ := r.get("/", again.Value); body != nobody {
		t.Errorf("after signing out: %s", body)
	}
}

func TestIdleSessionsEnd(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, set := r.get("/in", "")
	r.at = r.at.Add(session.Idle + time.Second)
	if body, _ := r.get("/", set.Value); body != nobody {
		t.Errorf("after half an hour: %s", body)
	}
}

// A page that is only left open does not keep its session.
func TestPeekKeepsNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, set := r.get("/in", "")
	before, err := r.store.Rows(t.Context(), shelf.Query{Kind: "session"})
	if err != nil {
		t.Fatal(err)
	}
	req := httptest.NewRequest(http.MethodGet, "/", nil)
	if _, ok := r.Peek(req); ok {
		t.Error("somebody without a cookie is signed in")
	}
	req.AddCookie(set)
	if who, ok := r.Peek(req); !ok || who != (session.Who{ID: "ada", Stamp: "s1"}) {
		t.Errorf("%v, %t", who, ok)
	}
	after, err := r.store.Rows(t.Context(), shelf.Query{Kind: "session"})
	if err != nil || len(after) != 1 || after[0].Revision != before[0].Revision {
		t.Errorf("looking changed %v to %v, %v", before, after, err)
	}
}

// A page that looks by itself whether something changed keeps no session alive:
// where calls come all day, it would never end on a screen that was left alone.
func TestRefreshingKeepsNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, set := r.get("/in", "")
	r.age(10 * time.Minute)
	before := r.row()
	if body, again := r.get("/", set.Value, session.Refresh); body != ada || again != nil {
		t.Errorf("a page that refreshes sees %s, %v", body, again)
	}
	if now := r.row(); now.Revision != before.Revision {
		t.Errorf("it keeps the session: until %s, was %s", now.Due, before.Due)
	}
	if body, again := r.get("/", "", session.Refresh); body != nobody || again != nil {
		t.Errorf("a stranger: %s, %v", body, again)
	}
	if r.get("/", set.Value); !r.row().Due.After(before.Due) {
		t.Error("a person who looks does not keep it")
	}
}

// age makes the one session older than it is.
func (r *rig) age(by time.Duration) {
	r.t.Helper()
	old := r.row()
	old.Due = old.Due.Add(-by)
	if err := r.store.Shelve(r.t.Context(), []shelf.Change{{From: old.Revision, Row: old}}); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) row() shelf.Row {
	r.t.Helper()
	rows, err := r.store.Rows(r.t.Context(), shelf.Query{Kind: "session"})
	if err != nil || len(rows) != 1 {
		r.t.Fatal(rows, err)
	}
	return rows[0]
}

// Somebody else who forgets the same sessions at the same moment is no reason to
// turn a sign-in away.
func TestForgettingAtOnceFailsNobody(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.get("/in", "")
	r.age(time.Hour)
	r.shelf = racing{r.store}
	r.restart()
	body, set := r.get("/in", "")
	if body != ada || set == nil {
		t.Fatalf("the sign-in was turned away: %s", body)
	}
	if body, _ := r.get("/", set.Value); body != ada {
		t.Errorf("not signed in: %s", body)
	}
}

// racing is a shelf on which somebody else always drops first.
type racing struct{ *memory.Store }

func (s racing) Shelve(ctx context.Context, changes []shelf.Change, records ...tv.Record) error {
	for _, c := range changes {
		if c.Drop {
			return &tv.ConflictError{What: c.Row.Kind, Key: c.Row.Key}
		}
	}
	return s.Store.Shelve(ctx, changes, records...)
}

// A request that was under way when somebody signed out does not bring the
// session back.
func TestSigningOutIsFinal(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, set := r.get("/in", "")
	r.age(time.Hour) // so that the request has something to write
	r.at = r.at.Add(-time.Hour)
	done := make(chan string)
	go func() {
		body, _ := r.get("/hold", set.Value)
		done <- body
	}()
	r.hold <- struct{}{}
	<-done
	go func() {
		body, _ := r.get("/hold", set.Value)
		done <- body
	}()
	r.get("/out", set.Value)
	r.hold <- struct{}{}
	<-done
	if body, _ := r.get("/", set.Value); body != nobody {
		t.Errorf("signed in again: %s", body)
	}
}

func TestSessionsThatAreOverAreForgotten(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for range 3 {
		r.get("/in", "")
	}
	r.at = r.at.Add(session.Lifetime + time.Hour)
	r.get("/in", "")
	rows, err := r.store.Rows(t.Context(), shelf.Query{Kind: "session"})
	if err != nil || len(rows) != 1 {
		t.Errorf("%d sessions are kept, %v", len(rows), err)
	}
}

func TestNewWantsItsParts(t *testing.T) {
	t.Parallel()
	if _, err := session.New(session.Config{}); err == nil {
		t.Error("made of nothing")
	}
}
