// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval/fatigue"
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
			NewID:        newRequestID, Run: func(tv.Subject) tv.Run { return tv.Run{} }, Ready: func(context.Context) error { return nil },
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

// TestStatsAreForOfficers: how people answer is shown to those who may see what
// others did, since a time that is understood.
func TestStatsAreForOfficers(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		by    tv.Subject
		query string
		fault error
		want  int
		since time.Time
	}{
		"an auditor":        {by: tv.Subject{ID: "x", Kind: tv.Person, Roles: []string{"auditor"}}, want: http.StatusOK, since: now.Add(-30 * 24 * time.Hour)},
		"since a time":      {by: tv.Subject{ID: "x", Kind: tv.Person, Roles: []string{"admin"}}, query: "?since=2026-05-31T00:00:00Z", want: http.StatusOK, since: time.Date(2026, 5, 31, 0, 0, 0, 0, time.UTC)},
		"a time that is no": {by: tv.Subject{ID: "x", Kind: tv.Person, Roles: []string{"admin"}}, query: "?since=yesterday", want: http.StatusBadRequest},
		"a slip":            {by: tv.Subject{ID: "x", Kind: tv.Person, Roles: []string{"admin"}}, query: "?sinse=2026-05-31T00:00:00Z", want: http.StatusBadRequest},
		"an agent":          {by: tv.Subject{ID: "x", Kind: tv.Agent, Roles: []string{"auditor", "admin", "approver"}}, want: http.StatusForbidden},
		"a person":          {by: tv.Subject{ID: "x", Kind: tv.Person}, want: http.StatusForbidden},
		"a lost store":      {by: tv.Subject{ID: "x", Kind: tv.Person, Roles: []string{"admin"}}, fault: errors.New("disk gone"), want: http.StatusServiceUnavailable, since: now.Add(-30 * 24 * time.Hour)},
	} {
		s := newSite(t)
		var since time.Time
		front, err := httpgate.New(httpgate.Config{
			Gate: s.gate, Reader: struct{ httpgate.Reader }{}, Voter: struct{ httpgate.Voter }{}, Book: struct{ httpgate.Book }{}, Choices: struct{ httpgate.Choices }{}, Records: finder{s.store},
			All:          func() []*tv.Tool { return nil },
			Authenticate: func(string) (tv.Subject, bool) { return c.by, true },
			NewID:        newRequestID, Run: func(tv.Subject) tv.Run { return tv.Run{} }, Ready: func(context.Context) error { return nil },
			Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler),
			Stats: func(_ context.Context, from time.Time) (any, error) {
				since = from
				return fatigue.Report{Rules: []fatigue.Rule{{Rule: "refund-large", Asked: 7}}}, c.fault
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/v1/approvals/stats"+c.query, nil)
		r.Header.Set("Authorization", "Bearer key")
		w := httptest.NewRecorder()
		front.ServeHTTP(w, r)
		if w.Code != c.want || !since.Equal(c.since) || (w.Code == http.StatusOK) != strings.Contains(w.Body.String(), `"asked":7`) {
			t.Errorf("%s: %d since %s: %s", name, w.Code, since, w.Body)
		}
	}
}
