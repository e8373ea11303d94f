// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"encoding/base64"
	"fmt"
	"math/bits"

	"golang.org/x/mod/sumdb/tlog"
)

// Hash is a SHA-256 hash of a record or of a node of the tree.
type Hash [32]byte

// String returns the base64 form that checkpoints and proofs use.
func (h Hash) String() string { return tlog.Hash(h).String() }

// ParseHash reads the base64 form.
func ParseHash(s string) (Hash, error) {
	h, err := tlog.ParseHash(s)
	if err != nil || base64.StdEncoding.EncodeToString(h[:]) != s {
		return Hash{}, fmt.Errorf("read hash: not the base64 form of 32 bytes")
	}
	return Hash(h), nil
}

// LeafHash is the hash of a record's bytes: SHA-256 of a zero byte and them.
func LeafHash(leaf []byte) Hash { return Hash(tlog.RecordHash(leaf)) }

// TileHeight is the distance between the levels of the tree that are stored.
// Level 0 is the records' own hashes; what lies between is computed.
const TileHeight = 8

// Node is one stored hash above the records: that of 2^Level records, the
// Index-th such group.
type Node struct {
	Level int
	Index int64
	Hash  Hash
}

// Tree is a Merkle tree that only grows. It keeps the right edge, which is all
// that is needed to append and to know the root. The zero value is the empty
// tree. It is not safe for concurrent use.
type Tree struct {
	size int64
	edge []Hash // of the complete subtrees, largest first
}

// ParseTree rebuilds a tree from its size and the bytes of [Tree.Edge].
func ParseTree(size int64, edge []byte) (*Tree, error) {
	n := bits.OnesCount64(uint64(size)) //nolint:gosec // a negative size is refused below
	if size < 0 || len(edge) != n*len(Hash{}) {
		return nil, fmt.Errorf("read tree of size %d: its edge has %d bytes", size, len(edge))
	}
	t := &Tree{size: size, edge: make([]Hash, n)}
	for i := range t.edge {
		copy(t.edge[i][:], edge[i*len(Hash{}):])
	}
	return t, nil
}

// Size returns the number of records.
func (t *Tree) Size() int64 { return t.size }

// Edge returns the right edge, for [ParseTree].
func (t *Tree) Edge() []byte {
	b := make([]byte, 0, len(t.edge)*len(Hash{}))
	for _, h := range t.edge {
		b = append(b, h[:]...)
	}
	return b
}

// Clone returns a copy that grows by itself.
func (t *Tree) Clone() *Tree {
	return &Tree{size: t.size, edge: append(make([]Hash, 0, len(t.edge)+2), t.edge...)}
}

// Append adds a record by its hash. It returns the nodes that became complete
// and must be stored beside the record: none for most records.
func (t *Tree) Append(leaf Hash) []Node {
	var kept []Node
	h, level := leaf, 0
	for n := t.size; n&1 == 1; n >>= 1 {
		last := len(t.edge) - 1
		h = Hash(tlog.NodeHash(tlog.Hash(t.edge[last]), tlog.Hash(h)))
		t.edge = t.edge[:last]
		level++
		if level%TileHeight == 0 {
			kept = append(kept, Node{Level: level, Index: t.size >> level, Hash: h})
		}
	}
	t.edge = append(t.edge, h)
	t.size++
	return kept
}

// Root returns the hash of the whole tree.
func (t *Tree) Root() Hash {
	if t.size == 0 {
		h, _ := tlog.TreeHash(0, nil) // the hash of nothing; reads nothing
		return Hash(h)
	}
	last := len(t.edge) - 1
	h := tlog.Hash(t.edge[last])
	for i := last - 1; i >= 0; i-- {
		h = tlog.NodeHash(tlog.Hash(t.edge[i]), h)
	}
	return Hash(h)
}

// Hashes reads stored hashes: of the nodes from (inclusive) to to (exclusive)
// of a level that is a multiple of [TileHeight]. It returns exactly that many.
type Hashes func(level int, from, to int64) ([]Hash, error)

// RootAt returns the root that the tree had at an earlier size, from stored
// hashes.
func RootAt(size int64, stored Hashes) (Hash, error) {
	h, err := tlog.TreeHash(size, stored.reader())
	if err != nil {
		return Hash{}, fmt.Errorf("compute root at size %d: %v", size, err)
	}
	return Hash(h), nil
}

// reader gives tlog every hash it asks for, computing those between the stored
// levels.
func (s Hashes) reader() tlog.HashReader {
	return tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		out := make([]tlog.Hash, len(indexes))
		for i, index := range indexes {
			level, n := tlog.SplitStoredHashIndex(index)
			h, err := s.node(level, n)
			if err != nil {
				return nil, err
			}
			out[i] = h
		}
		return out, nil
	})
}

func (s Hashes) node(level int, n int64) (tlog.Hash, error) {
	above := level % TileHeight
	width := int64(1) << above
	row, err := s(level-above, n*width, (n+1)*width)
	if err != nil {
		return tlog.Hash{}, err
	}
	if int64(len(row)) != width {
		return tlog.Hash{}, fmt.Errorf("%d of %d hashes of level %d are there", len(row), width, level-above)
	}
	for ; len(row) > 1; row = row[:len(row)/2] {
		for i := range len(row) / 2 {
			row[i] = Hash(tlog.NodeHash(tlog.Hash(row[2*i]), tlog.Hash(row[2*i+1])))
		}
	}
	return tlog.Hash(row[0]), nil
}
