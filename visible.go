// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"context"
	"fmt"
	"slices"
)

// Visible returns the tools that a model should see in this run: those of a
// read-only run only read, and what the user switched off is gone. It is a
// courtesy to the model: [Gate.Do] refuses the same tools whether they were
// listed or not. On error nothing may be listed.
func (g *Gate) Visible(ctx context.Context, s Subject, r Run) ([]*Tool, error) {
	off, err := g.Choices.Disabled(ctx, s.owner())
	if err != nil {
		return nil, fmt.Errorf("list tools: read the user's choice: %w", err)
	}
	return slices.DeleteFunc(slices.Clone(g.Snapshots.Current().Catalog.Tools()), func(t *Tool) bool {
		return r.ReadOnly && t.Safety() != ReadOnly || slices.Contains(off, t.Name()) || slices.Contains(r.Disabled, t.Name())
	}), nil
}
