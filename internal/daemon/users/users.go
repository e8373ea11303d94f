// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package users opens the people of a data folder for commands, whether or not a
// gate runs on it.
package users

import (
	"context"
	"time"

	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/daemon/subjects"
	"github.com/toolverdict/toolverdict/internal/identity/people"
	"github.com/toolverdict/toolverdict/internal/secret"
	"github.com/toolverdict/toolverdict/internal/store/sqlite"
)

// People are those who sign in.
type People struct {
	*people.Directory

	store *sqlite.Store
}

// Open opens the data folder of a configuration.
func Open(ctx context.Context, c *config.Config, now func() time.Time) (*People, error) {
	known, err := subjects.Described(c)
	if err != nil {
		return nil, err
	}
	hashes, _, err := subjects.Passwords(c)
	if err != nil {
		return nil, err
	}
	store, err := sqlite.Open(ctx, sqlite.Config{Dir: c.Data, Node: secret.NewID(), Now: now})
	if err != nil {
		return nil, err
	}
	d, err := people.New(people.Config{Configured: known, Passwords: hashes, Shelf: store, Now: now})
	if err != nil {
		_ = store.Close()
		return nil, err
	}
	return &People{d, store}, nil
}

// Close ends it.
func (p *People) Close() error { return p.store.Close() }
