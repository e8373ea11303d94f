// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package approval_test

import (
	"errors"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
)

// put writes an approval anew.
func (b *bench) put(a *tv.Approval, from int64) {
	b.t.Helper()
	c := tv.Changes{Records: []tv.Record{{Kind: tv.RecordDecision, At: b.clock.Now()}}, Approvals: []tv.ApprovalChange{{From: from, To: *a}}}
	if err := b.store.Commit(b.t.Context(), c); err != nil {
		b.t.Fatal(err)
	}
}

// TestAttest takes a client's word only for what every rule leaves to it, from
// the caller itself, once, in time.
func TestAttest(t *testing.T) {
	t.Parallel()
	weak := tv.Requirement{Rule: "r", Quorum: 1, ClientAttested: true, Expires: time.Minute}
	strong := tv.Requirement{Rule: "s", Quorum: 1, Expires: time.Minute}
	other := agent
	other.Agent = "another"
	for name, c := range map[string]struct {
		risk   tv.Risk
		needs  []tv.Requirement
		by     tv.Subject
		change func(a *tv.Approval)
		wait   time.Duration
		want   error
	}{
		"low risk":                {risk: tv.LowRisk, needs: []tv.Requirement{weak}, by: agent},
		"medium risk":             {risk: tv.MediumRisk, needs: []tv.Requirement{weak}, by: agent},
		"high risk":               {risk: tv.HighRisk, needs: []tv.Requirement{weak}, by: agent, want: approval.ErrNotEligible},
		"a risk that nobody said": {needs: []tv.Requirement{weak}, by: agent, want: approval.ErrNotEligible},
		"one rule of two":         {risk: tv.LowRisk, needs: []tv.Requirement{weak, strong}, by: agent, want: approval.ErrNotEligible},
		"no rule":                 {risk: tv.LowRisk, needs: []tv.Requirement{strong}, by: agent, want: approval.ErrNotEligible},
		"none at all":             {risk: tv.LowRisk, by: agent, want: approval.ErrNotEligible},
		"two people":              {risk: tv.LowRisk, needs: []tv.Requirement{{Rule: "r", Quorum: 2, ClientAttested: true}}, by: agent, want: approval.ErrNotEligible},
		"another's client":        {risk: tv.LowRisk, needs: []tv.Requirement{weak}, by: robot, want: tv.ErrNotFound},
		"another agent of theirs": {risk: tv.LowRisk, needs: []tv.Requirement{weak}, by: other, want: tv.ErrNotFound},
		"the person it is for":    {risk: tv.LowRisk, needs: []tv.Requirement{weak}, by: clerk, want: tv.ErrNotFound},
		"nobody":                  {risk: tv.LowRisk, needs: []tv.Requirement{weak}, want: tv.ErrNotFound},
		"too late":                {risk: tv.LowRisk, needs: []tv.Requirement{weak}, by: agent, wait: time.Minute, want: approval.ErrDecided},
		"changed by an approver":  {risk: tv.LowRisk, needs: []tv.Requirement{weak}, by: agent, change: func(a *tv.Approval) { a.Editors = []string{"fin-1"} }, want: approval.ErrNotEligible},
		"rejected":                {risk: tv.LowRisk, needs: []tv.Requirement{weak}, by: agent, change: func(a *tv.Approval) { a.State = tv.ApprovalRejected }, want: approval.ErrDecided},
		"approved already":        {risk: tv.LowRisk, needs: []tv.Requirement{weak}, by: agent, change: func(a *tv.Approval) { a.State = tv.ApprovalApproved }, want: approval.ErrDecided},
	} {
		b := newBench(t)
		a := b.open(c.needs...)
		a.Card.Risk = c.risk
		b.put(&a, 1)
		if c.change != nil {
			c.change(&a)
			b.put(&a, 2)
		}
		b.clock.Pass(c.wait)
		got, err := b.Attest(t.Context(), c.by, a.ID)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		kept, failed := b.store.Approval(t.Context(), a.ID)
		switch {
		case failed != nil:
			t.Fatal(failed)
		case c.want == nil && (got.State != tv.ApprovalApproved || kept.State != tv.ApprovalApproved || !approval.Given(&kept) || !kept.Votes[0].Attested):
			t.Errorf("%s: %+v", name, kept)
		case c.want != nil && (len(kept.Votes) != 0 || kept.State != a.State):
			t.Errorf("%s: it was changed: %+v", name, kept)
		case c.want == nil:
			if _, err := b.Attest(t.Context(), c.by, a.ID); !errors.Is(err, approval.ErrDecided) {
				t.Errorf("%s, twice: %v", name, err)
			}
		}
	}
}
