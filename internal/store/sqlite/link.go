// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
)

// link is the one connection that writes.
type link struct {
	path  string
	db    *sql.DB
	conn  *sql.Conn
	sql   *statements
	guard *guard
}

// connect opens the connection where there is none.
func (l *link) connect(ctx context.Context) error {
	if l.conn != nil {
		return nil
	}
	if l.db == nil {
		db, err := sql.Open("sqlite", address(l.path, pragmas("journal_mode(WAL)", "synchronous(FULL)", "secure_delete(1)")))
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
	l.conn, l.sql = conn, newStatements(conn)
	return nil
}

// drop closes a connection after an error that may have left it unfit. The next
// change opens another one.
func (l *link) drop(err error) {
	if l.conn == nil || err == nil || alone(err) || busy(err) {
		return
	}
	l.sql.close()
	_ = l.conn.Raw(func(any) error { return driver.ErrBadConn })
	l.conn.Close()
	l.conn, l.sql = nil, nil
}

func (l *link) disconnect() error {
	if l.conn != nil {
		l.sql.close()
		l.conn.Close()
		l.conn = nil
	}
	if l.db == nil {
		return nil
	}
	return l.db.Close()
}
