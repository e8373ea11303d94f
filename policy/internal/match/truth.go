// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package match holds the tests that a policy makes on one text, each pure and
// total. What a test cannot tell for certain is [Unknown]: every spelling that
// two programs could read differently ends there, never in a guess.
package match

// Truth is one of Kleene's three truth values. The zero value is Unknown, so
// that a forgotten assignment never reads as "does not match".
type Truth uint8

// The truth values.
const (
	Unknown Truth = iota
	False
	True
)

// Of returns True or False.
func Of(b bool) Truth {
	if b {
		return True
	}
	return False
}

// Not swaps True and False.
func (t Truth) Not() Truth {
	switch t {
	case True:
		return False
	case False:
		return True
	case Unknown:
	}
	return Unknown
}

// And is False where either side is, Unknown where it could be.
func And(a, b Truth) Truth {
	switch {
	case a == False || b == False:
		return False
	case a == True && b == True:
		return True
	}
	return Unknown
}

// Or is True where either side is, Unknown where it could be.
func Or(a, b Truth) Truth {
	switch {
	case a == True || b == True:
		return True
	case a == False && b == False:
		return False
	}
	return Unknown
}

// String returns "true", "false" or "unknown".
func (t Truth) String() string {
	switch t {
	case True:
		return "true"
	case False:
		return "false"
	case Unknown:
	}
	return "unknown"
}

// MarshalText writes it as [Truth.String] does.
func (t Truth) MarshalText() ([]byte, error) { return []byte(t.String()), nil }
