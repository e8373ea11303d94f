// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package secret makes and keeps the gate's own secrets: keys in its data
// folder, and ids that nobody can guess.
package secret
