// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"context"
	"fmt"
	"iter"
	"time"
)

// Entry is a record as it is stored: its place, its bytes, and the hash that
// was taken of them when it was written.
type Entry struct {
	Seq  int64
	Hash Hash
	Leaf []byte // valid until the next entry is read
}

// Log is one consistent view of a stored log: a store that is written to
// meanwhile shows none of it.
type Log interface {
	// Size is how many records the writer says there are.
	Size(ctx context.Context) (int64, error)
	// Entries returns the records from a place on, in order of their places. An
	// error ends them.
	Entries(ctx context.Context, from int64) iter.Seq2[Entry, error]
	// Checkpoints returns all of them, smallest first. An error ends them.
	Checkpoints(ctx context.Context) iter.Seq2[Stored, error]
	// Hashes reads stored hashes, as [Hashes] does.
	Hashes(ctx context.Context, level int, from, to int64) ([]Hash, error)
}

// FaultKind says what is wrong with a log.
type FaultKind string

// Faults.
const (
	Changed    FaultKind = "changed"    // a record's bytes are not what was written
	BadHash    FaultKind = "hash"       // a record is what was signed, its stored hash is not
	Missing    FaultKind = "missing"    // a record is not there
	Moved      FaultKind = "moved"      // a record stands at another one's place
	Rewritten  FaultKind = "rewritten"  // records were changed together with their hashes
	Truncated  FaultKind = "truncated"  // the log is shorter than what was signed or noted
	Added      FaultKind = "added"      // there are records that the writer did not note
	Unreadable FaultKind = "unreadable" // the store cannot read it
	Unsigned   FaultKind = "unsigned"   // a checkpoint is missing
	BadNote    FaultKind = "checkpoint" // a checkpoint is forged, of another log, or misplaced
	BadNode    FaultKind = "tree"       // records are good, a stored hash above them is not
	Forked     FaultKind = "forked"     // the log is not the one that a checkpoint kept elsewhere saw
)

// Fault is the first thing that is wrong with a log. First and Last are the
// places, from 0, that it is narrowed down to; the records before First are
// good.
type Fault struct {
	Kind        FaultKind
	First, Last int64
	Detail      string
}

// Error implements error.
func (f *Fault) Error() string {
	if f.First == f.Last {
		return fmt.Sprintf("record %d: %s: %s", f.First, f.Kind, f.Detail)
	}
	return fmt.Sprintf("records %d to %d: %s: %s", f.First, f.Last, f.Kind, f.Detail)
}

// Report is what [Verify] found.
type Report struct {
	Origin      string
	Records     int64 // good records, from the first on
	Checkpoints int   // good checkpoints
	Signed      int64 // how many of the records a checkpoint covers
	Unsigned    int64 // the tail that no checkpoint covers yet
	Root        Hash  // of all records, when there is no fault
	First, Last time.Time
	Fault       *Fault // nil when all is well
}

// OK reports whether nothing is wrong.
func (r *Report) OK() bool { return r.Fault == nil }

// Job is what to verify.
type Job struct {
	Log  Log
	Key  *Verifier
	Kept [][]byte // signed checkpoints that were kept outside the store
}

// Verify reads a whole log and finds the first thing that is wrong with it.
// Whatever was changed, removed, added or reordered below the last checkpoint
// is found. The records after it, at most [CheckpointEvery] less one, are only
// checked against their own hashes: a crash leaves such a tail, and so could
// somebody with the store in hand. The error is set when the log as a whole
// could not be read; what could not be read in it is a [Fault].
func Verify(ctx context.Context, job Job) (Report, error) {
	r := &reader{job: job, report: Report{Origin: job.Key.Origin()}}
	size, err := job.Log.Size(ctx)
	if err != nil {
		return r.report, fmt.Errorf("verify log: read its head: %v", err)
	}
	r.noted = size
	fault := r.loadHeads(ctx)
	if fault == nil {
		fault = r.records(ctx)
	}
	if err := ctx.Err(); err != nil {
		return r.report, fmt.Errorf("verify log: %w", err)
	}
	if fault == nil {
		r.report.Root = r.content.Root()
		return r.report, nil
	}
	r.report.Fault = fault
	r.report.Records = min(r.report.Records, fault.First)
	r.report.Signed = min(r.report.Signed, fault.First)
	r.report.Unsigned = r.report.Records - r.report.Signed
	return r.report, nil
}

// head is a checkpoint that the log has to agree with.
type head struct {
	Checkpoint
	at   time.Time
	kept bool
}

// reader walks through a log. It grows two trees: one from what the records
// say, one from the hashes that were stored with them. Where they part, the
// next checkpoint tells which of them was signed.
type reader struct {
	job     Job
	report  Report
	noted   int64
	heads   []head // of the store, smallest first
	kept    []head
	good    int64 // size of the last checkpoint that agreed
	content Tree
	stored  Tree
	odd     *Fault // a record that does not match its hash
	latest  time.Time
}

// loadHeads opens all checkpoints. A log has one at its birth.
func (r *reader) loadHeads(ctx context.Context) *Fault {
	for s, err := range r.job.Log.Checkpoints(ctx) {
		if err != nil {
			return r.headFault(Unreadable, "a checkpoint cannot be read: "+err.Error())
		}
		c, err := r.job.Key.Open(s.Note)
		if err != nil {
			return r.headFault(BadNote, fmt.Sprintf("the checkpoint at size %d: %v", s.Size, err))
		}
		if c.Size != s.Size {
			return r.headFault(BadNote, fmt.Sprintf("the checkpoint at size %d was signed for size %d", s.Size, c.Size))
		}
		if n := len(r.heads); n > 0 && (c.Size <= r.heads[n-1].Size || s.At.Before(r.heads[n-1].at)) {
			return r.headFault(BadNote, fmt.Sprintf("the checkpoint at size %d is out of order", s.Size))
		}
		r.heads = append(r.heads, head{Checkpoint: c, at: s.At})
	}
	if len(r.heads) == 0 || r.heads[0].Size != 0 {
		return &Fault{Kind: Unsigned, First: 0, Last: max(0, r.noted-1), Detail: "the checkpoint that every log starts with is missing"}
	}
	for _, signed := range r.job.Kept {
		c, err := r.job.Key.Open(signed)
		if err != nil {
			return r.headFault(BadNote, "the checkpoint kept outside: "+err.Error())
		}
		r.kept = append(r.kept, head{Checkpoint: c, kept: true})
	}
	return nil
}

// headFault is a fault of a checkpoint: what lies beyond the last good one is
// not vouched for.
func (r *reader) headFault(kind FaultKind, detail string) *Fault {
	first := int64(0)
	if n := len(r.heads); n > 0 {
		first = r.heads[n-1].Size
	}
	return &Fault{Kind: kind, First: first, Last: max(first, r.noted-1), Detail: detail}
}

func (r *reader) records(ctx context.Context) *Fault {
	if f := r.pass(); f != nil {
		return f
	}
	for e, err := range r.job.Log.Entries(ctx, 0) {
		if err != nil {
			return r.oddOr(&Fault{Kind: Unreadable, First: r.content.Size(), Last: r.content.Size(),
				Detail: "the store cannot read it: " + err.Error()})
		}
		if f := r.entry(ctx, e); f != nil {
			return f
		}
	}
	return r.end()
}

// oddOr prefers an earlier fault that no checkpoint has explained yet.
func (r *reader) oddOr(f *Fault) *Fault {
	if r.odd != nil {
		return r.odd
	}
	return f
}

// entry takes one more record.
func (r *reader) entry(ctx context.Context, e Entry) *Fault {
	place := r.content.Size()
	if e.Seq != place {
		f := &Fault{Kind: Missing, First: place, Last: e.Seq - 1, Detail: "it was removed: the next record is there"}
		if e.Seq < place {
			f = &Fault{Kind: Added, First: place, Last: place, Detail: fmt.Sprintf("the store returns place %d twice", e.Seq)}
		}
		return r.oddOr(f)
	}
	if place >= r.noted {
		return r.oddOr(&Fault{Kind: Added, First: place, Last: place, Detail: "the writer noted fewer records"})
	}
	hash := LeafHash(e.Leaf)
	seq, at, ok := stamp(e.Leaf)
	if ok && seq != place {
		return r.oddOr(&Fault{Kind: Moved, First: place, Last: place,
			Detail: fmt.Sprintf("it holds what was written as record %d", seq)})
	}
	if r.odd == nil && (hash != e.Hash || !ok) {
		r.odd = &Fault{Kind: Changed, First: place, Last: place, Detail: "its bytes do not match the hash that was stored with it"}
	}
	if f := r.beyond(place, e.Leaf); f != nil {
		return r.oddOr(f)
	}
	r.time(at)
	nodes := r.content.Append(hash)
	r.stored.Append(e.Hash)
	if f := r.pass(); f != nil {
		return f
	}
	return r.nodes(ctx, nodes)
}

// beyond decodes the records that no checkpoint covers: nothing else vouches
// for them.
func (r *reader) beyond(place int64, leaf []byte) *Fault {
	if place < r.heads[len(r.heads)-1].Size {
		return nil
	}
	if _, err := Decode(leaf); err != nil {
		return &Fault{Kind: Changed, First: place, Last: place, Detail: err.Error()}
	}
	return nil
}

func (r *reader) time(at time.Time) {
	if at.After(r.latest) {
		r.latest = at
	}
	if r.content.Size() == 0 {
		r.report.First = at
	}
	r.report.Last = at
}

// pass compares the log with the checkpoints of its size.
func (r *reader) pass() *Fault {
	size := r.content.Size()
	for _, k := range r.kept {
		if k.Size == size && k.Root != r.content.Root() {
			return r.oddOr(&Fault{Kind: Forked, First: r.good, Last: max(r.good, size-1),
				Detail: "the log is not the one that the checkpoint kept outside saw"})
		}
	}
	next := r.report.Checkpoints
	if next < len(r.heads) && r.heads[next].Size == size {
		if f := r.agree(r.heads[next]); f != nil {
			return f
		}
		r.report.Checkpoints++
		r.good = size
	} else if size%CheckpointEvery == 0 {
		return r.oddOr(&Fault{Kind: Unsigned, First: r.good, Last: max(r.good, size-1),
			Detail: fmt.Sprintf("the checkpoint at size %d was taken away", size)})
	}
	if r.odd == nil {
		r.report.Records = size
		r.report.Signed, r.report.Unsigned = r.good, size-r.good
	}
	return nil
}

// agree holds one checkpoint against both trees.
func (r *reader) agree(h head) *Fault {
	content, stored := r.content.Root() == h.Root, r.stored.Root() == h.Root
	switch {
	case r.odd != nil && content:
		r.odd.Kind, r.odd.Detail = BadHash, "its bytes are what was signed, but the hash that is stored with it is not theirs"
		return r.odd
	case r.odd != nil && stored:
		r.odd.Detail = "its bytes are not what was signed"
		return r.odd
	case r.odd != nil:
		return r.odd
	case !content:
		return &Fault{Kind: Rewritten, First: r.good, Last: h.Size - 1,
			Detail: fmt.Sprintf("at least one of them is not what was signed at size %d; its stored hash was changed with it", h.Size)}
	case h.at.Before(r.latest):
		return &Fault{Kind: BadNote, First: r.good, Last: max(r.good, h.Size-1),
			Detail: fmt.Sprintf("the checkpoint at size %d says that it is older than a record it covers", h.Size)}
	}
	return nil
}

// nodes compares the stored hashes above the records with the true ones.
func (r *reader) nodes(ctx context.Context, nodes []Node) *Fault {
	for _, n := range nodes {
		if r.odd == nil && !r.has(ctx, n) {
			return &Fault{Kind: BadNode, First: n.Index << n.Level, Last: (n.Index+1)<<n.Level - 1,
				Detail: "the records are good, but the stored hash above them is missing or wrong: proofs cannot be made from it"}
		}
	}
	return nil
}

// has reports whether the log has a node stored as it should be.
func (r *reader) has(ctx context.Context, n Node) bool {
	got, err := r.job.Log.Hashes(ctx, n.Level, n.Index, n.Index+1)
	return err == nil && len(got) == 1 && got[0] == n.Hash
}

// end looks at what should have come after the last record.
func (r *reader) end() *Fault {
	size := r.content.Size()
	if r.odd != nil {
		return r.odd
	}
	last := r.heads[len(r.heads)-1]
	for _, h := range append(r.kept, last) {
		if h.Size > size {
			return &Fault{Kind: Truncated, First: size, Last: h.Size - 1, Detail: fmt.Sprintf("a checkpoint covers %d records", h.Size)}
		}
	}
	if r.noted > size {
		return &Fault{Kind: Truncated, First: size, Last: r.noted - 1, Detail: fmt.Sprintf("the writer noted %d records", r.noted)}
	}
	return nil
}
