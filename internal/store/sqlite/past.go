// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/store"
	"github.com/toolverdict/toolverdict/internal/store/sqlite/lookup"
	"github.com/toolverdict/toolverdict/internal/store/sqlite/table"
)

// Seen answers looks at earlier calls, in their order.
func (s *Store) Seen(ctx context.Context, looks []tv.Look, at time.Time) ([]tv.Seen, error) {
	if err := store.CheckLooks(looks); err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	if err := s.past.learn(ctx, s.read); err != nil {
		return nil, s.reading("history", err)
	}
	seen, err := s.past.seen(ctx, s.read, looks, at)
	if err != nil {
		return nil, s.reading("history", err)
	}
	return seen, nil
}

// pastTools are the tools that were called, as far as this process knows. It
// learns only what is committed.
type pastTools struct {
	mu    sync.RWMutex
	known []pastTool // by id
	ids   map[string]int64
}

type pastTool struct {
	id    int64
	text  string
	facts tv.PastTool
}

// learn reads the tools that were called for the first time since it last did.
func (p *pastTools) learn(ctx context.Context, q *table.Statements) error {
	more, err := p.newer(ctx, q)
	if err != nil || len(more) == 0 {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ids == nil {
		p.ids = map[string]int64{}
	}
	for _, t := range more {
		if len(p.known) == 0 || p.known[len(p.known)-1].id < t.id {
			p.known = append(p.known, t)
			p.ids[t.text] = t.id
		}
	}
	return nil
}

// id returns what a tool's facts are kept under.
func (p *pastTools) id(facts string) (id int64, ok bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	id, ok = p.ids[facts]
	return id, ok
}

func (p *pastTools) list() []pastTool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.known
}

func (p *pastTools) newer(ctx context.Context, q *table.Statements) ([]pastTool, error) {
	last := int64(0)
	if known := p.list(); len(known) > 0 {
		last = known[len(known)-1].id
	}
	var more []pastTool
	err := q.Each(ctx, `SELECT id, facts FROM past_tools WHERE id > ? ORDER BY id`, []any{last}, func(rows *sql.Rows) error {
		var t pastTool
		if err := rows.Scan(&t.id, &t.text); err != nil {
			return err
		}
		more = append(more, t)
		return json.Unmarshal([]byte(t.text), &more[len(more)-1].facts)
	})
	return more, err
}

// seen answers looks. In a transaction it also finds the tools that were written
// in it.
func (p *pastTools) seen(ctx context.Context, q *table.Statements, looks []tv.Look, at time.Time) ([]tv.Seen, error) {
	if len(looks) == 0 {
		return nil, nil
	}
	more, err := p.newer(ctx, q)
	if err != nil {
		return nil, err
	}
	out := make([]tv.Seen, len(looks))
	for i := range looks {
		l := &looks[i]
		var ids []int64
		for _, list := range [][]pastTool{p.list(), more} {
			for _, t := range list {
				if l.Tools(t.facts) {
					ids = append(ids, t.id)
				}
			}
		}
		if out[i], err = look(ctx, q, l, ids, at); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// look answers one question in one statement, so that it sees one moment.
func look(ctx context.Context, q *table.Statements, l *tv.Look, tools []int64, at time.Time) (tv.Seen, error) {
	query, args := lookup.Query(l, tools, at)
	out := tv.Seen{Key: l.Key}
	var numbers []byte
	if err := q.Row(ctx, query, args, &out.Count, &out.Maybe, &numbers); err != nil {
		return out, err
	}
	if l.Sum != "" && out.Maybe == 0 && out.Count <= l.Most {
		var err error
		if out.Sum, err = addUp(numbers, l.Sum); err != nil {
			return out, err
		}
	}
	out.Count = min(out.Count, l.Most)
	out.Maybe = min(out.Maybe, l.Most-out.Count)
	return out, nil
}

func addUp(numbers []byte, name string) (string, error) {
	var calls [][]tv.Number
	if err := json.Unmarshal(append(append([]byte{'['}, numbers...), ']'), &calls); err != nil {
		return "", fmt.Errorf("decode numbers: %v", err)
	}
	var sum tv.Sum
	for _, one := range calls {
		sum.Add(one, name)
	}
	return sum.Text(), nil
}

// writePast writes what a change says of the history.
func (t *txn) writePast(ctx context.Context, r *request) error {
	for i := range r.Past {
		if err := t.writeCall(ctx, &r.Past[i]); err != nil {
			return err
		}
	}
	for _, s := range r.Settled {
		if err := t.sql.Exec(ctx, `UPDATE past SET state = ?1, ran = ?1 > 1 WHERE id = ?2 AND state = 2`, s.State, s.ID); err != nil {
			return err
		}
	}
	return nil
}

func (t *txn) writeCall(ctx context.Context, p *tv.Past) error {
	facts, err := json.Marshal(p.Tool)
	if err != nil {
		return err
	}
	tool, err := t.pastTool(ctx, string(facts))
	if err != nil {
		return err
	}
	var numbers any
	if len(p.Numbers) > 0 {
		text, err := json.Marshal(p.Numbers)
		if err != nil {
			return err
		}
		numbers = string(text)
	}
	return t.sql.Exec(ctx, `INSERT INTO past (id, at, tool, ran, state, session, subject, user, agent, run, numbers)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET at = excluded.at, tool = excluded.tool, ran = excluded.ran, state = excluded.state,
			session = excluded.session, subject = excluded.subject, user = excluded.user, agent = excluded.agent, run = excluded.run,
			numbers = excluded.numbers
		WHERE excluded.ran = 1 OR past.ran = 0`,
		p.ID, micros(p.At), tool, p.State.Ran(), p.State, lookup.Tied("session", p.Session, p.Subject), lookup.Tied("subject", p.Subject, ""),
		lookup.Tied("user", p.User, p.Subject), lookup.Tied("agent", p.Agent, p.Subject), lookup.Tied("run", p.Run, p.Subject), numbers)
}

func (t *txn) pastTool(ctx context.Context, facts string) (id int64, err error) {
	if id, ok := t.past.id(facts); ok {
		return id, nil
	}
	const find = `SELECT id FROM past_tools WHERE facts = ?`
	err = t.sql.Row(ctx, find, []any{facts}, &id)
	if !errors.Is(err, sql.ErrNoRows) {
		return id, err
	}
	t.learned = true
	if err := t.sql.Exec(ctx, `INSERT INTO past_tools (facts) VALUES (?)`, facts); err != nil {
		return 0, err
	}
	return id, t.sql.Row(ctx, find, []any{facts}, &id)
}

// fast is how far ahead of now a call may lie before its clock must have been
// wrong.
const fast = time.Minute

// forgetPast removes what no rule can look back at any more, of one tool after
// the other. Calls from a clock that was set back since then count as of now, so
// that they end one window from here and not at a time that may be years away.
func (w *writer) forgetPast(ctx context.Context, most int) (more bool, err error) {
	now := w.s.now()
	before, ahead := micros(now.Add(-tv.MaxLookBack)), micros(now.Add(fast))
	var tool sql.NullInt64
	err = w.sql.Row(ctx, `SELECT min(tool) FROM past WHERE tool > ?`, []any{w.old.tool}, &tool)
	if err != nil {
		return false, fmt.Errorf("find old calls: %w", err)
	}
	w.old.tool = tool.Int64 // 0 after the last one: the next round starts over
	if !tool.Valid {
		return false, nil
	}
	var over, wrong int
	const found = `SELECT (SELECT count(*) FROM (SELECT 1 FROM past WHERE tool = ?1 AND ran IN (0, 1) AND at < ?2 LIMIT ?4)),
		(SELECT count(*) FROM (SELECT 1 FROM past WHERE tool = ?1 AND ran IN (0, 1) AND at > ?3 LIMIT ?4))`
	if err := w.sql.Row(ctx, found, []any{tool.Int64, before, ahead, most}, &over, &wrong); err != nil {
		return false, fmt.Errorf("find old calls: %w", err)
	}
	if over == most || wrong == most {
		w.old.tool-- // there is more of this one
	}
	if over == 0 && wrong == 0 {
		return true, nil
	}
	if err := w.sql.Exec(ctx, "BEGIN IMMEDIATE"); err != nil {
		return false, err
	}
	err = w.sql.Exec(ctx, `DELETE FROM past WHERE seq IN (SELECT seq FROM past WHERE tool = ? AND ran IN (0, 1) AND at < ? LIMIT ?)`, tool.Int64, before, most)
	if err == nil {
		err = w.sql.Exec(ctx, `UPDATE past SET at = ? WHERE seq IN (SELECT seq FROM past WHERE tool = ? AND ran IN (0, 1) AND at > ? LIMIT ?)`,
			micros(now), tool.Int64, ahead, most)
	}
	end := "COMMIT"
	if err != nil {
		end = "ROLLBACK"
	}
	return true, errors.Join(err, w.sql.Exec(ctx, end))
}
