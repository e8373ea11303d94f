// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package activity

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/internal/console/door"
)

// proven is the proof that a record stands in the log.
type proven struct {
	Place, Size int
	Leaf, Root  string
	Path        []string // from the leaf up
	Log, Key    string   // the log's name and its public key
	File        string   // what the proof is called when it is kept
}

// prove makes the proof of a record and checks it, as anybody can who has the
// key; nil where no checkpoint covers the record yet.
func (m *Room) prove(ctx context.Context, place int64) (*proven, error) {
	text, key, err := m.Log.Prove(ctx, place)
	if err != nil {
		return nil, fmt.Errorf("prove record: %w", err)
	}
	if len(text) == 0 {
		return nil, nil //nolint:nilnil // it is there a moment later
	}
	p, err := audit.CheckProof(key, text)
	if err != nil {
		return nil, fmt.Errorf("prove record: %w", err)
	}
	out := &proven{
		Place: int(p.Seq), Size: int(p.Checkpoint.Size), Leaf: p.Leaf.String(), Root: p.Checkpoint.Root.String(),
		Log: key.Origin(), Key: key.String(), File: proofFile(place),
	}
	for _, h := range p.Path {
		out.Path = append(out.Path, h.String())
	}
	return out, nil
}

func proofFile(place int64) string { return strconv.FormatInt(place, 10) + ".tlog-proof" }

func proofAddress(n *audit.Numbered) string {
	id := n.CallID
	if id == "" {
		id = loneRecord
	}
	return "/console/activity/" + url.PathEscape(id) + "/proof?at=" + strconv.FormatInt(n.Seq, 10)
}

// proof hands the proof out as a file, to whoever may see the record in it.
func (m *Room) proof(w http.ResponseWriter, r *http.Request, v door.Visitor) {
	seed, err := m.seed(r.Context(), &v, r.PathValue("call"), r.URL.Query().Get("at"))
	if err != nil {
		m.problem(w, r, v, err)
		return
	}
	text, _, err := m.Log.Prove(r.Context(), seed.Seq)
	switch {
	case err != nil:
		m.Fault(w, r, v, err)
		return
	case len(text) == 0:
		m.Message(w, r, v, http.StatusNotFound, "no-proof")
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="`+proofFile(seed.Seq)+`"`)
	_, _ = w.Write(text)
}
