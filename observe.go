// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

// Observed is what a gate that only observes would have come to: see
// [Config.Observe].
type Observed struct {
	Verdict Verdict `json:"verdict"`
	Code    Code    `json:"code,omitempty"`
	Rule    string  `json:"rule,omitempty"`
}

// enforced is the decision that holds: what was decided, unless the gate only
// observes. Then the policy's word is written down and passed over. The tool's
// own permission and risk, and every step before and after this one, hold as
// ever.
func (g *Gate) enforced(c analysed, said, decided Decision) Decision {
	if !g.Observe {
		return decided
	}
	d := said
	if d.Verdict != Allow {
		d.Verdict, d.Code, d.Rule, d.Reason, d.Asks, d.RetryAfter = Allow, "", "", "the gate only observes: rules are not enforced", nil, 0
	}
	d = Demand(c.tool, c.call.Subject, d)
	d.Observed = &Observed{Verdict: decided.Verdict, Code: decided.Code, Rule: decided.Rule}
	return d
}
