// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package foreign reads databases of other programs, which may be in use. It writes
// nothing into them.
package foreign

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"

	_ "github.com/toolverdict/toolverdict/internal/store/sqlite" // brings the driver
)

// Each runs a query and hands out its rows, each as texts; NULL is "". What is read
// is a stranger's.
func Each(ctx context.Context, path, query string, args []any, row func(columns []string) error) (err error) {
	at := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: url.Values{
		"mode": {"ro"}, "_pragma": {"query_only(1)", "trusted_schema(0)", "cell_size_check(1)", "busy_timeout(2000)"},
	}.Encode()}
	db, err := sql.Open("sqlite", at.String())
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("read database: %w", err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return fmt.Errorf("read database: %w", err)
	}
	for rows.Next() {
		values, into := make([]sql.NullString, len(names)), make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return fmt.Errorf("read database: %w", err)
		}
		columns := make([]string, len(names))
		for i := range values {
			columns[i] = values[i].String
		}
		if err := row(columns); err != nil {
			return err
		}
	}
	return rows.Err()
}
