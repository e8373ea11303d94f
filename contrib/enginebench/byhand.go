// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package enginebench

import "regexp"

// ByHand is what one writes without an engine: the rules of each tool, the
// strictest first, as functions of the call. It stops at the first that matches,
// and so cannot name the others.
func ByHand(w *Workload) (Engine, error) {
	type rule struct {
		verdict Verdict
		tests   []func(*Call) bool
	}
	byTool := map[string][]rule{}
	for _, verdict := range []Verdict{Deny, Ask, Allow} {
		for _, r := range w.Rules {
			if r.Verdict != verdict {
				continue
			}
			made := rule{verdict: verdict}
			for _, t := range r.Tests {
				made.tests = append(made.tests, t.compiled())
			}
			for _, tool := range r.Tools {
				byTool[tool] = append(byTool[tool], made)
			}
		}
	}
	return func(call int) (Verdict, error) {
		c := &w.Calls[call]
	rules:
		for _, r := range byTool[c.Tool] {
			for _, holds := range r.tests {
				if !holds(c) {
					continue rules
				}
			}
			return r.verdict, nil
		}
		return Deny, nil
	}, nil
}

func (t Test) compiled() func(*Call) bool {
	if t.Op != Framed {
		return func(c *Call) bool { return t.holds(*c) }
	}
	re := regexp.MustCompile("^(?:" + t.pattern() + ")$")
	return func(c *Call) bool { return re.MatchString(c.Texts[t.Field]) }
}
