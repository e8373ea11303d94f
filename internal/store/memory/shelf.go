// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/shelf"
	"github.com/toolverdict/toolverdict/internal/store"
)

var _ shelf.Shelf = (*Store)(nil)

// rows are what parts keep, by kind and key.
type rows map[string]map[string]shelf.Row

// Row returns a row, or one of revision 0 where there is none.
func (s *Store) Row(ctx context.Context, kind, key string) (shelf.Row, error) {
	if err := ctx.Err(); err != nil {
		return shelf.Row{}, fmt.Errorf("read row: %w", err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	row, ok := s.rows[kind][key]
	if !ok {
		row = shelf.Row{Kind: kind, Key: key}
	}
	row.Body = slices.Clone(row.Body)
	return row, nil
}

// Rows lists rows by their keys.
func (s *Store) Rows(ctx context.Context, q shelf.Query) ([]shelf.Row, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read rows: %w", err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	var out []shelf.Row
	for _, row := range s.rows[q.Kind] {
		due := q.DueBy.IsZero() || !row.Due.IsZero() && !row.Due.After(q.DueBy.Truncate(time.Microsecond))
		if row.Key > q.AfterKey && due {
			row.Body = slices.Clone(row.Body)
			out = append(out, row)
		}
	}
	slices.SortFunc(out, func(a, b shelf.Row) int { return cmp.Compare(a.Key, b.Key) })
	return out[:min(len(out), store.Size(q.Limit))], nil
}

// Shelve writes all changes or none, with the records of them.
func (s *Store) Shelve(ctx context.Context, changes []shelf.Change, records ...tv.Record) error {
	e, err := store.EncodeRows(changes, records)
	if err != nil {
		return fmt.Errorf("write rows: %w", err)
	}
	expects := func() error {
		for _, c := range changes {
			if s.rows[c.Row.Kind][c.Row.Key].Revision != c.From {
				return &tv.ConflictError{What: c.Row.Kind, Key: c.Row.Key}
			}
		}
		return nil
	}
	return s.writeIf(ctx, e, expects, func() { s.rows.write(changes) })
}

func (r rows) write(changes []shelf.Change) {
	for _, c := range changes {
		if c.Drop {
			delete(r[c.Row.Kind], c.Row.Key)
			continue
		}
		if r[c.Row.Kind] == nil {
			r[c.Row.Kind] = map[string]shelf.Row{}
		}
		row := c.Row
		row.Revision, row.Body = c.From+1, slices.Clone(row.Body)
		if !row.Due.IsZero() {
			row.Due = row.Due.UTC().Truncate(time.Microsecond)
		}
		r[row.Kind][row.Key] = row
	}
}
