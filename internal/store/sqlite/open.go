// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"crypto/rand"
	"database/sql"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"sync"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/internal/store/sqlite/disk"
	"github.com/toolverdict/toolverdict/internal/store/sqlite/table"
)

// Names in the data folder.
const (
	databaseFile = "toolverdict.db"
	nodesDir     = "nodes"
	openLock     = "open.lock"
)

// guard notices that the database was taken away while it is open.
type guard = disk.Guard

// Config says where a store lives. Dir, Node and Now are required.
type Config struct {
	Dir    string // the data folder; made with mode 0700 where it is missing
	Node   string // names this process in the ledger; a new one at each start
	Now    func() time.Time
	Origin string // names the audit log when it is made; "" means a random name
}

// Store is the state in one file. It is safe for concurrent use, and several
// processes may have the same file open.
type Store struct {
	dir     string
	now     func() time.Time
	key     *audit.Signer
	present *disk.Presence
	pools
	read   *table.Statements
	writer *writer
	hint   *hint
	past   pastTools
	*table.Tables

	reached func(point string) // for tests that stop the process at a point
}

// pools are the connections that read.
type pools struct {
	pool   *sql.DB
	views  *sql.DB   // apart, so that looking at the log never holds up a call
	anchor *sql.Conn // keeps the write-ahead log open, so that nobody takes it away
}

// Open opens the data folder's store, making what is missing: the folder, the
// database, its tables, the audit key. It refuses files that others may open or
// replace, a schema newer than this program, an audit key that is not the
// log's, and a log whose end is not what was signed.
func Open(ctx context.Context, c Config) (*Store, error) {
	if c.Dir == "" || c.Node == "" || c.Now == nil {
		return nil, errors.New("open store: Dir, Node and Now are needed")
	}
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return nil, fmt.Errorf("open store: %v", err)
	}
	c.Dir = dir
	s := &Store{dir: dir, now: c.Now, hint: newHint()}
	if err := s.open(ctx, c); err != nil {
		err = fmt.Errorf("open store: %w", s.explain(err))
		return nil, errors.Join(err, s.release())
	}
	return s, nil
}

func (s *Store) open(ctx context.Context, c Config) error {
	if err := disk.PrepareDir(s.dir); err != nil {
		return err
	}
	lock, err := disk.Turn(ctx, filepath.Join(s.dir, openLock))
	if err != nil {
		return err
	}
	defer lock.Close()
	path := filepath.Join(s.dir, databaseFile)
	if err := disk.PrepareFile(path); err != nil {
		return err
	}
	if s.present, err = disk.Appear(filepath.Join(s.dir, nodesDir), c.Node); err != nil {
		return err
	}
	if err := s.present.Sweep(); err != nil {
		return err
	}
	if s.pool, err = openPool(path, readers+1); err != nil { // one stays moored
		return err
	}
	if s.views, err = openPool(path, viewers); err != nil {
		return err
	}
	s.views.SetMaxIdleConns(0)
	s.read = table.New(s.pool)
	s.Tables = table.Open(s.read, s.submit, s.explain)
	w := newWriter(s, path)
	if err := w.connect(ctx); err != nil {
		return err
	}
	s.writer = w
	if err := w.prepare(ctx, c); err != nil {
		return err
	}
	w.start()
	return nil
}

// moor opens the write-ahead log on a connection that stays.
func (s *Store) moor(ctx context.Context) error {
	var err error
	if s.anchor, err = s.pool.Conn(ctx); err != nil {
		return err
	}
	var size int64
	return s.anchor.QueryRowContext(ctx, "SELECT size FROM head").Scan(&size)
}

// How many reads, and how many views of the log, there are at once.
const (
	readers = 4
	viewers = 2
)

func pragmas(more ...string) url.Values {
	return url.Values{"_pragma": append([]string{
		"busy_timeout(5000)", "foreign_keys(1)", "trusted_schema(0)", "cache_size(-1024)",
	}, more...)}
}

// address is the data source name of the database with some pragmas.
func address(path string, query url.Values) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: query.Encode()}).String()
}

func openPool(path string, most int) (*sql.DB, error) {
	db, err := sql.Open("sqlite", address(path, pragmas("query_only(1)")))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(most)
	db.SetMaxIdleConns(most)
	return db, nil
}

// applicationID marks a database as ours: "tvrd".
const applicationID = 0x74767264

//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the tables to this program's version: forward only.
func migrate(ctx context.Context, db *sql.DB) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	if err := claimFile(ctx, db); err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("prepare migrations: %v", err)
	}
	has, knows, err := p.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read schema version: %w", err)
	}
	if has > knows {
		return fmt.Errorf("read schema version: the database has version %d, this program knows %d: use the newer toolverdict that wrote it", has, knows)
	}
	if has == knows {
		return nil // nearly always, and a process that lives for one answer waits for it
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate database: %w", err)
	}
	return nil
}

// claimFile refuses a database that another program made.
func claimFile(ctx context.Context, db *sql.DB) error {
	var id, tables int
	if err := db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id); err != nil {
		return fmt.Errorf("read database: %w", err)
	}
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return fmt.Errorf("read database: %w", err)
	}
	if id != applicationID && (id != 0 || tables > 0) {
		return errors.New("read database: another program made it: name another data folder")
	}
	if id == applicationID {
		return nil
	}
	_, err := db.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID))
	return err
}

// loadKey finds the key of the log, or makes one for a log that is new. A log
// that has records and no key is never given another key: whoever took the key
// away could have changed the records too.
func loadKey(c Config, fresh bool) (*audit.Signer, error) {
	key, err := audit.LoadKey(c.Dir)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if !fresh {
		return nil, fmt.Errorf("find audit key: the log was signed and %s is missing: put it back, or start with a new data folder and keep this one as evidence",
			filepath.Join(c.Dir, audit.KeyFile))
	}
	name := c.Origin
	if name == "" {
		b := make([]byte, 8)
		if _, err := rand.Read(b); err != nil {
			return nil, fmt.Errorf("make audit key: %v", err)
		}
		name = "toolverdict/" + hex.EncodeToString(b)
	}
	return audit.CreateKey(c.Dir, name, rand.Reader)
}

// Close writes what is queued, signs the log and closes the file. Changes that
// come later are refused.
func (s *Store) Close() error {
	s.writer.stop()
	return s.release()
}

// release closes what was opened.
func (s *Store) release() error {
	var errs []error
	if s.read != nil {
		s.read.Close()
	}
	if s.anchor != nil {
		s.anchor.Close()
	}
	if s.pool != nil {
		errs = append(errs, s.pool.Close())
	}
	if s.views != nil {
		errs = append(errs, s.views.Close())
	}
	if s.writer != nil {
		errs = append(errs, s.writer.disconnect())
	}
	if s.present != nil {
		errs = append(errs, s.present.Vanish())
	}
	return errors.Join(errs...)
}

// hint is a channel that is closed at the next change and replaced.
type hint struct {
	mu   sync.Mutex
	next chan struct{}
}

func newHint() *hint { return &hint{next: make(chan struct{})} }

func (h *hint) wait() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.next
}

func (h *hint) give() {
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.next)
	h.next = make(chan struct{})
}

// Changed returns a channel that is closed when an approval changed in this
// process. Take it before reading: a change in between then closes it. It is a
// hint only: changes by other processes do not close it.
func (s *Store) Changed() <-chan struct{} { return s.hint.wait() }
