// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package script

import "strings"

// JQ returns what a program in jq does besides reading its input: it may read
// modules, wherever its own text says they are.
func JQ(text string) []Finding {
	for _, word := range strings.FieldsFunc(text, func(c rune) bool {
		return c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9')
	}) {
		switch word {
		case "import", "include", "modulemeta":
			return []Finding{{Kind: Read}}
		}
	}
	return nil
}
