// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package overview

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict/internal/plain"
)

// channel is how a channel is doing, as the API shows it.
type channel struct {
	Name      string    `json:"name"`
	Kind      string    `json:"kind"`
	Decide    []string  `json:"decide"`
	Queued    int       `json:"queued"`
	Failing   int       `json:"failing"`
	Shown     int       `json:"shown"`
	More      bool      `json:"more"`
	Delivered time.Time `json:"delivered"`
	Error     string    `json:"error"`
	Since     time.Time `json:"since"`
}

// State is how it is doing in a word.
func (c channel) State() string {
	switch {
	case c.Error != "" || c.Failing > 0:
		return "failing"
	case c.Delivered.IsZero():
		return "unused"
	}
	return "works"
}

// Decides are the risks that are decided in it.
func (c channel) Decides() string { return plain.Reveal(strings.Join(c.Decide, ", ")) }

// channels asks how they are doing, for an administrator.
func (m *Room) channels(ctx context.Context, b *body) error {
	if m.Config.Channels == nil || !b.Admin {
		return nil
	}
	all, err := m.Config.Channels(ctx)
	if err != nil {
		return fmt.Errorf("ask how channels are doing: %w", err)
	}
	raw, err := json.Marshal(all)
	if err == nil {
		err = json.Unmarshal(raw, &b.Channels)
	}
	if err != nil {
		return fmt.Errorf("read how channels are doing: %w", err)
	}
	for i := range b.Channels {
		c := &b.Channels[i]
		c.Name, c.Kind, c.Error = plain.Reveal(c.Name), plain.Reveal(c.Kind), plain.Reveal(c.Error)
	}
	return nil
}
