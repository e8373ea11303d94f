// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package shelf is small rows that a part of the gate keeps beside calls and
// approvals: what it has to do later, and what it must not do twice. It knows no
// database and no meaning of a row.
//
// It fails closed: a change names the revision it read, so that of two writers
// one loses and writes nothing.
package shelf

import (
	"context"
	"errors"
	"slices"
	"time"

	tv "github.com/toolverdict/toolverdict"
)

// Row is one entry of a kind, by its key.
type Row struct {
	Kind, Key string
	Revision  int64     // raised by every change; 0 where there is no row
	Due       time.Time // when somebody has to look at it, to the microsecond; zero means never
	Body      []byte
}

// Change writes a row, or takes it away. From is the revision that was read, 0
// where no row was found; the row is written with From+1.
type Change struct {
	From int64
	Row  Row
	Drop bool
}

// Query selects the rows of a kind. A zero field selects nothing away.
type Query struct {
	Kind     string
	AfterKey string    // page on from this key
	DueBy    time.Time // whose time has come
	Limit    int       // 0 means 100
}

// Shelf keeps rows.
type Shelf interface {
	// Row returns a row, or one of revision 0 where there is none.
	Row(ctx context.Context, kind, key string) (Row, error)
	// Rows lists rows by their keys.
	Rows(ctx context.Context, q Query) ([]Row, error)
	// Shelve writes all changes or none, with the records of them. A row that is
	// not as it was read is a *toolverdict.ConflictError.
	Shelve(ctx context.Context, changes []Change, records ...tv.Record) error
}

// Check refuses changes that cannot mean what they say.
func Check(changes []Change) error {
	seen := make([][2]string, 0, len(changes))
	for _, c := range changes {
		name := [2]string{c.Row.Kind, c.Row.Key}
		if name[0] == "" || name[1] == "" || c.From < 0 || c.Drop && c.From == 0 || slices.Contains(seen, name) {
			return errors.New("check rows: one has no name, is changed twice, or is taken away without having been read")
		}
		seen = append(seen, name)
	}
	if len(changes) == 0 {
		return errors.New("check rows: there is nothing to write")
	}
	return nil
}
