// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !race

package toolverdict_test

// enough states: all of them.
const enough = 0
