// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build race

package toolverdict_test

// enough states for the race detector, which is slow: the search for what does
// not hold is whole without it.
const enough = 200
