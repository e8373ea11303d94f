// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"errors"
	"fmt"
	"slices"
	"time"

	tv "github.com/toolverdict/toolverdict"
)

// ErrTogether says that an approval asks for more than one person.
var ErrTogether = errors.New("it asks for more than one person")

// Alone reports whether one person's yes answers all that an approval asks, as
// the answer to calls like it has to: an approval that needs several people is
// never decided for its like by fewer.
func (d *Desk) Alone(by tv.Subject, a *tv.Approval) error {
	now := d.c.Now()
	switch {
	case !requester(by, a) && !concerns(by, a, now):
		return fmt.Errorf("decide approval %q: %w", a.ID, tv.ErrNotFound)
	case !eligible(by, a, now):
		return fmt.Errorf("decide approval %q: %w", a.ID, ErrNotEligible)
	case slices.ContainsFunc(a.Requirements, func(r tv.Requirement) bool { return r.Quorum > 1 || !may(by, &r, a, now) }):
		return fmt.Errorf("decide approval %q: %w", a.ID, ErrTogether)
	}
	return nil
}

// Named reports whether one of these requirements, made at a time, names a person
// now.
func Named(by tv.Subject, needs []tv.Requirement, made, now time.Time) bool {
	return concerns(by, &tv.Approval{Requirements: needs, Created: made}, now)
}
