// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package cli is what the groups of commands share: how the program ends, how
// it writes, and where it finds the gate's own files. It knows no command.
package cli
