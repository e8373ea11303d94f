// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"fmt"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/store"
	"github.com/toolverdict/toolverdict/internal/store/sqlite/table"
)

// StopAt calls a function when the writer reaches a point of a transaction:
// "begun", "applied", "commit", "committed".
func (s *Store) StopAt(reached func(point string)) { s.reached = reached }

// Dir returns the data folder.
func (s *Store) Dir() string { return s.dir }

// CommitPoison commits a change of which one statement breaks a rule of the
// database.
func (s *Store) CommitPoison(ctx context.Context, c tv.Changes) error {
	e, err := store.Encode(c)
	if err != nil {
		return err
	}
	return s.writer.submit(ctx, &request{Write: table.Write{Encoded: e, Also: func(ctx context.Context, q *table.Statements) error {
		err := q.Exec(ctx, `INSERT INTO head (id, size, edge, signed, latest) VALUES (2, 0, x'', 0, 0)`)
		return err
	}}})
}

// Pragma ends the writer and reads a setting of its connection.
func (s *Store) Pragma(ctx context.Context, name string) (string, error) {
	s.writer.stop()
	var value string
	err := s.writer.conn.QueryRowContext(ctx, "PRAGMA "+name).Scan(&value)
	return value, err
}

// Forget ends the writer and then does what it does once a second, until there
// is nothing left to do.
func (s *Store) Forget() {
	s.writer.stop()
	for range 100 {
		s.writer.tend()
	}
}

// Count returns how many rows a table has.
func (s *Store) Count(ctx context.Context, table string) (int, error) {
	var n int
	err := s.pool.QueryRowContext(ctx, fmt.Sprintf("SELECT count(*) FROM %s", table)).Scan(&n)
	return n, err
}
