// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package tree

import "slices"

// Holds reports whether a condition is of a kind, or holds one that is.
func Holds(cond Condition, kind func(Condition) bool) bool {
	part := func(c Condition) bool { return Holds(c, kind) }
	switch c := cond.(type) {
	case *All:
		return slices.ContainsFunc(c.Parts, part)
	case *Any:
		return slices.ContainsFunc(c.Parts, part)
	case *Not:
		return part(c.Part)
	}
	return cond != nil && kind(cond)
}

// IsHistory reports whether a condition looks back.
func IsHistory(c Condition) bool { _, is := c.(*History); return is }

// IsEffects reports whether a condition is about effects.
func IsEffects(c Condition) bool { _, is := c.(*Effects); return is }
