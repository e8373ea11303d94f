// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package table

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/rollout"
	"github.com/toolverdict/toolverdict/internal/store"
)

var _ rollout.Journal = (*Tables)(nil)

// PolicyNote returns a note, or one of revision 0 where there is none.
func (t *Tables) PolicyNote(ctx context.Context, key string) (rollout.Note, error) {
	var n rollout.Note
	err := t.read.Row(ctx, `SELECT body, revision FROM policy_notes WHERE key = ?`, []any{key}, &n.Body, &n.Revision)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return n, t.reading("policy note", err)
	}
	return n, nil
}

// PolicyVersions returns the policies that are kept, the newest first.
func (t *Tables) PolicyVersions(ctx context.Context) ([]rollout.Point, error) {
	var out []rollout.Point
	err := t.read.Each(ctx, `SELECT body FROM policies ORDER BY at DESC, hash`, nil, func(rows *sql.Rows) error {
		var body []byte
		if err := rows.Scan(&body); err != nil {
			return err
		}
		p, err := rollout.DecodePoint(body)
		out = append(out, p)
		return err
	})
	if err != nil {
		return nil, t.reading("policy versions", err)
	}
	return out, nil
}

// PolicyVersion returns a policy by its hash, or toolverdict.ErrNotFound.
func (t *Tables) PolicyVersion(ctx context.Context, hash string) (rollout.Version, error) {
	var row store.Row
	err := t.read.Row(ctx, `SELECT body, content FROM policies WHERE hash = ?`, []any{hash}, &row.Body, &row.Content)
	if err != nil {
		return rollout.Version{}, t.reading("policy version", err)
	}
	return rollout.DecodeVersion(row.Body, row.Content)
}

// KeepPolicy writes notes and a version, together with the record of it. What is
// more than a store keeps is forgotten, the oldest first.
func (t *Tables) KeepPolicy(ctx context.Context, c rollout.Change) error {
	e, err := store.EncodePolicy(c)
	if err != nil {
		return fmt.Errorf("keep policy: %w", err)
	}
	return t.submit(ctx, Write{Encoded: e.Encoded, Expects: func(ctx context.Context, q *Statements) (refused, err error) {
		for _, n := range e.Notes {
			var revision int64
			err := q.Row(ctx, `SELECT revision FROM policy_notes WHERE key = ?`, []any{n.Key}, &revision)
			if err != nil && !errors.Is(err, sql.ErrNoRows) {
				return nil, fmt.Errorf("read policy note: %w", err)
			}
			if revision != n.From {
				return &tv.ConflictError{What: "policy", Key: n.Key}, nil
			}
		}
		return nil, nil
	}, Also: func(ctx context.Context, q *Statements) error {
		if err := keepPolicy(ctx, q, e); err != nil {
			return fmt.Errorf("keep policy: %w", err)
		}
		return nil
	}})
}

func keepPolicy(ctx context.Context, q *Statements, e store.EncodedPolicy) error {
	for _, n := range e.Notes {
		if err := q.Exec(ctx, `INSERT INTO policy_notes (key, revision, body) VALUES (?, ?, ?)
			ON CONFLICT (key) DO UPDATE SET revision = excluded.revision, body = excluded.body`, n.Key, n.From+1, n.Body); err != nil {
			return err
		}
	}
	if e.Version == nil {
		return nil
	}
	err := q.Exec(ctx, `INSERT INTO policies (hash, at, body, content) VALUES (?, ?, ?, ?)
		ON CONFLICT (hash) DO UPDATE SET at = excluded.at, body = excluded.body, content = excluded.content`,
		e.Version.Hash, e.Version.At.UnixMicro(), e.Row.Body, e.Row.Content)
	if err != nil {
		return err
	}
	var kept []store.KeptPolicy
	err = q.Each(ctx, `SELECT hash, length(content) FROM policies ORDER BY at DESC, hash`, nil, func(rows *sql.Rows) error {
		var k store.KeptPolicy
		err := rows.Scan(&k.Hash, &k.Size)
		kept = append(kept, k)
		return err
	})
	for _, hash := range e.Forget(kept) {
		if err == nil {
			err = q.Exec(ctx, `DELETE FROM policies WHERE hash = ?`, hash)
		}
	}
	return err
}
