// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package table holds the table of programs, programs.txt, as data: which
// arguments of a program are paths and how they are used, which name hosts,
// which are commands that it runs in turn. It knows nothing of argument lists.
//
// A line that does not say what it means is an error, and tests load it.
package table
