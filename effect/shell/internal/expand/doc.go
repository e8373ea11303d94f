// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package expand turns the words of a command's source into the words that its
// program gets: variables, quotes, braces, globs, arithmetic, tests. Commands
// inside of words are handed to the shell that is around them.
//
// It fails towards not knowing: what cannot be computed is a hole in the word.
package expand
