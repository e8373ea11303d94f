// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package session_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/toolverdict/toolverdict/internal/console/session"
	"github.com/toolverdict/toolverdict/internal/shelf"
	"github.com/toolverdict/toolverdict/internal/store/memory"
)

type rig struct {
	t     *testing.T
	store *memory.Store
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
	r.restart()
	return r
}

// restart makes sessions anew over the same store.
func (r *rig) restart() {
	var err error
	r.Sessions, err = session.New(session.Config{
		Shelf: r.store, Now: func() time.Time { return r.at }, Log: slog.New(slog.DiscardHandler),
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

func (r *rig) get(path, cookie string) (body string, set *http.Cookie) {
	req := httptest.NewRequest(http.MethodGet, path, nil)
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

// A request that was under way when somebody signed out does not bring the
// session back.
func TestSigningOutIsFinal(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, set := r.get("/in", "")
	row, err := r.store.Rows(t.Context(), shelf.Query{Kind: "session"})
	if err != nil {
		t.Fatal(err)
	}
	old := row[0]
	old.Due = old.Due.Add(-time.Hour) // so that the request has something to write
	if err := r.store.Shelve(t.Context(), []shelf.Change{{From: old.Revision, Row: old}}); err != nil {
		t.Fatal(err)
	}
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
