// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package unguarded holds the calls in agents' transcripts against the decisions in
// audit logs. A call that ran, and that no decision let run, went past the gate.
//
// Of what stands in a transcript it tells names, times and ids, and of the arguments
// one short line without secrets.
package unguarded

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/redact"
	"github.com/toolverdict/toolverdict/internal/secret"
	"github.com/toolverdict/toolverdict/internal/store/sqlite"
	"github.com/toolverdict/toolverdict/internal/transcripts"
)

// decided is what came of one call at a gate: perhaps a question, then leave.
type decided struct {
	at      time.Time
	session string
	tool    string
	allowed bool
	used    bool // some call of a transcript is this one
}

// Log is the decisions of one or more gates, to be found by calls.
type Log struct {
	first    time.Time
	calls    map[string]*decided // by folder and the gate's id
	byCaller map[string][]*decided
	byDigest map[string][]*decided // those of hooks that know no id
	digests  []*redact.Redactor    // one for each folder: their keys differ
	texts    *redact.Redactor
}

// maxDecisions bounds how much is looked through.
const maxDecisions = 2_000_000

// Open reads the decisions in these data folders since a time. A folder in which no
// gate ran has none.
func Open(ctx context.Context, folders []string, since time.Time) (*Log, error) {
	l := &Log{calls: map[string]*decided{}, byCaller: map[string][]*decided{}, byDigest: map[string][]*decided{}}
	key := make([]byte, secret.KeySize)
	_, _ = rand.Read(key) // never fails: crypto/rand ends the process instead
	var err error
	if l.texts, err = redact.New(redact.Config{Key: key}); err != nil {
		return nil, err
	}
	for i, folder := range folders {
		if err := l.read(ctx, i, folder, since); err != nil {
			return nil, fmt.Errorf("read the decisions in %s: %w", folder, err)
		}
	}
	return l, nil
}

func (l *Log) read(ctx context.Context, n int, folder string, since time.Time) (err error) {
	v, err := sqlite.OpenLog(ctx, folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	key, err := secret.ReadFile(filepath.Join(folder, secret.RedactionKey))
	if err != nil {
		return err
	}
	r, err := redact.New(redact.Config{Key: key})
	if err != nil {
		return err
	}
	l.digests = append(l.digests, r)
	first, err := v.Find(ctx, audit.Query{Page: audit.Page{Limit: 1}})
	if err != nil {
		return err
	}
	if len(first) > 0 && (l.first.IsZero() || first[0].At.Before(l.first)) {
		l.first = first[0].At
	}
	const page = 1000
	q := audit.Query{Since: since, Kind: tv.RecordDecision, Page: audit.Page{Limit: page}}
	for len(l.calls) < maxDecisions {
		found, err := v.Find(ctx, q)
		if err != nil || len(found) == 0 {
			return err
		}
		for i := range found {
			l.add(n, &found[i].Record)
		}
		q.Page.From = found[len(found)-1].Seq + 1
	}
	return fmt.Errorf("there are more than %d: look at less with --since", maxDecisions)
}

func (l *Log) add(folder int, r *tv.Record) {
	id := fmt.Sprintf("%d %s", folder, r.CallID)
	d, known := l.calls[id]
	if !known || r.CallID == "" {
		d = &decided{at: r.At, session: r.Session, tool: r.Tool}
		l.calls[id] = d
		if transcripts.MadeUp(r.CallerID) {
			digest := r.Session + " " + r.ArgumentsMAC
			l.byDigest[digest] = append(l.byDigest[digest], d)
		} else {
			l.byCaller[r.CallerID] = append(l.byCaller[r.CallerID], d)
		}
	}
	if r.Verdict == tv.Allow.String() {
		d.allowed = true
	}
}

// near is how far apart the times of a call and of its decision are at most, where
// nothing but its id ties them.
const near = 10 * time.Minute

// find finds the decision about a call: by its id and session, by its id where the
// hook knows the session by another name, or by its session, tool and arguments where
// the hook knows no id. No decision is that of two calls; only one that is told twice,
// as in a session that goes on in another file, is found twice by its id.
func (l *Log) find(c *transcripts.Call) *decided {
	d := l.byID(c)
	if d == nil {
		d = l.byArguments(c)
	}
	if d != nil {
		d.used = true
	}
	return d
}

// byID prefers a decision that let the call run: a call that was held back is asked
// about again by the same id.
func (l *Log) byID(c *transcripts.Call) *decided {
	var found *decided
	if c.ID == "" {
		return nil
	}
	for _, d := range l.byCaller[c.ID] {
		if d.session == c.Session && (found == nil || d.allowed && !found.allowed) {
			found = d
		}
	}
	if found == nil && c.Renamed {
		if d := closest(l.byCaller[c.ID], c.At); d != nil && d.at.Sub(c.At).Abs() <= near {
			return d
		}
	}
	return found
}

func (l *Log) byArguments(c *transcripts.Call) *decided {
	if c.Session == "" {
		return nil
	}
	v, err := canon.ParseArguments(c.Arguments, canon.Limits{MaxBytes: maxArguments, MaxDepth: maxDepth})
	if err != nil {
		return nil
	}
	for _, r := range l.digests {
		var of []*decided
		for _, d := range l.byDigest[c.Session+" "+r.MAC(v)] {
			if c.Names(d.tool) {
				of = append(of, d)
			}
		}
		if d := closest(of, c.At); d != nil {
			return d
		}
	}
	return nil
}

// Bounds of arguments that are held against a digest.
const (
	maxArguments = 16 << 20
	maxDepth     = 256
)

// closest is the decision that no call is yet, closest in time.
func closest(all []*decided, at time.Time) *decided {
	var best *decided
	for _, d := range all {
		if !d.used && (best == nil || d.at.Sub(at).Abs() < best.at.Sub(at).Abs()) {
			best = d
		}
	}
	return best
}
