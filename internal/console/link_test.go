// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package console_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	tv "github.com/toolverdict/toolverdict"
)

// accounts is one account that waits to be linked.
type accounts struct {
	taken []string
	err   error
}

type others struct{ error }

func (others) Conflict() string { return "x" }

func (a *accounts) Offer(_ context.Context, code string) (channel, account string, err error) {
	if code != "good" {
		return "", "", tv.ErrNotFound
	}
	return "ops", "T1/U1 (<b>\u202eeve</b>)", a.err
}

func (a *accounts) Take(_ context.Context, by tv.Subject, code string) error {
	if code != "good" {
		return tv.ErrNotFound
	}
	a.taken = append(a.taken, by.ID)
	return a.err
}

// TestLink: who is signed in is shown the account first, and linked by a form of
// the console's own alone.
func TestLink(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	cookie := r.signIn("ada")
	page := r.visit(http.MethodGet, "/console/link/good", cookie, nil)
	if page.Code != http.StatusOK || !strings.Contains(page.Body.String(), `&lt;b&gt;\u{202E}eve`) || strings.Contains(page.Body.String(), "<b>") {
		t.Errorf("%d %s", page.Code, page.Body)
	}
	if w := r.visit(http.MethodPost, "/console/link/good", cookie, nil, "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"); w.Code != http.StatusForbidden || len(r.accounts.taken) != 0 {
		t.Errorf("a page of others: %d, linked to %v", w.Code, r.accounts.taken)
	}
	if w := r.visit(http.MethodPost, "/console/link/good", cookie, nil); w.Code != http.StatusOK || strings.Join(r.accounts.taken, " ") != "ada" {
		t.Errorf("%d, linked to %v", w.Code, r.accounts.taken)
	}
	if w := r.visit(http.MethodGet, "/console/link/bad", cookie, nil); w.Code != http.StatusNotFound {
		t.Errorf("a code that is not known: %d", w.Code)
	}
	r.accounts.err = others{errors.New("taken")}
	if w := r.visit(http.MethodPost, "/console/link/good", cookie, nil); w.Code != http.StatusConflict {
		t.Errorf("somebody else's: %d", w.Code)
	}
	var log bytes.Buffer
	r.Door.Logger = slog.New(slog.NewTextHandler(&log, nil))
	r.accounts.err = errors.New("disk")
	if w := r.visit(http.MethodPost, "/console/link/good", cookie, nil); w.Code != http.StatusServiceUnavailable || !strings.Contains(log.String(), "disk") || strings.Contains(log.String(), "good") {
		t.Errorf("a fault: %d; the log, which must not hold the code: %s", w.Code, log.String())
	}
	if w := r.visit(http.MethodGet, "/console/link/good", "", nil); w.Code != http.StatusSeeOther {
		t.Errorf("nobody: %d", w.Code)
	}
}
