// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"errors"
	"fmt"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"
)

// explain says what an error of the database means to the operator. What it
// wraps is a context's error or nothing.
func (s *Store) explain(err error) error {
	code, ok := codeOf(err)
	if !ok {
		return err
	}
	switch code & 0xff {
	case codes.SQLITE_FULL:
		return fmt.Errorf("the disk is full: free space on the disk of %s: %v", s.dir, err)
	case codes.SQLITE_READONLY, codes.SQLITE_PERM:
		return fmt.Errorf("the database cannot be written: check the permissions and the mount of %s: %v", s.dir, err)
	case codes.SQLITE_IOERR, codes.SQLITE_CANTOPEN, codes.SQLITE_NOLFS:
		return fmt.Errorf("the disk does not do what it should: check the disk of %s: %v", s.dir, err)
	case codes.SQLITE_CORRUPT, codes.SQLITE_NOTADB, codes.SQLITE_FORMAT:
		return fmt.Errorf("the database is damaged: stop the gate, keep the files of %s, and start from a copy: %v", s.dir, err)
	case codes.SQLITE_BUSY, codes.SQLITE_LOCKED, codes.SQLITE_PROTOCOL:
		return fmt.Errorf("another process keeps the database of %s busy: %v", s.dir, err)
	}
	return err
}

// alone reports whether an error is about one statement and its values, so that
// other changes of the same batch may still succeed.
func alone(err error) bool {
	code, ok := codeOf(err)
	if !ok {
		return false
	}
	switch code & 0xff {
	case codes.SQLITE_CONSTRAINT, codes.SQLITE_TOOBIG, codes.SQLITE_MISMATCH, codes.SQLITE_RANGE:
		return true
	}
	return false
}

// busy reports whether another process was in the way.
func busy(err error) bool {
	code, ok := codeOf(err)
	return ok && (code&0xff == codes.SQLITE_BUSY || code&0xff == codes.SQLITE_LOCKED)
}

// unwritable reports whether the disk or its rights kept SQLite from opening.
func unwritable(err error) bool {
	code, ok := codeOf(err)
	return ok && (code&0xff == codes.SQLITE_CANTOPEN || code&0xff == codes.SQLITE_READONLY)
}

func codeOf(err error) (int, bool) {
	var e *driver.Error
	if !errors.As(err, &e) {
		return 0, false
	}
	return e.Code(), true
}
