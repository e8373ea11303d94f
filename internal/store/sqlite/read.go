// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/catalog"
	"github.com/toolverdict/toolverdict/internal/store"
	"github.com/toolverdict/toolverdict/internal/store/sqlite/table"
)

var (
	_ tv.Store   = (*Store)(nil)
	_ tv.Choices = (*Store)(nil)

	_ catalog.Pins = (*Store)(nil)
)

// Claim returns the ledger entry of a key, or toolverdict.ErrNotFound.
func (s *Store) Claim(ctx context.Context, key string) (tv.Claim, error) {
	var row store.Row
	err := s.read.Row(ctx, `SELECT body, content FROM claims WHERE key = ?`, []any{key}, &row.Body, &row.Content)
	if err != nil {
		return tv.Claim{}, s.reading("ledger entry", err)
	}
	return store.DecodeClaim(row)
}

// Approval returns an approval, or toolverdict.ErrNotFound.
func (s *Store) Approval(ctx context.Context, id string) (tv.Approval, error) {
	var row store.Row
	err := s.read.Row(ctx, `SELECT body FROM approvals WHERE id = ?`, []any{id}, &row.Body)
	if err != nil {
		return tv.Approval{}, s.reading("approval", err)
	}
	return store.DecodeApproval(row)
}

func (s *Store) reading(what string, err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("read %s: %w", what, tv.ErrNotFound)
	}
	return fmt.Errorf("read %s: %w", what, s.explain(err))
}

// Usage reads the counters of limits at a time, in the order of the limits.
func (s *Store) Usage(ctx context.Context, limits []tv.Limit, at time.Time) ([]tv.Usage, error) {
	out := make([]tv.Usage, len(limits))
	for i, l := range limits {
		w, err := readWindow(ctx, s.read, l, at)
		if err != nil {
			return nil, s.reading("limit", err)
		}
		out[i] = tv.Usage{Key: l.Key, Count: w.count(), Oldest: w.oldest}
	}
	return out, nil
}

// selection collects the conditions of a list.
type selection struct {
	where []string
	args  []any
}

func (q *selection) add(condition string, args ...any) {
	q.where = append(q.where, condition)
	q.args = append(q.args, args...)
}

// sql puts the query together from fixed pieces: values only ever come in as
// parameters.
func (q *selection) sql(start, end string) string {
	if len(q.where) > 0 {
		start += " WHERE " + strings.Join(q.where, " AND ")
	}
	return start + end
}

// Approvals lists approvals, oldest first unless the query says otherwise.
func (s *Store) Approvals(ctx context.Context, q tv.ApprovalQuery) ([]tv.Approval, error) {
	var sel selection
	if q.State != "" {
		sel.add("state = ?", q.State)
	}
	if !q.ExpiredBy.IsZero() {
		sel.add("expires <= ?", micros(q.ExpiredBy))
	}
	after, order := "(created, id) > (SELECT created, id FROM approvals WHERE id = ?)", " ORDER BY created, id"
	if q.Newest {
		after, order = "(created, id) < (SELECT created, id FROM approvals WHERE id = ?)", " ORDER BY created DESC, id DESC"
	}
	if q.AfterID != "" {
		sel.add(after, q.AfterID)
	}
	from, limit := "SELECT body FROM approvals", order+" LIMIT ?"
	if needles := store.Needles(q.Mentions); len(needles) > 0 {
		args := make([]any, len(needles))
		for i, n := range needles {
			args[i] = n
		}
		sel.add("(instr(names, ?) > 0"+strings.Repeat(" OR instr(names, ?) > 0", len(needles)-1)+")", args...)
		// The names are in the index: among many, only those that are wanted are read.
		from, limit = from+" WHERE rowid IN (SELECT rowid FROM approvals", limit+")"+order
	}
	sel.args = append(sel.args, store.Size(q.Limit))
	var out []tv.Approval
	err := s.read.Each(ctx, sel.sql(from, limit), sel.args, func(rows *sql.Rows) error {
		var row store.Row
		if err := rows.Scan(&row.Body); err != nil {
			return err
		}
		a, err := store.DecodeApproval(row)
		out = append(out, a)
		return err
	})
	if err != nil {
		return nil, s.reading("approvals", err)
	}
	return out, nil
}

// Pending counts the approvals that still wait for a person at a time.
func (s *Store) Pending(ctx context.Context, at time.Time) (int, error) {
	var n int
	err := s.read.Each(ctx, "SELECT count(*) FROM approvals WHERE state = ? AND expires > ?", []any{tv.ApprovalPending, micros(at)},
		func(rows *sql.Rows) error { return rows.Scan(&n) })
	if err != nil {
		return 0, s.reading("approvals", err)
	}
	return n, nil
}

// Claims lists ledger entries, oldest change first.
func (s *Store) Claims(ctx context.Context, q tv.ClaimQuery) ([]tv.Claim, error) {
	var sel selection
	switch {
	case q.Handle != "":
		// Of one handle there are a few: "+" keeps SQLite from the index of states, which is in order but long.
		sel.add("handle <> '' AND handle = ?", q.Handle)
		if q.State != "" {
			sel.add("+state = ?", q.State)
		}
	case q.State != "":
		sel.add("state = ?", q.State)
	}
	if q.Node != "" {
		sel.add("node = ?", q.Node)
	}
	if !q.DeadlineBy.IsZero() {
		sel.add("deadline <= ?", micros(q.DeadlineBy))
	}
	sel.args = append(sel.args, store.Size(q.Limit))
	var out []tv.Claim
	err := s.read.Each(ctx, sel.sql("SELECT body, content FROM claims", " ORDER BY updated, key LIMIT ?"), sel.args, func(rows *sql.Rows) error {
		var row store.Row
		if err := rows.Scan(&row.Body, &row.Content); err != nil {
			return err
		}
		c, err := store.DecodeClaim(row)
		out = append(out, c)
		return err
	})
	if err != nil {
		return nil, s.reading("ledger", err)
	}
	return out, nil
}

// DeadNodes returns the nodes that dispatched calls, have not reported all of
// them, and are gone.
func (s *Store) DeadNodes(ctx context.Context) ([]string, error) {
	nodes, err := s.read.Column(ctx, `SELECT DISTINCT node FROM claims WHERE state = 'dispatched' ORDER BY node`)
	if err != nil {
		return nil, s.reading("lost nodes", err)
	}
	var dead []string
	for _, node := range nodes {
		if !s.present.Alive(node) {
			dead = append(dead, node)
		}
	}
	return dead, nil
}

// Disabled returns the tools that a user switched off, by full name, sorted.
func (s *Store) Disabled(ctx context.Context, user string) ([]string, error) {
	tools, err := s.read.Column(ctx, `SELECT tool FROM choices WHERE user = ? ORDER BY tool`, user)
	if err != nil {
		return nil, s.reading("choices", err)
	}
	return tools, nil
}

// SetDisabled replaces the tools that a user switched off, together with the
// record of it.
func (s *Store) SetDisabled(ctx context.Context, user string, tools []string, r tv.Record) error {
	e, err := store.Encode(tv.Changes{Records: []tv.Record{r}})
	if err != nil {
		return fmt.Errorf("keep choice of tools: %w", err)
	}
	tools = append([]string(nil), tools...)
	return s.writer.submit(ctx, &request{Write: table.Write{Encoded: e, Also: func(ctx context.Context, q *table.Statements) error {
		if err := q.Exec(ctx, `DELETE FROM choices WHERE user = ?`, user); err != nil {
			return fmt.Errorf("keep choice of tools: %w", err)
		}
		for _, tool := range tools {
			if err := q.Exec(ctx, `INSERT INTO choices (user, tool) VALUES (?, ?) ON CONFLICT DO NOTHING`, user, tool); err != nil {
				return fmt.Errorf("keep choice of tools: %w", err)
			}
		}
		return nil
	}}})
}

// Switch switches one tool off or on for a user, together with the record of it,
// and leaves what else the user chose.
func (s *Store) Switch(ctx context.Context, user, tool string, off bool, r tv.Record) error {
	e, err := store.Encode(tv.Changes{Records: []tv.Record{r}})
	if err != nil {
		return fmt.Errorf("keep choice of tools: %w", err)
	}
	change := `DELETE FROM choices WHERE user = ? AND tool = ?`
	if off {
		change = `INSERT INTO choices (user, tool) VALUES (?, ?) ON CONFLICT DO NOTHING`
	}
	return s.writer.submit(ctx, &request{Write: table.Write{Encoded: e, Also: func(ctx context.Context, q *table.Statements) error {
		if err := q.Exec(ctx, change, user, tool); err != nil {
			return fmt.Errorf("keep choice of tools: %w", err)
		}
		return nil
	}}})
}

// Pins returns all pins, by tool.
func (s *Store) Pins(ctx context.Context) ([]catalog.Pin, error) {
	var out []catalog.Pin
	err := s.read.Each(ctx, `SELECT body, definition FROM pins ORDER BY tool`, nil, func(rows *sql.Rows) error {
		var row store.Row
		if err := rows.Scan(&row.Body, &row.Content); err != nil {
			return err
		}
		p, err := store.DecodePin(row)
		out = append(out, p)
		return err
	})
	if err != nil {
		return nil, s.reading("pins", err)
	}
	return out, nil
}

// PutPins replaces the pins of the same tools, together with the record of it.
func (s *Store) PutPins(ctx context.Context, pins []catalog.Pin, r tv.Record) error {
	e, err := store.Encode(tv.Changes{Records: []tv.Record{r}})
	if err != nil {
		return fmt.Errorf("keep pins: %w", err)
	}
	rows := make(map[string]store.Row, len(pins))
	for _, p := range pins {
		if rows[p.Tool], err = store.EncodePin(p); err != nil {
			return fmt.Errorf("keep pins: %w", err)
		}
	}
	return s.writer.submit(ctx, &request{Write: table.Write{Encoded: e, Also: func(ctx context.Context, q *table.Statements) error {
		for tool, row := range rows {
			if err := q.Exec(ctx, `INSERT INTO pins (tool, body, definition) VALUES (?, ?, ?)
				ON CONFLICT (tool) DO UPDATE SET body = excluded.body, definition = excluded.definition`,
				tool, row.Body, row.Content); err != nil {
				return fmt.Errorf("keep pins: %w", err)
			}
		}
		return nil
	}}})
}
