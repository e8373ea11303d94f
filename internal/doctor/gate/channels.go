// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/toolverdict/toolverdict/internal/doctor"
)

// Channels has a served gate send a card that is of no approval to each of its
// channels, for an administrator.
type Channels struct {
	Server, Key string
	Names       []string
	Client      *http.Client
}

// Try sends the cards.
func (c Channels) Try(ctx context.Context) []doctor.Finding {
	if c.Server == "" || c.Key == "" {
		return doctor.Unseen("serve the gate, and name the file of an administrator's key with --admin-key-file", "channels: not tried: no gate is served, or no administrator's key is known")
	}
	var found []doctor.Finding
	for _, name := range c.Names {
		if err := c.send(ctx, name); err != nil {
			found = append(found, doctor.Warned("toolverdict notify status", "channel %s: %v", name, err)...)
			continue
		}
		found = append(found, doctor.Good("channel %s: a card was taken", name)...)
	}
	return found
}

func (c Channels) send(ctx context.Context, name string) error {
	at := c.Server + "/v1/channels/" + url.PathEscape(name) + "/test"
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, at, strings.NewReader("{}"))
	if err != nil {
		return errors.New("the gate's address is none")
	}
	req.Header.Set("Authorization", "Bearer "+c.Key)
	req.Header.Set("Content-Type", "application/json")
	res, err := c.Client.Do(req)
	if err != nil {
		return fmt.Errorf("the gate does not answer: %v", err)
	}
	defer res.Body.Close()
	said, err := io.ReadAll(io.LimitReader(res.Body, mostSaid))
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("status %d: %s", res.StatusCode, strings.Join(strings.Fields(string(said)), " "))
	}
	return err
}
