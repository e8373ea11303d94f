// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package syntax reads SQLite's queries and expressions into trees, and gives
// those who read its other statements the means to do so. It knows the grammar,
// not what a statement does.
package syntax
