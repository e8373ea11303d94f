// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/rollout"
	"github.com/toolverdict/toolverdict/internal/store"
)

var _ rollout.Journal = (*Store)(nil)

// PolicyNote returns a note, or one of revision 0 where there is none.
func (s *Store) PolicyNote(ctx context.Context, key string) (rollout.Note, error) {
	var n rollout.Note
	err := s.read.row(ctx, `SELECT body, revision FROM policy_notes WHERE key = ?`, []any{key}, &n.Body, &n.Revision)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return n, s.reading("policy note", err)
	}
	return n, nil
}

// PolicyVersions returns the policies that are kept, the newest first.
func (s *Store) PolicyVersions(ctx context.Context) ([]rollout.Point, error) {
	var out []rollout.Point
	err := s.read.each(ctx, `SELECT body FROM policies ORDER BY at DESC, hash`, nil, func(rows *sql.Rows) error {
		var body []byte
		if err := rows.Scan(&body); err != nil {
			return err
		}
		p, err := rollout.DecodePoint(body)
		out = append(out, p)
		return err
	})
	if err != nil {
		return nil, s.reading("policy versions", err)
	}
	return out, nil
}

// PolicyVersion returns a policy by its hash, or toolverdict.ErrNotFound.
func (s *Store) PolicyVersion(ctx context.Context, hash string) (rollout.Version, error) {
	var row store.Row
	err := s.read.row(ctx, `SELECT body, content FROM policies WHERE hash = ?`, []any{hash}, &row.Body, &row.Content)
	if err != nil {
		return rollout.Version{}, s.reading("policy version", err)
	}
	return rollout.DecodeVersion(row.Body, row.Content)
}

// KeepPolicy writes notes and a version, together with the record of it. What is
// more than a store keeps is forgotten, the oldest first.
func (s *Store) KeepPolicy(ctx context.Context, c rollout.Change) error {
	e, err := store.EncodePolicy(c)
	if err != nil {
		return fmt.Errorf("keep policy: %w", err)
	}
	return s.writer.submit(ctx, &request{Encoded: e.Encoded, expects: func(ctx context.Context, q *statements) (refused, err error) {
		for _, n := range e.Notes {
			var revision int64
			err := q.row(ctx, `SELECT revision FROM policy_notes WHERE key = ?`, []any{n.Key}, &revision)
			if err != nil && !errors.Is(err, sql.ErrNoRows) {
				return nil, fmt.Errorf("read policy note: %w", err)
			}
			if revision != n.From {
				return &tv.ConflictError{What: "policy", Key: n.Key}, nil
			}
		}
		return nil, nil
	}, also: func(ctx context.Context, q *statements) error {
		if err := keepPolicy(ctx, q, e); err != nil {
			return fmt.Errorf("keep policy: %w", err)
		}
		return nil
	}})
}

func keepPolicy(ctx context.Context, q *statements, e store.EncodedPolicy) error {
	for _, n := range e.Notes {
		if err := q.exec(ctx, `INSERT INTO policy_notes (key, revision, body) VALUES (?, ?, ?)
			ON CONFLICT (key) DO UPDATE SET revision = excluded.revision, body = excluded.body`, n.Key, n.From+1, n.Body); err != nil {
			return err
		}
	}
	if e.Version == nil {
		return nil
	}
	err := q.exec(ctx, `INSERT INTO policies (hash, at, body, content) VALUES (?, ?, ?, ?)
		ON CONFLICT (hash) DO UPDATE SET at = excluded.at, body = excluded.body, content = excluded.content`,
		e.Version.Hash, micros(e.Version.At), e.Row.Body, e.Row.Content)
	if err != nil {
		return err
	}
	var kept []store.KeptPolicy
	err = q.each(ctx, `SELECT hash, length(content) FROM policies ORDER BY at DESC, hash`, nil, func(rows *sql.Rows) error {
		var k store.KeptPolicy
		err := rows.Scan(&k.Hash, &k.Size)
		kept = append(kept, k)
		return err
	})
	for _, hash := range e.Forget(kept) {
		if err == nil {
			err = q.exec(ctx, `DELETE FROM policies WHERE hash = ?`, hash)
		}
	}
	return err
}
