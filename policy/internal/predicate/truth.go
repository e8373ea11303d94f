// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package predicate

import "github.com/toolverdict/toolverdict/policy/internal/match"

// What predicates answer, and are made of, is the language of the package below.
// Those who only combine predicates need not know it as well.
type (
	// Truth is the answer of a test.
	Truth = match.Truth
	// Glob is a pattern of text.
	Glob = match.Glob
)

// The truth values.
const (
	Unknown = match.Unknown
	False   = match.False
	True    = match.True
)

// The forms of a moment.
const (
	Instant = match.Instant
	Date    = match.Date
	Clock   = match.Clock
)

// Of returns True or False.
func Of(b bool) Truth { return match.Of(b) }

// And is False where either side is, Unknown where it could be.
func And(a, b Truth) Truth { return match.And(a, b) }

// Or is True where either side is, Unknown where it could be.
func Or(a, b Truth) Truth { return match.Or(a, b) }

// ParseGlob reads a pattern.
func ParseGlob(s string) (Glob, error) { return match.ParseGlob(s) }
