// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package coverage

import (
	"sync"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/workbench/cases"
	"github.com/toolverdict/toolverdict/policy"
)

// mutants tries which slips of the writer the tests notice. What comes of it
// does not depend on how many work at it.
func (r *Report) mutants(inspector *policy.Inspector, tests []test, o Options) {
	all := inspector.Mutants()
	tried := spread(all, o.Most)
	r.Left += len(all) - len(tried)
	noticed := make([]bool, len(tried))
	work := make(chan int)
	var workers sync.WaitGroup
	for range max(o.Workers, 1) {
		workers.Go(func() {
			for i := range work {
				noticed[i] = notices(tests, tried[i])
			}
		})
	}
	for i := range tried {
		work <- i
	}
	close(work)
	workers.Wait()
	for i, m := range tried {
		if r.Mutants.All++; noticed[i] {
			r.Mutants.Covered++
			continue
		}
		r.Survived = append(r.Survived, Gap{File: m.File, Line: m.Line, Column: m.Column, Rule: m.Rule, What: m.Change})
	}
	sort(r.Survived)
}

// spread picks at most so many mutants, evenly.
func spread(all []policy.Mutant, most int) []*policy.Mutant {
	n := len(all)
	if most > 0 {
		n = min(n, most)
	}
	out := make([]*policy.Mutant, n)
	for i := range out {
		out[i] = &all[i*len(all)/n]
	}
	return out
}

// notices reports whether an example beside the rule or some test fails under
// the mutant.
func notices(tests []test, m *policy.Mutant) bool {
	if m.Caught() {
		return true
	}
	sets := map[*toolverdict.Tool]*policy.Set{}
	for i := range tests {
		t := &tests[i]
		tool := t.call.Request.Tool
		set, known := sets[tool]
		if !known {
			set = m.For(tool)
			sets[tool] = set
		}
		if set == nil {
			continue
		}
		d := cases.Decide(set, &t.call)
		if !cases.Holds(t.Case, &d, &t.call) {
			return true
		}
	}
	return false
}
