// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"encoding/json"
	"fmt"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/workbench/calls"
	"github.com/toolverdict/toolverdict/policy"
)

// Beside is one call as the original and the policy decide it.
type Beside struct {
	Call         string          `json:"call"`
	Tool         string          `json:"tool"`
	Arguments    json.RawMessage `json:"arguments"`
	Original     tv.Verdict      `json:"original"`
	OriginalRule string          `json:"originalRule"`
	Policy       tv.Verdict      `json:"policy"`
	PolicyRule   string          `json:"policyRule"`
}

// Milder reports whether the policy lets through more than the original.
func (b *Beside) Milder() bool { return b.Policy > b.Original } // the stricter verdict is the smaller

// Compile loads what was made as a gate would. A nil catalog knows no tool.
func (c *Converted) Compile(known tv.Catalog) (*policy.Set, error) {
	set, _, err := policy.Compile([]policy.File{{Name: "policy.yaml", Content: c.File.YAML()}}, known, policy.Options{Discovery: true})
	return set, err
}

// Compare decides calls by an ordered list and by the policy made of it.
func (l *List) Compare(set *policy.Set, known tv.Catalog, found []calls.Call) ([]Beside, error) {
	out := make([]Beside, 0, len(found))
	for i := range found {
		t, err := calls.Tool(known, found[i].Tool)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", found[i].At, err)
		}
		row := Beside{Call: found[i].At, Tool: t.Name(), Arguments: found[i].Arguments.Raw()}
		row.Original, row.OriginalRule = l.Decide(t.Name(), found[i].Arguments)
		d := set.Decide(found[i].Request(t))
		row.Policy, row.PolicyRule = d.Verdict, d.Rule
		out = append(out, row)
	}
	return out, nil
}
