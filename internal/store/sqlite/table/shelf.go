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
	"github.com/toolverdict/toolverdict/internal/shelf"
	"github.com/toolverdict/toolverdict/internal/store"
)

var _ shelf.Shelf = (*Tables)(nil)

// Row returns a row, or one of revision 0 where there is none.
func (t *Tables) Row(ctx context.Context, kind, key string) (shelf.Row, error) {
	row, due := shelf.Row{Kind: kind, Key: key}, sql.NullInt64{}
	err := t.read.Row(ctx, `SELECT revision, due, body FROM shelf WHERE kind = ? AND key = ?`, []any{kind, key},
		&row.Revision, &due, &row.Body)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return row, t.reading("row", err)
	}
	row.Due = moment(due)
	return row, nil
}

// Rows lists rows by their keys.
func (t *Tables) Rows(ctx context.Context, q shelf.Query) ([]shelf.Row, error) {
	text := `SELECT key, revision, due, body FROM shelf WHERE kind = ? AND key > ?`
	args := []any{q.Kind, q.AfterKey}
	if !q.DueBy.IsZero() {
		text += ` AND due <= ?`
		args = append(args, q.DueBy.UnixMicro())
	}
	var out []shelf.Row
	err := t.read.Each(ctx, text+` ORDER BY key LIMIT ?`, append(args, store.Size(q.Limit)), func(rows *sql.Rows) error {
		row, due := shelf.Row{Kind: q.Kind}, sql.NullInt64{}
		err := rows.Scan(&row.Key, &row.Revision, &due, &row.Body)
		row.Due = moment(due)
		out = append(out, row)
		return err
	})
	if err != nil {
		return nil, t.reading("rows", err)
	}
	return out, nil
}

func moment(due sql.NullInt64) time.Time {
	if !due.Valid {
		return time.Time{}
	}
	return time.UnixMicro(due.Int64).UTC()
}

// Shelve writes all changes or none.
func (t *Tables) Shelve(ctx context.Context, changes []shelf.Change, records ...tv.Record) error {
	e, err := store.EncodeRows(changes, records)
	if err != nil {
		return fmt.Errorf("write rows: %w", err)
	}
	return t.submit(ctx, Write{Encoded: e, Expects: func(ctx context.Context, q *Statements) (refused, err error) {
		for _, c := range changes {
			var revision int64
			err := q.Row(ctx, `SELECT revision FROM shelf WHERE kind = ? AND key = ?`, []any{c.Row.Kind, c.Row.Key}, &revision)
			if err != nil && !errors.Is(err, sql.ErrNoRows) {
				return nil, fmt.Errorf("read row: %w", err)
			}
			if revision != c.From {
				return &tv.ConflictError{What: c.Row.Kind, Key: c.Row.Key}, nil
			}
		}
		return nil, nil
	}, Also: func(ctx context.Context, q *Statements) error {
		for _, c := range changes {
			if err := write(ctx, q, c); err != nil {
				return fmt.Errorf("write row: %w", err)
			}
		}
		return nil
	}})
}

func write(ctx context.Context, q *Statements, c shelf.Change) error {
	if c.Drop {
		return q.Exec(ctx, `DELETE FROM shelf WHERE kind = ? AND key = ?`, c.Row.Kind, c.Row.Key)
	}
	due := sql.NullInt64{Int64: c.Row.Due.UnixMicro(), Valid: !c.Row.Due.IsZero()}
	return q.Exec(ctx, `INSERT INTO shelf (kind, key, revision, due, body) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (kind, key) DO UPDATE SET revision = excluded.revision, due = excluded.due, body = excluded.body`,
		c.Row.Kind, c.Row.Key, c.From+1, due, c.Row.Body)
}
