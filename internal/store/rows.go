// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"errors"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/shelf"
)

// MaxRow bounds one row of a shelf, in bytes.
const MaxRow = 64 << 10

// EncodeRows checks changes of rows and encodes the records that come with
// them. Rows may change without a record: they say what a part has still to do,
// not what was decided.
func EncodeRows(changes []shelf.Change, records []tv.Record) (Encoded, error) {
	if err := shelf.Check(changes); err != nil {
		return Encoded{}, err
	}
	for _, c := range changes {
		if len(c.Row.Body) > MaxRow || len(c.Row.Body) == 0 && !c.Drop {
			return Encoded{}, errors.New("check rows: one is empty or too large")
		}
	}
	if len(records) == 0 {
		return Encoded{}, nil
	}
	return Encode(tv.Changes{Records: records})
}
