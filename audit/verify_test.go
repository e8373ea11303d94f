// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
)

// chest is a log in the hands of somebody who can change all of it.
type chest struct {
	key     *audit.Signer
	noted   int64
	entries []audit.Entry
	heads   []audit.Stored
	nodes   map[int][]audit.Hash
	broken  int64 // the record that cannot be read; -1 for none
}

func (c *chest) Size(context.Context) (int64, error) { return c.noted, nil }

func (c *chest) Entries(_ context.Context, from int64) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		for _, e := range c.entries {
			if e.Seq == c.broken {
				yield(audit.Entry{}, errors.New("bad page"))
				return
			}
			if e.Seq >= from && !yield(e, nil) {
				return
			}
		}
	}
}

func (c *chest) Checkpoints(context.Context) iter.Seq2[audit.Stored, error] {
	return func(yield func(audit.Stored, error) bool) {
		for _, h := range c.heads {
			if !yield(h, nil) {
				return
			}
		}
	}
}

func (c *chest) Hashes(_ context.Context, level int, from, to int64) ([]audit.Hash, error) {
	if level == 0 {
		var out []audit.Hash
		for _, e := range c.entries[from:to] {
			out = append(out, e.Hash)
		}
		return out, nil
	}
	return rows(c.nodes).read(level, from, to)
}

func second(i int) time.Time { return noon.Add(time.Duration(i) * time.Second) }

// filled makes an honest log: signed at its birth, at every 256 records, at the
// sizes given, and at its end but for a tail.
func filled(t testing.TB, size, tail int, also ...int) *chest {
	t.Helper()
	c := &chest{key: signer(t, "example.com/log"), broken: -1}
	for i := range size {
		leaf := leafOf(t, int64(i), tv.Record{Kind: tv.RecordDecision, At: second(i), CallID: fmt.Sprint("c", i)})
		c.entries = append(c.entries, audit.Entry{Seq: int64(i), Hash: audit.LeafHash(leaf), Leaf: leaf})
	}
	c.noted = int64(size)
	c.rebuild(t, append(also, size-tail)...)
	return c
}

// rebuild computes everything anew from the stored hashes, and signs it: what
// an honest writer did, and what a thief of the key can do.
func (c *chest) rebuild(t testing.TB, also ...int) {
	t.Helper()
	c.heads, c.nodes = nil, map[int][]audit.Hash{}
	var tree audit.Tree
	for i := range len(c.entries) + 1 {
		if i%audit.CheckpointEvery == 0 || slices.Contains(also, i) {
			c.heads = append(c.heads, audit.Stored{Size: tree.Size(), At: second(i), Note: signed(t, c.key, &tree)})
		}
		if i < len(c.entries) {
			for _, n := range tree.Append(c.entries[i].Hash) {
				c.nodes[n.Level] = append(c.nodes[n.Level], n.Hash)
			}
		}
	}
}

// forge writes a record over another one, with its hash and all hashes above
// it, as somebody can who has everything but the key.
func (c *chest) forge(t testing.TB, at int64) {
	t.Helper()
	leaf := leafOf(t, at, tv.Record{Kind: tv.RecordDecision, At: second(int(at)), CallID: "forged"})
	c.entries[at] = audit.Entry{Seq: at, Hash: audit.LeafHash(leaf), Leaf: leaf}
	heads := c.heads
	c.rebuild(t)
	c.heads = heads
}

func (c *chest) head(size int64) int {
	return slices.IndexFunc(c.heads, func(h audit.Stored) bool { return h.Size == size })
}

func (c *chest) verify(t testing.TB, kept ...[]byte) audit.Report {
	t.Helper()
	r, err := audit.Verify(t.Context(), audit.Job{Log: c, Key: c.key.Verifier(), Kept: kept})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestHonestLogs(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 2, 255, 256, 257, 511, 512, 700} {
		for _, tail := range []int{0, 1, 100, 255} {
			if tail > size%256 && tail > 0 {
				continue
			}
			c := filled(t, size, tail)
			r := c.verify(t, c.heads[len(c.heads)-1].Note, c.heads[0].Note)
			if !r.OK() {
				t.Errorf("%d records, %d of them unsigned: %v", size, tail, r.Fault)
				continue
			}
			if r.Records != int64(size) || r.Unsigned != int64(tail) || r.Signed != int64(size-tail) || r.Checkpoints != len(c.heads) {
				t.Errorf("%d records, %d of them unsigned: got %+v", size, tail, r)
			}
		}
	}
}

// TestTampering names, for everything that can be done to a log, what is found
// and where.
func TestTampering(t *testing.T) {
	t.Parallel()
	const size, tail = 700, 100 // signed at 0, 256, 300, 512 and 600
	for name, c := range map[string]struct {
		do          func(t *testing.T, c *chest)
		kind        audit.FaultKind
		first, last int64
	}{
		"one bit of a record": {func(_ *testing.T, c *chest) {
			c.entries[77].Leaf[40] ^= 4
		}, audit.Changed, 77, 77},
		"one bit of a record that is not signed yet": {func(_ *testing.T, c *chest) {
			c.entries[650].Leaf[60] ^= 4
		}, audit.Changed, 650, 650},
		"one bit of a stored hash": {func(_ *testing.T, c *chest) {
			c.entries[77].Hash[0] ^= 1
		}, audit.BadHash, 77, 77},
		"two records changed": {func(_ *testing.T, c *chest) {
			c.entries[310].Leaf[40] ^= 4
			c.entries[77].Leaf[40] ^= 4
		}, audit.Changed, 77, 77},
		"one record changed and a hash after it": {func(_ *testing.T, c *chest) {
			c.entries[77].Leaf[40] ^= 4
			c.entries[78].Hash[0] ^= 1
		}, audit.Changed, 77, 77},
		"a record removed": {func(_ *testing.T, c *chest) {
			c.entries = slices.Delete(c.entries, 300, 301)
		}, audit.Missing, 300, 300},
		"three records removed": {func(_ *testing.T, c *chest) {
			c.entries = slices.Delete(c.entries, 10, 13)
		}, audit.Missing, 10, 12},
		"the first record removed": {func(_ *testing.T, c *chest) {
			c.entries = c.entries[1:]
		}, audit.Missing, 0, 0},
		"a record removed, the rest moved up": {func(_ *testing.T, c *chest) {
			c.entries = slices.Delete(c.entries, 300, 301)
			for i := 300; i < len(c.entries); i++ {
				c.entries[i].Seq--
			}
		}, audit.Moved, 300, 300},
		"two records swapped": {func(_ *testing.T, c *chest) {
			a, b := &c.entries[40], &c.entries[41]
			a.Hash, a.Leaf, b.Hash, b.Leaf = b.Hash, b.Leaf, a.Hash, a.Leaf
		}, audit.Moved, 40, 40},
		"the bytes of two records swapped": {func(_ *testing.T, c *chest) {
			c.entries[40].Leaf, c.entries[500].Leaf = c.entries[500].Leaf, c.entries[40].Leaf
		}, audit.Moved, 40, 40},
		"a record twice": {func(_ *testing.T, c *chest) {
			c.entries = slices.Insert(c.entries, 41, c.entries[40])
		}, audit.Added, 41, 41},
		"a record too many": {func(t *testing.T, c *chest) {
			leaf := leafOf(t, size, tv.Record{Kind: tv.RecordAdmin, At: second(size)})
			c.entries = append(c.entries, audit.Entry{Seq: size, Hash: audit.LeafHash(leaf), Leaf: leaf})
		}, audit.Added, size, size},
		"cut below a checkpoint": {func(_ *testing.T, c *chest) {
			c.entries, c.noted = c.entries[:599], 599
		}, audit.Truncated, 599, 599},
		"cut, and the last checkpoints with it": {func(_ *testing.T, c *chest) {
			c.entries, c.noted, c.heads = c.entries[:599], 599, c.heads[:3]
		}, audit.Unsigned, 300, 511},
		"the tail cut, the head as it was": {func(_ *testing.T, c *chest) {
			c.entries = c.entries[:650]
		}, audit.Truncated, 650, 699},
		"all records gone": {func(_ *testing.T, c *chest) {
			c.entries, c.noted = nil, 0
		}, audit.Truncated, 0, 599},
		"forged with all hashes": {func(t *testing.T, c *chest) {
			c.forge(t, 270)
		}, audit.Rewritten, 256, 299},
		"forged with all hashes, in the first stretch": {func(t *testing.T, c *chest) {
			c.forge(t, 255)
		}, audit.Rewritten, 0, 255},
		"forged, and the checkpoint after it taken away": {func(t *testing.T, c *chest) {
			c.forge(t, 270)
			c.heads = slices.Delete(c.heads, 2, 3)
		}, audit.Rewritten, 256, 511},
		"forged, and every checkpoint after it taken away": {func(t *testing.T, c *chest) {
			c.forge(t, 270)
			c.heads = c.heads[:2]
		}, audit.Unsigned, 256, 511},
		"forged, and signed by another key": {func(t *testing.T, c *chest) {
			c.forge(t, 270)
			key := c.key
			c.key = signer(t, "example.com/log")
			c.rebuild(t, 300, 600)
			c.key = key
		}, audit.BadNote, 0, 699},
		"no checkpoints": {func(_ *testing.T, c *chest) {
			c.heads = nil
		}, audit.Unsigned, 0, 699},
		"no checkpoint at birth": {func(_ *testing.T, c *chest) {
			c.heads = c.heads[1:]
		}, audit.Unsigned, 0, 699},
		"a checkpoint moved to another size": {func(_ *testing.T, c *chest) {
			c.heads[2].Size = 301
		}, audit.BadNote, 256, 699},
		"one bit of a checkpoint": {func(_ *testing.T, c *chest) {
			c.heads[2].Note[30] ^= 1
		}, audit.BadNote, 256, 699},
		"a checkpoint made older than its records": {func(_ *testing.T, c *chest) {
			c.heads[2].At = second(298)
		}, audit.BadNote, 256, 299},
		"a checkpoint made older than the one before": {func(_ *testing.T, c *chest) {
			c.heads[2].At = second(255)
		}, audit.BadNote, 256, 699},
		"one bit of a hash above": {func(_ *testing.T, c *chest) {
			c.nodes[8][1][5] ^= 1
		}, audit.BadNode, 256, 511},
		"a hash above removed": {func(_ *testing.T, c *chest) {
			c.nodes[8] = c.nodes[8][:1]
		}, audit.BadNode, 256, 511},
		"a record that cannot be read": {func(_ *testing.T, c *chest) {
			c.broken = 444
		}, audit.Unreadable, 444, 444},
		"a changed record before one that cannot be read": {func(_ *testing.T, c *chest) {
			c.entries[443].Leaf[40] ^= 4
			c.broken = 444
		}, audit.Changed, 443, 443},
		"a record in another form": {func(_ *testing.T, c *chest) {
			e := &c.entries[650]
			e.Leaf = append(e.Leaf, ' ')
			e.Hash = audit.LeafHash(e.Leaf)
		}, audit.Changed, 650, 650},
		"bytes that are no record": {func(_ *testing.T, c *chest) {
			c.entries[5].Leaf = nil
		}, audit.Changed, 5, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := filled(t, size, tail, 300)
			for i := range log.entries {
				log.entries[i].Leaf = slices.Clone(log.entries[i].Leaf)
			}
			if r := log.verify(t); !r.OK() {
				t.Fatalf("before: %v", r.Fault)
			}
			c.do(t, log)
			r := log.verify(t)
			if r.OK() {
				t.Fatal("nothing was found")
			}
			f := r.Fault
			if f.Kind != c.kind || f.First != c.first || f.Last != c.last {
				t.Errorf("got %q at %d to %d (%v), want %q at %d to %d", f.Kind, f.First, f.Last, f, c.kind, c.first, c.last)
			}
			if r.Records > f.First {
				t.Errorf("%d records are called good, and the first bad one is %d", r.Records, f.First)
			}
		})
	}
}

// TestKeptCheckpoints shows what only a checkpoint kept elsewhere can catch,
// and that without one it is not caught: what the documents must say.
func TestKeptCheckpoints(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(c *chest)
		kind audit.FaultKind
	}{
		"an old copy put back": {func(c *chest) {
			c.entries, c.noted, c.heads = c.entries[:520], 520, c.heads[:c.head(512)+1]
			c.nodes[8] = c.nodes[8][:2]
		}, audit.Truncated},
		"another history, by a thief of the key": {func(c *chest) {
			c.forge(t, 270)
			c.rebuild(t, 300, 600)
		}, audit.Forked},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := filled(t, 700, 100, 300)
			kept := log.heads[log.head(600)].Note
			c.do(log)
			if r := log.verify(t); !r.OK() {
				t.Errorf("without the kept checkpoint it was found: %v: the documents say too little", r.Fault)
			}
			r := log.verify(t, kept)
			if r.OK() || r.Fault.Kind != c.kind {
				t.Errorf("got %v, want %q", r.Fault, c.kind)
			}
		})
	}
	t.Run("one that is no checkpoint", func(t *testing.T) {
		t.Parallel()
		log := filled(t, 10, 0)
		if r := log.verify(t, []byte("hello\n")); r.OK() {
			t.Error("it was taken")
		}
		if r := log.verify(t, signed(t, signer(t, "example.com/log"), grown(5))); r.OK() {
			t.Error("one of another key was taken")
		}
	})
}

// TestAnyChangeIsFound does one random thing to a random log, anywhere below
// the last checkpoint.
func TestAnyChangeIsFound(t *testing.T) {
	t.Parallel()
	template := filled(t, 1100, 20, 5, 300, 777)
	rapid.Check(t, func(rt *rapid.T) {
		c := &chest{key: template.key, noted: template.noted, broken: -1, nodes: map[int][]audit.Hash{8: slices.Clone(template.nodes[8])}}
		for _, e := range template.entries {
			e.Leaf = slices.Clone(e.Leaf)
			c.entries = append(c.entries, e)
		}
		for _, h := range template.heads {
			h.Note = slices.Clone(h.Note)
			c.heads = append(c.heads, h)
		}
		at := rapid.Int64Range(0, 1079).Draw(rt, "record")
		exact := true
		what := rapid.SampledFrom([]string{"bit", "hash bit", "remove", "swap", "repeat", "note bit", "forge", "node bit"}).Draw(rt, "what")
		switch what {
		case "bit":
			e := c.entries[at]
			e.Leaf[rapid.IntRange(0, len(e.Leaf)-1).Draw(rt, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(rt, "bit")
		case "hash bit":
			c.entries[at].Hash[rapid.IntRange(0, 31).Draw(rt, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(rt, "bit")
		case "remove":
			c.entries = slices.Delete(c.entries, int(at), int(at)+1)
		case "swap":
			b := rapid.Int64Range(0, 1099).Filter(func(b int64) bool { return b != at }).Draw(rt, "with")
			x, y := &c.entries[at], &c.entries[b]
			x.Hash, x.Leaf, y.Hash, y.Leaf = y.Hash, y.Leaf, x.Hash, x.Leaf
			at = min(at, b)
		case "repeat":
			c.entries = slices.Insert(c.entries, int(at), c.entries[at])
			at++
		case "note bit":
			n := c.heads[rapid.IntRange(0, len(c.heads)-1).Draw(rt, "head")].Note
			n[rapid.IntRange(0, len(n)-1).Draw(rt, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(rt, "bit")
			exact = false
		case "forge":
			c.forge(t, at)
			exact = false
		case "node bit":
			c.nodes[8][rapid.IntRange(0, 3).Draw(rt, "node")][0] ^= 1
			exact = false
		}
		f := c.verify(t).Fault
		if f == nil {
			rt.Fatalf("%s at %d was not found", what, at)
		}
		if exact && f.First != at {
			rt.Fatalf("%s at %d was found as %v", what, at, f)
		}
		if what == "forge" && (at < f.First || at > f.Last || f.Last-f.First >= audit.CheckpointEvery) {
			rt.Fatalf("%s at %d was found as %v", what, at, f)
		}
	})
}

// noHead is a log whose head cannot be read.
type noHead struct{ *chest }

func (noHead) Size(context.Context) (int64, error) { return 0, errors.New("no disk") }

func TestVerifyGivesUp(t *testing.T) {
	t.Parallel()
	c := filled(t, 10, 0)
	if _, err := audit.Verify(t.Context(), audit.Job{Log: noHead{c}, Key: c.key.Verifier()}); err == nil {
		t.Error("a log without a head was verified")
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := audit.Verify(ctx, audit.Job{Log: c, Key: c.key.Verifier()}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that the context ended", err)
	}
}

func TestFaultSaysWhere(t *testing.T) {
	t.Parallel()
	one := audit.Fault{Kind: audit.Changed, First: 7, Last: 7, Detail: "d"}
	many := audit.Fault{Kind: audit.Missing, First: 7, Last: 9, Detail: "d"}
	if got := one.Error(); got != "record 7: changed: d" {
		t.Error(got)
	}
	if got := many.Error(); got != "records 7 to 9: missing: d" {
		t.Error(got)
	}
}
