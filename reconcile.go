// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// Reconcile says how to find out what came of a call whose answer was lost: by
// which call of which tool that only reads, and what its answer tells. An answer
// that tells both, or neither, leaves the outcome unknown.
//
// A definition has one for the tool. A ledger entry has it bound: with the values
// of its own call in the place of references, taken when that was dispatched, as
// they are in no record and what is asked must not change afterwards.
type Reconcile struct {
	Tool        string          `json:"tool"` // full name, of the same catalog
	Arguments   map[string]Term `json:"arguments,omitempty"`
	Succeeded   []Finding       `json:"succeeded,omitempty"`   // all of it in the answer: the call ran
	Failed      []Finding       `json:"failed,omitempty"`      // all of it in the answer: the call did not run
	FailedAfter time.Duration   `json:"failedAfter,omitempty"` // how long a lost call may still be on its way; 0 means the ledger's own
}

// Term is a value: a fixed one, or an argument of the lost call.
type Term struct {
	From  string          `json:"from,omitempty"` // JSON pointer into the lost call's arguments
	Value json.RawMessage `json:"value,omitempty"`
}

// Finding is one thing that an answer says.
type Finding struct {
	At     string `json:"at"`               // JSON pointer into the answer
	Is     []Term `json:"is,omitempty"`     // what is there is one of these
	Exists *bool  `json:"exists,omitempty"` // or: something is there, or nothing
}

func (d *Definition) checkReconcile() error {
	r := d.Reconcile
	switch {
	case r == nil:
		return nil
	case d.Safety == ReadOnly:
		return fmt.Errorf("a read-only tool leaves no unknown outcome: take reconcile away")
	case r.Tool == "" || r.Tool == d.Name:
		return fmt.Errorf("reconcile needs another tool, which only reads: name one")
	case len(r.Succeeded) == 0 && len(r.Failed) == 0:
		return fmt.Errorf("reconcile needs what the answer must say: name succeeded, failed, or both")
	}
	return nil
}

// Terms returns every value and reference.
func (r *Reconcile) Terms() []Term {
	var out []Term
	for _, name := range slices.Sorted(maps.Keys(r.Arguments)) {
		out = append(out, r.Arguments[name])
	}
	for _, f := range slices.Concat(r.Succeeded, r.Failed) {
		out = append(out, f.Is...)
	}
	return out
}

// bound puts the arguments of a call in the place of references to them. It
// returns nil where one is missing: there is nothing to ask by then.
func (r *Reconcile) bound(arguments Value) *Reconcile {
	out := r.clone()
	if out == nil {
		return nil
	}
	whole := true
	bind := func(t *Term) {
		if t.From == "" {
			return
		}
		v, given := arguments.Pointer(t.From)
		if whole = whole && given; given {
			t.Value = slices.Clone(v.Raw())
		}
	}
	for name, t := range out.Arguments {
		bind(&t)
		out.Arguments[name] = t
	}
	for _, findings := range [][]Finding{out.Succeeded, out.Failed} {
		for i := range findings {
			for j := range findings[i].Is {
				bind(&findings[i].Is[j])
			}
		}
	}
	if !whole {
		return nil
	}
	return out
}

// Call returns the arguments of the call that asks, as a JSON object. It is of
// use once they are bound.
func (r *Reconcile) Call() []byte {
	b := []byte{'{'}
	for i, name := range slices.Sorted(maps.Keys(r.Arguments)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(canon.AppendString(b, name), ':')
		b = append(b, r.Arguments[name].Value...)
	}
	return append(b, '}')
}

func (r *Reconcile) clone() *Reconcile {
	if r == nil {
		return nil
	}
	out := *r
	out.Arguments = maps.Clone(r.Arguments)
	for name, t := range out.Arguments {
		out.Arguments[name] = t.clone()
	}
	out.Succeeded, out.Failed = cloneFindings(r.Succeeded), cloneFindings(r.Failed)
	return &out
}

func cloneFindings(all []Finding) []Finding {
	out := slices.Clone(all)
	for i := range out {
		f := &out[i]
		f.Is = slices.Clone(f.Is)
		for j := range f.Is {
			f.Is[j] = f.Is[j].clone()
		}
		if f.Exists != nil {
			exists := *f.Exists
			f.Exists = &exists
		}
	}
	return out
}

func (t Term) clone() Term {
	t.Value = slices.Clone(t.Value)
	return t
}
