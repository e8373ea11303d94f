// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package pins takes definitions of tools as reviewed: from a terminal beside a
// gate, and from the console of one that runs.
package pins

import (
	"context"
	"fmt"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/catalog"
)

// Put stores agreements to definitions, all or none, with the record of who
// agreed. It returns the names of the tools.
func Put(ctx context.Context, store catalog.Pins, report *catalog.Report, reviews []catalog.Review, record tv.Record) ([]string, error) {
	agreed, err := report.Accept(reviews, record.Subject, record.At)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(agreed))
	for i := range agreed {
		names[i] = agreed[i].Tool
	}
	record.Kind, record.Detail = tv.RecordAdmin, "pinned "+strings.Join(names, ", ")
	if err := store.PutPins(ctx, agreed, record); err != nil {
		return nil, fmt.Errorf("store pins: %w", err)
	}
	return names, nil
}

// Refusal is why an agreement is not taken, in a word.
type Refusal string

// Why agreements are not taken.
const (
	ErrNotAdmin Refusal = "not-admin" // only a person with the role admin may agree
	ErrStale    Refusal = "stale"     // the definition is not, or no longer, the one that was looked at
)

// Error implements error.
func (r Refusal) Error() string { return "take a definition as reviewed: " + string(r) }

// Refusal says it to pages.
func (r Refusal) Refusal() string { return string(r) }

// Desk takes agreements of people to what the servers of a running gate announce.
type Desk struct {
	Store  catalog.Pins
	Report func() catalog.Report       // of the catalog in force
	Again  func(context.Context) error // puts in force what was stored
	Now    func() time.Time
}

// Pins returns what was agreed to.
func (d Desk) Pins(ctx context.Context) ([]catalog.Pin, error) { return d.Store.Pins(ctx) }

// Accept takes one definition as reviewed: the one with the hash, which is what
// the person looked at. An agent never may, whatever its roles.
func (d Desk) Accept(ctx context.Context, by tv.Subject, tool, hash string) error {
	if by.Kind != tv.Person || !by.HasRole("admin") {
		return ErrNotAdmin
	}
	report := d.Report()
	e, known := report.Entry(tool)
	waits := e.State == catalog.New || e.State == catalog.Changed
	if !known || !waits || hash == "" || e.Seen.Hash != hash {
		return ErrStale
	}
	record := tv.Record{At: d.Now(), Subject: by.ID, User: by.User, Door: tv.DoorHTTP, Tool: tool}
	if _, err := Put(ctx, d.Store, &report, []catalog.Review{{Tool: tool, Hash: hash}}, record); err != nil {
		return err
	}
	return d.Again(ctx)
}
