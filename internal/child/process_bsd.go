// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix && !linux

package child

import "os/exec"

// separate gives the command a session of its own, so no terminal.
func separate(cmd *exec.Cmd) error { return detach(cmd) }

// awaitExit is left to the wait that follows, which also frees the process id.
func awaitExit(int) bool { return false }
