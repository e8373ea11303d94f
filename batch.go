// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"context"
	"slices"
	"sync"
)

// maxParallel bounds how many calls of one message run side by side.
const maxParallel = 16

// DoAll runs the calls that a model asked for in one message. They run side by
// side unless one of them is a sequential tool: then all run one after another,
// in the order given. Each is decided just before it would run, so that the
// effects of earlier ones count. Results come back in call order; errors are
// joined to the result they belong to.
func (g *Gate) DoAll(ctx context.Context, calls []Proposal) ([]Result, []error) {
	results, errs := make([]Result, len(calls)), make([]error, len(calls))
	if g.anySequential(calls) {
		for i, p := range calls {
			results[i], errs[i] = g.Do(ctx, p)
		}
		return results, errs
	}
	var wg sync.WaitGroup
	room := make(chan struct{}, maxParallel)
	for i, p := range calls {
		room <- struct{}{}
		wg.Go(func() {
			defer func() { <-room }()
			results[i], errs[i] = g.Do(ctx, p)
		})
	}
	wg.Wait()
	return results, errs
}

func (g *Gate) anySequential(calls []Proposal) bool {
	catalog := g.Snapshots.Current().Catalog
	return slices.ContainsFunc(calls, func(p Proposal) bool {
		t, ok := catalog.Tool(p.Tool) // of a stored call it is not known yet, and may be one
		return p.Tool == "" || ok && t.def.Execution == Sequential
	})
}
