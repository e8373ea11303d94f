// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package grants

import (
	"context"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// Judge makes the class of a choice about one call, without anybody to ask, and
// returns what it says of other arguments.
func Judge(ctx context.Context, t *tv.Tool, args canon.Value, c Choice) (covers func(canon.Value) bool, err error) {
	q, err := ask(ctx, t, tv.StoredCall{Tool: t.Name(), Arguments: args.Raw()}, &effect.Analyser{})
	if err != nil {
		return nil, err
	}
	p, err := q.propose(ctx, c)
	if err != nil {
		return nil, err
	}
	return func(v canon.Value) bool { return p.class.holds(p.with(ctx, v)) }, nil
}
