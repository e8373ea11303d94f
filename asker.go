// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// A person who is asked without end agrees in the end. So one run has only so
// many questions open at a time, and asks nothing again that was rejected.

// Room is what a new question expects of the others of its asker.
type Room struct {
	Most     int           // of them wait, with this one; 0 expects nothing
	Remember time.Duration // how long this very call may not have been rejected
}

// Bounds of what one run may ask.
const (
	defaultOpenAsks = 5
	rememberNo      = 24 * time.Hour
)

// Asker names the run in which the caller asks, or else its session, or else the
// caller: those whose questions are counted together.
func (c *StoredCall) Asker() string {
	kind, name := "caller", ""
	switch {
	case c.Run.ID != "":
		kind, name = "run", c.Run.ID
	case c.Session != "":
		kind, name = "session", c.Session
	}
	var b []byte
	for _, part := range []string{kind, name, c.Subject.ID, c.Subject.User, c.Subject.Agent} {
		b = append(canon.AppendString(b, part), ',')
	}
	sum := sha256.Sum256(b)
	return kind + ":" + hex.EncodeToString(sum[:16])
}

// room is what a question of this call expects. A no to a caller that names
// neither run nor session holds until its own deadline only: nothing would ever
// end it.
func (g *Gate) room(c *StoredCall) Room {
	r := Room{Most: g.OpenAsks}
	if c.Run.ID != "" || c.Session != "" {
		r.Remember = rememberNo
	}
	return r
}

// crowded makes an answer to the caller of a question that there was no room for,
// or of a call that a person said no to.
func (g *Gate) crowded(ctx context.Context, conflict error) error {
	c, _ := errors.AsType[*ConflictError](conflict)
	switch {
	case c != nil && c.What == ConflictAsks:
		r := refusal(RateLimited, fmt.Sprintf("%d calls of this run wait for a person already. Do not ask for more until they are answered.", g.OpenAsks))
		r.RecommendedAction = "Wait until the open questions are answered, or cancel them, then repeat the call."
		r.RetryAfter = time.Minute.Seconds()
		return r
	case c != nil && c.What == ConflictRejected:
		a, err := g.Store.Approval(ctx, c.Key)
		if err != nil {
			return fmt.Errorf("read approval: %w", err)
		}
		return g.usable(ctx, &a)
	}
	return conflict
}
