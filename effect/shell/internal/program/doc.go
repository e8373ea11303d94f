// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package program knows what programs do with their arguments: which are files
// and how they are used, which name hosts, which are commands that the program
// runs in turn. What can be said in a row of a table is in package table; what
// needs more is a function beside it.
//
// It is handed words that may not be known, and answers with a [Plan]. It
// knows nothing of the shell that runs the program: no variables, no working
// directory, no redirections.
//
// It fails towards not knowing: a program without a row, an option that a row
// does not list, a word that could turn out to be an option that matters, make
// a plan that is not Known or that says why it is opaque.
package program
