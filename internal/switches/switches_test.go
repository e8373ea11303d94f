// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package switches_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/switches"
)

// kept is a store that remembers the last record.
type kept struct {
	off    map[string][]string
	last   tv.Record
	broken error
}

func (k *kept) Disabled(_ context.Context, user string) ([]string, error) {
	return k.off[user], k.broken
}

func (k *kept) Switch(_ context.Context, user, tool string, off bool, r tv.Record) error {
	k.last = r
	k.off[user] = nil
	if off {
		k.off[user] = []string{tool}
	}
	return k.broken
}

type choice struct {
	By       tv.Subject
	Of, Tool string
	Off      bool
}

func TestWhoMaySwitch(t *testing.T) {
	t.Parallel()
	clerk := tv.Subject{ID: "clerk", Kind: tv.Person}
	helper := tv.Subject{ID: "helper", Kind: tv.Person, User: "clerk"}
	root := tv.Subject{ID: "root", Kind: tv.Person, Roles: []string{"admin"}}
	bot := tv.Subject{ID: "bot", Kind: tv.Agent, User: "clerk", Roles: []string{"admin"}}
	broken := errors.New("disk full")
	for name, c := range map[string]struct {
		choice choice
		user   string
		err    error
		broken error
	}{
		"own":                       {choice{By: clerk, Tool: "s/t", Off: true}, "clerk", nil, nil},
		"for whom they work":        {choice{By: helper, Tool: "s/t", Off: true}, "clerk", nil, nil},
		"named themselves":          {choice{By: clerk, Of: "clerk", Tool: "s/t", Off: true}, "clerk", nil, nil},
		"somebody else":             {choice{By: clerk, Of: "eve", Tool: "s/t", Off: true}, "", switches.ErrNotAdmin, nil},
		"an admin for another":      {choice{By: root, Of: "eve", Tool: "s/t", Off: true}, "eve", nil, nil},
		"an agent, with every role": {choice{By: bot, Tool: "s/t"}, "", switches.ErrNotPerson, nil},
		"nobody":                    {choice{Tool: "s/t"}, "", switches.ErrNotPerson, nil},
		"no such tool":              {choice{By: clerk, Tool: "s/other", Off: true}, "", tv.ErrNotFound, nil},
		"gone, and switched off":    {choice{By: clerk, Tool: "s/gone"}, "clerk", nil, nil},
		"not a name":                {choice{By: clerk, Tool: "s/t\n"}, "", switches.ErrName, nil},
		"not a user":                {choice{By: root, Of: "e v e", Tool: "s/t"}, "", switches.ErrName, nil},
		"a store that fails":        {choice{By: clerk, Tool: "s/t"}, "clerk", broken, broken},
		"choices that are not read": {choice{By: clerk, Tool: "s/other"}, "", broken, broken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := &kept{off: map[string][]string{"clerk": {"s/gone"}}, broken: c.broken}
			at := time.Unix(7, 0)
			board := switches.Board{Store: store, Known: func(tool string) bool { return tool == "s/t" }, Now: func() time.Time { return at }}
			user, err := board.Switch(t.Context(), c.choice.By, c.choice.Of, c.choice.Tool, c.choice.Off)
			if !errors.Is(err, c.err) || err != nil && c.err == nil || user != c.user {
				t.Fatalf("for %q, %v", user, err)
			}
			if err != nil {
				if c.broken == nil && store.last.Kind != "" {
					t.Errorf("a refused choice was written: %+v", store.last)
				}
				return
			}
			word := "on"
			if c.choice.Off {
				word = "off"
			}
			want := tv.Record{Kind: tv.RecordAdmin, At: at, Subject: c.choice.By.ID, User: c.choice.By.User, Door: tv.DoorHTTP,
				Tool: c.choice.Tool, Detail: "switched " + word + " for " + c.user}
			if diff := cmp.Diff(want, store.last); diff != "" {
				t.Error(diff)
			}
		})
	}
}
