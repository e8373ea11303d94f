// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
)

// preparer is a pool of connections, or one of them.
type preparer interface {
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}

// statements prepares each query once. It is safe for concurrent use.
type statements struct {
	on   preparer
	mu   sync.RWMutex
	made map[string]*sql.Stmt
}

func newStatements(on preparer) *statements {
	return &statements{on: on, made: map[string]*sql.Stmt{}}
}

func (s *statements) get(ctx context.Context, query string) (*sql.Stmt, error) {
	s.mu.RLock()
	stmt := s.made[query]
	s.mu.RUnlock()
	if stmt != nil {
		return stmt, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if stmt := s.made[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := s.on.PrepareContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("prepare query: %w", err)
	}
	s.made[query] = stmt
	return stmt, nil
}

// exec runs a statement.
func (s *statements) exec(ctx context.Context, query string, args ...any) error {
	stmt, err := s.get(ctx, query)
	if err != nil {
		return err
	}
	_, err = stmt.ExecContext(ctx, args...)
	return err
}

// row reads one row into dest, or returns sql.ErrNoRows.
func (s *statements) row(ctx context.Context, query string, args []any, dest ...any) error {
	stmt, err := s.get(ctx, query)
	if err != nil {
		return err
	}
	return stmt.QueryRowContext(ctx, args...).Scan(dest...)
}

// each reads all rows, with scan called once for each.
func (s *statements) each(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error {
	stmt, err := s.get(ctx, query)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// column reads rows of one text.
func (s *statements) column(ctx context.Context, query string, args ...any) ([]string, error) {
	var out []string
	err := s.each(ctx, query, args, func(rows *sql.Rows) error {
		var text string
		if err := rows.Scan(&text); err != nil {
			return err
		}
		out = append(out, text)
		return nil
	})
	return out, err
}

// close gives the statements back.
func (s *statements) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, stmt := range s.made {
		stmt.Close()
	}
	clear(s.made)
}
