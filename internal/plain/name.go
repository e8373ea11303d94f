// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package plain

import "strings"

// Name is a form of names: ASCII letters and digits, and a few signs. It says in a
// few bytes what a regular expression with a large count takes part of a
// millisecond to compile, in every process that is started.
type Name struct {
	Signs string // what may stand besides letters and digits
	Max   int    // bytes
	Lower bool   // no capital letters
	Free  bool   // a sign may come first
}

// Fits reports whether s is such a name. The empty text is none.
func (n Name) Fits(s string) bool {
	if s == "" || len(s) > n.Max {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', 'A' <= c && c <= 'Z' && !n.Lower:
		case strings.IndexByte(n.Signs, c) >= 0 && (i > 0 || n.Free):
		default:
			return false
		}
	}
	return true
}
