// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
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
