// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package enginebench_test

import (
	"testing"

	"github.com/toolverdict/toolverdict/contrib/enginebench"
)

// TestFailOpenMatrix holds each predicate against values that it cannot judge. A
// cell is one value and one rule; it is open where the call is allowed. Ours has
// none; those of the others are told (go test -v), and fail the test only where
// there are none, because the comparison then compares nothing.
func TestFailOpenMatrix(t *testing.T) {
	t.Parallel()
	for _, e := range []struct {
		name string
		on   func(enginebench.Predicate, enginebench.Verdict) (enginebench.Decider, error)
		has  func(enginebench.Predicate) string
		ours bool
	}{
		{"toolverdict", enginebench.OursOn, func(p enginebench.Predicate) string { return p.Ours }, true},
		{"opa", enginebench.RegoOn, func(p enginebench.Predicate) string { return p.Rego }, false},
		{"cedar", enginebench.CedarOn, func(p enginebench.Predicate) string { return p.Cedar }, false},
	} {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			for rule, word := range map[enginebench.Verdict]string{enginebench.DenyRule: "deny", enginebench.AllowRule: "allow"} {
				cells, open := 0, 0
				for _, p := range enginebench.Predicates() {
					if e.has(p) == "" {
						continue
					}
					decide, err := e.on(p, rule)
					if err != nil {
						t.Fatalf("%s: %v", p.Name, err)
					}
					sure(t, p, rule, decide)
					for _, form := range p.Forms() {
						allowed, err := decide(form)
						if err != nil {
							t.Fatalf("%s: %s: %v", p.Name, form, err)
						}
						if cells++; allowed {
							open++
							if e.ours {
								t.Errorf("a %s rule with %s is open to %q", word, p.Name, form)
							}
						}
					}
				}
				t.Logf("%s rules: %d of %d cells fail open", word, open, cells)
				if !e.ours && rule == enginebench.DenyRule && open == 0 {
					t.Error("no cell fails open: update docs/benchmarks.md")
				}
			}
		})
	}
}

// sure checks that the rule means the same in each engine where it can be judged.
func sure(t *testing.T, p enginebench.Predicate, rule enginebench.Verdict, decide enginebench.Decider) {
	t.Helper()
	for value, holds := range map[string]bool{p.Yes: true, p.No: false} {
		allowed, err := decide(value)
		if err != nil || allowed != (holds == (rule == enginebench.AllowRule)) {
			t.Errorf("%s: %s is allowed: %t, %v", p.Name, value, allowed, err)
		}
	}
}
