// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shop

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

const (
	databaseFile = "orders.db"
	outboxDir    = "outbox"
	scratchDir   = "scratch"
)

//go:embed schema.sql
var schema string

// Config says where a shop lives and what it takes from the outside world.
type Config struct {
	Dir          string           // holds the database, outbox and scratch; made with mode 0700 if missing
	Now          func() time.Time // the clock
	NewID        func() string    // an unguessable id, letters and digits only
	Bash         string           // path of bash; empty: [Shop.Shell] refuses with [ShellMissing]
	ShellTimeout time.Duration    // how long a command may run; zero: 10 seconds
}

// Shop is an open shop. It is safe for concurrent use, also by several
// processes on one folder.
type Shop struct {
	cfg     Config
	db      *sql.DB
	outbox  *os.Root
	scratch *os.Root
}

// Open opens the shop in cfg.Dir and fills it with the example's fixed data if
// it is new. The caller closes it.
func Open(ctx context.Context, cfg Config) (*Shop, error) {
	if cfg.Dir == "" || cfg.Now == nil || cfg.NewID == nil {
		return nil, errors.New("open shop: folder, clock and id source are all required")
	}
	if cfg.ShellTimeout == 0 {
		cfg.ShellTimeout = 10 * time.Second
	}
	if err := prepareDir(cfg.Dir); err != nil {
		return nil, fmt.Errorf("open shop: %v", err)
	}
	s := &Shop{cfg: cfg}
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open shop: %v", err), s.Close())
	}
	return s, nil
}

// Close releases the shop. Calls still running fail.
func (s *Shop) Close() error {
	var errs []error
	if s.db != nil {
		errs = append(errs, s.db.Close())
	}
	for _, r := range []*os.Root{s.outbox, s.scratch} {
		if r != nil {
			errs = append(errs, r.Close())
		}
	}
	return errors.Join(errs...)
}

func (s *Shop) open(ctx context.Context) error {
	var err error
	if s.outbox, err = os.OpenRoot(filepath.Join(s.cfg.Dir, outboxDir)); err != nil {
		return err
	}
	if s.scratch, err = os.OpenRoot(filepath.Join(s.cfg.Dir, scratchDir)); err != nil {
		return err
	}
	path := filepath.Join(s.cfg.Dir, databaseFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := s.create(ctx, path); err != nil {
			return fmt.Errorf("make database: %v", err)
		}
	}
	s.db, err = openDB(path, "_pragma=synchronous(FULL)")
	return err
}

// create makes the database under a name of its own and then gives it its real
// one, in one step. So there never is a half-filled database, and of several
// processes that start at once, one wins and the others use its work. (They
// could not all switch one file to write-ahead logging: SQLite answers "busy"
// to that, however long it is told to wait.)
func (s *Shop) create(ctx context.Context, path string) error {
	// SQLite would create the file with the process's umask; created here it is
	// private from its first byte, and SQLite gives its side files the same mode.
	f, err := os.CreateTemp(s.cfg.Dir, databaseFile+".*.new") // mode 0600
	if err != nil {
		return err
	}
	fresh := f.Name()
	if err := errors.Join(f.Close(), s.fill(ctx, fresh), s.seedScratch()); err != nil {
		return errors.Join(err, os.Remove(fresh))
	}
	err = os.Link(fresh, path)
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	return errors.Join(err, os.Remove(fresh))
}

// fill makes the tables and their first rows in an empty file.
func (s *Shop) fill(ctx context.Context, path string) error {
	db, err := openDB(path, "_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		return err
	}
	err = inTx(ctx, db, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, schema); err != nil {
			return fmt.Errorf("create tables: %v", err)
		}
		return s.seed(ctx, tx)
	})
	return errors.Join(err, db.Close()) // the close folds the write-ahead log into the file
}

// openDB opens an existing database file. Transactions take the write lock at
// once, so that two processes queue up instead of failing half way.
func openDB(path, pragmas string) (*sql.DB, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	u := url.URL{
		Scheme: "file", Path: abs,
		RawQuery: "mode=rw&_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=foreign_keys(1)&" + pragmas,
	}
	return sql.Open("sqlite", u.String())
}

// write runs f in one transaction: all of it happens, or none of it.
func (s *Shop) write(ctx context.Context, f func(*sql.Tx) error) error { return inTx(ctx, s.db, f) }

func inTx(ctx context.Context, db *sql.DB, f func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %v", err)
	}
	if err := f(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %v", err)
	}
	return nil
}

// stamp is the time as it is stored.
func (s *Shop) stamp() string { return s.cfg.Now().UTC().Format(time.RFC3339Nano) }

// prepareDir makes the folders. It never changes the mode of a folder that was
// there before (it may be the user's own), but refuses one that anybody may
// write to, for there the database could be swapped.
func prepareDir(dir string) error {
	for _, d := range []string{dir, filepath.Join(dir, outboxDir), filepath.Join(dir, scratchDir)} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return err
		}
		info, err := os.Stat(d)
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o002 != 0 {
			return fmt.Errorf("folder %s can be written by everybody: choose another folder or run chmod o-w on it", d)
		}
	}
	return nil
}

// Change is one thing that really happened.
type Change struct {
	Seq    int64  `json:"seq"` // 1, 2, 3 … in the order in which things happened
	At     string `json:"at"`  // RFC 3339, UTC
	Tool   string `json:"tool"`
	What   string `json:"what"` // the order, user, mail file or command
	Detail string `json:"detail"`
}

// ReadChanges hands every change of the shop in dir to f, oldest first, and
// stops at f's first error. It changes nothing, makes nothing, and works while
// a server has the shop open.
func ReadChanges(ctx context.Context, dir string, f func(Change) error) (err error) {
	path := filepath.Join(dir, databaseFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read changes: no %s in that folder: start the server on it once, or correct -data", databaseFile)
	}
	db, err := openDB(path, "_pragma=query_only(1)")
	if err != nil {
		return fmt.Errorf("read changes: %v", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rows, err := db.QueryContext(ctx, "SELECT seq, at, tool, what, detail FROM change ORDER BY seq")
	if err != nil {
		return fmt.Errorf("read changes: %v", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var c Change
		if err := rows.Scan(&c.Seq, &c.At, &c.Tool, &c.What, &c.Detail); err != nil {
			return fmt.Errorf("read changes: %v", err)
		}
		if err := f(c); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (s *Shop) record(ctx context.Context, tx *sql.Tx, tool, what, detail string) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO change (at, tool, what, detail) VALUES (?, ?, ?, ?)",
		s.stamp(), tool, what, detail)
	if err != nil {
		return fmt.Errorf("record change: %v", err)
	}
	return nil
}
