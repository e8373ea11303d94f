// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package syntax

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict/internal/near"
)

// Problem is one thing wrong with a policy, at its place, with what to do.
type Problem struct {
	Pos
	Message string
	Hint    string
}

// String returns "file:line:column: message: hint".
func (p Problem) String() string {
	s := fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
	if p.Hint != "" {
		s += ": " + p.Hint
	}
	return s
}

// maxProblems bounds how many problems of one load are told.
const maxProblems = 50

// Problems are all that is wrong, by position.
type Problems []Problem

// Error implements error: one problem a line.
func (p Problems) Error() string {
	lines := make([]string, 0, len(p))
	for i, one := range p {
		if i == maxProblems {
			lines = append(lines, fmt.Sprintf("and %d more", len(p)-i))
			break
		}
		lines = append(lines, one.String())
	}
	return strings.Join(lines, "\n")
}

// Sort orders by file and position, and drops what was found twice.
func (p Problems) Sort() Problems {
	slices.SortStableFunc(p, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(p)
}

// Nearest returns the known word that an unknown one is most likely a slip of,
// or starts with, or "".
func Nearest(word string, known []string) string {
	if meant := near.Word(word, known); meant != "" {
		return meant
	}
	for _, k := range known {
		if len(k) > 2 && strings.HasPrefix(strings.ToLower(word), k) {
			return k
		}
	}
	return ""
}

// didYouMean makes a hint of the nearest word, or of all of them.
func didYouMean(word string, known []string) string {
	if near := Nearest(word, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "use one of " + strings.Join(known, ", ")
}
