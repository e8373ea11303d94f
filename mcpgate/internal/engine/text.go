// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"strings"
	"unicode"
)

// clean makes text that others wrote fit for people's eyes: no control
// characters, so no terminal escapes, and none that are invisible or turn the
// direction of what follows.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case unicode.Is(unicode.Cf, r), unicode.IsControl(r):
			return -1
		case !unicode.IsPrint(r) && r != ' ':
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
