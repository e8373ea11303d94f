// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"github.com/toolverdict/toolverdict/internal/store/sqlite/table"
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

// link is the one connection that writes.
type link struct {
	path  string
	db    *sql.DB
	conn  *sql.Conn
	sql   *table.Statements
	guard *guard
}

// connect opens the connection where there is none.
func (l *link) connect(ctx context.Context) error {
	if l.conn != nil {
		return nil
	}
	if l.db == nil {
		db, err := sql.Open("sqlite", address(l.path, pragmas("journal_mode(WAL)", "synchronous(FULL)", "secure_delete(1)", "cache_size(-8192)")))
		if err != nil {
			return err
		}
		db.SetMaxOpenConns(1)
		l.db = db
	}
	conn, err := l.db.Conn(ctx)
	if err != nil {
		return err
	}
	l.conn, l.sql = conn, table.New(conn)
	return nil
}

// drop closes a connection after an error that may have left it unfit. The next
// change opens another one.
func (l *link) drop(err error) {
	if l.conn == nil || err == nil || alone(err) || busy(err) {
		return
	}
	l.sql.Close()
	_ = l.conn.Raw(func(any) error { return sqldriver.ErrBadConn })
	l.conn.Close()
	l.conn, l.sql = nil, nil
}

func (l *link) disconnect() error {
	if l.conn != nil {
		l.sql.Close()
		l.conn.Close()
		l.conn = nil
	}
	if l.db == nil {
		return nil
	}
	return l.db.Close()
}
