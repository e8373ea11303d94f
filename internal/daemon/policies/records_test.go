// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policies_test

import (
	"log/slog"
	"testing"

	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/internal/store/memory"
)

// recordsOf are the details of all records, oldest first.
func recordsOf(t *testing.T, j *memory.Store) []string {
	t.Helper()
	view, err := j.Log(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found, err := view.Find(t.Context(), audit.Query{Page: audit.Page{Limit: 1000}})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, r := range found {
		if r.PolicyHash == "" || r.PolicyVersion == "" {
			t.Errorf("a record does not say which policy is in force: %+v", r)
		}
		out = append(out, r.Detail)
	}
	return out
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }
