// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"context"
	"fmt"
)

type (
	resolved struct{ *trail }
	admitted struct{ *trail }
	valid    struct{ *trail }
)

// resolve finds the tool, byte for byte.
func resolve(snap *Snapshot, c decoded) (resolved, error) {
	tool, ok := snap.Catalog.Tool(c.call.Tool)
	if !ok {
		return resolved{}, RefuseName()
	}
	c.tool = tool
	return resolved(c), nil
}

// admit applies the run: what the user switched off, and read-only.
func (g *Gate) admit(ctx context.Context, c resolved) (admitted, error) {
	g.show(c.trail)
	off, err := g.Choices.Disabled(ctx, c.call.Subject.owner())
	if err != nil {
		return admitted{}, fmt.Errorf("read the user's choice of tools: %w", err)
	}
	if r := RefuseRun(c.tool, c.call.Run, off); r != nil {
		return admitted{}, r
	}
	return admitted(c), nil
}

// owner is whose choices hold for the subject.
func (s Subject) owner() string {
	if s.User != "" {
		return s.User
	}
	return s.ID
}

// show makes what records may hold of the arguments, once.
func (g *Gate) show(t *trail) {
	if t.shown.arguments == nil {
		t.shown.arguments = g.Redactor.Arguments(t.tool, t.call.Arguments, RecordView)
		t.shown.mac = g.Redactor.MAC(t.call.Arguments)
	}
}

// validate checks the arguments against the tool's schema.
func validate(c admitted) (valid, error) {
	if r := RefuseArguments(c.tool, c.call.Arguments); r != nil {
		return valid{}, r
	}
	return valid(c), nil
}
