// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/httpgate"
	"github.com/toolverdict/toolverdict/internal/switches"
)

// TestMetricsAreForWatchers: the page is shown to whom the configuration says,
// and never to an agent unless it is open to everybody.
func TestMetricsAreForWatchers(t *testing.T) {
	t.Parallel()
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "figures") })
	get := func(metrics http.Handler, open bool, method, host string, by tv.Subject) int {
		s := newSite(t)
		front, err := httpgate.New(httpgate.Config{
			Gate: s.gate, Reader: struct{ httpgate.Reader }{}, Voter: struct{ httpgate.Voter }{}, Book: struct{ httpgate.Book }{}, Choices: switches.Board{Store: s.store, Known: func(string) bool { return false }, Now: time.Now}, Records: finder{s.store},
			All:          func() []*tv.Tool { return nil },
			Authenticate: func(b string) (tv.Subject, bool) { return by, b == "key" },
			Run:          func(tv.Subject) tv.Run { return tv.Run{} }, Ready: func(context.Context) error { return nil },
			Now: time.Now, Log: slog.New(slog.DiscardHandler), Metrics: metrics, MetricsOpen: open,
		})
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequestWithContext(t.Context(), method, "http://"+host+"/metrics", nil)
		if by.ID != "" {
			r.Header.Set("Authorization", "Bearer key")
		}
		w := httptest.NewRecorder()
		front.ServeHTTP(w, r)
		if shown := w.Body.String() == "figures"; shown != (w.Code == http.StatusOK) {
			t.Errorf("status %d with %q", w.Code, w.Body)
		}
		return w.Code
	}
	as := func(kind tv.SubjectKind, roles ...string) tv.Subject {
		return tv.Subject{ID: "x", Kind: kind, Roles: roles}
	}
	for name, c := range map[string]struct {
		metrics http.Handler
		open    bool
		by      tv.Subject
		want    int
	}{
		"a service that watches":       {page, false, as(tv.Service, "metrics"), http.StatusOK},
		"a person who watches":         {page, false, as(tv.Person, "metrics"), http.StatusOK},
		"an auditor":                   {page, false, as(tv.Person, "auditor"), http.StatusOK},
		"an administrator":             {page, false, as(tv.Person, "admin"), http.StatusOK},
		"an approver":                  {page, false, as(tv.Person, "approver"), http.StatusOK},
		"nobody":                       {page, false, tv.Subject{}, http.StatusUnauthorized},
		"a person":                     {page, false, as(tv.Person), http.StatusForbidden},
		"a service":                    {page, false, as(tv.Service), http.StatusForbidden},
		"a service called admin":       {page, false, as(tv.Service, "admin", "auditor"), http.StatusForbidden},
		"an agent with every role":     {page, false, as(tv.Agent, "metrics", "auditor", "admin", "approver"), http.StatusForbidden},
		"nobody, where it is open":     {page, true, tv.Subject{}, http.StatusOK},
		"an auditor, where it is none": {nil, false, as(tv.Person, "auditor"), http.StatusNotFound},
		"nobody, where it is none":     {nil, true, tv.Subject{}, http.StatusNotFound},
	} {
		if got := get(c.metrics, c.open, http.MethodGet, "localhost", c.by); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	if got := get(page, true, http.MethodGet, "rebound.example", tv.Subject{}); got != http.StatusForbidden {
		t.Errorf("under a strange name: %d", got)
	}
	if got := get(page, true, http.MethodPost, "localhost", tv.Subject{}); got == http.StatusOK {
		t.Error("posted to it")
	}
}
