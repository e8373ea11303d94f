// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package guardtest

import (
	"context"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/guard"
)

// patience is how long a call of the suite may be held: a test that hangs ends.
const patience = 30 * time.Second

// panicking is a gate that breaks down.
type panicking struct{}

// Claim implements [guard.Source].
func (panicking) Claim(context.Context, guard.Call) (guard.Leave, tv.Result, error) {
	return breakDown(), tv.Result{}, nil
}

func breakDown() guard.Leave {
	panic("oh") //nolint:forbidigo // what is tested is that it is caught
}

// bending is a source whose answers are changed on their way.
type bending struct {
	guard.Source

	change func(*guard.Terms)
}

// Claim implements [guard.Source].
func (b bending) Claim(ctx context.Context, c guard.Call) (guard.Leave, tv.Result, error) {
	leave, res, err := b.Source.Claim(ctx, c)
	if leave == nil {
		return nil, res, err
	}
	return bentLeave{leave, b.change}, res, err
}

type bentLeave struct {
	guard.Leave

	change func(*guard.Terms)
}

// Terms implements [guard.Leave].
func (l bentLeave) Terms() guard.Terms {
	t := l.Leave.Terms()
	l.change(&t)
	return t
}
