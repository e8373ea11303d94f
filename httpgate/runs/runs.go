// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package runs keeps what a host says of a run of its agent when it starts one:
// that it only reads, which tools are switched off, and facts that rules read. It
// holds for every call that names the run, at whichever gate of one store.
//
// It fails closed: a run's name is the gate's own, and a call that names one that
// has ended, is not there, or is somebody else's is refused and not decided as
// if it had named none.
package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/httpgate/internal/calls"
	"github.com/toolverdict/toolverdict/httpgate/internal/web"
	"github.com/toolverdict/toolverdict/internal/shelf"
)

// Config is what a book is made of. All parts are required but Claims.
type Config struct {
	Shelf       shelf.Shelf
	Environment map[string]string           // host facts, which nobody may claim
	Claims      func(s tv.Subject) []string // facts that a subject may claim of its runs; nil means none
	Limits      web.Limits                  // as of the front
	Now         func() time.Time
	NewID       func() string // unguessable
	Log         *slog.Logger
}

// Book is safe for concurrent use.
type Book struct{ c Config }

var _ calls.Runs = (*Book)(nil)

// New checks the parts.
func New(c Config) (*Book, error) {
	if c.Shelf == nil || c.Now == nil || c.NewID == nil || c.Log == nil {
		return nil, errors.New("open runs: every part is needed")
	}
	if c.Claims == nil {
		c.Claims = func(tv.Subject) []string { return nil }
	}
	c.Limits = web.Full(c.Limits)
	return &Book{c}, nil
}

// prefix starts the name of every run that was started here: what a caller names
// a run by itself never does.
const prefix = "run_"

const kind = "run"

// Bounds of a run.
const (
	longest     = 7 * 24 * time.Hour
	usual       = 24 * time.Hour
	mostOff     = 256
	mostFacts   = 64
	longestFact = 256
)

// Run is a run as it is shown and kept.
type Run struct {
	ID      string    `json:"id"`
	Expires time.Time `json:"expires"`
	Ended   bool      `json:"ended,omitempty"`
	calls.Facts
}

// kept is a run with whose it is.
type kept struct {
	Run
	Owner [3]string `json:"owner"`
}

func owner(s tv.Subject) [3]string { return [3]string{s.ID, s.User, s.Agent} }

// Routes are what it serves.
func (b *Book) Routes() []web.Route {
	return []web.Route{
		{Pattern: "POST /v1/runs", Serve: b.start},
		{Pattern: "GET /v1/runs/{id}", Serve: b.show},
		{Pattern: "POST /v1/runs/{id}/end", Serve: b.end},
	}
}

// Find implements [calls.Runs].
func (b *Book) Find(ctx context.Context, by tv.Subject, id string) (calls.Facts, bool, error) {
	if !strings.HasPrefix(id, prefix) {
		return calls.Facts{}, false, nil
	}
	run, _, err := b.own(ctx, by, id)
	switch {
	case err != nil:
		return calls.Facts{}, false, err
	case run.Ended || !b.c.Now().Before(run.Expires):
		return calls.Facts{}, false, web.Faultf(http.StatusConflict, "The run has ended: start another with POST /v1/runs.")
	}
	return run.Facts, true, nil
}

// own reads a run of the caller.
func (b *Book) own(ctx context.Context, by tv.Subject, id string) (kept, int64, error) {
	row, err := b.c.Shelf.Row(ctx, kind, id)
	if err != nil {
		b.c.Log.Error("runs", "error", err)
		return kept{}, 0, web.Faultf(http.StatusServiceUnavailable, "The run cannot be read now.")
	}
	var k kept
	if row.Revision == 0 || json.Unmarshal(row.Body, &k) != nil || k.Owner != owner(by) {
		return kept{}, 0, web.Faultf(http.StatusNotFound, "This caller started no such run.")
	}
	return k, row.Revision, nil
}

func (b *Book) start(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	v, ok := web.Bodies{Limits: b.c.Limits}.Object(w, r, "readOnly", "disabled", "environment", "expires")
	if !ok {
		return
	}
	in := &web.Fields{V: v}
	run := Run{ID: prefix + b.c.NewID(), Facts: calls.Facts{ReadOnly: in.Truth("readOnly"), Disabled: in.Texts("disabled")}}
	lasts := in.Duration("expires")
	if lasts == 0 {
		lasts = usual
	}
	run.Expires = b.c.Now().Add(min(lasts, longest)).UTC().Truncate(time.Second)
	if facts, ok := in.Object("environment"); ok {
		run.Environment = map[string]string{}
		said := &web.Fields{V: facts}
		for _, m := range facts.Members() {
			run.Environment[m.Name] = said.Text(m.Name)
		}
		if said.Err != nil {
			in.Err = said.Err
		}
	}
	if in.Err != nil {
		web.Fail(w, web.Faultf(http.StatusBadRequest, "%v", in.Err))
		return
	}
	if err := b.fits(by, run.Facts); err != nil {
		web.Fail(w, err)
		return
	}
	if err := b.write(r.Context(), by, kept{run, owner(by)}, 0); err != nil {
		web.Fail(w, err)
		return
	}
	web.Answer(w, run)
}

// fits holds a caller to the facts that its key may claim.
func (b *Book) fits(by tv.Subject, f calls.Facts) error {
	if len(f.Disabled) > mostOff || len(f.Environment) > mostFacts {
		return web.Faultf(http.StatusBadRequest, "A run names %d tools and %d facts at most.", mostOff, mostFacts)
	}
	may := b.c.Claims(by)
	for name, value := range f.Environment {
		_, held := b.c.Environment[name]
		switch {
		case held:
			return web.Faultf(http.StatusForbidden, "The gate itself says env.%s: a run cannot.", web.Quote(name))
		case !slices.Contains(may, name):
			return web.Faultf(http.StatusForbidden, "This key may not claim env.%s: the configuration lists what it may (claims).", web.Quote(name))
		case value == "" || len(value) > longestFact || strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) }):
			return web.Faultf(http.StatusBadRequest, "env.%s must be text of 1 to %d printable bytes.", web.Quote(name), longestFact)
		}
	}
	return nil
}

func (b *Book) write(ctx context.Context, by tv.Subject, k kept, from int64) error {
	body, err := json.Marshal(k)
	if err != nil {
		return fmt.Errorf("write run: %w", err)
	}
	said := "started a run"
	if k.Ended {
		said = "ended a run"
	}
	record := tv.Record{
		Kind: tv.RecordAdmin, At: b.c.Now(), Subject: by.ID, User: by.User, Agent: by.Agent, Door: tv.DoorHTTP, Run: k.ID, ReadOnlyRun: k.ReadOnly,
		Detail: fmt.Sprintf("%s: %d tools switched off, %d facts", said, len(k.Disabled), len(k.Environment)),
	}
	err = b.c.Shelf.Shelve(ctx, []shelf.Change{{From: from, Row: shelf.Row{Kind: kind, Key: k.ID, Due: k.Expires.Add(longest), Body: body}}}, record)
	if _, conflict := errors.AsType[*tv.ConflictError](err); conflict {
		return web.Faultf(http.StatusConflict, "Somebody else changed the run at the same time.")
	}
	if err != nil {
		b.c.Log.Error("runs", "error", err)
		return web.Faultf(http.StatusServiceUnavailable, "The run cannot be written now.")
	}
	return nil
}

func (b *Book) show(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	k, _, err := b.own(r.Context(), by, r.PathValue("id"))
	if err != nil {
		web.Fail(w, err)
		return
	}
	web.Answer(w, k.Run)
}

func (b *Book) end(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	if _, ok := (web.Bodies{Limits: b.c.Limits}).Object(w, r); !ok {
		return
	}
	k, revision, err := b.own(r.Context(), by, r.PathValue("id"))
	if err == nil && !k.Ended {
		k.Ended = true
		err = b.write(r.Context(), by, k, revision)
	}
	if err != nil {
		web.Fail(w, err)
		return
	}
	web.Answer(w, k.Run)
}

// Sweep takes away runs that ended long ago. Until then a call that names one is
// told that it has ended.
func (b *Book) Sweep(ctx context.Context) error {
	rows, err := b.c.Shelf.Rows(ctx, shelf.Query{Kind: kind, DueBy: b.c.Now()})
	if err != nil || len(rows) == 0 {
		return err
	}
	changes := make([]shelf.Change, len(rows))
	for i, row := range rows {
		changes[i] = shelf.Change{From: row.Revision, Row: row, Drop: true}
	}
	err = b.c.Shelf.Shelve(ctx, changes)
	if _, conflict := errors.AsType[*tv.ConflictError](err); conflict {
		return nil // another gate was first
	}
	return err
}
