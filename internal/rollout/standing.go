// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package rollout

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
)

// Standing is what is meant to be in force for the gates of one configuration.
type Standing struct {
	Source  Point    `json:"source"`            // what the sources last came to
	Hold    *Hold    `json:"hold,omitempty"`    // a version that a person went back to
	Refused *Refusal `json:"refused,omitempty"` // the last update, where it was refused
}

// Hold is a policy that is in force although the sources say another.
type Hold struct {
	Point

	By     string `json:"by"`
	Reason string `json:"reason,omitempty"`
}

// Refusal is an update that was not taken.
type Refusal struct {
	Origin string    `json:"origin"`
	Reason string    `json:"reason"` // for people: with file, line and column where there is one
	At     time.Time `json:"at"`
}

// Active is the policy that is meant to be in force.
func (s *Standing) Active() Point {
	if s.Hold != nil {
		return s.Hold.Point
	}
	return s.Source
}

// Sourced is the standing after the sources came to a policy: it ends whatever
// a person went back to.
func (s Standing) Sourced(p Point) Standing { return Standing{Source: p} }

// Held is the standing after a person went back to a version.
func (s Standing) Held(h Hold) Standing {
	s.Hold = &h
	return s
}

// Released is the standing after a person went on to what the sources say.
func (s Standing) Released() Standing {
	s.Hold = nil
	return s
}

// WithRefusal is the standing after an update was refused, or, with nil, after
// what was wrong is right again.
func (s Standing) WithRefusal(r *Refusal) Standing {
	s.Refused = r
	return s
}

// Mark is the newest bundle that was accepted under a name, by any gate on a
// store and under any configuration.
type Mark struct {
	Serial int64  `json:"serial"`
	Digest string `json:"digest"`
}

// Judge refuses a bundle that is older than one that was accepted, and another
// one that carries the same serial: of two answers one must be wrong, and
// nothing tells which.
func (m Mark) Judge(serial int64, digest string) error {
	switch {
	case serial < m.Serial:
		return fmt.Errorf("it has serial %d, and %d was accepted already: an old bundle is not taken up again", serial, m.Serial)
	case serial == m.Serial && digest != m.Digest:
		return fmt.Errorf("another bundle with serial %d was accepted already: sign it with a higher one", serial)
	}
	return nil
}

// Place names the note that the gates of one configuration share: those that
// read the same files and the same bundle.
func Place(sources []string) string {
	sum := sha256.Sum256([]byte(strings.Join(sources, "\n")))
	return "standing " + hex.EncodeToString(sum[:])
}

// MarkKey names the note that holds the mark of a bundle's name.
func MarkKey(name string) string { return "mark " + name }

// Note is a small thing that is kept and changed by several processes.
type Note struct {
	Body     []byte // nil where there is none
	Revision int64  // 0 where there is none
}

// NoteChange writes a note on the condition that it has not changed since it
// was read.
type NoteChange struct {
	Key  string
	From int64 // the revision that was read; the store writes From+1
	Body []byte
}

// Change is one write: all of it happens, or nothing.
type Change struct {
	Notes   []NoteChange
	Version *Version // kept beside what is there; nil for none
	Spare   []string // hashes that are not forgotten whatever their age
	Record  tv.Record
}

// Journal keeps notes and versions. Errors of Keep are *toolverdict.ConflictError
// where a note had changed.
type Journal interface {
	PolicyNote(ctx context.Context, key string) (Note, error)
	// PolicyVersions returns what is kept, the newest first.
	PolicyVersions(ctx context.Context) ([]Point, error)
	// PolicyVersion returns a version by its hash, or toolverdict.ErrNotFound.
	PolicyVersion(ctx context.Context, hash string) (Version, error)
	KeepPolicy(ctx context.Context, c Change) error
}

// ReadStanding reads the standing of a place.
func ReadStanding(ctx context.Context, j Journal, place string) (Standing, int64, error) {
	var s Standing
	rev, err := readNote(ctx, j, place, &s)
	return s, rev, err
}

// ReadMark reads the mark of a bundle's name.
func ReadMark(ctx context.Context, j Journal, name string) (Mark, int64, error) {
	var m Mark
	rev, err := readNote(ctx, j, MarkKey(name), &m)
	return m, rev, err
}

func readNote(ctx context.Context, j Journal, key string, into any) (int64, error) {
	n, err := j.PolicyNote(ctx, key)
	if err != nil || n.Revision == 0 {
		return 0, err
	}
	if err := json.Unmarshal(n.Body, into); err != nil {
		return 0, fmt.Errorf("decode policy note: %v", err)
	}
	return n.Revision, nil
}

// WriteNote makes the change of a note.
func WriteNote(key string, from int64, v any) (NoteChange, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return NoteChange{}, fmt.Errorf("encode policy note: %v", err)
	}
	return NoteChange{Key: key, From: from, Body: body}, nil
}
