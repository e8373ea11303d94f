// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/internal/store"
	"github.com/toolverdict/toolverdict/internal/store/sqlite/table"
)

// View is the audit log as it was at one moment. It is not safe for concurrent
// use, and holds up the tidying of the file until it is closed.
type View struct {
	conn *sql.Conn
	q    *table.Statements
	own  *sql.DB // of a view that was opened by itself
	key  *audit.Verifier
}

var _ audit.Log = (*View)(nil)

// Log returns a view of the log as it is now. Few views can be open at once:
// the next one waits, as long as ctx lets it.
func (s *Store) Log(ctx context.Context) (*View, error) {
	v, err := newView(ctx, s.views)
	if err != nil {
		return nil, fmt.Errorf("view log: %w", s.explain(err))
	}
	v.key = s.key.Verifier()
	return v, nil
}

// Mark says where the log stands now: how many records it has. Nothing changes
// without a record, so whatever changes, the mark does.
func (s *Store) Mark(ctx context.Context) (int64, error) {
	var size int64
	if err := s.read.Row(ctx, `SELECT size FROM head WHERE id = 1`, nil, &size); err != nil {
		return 0, s.reading("log", err)
	}
	return size, nil
}

// OpenLog opens the log of a data folder for reading only, whether or not a gate
// is running on it. It needs no audit key.
func OpenLog(ctx context.Context, dir string) (*View, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("view log: %v", err)
	}
	path := filepath.Join(dir, databaseFile)
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("view log: %w", err)
	}
	query := pragmas("query_only(1)")
	query.Set("mode", "ro") // looking changes nothing, not even what a crash left
	v, err := openView(ctx, path, query)
	if err != nil && unwritable(err) {
		// On a read-only disk SQLite cannot make the files that it shares with a
		// running gate. There is none then, and without a write-ahead log nothing
		// is missing from the database itself.
		if wal, errWal := os.Stat(path + "-wal"); errWal == nil && wal.Size() > 0 {
			return nil, fmt.Errorf("view log: the disk is read-only and part of the log is in %s-wal: copy the folder to where you can write: %v", path, err)
		}
		query.Set("immutable", "1")
		v, err = openView(ctx, path, query)
	}
	if err != nil {
		return nil, fmt.Errorf("view log: %w", (&Store{dir: dir}).explain(err))
	}
	if key, err := audit.LoadVerifier(filepath.Join(dir, audit.PublicFile)); err == nil {
		v.key = key
	}
	return v, nil
}

func openView(ctx context.Context, path string, query url.Values) (*View, error) {
	db, err := sql.Open("sqlite", address(path, query))
	if err != nil {
		return nil, err
	}
	v, err := newView(ctx, db)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	v.own = db
	return v, nil
}

func newView(ctx context.Context, db *sql.DB) (*View, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	v := &View{conn: conn, q: table.New(conn)}
	if err := v.q.Exec(ctx, "BEGIN"); err != nil {
		conn.Close()
		return nil, err
	}
	if _, err := v.Size(ctx); err != nil { // the first read is the moment that is seen
		return nil, errors.Join(err, v.Close())
	}
	return v, nil
}

// Close ends the view.
func (v *View) Close() error {
	err := v.q.Exec(context.Background(), "ROLLBACK")
	v.q.Close()
	v.conn.Close()
	if v.own != nil {
		err = errors.Join(err, v.own.Close())
	}
	return err
}

// Key returns the public key that lies beside the log, or nil.
func (v *View) Key() *audit.Verifier { return v.key }

// Size returns how many records the writer noted.
func (v *View) Size(ctx context.Context) (int64, error) {
	var size int64
	if err := v.q.Row(ctx, `SELECT size FROM head WHERE id = 1`, nil, &size); err != nil {
		return 0, fmt.Errorf("read head of log: %w", err)
	}
	return size, nil
}

// Entries returns the records from a place on.
func (v *View) Entries(ctx context.Context, from int64) iter.Seq2[audit.Entry, error] {
	if from <= 0 { // all there are, also at places that no record should have
		return v.entries(ctx, `SELECT seq, hash, leaf FROM records ORDER BY seq`)
	}
	return v.entries(ctx, `SELECT seq, hash, leaf FROM records WHERE seq >= ? ORDER BY seq`, from)
}

func (v *View) entries(ctx context.Context, query string, args ...any) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		stopped := errors.New("stopped")
		err := v.q.Each(ctx, query, args, func(rows *sql.Rows) error {
			var e audit.Entry
			var hash, leaf sql.RawBytes
			if err := rows.Scan(&e.Seq, &hash, &leaf); err != nil {
				return err
			}
			if len(hash) == len(e.Hash) {
				copy(e.Hash[:], hash)
			}
			e.Leaf = leaf
			if !yield(e, nil) {
				return stopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, stopped) {
			yield(audit.Entry{}, err)
		}
	}
}

// Checkpoints returns all signed heads, smallest first.
func (v *View) Checkpoints(ctx context.Context) iter.Seq2[audit.Stored, error] {
	return v.checkpoints(ctx, `SELECT size, at, note FROM checkpoints ORDER BY size`)
}

func (v *View) checkpoints(ctx context.Context, query string, args ...any) iter.Seq2[audit.Stored, error] {
	return func(yield func(audit.Stored, error) bool) {
		stopped := errors.New("stopped")
		err := v.q.Each(ctx, query, args, func(rows *sql.Rows) error {
			var c audit.Stored
			var at int64
			if err := rows.Scan(&c.Size, &at, &c.Note); err != nil {
				return err
			}
			c.At = time.UnixMicro(at)
			if !yield(c, nil) {
				return stopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, stopped) {
			yield(audit.Stored{}, err)
		}
	}
}

// Hashes reads stored hashes of one level.
func (v *View) Hashes(ctx context.Context, level int, from, to int64) ([]audit.Hash, error) {
	return storedHashes(ctx, v.q)(level, from, to)
}

// Checkpoint returns the newest signed head.
func (v *View) Checkpoint(ctx context.Context) (audit.Stored, error) {
	for c, err := range v.checkpoints(ctx, `SELECT size, at, note FROM checkpoints ORDER BY size DESC LIMIT 1`) {
		if err != nil {
			return c, fmt.Errorf("read checkpoint: %w", err)
		}
		return c, nil
	}
	return audit.Stored{}, errors.New("read checkpoint: the log has none")
}

// Prove makes a proof for one record under the newest checkpoint.
func (v *View) Prove(ctx context.Context, key *audit.Verifier, seq int64) ([]byte, error) {
	c, err := v.Checkpoint(ctx)
	if err != nil {
		return nil, err
	}
	for e, err := range v.entries(ctx, `SELECT seq, hash, leaf FROM records WHERE seq = ?`, seq) {
		if err != nil {
			return nil, fmt.Errorf("read record %d: %w", seq, err)
		}
		e.Leaf = append([]byte(nil), e.Leaf...)
		return audit.Prove(key, c.Note, e, storedHashes(ctx, v.q))
	}
	return nil, fmt.Errorf("prove record %d: there is no such record", seq)
}

// Find returns the records that a query selects. A record that cannot be
// decoded ends it with an error: the log is damaged.
func (v *View) Find(ctx context.Context, q audit.Query) ([]audit.Numbered, error) {
	from := q.Page.From
	if !q.Since.IsZero() {
		earliest, err := v.since(ctx, q.Since)
		if err != nil {
			return nil, fmt.Errorf("find records: %w", err)
		}
		from = max(from, earliest)
	}
	query, args := `SELECT seq, hash, leaf FROM records WHERE seq >= ?`, []any{from}
	if q.Page.Before > 0 {
		query, args = query+` AND seq < ?`, append(args, q.Page.Before)
	}
	query += ` ORDER BY seq`
	if q.Page.Newest {
		query += ` DESC`
	}
	var out []audit.Numbered
	scan := q.Scan()
	for e, err := range v.entries(ctx, query, args...) {
		if err != nil {
			return nil, fmt.Errorf("find records: %w", err)
		}
		n, ok, err := scan.Match(e.Leaf)
		if err != nil {
			return nil, fmt.Errorf("find records: record %d: %v: run audit verify", e.Seq, err)
		}
		if !ok {
			continue
		}
		if out = append(out, n); len(out) == store.Size(q.Page.Limit) {
			break
		}
	}
	return out, nil
}

// since returns a place before which every record is older than a time: the
// size of the last checkpoint that stands before the first one as late as that.
// No checkpoint is older than a record it covers, and audit verify checks that.
func (v *View) since(ctx context.Context, at time.Time) (int64, error) {
	var place sql.NullInt64
	err := v.q.Row(ctx, `SELECT max(size) FROM checkpoints WHERE size < coalesce(
		(SELECT min(size) FROM checkpoints WHERE at >= ?), (SELECT max(size) + 1 FROM checkpoints))`,
		[]any{micros(at)}, &place)
	return max(place.Int64, 0), err
}
