// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
)

// Log is the audit log.
type Log interface {
	Find(ctx context.Context, q audit.Query) ([]audit.Numbered, error)
	// Mark says where the log stands.
	Mark(ctx context.Context) (int64, error)
}

// How far back matches are counted, and how many decisions are read at once.
const (
	lookBack = 20_000 // records
	stride   = 1000
)

// Hits is how often the rules of one policy matched.
type Hits struct {
	Since time.Time // from when on; zero where nothing was recorded since
	Rules map[string]Hit
}

// Hit is how often one rule matched, and when it last did.
type Hit struct {
	Count int
	Last  time.Time
}

// counter counts matches in the records that came since it was asked last, so
// that a page reads each of them once. It is safe for concurrent use.
type counter struct {
	log Log

	mu   sync.Mutex
	hash string // of the policy that is counted
	next int64  // the first record that was not read
	hits Hits
}

// read counts the matches of a policy's rules. What is further back than it looks
// is not counted, and Since says so.
func (c *counter) read(ctx context.Context, hash string) (Hits, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	mark, err := c.log.Mark(ctx)
	if err != nil {
		return Hits{}, fmt.Errorf("count matches: %w", err)
	}
	if from := max(0, mark-lookBack); hash != c.hash || c.next < from {
		c.hash, c.next, c.hits = hash, from, Hits{Rules: map[string]Hit{}}
	}
	for c.next < mark {
		found, err := c.log.Find(ctx, audit.Query{Kind: tv.RecordDecision, Page: audit.Page{From: c.next, Before: mark, Limit: stride}})
		if err != nil {
			return Hits{}, fmt.Errorf("count matches: %w", err)
		}
		for i := range found {
			c.count(&found[i].Record)
		}
		c.next = mark
		if len(found) == stride {
			c.next = found[stride-1].Seq + 1
		}
	}
	return c.hits.clone(), nil
}

func (c *counter) count(r *tv.Record) {
	if r.PolicyHash != c.hash {
		return
	}
	if c.hits.Since.IsZero() || r.At.Before(c.hits.Since) {
		c.hits.Since = r.At
	}
	for _, m := range r.Rules {
		h := c.hits.Rules[m.Rule]
		h.Count++
		if r.At.After(h.Last) {
			h.Last = r.At
		}
		c.hits.Rules[m.Rule] = h
	}
}

func (h *Hits) clone() Hits {
	return Hits{Since: h.Since, Rules: maps.Clone(h.Rules)}
}
