// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package enginebench

import "fmt"

// Engine decides the calls of a workload, by their place in it. The calls are
// in the engine's own form already: what is measured is the decision.
type Engine func(call int) (Verdict, error)

// Entry is one engine and how it is used.
type Entry struct {
	Name string
	Make func(*Workload) (Engine, error)
	Most int // rules it is measured with; 0: any number
}

// Engines are all that are compared. The first is ours.
func Engines() []Entry {
	return []Entry{
		{Name: "toolverdict", Make: Ours},
		{Name: "hand-written/by-tool", Make: ByHand},
		{Name: "cel/by-tool", Make: CELByTool},
		{Name: "cel/all", Make: CELAll},
		{Name: "cedar/by-tool", Make: CedarByTool},
		{Name: "cedar/all", Make: CedarAll},
		{Name: "opa/boolean-rules", Make: OPA},
		{Name: "casbin/functions", Make: Casbin, Most: 1000},
	}
}

// Agrees compares an engine with the oracle on so many calls.
func Agrees(w *Workload, e Engine, calls int) error {
	for i, c := range w.Calls[:min(calls, len(w.Calls))] {
		got, err := e(i)
		if err != nil {
			return fmt.Errorf("call %d: %w", i, err)
		}
		if want := w.Oracle(c); got != want {
			return fmt.Errorf("call %d is %s, and should be %s: %+v", i, got, want, c)
		}
	}
	return nil
}
