// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package shop

import (
	"os"
	"os/exec"
)

// ownGroup does nothing here: there are no process groups, and only the command
// itself is stopped.
func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }

func signalOf(*os.ProcessState) int { return 0 }
