// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package rig starts the programs that an end-to-end run needs (upstream servers, reverse proxies,
// the gate itself), waits until they answer, and stops them again with everything they started.
// It knows how the gate is started and configured and nothing of what the gate decides. Every
// failure carries the end of what the program printed.
package rig
