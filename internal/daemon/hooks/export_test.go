// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package hooks

// Folds, Elsewhere and Named are for tests.
var (
	Folds     = folds
	Elsewhere = elsewhere
	Named     = named
)
