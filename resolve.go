// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"context"
	"fmt"
	"slices"
	"strings"
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
		return resolved{}, refusal(UnknownTool, "There is no such tool.")
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
	name := c.tool.Name()
	switch {
	case slices.Contains(off, name) || slices.Contains(c.call.Run.Disabled, name):
		return admitted{}, refusal(ToolNotAllowed, "The user switched this tool off.")
	case c.call.Run.ReadOnly && c.tool.Safety() != ReadOnly:
		return admitted{}, refusal(ToolNotAllowed, "This run is read-only and the tool is destructive.")
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

// maxFieldErrors bounds how many field errors an agent is told at once.
const maxFieldErrors = 5

// validate checks the arguments against the tool's schema.
func validate(c admitted) (valid, error) {
	schema := c.tool.Schema()
	if clash, found := schema.Clash(c.call.Arguments); found {
		r := refusal(MalformedCall, "A field name is spelt so that two programs could read it differently: "+clash.Path+": "+clash.Message)
		r.Details = []FieldError{clash}
		return valid{}, r
	}
	errs := schema.Validate(c.call.Arguments)
	if len(errs) == 0 {
		return valid(c), nil
	}
	errs = errs[:min(len(errs), maxFieldErrors)]
	parts := make([]string, len(errs))
	for i, e := range errs {
		parts[i] = e.Path + ": " + e.Message
	}
	r := refusal(InvalidInput, "The tool input is invalid: "+strings.Join(parts, "; "))
	r.Details = errs
	return valid{}, r
}
