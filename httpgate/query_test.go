// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// fetch reads a path as the owner of a key.
func (s *site) fetch(key, path string) (int, string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := tester.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// A slip in a parameter, or in the name of a tool, must not pass for what was
// meant.
func TestSlipsAreRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for path, want := range map[string]string{
		"/v1/tools?readonly=true":      `Unknown parameter \"readonly\"`,
		"/v1/tools?readOnly=yes":       "must be one of true, false",
		"/v1/tools?all=true&all=false": "more than once",
		"/v1/approvals?state=pending":  `Unknown parameter \"state\"`,
		"/v1/approvals?status=foo":     "must be one of pending, approved",
		"/v1/approvals?limit=-1":       "whole number",
		"/v1/ledger?status=unknown":    `Unknown parameter \"status\"`,
		"/v1/ledger?state=foo":         "must be one of waiting, dispatched",
		"/v1/audit?verdict=maybe":      "must be one of allow, ask, deny",
		"/v1/audit?code=policy_denied": "must be one of UNKNOWN_TOOL",
		"/v1/audit?order=up":           "must be one of newest, oldest",
		"/v1/audit?since=yesterday":    `Unknown parameter \"since\"`,
	} {
		if status, body := s.fetch("admin-key", path); status != http.StatusBadRequest || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	for _, verb := range []string{"disable", "enable"} {
		if status, body := s.post("clerk-key", "/v1/tools/server/raed/"+verb, `{}`, nil); status != http.StatusNotFound {
			t.Errorf("%s a tool that there is not: %d %s", verb, status, body)
		}
	}
	if status, body := s.fetch("admin-key", "/v1/nope"); status != http.StatusNotFound || !strings.Contains(body, `"title"`) {
		t.Errorf("a path that there is not: %d %s", status, body)
	}
	if status, body := s.fetch("boss-key", "/v1/ledger"); status != http.StatusOK || !strings.Contains(body, `"claims":[]`) {
		t.Errorf("an empty ledger: %d %s", status, body)
	}
}
