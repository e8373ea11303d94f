// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"context"
	"errors"
	"fmt"

	tv "github.com/toolverdict/toolverdict"
)

// sweepPage is how many approvals one sweep ends at most.
const sweepPage = 500

// Sweep writes down what the clock has ended: approvals nobody answered, and
// approvals given but never used. Nothing depends on it being timely: every
// reader looks at the deadline itself. It returns how many it ended.
func (d *Desk) Sweep(ctx context.Context) (int, error) {
	ended := 0
	for _, state := range []tv.ApprovalState{tv.ApprovalPending, tv.ApprovalApproved} {
		late, err := d.c.Store.Approvals(ctx, tv.ApprovalQuery{State: state, ExpiredBy: d.c.Now(), Limit: sweepPage})
		if err != nil {
			return ended, fmt.Errorf("sweep approvals: %w", err)
		}
		for _, a := range late {
			from := a.Version
			a.State = tv.ApprovalExpired
			err := d.c.Store.Commit(ctx, tv.Changes{
				Records:   []tv.Record{d.record(&a, tv.Subject{}, "nobody answered or used it in time")},
				Approvals: []tv.ApprovalChange{{From: from, To: a}},
			})
			if _, ok := errors.AsType[*tv.ConflictError](err); ok {
				continue // somebody decided it first
			}
			if err != nil {
				return ended, fmt.Errorf("sweep approvals: %w", err)
			}
			ended++
		}
	}
	return ended, nil
}
