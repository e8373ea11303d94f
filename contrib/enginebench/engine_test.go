// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package enginebench_test

import (
	"fmt"
	"testing"

	"github.com/toolverdict/toolverdict/contrib/enginebench"
)

// TestVerdicts: all engines decide as the oracle does.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	for _, n := range []int{10, 300} {
		for _, hot := range []bool{false, true} {
			w := enginebench.New(n, hot)
			for _, e := range enginebench.Engines() {
				t.Run(fmt.Sprintf("%s/rules=%d/hot=%t", e.Name, n, hot), func(t *testing.T) {
					t.Parallel()
					decide, err := e.Make(w)
					if err != nil {
						t.Fatal(err)
					}
					if err := enginebench.Agrees(w, decide, 100); err != nil {
						t.Fatal(err)
					}
				})
			}
		}
	}
}

// TestVerdictsVary: a workload in which every call were denied would compare
// nothing.
func TestVerdictsVary(t *testing.T) {
	t.Parallel()
	w, seen := enginebench.New(1000, false), map[enginebench.Verdict]int{}
	for _, c := range w.Calls {
		seen[w.Oracle(c)]++
	}
	for _, v := range []enginebench.Verdict{enginebench.Allow, enginebench.Ask, enginebench.Deny} {
		if seen[v] < 5 {
			t.Errorf("%d calls of %d are %s", seen[v], len(w.Calls), v)
		}
	}
}
