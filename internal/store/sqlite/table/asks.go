// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package table

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/store"
)

// Expect checks what a change expects of questions and of grants. The first error
// refuses the change, the second means that nothing could be read.
func Expect(ctx context.Context, q *Statements, e *store.Encoded) (refused, err error) {
	if refused, err := expectAsks(ctx, q, e); refused != nil || err != nil {
		return refused, err
	}
	return expectGrants(ctx, q, e)
}

// rejected finds a no to a call of an asker.
func rejected(ctx context.Context, q *Statements, c tv.Unasked) (refused, err error) {
	var id string
	err = q.Row(ctx, `SELECT id FROM approvals WHERE asker = ? AND digest = ? AND state = 'rejected' AND created > ? LIMIT 1`,
		[]any{c.Asker, c.Digest, c.Since.UnixMicro()}, &id)
	switch {
	case err == nil:
		return &tv.ConflictError{What: tv.ConflictRejected, Key: id}, nil
	case !errors.Is(err, sql.ErrNoRows):
		return nil, fmt.Errorf("read rejected approvals: %w", err)
	}
	return nil, nil
}

// expectAsks checks that there is room for new questions, and that none of them,
// and no call that goes without one, was answered with no.
func expectAsks(ctx context.Context, q *Statements, e *store.Encoded) (refused, err error) {
	for _, c := range e.Changes.Unasked {
		if refused, err := rejected(ctx, q, c); refused != nil || err != nil {
			return refused, err
		}
	}
	for _, c := range e.Changes.Approvals {
		if c.From != 0 || c.Room.Most <= 0 {
			continue
		}
		asker, at := c.To.Call.Asker(), e.Records[0].At
		if refused, err := rejected(ctx, q, tv.Unasked{Asker: asker, Digest: c.To.Digest, Since: at.Add(-c.Room.Remember)}); refused != nil || err != nil {
			return refused, err
		}
		waiting, err := waitingAsks(ctx, q, e, asker, at)
		if err != nil {
			return nil, fmt.Errorf("count approvals: %w", err)
		}
		if waiting >= c.Room.Most {
			return &tv.ConflictError{What: tv.ConflictAsks, Key: asker}, nil
		}
	}
	return nil, nil
}

// waitingAsks counts an asker's questions that go on waiting after the change.
func waitingAsks(ctx context.Context, q *Statements, e *store.Encoded, asker string, at time.Time) (int, error) {
	n := 0
	err := q.Each(ctx, `SELECT id FROM approvals WHERE asker = ? AND state = 'pending' AND expires > ?`,
		[]any{asker, at.UnixMicro()}, func(rows *sql.Rows) error {
			var id string
			if err := rows.Scan(&id); err != nil {
				return err
			}
			if !store.Ends(e, id) {
				n++
			}
			return nil
		})
	return n, err
}
