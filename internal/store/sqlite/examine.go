// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
)

// Examined is how a database is doing, as it was at the moment of a view.
type Examined struct {
	Schema, Knows int64    // the version of its tables, and the newest that this program knows
	Damage        []string // what SQLite says is wrong in it; empty where nothing is
}

// Backlog counts what waits for somebody, and since when the oldest does.
type Backlog struct {
	Count  int
	Oldest time.Time
}

// mostDamage bounds how much is told of a damaged database.
const mostDamage = 5

// Examine looks at the whole database. It changes nothing, and takes as long as
// reading all of it does.
func (v *View) Examine(ctx context.Context) (Examined, error) {
	var e Examined
	var err error
	if e.Knows, err = knownSchema(); err != nil {
		return e, err
	}
	if err := v.q.Row(ctx, `SELECT coalesce(max(version_id), 0) FROM goose_db_version`, nil, &e.Schema); err != nil {
		return e, fmt.Errorf("read schema version: %w", err)
	}
	if e.Damage, err = v.damage(ctx); err != nil {
		return e, fmt.Errorf("check database: %w", err)
	}
	return e, nil
}

// Latest is the latest time that any record or checkpoint carries, zero before the
// first.
func (v *View) Latest(ctx context.Context) (time.Time, error) {
	var latest int64
	err := v.q.Row(ctx, `SELECT latest FROM head WHERE id = 1`, nil, &latest)
	if err != nil || latest == 0 {
		return time.Time{}, err
	}
	return time.UnixMicro(latest), nil
}

// Backlogs counts the ledger entries whose outcome nobody knows, and the approvals
// that wait for a person.
func (v *View) Backlogs(ctx context.Context) (unknown, waiting Backlog, err error) {
	if unknown, err = v.backlog(ctx, `SELECT count(*), min(updated) FROM claims WHERE state = ?`, string(tv.ClaimUnknown)); err != nil {
		return unknown, waiting, fmt.Errorf("read ledger: %w", err)
	}
	if waiting, err = v.backlog(ctx, `SELECT count(*), min(created) FROM approvals WHERE state = ?`, string(tv.ApprovalPending)); err != nil {
		return unknown, waiting, fmt.Errorf("read approvals: %w", err)
	}
	return unknown, waiting, nil
}

// damage has SQLite compare every table with its indices.
func (v *View) damage(ctx context.Context) ([]string, error) {
	var found []string
	err := v.q.Each(ctx, fmt.Sprintf("PRAGMA integrity_check(%d)", mostDamage), nil, func(rows *sql.Rows) error {
		var line string
		if err := rows.Scan(&line); err != nil {
			return err
		}
		if line != "ok" {
			found = append(found, line)
		}
		return nil
	})
	return found, err
}

func (v *View) backlog(ctx context.Context, query, state string) (Backlog, error) {
	var o Backlog
	var oldest sql.NullInt64
	err := v.q.Row(ctx, query, []any{state}, &o.Count, &oldest)
	if oldest.Valid {
		o.Oldest = time.UnixMicro(oldest.Int64)
	}
	return o, err
}

// knownSchema is the newest version of the tables that this program makes.
func knownSchema() (int64, error) {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	var newest int64
	for _, name := range files {
		number, _, _ := strings.Cut(strings.TrimPrefix(name, "migrations/"), "_")
		n, bad := strconv.ParseInt(number, 10, 64)
		if bad != nil {
			return 0, fmt.Errorf("read schema version: %v", bad)
		}
		newest = max(newest, n)
	}
	return newest, err
}
