// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy"
)

// Status is the answer in a word.
type Status string

// The answers.
const (
	Equal   Status = "equal"   // no call is decided differently
	Differs Status = "differs" // there are witnesses
	Unknown Status = "unknown" // none was found, and there may be some
)

// Report is what a comparison found.
type Report struct {
	Status    Status    `json:"status"`
	Old       Identity  `json:"old"`
	New       Identity  `json:"new"`
	Default   []string  `json:"default,omitempty"` // old and new, where they differ
	Rules     []Change  `json:"rules"`
	Witnesses []Witness `json:"witnesses"`
	Doubts    []Doubt   `json:"doubts"` // why there may be more differences than the witnesses show
	Tools     int       `json:"tools"`  // that were looked at
}

// Identity names a policy.
type Identity struct {
	Version string `json:"version"`
	Hash    string `json:"hash"`
}

// Change is one rule that is not the same in both.
type Change struct {
	Rule string `json:"rule"`
	What string `json:"what"` // added, removed, changed, reworded
	File string `json:"file"` // of the new one, where there is one
	Line int    `json:"line"`
}

// Witness is a call that both decide differently.
type Witness struct {
	Tool     string          `json:"tool"`
	Known    bool            `json:"known"`             // to the catalog; else it stands for a tool of that name
	Call     json.RawMessage `json:"call"`              // as an example in a policy writes it
	Assumed  bool            `json:"assumed,omitempty"` // its effects are: no arguments were found that would have them
	Old      Side            `json:"old"`
	New      Side            `json:"new"`
	Stricter bool            `json:"stricter"` // the new verdict is the stricter one
}

// Side is what one policy says.
type Side struct {
	Verdict toolverdict.Verdict `json:"verdict"`
	Rule    string              `json:"rule"` // "" is the default
}

// Doubt is a reason for which differences may have been missed.
type Doubt struct {
	Tool string `json:"tool"`
	Why  string `json:"why"`
}

// Maker finds calls that have wanted effects. Without one, witnesses of rules
// about effects list these.
type Maker struct {
	// Make returns arguments that may have the effects, built on given ones.
	Make func(t *toolverdict.Tool, arguments toolverdict.Value, effects []toolverdict.Effect) []toolverdict.Value
	// Analyse says what arguments really would do.
	Analyse func(t *toolverdict.Tool, arguments toolverdict.Value, facts map[string]string) []toolverdict.Effect
}

// Policies compares two policies. A nil catalog knows no tool: then tools that
// the rules name stand in. The error is that of a policy that does not load.
func Policies(before, after []policy.File, known toolverdict.Catalog, maker Maker) (Report, error) {
	a, err := load(before, known)
	if err != nil {
		return Report{}, fmt.Errorf("old policy: %w", err)
	}
	b, err := load(after, known)
	if err != nil {
		return Report{}, fmt.Errorf("new policy: %w", err)
	}
	c := &comparison{before: a, after: b, known: known, maker: maker, fields: map[string]fields{}, report: Report{
		Status: Equal, Old: a.identity(), New: b.identity(), Rules: []Change{}, Witnesses: []Witness{}, Doubts: []Doubt{},
	}}
	if c.report.Old.Hash == c.report.New.Hash {
		return c.report, nil
	}
	c.rules()
	if a.fallback != b.fallback {
		c.report.Default = []string{a.fallback.String(), b.fallback.String()}
	}
	if len(c.differing) > 0 || a.fallback != b.fallback {
		tools := c.tools()
		all := c.all(tools)
		if err := errors.Join(a.arm(all), b.arm(all)); err != nil {
			return Report{}, err
		}
		for _, t := range tools {
			c.tool(t)
		}
	}
	c.finish()
	return c.report, nil
}

// comparison is one comparison under way.
type comparison struct {
	before, after *loaded
	known         toolverdict.Catalog
	maker         Maker
	differing     map[string]bool   // rules that do not mean the same in both, or are in one only
	fields        map[string]fields // by the rules that they are fields of
	work          int
	report        Report
}

// all are the tools to look at beside those that are known anyway.
func (c *comparison) all(tools []*candidate) candidates {
	var out candidates
	if c.known != nil {
		out = append(out, c.known.Tools()...)
	}
	for _, t := range tools {
		if !t.known {
			out = append(out, t.Tool)
		}
	}
	return out
}

func (c *comparison) finish() {
	switch {
	case len(c.report.Witnesses) > 0:
		c.report.Status = Differs
	case len(c.report.Doubts) > 0:
		c.report.Status = Unknown
	}
	slices.SortStableFunc(c.report.Witnesses, func(x, y Witness) int { return cmp.Compare(y.opens(), x.opens()) })
}

// opens says how much the new policy lets through that the old one did not, in
// steps: what was denied and runs now is worse than what was asked about.
func (w *Witness) opens() int { return int(w.New.Verdict) - int(w.Old.Verdict) }

func (c *comparison) doubt(tool, format string, args ...any) {
	d := Doubt{tool, fmt.Sprintf(format, args...)}
	if !slices.Contains(c.report.Doubts, d) {
		c.report.Doubts = append(c.report.Doubts, d)
	}
}
