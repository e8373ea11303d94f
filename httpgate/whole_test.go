// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
	"github.com/toolverdict/toolverdict/gatetest"
	"github.com/toolverdict/toolverdict/httpgate"
	"github.com/toolverdict/toolverdict/internal/switches"
	"github.com/toolverdict/toolverdict/ledger"
)

// folder is a desk with one approval on it.
type folder struct{ approval tv.Approval }

func (f folder) Get(context.Context, tv.Subject, string) (tv.Approval, error) { return f.approval, nil }

func (f folder) List(context.Context, tv.Subject, tv.ApprovalQuery) ([]tv.Approval, error) {
	return []tv.Approval{f.approval}, nil
}

// Whoever decides can see all of a call: what a summary leaves out may be what
// matters. A list stays short.
func TestApproverSeesTheWholeCall(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	desk, err := approval.New(approval.Config{Store: s.store, Now: time.Now, NewID: func() string { return "a" }, Text: gatetest.Redactor{}.Text})
	if err != nil {
		t.Fatal(err)
	}
	book, err := ledger.New(ledger.Config{Store: s.store, Now: time.Now, Text: gatetest.Redactor{}.Text})
	if err != nil {
		t.Fatal(err)
	}
	tool := gatetest.Tool("cancel", gatetest.Destructive)
	on := folder{desk.Draft(tv.Question{
		Call: &tv.Call{ID: "c", Tool: tool.Name(), Subject: subjects["agent-key"], Bytes: []byte(`{}`)}, Tool: tool,
		Redacted: json.RawMessage(`{"x":"harmless…"}`), Whole: json.RawMessage(`{"x":"harmless; harmful"}`),
	})}
	front, err := httpgate.New(httpgate.Config{
		NewID: newRequestID,
		Gate:  s.gate, Reader: on, Voter: desk, Book: &ledger.Clerk{Book: book}, Choices: switches.Board{Store: s.store, Known: func(string) bool { return false }, Now: time.Now}, Records: finder{s.store}, All: func() []*tv.Tool { return nil },
		Authenticate: func(b string) (tv.Subject, bool) { sub, ok := subjects[b]; return sub, ok },
		Run:          func(tv.Subject) tv.Run { return tv.Run{} },
		Ready:        func(context.Context) error { return nil }, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	for path, harmful := range map[string]bool{"/v1/approvals/a": true, "/v1/approvals": false} {
		r := httptest.NewRequestWithContext(context.Background(), http.MethodGet, "http://localhost"+path, nil)
		r.Header.Set("Authorization", "Bearer boss-key")
		w := httptest.NewRecorder()
		front.ServeHTTP(w, r)
		if body := w.Body.String(); w.Code != http.StatusOK || strings.Contains(body, `"arguments":{"x":"harmless; harmful"}`) != harmful || strings.Contains(body, "harmful") != harmful {
			t.Errorf("%s: %d %s", path, w.Code, body)
		}
	}
}
