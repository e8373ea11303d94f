// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
)

// granter answers with what it was asked, or with an error.
type granter struct{ err error }

func (g *granter) Grant(_ context.Context, by tv.Subject, approval string, choice []byte) (any, error) {
	return map[string]string{"asked": fmt.Sprintf("grant %s %s %s", by.ID, approval, choice)}, g.err
}

func (g *granter) Grants(_ context.Context, by tv.Subject, all bool) (any, error) {
	return map[string]string{"asked": fmt.Sprintf("list %s %v", by.ID, all)}, g.err
}

func (g *granter) Show(_ context.Context, by tv.Subject, id string) (any, error) {
	return map[string]string{"asked": fmt.Sprintf("show %s %s", by.ID, id)}, g.err
}

func (g *granter) TakeBack(_ context.Context, by tv.Subject, id, reason string) (any, error) {
	return map[string]string{"asked": fmt.Sprintf("revoke %s %s %s", by.ID, id, reason)}, g.err
}

type refusedGrant struct{}

func (refusedGrant) Error() string   { return "no" }
func (refusedGrant) Refusal() string { return "it is too wide" }

func TestGrantRoutes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for name, c := range map[string]struct {
		method, path, body, kind string
		err                      error
		status                   int
		want                     string
	}{
		"without a body":        {"POST", "/v1/approvals/a1/grant", "", "", nil, 200, "grant boss a1 "},
		"with a choice":         {"POST", "/v1/approvals/a1/grant", `{"uses":2}`, "application/json", nil, 200, `grant boss a1 {\"uses\":2}`},
		"as a form":             {"POST", "/v1/approvals/a1/grant", `uses=2`, "application/x-www-form-urlencoded", nil, 415, "application/json"},
		"open ones":             {"GET", "/v1/grants", "", "", nil, 200, "list boss false"},
		"all":                   {"GET", "/v1/grants?all=true", "", "", nil, 200, "list boss true"},
		"some other word":       {"GET", "/v1/grants?all=yes", "", "", nil, 400, "all"},
		"an unknown parameter":  {"GET", "/v1/grants?al=true", "", "", nil, 400, "al"},
		"one":                   {"GET", "/v1/grants/g1", "", "", nil, 200, "show boss g1"},
		"taken back":            {"POST", "/v1/grants/g1/revoke", `{"reason":"x"}`, "application/json", nil, 200, "revoke boss g1 x"},
		"an unknown member":     {"POST", "/v1/grants/g1/revoke", `{"why":"x"}`, "application/json", nil, 400, "why"},
		"a reason that is none": {"POST", "/v1/grants/g1/revoke", `{"reason":1}`, "application/json", nil, 400, "reason"},
		"too wide":              {"POST", "/v1/approvals/a1/grant", `{}`, "application/json", refusedGrant{}, 422, "it is too wide."},
		"of nobody":             {"GET", "/v1/grants/g1", "", "", fmt.Errorf("x: %w", tv.ErrNotFound), 404, "no such"},
		"not theirs":            {"POST", "/v1/grants/g1/revoke", `{}`, "application/json", fmt.Errorf("x: %w", approval.ErrNotEligible), 403, "may not decide"},
		"for several people":    {"POST", "/v1/approvals/a1/grant", "", "", fmt.Errorf("x: %w", approval.ErrTogether), 403, "more than one person"},
		"over":                  {"POST", "/v1/grants/g1/revoke", `{}`, "application/json", fmt.Errorf("x: %w", approval.ErrDecided), 409, "over already"},
		"broken":                {"GET", "/v1/grants", "", "", errors.New("secret detail"), 503, "cannot be read"},
	} {
		s.granter.err = c.err
		var status int
		var body string
		if c.method == http.MethodGet {
			status, body = s.get("boss-key", c.path)
		} else {
			status, body = s.post("boss-key", c.path, c.body, func(r *http.Request) { r.Header.Set("Content-Type", c.kind) })
		}
		if status != c.status || !strings.Contains(body, c.want) || strings.Contains(body, "secret detail") {
			t.Errorf("%s: got %d %s, want %d with %q", name, status, body, c.status, c.want)
		}
	}
	for _, path := range []string{"/v1/approvals/a1/grant", "/v1/grants/g1/revoke"} {
		if status, _ := s.post("nobody", path, `{}`, nil); status != http.StatusUnauthorized {
			t.Errorf("%s without a key: %d", path, status)
		}
	}
	if status, _ := s.get("nobody", "/v1/grants"); status != http.StatusUnauthorized {
		t.Errorf("the list without a key: %d", status)
	}
}
