// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"context"
	"fmt"
	"slices"

	tv "github.com/toolverdict/toolverdict"
)

// attestation is what is written down of a yes that only the caller's own client
// vouches for. Such a client was seen to answer forms by itself.
const attestation = "client-attested: the caller's own client says that its user agreed, and nobody else vouches for it"

// Attestable reports whether the word of the caller's own client answers all that
// an approval asks: every rule says so, one person's yes would do, the risk is
// known and not high, and nobody changed the call.
func (d *Desk) Attestable(a *tv.Approval) bool { return attestable(a) }

func attestable(a *tv.Approval) bool {
	known := a.Card.Risk == tv.LowRisk || a.Card.Risk == tv.MediumRisk
	return known && len(a.Editors) == 0 && len(a.Requirements) > 0 &&
		!slices.ContainsFunc(a.Requirements, func(r tv.Requirement) bool { return !r.ClientAttested || r.Quorum > 1 })
}

// Attest takes the word of the caller's own client that its user agreed. Of an
// approval that needs more than that, it changes nothing.
func (d *Desk) Attest(ctx context.Context, by tv.Subject, id string) (tv.Approval, error) {
	return d.change(ctx, by, id, func(a *tv.Approval) error {
		s := a.Call.Subject
		switch {
		case by.ID == "" || by.ID != s.ID || by.User != s.User || by.Agent != s.Agent:
			return tv.ErrNotFound
		case !attestable(a):
			return ErrNotEligible
		case a.State != tv.ApprovalPending:
			return fmt.Errorf("%w: %s", ErrDecided, a.State)
		}
		a.Votes = append(slices.Clone(a.Votes), tv.Vote{By: by, Approved: true, Attested: true, Reason: attestation, At: d.c.Now()})
		d.give(a)
		return nil
	}, attestation)
}

// give makes an approval one that can be used, for a while at least.
func (d *Desk) give(a *tv.Approval) {
	a.State = tv.ApprovalApproved
	if use := d.c.Now().Add(d.c.Use); use.After(a.Expires) {
		a.Expires = use
	}
}
