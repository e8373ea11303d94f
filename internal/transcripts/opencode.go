// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package transcripts

import (
	"context"
	"strconv"
	"time"

	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/store/sqlite/foreign"
)

// readOpenCode reads the database in which opencode keeps all of its sessions.
func readOpenCode(ctx context.Context, path string) (Session, error) {
	b := &book{agent: hookgate.OpenCode, byID: map[string]int{}}
	const query = `SELECT session_id, time_created, substr(data, 1, ?) FROM part WHERE data LIKE '%"type":"tool"%' ORDER BY time_created LIMIT ?`
	err := foreign.Each(ctx, path, query, []any{maxLine, maxCalls + 1}, func(row []string) error {
		b.opencode(row[0], row[1], row[2])
		return nil
	})
	if err != nil {
		return Session{Calls: b.calls, Odd: b.odd}, err
	}
	return b.done()
}

func (b *book) opencode(session, created, data string) {
	v, err := canon.ParseObject([]byte(data), canon.Limits{MaxBytes: maxLine, MaxDepth: maxDepth})
	if err != nil {
		b.odd++
		return
	}
	if text(v, "type") != "tool" {
		return
	}
	c := Call{ID: text(v, "callID"), Tool: text(v, "tool"), Arguments: object(v, "state", "input"), Answer: None}
	switch text(v, "state", "status") {
	case "completed":
		c.Answer = Ran
	case "error":
		c.Answer = answered(true, text(v, "state", "error"))
	}
	if ms, err := strconv.ParseInt(created, 10, 64); err == nil {
		c.At = time.UnixMilli(ms)
	}
	b.session = session
	delete(b.byID, c.ID) // it is unique within its session only, and told once
	b.call(c)
}
