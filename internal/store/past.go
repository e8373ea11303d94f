// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"errors"
	"fmt"

	tv "github.com/toolverdict/toolverdict"
)

// checkPast refuses a history that cannot mean what it says.
func checkPast(c tv.Changes) error {
	for _, p := range c.Past {
		if p.ID == "" || p.Tool.Name == "" || !knownPast(p.State) || p.At.IsZero() {
			return errors.New("check changes: a call for the history has no id, tool, state or time")
		}
	}
	for _, s := range c.Settled {
		if s.ID == "" || !knownPast(s.State) || s.State == tv.PastDispatched {
			return errors.New("check changes: what came of a call for the history has no id, or is no outcome")
		}
	}
	if len(c.Expect.Looks) > 0 && c.Expect.Holds == nil {
		return errors.New("check changes: a change rests on earlier calls and does not say how")
	}
	return CheckLooks(c.Expect.Looks)
}

func knownPast(s tv.PastState) bool { return s >= tv.PastAttempted && s <= tv.PastSucceeded }

// CheckLooks refuses questions that no store can answer.
func CheckLooks(looks []tv.Look) error {
	for i := range looks {
		l := &looks[i]
		if l.Tools == nil || l.Within <= 0 || l.Within > tv.MaxLookBack || l.Most <= 0 {
			return fmt.Errorf("check look %q: it names no tools, no bound, or no window of at most %s", l.Key, tv.MaxLookBack)
		}
		if l.Least != tv.PastAttempted && l.Least != tv.PastDispatched && l.Least != tv.PastSucceeded {
			return fmt.Errorf("check look %q: it does not say which calls count", l.Key)
		}
		for _, tie := range l.Ties {
			switch tie.By {
			case "session", "subject", "user", "agent", "run":
			default:
				return fmt.Errorf("check look %q: calls cannot be tied by %q", l.Key, tie.By)
			}
		}
	}
	return nil
}

// PastMoves reports whether an entry of the history takes the place of one with
// its id. An attempt does so only with an attempt: what was done stays done.
func PastMoves(from, to tv.PastState) bool { return to.Ran() || from == tv.PastAttempted }

// Holds asks whether a change may still be made. An answer that cannot be had is
// no.
func Holds(e tv.Expect, seen []tv.Seen) (refused error) {
	if len(e.Looks) == 0 {
		return nil
	}
	defer func() {
		if v := recover(); v != nil {
			refused = fmt.Errorf("commit: look at the history again: panic: %v", v)
		}
	}()
	if !e.Holds(seen) {
		return &tv.ConflictError{What: "history", Key: e.Looks[0].Key}
	}
	return nil
}
