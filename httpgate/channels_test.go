// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	tv "github.com/toolverdict/toolverdict"
)

// chats are channels that remember what was asked of them.
type chats struct {
	mu    sync.Mutex
	asked []string
	err   error
}

func (c *chats) note(format string, args ...any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, fmt.Sprintf(format, args...))
	return c.err
}

func (c *chats) Status(context.Context) (any, error)       { return []string{}, c.note("status") }
func (c *chats) Test(_ context.Context, name string) error { return c.note("test %s", name) }
func (c *chats) Links(_ context.Context, by tv.Subject) (any, error) {
	return []string{by.ID}, c.note("links of %s", by.ID)
}

func (c *chats) Link(_ context.Context, by tv.Subject, code string) (any, error) {
	return map[string]string{"subject": by.ID}, c.note("%s is %s", code, by.ID)
}

func (c *chats) Unlink(_ context.Context, by tv.Subject, channel, account string) error {
	return c.note("%s takes %s of %s away", by.ID, account, channel)
}

type conflict struct{ error }

func (c conflict) Conflict() string { return "The link was used." }

// TestWhoHasToDoWithChannels: officers see them, an admin in person tests them,
// and people have accounts; agents have none, whatever their roles.
func TestWhoHasToDoWithChannels(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, c := range []struct{ path, body, may string }{
		{"/v1/channels", "", "admin-key boss-key"},
		{"/v1/channels/ops/test", `{}`, "admin-key"},
		{"/v1/links", "", "admin-key boss-key clerk-key"},
		{"/v1/links", `{"code":"c1"}`, "admin-key boss-key clerk-key"},
		{"/v1/links/remove", `{"channel":"ops","operator":"T/U"}`, "admin-key boss-key clerk-key"},
	} {
		for _, key := range []string{"admin-key", "boss-key", "clerk-key", "agent-key", "machine-key", "no-key"} {
			before := len(s.chats.asked)
			got, answer := s.get(key, c.path)
			if c.body != "" {
				got, answer = s.post(key, c.path, c.body, nil)
			}
			may := strings.Contains(c.may, key)
			if may != (got == http.StatusOK) || may != (len(s.chats.asked) > before) {
				t.Errorf("%s asks %s %s: %d %s", key, c.path, c.body, got, answer)
			}
		}
	}
	for name, c := range map[string]struct {
		err  error
		want int
	}{"refused": {conflict{errors.New("x")}, http.StatusConflict}, "nothing": {tv.ErrNotFound, http.StatusNotFound}, "fault": {errors.New("disk"), http.StatusServiceUnavailable}} {
		s.chats.err = c.err
		if got, answer := s.post("boss-key", "/v1/links", `{"code":"c"}`, nil); got != c.want || strings.Contains(answer, "disk") {
			t.Errorf("%s: %d %s", name, got, answer)
		}
	}
	for _, body := range []string{`{"code":1}`, `{"code":"c","by":"root"}`, `[]`} {
		if got, answer := s.post("boss-key", "/v1/links", body, nil); got != http.StatusBadRequest {
			t.Errorf("%s: %d %s", body, got, answer)
		}
	}
}
