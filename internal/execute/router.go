// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"context"

	tv "github.com/toolverdict/toolverdict"
)

// Router sends a permit to the executor of its tool's server. It is immutable.
type Router map[string]tv.Executor

var _ tv.Executor = Router(nil)

// Execute implements [tv.Executor].
func (r Router) Execute(ctx context.Context, p tv.Permit) tv.Outcome {
	if !p.Valid() {
		return notSent("the permit is not one of the gate's")
	}
	to, ok := r[p.Tool().Server()]
	if !ok {
		return notSent("no server of that name is configured")
	}
	return to.Execute(ctx, p)
}

// Elsewhere stands for tools that their callers run: nothing is sent to them from
// here.
type Elsewhere struct{}

var _ tv.Executor = Elsewhere{}

// Execute implements [tv.Executor].
func (Elsewhere) Execute(context.Context, tv.Permit) tv.Outcome {
	return notSent("its caller runs it: claim the call with POST /v1/claim, run it and tell the outcome")
}
