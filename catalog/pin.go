// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// Pin is the reviewed definition of one tool. A tool whose announcement differs
// from its pin is held back.
type Pin struct {
	Tool       string            `json:"tool"`       // full name
	Hash       string            `json:"hash"`       // SHA-256, in hex, of Definition
	Fields     map[string]string `json:"fields"`     // the same of each member's value, by name
	Definition json.RawMessage   `json:"definition"` // canonical JSON of what is pinned, for diffs
	By         string            `json:"by"`         // who pinned it: a subject's id, or FirstSightBy
	At         time.Time         `json:"at"`
}

// FirstSightBy is what Pin.By says of pins that nobody reviewed.
const FirstSightBy = "first-sight"

// Pins keeps pins. PutPins replaces those of the same tools; the pins and the
// record of the act are durable together, or not at all.
type Pins interface {
	Pins(ctx context.Context) ([]Pin, error)
	PutPins(ctx context.Context, pins []Pin, record toolverdict.Record) error
}

// Pinning says how the tools of a server get their first pin.
type Pinning string

// Ways of pinning. The zero value means PinManually.
const (
	PinManually    Pinning = "manual"      // somebody reviews each tool
	PinFirstSight  Pinning = "first-sight" // the first definition seen is taken as good
	maxChanges             = 200           // reported of one tool
	maxChangeBytes         = 4 << 10       // of one value in a report
)

// Change is one difference between a pin and what the server announces now.
// Before and After are canonical JSON, nil where there is nothing; they are a
// stranger's text: use [Reveal] to show them. Very large values are left out as
// a JSON string that says so.
type Change struct {
	Path   string          `json:"path"` // JSON pointer into the definition; the first step is the field
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after,omitempty"`
}

// sound reports whether a stored pin is whole: its hash is that of its
// definition in canonical form. Encoders spell JSON in their own ways, so the
// bytes themselves do not count.
func (p *Pin) sound() bool {
	b, err := canon.Canonicalize(p.Definition, pinLimits())
	return err == nil && hash(b) == p.Hash
}

// pinLimits leaves room for a definition that grew when it was made canonical.
func pinLimits() canon.Limits {
	return canon.Limits{MaxBytes: 4 * maxAnnounced, AllowFoldedSiblings: true}
}

// changes tells how two pinned definitions differ, by place.
func changes(before, after *Pin) []Change {
	a, errA := canon.Parse(before.Definition, pinLimits())
	b, errB := canon.Parse(after.Definition, pinLimits())
	if errA != nil || errB != nil {
		return []Change{{}}
	}
	d := differ{}
	d.compare("", a, b)
	return d.out
}

type differ struct{ out []Change }

func (d *differ) compare(path string, a, b canon.Value) {
	switch {
	case len(d.out) >= maxChanges || canon.Equal(a, b):
	case a.Kind() == canon.KindObject && b.Kind() == canon.KindObject:
		names := map[string]bool{}
		for _, v := range []canon.Value{a, b} {
			for name := range v.Fields() {
				names[name] = true
			}
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			x, inA := a.Get(name)
			y, inB := b.Get(name)
			d.both(path+"/"+escapeStep(name), x, inA, y, inB)
		}
	case a.Kind() == canon.KindArray && b.Kind() == canon.KindArray:
		for i := range max(a.Len(), b.Len()) {
			x, inA := a.Index(i)
			y, inB := b.Index(i)
			d.both(path+"/"+strconv.Itoa(i), x, inA, y, inB)
		}
	default:
		d.both(path, a, true, b, true)
	}
}

// both goes deeper where both sides have the place and differ inside it.
func (d *differ) both(path string, a canon.Value, inA bool, b canon.Value, inB bool) {
	deeper := inA && inB && a.Kind() == b.Kind() && a.Kind() >= canon.KindArray
	switch {
	case deeper:
		d.compare(path, a, b)
	case inA && inB && canon.Equal(a, b) || len(d.out) >= maxChanges:
	default:
		d.out = append(d.out, Change{Path: path, Before: shown(a, inA), After: shown(b, inB)})
	}
}

func shown(v canon.Value, present bool) json.RawMessage {
	if !present {
		return nil
	}
	b := canon.Append(nil, v)
	if len(b) > maxChangeBytes {
		return canon.Quote("(a value of " + strconv.Itoa(len(b)) + " bytes)")
	}
	return b
}

func escapeStep(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// fields names the members that a list of changes touches.
func fields(changes []Change) []string {
	var out []string
	for _, c := range changes {
		field, _, _ := strings.Cut(strings.TrimPrefix(c.Path, "/"), "/")
		if !slices.Contains(out, field) {
			out = append(out, field)
		}
	}
	return out
}

func (p Pin) clone() Pin {
	p.Fields = maps.Clone(p.Fields)
	p.Definition = slices.Clone(p.Definition)
	return p
}
