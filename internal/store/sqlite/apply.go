// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/internal/store"
	"github.com/toolverdict/toolverdict/internal/store/sqlite/table"
)

// txn is one transaction on the writing connection.
type txn struct {
	sql  *table.Statements
	key  *audit.Signer
	now  time.Time
	head head
	past *pastTools

	learned bool  // a tool was called for the first time
	lost    int64 // lazy changes whose loss this transaction records
}

// begin reads where the log stands, and first of all writes down what could not
// be written before: the log says of itself that it has a gap.
func (w *writer) begin(ctx context.Context) (*txn, error) {
	h, err := w.head.follow(ctx, w.sql)
	if err != nil {
		return nil, err
	}
	t := &txn{sql: w.sql, key: w.s.key, now: w.s.now(), head: h, past: &w.s.past}
	if t.lost = w.health.untold(); t.lost == 0 {
		return t, nil
	}
	body, err := audit.Body(tv.Record{
		Kind: tv.RecordAdmin, At: t.now,
		Detail: fmt.Sprintf("%d outcomes of read-only calls could not be written and are lost", t.lost),
	})
	if err != nil {
		return nil, err
	}
	return t, t.record(ctx, body, t.now)
}

// apply writes one change. The first error refuses this change alone, before
// anything of it was written; the second means that the transaction is no good.
func (t *txn) apply(ctx context.Context, r *request) (refused, err error) {
	if refused, err := t.expected(ctx, r); refused != nil || err != nil {
		return refused, err
	}
	for i, c := range r.Changes.Claims {
		if err := t.writeClaim(ctx, c, r.Claims[i]); err != nil {
			return nil, fmt.Errorf("write ledger entry: %w", err)
		}
	}
	for i, c := range r.Changes.Approvals {
		if err := t.writeApproval(ctx, c, r.Approvals[i]); err != nil {
			return nil, fmt.Errorf("write approval: %w", err)
		}
	}
	if err := table.WriteGrants(ctx, t.sql, &r.Encoded); err != nil {
		return nil, fmt.Errorf("write grant: %w", err)
	}
	for _, l := range r.Takes {
		if err := t.take(ctx, l, r.Records[0].At); err != nil {
			return nil, fmt.Errorf("count dispatch: %w", err)
		}
	}
	if err := t.writePast(ctx, r); err != nil {
		return nil, fmt.Errorf("write history: %w", err)
	}
	for i, body := range r.Bodies {
		if err := t.record(ctx, body, r.Records[i].At); err != nil {
			return nil, err
		}
	}
	if r.probe {
		if err := t.sql.Exec(ctx, `INSERT INTO pulse (id, at, weight) VALUES (1, ?, zeroblob(65536))
			ON CONFLICT DO UPDATE SET at = excluded.at, weight = excluded.weight`, micros(t.now)); err != nil {
			return nil, fmt.Errorf("probe disk: %w", err)
		}
	}
	if r.Also != nil {
		return nil, r.Also(ctx, t.sql)
	}
	return nil, nil
}

// expected checks everything that the change expects, before it writes anything.
func (t *txn) expected(ctx context.Context, r *request) (refused, err error) {
	for _, c := range r.Changes.Claims {
		var epoch int64
		var state tv.ClaimState
		err := t.sql.Row(ctx, `SELECT epoch, state FROM claims WHERE key = ?`, []any{c.To.Key}, &epoch, &state)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return nil, fmt.Errorf("read ledger entry: %w", err)
		}
		if epoch != c.From {
			return &tv.ConflictError{What: "claim", Key: c.To.Key}, nil
		}
		if err := store.ClaimStep(state, c.To.State); err != nil {
			return fmt.Errorf("commit: %w", err), nil
		}
	}
	for _, c := range r.Changes.Approvals {
		if refused, err := t.expectedApproval(ctx, c); refused != nil || err != nil {
			return refused, err
		}
	}
	if refused, err := table.Expect(ctx, t.sql, &r.Encoded); refused != nil || err != nil {
		return refused, err
	}
	if r.Expects != nil {
		if refused, err := r.Expects(ctx, t.sql); refused != nil || err != nil {
			return refused, err
		}
	}
	same := map[string]int{}
	for _, l := range r.Takes {
		w, err := readWindow(ctx, t.sql, l, r.Records[0].At)
		if err != nil {
			return nil, fmt.Errorf("read limit: %w", err)
		}
		if w.count()+same[l.Key] >= l.Max {
			return &tv.ConflictError{What: "limit", Key: l.Key}, nil
		}
		same[l.Key]++
	}
	seen, err := t.past.seen(ctx, t.sql, r.Expect.Looks, r.Expect.At)
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	return store.Holds(r.Expect, seen), nil
}

// expectedApproval also holds an approval to the call it was asked for.
func (t *txn) expectedApproval(ctx context.Context, c tv.ApprovalChange) (refused, err error) {
	var version int64
	var state tv.ApprovalState
	var digest string
	err = t.sql.Row(ctx, `SELECT version, state, digest FROM approvals WHERE id = ?`, []any{c.To.ID}, &version, &state, &digest)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("read approval: %w", err)
	}
	if version != c.From {
		return &tv.ConflictError{What: "approval", Key: c.To.ID}, nil
	}
	if version == 0 {
		return nil, nil
	}
	if digest != c.To.Digest {
		return errors.New("commit: an approval may not be moved to another call"), nil
	}
	if err := store.ApprovalStep(state, c.To.State); err != nil {
		return fmt.Errorf("commit: %w", err), nil
	}
	return nil, nil
}

func (t *txn) writeClaim(ctx context.Context, c tv.ClaimChange, row store.Row) error {
	err := t.sql.Exec(ctx, `INSERT INTO claims (key, epoch, state, node, handle, updated, deadline, body, content)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (key) DO UPDATE SET epoch = excluded.epoch, state = excluded.state, node = excluded.node,
			handle = excluded.handle, updated = excluded.updated, deadline = excluded.deadline, body = excluded.body, content = excluded.content`,
		c.To.Key, c.From+1, c.To.State, c.To.Node, c.To.Handle, micros(c.To.Updated), micros(c.To.Deadline), row.Body, row.Content)
	return err
}

func (t *txn) writeApproval(ctx context.Context, c tv.ApprovalChange, row store.Row) error {
	err := t.sql.Exec(ctx, `INSERT INTO approvals (id, version, state, digest, created, expires, asker, names, body)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET version = excluded.version, state = excluded.state,
			expires = excluded.expires, names = excluded.names, body = excluded.body`,
		c.To.ID, c.From+1, c.To.State, c.To.Digest, micros(c.To.Created), micros(c.To.Expires), c.To.Call.Asker(), store.Names(&c.To), row.Body)
	return err
}

// window is what a limit's counter holds: a stretch of ordinals without a gap.
type window struct {
	first, last int64 // ordinals; first is after last when nothing is counted
	oldest      time.Time
	newest      time.Time // of all dispatches that are stored, counted or not
}

func (w window) count() int { return int(w.last - w.first + 1) }

// readWindow reads the dispatches of a key that a limit counts at a time: those
// later than a window's length ago. One that seems to come from the future, after
// the clock was set back, is counted: the stricter side.
func readWindow(ctx context.Context, q *table.Statements, l tv.Limit, at time.Time) (window, error) {
	var w window
	var newest int64
	err := q.Row(ctx, `SELECT at, ord FROM takes WHERE key = ? ORDER BY at DESC, ord DESC LIMIT 1`, []any{l.Key}, &newest, &w.last)
	if errors.Is(err, sql.ErrNoRows) {
		return window{first: 1}, nil
	}
	if err != nil {
		return w, err
	}
	w.newest = time.UnixMicro(newest)
	var oldest int64
	err = q.Row(ctx, `SELECT at, ord FROM takes WHERE key = ? AND at > ? ORDER BY at, ord LIMIT 1`,
		[]any{l.Key, micros(at.Add(-l.Per))}, &oldest, &w.first)
	if errors.Is(err, sql.ErrNoRows) {
		w.first = w.last + 1
		return w, nil
	}
	w.oldest = time.UnixMicro(oldest)
	return w, err
}

// take counts one dispatch. Times of a key never fall.
func (t *txn) take(ctx context.Context, l tv.Limit, at time.Time) error {
	w, err := readWindow(ctx, t.sql, l, at)
	if err != nil {
		return err
	}
	if w.newest.After(at) {
		at = w.newest
	}
	if err := t.sql.Exec(ctx, `DELETE FROM takes WHERE key = ? AND at <= ?`, l.Key, micros(at.Add(-l.Per))); err != nil {
		return err
	}
	err = t.sql.Exec(ctx, `INSERT INTO takes (key, at, ord, until) VALUES (?, ?, ?, ?)`,
		l.Key, micros(at), w.last+1, micros(at.Add(l.Per)))
	return err
}
