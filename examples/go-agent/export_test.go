// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

// Run is the program, for tests that run it in their own process.
var Run = run
