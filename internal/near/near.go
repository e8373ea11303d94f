// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package near finds the word that somebody meant who misspelt one.
package near

import "strings"

// maxWord bounds the words that are compared, in bytes: comparing costs the
// product of their lengths, and a long one is no slip.
const maxWord = 64

// Word returns the known word that a word is most likely a slip of, in any case
// of its letters, or "" where none is close: at most two letters that are
// missing, too many, wrong or swapped, and at most half of the known word.
func Word(word string, known []string) string {
	best, least := "", 3
	for _, k := range known {
		if d := distance(strings.ToLower(word), strings.ToLower(k)); d < least && d <= len(k)/2 {
			best, least = k, d
		}
	}
	return best
}

// distance counts the bytes to insert, delete or replace; swapping two
// neighbours is one such edit.
func distance(a, b string) int {
	if len(a) > maxWord || len(b) > maxWord {
		return maxWord
	}
	var rows [3][maxWord + 1]int
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		row, prev, beforePrev := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], beforePrev[j-2]+1)
			}
		}
	}
	return rows[len(a)%3][len(b)]
}
