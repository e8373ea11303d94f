// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shop

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Change is one thing that really happened.
type Change struct {
	Seq    int64  `json:"seq"` // 1, 2, 3 … in the order in which things happened
	At     string `json:"at"`  // RFC 3339, UTC
	Tool   string `json:"tool"`
	What   string `json:"what"` // the order, user, mail file or command
	Detail string `json:"detail"`
}

// ReadChanges hands every change of the shop in dir to f, oldest first, and
// stops at f's first error. It changes nothing, makes nothing, and works while
// a server has the shop open.
func ReadChanges(ctx context.Context, dir string, f func(Change) error) (err error) {
	path := filepath.Join(dir, databaseFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read changes: no %s in that folder: start the server on it once, or correct -data", databaseFile)
	}
	db, err := openDB(path, "_pragma=query_only(1)")
	if err != nil {
		return fmt.Errorf("read changes: %v", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rows, err := db.QueryContext(ctx, "SELECT seq, at, tool, what, detail FROM change ORDER BY seq")
	if err != nil {
		return fmt.Errorf("read changes: %v", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var c Change
		if err := rows.Scan(&c.Seq, &c.At, &c.Tool, &c.What, &c.Detail); err != nil {
			return fmt.Errorf("read changes: %v", err)
		}
		if err := f(c); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (s *Shop) record(ctx context.Context, tx *sql.Tx, tool, what, detail string) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO change (at, tool, what, detail) VALUES (?, ?, ?, ?)",
		s.stamp(), tool, what, detail)
	if err != nil {
		return fmt.Errorf("record change: %v", err)
	}
	return nil
}
