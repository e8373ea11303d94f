// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"context"
	"time"

	"github.com/toolverdict/toolverdict/internal/doctor"
)

// Clock checks the clock, which approvals, limits and keys of runs end by.
type Clock struct {
	Now    func() time.Time
	Latest func(ctx context.Context) (time.Time, error) // the newest time that the gate wrote down; zero for none
}

// Name implements [doctor.Check].
func (Clock) Name() string { return "clock" }

// Looks implements [doctor.Check].
func (Clock) Looks() string { return "whether the clock can be right" }

// Bounds of what a clock may say.
const (
	built    = 2026            // no gate was started before this year
	tolerate = 2 * time.Second // a record may be that much newer: it was written meanwhile
)

// Look implements [doctor.Check].
func (c Clock) Look(ctx context.Context) []doctor.Finding {
	const fix = "set the clock and let it be kept right, by chrony or systemd-timesyncd"
	latest, err := c.Latest(ctx)
	now := c.Now()
	switch {
	case now.Year() < built:
		return doctor.Failed(fix, "the clock says %s, which is in the past", now.Format(time.RFC3339))
	case err != nil:
		return doctor.Unseen("", "read the newest time in the audit log: %v", err)
	case latest.After(now.Add(tolerate)):
		return doctor.Failed(fix, "the clock ran backwards, or was ahead: it says %s, and the gate wrote a record at %s. What is to end may end late",
			now.UTC().Format(time.RFC3339), latest.UTC().Format(time.RFC3339))
	}
	synchronised, known := kernelClock()
	switch {
	case !known:
		return doctor.Noted("it fits the records; whether something keeps it right is not told by this system")
	case !synchronised:
		return doctor.Noted("it fits the records; the kernel is not told that anything keeps it right (in containers it often is not)")
	}
	return doctor.Good("it fits the records, and the kernel says that it is kept right")
}
