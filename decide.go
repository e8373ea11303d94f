// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"cmp"
	"context"
	"fmt"
)

type decided struct{ *trail }

// decide asks the policy, reads the counters it needs, and adds what the tool's
// own permission and risk demand.
func (g *Gate) decide(ctx context.Context, snap *Snapshot, c analysed) (decided, error) {
	begin := g.Now()
	c.call.At = begin // a call that was held is decided by the clock of now
	req := c.request()
	looks, err := g.lookBack(ctx, snap.Policy, c.trail, &req)
	if err != nil {
		return decided{}, err
	}
	d := snap.Policy.Decide(req)
	if len(d.Limits) > 0 && d.Verdict != Deny {
		usage, err := g.Store.Usage(ctx, d.Limits, g.Now())
		if err != nil {
			return decided{}, fmt.Errorf("read limits: %w", err)
		}
		req.Usage = usage
		d = snap.Policy.Decide(req)
	}
	demanded := Demand(c.tool, c.call.Subject, d)
	d = g.enforced(c, d, demanded)
	if c.edited != nil {
		d = c.edited.keepAsking(d)
	}
	d.ID, d.Took = c.call.ID, g.Now().Sub(begin)
	c.decision, c.back.expect = d, Expect{}
	if len(looks) > 0 {
		c.back.expect = relies(snap.Policy, req, looks, demanded)
	}
	c.digest = c.call.Digest(c.tool.Hash())
	if d.Verdict == Deny {
		return decided{}, d.Refusal()
	}
	return decided(c), nil
}

// Demand tightens a policy's decision by what the tool's definition demands:
// its permission, and a human where its risk says so. It never loosens one.
func Demand(t *Tool, s Subject, d Decision) Decision {
	if d.Verdict == Deny && d.Rule != "" {
		return d
	}
	if p := t.Permission(); p != "" && !s.Has(p) {
		d.Verdict, d.Code, d.Rule = Deny, PermissionDenied, ""
		d.Reason = fmt.Sprintf("permission %q is missing", p)
		return d
	}
	if d.Verdict == Allow && t.asks() {
		d.Verdict, d.Code, d.Rule = Ask, ConfirmationRequired, ""
		d.Reason = "the tool's risk needs a person's confirmation"
	}
	if d.Verdict == Ask && len(d.Asks) == 0 {
		d.Asks = []Requirement{{Quorum: 1}} // of the default approvers
	}
	return d
}

// Refusal is what the caller of a denied call is told.
func (d Decision) Refusal() *Refusal {
	code := cmp.Or(d.Code, PolicyDenied)
	r := refusal(code, "")
	switch {
	case code == PermissionDenied:
		r.Message = "The caller lacks a right: " + d.Reason + "."
	case code == RateLimited:
		r.Message = fmt.Sprintf("Rule %q allows no more calls for now: %s.", d.Rule, d.Reason)
		r.RetryAfter = d.RetryAfter.Seconds()
	case d.Rule == "":
		r.Message = "No rule of the policy allows this call."
	default:
		r.Message = fmt.Sprintf("Rule %q denies this call: %s.", d.Rule, d.Reason)
	}
	return r
}
