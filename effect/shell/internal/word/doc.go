// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package word knows what an argument is before the program that gets it runs:
// text with holes where it is not known, and perhaps a glob. It resolves such
// words to paths. It knows nothing of the shell's grammar or of programs.
//
// It fails towards not knowing: a word that cannot be followed is a path that
// could be any.
package word
