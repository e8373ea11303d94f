// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict/audit"
)

func (c *chest) prove(t testing.TB, seq int64) ([]byte, error) {
	t.Helper()
	return audit.Prove(c.key.Verifier(), c.heads[len(c.heads)-1].Note, c.entries[seq], func(level int, from, to int64) ([]audit.Hash, error) {
		return c.Hashes(context.Background(), level, from, to)
	})
}

func TestEveryRecordCanBeProved(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 2, 255, 256, 257, 600} {
		c := filled(t, size, 0)
		for seq := range int64(size) {
			proof, err := c.prove(t, seq)
			if err != nil {
				t.Fatal(err)
			}
			if len(proof) > 2048 {
				t.Errorf("record %d of %d: the proof has %d bytes", seq, size, len(proof))
			}
			p, err := audit.CheckProof(c.key.Verifier(), proof)
			if err != nil || p.Seq != seq || p.Checkpoint.Size != int64(size) || p.Leaf != c.entries[seq].Hash || !strings.Contains(string(proof), lines(p.Path)) {
				t.Fatalf("record %d of %d: %v, %+v", seq, size, err, p)
			}
		}
	}
}

func lines(path []audit.Hash) string {
	var b strings.Builder
	for _, h := range path {
		b.WriteString("\n" + h.String())
	}
	return b.String()
}

// TestProofHasThePublishedForm: other programs read it.
func TestProofHasThePublishedForm(t *testing.T) {
	t.Parallel()
	c := filled(t, 3, 0)
	proof, err := c.prove(t, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		"c2sp.org/tlog-proof@v1",
		"extra " + base64.StdEncoding.EncodeToString(c.entries[1].Leaf),
		"index 1",
		c.entries[0].Hash.String(),
		c.entries[2].Hash.String(),
		"",
		string(c.heads[len(c.heads)-1].Note),
	}, "\n")
	if string(proof) != want {
		t.Errorf("got\n%s\nwant\n%s", proof, want)
	}
}

func TestProofsAreOfOneRecordAndOneLog(t *testing.T) {
	t.Parallel()
	c := filled(t, 600, 0)
	proof, err := c.prove(t, 300)
	if err != nil {
		t.Fatal(err)
	}
	v := c.key.Verifier()
	swap := func(from, to string) []byte { return bytes.Replace(proof, []byte(from), []byte(to), 1) }
	extra := "extra " + base64.StdEncoding.EncodeToString(c.entries[300].Leaf)
	other := "extra " + base64.StdEncoding.EncodeToString(c.entries[301].Leaf)
	foreign := filled(t, 600, 0)
	lines := strings.Split(string(proof), "\n")
	for why, bad := range map[string][]byte{
		"another record":             swap(extra, other),
		"another record and place":   bytes.Replace(swap(extra, other), []byte("index 300"), []byte("index 301"), 1),
		"another place":              swap("index 300", "index 301"),
		"no record":                  swap(extra+"\n", ""),
		"base64 of another spelling": swap(extra, extra+"\n"),
		"a path too short":           []byte(strings.Join(append(append([]string(nil), lines[:3]...), lines[4:]...), "\n")),
		"another log's checkpoint":   swap(string(c.heads[len(c.heads)-1].Note), string(foreign.heads[len(foreign.heads)-1].Note)),
		"an older checkpoint":        swap(string(c.heads[len(c.heads)-1].Note), string(c.heads[1].Note)),
		"another form":               swap("@v1", "@v2"),
		"nothing":                    nil,
		"far too long":               append(slices.Clip(proof), make([]byte, 4<<20)...),
	} {
		if _, err := audit.CheckProof(v, bad); err == nil {
			t.Errorf("%s was taken", why)
		}
	}
	if _, err := audit.CheckProof(foreign.key.Verifier(), proof); err == nil {
		t.Error("a proof of another log was taken")
	}
}

func TestProveRefuses(t *testing.T) {
	t.Parallel()
	c := filled(t, 600, 10)
	if _, err := c.prove(t, 595); err == nil {
		t.Error("a record that is not signed yet was proved")
	}
	c.entries[7].Hash[0] ^= 1
	if _, err := c.prove(t, 6); err == nil {
		t.Error("a proof was made from a damaged hash")
	}
	c = filled(t, 600, 0)
	c.entries[7].Leaf = c.entries[8].Leaf
	if _, err := c.prove(t, 7); err == nil {
		t.Error("a record was proved that is not the one that was signed")
	}
	c.heads[len(c.heads)-1].Note[3] ^= 1
	if _, err := c.prove(t, 9); err == nil {
		t.Error("a proof was made under a damaged checkpoint")
	}
}

// TestProofOfAMovedRecord: a thief of the key who moves a record cannot have it
// proved at two places.
func TestProofOfAMovedRecord(t *testing.T) {
	t.Parallel()
	c := filled(t, 20, 0)
	c.entries[7].Leaf, c.entries[7].Hash = c.entries[8].Leaf, c.entries[8].Hash
	c.rebuild(t, 20)
	if _, err := c.prove(t, 7); err == nil {
		t.Error("a record was proved to stand where it says it does not")
	}
	if _, err := c.prove(t, 8); err != nil {
		t.Error(err)
	}
}

// TestProofSurvivesNoChange changes one byte anywhere: either it is noticed, or
// what is proved is the same.
func TestProofSurvivesNoChange(t *testing.T) {
	t.Parallel()
	c := filled(t, 600, 0)
	proof, err := c.prove(t, 300)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		bad := append([]byte(nil), proof...)
		bad[rapid.IntRange(0, len(bad)-1).Draw(t, "byte")] ^= rapid.ByteMin(1).Draw(t, "bits")
		if _, err := audit.CheckProof(c.key.Verifier(), bad); err == nil {
			t.Fatal("a changed proof was taken")
		}
	})
}

// FuzzCheckProof: nothing is proved that is not in the log, and nothing panics.
func FuzzCheckProof(f *testing.F) {
	c := filled(f, 300, 0)
	for _, seq := range []int64{0, 17, 299} {
		proof, err := c.prove(f, seq)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(proof)
	}
	f.Add([]byte("c2sp.org/tlog-proof@v1\nextra e30=\nindex 0\n\n\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := audit.CheckProof(c.key.Verifier(), b)
		if err == nil && !bytes.Equal(leafOf(t, p.Seq, p.Record), c.entries[p.Seq].Leaf) {
			t.Errorf("%q proves what is not there", b)
		}
	})
}
