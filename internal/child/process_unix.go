// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package child

import (
	"os/exec"
	"syscall"
)

// detach gives a command a session of its own: no signal from a terminal reaches
// it.
func detach(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return nil
}

// askGroup asks a process and its group to end.
func askGroup(pid int) error { return syscall.Kill(-pid, syscall.SIGTERM) }

// killGroup ends a process and its group.
func killGroup(pid int) error { return syscall.Kill(-pid, syscall.SIGKILL) }
