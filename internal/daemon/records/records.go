// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package records is the audit log of a running gate as its fronts read it: each
// time as it is then.
package records

import (
	"context"
	"errors"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/internal/store/sqlite"
)

// Log reads a store's log.
type Log struct{ *sqlite.Store }

// Find returns the records that a query selects.
func (l Log) Find(ctx context.Context, q audit.Query) (found []audit.Numbered, err error) {
	view, err := l.Log(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, view.Close()) }()
	return view.Find(ctx, q)
}

// Note writes a record of its own.
func (l Log) Note(ctx context.Context, r tv.Record) error {
	return l.Commit(ctx, tv.Changes{Records: []tv.Record{r}})
}

// Prove proves a record under the newest checkpoint: both are of one moment.
// There is no proof, and no error, of a record that no checkpoint covers yet.
func (l Log) Prove(ctx context.Context, place int64) (proof []byte, key *audit.Verifier, err error) {
	view, err := l.Log(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, view.Close()) }()
	c, err := view.Checkpoint(ctx)
	if err != nil || c.Size <= place {
		return nil, view.Key(), err
	}
	proof, err = view.Prove(ctx, view.Key(), place)
	return proof, view.Key(), err
}
