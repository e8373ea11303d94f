// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package arch holds no code, only tests of the repository's shape: which
// package may import which, where each third-party library lives, how large
// files and functions may grow, and that the documents name what exists.
//
// The rules are tables at the top of each test file; exceptions, each with its
// reason, stand in exceptions_test.go and nowhere else. Every rule is run over
// small fixture trees too (testdata), so that a rule which stopped finding
// anything is noticed. What a linter can tell is left to .golangci.yml.
package arch
