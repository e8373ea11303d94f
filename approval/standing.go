// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package approval

import tv "github.com/toolverdict/toolverdict"

// Standing is how somebody stands to an approval, for pages that offer what they
// can do. It lets nobody do anything: a vote is checked when it is cast.
type Standing struct {
	Asked bool // they asked for the call, or it was asked on their behalf
	Voted bool
	Vote  bool // their vote would count now

	MustSay bool // a yes needs a reason

	Cancel bool // they could take the question back now
	Revoke bool // they could take a given yes back now
}

// Standing tells how a subject stands to an approval now.
func (d *Desk) Standing(by tv.Subject, a tv.Approval) Standing {
	now := d.c.Now()
	s := Standing{
		Asked: requester(by, &a), MustSay: mustSay(&a),
		Voted: voted(by, &a),
	}
	if !now.Before(a.Expires) {
		return s
	}
	may := eligible(by, &a, now)
	s.Vote = a.State == tv.ApprovalPending && !s.Voted && may
	s.Cancel = a.State == tv.ApprovalPending && s.Asked
	s.Revoke = a.State == tv.ApprovalApproved && may
	return s
}
