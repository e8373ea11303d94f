// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/store/sqlite"
)

// commitGroup is the group of the store's own rows: what a read-only call must wait for, whoever
// forwards it, because its decision is durable before anything is sent.
const commitGroup = "store"

// commits is a path that makes one durable record per call, and nothing else.
func (l *lab) commits() target {
	return target{group: commitGroup, name: "one durable record", direct: true, open: func(ctx context.Context, _ int) (caller, error) {
		dir, err := os.MkdirTemp(l.dir, "store-")
		if err != nil {
			return nil, err
		}
		store, err := sqlite.Open(ctx, sqlite.Config{Dir: dir, Node: "bench", Now: l.now})
		if err != nil {
			return nil, err
		}
		return &commitCaller{store: store, now: l.now}, nil
	}}
}

type commitCaller struct {
	store *sqlite.Store
	now   clock
}

func (c *commitCaller) call(_, id int) error {
	return c.store.Commit(context.Background(), tv.Changes{Records: []tv.Record{record(id, c.now())}})
}

func (c *commitCaller) close() { _ = c.store.Close() }

// record is a decision as long as that of the calls that are measured.
func record(id int, at time.Time) tv.Record {
	hash := strings.Repeat("5f", 32)
	return tv.Record{
		Kind: tv.RecordDecision, At: at, CallID: fmt.Sprintf("bench%021d", id), Session: "session-of-the-bench", Subject: "agent", User: "u_1",
		Door: tv.DoorMCPHTTP, Tool: "http/echo", ToolHash: hash, Arguments: json.RawMessage(fmt.Sprintf(`{"message":"%d"}`, id)), ArgumentsMAC: hash,
		Verdict: "allow", Rule: "lookups", Rules: []tv.Match{{Rule: "lookups", Verdict: tv.Allow}}, PolicyVersion: "v1", PolicyHash: hash, Took: time.Microsecond,
	}
}
