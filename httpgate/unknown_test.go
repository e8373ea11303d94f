// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate_test

import (
	"context"
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
	"github.com/toolverdict/toolverdict/httpgate/client"
	"github.com/toolverdict/toolverdict/internal/switches"
	"github.com/toolverdict/toolverdict/ledger"
)

// holding is a site whose front knows of a tool that waits for review, and of
// the subjects.
func holding(t *testing.T) *site {
	t.Helper()
	s := newSite(t)
	text := gatetest.Redactor{}.Text
	desk, err := approval.New(approval.Config{Store: s.store, Now: time.Now, NewID: func() string { return "" }, Text: text})
	if err != nil {
		t.Fatal(err)
	}
	book, err := ledger.New(ledger.Config{Store: s.store, Now: time.Now, Text: text})
	if err != nil {
		t.Fatal(err)
	}
	front, err := httpgate.New(httpgate.Config{
		NewID: newRequestID,
		Gate:  s.gate, Reader: desk, Voter: desk, Book: &ledger.Clerk{Book: book}, Choices: switches.Board{Store: s.store, Known: func(name string) bool { return name == "server/read" || name == "server/held" }, Now: time.Now}, Records: finder{s.store},
		All:          func() []*tv.Tool { return []*tv.Tool{gatetest.Tool("read", nil)} },
		Held:         func(tool string) (string, bool) { return "its description changed", tool == "server/held" },
		Subjects:     func(user string) []string { return map[string][]string{"clerk": {"agent", "clerk"}}[user] },
		Authenticate: func(b string) (tv.Subject, bool) { sub, ok := subjects[b]; return sub, ok },
		Run:          func(sub tv.Subject) tv.Run { return tv.Run{ReadOnly: sub.ID == "reader"} },
		Ready:        func(context.Context) error { return nil }, Now: time.Now, Log: slog.New(slog.DiscardHandler), Limits: limits,
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(front)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// TestUnknownToolsAreTold says that a tool waits for review, and which one was
// meant where there is none, but not of tools that the caller may not see.
func TestUnknownToolsAreTold(t *testing.T) {
	t.Parallel()
	s := holding(t)
	if err := s.store.Switch(t.Context(), "somebody", "server/read", true, tv.Record{Kind: tv.RecordAdmin, At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ key, tool, message, advice string }{
		"held":                {"agent-key", "server/held", "waits for an operator's review and cannot be called: its description changed", "toolverdict tools diff"},
		"a slip":              {"agent-key", "server/cancle", "There is no such tool.", `Did you mean "server/cancel"? `},
		"another case":        {"agent-key", "Server/Read", "There is no such tool.", `Did you mean "server/read"? `},
		"no server":           {"agent-key", "cancel", "There is no such tool.", `Did you mean "server/cancel"? `},
		"nothing like it":     {"agent-key", "files/delete_all", "There is no such tool.", ""},
		"hidden by the run":   {"readonly-key", "server/cancle", "There is no such tool.", ""},
		"hidden by its user":  {"other-key", "server/raed", "There is no such tool.", ""},
		"an ending is no end": {"agent-key", "ancel", "There is no such tool.", ""},
	} {
		res, raw, err := s.as(c.key).Do(t.Context(), client.Call{Tool: c.tool, Arguments: []byte(`{}`)})
		if err != nil || res.Error == nil || res.Error.Code != tv.UnknownTool {
			t.Fatalf("%s: %s %v", name, raw, err)
		}
		if !strings.Contains(res.Error.Message, c.message) || !strings.Contains(res.Error.RecommendedAction, c.advice) ||
			c.advice == "" && strings.Contains(res.Error.RecommendedAction, "Did you mean") {
			t.Errorf("%s: %s", name, raw)
		}
	}
	if _, body := s.post("agent-key", "/v1/batch", `{"calls":[{"tool":"server/read"},{"tool":"server/held"}]}`, nil); !strings.Contains(body, "operator's review") {
		t.Errorf("batch: %s", body)
	}
	if n := len(s.exec.Ran()); n != 1 {
		t.Errorf("%d calls ran, want the one of the batch", n)
	}
}

// TestStoredCallOfAHeldTool says so too where only the confirmation is named.
func TestStoredCallOfAHeldTool(t *testing.T) {
	t.Parallel()
	s := holding(t)
	a := tv.Approval{
		ID: "stored", State: tv.ApprovalApproved, Card: tv.Card{Tool: "server/held", Requester: "clerk"},
		Call:    tv.StoredCall{Tool: "server/held", Arguments: []byte(`{}`), Subject: subjects["agent-key"]},
		Created: time.Now(), Expires: time.Now().Add(time.Hour),
	}
	pending := a
	pending.State = tv.ApprovalPending
	for i, step := range []tv.Approval{pending, a} {
		err := s.store.Commit(t.Context(), tv.Changes{
			Records:   []tv.Record{{Kind: tv.RecordApproval, At: time.Now(), CallID: "call"}},
			Approvals: []tv.ApprovalChange{{From: int64(i), To: step}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	res, raw, err := s.as("agent-key").Do(t.Context(), client.Call{Confirmation: "stored"})
	if err != nil || res.Error == nil || !strings.Contains(res.Error.Message, "operator's review") {
		t.Errorf("%s %v", raw, err)
	}
}

func TestChoicesSayForWhom(t *testing.T) {
	t.Parallel()
	s := holding(t)
	for _, c := range []struct{ key, tool, user, want string }{
		{"clerk-key", "read", "", `{"user":"clerk","tool":"server/read","disabled":true,"subjects":["agent","clerk"]}`},
		{"clerk-key", "held", "", `{"user":"clerk","tool":"server/held","disabled":true,"subjects":["agent","clerk"]}`},
		{"admin-key", "read", "?user=nobody", `{"user":"nobody","tool":"server/read","disabled":true,"subjects":[]}`},
	} {
		status, body := s.post(c.key, "/v1/tools/server/"+c.tool+"/disable"+c.user, `{}`, nil)
		if status != http.StatusOK || strings.TrimSpace(body) != c.want {
			t.Errorf("%s for %s: %d %s", c.tool, c.user, status, body)
		}
	}
	now, err := s.as("clerk-key").Choose(t.Context(), "server/read", false, "")
	if err != nil || now.Disabled || now.User != "clerk" || len(now.Subjects) != 2 {
		t.Errorf("%+v %v", now, err)
	}
	for _, tool := range []string{"raed", "", "/", "server/", "/read", "server/raed"} {
		if _, err := s.as("clerk-key").Choose(t.Context(), tool, true, ""); status(err) != http.StatusNotFound {
			t.Errorf("%q: %v", tool, err)
		}
	}
}

// TestArgumentsThatAreNoJSON has the gate count in what was typed, not in the
// request that the client made of it, and keeps them from being anything else.
func TestArgumentsThatAreNoJSON(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for arguments, want := range map[string]string{
		`{order_id:A1001}`:              "line 1, column 2: ",
		"{\n\"a\":1,\"a\":2}":           "line 2, column 7 (/a): duplicate key",
		"":                              "line 1, column 1: empty input",
		`{},"wait":"60s"`:               "line 1, column 3: trailing data",
		`{},"run":{"readOnly":false}`:   "line 1, column 3: trailing data",
		`{"a":"\ud800"}`:                "line 1, column 7 (/a): lone surrogate",
		"{\"a\":\"\xff\"}":              "invalid utf-8",
		"{},\"id\":\"\xff\",\"wait\":1": "invalid utf-8",
	} {
		res, raw, err := s.as("agent-key").Do(t.Context(), client.Call{Tool: "server/read", Arguments: []byte(arguments)})
		if err != nil || res.Error == nil || res.Error.Code != tv.MalformedCall || !strings.Contains(res.Error.Message, want) {
			t.Errorf("%q: %s %v", arguments, raw, err)
		}
	}
	if ran := s.exec.Ran(); len(ran) > 0 {
		t.Errorf("ran %v", ran)
	}
}
