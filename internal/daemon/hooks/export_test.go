// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package hooks

// Folds and Elsewhere are for tests.
var (
	Folds     = folds
	Elsewhere = elsewhere
)
