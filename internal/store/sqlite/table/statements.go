// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package table is how SQL is run on the store, and the tables that hang on
// nothing else in it: policies that were in force, and rows that parts of the
// gate keep. Each statement is prepared once, and a change is written whole or
// not at all.
package table

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/store"
)

// Preparer is a pool of connections, or one of them.
type Preparer interface {
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}

// Statements prepares each query once. It is safe for concurrent use.
type Statements struct {
	on   Preparer
	mu   sync.RWMutex
	made map[string]*sql.Stmt
}

// New makes statements on connections.
func New(on Preparer) *Statements {
	return &Statements{on: on, made: map[string]*sql.Stmt{}}
}

func (s *Statements) get(ctx context.Context, query string) (*sql.Stmt, error) {
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

// Exec runs a statement.
func (s *Statements) Exec(ctx context.Context, query string, args ...any) error {
	stmt, err := s.get(ctx, query)
	if err != nil {
		return err
	}
	_, err = stmt.ExecContext(ctx, args...)
	return err
}

// Row reads one row into dest, or returns sql.ErrNoRows.
func (s *Statements) Row(ctx context.Context, query string, args []any, dest ...any) error {
	stmt, err := s.get(ctx, query)
	if err != nil {
		return err
	}
	return stmt.QueryRowContext(ctx, args...).Scan(dest...)
}

// Each reads all rows, with scan called once for each.
func (s *Statements) Each(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error {
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

// Column reads rows of one text.
func (s *Statements) Column(ctx context.Context, query string, args ...any) ([]string, error) {
	var out []string
	err := s.Each(ctx, query, args, func(rows *sql.Rows) error {
		var text string
		if err := rows.Scan(&text); err != nil {
			return err
		}
		out = append(out, text)
		return nil
	})
	return out, err
}

// Close gives the statements back.
func (s *Statements) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, stmt := range s.made {
		stmt.Close()
	}
	clear(s.made)
}

// Write is one change on its way to the disk.
type Write struct {
	store.Encoded

	// Expects checks what the change expects besides what it says itself: its
	// first error refuses this change alone, before anything of it was written.
	Expects func(context.Context, *Statements) (refused, err error)
	// Also writes beside the change.
	Also func(context.Context, *Statements) error
}

// Submit has a change written, and returns once the disk holds it.
type Submit func(context.Context, Write) error

// Tables are those of this package. They are safe for concurrent use.
type Tables struct {
	read    *Statements
	submit  Submit
	explain func(error) error // says what an error of the database means to the operator
}

// Open makes the tables from what reads and what writes.
func Open(read *Statements, submit Submit, explain func(error) error) *Tables {
	return &Tables{read, submit, explain}
}

func (t *Tables) reading(what string, err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("read %s: %w", what, tv.ErrNotFound)
	}
	return fmt.Errorf("read %s: %w", what, t.explain(err))
}
