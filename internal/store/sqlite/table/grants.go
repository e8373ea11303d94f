// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package table

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/store"
)

// Grant returns a grant, or toolverdict.ErrNotFound.
func (t *Tables) Grant(ctx context.Context, id string) (tv.Grant, error) {
	g, err := readGrant(ctx, t.read, id)
	if err != nil {
		return tv.Grant{}, t.reading("grant", err)
	}
	return g, nil
}

func readGrant(ctx context.Context, q *Statements, id string) (tv.Grant, error) {
	var row store.Row
	if err := q.Row(ctx, `SELECT body FROM grants WHERE id = ?`, []any{id}, &row.Body); err != nil {
		return tv.Grant{}, err
	}
	return store.DecodeGrant(row)
}

// Grants lists grants, oldest first. The columns find them, their bodies tell
// whether they are meant.
func (t *Tables) Grants(ctx context.Context, want tv.GrantQuery) ([]tv.Grant, error) {
	where, args := []string{"1"}, []any{}
	add := func(condition string, values ...any) {
		where, args = append(where, condition), append(args, values...)
	}
	if want.Tool != "" {
		add("tool = ?", want.Tool)
	}
	if want.Subject != "" {
		add("subject = ?", want.Subject)
	}
	if at := want.OpenAt.UnixMicro(); !want.OpenAt.IsZero() {
		add("over = 0 AND created <= ? AND expires >= ?", at, at)
	}
	if !want.ExpiredBy.IsZero() {
		add("over = 0 AND expires <= ?", want.ExpiredBy.UnixMicro())
	}
	if want.AfterID != "" {
		add("(created, id) > (SELECT created, id FROM grants WHERE id = ?)", want.AfterID)
	}
	args = append(args, store.Size(want.Limit))
	var out []tv.Grant
	err := t.read.Each(ctx, "SELECT body FROM grants WHERE "+strings.Join(where, " AND ")+" ORDER BY created, id LIMIT ?", args, func(rows *sql.Rows) error {
		var row store.Row
		if err := rows.Scan(&row.Body); err != nil {
			return err
		}
		g, err := store.DecodeGrant(row)
		if store.SelectsGrant(want, &g) {
			out = append(out, g)
		}
		return err
	})
	if err != nil {
		return nil, t.reading("grants", err)
	}
	return out, nil
}

// expectGrants checks what a change expects of grants.
func expectGrants(ctx context.Context, q *Statements, e *store.Encoded) (refused, err error) {
	if len(e.Changes.Grants)+len(e.Uses) == 0 {
		return nil, nil
	}
	at := e.Records[0].At
	for _, c := range e.Changes.Grants {
		is, err := grantOrNone(ctx, q, c.To.ID)
		switch {
		case err != nil:
			return nil, err
		case is.Version != c.From:
			return &tv.ConflictError{What: "grant", Key: c.To.ID}, nil
		case is.Version > 0:
			if err := store.GrantStep(is, c.To, at); err != nil {
				return fmt.Errorf("commit: %w", err), nil
			}
		}
	}
	for _, id := range e.Uses {
		switch is, err := grantOrNone(ctx, q, id); {
		case err != nil:
			return nil, err
		case !is.Open(at):
			return &tv.ConflictError{What: "grant", Key: id}, nil
		}
	}
	return nil, nil
}

// WriteGrants writes what ExpectGrants found fit.
func WriteGrants(ctx context.Context, q *Statements, e *store.Encoded) error {
	for _, row := range e.Grants {
		if err := writeGrant(ctx, q, row); err != nil {
			return err
		}
	}
	for _, id := range e.Uses {
		if err := useGrant(ctx, q, id, e.Records[0].At); err != nil {
			return err
		}
	}
	return nil
}

func useGrant(ctx context.Context, q *Statements, id string, at time.Time) error {
	is, err := readGrant(ctx, q, id)
	if err != nil {
		return err
	}
	row, err := store.UseGrant(is, at)
	if err != nil {
		return err
	}
	return writeGrant(ctx, q, row)
}

func writeGrant(ctx context.Context, q *Statements, row store.Row) error {
	g, err := store.DecodeGrant(row)
	if err != nil {
		return err
	}
	return q.Exec(ctx, `INSERT INTO grants (id, version, tool, subject, created, expires, over, body)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET version = excluded.version, over = excluded.over, body = excluded.body`,
		g.ID, g.Version, g.Tool, g.Scope.Subject, g.Created.UnixMicro(), g.Expires.UnixMicro(), g.When == nil, row.Body)
}

// grantOrNone returns the zero grant where there is none.
func grantOrNone(ctx context.Context, q *Statements, id string) (tv.Grant, error) {
	g, err := readGrant(ctx, q, id)
	if errors.Is(err, sql.ErrNoRows) {
		return tv.Grant{}, nil
	}
	if err != nil {
		return g, fmt.Errorf("read grant: %w", err)
	}
	return g, nil
}
