// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	tv "github.com/toolverdict/toolverdict"
)

// A record is stored as one JSON object, its leaf:
//
//	{"v":1,"seq":17,"kind":"decision","at":"2026-11-30T02:05:00.000123Z",…}
//
// "v" is the version of the form, "seq" the place in the log from 0, the rest
// is the record in the order of its fields. One record has exactly one leaf:
// [Decode] refuses bytes that [Leaf] would not have written.

// maxLeaf bounds one leaf. Records are summaries; a larger one is a mistake.
const maxLeaf = 1 << 20

const (
	leafStart = `{"v":1,"seq":`
	leafKind  = `,"kind":"`
	leafAt    = `","at":"`
)

// Body encodes a record without its place in the log. The time is cut to
// microseconds, in UTC. It refuses a record that has no known kind, no time, or
// arguments that are not JSON.
func Body(r tv.Record) ([]byte, error) {
	if !slices.Contains(kinds(), r.Kind) {
		return nil, fmt.Errorf("encode record: %q is no kind of record", r.Kind)
	}
	if r.At.IsZero() {
		return nil, errors.New("encode record: it has no time")
	}
	r.At = r.At.UTC().Truncate(time.Microsecond)
	b, err := json.Marshal(r)
	if err == nil && bytes.Contains(b, []byte(`\ufffd`)) {
		b, err = rewrite(b)
	}
	if err != nil {
		return nil, fmt.Errorf("encode record: %v", err)
	}
	if len(b) > maxLeaf-64 {
		return nil, fmt.Errorf("encode record: %d bytes are too many: records are summaries", len(b))
	}
	return b, nil
}

// rewrite encodes a record once more. Bytes that are no text are written as an
// escape, and the character that the escape stands for as itself: a record that
// had them would be written differently once it was read.
func rewrite(b []byte) ([]byte, error) {
	var r tv.Record
	if err := json.Unmarshal(b, &r); err != nil {
		return nil, err
	}
	return json.Marshal(r)
}

// Leaf gives an encoded record its place in the log.
func Leaf(seq int64, body []byte) []byte {
	b := make([]byte, 0, len(leafStart)+21+len(body))
	b = append(b, leafStart...)
	b = strconv.AppendInt(b, seq, 10)
	b = append(b, ',')
	return append(b, body[1:]...)
}

// Decode reads a leaf back. It refuses what [Leaf] would not have written.
func Decode(leaf []byte) (Numbered, error) {
	var in struct {
		V   int   `json:"v"`
		Seq int64 `json:"seq"`
		tv.Record
	}
	d := json.NewDecoder(bytes.NewReader(leaf))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return Numbered{}, fmt.Errorf("decode record: it is not a record: %v", err)
	}
	if in.V != 1 {
		return Numbered{}, fmt.Errorf("decode record: form %d is not known to this version: use a newer toolverdict", in.V)
	}
	body, err := Body(in.Record)
	if err != nil {
		return Numbered{}, fmt.Errorf("decode record: %v", err)
	}
	if in.Seq < 0 || !bytes.Equal(Leaf(in.Seq, body), leaf) {
		return Numbered{}, errors.New("decode record: its bytes are not the form that is written")
	}
	return Numbered{Seq: in.Seq, Record: in.Record}, nil
}

// Numbered is a record with its place in the log, counted from 0.
type Numbered struct {
	Seq int64 `json:"seq"`
	tv.Record
}

// stamp reads the place and the time from a leaf without decoding it.
func stamp(leaf []byte) (seq int64, at time.Time, ok bool) {
	rest, ok := bytes.CutPrefix(leaf, []byte(leafStart))
	if !ok {
		return 0, at, false
	}
	number, rest, ok := bytes.Cut(rest, []byte(leafKind))
	if !ok {
		return 0, at, false
	}
	_, rest, ok = bytes.Cut(rest, []byte(leafAt))
	if !ok {
		return 0, at, false
	}
	text, _, ok := bytes.Cut(rest, []byte{'"'})
	if !ok {
		return 0, at, false
	}
	seq, err := strconv.ParseInt(string(number), 10, 64)
	if err != nil || strconv.FormatInt(seq, 10) != string(number) {
		return 0, at, false
	}
	at, err = time.Parse(time.RFC3339Nano, string(text))
	return seq, at, err == nil
}

func kinds() []tv.RecordKind {
	return []tv.RecordKind{tv.RecordDecision, tv.RecordOutcome, tv.RecordApproval, tv.RecordReplay, tv.RecordAdmin}
}
