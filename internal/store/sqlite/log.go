// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/internal/store/sqlite/table"
)

// head is where the log stands.
type head struct {
	tree   *audit.Tree
	signed int64     // size of the last checkpoint, -1 before the first
	latest time.Time // that any record or checkpoint carries
}

func loadHead(ctx context.Context, q *table.Statements) (head, error) {
	var size, signed, latest int64
	var edge []byte
	err := q.Row(ctx, `SELECT size, edge, signed, latest FROM head WHERE id = 1`, nil, &size, &edge, &signed, &latest)
	if err != nil {
		return head{}, fmt.Errorf("read head of log: %w", err)
	}
	tree, err := audit.ParseTree(size, edge)
	if err != nil {
		return head{}, fmt.Errorf("read head of log: %v", err)
	}
	return head{tree: tree, signed: signed, latest: time.UnixMicro(latest)}, nil
}

// follow reads the head as it is now. Where another process wrote to the log,
// what this one knew of it must still be its beginning: no signature is given
// to a log that was written anew.
func (h head) follow(ctx context.Context, q *table.Statements) (head, error) {
	now, err := loadHead(ctx, q)
	if err != nil {
		return now, err
	}
	if now.tree.Size() == h.tree.Size() {
		now.tree = h.tree.Clone()
		return now, nil
	}
	if now.tree.Size() < h.tree.Size() {
		return now, errors.New("follow log: it was cut back by another program: stop the gate and run audit verify")
	}
	root, err := audit.RootAt(h.tree.Size(), storedHashes(ctx, q))
	if err != nil {
		return now, fmt.Errorf("follow log: %w", err)
	}
	if root != h.tree.Root() {
		return now, errors.New("follow log: it was rewritten by another program: stop the gate and run audit verify")
	}
	return now, nil
}

// checkEnd looks at what a start builds on: the last checkpoint is this key's
// and matches the stored hashes, the records after it match theirs, and the
// head is where all of it ends.
func checkEnd(ctx context.Context, q *table.Statements, h head, key *audit.Verifier) error {
	const trouble = "check end of log: %s: run audit verify, keep this data folder as evidence, and start with a new one"
	if h.signed < 0 {
		if h.tree.Size() != 0 {
			return fmt.Errorf(trouble, "it has records and was never signed")
		}
		return nil
	}
	var size int64
	var note []byte
	err := q.Row(ctx, `SELECT size, note FROM checkpoints ORDER BY size DESC LIMIT 1`, nil, &size, &note)
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf(trouble, "its checkpoints are gone")
	}
	if err != nil {
		return fmt.Errorf("check end of log: %w", err)
	}
	c, err := key.Open(note)
	if err != nil {
		return fmt.Errorf(trouble, err)
	}
	if c.Size != size || c.Size != h.signed || c.Size > h.tree.Size() {
		return fmt.Errorf(trouble, "its last checkpoint is of another size than its head says")
	}
	for size, want := range map[int64]audit.Hash{c.Size: c.Root, h.tree.Size(): h.tree.Root()} {
		root, err := audit.RootAt(size, storedHashes(ctx, q))
		if err != nil || root != want {
			return fmt.Errorf(trouble, "its stored hashes do not lead to its head")
		}
	}
	return checkTail(ctx, q, c.Size, h.tree.Size(), trouble)
}

// checkTail reads the records that a crash left unsigned: those from one place
// up to the head, and no more.
func checkTail(ctx context.Context, q *table.Statements, from, size int64, trouble string) error {
	err := q.Each(ctx, `SELECT seq, hash, leaf FROM records WHERE seq >= ? ORDER BY seq`, []any{from}, func(rows *sql.Rows) error {
		var seq int64
		var hash, leaf []byte
		if err := rows.Scan(&seq, &hash, &leaf); err != nil {
			return err
		}
		n, err := audit.Decode(leaf)
		if want := audit.LeafHash(leaf); err != nil || seq != from || n.Seq != seq || string(want[:]) != string(hash) {
			return fmt.Errorf(trouble, fmt.Sprintf("record %d, which no checkpoint covers, is damaged", seq))
		}
		from++
		return nil
	})
	if err == nil && from != size {
		return fmt.Errorf(trouble, "it does not end where its head says")
	}
	return err
}

// storedHashes reads hashes for audit.
func storedHashes(ctx context.Context, q *table.Statements) audit.Hashes {
	return func(level int, from, to int64) ([]audit.Hash, error) {
		out := make([]audit.Hash, 0, to-from)
		query, args := `SELECT hash FROM tree WHERE level = ? AND n >= ? AND n < ? ORDER BY n`, []any{level, from, to}
		if level == 0 {
			query, args = `SELECT hash FROM records WHERE seq >= ? AND seq < ? ORDER BY seq`, []any{from, to}
		}
		err := q.Each(ctx, query, args, func(rows *sql.Rows) error {
			var b sql.RawBytes
			if err := rows.Scan(&b); err != nil {
				return err
			}
			var h audit.Hash
			if copy(h[:], b) != len(h) || len(b) != len(h) {
				return errors.New("read stored hash: it has a wrong length")
			}
			out = append(out, h)
			return nil
		})
		return out, err
	}
}

// record appends an encoded record to the log, and signs where a checkpoint
// must stand.
func (t *txn) record(ctx context.Context, body []byte, at time.Time) error {
	seq := t.head.tree.Size()
	leaf := audit.Leaf(seq, body)
	hash := audit.LeafHash(leaf)
	if err := t.sql.Exec(ctx, `INSERT INTO records (seq, hash, leaf) VALUES (?, ?, ?)`, seq, hash[:], leaf); err != nil {
		return fmt.Errorf("append record: %w", err)
	}
	if at.After(t.head.latest) {
		t.head.latest = at
	}
	for _, n := range t.head.tree.Append(hash) {
		if err := t.sql.Exec(ctx, `INSERT INTO tree (level, n, hash) VALUES (?, ?, ?)`, n.Level, n.Index, n.Hash[:]); err != nil {
			return fmt.Errorf("append record: %w", err)
		}
	}
	if t.head.tree.Size()%audit.CheckpointEvery == 0 {
		return t.sign(ctx)
	}
	return nil
}

// sign writes a checkpoint of the log as it is, unless there is one. Its time
// is never before that of anything it covers: audit verify relies on it.
func (t *txn) sign(ctx context.Context) error {
	size := t.head.tree.Size()
	if size == t.head.signed {
		return nil
	}
	if t.now.After(t.head.latest) {
		t.head.latest = t.now
	}
	note, err := t.key.Sign(t.head.tree)
	if err != nil {
		return err
	}
	if err := t.sql.Exec(ctx, `INSERT INTO checkpoints (size, at, note) VALUES (?, ?, ?)`,
		size, micros(t.head.latest), note); err != nil {
		return fmt.Errorf("write checkpoint: %w", err)
	}
	t.head.signed = size
	return nil
}

// end writes the head, signed or not.
func (t *txn) end(ctx context.Context, sign bool) error {
	if sign {
		if err := t.sign(ctx); err != nil {
			return err
		}
	}
	err := t.sql.Exec(ctx, `UPDATE head SET size = ?, edge = ?, signed = ?, latest = ? WHERE id = 1`,
		t.head.tree.Size(), t.head.tree.Edge(), t.head.signed, micros(t.head.latest))
	if err != nil {
		return fmt.Errorf("write head of log: %w", err)
	}
	return nil
}

// micros is a time as the database has it: microseconds, cut.
func micros(t time.Time) int64 { return t.UnixMicro() }
