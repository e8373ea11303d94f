// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/toolverdict/toolverdict/internal/store/sqlite/table"
)

// keepSettled is how long a settled ledger entry stays after it may be
// forgotten. A slow call that read it must not meet a new entry of the same key
// and epoch.
const keepSettled = 24 * time.Hour

// old is where forgetting stands. Nothing depends on it: what is over is told
// by its time, whether or not it is still stored.
type old struct {
	look   bool   // something may be there to forget
	cursor string // the limit key that was looked at last
	tool   int64  // the tool whose calls were looked at last
}

// limitKeys is how many limits are looked at in one go.
const limitKeys = 32

// forget removes a bounded number of entries whose time is over. An error is
// left for the next round; changes meet the same disk and report it.
func (w *writer) forget(most int) {
	if !w.old.look {
		return
	}
	w.old.look = false
	if err := w.connect(context.Background()); err != nil {
		return
	}
	more, err := w.forgetSome(context.Background(), most)
	if err != nil {
		w.drop(err)
		return
	}
	older, err := w.forgetPast(context.Background(), most)
	if err != nil {
		w.drop(err)
		return
	}
	w.old.look = more || older
}

func (w *writer) forgetSome(ctx context.Context, most int) (more bool, err error) {
	now := w.s.now()
	before := micros(now.Add(-keepSettled))
	var claims int
	err = w.sql.Row(ctx, `SELECT count(*) FROM (SELECT 1 FROM claims
		WHERE state IN ('succeeded', 'failed') AND deadline < ? LIMIT ?)`, []any{before, most}, &claims)
	if err != nil {
		return false, fmt.Errorf("find old entries: %w", err)
	}
	limits, err := w.staleLimits(ctx, now)
	if err != nil || claims == 0 && len(limits) == 0 {
		return false, err
	}
	if err := w.sql.Exec(ctx, "BEGIN IMMEDIATE"); err != nil {
		return false, err
	}
	err = w.sql.Exec(ctx, `DELETE FROM claims WHERE rowid IN (SELECT rowid FROM claims
		WHERE state IN ('succeeded', 'failed') AND deadline < ? LIMIT ?)`, before, most)
	for _, l := range limits {
		if err == nil {
			err = l.tidy(ctx, w.sql, now)
		}
	}
	end := "COMMIT"
	if err != nil {
		end = "ROLLBACK"
	}
	failed := w.sql.Exec(ctx, end)
	return claims == most || len(limits) == limitKeys, errors.Join(err, failed)
}

// staleLimit is a limit's counter that has to be looked after.
type staleLimit struct {
	key   string
	ahead bool // its clock was a whole window ahead of now
}

// staleLimits looks at the next few counters: whether the newest dispatch of
// one is over, and all others with it, or lies in a future that cannot be.
func (w *writer) staleLimits(ctx context.Context, now time.Time) ([]staleLimit, error) {
	var stale []staleLimit
	for range limitKeys {
		var at, until int64
		var key string
		err := w.sql.Row(ctx, `SELECT key, at, until FROM takes WHERE key = (SELECT min(key) FROM takes WHERE key > ?)
			ORDER BY at DESC, ord DESC LIMIT 1`, []any{w.old.cursor}, &key, &at, &until)
		if errors.Is(err, sql.ErrNoRows) {
			w.old.cursor = ""
			return stale, nil
		}
		if err != nil {
			return nil, fmt.Errorf("find old limits: %w", err)
		}
		w.old.cursor = key
		if ahead := at > micros(now)+(until-at); ahead || until < micros(now) {
			stale = append(stale, staleLimit{key, ahead})
		}
	}
	return stale, nil
}

// tidy removes a counter that is over. One from a clock that was set back since
// then counts as of now, so that it ends after one window and not at a time that
// may be years away.
func (l staleLimit) tidy(ctx context.Context, q *table.Statements, now time.Time) error {
	if l.ahead {
		err := q.Exec(ctx, `UPDATE takes SET at = ?, until = ? + (until - at) WHERE key = ? AND at > ?`,
			micros(now), micros(now), l.key, micros(now))
		return err
	}
	err := q.Exec(ctx, `DELETE FROM takes WHERE (key, at, ord) IN
		(SELECT key, at, ord FROM takes WHERE key = ? ORDER BY at, ord LIMIT 1000)`, l.key)
	return err
}
