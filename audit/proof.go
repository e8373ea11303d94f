// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

const proofHeader = "c2sp.org/tlog-proof@v1"

// maxProof bounds the bytes of a proof: a record, a note with its witnesses and
// one hash for each level.
const maxProof = 2 * maxLeaf

// Prove makes the proof that a record is in the log under a signed checkpoint,
// in the form of c2sp.org/tlog-proof with the record itself as extra data. It
// needs the checkpoint, the record and a few stored hashes, no other record. It
// checks the proof before it returns it: damaged hashes are an error here, not
// a false proof there.
func Prove(v *Verifier, signed []byte, e Entry, stored Hashes) ([]byte, error) {
	c, err := v.Open(signed)
	if err != nil {
		return nil, fmt.Errorf("prove record %d: %v", e.Seq, err)
	}
	if e.Seq < 0 || e.Seq >= c.Size {
		return nil, fmt.Errorf("prove record %d: the checkpoint covers records before %d: use a later one", e.Seq, c.Size)
	}
	path, err := tlog.ProveRecord(c.Size, e.Seq, stored.reader())
	if err != nil {
		return nil, fmt.Errorf("prove record %d: %v", e.Seq, err)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\nextra %s\nindex %d\n", proofHeader, base64.StdEncoding.EncodeToString(e.Leaf), e.Seq)
	for _, h := range path {
		fmt.Fprintf(&b, "%s\n", h)
	}
	b.WriteByte('\n')
	b.Write(signed)
	if _, err := CheckProof(v, b.Bytes()); err != nil {
		return nil, fmt.Errorf("prove record %d: the stored hashes do not lead to the checkpoint: run audit verify", e.Seq)
	}
	return b.Bytes(), nil
}

// Proven is what a proof shows: this record stood at this place of the log when
// the checkpoint was signed.
type Proven struct {
	Numbered
	Checkpoint Checkpoint
	Leaf       Hash   // of the record
	Path       []Hash // what leads from it to the root, from below
}

// CheckProof checks a proof with the public key alone.
func CheckProof(v *Verifier, proof []byte) (Proven, error) {
	p, err := parseProof(proof)
	if err != nil {
		return Proven{}, fmt.Errorf("check proof: %v", err)
	}
	c, err := v.Open(p.signed)
	if err != nil {
		return Proven{}, fmt.Errorf("check proof: %v", err)
	}
	n, err := Decode(p.leaf)
	if err != nil {
		return Proven{}, fmt.Errorf("check proof: %v", err)
	}
	if n.Seq != p.index {
		return Proven{}, fmt.Errorf("check proof: its record says place %d, the proof says %d", n.Seq, p.index)
	}
	if err := tlog.CheckRecord(p.path, c.Size, tlog.Hash(c.Root), p.index, tlog.RecordHash(p.leaf)); err != nil {
		return Proven{}, errors.New("check proof: the record is not in the log that was signed")
	}
	out := Proven{Numbered: n, Checkpoint: c, Leaf: LeafHash(p.leaf)}
	for _, h := range p.path {
		out.Path = append(out.Path, Hash(h))
	}
	return out, nil
}

type parsedProof struct {
	leaf   []byte
	index  int64
	path   tlog.RecordProof
	signed []byte
}

func parseProof(proof []byte) (parsedProof, error) {
	var p parsedProof
	if len(proof) > maxProof {
		return p, errors.New("it is too long to be one")
	}
	head, signed, ok := bytes.Cut(proof, []byte("\n\n"))
	lines := strings.Split(string(head), "\n")
	if !ok || len(lines) < 3 || lines[0] != proofHeader {
		return p, errors.New("it does not start like one")
	}
	p.signed = signed
	extra, okExtra := strings.CutPrefix(lines[1], "extra ")
	index, okIndex := strings.CutPrefix(lines[2], "index ")
	if !okExtra || !okIndex {
		return p, errors.New("its record or its index is missing")
	}
	var err error
	if p.leaf, err = base64.StdEncoding.Strict().DecodeString(extra); err != nil {
		return p, errors.New("its record is not base64")
	}
	if p.index, err = strconv.ParseInt(index, 10, 64); err != nil || strconv.FormatInt(p.index, 10) != index || p.index < 0 {
		return p, errors.New("its index is not a number")
	}
	for _, line := range lines[3:] {
		h, err := ParseHash(line)
		if err != nil {
			return p, errors.New("one of its lines is not a hash")
		}
		p.path = append(p.path, tlog.Hash(h))
	}
	return p, nil
}
