// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package grants

import (
	"context"

	tv "github.com/toolverdict/toolverdict"
)

// Front is the service as the API asks it: choices come as they were sent, and
// what is returned is answered as JSON.
type Front struct{ *Service }

// Grant grants calls like one that waits, or only shows what a choice comes to:
// where there is none, and where it says so.
func (f Front) Grant(ctx context.Context, by tv.Subject, approval string, choice []byte) (any, error) {
	if len(choice) == 0 {
		return f.Preview(ctx, by, approval, Choice{})
	}
	c, err := ParseChoice(choice)
	if err != nil {
		return nil, err
	}
	if c.Preview {
		return f.Preview(ctx, by, approval, c)
	}
	return f.Give(ctx, by, approval, c)
}

// Grants lists those that a subject has to do with.
func (f Front) Grants(ctx context.Context, by tv.Subject, all bool) (any, error) {
	list, err := f.List(ctx, by, all)
	return map[string]any{"grants": list}, err
}

// Show shows one.
func (f Front) Show(ctx context.Context, by tv.Subject, id string) (any, error) {
	return f.Get(ctx, by, id)
}

// TakeBack revokes one.
func (f Front) TakeBack(ctx context.Context, by tv.Subject, id, reason string) (any, error) {
	return f.Revoke(ctx, by, id, reason)
}
