// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package gatetest

import (
	"context"

	tv "github.com/toolverdict/toolverdict"
)

// Grants says of every grant there is that it covers every call for which a
// function holds; nil holds always. A gate must not take its word for more than
// the condition.
type Grants struct {
	Store interface {
		Grants(ctx context.Context, q tv.GrantQuery) ([]tv.Grant, error)
	}
	Holds func(g tv.Grant, r tv.Request) bool
}

var _ tv.Grants = Grants{}

// Covering implements [tv.Grants].
func (f Grants) Covering(ctx context.Context, r tv.Request) ([]tv.Grant, error) {
	all, err := f.Store.Grants(ctx, tv.GrantQuery{})
	if err != nil {
		return nil, err
	}
	var out []tv.Grant
	for _, g := range all {
		if f.Holds == nil || f.Holds(g, r) {
			out = append(out, g)
		}
	}
	return out, nil
}
