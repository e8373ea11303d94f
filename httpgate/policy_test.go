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
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/rollout"
)

// kept are policies that remember what was asked of them.
type kept struct {
	asked []string
	err   error
}

func (k *kept) Status(context.Context) (any, error) {
	p := rollout.Point{Hash: "abc", Version: "v2", Origin: "files", At: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	return rollout.Status{Active: p, Source: p, Refused: &rollout.Refusal{Origin: "files", Reason: "policy.yaml:1:2: no", At: p.At}}, k.err
}

func (k *kept) Versions(context.Context) (any, error) { return []rollout.Point{}, k.err }

func (k *kept) Rollback(_ context.Context, by, name, reason string) (any, error) {
	k.asked = append(k.asked, fmt.Sprintf("%s to %q because %q", by, name, reason))
	return rollout.Point{Hash: "abc", Version: name}, k.err
}

func (k *kept) Resume(_ context.Context, by string) (any, error) {
	k.asked = append(k.asked, by+" goes on")
	return rollout.Point{Hash: "abc", Version: "v2"}, k.err
}

func (s *site) get(key, path string) (int, string) {
	s.t.Helper()
	status, body := s.send(key, http.MethodGet, path, "", nil)
	return status, strings.TrimSpace(body)
}

// TestWhoMayChangePolicies: officers see which one is in force, an admin in
// person changes it, and nobody else does either.
func TestWhoMayChangePolicies(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for key, want := range map[string][2]int{
		"admin-key": {http.StatusOK, http.StatusOK}, "boss-key": {http.StatusOK, http.StatusForbidden},
		"clerk-key": {http.StatusForbidden, http.StatusForbidden}, "agent-key": {http.StatusForbidden, http.StatusForbidden},
		"machine-key": {http.StatusForbidden, http.StatusForbidden}, "no-key": {http.StatusUnauthorized, http.StatusUnauthorized},
	} {
		for _, path := range []string{"/v1/policy", "/v1/policy/versions"} {
			if got, body := s.get(key, path); got != want[0] {
				t.Errorf("%s gets %s: %d %s", key, path, got, body)
			}
		}
		before := len(s.kept.asked)
		for path, body := range map[string]string{"rollback": `{"to":"v1","reason":"r"}`, "resume": `{}`} {
			if got, answer := s.post(key, "/v1/policy/"+path, body, nil); got != want[1] {
				t.Errorf("%s posts %s: %d %s", key, path, got, answer)
			}
		}
		if allowed := want[1] == http.StatusOK; allowed != (len(s.kept.asked) > before) {
			t.Errorf("%s: asked %q", key, s.kept.asked)
		}
	}
	if got := strings.Join(s.kept.asked, ", "); !strings.Contains(got, `root to "v1" because "r"`) || !strings.Contains(got, "root goes on") {
		t.Errorf("asked: %s", got)
	}
	_, body := s.get("admin-key", "/v1/policy")
	want := `{"active":{"hash":"abc","version":"v2","origin":"files","at":"2026-11-30T12:00:00Z"},"rollback":null,"source":{"hash":"abc","version":"v2","origin":"files","at":"2026-11-30T12:00:00Z"},"lastError":{"origin":"files","reason":"policy.yaml:1:2: no","at":"2026-11-30T12:00:00Z"}}`
	if body != want {
		t.Errorf("status: %s", body)
	}
	if _, body := s.get("admin-key", "/v1/policy/versions"); body != `{"versions":[]}` {
		t.Errorf("versions: %s", body)
	}
}

func TestRollbackRequests(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for name, body := range map[string]string{
		"unknown member": `{"to":"v1","force":true}`, "a number": `{"to":1}`, "twice": `{"to":"v1","to":"v2"}`, "no object": `"v1"`,
	} {
		if got, answer := s.post("admin-key", "/v1/policy/rollback", body, nil); got != http.StatusBadRequest || len(s.kept.asked) > 0 {
			t.Errorf("%s: %d %s", name, got, answer)
		}
	}
	form := func(r *http.Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") }
	if got, _ := s.post("admin-key", "/v1/policy/resume", `{}`, form); got != http.StatusUnsupportedMediaType || len(s.kept.asked) > 0 {
		t.Errorf("a form: %d", got)
	}
	for want, errs := range map[int][]error{
		http.StatusNotFound:           {tv.ErrNotFound},
		http.StatusConflict:           {rollout.ErrAmbiguous, rollout.ErrInForce, rollout.ErrNoRollback, rollout.ErrUnusable},
		http.StatusServiceUnavailable: {errors.New("disk /srv/secret is full")},
	} {
		for _, err := range errs {
			s.kept.err = fmt.Errorf("policy.yaml: %w", err)
			for path, body := range map[string]string{"rollback": `{"to":"v1"}`, "resume": `{}`} {
				if got, answer := s.post("admin-key", "/v1/policy/"+path, body, nil); got != want || strings.Contains(answer, "policy.yaml") || strings.Contains(answer, "/srv") {
					t.Errorf("%v: %d %s", err, got, answer)
				}
			}
		}
	}
	// A front without kept policies has no such routes.
	if got, _ := holding(t).get("admin-key", "/v1/policy"); got != http.StatusNotFound {
		t.Errorf("without policies: %d", got)
	}
}
