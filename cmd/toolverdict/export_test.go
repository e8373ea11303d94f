// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

// Main is the program, for tests that run it as a process of its own.
func Main() { main() }
