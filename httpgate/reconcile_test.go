// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/ledger"
)

// lose leaves a call of which nobody knows what came; by ask its tool can be
// asked.
func (s *site) lose(key string, ask *tv.Reconcile) {
	s.t.Helper()
	err := s.store.Commit(s.t.Context(), tv.Changes{
		Records: []tv.Record{{Kind: tv.RecordDecision, At: time.Now()}},
		Claims:  []tv.ClaimChange{{To: tv.Claim{Key: key, State: tv.ClaimUnknown, Tool: "server/cancel", CallID: "call-" + key, Updated: time.Now(), Reconcile: ask}}},
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

func TestReconcile(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	// The tool of this gate answers with its arguments.
	ask := func(state string) *tv.Reconcile {
		return &tv.Reconcile{
			Tool: "server/read", Arguments: map[string]tv.Term{"state": {From: "/private", Value: []byte(`"` + state + `"`)}},
			Succeeded: []tv.Finding{{At: "/state", Is: []tv.Term{{Value: []byte(`"done"`)}}}},
		}
	}
	s.lose("ran", ask("done"))
	s.lose("open", ask("open"))
	s.lose("bare", nil)
	admin := s.as("admin-key")
	all, err := admin.Ledger(t.Context(), "unknown")
	if err != nil || len(all) != 3 {
		t.Fatalf("%d entries, %v", len(all), err)
	}
	for _, c := range all {
		if (c.Reconcile != nil) != (c.Key != "bare") || c.Reconcile != nil && (c.Reconcile.Tool != "server/read" || c.Reconcile.Arguments != nil || c.Reconcile.Succeeded != nil) {
			t.Errorf("of %s the list shows %+v", c.Key, c.Reconcile)
		}
	}
	found, err := admin.Reconcile(t.Context(), "open")
	if err != nil || found.State != tv.ClaimUnknown || found.Doubt != ledger.DoubtNeither || string(found.Answer) != `{"state":"open"}` {
		t.Errorf("%+v, %v", found, err)
	}
	found, err = admin.Reconcile(t.Context(), "ran")
	if err != nil || found.State != tv.ClaimSucceeded || !strings.Contains(found.Detail, `/state is "done"`) {
		t.Errorf("%+v, %v", found, err)
	}
	for _, key := range []string{"ran", "bare"} {
		if _, err := admin.Reconcile(t.Context(), key); status(err) != http.StatusConflict {
			t.Errorf("%s again: %v", key, err)
		}
	}
	for _, bad := range []string{`{}`, `{"key":7}`, `{"key":"open","as":"failed"}`} {
		if got, body := s.post("admin-key", "/v1/ledger/reconcile", bad, nil); got == http.StatusOK {
			t.Errorf("%s: %s", bad, body)
		}
	}
}
