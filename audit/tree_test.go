// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/sumdb/tlog"
	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict/audit"
)

// oracle is the whole tree as tlog stores it.
type oracle struct{ hashes []tlog.Hash }

func (o *oracle) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(indexes))
	for i, x := range indexes {
		out[i] = o.hashes[x]
	}
	return out, nil
}

func (o *oracle) append(t rapid.TB, n int64, leaf []byte) {
	hashes, err := tlog.StoredHashes(n, leaf, o)
	if err != nil {
		t.Fatal(err)
	}
	o.hashes = append(o.hashes, hashes...)
}

func (o *oracle) root(t rapid.TB, n int64) audit.Hash {
	h, err := tlog.TreeHash(n, o)
	if err != nil {
		t.Fatal(err)
	}
	return audit.Hash(h)
}

// rows are stored hashes, by level.
type rows map[int][]audit.Hash

func (r rows) read(level int, from, to int64) ([]audit.Hash, error) {
	if from < 0 || to > int64(len(r[level])) {
		return nil, errors.New("there are not so many")
	}
	return append([]audit.Hash(nil), r[level][from:to]...), nil
}

func TestTreeIsThatOfRFC6962(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Int64Range(0, 1200).Draw(t, "size")
		var o oracle
		var tree audit.Tree
		stored := rows{}
		for n := range size {
			leaf := fmt.Appendf(nil, "leaf %d", n)
			o.append(t, n, leaf)
			for _, k := range tree.Append(audit.LeafHash(leaf)) {
				if int64(len(stored[k.Level])) != k.Index {
					t.Fatalf("node %d of level %d came as number %d", k.Index, k.Level, len(stored[k.Level]))
				}
				stored[k.Level] = append(stored[k.Level], k.Hash)
			}
			stored[0] = append(stored[0], audit.LeafHash(leaf))
		}
		if tree.Size() != size || tree.Root() != o.root(t, size) {
			t.Fatalf("at size %d the root is not tlog's", size)
		}
		back, err := audit.ParseTree(size, tree.Edge())
		if err != nil || back.Root() != tree.Root() {
			t.Fatalf("the tree did not survive its own edge: %v", err)
		}
		earlier := rapid.Int64Range(0, size).Draw(t, "earlier")
		root, err := audit.RootAt(earlier, stored.read)
		if err != nil || root != o.root(t, earlier) {
			t.Fatalf("at the earlier size %d the root is not tlog's: %v", earlier, err)
		}
	})
}

func TestTreeClonesGrowApart(t *testing.T) {
	t.Parallel()
	var a audit.Tree
	for i := range 7 {
		a.Append(audit.LeafHash([]byte{byte(i)}))
	}
	before := a.Root()
	b := a.Clone()
	b.Append(audit.LeafHash([]byte("more")))
	if a.Root() != before || a.Size() != 7 || b.Size() != 8 {
		t.Error("a clone's growth showed in the tree it came from")
	}
}

func TestParseTreeRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		size int64
		edge int
	}{{0, 32}, {1, 0}, {1, 31}, {1, 64}, {3, 32}, {-1, 64 * 32}, {-8, 0}} {
		if _, err := audit.ParseTree(c.size, make([]byte, c.edge)); err == nil {
			t.Errorf("size %d with %d bytes of edge was taken", c.size, c.edge)
		}
	}
}

func TestRootAtTellsMissingHashes(t *testing.T) {
	t.Parallel()
	short := audit.Hashes(func(int, int64, int64) ([]audit.Hash, error) { return nil, nil })
	if _, err := audit.RootAt(5, short); err == nil {
		t.Error("a root came out of no hashes")
	}
	broken := audit.Hashes(func(int, int64, int64) ([]audit.Hash, error) { return nil, errors.New("no disk") })
	if _, err := audit.RootAt(5, broken); err == nil {
		t.Error("a root came out of an error")
	}
}

func TestParseHash(t *testing.T) {
	t.Parallel()
	h := audit.LeafHash(nil)
	back, err := audit.ParseHash(h.String())
	if err != nil || back != h {
		t.Errorf("a hash did not survive its text: %v", err)
	}
	// The leaf hash of nothing, as RFC 6962 has it.
	if d := cmp.Diff("bjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=", h.String()); d != "" {
		t.Error(d)
	}
	text := h.String()
	for _, bad := range []string{"", "x", text[:43], text + "=", " " + text, text[:42] + "1="} {
		if _, err := audit.ParseHash(bad); err == nil {
			t.Errorf("%q was taken for a hash", bad)
		}
	}
}
